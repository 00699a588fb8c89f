"""Rows that the C++ program `kernels` measures: kernels beside their rooflines, and growth."""

import json
import subprocess
import tempfile

from .report import RowReport, Verdict, figure

TYPES = ("hard", "soft", "count", "energy")


def run_kernels(settings, pattern):
    """Every benchmark whose name matches: its counters, by the name without the suffixes."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        words = [
            settings.kernels,
            "--seconds",
            0.02 if settings.quick else settings.seconds,
            f"--benchmark_filter={pattern}",
            f"--benchmark_out={out.name}",
            "--benchmark_out_format=json",
        ]
        subprocess.run(
            [str(word) for word in words],
            env=settings.environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        found = json.load(open(out.name))["benchmarks"]
    return {item["name"].split("/iterations:")[0]: item for item in found}


class RotateRow:
    """One iteration of rotation and truncation beside one product of (p x r)(r x r)."""

    name, large = "rotate", False
    title = "rotate iteration, p = 1e5, r = 50 and p = 1e4, r = 300"

    def run(self, store, settings):
        found = run_kernels(settings, "^rotate/" + ("hard/.*r:50" if settings.quick else ""))
        lines = [
            "| truncation, basis, sizes | a turn, ms | DGEMM, ms | ratio |",
            "|---|---|---|---|",
        ]
        for name, item in found.items():
            ratio, bound = item["ratio"], item["roofline_s"]
            words = name.removeprefix("rotate/").replace("/", ", ").replace(":", " = ")
            lines.append(
                f"| {words} | {figure(1e3 * ratio * bound)} | {figure(1e3 * bound)} | {ratio:.2f} |"
            )
        verdicts = [self._verdict(found, type_, limit) for type_, limit in zip(TYPES, (2, 2, 3, 3))]
        return RowReport(self.title, verdicts, "\n".join(lines), found)

    def _verdict(self, found, type_, limit):
        """The worst of its sizes and of both kinds of basis."""
        ratios = [item["ratio"] for name, item in found.items() if f"/{type_}/" in name]
        worst = max(ratios, default=None)
        met = None if worst is None else worst <= limit
        return Verdict(f"{type_}: at most {limit}x one DGEMM of (p x r)(r x r)", worst, met)


class GrowthRow:
    """Log-log slopes of the time of an iteration over p, and of the whole fit over n."""

    name, large = "growth", False
    title = "growth: a turn over p = 1e4 ... 1e6 at r = 20, a whole fit over n"
    limit = 1.05

    def run(self, store, settings):
        found = run_kernels(settings, "^growth_in_n" if settings.quick else "^growth_in_")
        lines = ["| | slope | seconds by size |", "|---|---|---|"]
        verdicts = []
        for name, item in found.items():
            times = sorted((float(key[3:]), item[key]) for key in item if key.startswith("s_"))
            shown = ", ".join(f"{size:g}: {figure(time)}" for size, time in times)
            slope = item["slope"]
            lines.append(f"| {name} | {slope:.3f} | {shown} |")
            text = f"{name}: log-log slope at most {self.limit}"
            verdicts.append(Verdict(text, slope, slope <= self.limit, unit=""))
        return RowReport(self.title, verdicts, "\n".join(lines), found)
