"""Two ranks of one thread against one: the whole fit by spcart-mpi, side by side in one run.

usage: python benchmarks/ranks.py [--quick] [--repeats N] [--command build/spcart-mpi]

Each figure is the best of several runs that take turns. Times are those of the command's own JSON:
with reading, and without.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np


def dense(folder, rows, cols):
    """Shards of a table with a falling spectrum."""
    random = np.random.default_rng(0)
    mix = random.standard_normal((cols, cols)) * (0.97 ** np.arange(cols))[:, None]
    for k in range(4):
        part = random.standard_normal((rows // 4, cols)) @ mix
        np.save(folder / f"dense-{k}.npy", part)
    return str(folder / "dense-*.npy")


def sparse(folder, rows, cols, a_row):
    """Shards of counts whose columns are as unequally filled as words are."""
    random = np.random.default_rng(1)
    weights = 1 / np.arange(1, cols + 1)
    edges = np.cumsum(weights / weights.sum())
    for k in range(4):
        n = rows // 4
        places = np.searchsorted(edges, random.random((n, a_row)))
        with open(folder / f"sparse-{k}.mtx", "w", encoding="ascii") as file:
            file.write(f"%%MatrixMarket matrix coordinate real general\n{n} {cols} {n * a_row}\n")
            ones = np.column_stack(
                [np.repeat(np.arange(1, n + 1), a_row), places.ravel() + 1, np.ones(n * a_row)]
            )
            np.savetxt(file, ones, fmt="%d %d %g")
    return str(folder / "sparse-*.mtx")


def seconds(command, data, ranks):
    """Of a whole fit, and of it without reading."""
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    done = subprocess.run(
        ["mpirun", "-n", str(ranks), command, "fit", data, "-r", "20", "--threads", "1", "--json", "-"],
        env=environment,
        check=True,
        capture_output=True,
    )
    timing = json.loads(done.stdout)["timing"]
    return timing["total"], timing["total"] - timing["read"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--command", default="build/spcart-mpi")
    arguments = parser.parse_args()
    part = 10 if arguments.quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tables = {
            f"dense {200000 // part} x 1000": dense(folder, 200000 // part, 1000),
            f"sparse {100000 // part} x 20000": sparse(folder, 100000 // part, 20000, 97),
        }
        for title, data in tables.items():
            best = {1: (np.inf, np.inf), 2: (np.inf, np.inf)}
            for _ in range(arguments.repeats):
                for ranks in best:
                    best[ranks] = tuple(map(min, best[ranks], seconds(arguments.command, data, ranks)))
            (one, one_fit), (two, two_fit) = best[1], best[2]
            print(
                f"{title}: one rank {one:.2f} s, two {two:.2f} s: {one / two:.2f}x; "
                f"without reading and measuring {one_fit:.2f} s, {two_fit:.2f} s: {one_fit / two_fit:.2f}x"
            )


if __name__ == "__main__":
    main()
