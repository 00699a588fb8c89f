"""Two ranks of one thread against one: the whole fit by spcart-mpi, interleaved in one run.

usage: python benchmarks/ranks.py [--quick] [--repeats N] [--command build/spcart-mpi] [--out DIR]

Each figure is the best of several interleaved runs, from the timing in the command's own JSON. The
tables are those of peers.py, kept in DIR/data.
"""

import argparse
import json
import os
import pathlib
import subprocess

import numpy as np

from comparison.data import Store, load

SHARDS = 4


def in_shards(store, path):
    """The rows of a sparse table in several files, as ranks read them."""
    import scipy.io

    table = load(path)
    edges = np.linspace(0, table.shape[0], SHARDS + 1).astype(int)
    for k, (first, last) in enumerate(zip(edges, edges[1:])):
        shard = store.folder / f"{path.stem}-{k}.mtx"
        if not shard.exists():
            scipy.io.mmwrite(shard, table[first:last], precision=9)
    return store.folder / f"{path.stem}-*.mtx"


def timing(command, data, ranks):
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    fit = [command, "fit", str(data), "-r", "20", "--threads", "1", "--json", "-"]
    done = subprocess.run(
        ["mpirun", "-n", str(ranks), *fit], env=environment, check=True, capture_output=True
    )
    return json.loads(done.stdout)["timing"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--command", default="build/spcart-mpi")
    parser.add_argument("--out", default="build/benchmarks")
    arguments = parser.parse_args()
    part = 10 if arguments.quick else 1
    store = Store(pathlib.Path(arguments.out, "data"), fit_file=None)
    tables = {
        f"dense {200000 // part} x 1000": store.planted(200000 // part, 1000, 20),
        f"sparse {100000 // part} x 20000": in_shards(store, store.sparse(100000 // part, 20000, 0.005)),
    }
    for title, data in tables.items():
        runs = {1: [], 2: []}
        for _ in range(arguments.repeats):
            for ranks in runs:
                runs[ranks].append(timing(arguments.command, data, ranks))
        print(f"{title}:")
        for stage in ("total", "read", "pca"):
            one, two = (min(run[stage] for run in runs[ranks]) for ranks in runs)
            print(f"  {stage:6}{one:6.2f} s on one rank, {two:5.2f} s on two: {one / two:.2f}x")


if __name__ == "__main__":
    main()
