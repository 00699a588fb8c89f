"""Runs a row: the contenders run interleaved, each in its own process, and are then evaluated."""

import dataclasses
import sys
import time

from . import data
from .contenders import Command, Failed, PythonPeer, RPeer, Spcart, TooSlow
from .peer_list import PEERS
from .quality import Judge, sparsity
from .report import RowReport, outcome_table

AGREE = 1e-6  # two figures of explained variance that should be the same
PAUSE = 0.1  # threads of the last run may still be spinning


def available_memory():
    with open("/proc/meminfo") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return float("inf")


def say(text):
    print(text, file=sys.stderr, flush=True)


class Race:
    def __init__(self, row, store, settings):
        self.row = row
        self.settings = settings
        self.table = row.table(store)
        common = settings.environment, row.remove_row_mean
        self.contenders = [
            Spcart(name, settings.fit_file, self.table, row.r, options, *common)
            for name, options in row.ours.items()
        ]
        first = next(iter(row.ours.values()))
        self.contenders += [Command(settings.command, self.table, row.r, first, *common)]
        self.contenders += [
            PythonPeer(name, self.table, row.r, *common)
            for name in row.peers
            if name in PEERS and PEERS[name].installed()
        ]
        self.contenders += [
            RPeer(name, self.table, row.r, *common)
            for name in row.peers
            if name in RPeer.installed()
        ]

    def run(self):
        # Peers copy the table; if all of them together may not fit, one runs at a time.
        bytes_each = 3 * self.table.stat().st_size
        self.together = bytes_each * len(self.contenders) < available_memory()
        for contender in self.contenders:
            self._turn(contender, seconds=0)
        for _ in range(self.settings.rounds):
            for contender in self.contenders:
                spent = (contender.outcome.seconds or 0) * contender.outcome.runs
                if spent < self.settings.budget:
                    self._turn(contender, self.settings.seconds)
        wrong = self._judge()
        for contender in self.contenders:
            contender.stop()
        return self._report(wrong)

    def _report(self, wrong):
        row = self.row
        outcomes = {contender.name: contender.outcome for contender in self.contenders}
        verdicts = [bar(outcomes) for bar in row.bars]
        table = outcome_table(outcomes, next(iter(row.ours)))
        record = {name: dataclasses.asdict(outcome) for name, outcome in outcomes.items()}
        return RowReport(row.title, verdicts, table, record, wrong)

    def _turn(self, contender, seconds):
        self._with(contender, contender.turn, seconds, self.settings.cap)
        time.sleep(PAUSE)

    def _with(self, contender, work, *arguments):
        """Does work of a contender that is still in the race, and notes how it ended."""
        outcome = contender.outcome
        if contender.retired:
            return None
        try:
            if not contender.child:
                contender.start()
            result = work(*arguments)
            if not self.together:
                contender.stop()
            return result
        except TooSlow:
            say(f"  {contender.name}: stopped after {self.settings.cap:g} s")
            if outcome.seconds is None:
                outcome.cap = self.settings.cap
        except Failed as failure:
            outcome.failure = str(failure)
            say(f"  {contender.name}: {failure}")
        contender.stop()
        contender.retired = True
        return None

    def _judge(self):
        judge = Judge(data.load(self.table, self.row.remove_row_mean))
        wrong, exact = [], {}
        for contender in self.contenders:
            found = self._with(contender, contender.answer, self.settings.cap)
            if not found:
                continue
            outcome = contender.outcome
            chosen = found["loadings" if contender.sparse_loadings else "basis"]
            outcome.explained = judge.explained(chosen)
            outcome.sparsity = sparsity(chosen)
            if self.row.residuals and "basis" in found:
                outcome.residual = judge.residual(found["basis"])
            if contender.exact:
                exact[contender.name] = outcome.explained
            if isinstance(contender, Spcart):
                wrong += self._check_claims(contender, judge.explained(found["basis"]))
        for contender in self.contenders:
            if isinstance(contender, Spcart) and contender.outcome.failure:
                wrong.append(f"{contender.name}: {contender.outcome.failure}")
            elif isinstance(contender, Spcart) and contender.outcome.explained is not None:
                wrong += self._check_exact(contender, exact)
        return wrong

    def _check_claims(self, contender, explained_by_basis):
        """What spcart reports about its result is what NumPy computes."""
        outcome, detail = contender.outcome, contender.outcome.detail
        return [
            f"{contender.name} says {what} = {detail[what]:.9f}, NumPy finds {found:.9f}"
            for what, found in (("cpev", outcome.explained), ("cpev_pca", explained_by_basis))
            if abs(detail[what] - found) > AGREE
        ]

    def _check_exact(self, contender, exact):
        """Its principal components explain as much as those of every exact PCA."""
        mine = contender.outcome.detail["cpev_pca"]
        return [
            f"{contender.name}: PCA explains {mine:.9f}, by {name} {theirs:.9f}"
            for name, theirs in exact.items()
            if abs(mine - theirs) > AGREE
        ]
