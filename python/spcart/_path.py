"""The trade-off between zeros and variance, from one PCA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from ._choosing import as_list
from ._estimator import seed_of
from ._progress import progress
from ._sources import table_of
from ._warnings import warn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._typing import Data, RandomState


def path(
    X: Data,
    n_components: int | Iterable[int] = 2,
    *,
    truncation: str | Iterable[str] = "hard",
    points: int | None = None,
    keep: float = 0.95,
    effort: str | float = "normal",
    certify: float | None = None,
    overlap: float = 0.1,
    covariance: bool = False,
    center: bool = True,
    scale: bool = False,
    remove_row_mean: bool = False,
    missing: str = "error",
    tol: float = 1e-2,
    max_iter: int = 200,
    solver: str = "auto",
    precision: str = "double",
    memory: int | str | None = None,
    random_state: RandomState = 0,
    n_threads: int | None = None,
    verbose: int = 0,
) -> _core.Path:
    """Follow the trade-off between zeros and variance, from PCA to one variable per component.

    One PCA gives the best known answer at each number of nonzeros: by rotation and truncation from
    the previous point and from the varimax start, then by a search.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, or its covariance matrix if `covariance` is true.
    n_components : int or list of int, default=2
        Number of components, or several.
    truncation : str or list of str, default="hard"
        Truncation types to follow: "hard", "soft", "count", "energy"; or "all".
    points : int, default=None
        Number of settings of each type, at least 2. None: 40, or as many as "count" has if that is
        fewer.
    keep : float, default=0.95
        Share of PCA's explained variance that the point `keep` of the result keeps.
    effort : {"none", "normal", "thorough"} or float, default="normal"
        How long to search: at each point a quarter as long as in a fit, or a time in seconds for
        all points.
    certify : float, default=None
        Seconds in which to prove, for all points together, what no orthogonal components with as
        few variables can exceed: `bound` of a point. None: nothing is proved.
    overlap : float, default=0.1
        As in :class:`SPCArt`.
    covariance : bool, default=False
        Whether `X` is a covariance matrix.
    center, scale, remove_row_mean, missing, tol, max_iter, solver, precision, memory, \
random_state, n_threads, verbose
        As in :class:`SPCArt`.

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
    numbers = as_list(n_components)
    types = [truncation] if isinstance(truncation, str) else list(truncation)
    if types == ["all"]:
        types = ["hard", "soft", "count", "energy"]
    table = table_of(X, covariance, missing, memory)
    options = _core.Options(
        effort=effort,
        certify=certify,
        overlap=overlap,
        tol=tol,
        max_iter=max_iter,
        solver=solver,
        random_state=seed_of(random_state),
        n_threads=n_threads,
    )
    preparation = _core.Preparation(
        center=center, scale=scale, remove_row_mean=remove_row_mean, precision=precision
    )
    with progress(verbose) as show:
        found = _core.path(table, types, numbers, points, keep, options, preparation, memory, show)
    warn(found.warnings, stacklevel=2)
    return found
