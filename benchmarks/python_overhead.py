"""The time of a fit from Python beside that of the core: at most 3 % or 2 ms more.

usage: python benchmarks/python_overhead.py [TABLE.npy ...]   in an environment with spcart
"""

import sys
import time

import numpy as np

import spcart

REPEATS = 15


def tables(paths):
    if paths:
        return {path: np.load(path) for path in paths}
    rng = np.random.default_rng(0)
    return {
        f"{n} x {p}": rng.normal(size=(n, p)) for n, p in [(200, 20), (20_000, 200), (72, 7129)]
    }


def measured(X):
    """Seconds that the core took, and that Python added; the best of several."""
    rows = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        model = spcart.SPCArt(4, random_state=0).fit(X)
        whole = time.perf_counter() - begin
        core = model.timing_["total"]
        rows.append((core, whole - core))
    return np.min(rows, axis=0)


for name, X in tables(sys.argv[1:]).items():
    core, added = measured(X)
    print(f"{name}: {1000 * core:.1f} ms, and {1000 * added:.2f} ms ({added / core:.1%}) in Python")
