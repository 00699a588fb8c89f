#!/usr/bin/env python3
"""Runs spcart and the peers that are installed on the same data, with the same number of threads,
and writes a table of ratios: docs/benchmarks.md tells what is measured and how to read it.

    make bench                                     # everything, with its set-up
    benchmarks/peers.py patches genes              # some rows, from an environment with the peers
    benchmarks/peers.py --quick                    # every row at a small size: checks the machinery
"""

import argparse
import dataclasses
import json
import os
import pathlib
import sys

from comparison import report, rows
from comparison.data import Store
from comparison.race import Race, say

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    names = [row.name for row in rows.all_rows(quick=True)]
    add("rows", nargs="*", metavar="ROW", help=f"which: {', '.join(names)} (default: all)")
    add("--quick", action="store_true", help="small sizes: only to check that everything runs")
    add("--large", action="store_true", help="also the rows that take minutes and gigabytes")
    add("--threads", type=int, default=2, help="of every contender (default: 2)")
    add("--rounds", type=int, default=5, help="turns that each contender gets (default: 5)")
    add("--seconds", type=float, default=0.5, help="of a turn, at least one fit (default: 0.5)")
    add("--budget", type=float, default=20, help="no more turns after so many seconds (default: 20)")
    add("--cap", type=float, default=300, help="a fit is stopped after so many seconds (default: 300)")
    add("--build", default=ROOT / "build", type=pathlib.Path, help="where spcart and fit_file are")
    add("--out", type=pathlib.Path, help="where peers.md and peers.json go (default: BUILD/benchmarks)")
    add("--write", metavar="F", help="also put the tables between the markers of this document")
    given = parser.parse_args()
    unknown = set(given.rows) - set(names)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: the rows are {', '.join(names)}")
    return complete(given, parser)


def complete(given, parser):
    given.out = given.out or given.build / "benchmarks"
    given.fit_file = given.build / "benchmarks" / "fit_file"
    given.command = given.build / "spcart"
    for program in (given.fit_file, given.command):
        if not program.exists():
            parser.error(f"{program}: build with -DSPCART_BUILD_BENCHMARKS=ON first (make bench does)")
    threads = str(given.threads)
    given.environment = dict(os.environ, PYTHONWARNINGS="ignore")
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        given.environment[variable] = threads
        os.environ[variable] = threads
    if given.quick:
        given.rounds, given.seconds = 2, 0.05
    return given


def chosen(settings):
    for row in rows.all_rows(settings.quick):
        named = row.name in settings.rows if settings.rows else True
        if named and (settings.quick or settings.large or not row.large):
            yield row


def main():
    settings = arguments()
    settings.out.mkdir(parents=True, exist_ok=True)
    store = Store(settings.out / "data", settings.fit_file)
    verdicts, parts, results, wrong = [], [], {}, []
    for row in chosen(settings):
        say(f"{row.name}: {row.title}")
        outcomes, errors = Race(row, store, settings).run()
        wrong += [f"{row.name}: {error}" for error in errors]
        for bar in row.bars:
            value = bar.measure(outcomes)
            met = None if value is None else bar.met(value)
            verdicts.append(report.Verdict(row.name, row.title, bar.text, value, met))
        parts.append(f"### {row.title}\n\n" + report.outcome_table(outcomes, next(iter(row.ours))))
        results[row.name] = {
            "title": row.title,
            "contenders": {name: dataclasses.asdict(o) for name, o in outcomes.items()},
        }
    about = report.machine(settings)
    text = report.markdown(about, verdicts, parts)
    (settings.out / "peers.md").write_text(text)
    bars = [dataclasses.asdict(verdict) for verdict in verdicts]
    whole = {**about, "quick": settings.quick, "bars": bars, "rows": results, "wrong": wrong}
    (settings.out / "peers.json").write_text(json.dumps(whole, indent=1) + "\n")
    if settings.write:
        report.write_between_markers(settings.write, text)
    print(text)
    say(f"written to {settings.out / 'peers.md'} and {settings.out / 'peers.json'}")
    for error in wrong:
        say(f"wrong answer: {error}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
