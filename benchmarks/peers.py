#!/usr/bin/env python3
"""Runs spcart and the peers that are installed on the same data, with the same number of threads,
and writes a table of ratios: docs/benchmarks.md explains what is measured and how to read it.

    make bench                                     # everything, including set-up
    benchmarks/peers.py patches genes              # some rows, from an environment with the peers
    benchmarks/peers.py --quick                    # every row at a small size: checks that all runs
"""

import argparse
import json
import os
import pathlib
import sys

from comparison import report, rows
from comparison.data import Store
from comparison.race import say

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
    add(
        "--budget", type=float, default=20, help="seconds after which it gets no more (default: 20)"
    )
    add(
        "--cap", type=float, default=300, help="seconds after which a fit is stopped (default: 300)"
    )
    add(
        "--build",
        type=pathlib.Path,
        default=ROOT / "build" / "bench",
        metavar="DIR",
        help="where spcart was built with its benchmarks (default: build/bench)",
    )
    add(
        "--out",
        type=pathlib.Path,
        default=ROOT / "build" / "benchmarks",
        metavar="DIR",
        help="where peers.md, peers.json and generated data go (default: build/benchmarks)",
    )
    add("--write", metavar="F", help="also put the tables between the markers of this document")
    given = parser.parse_args()
    unknown = set(given.rows) - set(names)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: the rows are {', '.join(names)}")
    return complete(given, parser)


def complete(given, parser):
    given.fit_file = given.build / "benchmarks" / "fit_file"
    given.kernels = given.build / "benchmarks" / "kernels"
    given.command = given.build / "spcart"
    for program in (given.fit_file, given.kernels, given.command):
        if not program.exists():
            parser.error(f"{program} is not there; `make bench` builds it")
    threads = str(given.threads)
    given.environment = dict(os.environ, PYTHONWARNINGS="ignore")
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        given.environment[variable] = threads
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
    reports = {}
    for row in chosen(settings):
        say(f"{row.name}: {row.title}")
        reports[row.name] = row.run(store, settings)

    about = report.machine(settings)
    text = report.markdown(about, reports.values())
    markdown, record = settings.out / "peers.md", settings.out / "peers.json"
    markdown.write_text(text)
    record.write_text(json.dumps(report.record(about, reports), indent=1) + "\n")
    if settings.write:
        report.write_between_markers(settings.write, text)
    print(text)
    say(f"written to {markdown} and {record}")
    wrong = [f"{name}: {error}" for name, row in reports.items() for error in row.wrong]
    for error in wrong:
        say(f"wrong answer: {error}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
