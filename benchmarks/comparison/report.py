"""The tables of the comparison, as Markdown and as JSON."""

import dataclasses
import datetime
import importlib.metadata
import os
import pathlib
import platform
import subprocess
from typing import Optional

BEGIN, END = "<!-- peers.py: begin -->", "<!-- peers.py: end -->"


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def installed_version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def first_line(words):
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout.strip().split("\n")[0]
    except OSError:
        return ""


def machine(settings):
    packages = ("numpy", "scipy", "scikit-learn", "fbpca", "sparsepca")
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "threads": settings.threads,
        "quick": settings.quick,
        "system": platform.platform(),
        "versions": {
            "spcart": first_line([settings.command, "--version"]).split(" ")[-1],
            "python": platform.python_version(),
            **{package: installed_version(package) for package in packages},
            "R": first_line(["Rscript", "-e", "cat(as.character(getRversion()))"]),
        },
    }


def figure(value):
    """Three digits, without an exponent if that is readable."""
    if value is None:
        return ""
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.3g}" if value == 0 or abs(value) >= 1e-4 else f"{value:.1e}"


def seconds(outcome):
    if outcome.failure:
        return "failed"
    return f">= {outcome.cap:g}" if outcome.cap else figure(outcome.seconds)


@dataclasses.dataclass
class Verdict:
    bar: str
    value: Optional[float]  # None: not measured
    met: Optional[bool]
    note: str = ""
    unit: str = "x"


@dataclasses.dataclass
class RowReport:
    title: str
    verdicts: list
    table: str  # Markdown
    record: dict  # the same and more, for the JSON
    wrong: list = dataclasses.field(default_factory=list)  # results that do not agree


def verdict_table(reports):
    lines = ["| workload | bar | measured | |", "|---|---|---|---|"]
    for report in reports:
        for v in report.verdicts:
            measured = f"{figure(v.value)}{v.unit}" if v.value is not None else ""
            open_ = "not run" if v.value is None else "not decided"
            met = {True: "met", False: "**not met**", None: open_}[v.met]
            note = f": {v.note}" if v.note else ""
            lines.append(f"| {report.title} | {v.bar} | {measured} | {met}{note} |")
    return "\n".join(lines)


def outcome_table(outcomes, ours):
    """One line per contender, fastest first; times as multiples of our first."""
    unit = outcomes[ours].seconds
    residuals = any(outcome.residual is not None for outcome in outcomes.values())
    lines = [
        "| | seconds | ratio | peak MB | CPEV | zeros |" + " residual |" * residuals,
        "|---|---|---|---|---|---|" + "---|" * residuals,
    ]
    for name, o in sorted(outcomes.items(), key=lambda item: item[1].seconds or 1e9):
        time = o.seconds or o.cap
        ratio = f"{'>= ' * bool(o.cap)}{figure(time / unit)}" if time and unit else ""
        cells = [
            name,
            seconds(o),
            ratio,
            f"{o.peak_bytes / 1e6:.0f}" if o.peak_bytes else "",
            f"{o.explained:.4f}" if o.explained is not None else "",
            f"{o.sparsity:.1%}" if o.sparsity else "",
        ] + ([figure(o.residual)] if residuals else [])
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def markdown(about, reports):
    versions = ", ".join(f"{name} {v}" for name, v in about["versions"].items() if v)
    head = (
        f"{about['date']}, {about['cpu']}, {about['cores']} cores, {about['threads']} threads; "
        f"{versions}."
    )
    if about["quick"]:
        head += " Small sizes (`--quick`): these only show that everything runs."
    parts = [f"### {report.title}\n\n{report.table}" for report in reports]
    return "\n\n".join([head, verdict_table(reports)] + parts) + "\n"


def record(about, reports):
    rows = {
        name: {
            "title": report.title,
            "bars": [dataclasses.asdict(verdict) for verdict in report.verdicts],
            "figures": report.record,
            "wrong": report.wrong,
        }
        for name, report in reports.items()
    }
    return {**about, "rows": rows}


def write_between_markers(path, text):
    path = pathlib.Path(path)
    whole = path.read_text()
    if BEGIN not in whole or END not in whole:
        raise SystemExit(f"{path}: it has no lines '{BEGIN}' and '{END}'")
    before, after = whole.split(BEGIN)[0], whole.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")
