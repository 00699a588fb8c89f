"""How many components, of how many variables; and how far they can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._estimator import SPCArt, seed_of
from ._progress import progress
from ._sources import table_of
from ._warnings import warn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._typing import Data, Loadings, RandomState, Vector


def choose(
    X: Data,
    *,
    most: int = 20,
    n_components: int | Iterable[int] | None = None,
    nonzeros: int | Iterable[int] | None = None,
    permutations: int = 20,
    folds: int = 7,
    repeats: int = 0,
    effort: str | float = "normal",
    overlap: float = 0.1,
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
) -> _core.Choice:
    """Look for the number of components and of their variables.

    There are two answers if parallel analysis and cross-validation both see any structure. To read:
    as many components as rise above both permuted data and the broken stick, of the fewest
    variables that keep most of what as many principal components explain: 90 % if the table is
    regressed on their scores and, unless that takes more than ten, half of their CPEV. To predict:
    the fewest components whose error is within one standard error of the least, of the fewest
    variables that keep 98 % of what they gain over means.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        One row per sample. They must be in memory.
    most : int, default=20
        Largest number of components to look at.
    n_components, nonzeros : int or list of int, default=None
        What cross-validation tries. None: as many components as help, and numbers of variables that
        grow by half or more, from one to all, with some more around the best.
    permutations : int, default=20
        Number of permutations of parallel analysis.
    folds : int, default=7
        Number of folds of cross-validation.
    repeats : int, default=0
        Number of random partitions over which cross-validation is repeated; 0: from 1 to 100, more
        for smaller tables.
    effort : {"none", "normal", "thorough"} or float, default="normal"
        How long to search for better loadings in each fit for the answer to read; a number is in
        seconds. Cross-validation does not search.
    overlap : float, default=0.1
        As in :class:`SPCArt`.
    center, scale, remove_row_mean, missing, tol, max_iter, solver, precision, memory, \
random_state, n_threads, verbose
        As in :class:`SPCArt`.

    Returns
    -------
    choice : Choice
        What to give to :class:`SPCArt`, when and why.

    Examples
    --------
    >>> import spcart
    >>> X = spcart.datasets.load_spiked().data
    >>> choice = spcart.choose(X, random_state=0)
    >>> choice.to_predict.n_components, choice.to_predict.nonzeros
    (5, 8)
    >>> choice.to_read.n_components
    5
    """
    options = _core.Options(
        effort=effort,
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
    table = table_of(X, False, missing)
    with progress(verbose) as show:
        choice = _core.choose(
            table,
            most,
            permutations,
            folds,
            repeats,
            as_list(n_components),
            as_list(nonzeros),
            options,
            preparation,
            memory,
            show,
        )
    warn(choice.warnings, stacklevel=2)
    return choice


def as_list(numbers: int | Iterable[int] | None) -> list[int]:
    """One number or several, or none, as a list."""
    if numbers is None:
        return []
    return list(numbers) if np.iterable(numbers) else [numbers]


@dataclass(frozen=True)
class Stability:
    """How often a fit to other samples of the same size would have found the same.

    Attributes
    ----------
    model : SPCArt
        Fitted to all samples.
    frequencies : scipy.sparse.csc_array of shape (n_features, n_components)
        Fraction of the resamples in which a variable was in a component.
    cosines : ndarray of shape (n_components,)
        Mean of abs(cos) between a component and its match.
    resamples : int
        Number of resamples.
    """

    model: SPCArt
    frequencies: Loadings = field(repr=False)
    cosines: Vector
    resamples: int


def bootstrap(
    X: Data, n_components: float | None = None, *, resamples: int = 100, **params: Any
) -> Stability:
    """Fit, and fit again to samples that are drawn with replacement.

    Components of a resample are matched with those of the fit so that the sum of their absolute
    cosines is largest.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        One row per sample. They must be in memory.
    n_components : int or float, default=None
        As in :class:`SPCArt`.
    resamples : int, default=100
        Number of resamples, at least 2. They depend on `random_state`.
    **params
        As in :class:`SPCArt`.

    Returns
    -------
    stability : Stability
        The fitted estimator, and how far it can be trusted.

    Examples
    --------
    >>> import spcart
    >>> X = spcart.datasets.load_spiked().data
    >>> stability = spcart.bootstrap(X, 5, nonzeros=8, resamples=10, random_state=0)
    >>> stability.frequencies.shape
    (100, 5)
    >>> bool(stability.cosines.min() > 0.99)
    True
    """
    model = SPCArt(n_components, **params)
    found = model._fit(*model._samples(X), resamples).stability
    assert found is not None
    return Stability(model, found.frequencies, found.cosines, found.resamples)
