"""The tables of the comparison, as Markdown and as JSON."""

import dataclasses
import datetime
import importlib.metadata
import os
import pathlib
import platform
import subprocess

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
    packages = ("numpy", "scipy", "scikit-learn")
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "threads": settings.threads,
        "system": platform.platform(),
        "versions": {
            "spcart": first_line([settings.command, "--version"]).split(" ")[-1],
            "python": platform.python_version(),
            **{package: installed_version(package) for package in packages},
        },
    }


def figure(value):
    """Three digits, without an exponent where that is readable."""
    if value is None:
        return ""
    return f"{value:.3g}" if 1e-4 <= abs(value) < 1000 or value == 0 else f"{value:.0f}" if abs(
        value
    ) >= 1000 else f"{value:.1e}"


def seconds(outcome):
    if outcome.failure:
        return "failed"
    return f">= {outcome.cap:g}" if outcome.cap else figure(outcome.seconds)


@dataclasses.dataclass
class Verdict:
    row: str
    title: str
    bar: str
    value: object  # None: not measured
    met: object
    note: str = ""


def verdict_table(verdicts):
    lines = ["| workload | bar | measured | |", "|---|---|---|---|"]
    for v in verdicts:
        measured = f"{v.value:.2f}x" if v.value is not None else ""
        met = {True: "met", False: "**not met**", None: "not run"}[v.met]
        lines.append(f"| {v.title} | {v.bar} | {measured} | {met}{v.note and ': ' + v.note} |")
    return "\n".join(lines)


def outcome_table(outcomes, ours):
    """A line a contender, quickest first; times as multiples of our first."""
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


def markdown(about, verdicts, parts):
    versions = ", ".join(f"{name} {v}" for name, v in about["versions"].items() if v)
    head = (
        f"{about['date']}, {about['cpu']}, {about['cores']} cores, {about['threads']} threads; "
        f"{versions}."
    )
    return "\n\n".join([head, verdict_table(verdicts)] + parts) + "\n"


def write_between_markers(path, text):
    path = pathlib.Path(path)
    whole = path.read_text()
    if BEGIN not in whole or END not in whole:
        raise SystemExit(f"{path}: it has no lines '{BEGIN}' and '{END}'")
    before, after = whole.split(BEGIN)[0], whole.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")
