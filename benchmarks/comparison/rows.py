"""The rows of the comparison: a table, the contenders and their options, and the bars to be met."""

import dataclasses
from typing import Callable

from . import data
from .file_row import FileRow
from .kernel_rows import GrowthRow, RotateRow
from .race import Race
from .report import Verdict

SOLVERS = ("full", "covariance_eigh", "arpack", "randomized")
SKLEARN = [f"sklearn PCA {solver}" for solver in SOLVERS]
OTHERS = ["sklearn TruncatedSVD", "SciPy svds", "NumPy Gram + eigh", "fbpca"]
PCA = SKLEARN + OTHERS + ["R irlba", "R RSpectra"]
AS_GOOD = 1e-4  # solutions that explain less by at most this fraction are as good
SPARSE = ["sklearn MiniBatchSparsePCA", "sparsepca (A-ManPG)"]
SPARSE += ["R elasticnet", "R PMA", "R nsprcomp", "R sparsepca"]


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    title: str
    table: Callable  # of the store: the path of the table
    r: int
    ours: dict  # name of the contender: its options
    peers: list
    bars: list
    remove_row_mean: bool = False
    residuals: bool = False  # also compare |A'A v - s^2 v| / s_1^2
    large: bool = False  # only run on request

    def run(self, store, settings):
        return Race(self, store, settings).run()


# A bar is a function of the outcomes by contender's name, which gives its verdict.


def time_bar(ours, against, limit, words):
    """Our time as a multiple of the fastest of those whose solution is as good as the best."""
    text = f"{ours}: at most {limit:g}x {words}"

    def judge(outcomes):
        ran = {name: outcomes[name] for name in against if name in outcomes}
        ran = {name: outcome for name, outcome in ran.items() if outcome.seconds}
        best = max((outcome.explained or 0 for outcome in ran.values()), default=0)
        good = [o.seconds for o in ran.values() if (o.explained or 0) >= (1 - AS_GOOD) * best]
        mine = outcomes[ours].seconds
        if not mine or not good:
            return Verdict(text, None, None)
        quicker = [
            f"{mine / outcome.seconds:.2f}x {name}, which explains {outcome.explained:.4f} "
            f"instead of {best:.4f}"
            for name, outcome in ran.items()
            if outcome.seconds < min(good)
        ]
        ratio = mine / min(good)
        return Verdict(text, ratio, ratio <= limit, "; ".join(quicker))

    return judge


def faster_bar(ours, peer, limit):
    """How many times as long the peer takes."""
    text = f"{ours}: at least {limit:g}x as fast as {peer}"

    def judge(outcomes):
        mine, theirs = outcomes[ours], outcomes.get(peer)
        took = theirs and (theirs.seconds or theirs.cap)
        if not mine.seconds or not took:
            return Verdict(text, None, None)
        ratio = took / mine.seconds
        if not theirs.cap:
            return Verdict(text, ratio, ratio >= limit)
        # A stopped peer took longer: that can show that the bar is met, but not the opposite.
        note = f"{peer} was stopped after {theirs.cap:g} s"
        return Verdict(text, ratio, True if ratio >= limit else None, note)

    return judge


def memory_bar(ours, factor):
    text = f"{ours}: peak memory at most {factor:g}x the data"

    def judge(outcomes):
        outcome = outcomes[ours]
        if not outcome.peak_bytes:
            return Verdict(text, None, None)
        ratio = outcome.peak_bytes / outcome.detail["data_bytes"]
        return Verdict(text, ratio, ratio <= factor)

    return judge


def sparse_memory_bar(ours, p, r):
    """What the process holds beyond its own code, against 1.2x the matrix and 12 p r doubles."""
    text = f"{ours}: memory at most 1.2x the stored matrix plus 12 p r doubles"

    def judge(outcomes):
        outcome = outcomes[ours]
        if not outcome.peak_bytes:
            return Verdict(text, None, None)
        allowed = 1.2 * outcome.detail["data_bytes"] + 12 * p * r * 8
        ratio = (outcome.peak_bytes - outcome.idle_bytes) / allowed
        return Verdict(text, ratio, ratio <= 1)

    return judge


def residual_bar(ours, peer):
    text = f"{ours}: residual at most that of {peer}"

    def judge(outcomes):
        mine, theirs = outcomes[ours].residual, outcomes[peer].residual
        if mine is None or not theirs:
            return Verdict(text, None, None)
        return Verdict(text, mine / theirs, mine <= theirs)

    return judge


def patches(quick):
    n, r = (500, 20) if quick else (5000, 70)
    path = None if quick else data.real("bsds_patches_13x13.npy")
    what = "image patches" if path else "image patches (generated)"
    for name, start in (("patches-identity", "identity"), ("patches", "varimax")):
        mine = f"spcart hard, {start} start"
        yield Row(
            name=name,
            title=f"{what} {n} x 169, r = {r}, {start} start",
            table=lambda store: path or store.patches(n),
            r=r,
            ours={mine: ["--truncation", "hard", "--start", start]},
            peers=PCA + SPARSE,
            bars=[
                time_bar(mine, SKLEARN[:1], 1.0, "scikit-learn's full PCA"),
                time_bar(mine, SKLEARN, 3.0, "scikit-learn's fastest PCA"),
            ],
            remove_row_mean=True,
        )


def genes(quick):
    n, p = (40, 400) if quick else (72, 7129)
    path = None if quick else data.real("leukemia_72x7129.npy")
    what = "gene data" if path else "gene data (generated stand-in)"
    types = ("hard", "soft", "count", "energy")
    yield Row(
        name="genes",
        title=f"{what} {n} x {p}, r = 6",
        table=lambda store: path or store.correlated(n, p),
        r=6,
        ours={f"spcart {kind}": ["--truncation", kind] for kind in types},
        peers=PCA + SPARSE,
        bars=[
            time_bar(f"spcart {kind}", SKLEARN, 1.0, "scikit-learn's fastest PCA") for kind in types
        ],
    )


def noise(quick):
    n, p, r = (131, 130, 5) if quick else (1301, 1300, 20)
    mine = "spcart count"
    yield Row(
        name="random",
        title=f"random {n} x {p}, r = {r}, count 0.85 p",
        table=lambda store: store.noise(n, p),
        r=r,
        ours={mine: ["--truncation", "count", "--lambda", str(int(0.85 * p))]},
        peers=PCA + SPARSE + ["sklearn SparsePCA"],
        bars=[
            time_bar(mine, SKLEARN, 1.0, "scikit-learn's fastest PCA"),
            faster_bar(mine, "sklearn SparsePCA", 100),
        ],
    )


def dense(quick):
    n, p, r = (5000, 100, 10) if quick else (100000, 1000, 20)
    mine = "spcart hard"
    yield Row(
        name="dense",
        title=f"dense {n} x {p}, r = {r}",
        table=lambda store: store.planted(n, p, r),
        r=r,
        ours={mine: []},
        peers=PCA,
        bars=[
            time_bar(mine, SKLEARN, 1.0, "scikit-learn's fastest PCA"),
            memory_bar(mine, 1.15),
        ],
    )


def large_dense(quick):
    n, r = (600, 10) if quick else (20000, 50)
    # The peer computes in the single precision of the data, too.
    mine, peer = "spcart hard, single precision", "sklearn PCA randomized"
    yield Row(
        name="dense-large",
        title=f"dense {n} x {n} float32, r = {r}",
        table=lambda store: store.decaying(n, n, 4 * r),
        r=r,
        ours={mine: ["--precision", "single"], "spcart hard": []},
        peers=[peer, "fbpca"],
        bars=[
            time_bar(mine, [peer], 0.5, "scikit-learn's randomised PCA"),
            residual_bar(mine, peer),
        ],
        residuals=True,
        large=True,
    )


def sparse(quick):
    n, p, r = (5000, 1000, 10) if quick else (100000, 20000, 20)
    mine = "spcart hard"
    yield Row(
        name="sparse",
        title=f"sparse {n} x {p}, 0.5 %, r = {r}, centred",
        table=lambda store: store.sparse(n, p, 0.005),
        r=r,
        ours={mine: []},
        peers=["sklearn PCA arpack", "SciPy svds", "R irlba", "R RSpectra"],
        bars=[
            time_bar(mine, ["sklearn PCA arpack"], 0.5, "scikit-learn's sparse PCA (arpack)"),
            time_bar(mine, ["SciPy svds"], 0.5, "SciPy svds"),
            sparse_memory_bar(mine, p, r),
        ],
    )


def all_rows(quick):
    """In the order of the report. Each has name, title, large and run(store, settings)."""
    races = (patches, genes, noise, dense, large_dense, sparse)
    raced = [row for make in races for row in make(quick)]
    return raced + [RotateRow(), GrowthRow(), FileRow(quick)]
