"""One Python peer in its own process: reads a table, then fits it on request.

usage: python -m comparison.worker PEER TABLE R [--remove-row-mean]

Understands the same lines on standard input as fit_file --serve: `run S` and `answer DIR`.
"""

import argparse
import json
import pathlib
import sys
import time

import numpy as np

from . import data
from .peer_list import PEERS


def memory(field):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    return 0


def reset_memory_peak():
    try:
        pathlib.Path("/proc/self/clear_refs").write_text("5\n")
    except OSError:
        pass  # then the peak counts from the start


def tell(**answer):
    print(json.dumps(answer), flush=True)


def run(fit, seconds):
    """Reports the best time; returns the last result."""
    best, runs, start = float("inf"), 0, time.perf_counter()
    while runs == 0 or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        vectors = fit()
        best = min(best, time.perf_counter() - begin)
        runs += 1
    tell(seconds=best, runs=runs, peak_bytes=memory("VmHWM:"))
    return vectors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("table")
    parser.add_argument("r", type=int)
    parser.add_argument("--remove-row-mean", action="store_true")
    arguments = parser.parse_args()

    peer = PEERS[arguments.peer]
    fit = peer.make()
    idle = memory("VmRSS:")
    table = peer.ready(data.load(arguments.table, arguments.remove_row_mean))
    reading_peak = memory("VmHWM:")
    reset_memory_peak()
    tell(idle_bytes=idle, reading_peak_bytes=reading_peak)
    vectors = None
    for line in sys.stdin:
        word, value = line.rstrip("\n").split(" ", 1)
        if word == "run":
            vectors = run(lambda: fit(table, arguments.r), float(value))
        elif word == "answer":
            vectors = fit(table, arguments.r) if vectors is None else vectors
            np.save(pathlib.Path(value, "vectors.npy"), vectors)
            tell(vectors="vectors.npy")
        else:
            sys.exit(f"worker: '{line}': only run S and answer DIR are understood")


if __name__ == "__main__":
    main()
