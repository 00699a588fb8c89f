"""The trade-off between zeros and variance, from one PCA."""

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from . import _core
from ._estimator import figures_of, loadings_from, seed_of
from ._functions import Criteria
from ._progress import progress
from ._tables import table_of
from ._warnings import warn


@dataclass(frozen=True)
class PathPoint:
    """One setting of a path.

    Attributes
    ----------
    truncation, lam, n_components
        What the search started from, or what gives the point where there was none:
        ``SPCArt(n_components, truncation=truncation, lam=lam)`` comes near that.
    criteria : Criteria
        How it did.
    n_iter : int
        Turns that it took.
    status : {"converged", "iteration_limit"}
        How it ended.
    searched : bool
        Whether a search went on from there.
    loadings : scipy.sparse.csc_array of shape (n_features, n_components)
        The components, of unit length.
    """

    truncation: str
    lam: float
    n_components: int
    criteria: Criteria
    n_iter: int
    status: str
    searched: bool
    loadings: sp.csc_array = field(repr=False, compare=False)

    @property
    def nonzeros(self):
        """Nonzeros of all loadings together."""
        return int(self.criteria.nonzeros.sum())


@dataclass(frozen=True)
class Path:
    """The trade-off between zeros and variance.

    Attributes
    ----------
    points : list of PathPoint
        By number of components, then by truncation type, from dense to sparse.
    knee : PathPoint
        Of the most components: from where on a factor of nonzeros costs more variance than on the
        average.
    keep : PathPoint or None
        Of the most components: the fewest nonzeros that keep the share of PCA's variance that was
        asked for. None if no point does.
    n_features : int
        Number of variables.
    solver : str
        The one that found the principal components.
    """

    points: list[PathPoint] = field(repr=False)
    knee: PathPoint
    keep: PathPoint | None
    n_features: int
    solver: str

    def to_frame(self):
        """The points as a pandas data frame, one row per point.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns of the command's ``path --csv``, under Python's names.
        """
        import pandas as pd

        return pd.DataFrame([_row(point) for point in self.points])


_FIGURES = (
    "sparsity",
    "sparsity_std",
    "sparsity_min",
    "cpev",
    "cpev_pca",
    "share_of_pca",
    "nonorthogonality",
)


def _row(point):
    return {
        "truncation": point.truncation,
        "lam": point.lam,
        "n_components": point.n_components,
        "nonzeros": point.nonzeros,
        **{name: getattr(point.criteria, name) for name in _FIGURES},
        "n_iter": point.n_iter,
        "status": point.status,
    }


def path(
    X,
    n_components=2,
    *,
    truncation="hard",
    points=None,
    keep=0.95,
    effort="normal",
    overlap=0.1,
    covariance=False,
    center=True,
    scale=False,
    remove_row_mean=False,
    tol=1e-2,
    max_iter=200,
    solver="auto",
    precision="double",
    memory=None,
    random_state=0,
    n_threads=None,
    verbose=0,
):
    """Follow the trade-off between zeros and variance, from PCA to one variable each.

    The best answer that is known at each number of nonzeros, all from one PCA: by rotation and
    truncation from the point before and from the varimax start, then by a search.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, or its covariance matrix where `covariance` is true.
    n_components : int or list of int, default=2
        Number of components, or several.
    truncation : str or list of str, default="hard"
        Truncation types to follow: "hard", "soft", "count", "energy"; or "all".
    points : int, default=None
        Settings of each type, at least 2. None: 40, or as many as "count" has where that is fewer.
    keep : float, default=0.95
        Share of PCA's explained variance that the point `keep` of the result is to keep.
    effort : {"none", "normal", "thorough"} or float, default="normal"
        Of the search: at each point a quarter of that of a fit, or a time in seconds for all.
    overlap : float, default=0.1
        As of :class:`SPCArt`.
    covariance : bool, default=False
        Whether `X` is a covariance matrix.
    center, scale, remove_row_mean, tol, max_iter, solver, precision, memory, random_state, \
n_threads, verbose
        As of :class:`SPCArt`.

    Returns
    -------
    path : Path
        The points, and which of them are worth a look. :func:`spcart.plot.path` draws it.

    Examples
    --------
    >>> import spcart
    >>> C = spcart.datasets.load_pitprops().covariance
    >>> path = spcart.path(C, 6, covariance=True, keep=0.9)
    >>> path.points[0].nonzeros, path.points[-1].nonzeros
    (78, 6)
    >>> path.keep.criteria.share_of_pca >= 0.9
    True
    """
    numbers = list(n_components) if np.iterable(n_components) else [n_components]
    types = [truncation] if isinstance(truncation, str) else list(truncation)
    if types == ["all"]:
        types = ["hard", "soft", "count", "energy"]
    table = table_of(X, covariance, memory, max(numbers, default=1))
    options = {
        "effort": effort,
        "overlap": overlap,
        "tol": tol,
        "max_iter": max_iter,
        "solver": solver,
        "random_state": seed_of(random_state),
        "n_threads": n_threads,
    }
    preparation = {
        "center": center,
        "scale": scale,
        "remove_row_mean": remove_row_mean,
        "precision": precision,
    }
    with progress(verbose) as show:
        result = _core.path(table, types, numbers, points, keep, options, preparation, memory, show)
    warn(result, stacklevel=2)
    found = [
        PathPoint(
            **{
                **point,
                "criteria": Criteria(**figures_of(point["criteria"])),
                "loadings": loadings_from(point["loadings"]),
            }
        )
        for point in result["points"]
    ]
    return Path(
        points=found,
        knee=found[result["knee"]],
        keep=None if result["keep"] is None else found[result["keep"]],
        n_features=result["n_features"],
        solver=result["solver"],
    )
