"""How many components, of how many variables; and how far they can be trusted."""

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from . import _core
from ._estimator import SPCArt, loadings_from, seed_of
from ._progress import progress
from ._tables import table_of
from ._warnings import warn


@dataclass(frozen=True)
class Scree:
    """Variances of principal components beside those of components of no meaning.

    All are fractions of the total variance.

    Attributes
    ----------
    variances : ndarray
        Of the principal components.
    broken_stick : ndarray
        Expected lengths of the parts of a stick that is broken at random.
    parallel : ndarray
        95 % quantiles over tables whose columns are permuted.
    by_broken_stick, by_parallel : int
        Components before the first that is not above.
    """

    variances: np.ndarray
    broken_stick: np.ndarray
    parallel: np.ndarray
    by_broken_stick: int
    by_parallel: int


@dataclass(frozen=True)
class HeldOut:
    """One setting, judged by how well entries that were held out are predicted.

    Attributes
    ----------
    n_components, nonzeros : int
        The setting; both are 0 where every entry is predicted by its variable's mean.
    error : float
        Squared, as a fraction of what predicting by means leaves.
    excess_deviation : float
        Standard error of what it is above the least one.
    """

    n_components: int
    nonzeros: int
    error: float
    excess_deviation: float


@dataclass(frozen=True)
class Recommendation:
    """One answer: how many components, of how many variables each.

    Attributes
    ----------
    n_components : int
        0: no structure, nothing rises above noise.
    nonzeros : int
        Of each component.
    when : str
        When to take it, in one sentence.
    reasons : list of str
        Why.
    explained, explained_by_pca : float
        The variance that regression of the table on the scores explains, as a fraction of all
        variance; and the same of as many principal components.
    error : float
        Of predicting held-out entries, as of :class:`HeldOut`; NaN if cross-validation did not try
        it.
    """

    n_components: int
    nonzeros: int
    when: str
    reasons: list[str]
    explained: float
    explained_by_pca: float
    error: float


@dataclass(frozen=True)
class Choice:
    """Two answers, to two questions.

    Attributes
    ----------
    to_read : Recommendation
        As many components as stand out, of as few variables as explain most: take it to say what
        the components mean.
    to_predict : Recommendation
        What cross-validation finds: take it to go on with the scores.
    difference : str
        Why the two differ, in one sentence; empty if they agree.
    n_components, nonzeros, reasons
        Those of `to_predict`.
    scree : Scree
        What principal components alone tell.
    held_out : list of HeldOut
        All settings that were tried, by number of components, then of nonzeros. It makes a data
        frame.
    least, chosen : HeldOut
        The one of least error, and the simplest that is near it.
    repeats : int
        Random partitions over which cross-validation was repeated.
    """

    to_read: Recommendation
    to_predict: Recommendation
    difference: str
    n_components: int
    nonzeros: int
    reasons: list[str]
    scree: Scree = field(repr=False)
    held_out: list[HeldOut] = field(repr=False)
    least: HeldOut
    chosen: HeldOut
    repeats: int


def choose(
    X,
    *,
    most=20,
    n_components=None,
    nonzeros=None,
    permutations=20,
    folds=7,
    repeats=0,
    effort="normal",
    overlap=0.1,
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
        Components that are looked at, as far as there are any.
    n_components, nonzeros : int or list of int, default=None
        What cross-validation tries. None: as many components as help, and numbers of variables that
        grow by half or more, from one to all, with some more around the best.
    permutations : int, default=20
        Of parallel analysis.
    folds : int, default=7
        Of cross-validation.
    repeats : int, default=0
        Random partitions over which cross-validation is repeated; 0: from 1 to 100, more for
        smaller tables.
    effort : {"none", "normal", "thorough"} or float, default="normal"
        How long each fit that tells what variables explain searches for better loadings; a number
        is in seconds. Cross-validation does not search.
    overlap : float, default=0.1
        Of the search, as of :class:`SPCArt`.
    center, scale, remove_row_mean, tol, max_iter, solver, precision, memory, random_state, \
n_threads, verbose
        As of :class:`SPCArt`.

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
    table = table_of(X, False, memory, most)
    tried = [_listed(n_components), _listed(nonzeros)]
    with progress(verbose) as show:
        result = _core.choose(
            table, most, permutations, folds, repeats, *tried, options, preparation, memory, show
        )
    warn(result, stacklevel=2)
    held_out = [HeldOut(**setting) for setting in result["held_out"]]
    return Choice(
        to_read=Recommendation(**result["to_read"]),
        to_predict=Recommendation(**result["to_predict"]),
        difference=result["difference"],
        n_components=result["n_components"],
        nonzeros=result["nonzeros"],
        reasons=result["reasons"],
        scree=Scree(**result["scree"]),
        held_out=held_out,
        least=held_out[result["least"]],
        chosen=held_out[result["chosen"]],
        repeats=result["repeats"],
    )


def _listed(numbers):
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
        In what part of the resamples a variable was in a component.
    cosines : ndarray of shape (n_components,)
        Mean of abs(cos) between a component and its match.
    resamples : int
        How many there were.
    """

    model: SPCArt
    frequencies: sp.csc_array = field(repr=False)
    cosines: np.ndarray
    resamples: int


def bootstrap(X, n_components=None, *, resamples=100, **params):
    """Fit, and fit again to samples that are drawn with replacement.

    Components of a resample are matched with those of the fit so that the sum of their absolute
    cosines is largest.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        One row per sample. They must be in memory.
    n_components : int, default=None
        Number of components.
    resamples : int, default=100
        How many, at least 2. `random_state` decides which.
    **params
        As of :class:`SPCArt`.

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
    found = model._fit(*model._samples(X), resamples)
    return Stability(
        model=model,
        frequencies=loadings_from(found["frequencies"]),
        cosines=found["cosines"],
        resamples=found["resamples"],
    )
