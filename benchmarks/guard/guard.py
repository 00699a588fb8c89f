#!/usr/bin/env python3
"""Counts the instructions of the main kernels under valgrind and compares them with stored figures.

    make perf                          # builds, counts, compares; also: ctest -L perf
    make perf-update                   # stores the current figures

Counts do not depend on how busy a machine is, but on the compiler, on OpenBLAS and on the
instructions that it may use. OpenBLAS is made to use its Haswell kernels, which valgrind can run;
the stored figures name the other two, and if they differ nothing is compared.

Two figures per kernel: what spcart's own code executes, and the total with all libraries.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FIGURES = pathlib.Path(__file__).with_name("figures.json")
CORE = "Haswell"
TOLERANCE = 0.05
SMALL = 2000  # smaller differences in instructions are ignored
SKIPPED = 77  # the exit status of a test that ctest reports as skipped

ENVIRONMENT = dict(
    os.environ,
    OPENBLAS_CORETYPE=CORE,
    OMP_NUM_THREADS="1",
    OPENBLAS_NUM_THREADS="1",
    LD_BIND_NOW="1",  # otherwise the first call of a function also counts its lookup
)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def lines_of(words):
    try:
        done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        skip(f"{words[0]} is not installed; tools/setup bench installs it")
    return done.stdout.splitlines()


def about(program):
    """What the counts depend on."""
    told = dict(line.split(" ", 1) for line in lines_of([program, "--about"]))
    if CORE not in told["openblas"]:
        skip(f"this OpenBLAS does not take the kernels that valgrind runs: {told['openblas']}")
    # Its number of threads and similar settings do not matter.
    told["openblas"] = " ".join(told["openblas"].split()[:2])
    told["valgrind"] = lines_of(["valgrind", "--version"])[0]
    return told


def count(program):
    """Instructions by kernel: those in the program itself, which contains spcart, and all."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--dump-line=no"]
        words += ["--compress-strings=no", "--compress-pos=no"]
        words += [f"--callgrind-out-file={folder}/out"]
        done = subprocess.run(
            [*words, program], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        if done.returncode != 0:
            sys.exit(done.stderr.decode(errors="replace"))
        dumps = sorted(pathlib.Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        return dict(filter(None, (read_dump(path, pathlib.Path(program).name) for path in dumps)))


def read_dump(path, program):
    """(kernel, counts), or None for the dump at the end. The format is in callgrind's manual."""
    kernel, object_, called, ours, whole = None, "", False, 0, 0
    for line in path.read_text().splitlines():
        if line.startswith("desc: Trigger: Client Request: "):
            kernel = line.rsplit(": ", 1)[1]
        elif line.startswith("ob="):
            object_ = pathlib.Path(line[3:]).name
        elif line.startswith("calls="):
            called = True  # the next line is the cost of what is called, counted there
        elif line[:1].isdigit():
            cost = 0 if called else int(line.split()[-1])
            called = False
            whole += cost
            ours += cost if object_ == program else 0
    return (kernel, {"ours": ours, "whole": whole}) if kernel else None


def compare(stored, counted):
    """Prints one line per figure that changed; returns whether one increased too much."""
    worse = False
    for kernel in sorted(stored.keys() | counted.keys()):
        if kernel not in counted or kernel not in stored:
            where = "not counted" if kernel not in counted else "not stored"
            print(f"FAILED  {kernel}: {where}; `make perf-update` if that is meant")
            worse = True
            continue
        for what in ("ours", "whole"):
            before, now = stored[kernel][what], counted[kernel][what]
            change = f"{kernel} ({what}): {before} -> {now} instructions"
            if now > before * (1 + TOLERANCE) + SMALL:
                print(f"FAILED  {change}, {now / max(before, 1) - 1:+.1%}")
                worse = True
            elif now < before * (1 - TOLERANCE) - SMALL:
                print(f"lower   {change}, {now / before - 1:+.1%}: `make perf-update` keeps it")
    return worse


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", required=True, help="the program guarded")
    parser.add_argument("--update", action="store_true", help="store what is counted")
    parser.add_argument("--figures", type=pathlib.Path, default=FIGURES)
    arguments = parser.parse_args()

    today = about(arguments.program)
    if arguments.update:
        figures = {**today, "kernels": count(arguments.program)}
        arguments.figures.write_text(json.dumps(figures, indent=1) + "\n")
        return 0
    if not arguments.figures.exists():
        sys.exit(f"{arguments.figures} is not there; `make perf-update` makes it")
    stored = json.loads(arguments.figures.read_text())
    for what, value in today.items():
        if stored[what] != value:
            skip(f"the figures were counted with {what} {stored[what]}; this is {value}")
    counted = count(arguments.program)
    worse = compare(stored["kernels"], counted)
    print(f"{len(counted)} kernels counted")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
