"""The row of a file that does not fit in the allowed memory."""

import json
import os
import subprocess
import time

import numpy as np

from .report import RowReport, Verdict, figure

BLOCK_BYTES = 1 << 24


def forget(path):
    """Removes the file from the page cache, as far as the system allows."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_once(path):
    """Seconds to read the file without any other work."""
    buffer = bytearray(BLOCK_BYTES)
    start = time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass
    return time.perf_counter() - start


def dsyrk(n, p, threads):
    """Seconds of A'A in double precision for n rows, one block at a time."""
    from scipy.linalg.blas import dsyrk as multiply
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    rows = min(n, 20000)
    block = np.asfortranarray(np.random.default_rng(0).standard_normal((p, rows)))
    gram = np.zeros((p, p), order="F")
    with threadpool_limits(threads):
        start = time.perf_counter()
        for _ in range(max(1, n // rows)):
            gram = multiply(1.0, block, beta=1.0, c=gram, overwrite_c=1, lower=1)
        return time.perf_counter() - start


def megabytes(told):
    return told["peak_bytes"] / 1e6 if "peak_bytes" in told else None


class FileRow:
    name, large = "file", True

    def __init__(self, quick):
        self.n, self.p, self.memory = (200000, 100, "40M") if quick else (2000000, 1000, "1G")
        size = self.n * self.p * 4 / 1e9
        self.title = f"file of {size:g} GB float32 ({self.n} x {self.p}), --memory {self.memory}"

    def run(self, store, settings):
        if "--memory" not in self._help(settings):
            note = "this spcart has no --memory"
            verdict = Verdict("peak memory and time", None, None, note)
            return RowReport(self.title, [verdict], note, {})
        path = store.planted(self.n, self.p, 20, np.float32)
        best = {}
        for _ in range(1 if settings.quick else 2):
            for name, work in {
                "reading the file once": lambda: {"seconds": read_once(path)},
                "DSYRK of it": lambda: {"seconds": dsyrk(self.n, self.p, settings.threads)},
                "spcart": lambda: self._fit(path, settings),
            }.items():
                forget(path)
                told = work()
                if name not in best or told["seconds"] < best[name]["seconds"]:
                    best[name] = told
        return self._report(best)

    def _help(self, settings):
        words = [settings.command, "fit", "--help"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    def _fit(self, path, settings):
        words = [settings.command, "fit", path, "-r", "20", "--memory", self.memory]
        start = time.perf_counter()
        done = subprocess.run(
            [str(word) for word in [*words, "--quiet", "--json", "-"]],
            env=settings.environment,
            capture_output=True,
            check=True,
        )
        seconds = time.perf_counter() - start
        result = json.loads(done.stdout)
        return {"seconds": seconds, "peak_bytes": result["memory_peak_bytes"], **result["timing"]}

    def _report(self, best):
        number, unit = int(self.memory[:-1]), {"M": 2**20, "G": 2**30}[self.memory[-1]]
        ours = best["spcart"]
        memory = ours["peak_bytes"] / (number * unit)
        longer = max(best[name]["seconds"] for name in best if name != "spcart")
        ratio = ours["seconds"] / longer
        lines = ["| | seconds | peak MB |", "|---|---|---|"] + [
            f"| {name} | {figure(told['seconds'])} | {figure(megabytes(told))} |"
            for name, told in best.items()
        ]
        verdicts = [
            Verdict(f"peak memory at most 1.1x {self.memory}", memory, memory <= 1.1),
            Verdict("at most 1.5x reading the file once or its DSYRK", ratio, ratio <= 1.5),
        ]
        return RowReport(self.title, verdicts, "\n".join(lines), best)
