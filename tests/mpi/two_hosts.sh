#!/usr/bin/env bash
# Runs spcart-mpi on two hosts in small: two network namespaces joined by a pair of interfaces, so
# that what the ranks tell each other really crosses a network.
# usage: two_hosts.sh MPIRUN SPCART_MPI SPCART   exit status 77: namespaces cannot be made here
set -euo pipefail
mpirun=$1 spcart_mpi=$2 spcart=$3

command -v ip >/dev/null || { echo "skipped: there is no ip (iproute2)"; exit 77; }
here=spcart-$$-a there=spcart-$$-b
work=$(mktemp -d)
finish() {
  ip netns del "$here" 2>/dev/null || true
  ip netns del "$there" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
ip netns add "$here" 2>/dev/null && ip netns add "$there" 2>/dev/null ||
  { echo "skipped: network namespaces cannot be made"; exit 77; }
ip link add name to-b netns "$here" type veth peer name to-a netns "$there" 2>/dev/null ||
  { echo "skipped: a pair of network interfaces cannot be made"; exit 77; }
ip -n "$here" addr add 10.213.7.1/24 dev to-b
ip -n "$there" addr add 10.213.7.2/24 dev to-a
for end in "$here to-b" "$there to-a"; do
  set -- $end
  ip -n "$1" link set lo up
  ip -n "$1" link set "$2" up
done

# How mpirun reaches the other host, in place of ssh.
cat > "$work/agent" <<AGENT
#!/bin/sh
shift
exec ip netns exec $there sh -c "\$*"
AGENT
chmod +x "$work/agent"

received() { ip netns exec "$there" cat /sys/class/net/to-a/statistics/rx_bytes; }

before=$(received)
ip netns exec "$here" timeout 100 "$mpirun" --host 10.213.7.1:1,10.213.7.2:2 -n 3 \
  --mca plm_rsh_agent "$work/agent" --mca btl tcp,self --mca oob_tcp_if_include 10.213.7.0/24 \
  --mca btl_tcp_if_include 10.213.7.0/24 --mca pml ob1 \
  "$spcart_mpi" fit @spiked -r 4 --solver krylov --loadings "$work/two.csv" --quiet
sent=$(($(received) - before))
"$spcart" fit @spiked -r 4 --solver krylov --loadings "$work/one.csv" --quiet

# The product with a block of 4 vectors of doubles, at the least 5 times.
variables=$(($(wc -l < "$work/one.csv") - 1))
least=$((variables * 4 * 8 * 5))
[ "$sent" -gt "$least" ] || { echo "only $sent bytes crossed the network, not $least"; exit 1; }
awk -F, 'NR == FNR { for (i = 1; i <= NF; ++i) expected[FNR, i] = $i; next }
  { for (i = 1; i <= NF; ++i) {
      e = expected[FNR, i]
      if (FNR == 1 || i == 1 ? e != $i : (e == 0) != ($i == 0) || (e - $i) ^ 2 > 1e-16) bad = 1 } }
  END { exit bad || FNR < 2 }' "$work/one.csv" "$work/two.csv" ||
  { echo "the loadings differ from those of one host"; exit 1; }
echo "$sent bytes went to the other host"
