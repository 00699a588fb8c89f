"""Contenders: child processes that hold a table and fit it on request."""

import dataclasses
import functools
import json
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import Optional

import numpy as np

from . import data
from .peer_list import PEERS

FOLDER = pathlib.Path(__file__).parent
ZEROS = 0.85  # of every loading, for sparse methods that accept it


class TooSlow(Exception):
    """A fit exceeded its time limit."""


class Failed(Exception):
    """A contender ended; says why."""


@dataclasses.dataclass
class Outcome:
    """What is known about a contender after the race; None if it is not known."""

    seconds: Optional[float] = None  # the best fit
    cap: Optional[float] = None  # seconds after which it was stopped without a result
    runs: int = 0
    idle_bytes: Optional[int] = None  # before the table was read
    peak_bytes: Optional[int] = None  # while fitting, including the table
    explained: Optional[float] = None  # CPEV of its vectors
    sparsity: Optional[float] = None
    residual: Optional[float] = None
    failure: Optional[str] = None
    detail: dict = dataclasses.field(default_factory=dict)  # spcart: stages, solver, iterations


class Child:
    """A process that replies to a line with a line of JSON."""

    def __init__(self, words, environment):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment,
            text=True,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def read(self, timeout=None):
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise TooSlow from None
        if line is None:
            self.process.wait()
            self.errors.seek(0)
            last = self.errors.read().decode(errors="replace").strip().splitlines()[-1:]
            raise Failed(last[0] if last else f"it ended with status {self.process.returncode}")
        return json.loads(line)

    def ask(self, line, timeout=None):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read(timeout)

    def stop(self):
        self.process.kill()
        self.process.wait()


class Contender:
    """One way of fitting a row's table. Its child may be stopped and started again."""

    sparse_loadings = False
    exact = False

    def __init__(self, name, words, environment):
        self.name = name
        self.words = words
        self.environment = environment
        self.outcome = Outcome()
        self.child = None
        self.retired = False  # failed, or took too long: it is not run again

    def start(self):
        self.child = Child(self.words, self.environment)
        ready = self.child.read()
        self.outcome.idle_bytes = ready.get("idle_bytes")
        self.outcome.detail.update(ready)

    def stop(self):
        if self.child:
            self.child.stop()
        self.child = None

    def turn(self, seconds, cap):
        """Fits for a while; keeps the best time, and the largest peak."""
        told = self.child.ask(f"run {seconds}", cap)
        outcome = self.outcome
        outcome.runs += told["runs"]
        outcome.peak_bytes = max(outcome.peak_bytes or 0, told["peak_bytes"])
        if outcome.seconds is None or told["seconds"] < outcome.seconds:
            outcome.seconds = told["seconds"]
            outcome.detail.update(told)

    def answer(self, cap):
        """Its vectors by kind: `basis` (principal components) and `loadings` (sparse)."""
        with tempfile.TemporaryDirectory() as folder:
            told = self.child.ask(f"answer {folder}", cap)
            return self.vectors(told, pathlib.Path(folder))


class Spcart(Contender):
    sparse_loadings = True

    def __init__(self, name, fit_file, table, r, options, environment, remove_row_mean=False):
        words = [fit_file, data.for_spcart(table), "--serve", "--components", r, *options]
        super().__init__(name, words + ["--remove-row-mean"] * remove_row_mean, environment)

    def vectors(self, told, folder):
        return {kind: np.load(folder / told[kind]) for kind in ("loadings", "basis")}


class PythonPeer(Contender):
    def __init__(self, name, table, r, environment, remove_row_mean=False):
        words = [sys.executable, "-m", "comparison.worker", name, table, r]
        environment = dict(environment, PYTHONPATH=str(FOLDER.parent))
        super().__init__(name, words + ["--remove-row-mean"] * remove_row_mean, environment)
        self.exact = PEERS[name].exact
        self.sparse_loadings = PEERS[name].sparse_loadings

    def vectors(self, told, folder):
        kind = "loadings" if self.sparse_loadings else "basis"
        return {kind: np.load(folder / told["vectors"]).astype(np.float64)}


class RPeer(Contender):
    """An R package."""

    worker = FOLDER / "worker.R"
    sparse = ("R elasticnet", "R PMA", "R nsprcomp", "R sparsepca")

    def __init__(self, name, table, r, environment, remove_row_mean=False):
        words = ["Rscript", self.worker, name, table, r, ZEROS]
        super().__init__(name, words + ["--remove-row-mean"] * remove_row_mean, environment)
        self.exact = name == "R RSpectra"
        self.sparse_loadings = name in self.sparse

    @classmethod
    @functools.cache
    def installed(cls):
        if not shutil.which("Rscript"):
            return []
        words = ["Rscript", str(cls.worker), "--installed"]
        return subprocess.run(words, capture_output=True, text=True).stdout.splitlines()

    def vectors(self, told, folder):
        kind = "loadings" if self.sparse_loadings else "basis"
        return {kind: np.load(folder / told["vectors"])}


class Command(Contender):
    """The command as a user calls it: the total time that it reports, including reading."""

    def __init__(self, command, table, r, options, environment, remove_row_mean=False):
        words = [command, "fit", data.for_spcart(table), "--quiet", "--json", "-"]
        words += ["--components", r, *options] + ["--remove-row-mean"] * remove_row_mean
        super().__init__("the command, reading included", words, environment)

    def start(self):
        pass

    def turn(self, seconds, cap):
        try:
            done = subprocess.run(
                [str(word) for word in self.words],
                env=self.environment,
                capture_output=True,
                timeout=cap,
            )
        except subprocess.TimeoutExpired:
            raise TooSlow from None
        if done.returncode != 0:
            raise Failed(done.stderr.decode(errors="replace").strip())
        result = json.loads(done.stdout)
        self.outcome.runs += 1
        self.outcome.peak_bytes = result["memory_peak_bytes"]
        total = result["timing"]["total"]
        if self.outcome.seconds is None or total < self.outcome.seconds:
            self.outcome.seconds = total
            self.outcome.detail = {"iterations": result["iterations"], **result["timing"]}

    def answer(self, cap):
        return None  # that of fit_file is evaluated
