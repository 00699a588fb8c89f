"""Functions for those who want no estimator."""

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from . import _core
from ._estimator import SPCArt, figures_of, loadings_from, loadings_parts, seed_of
from ._progress import progress
from ._tables import table_of
from ._warnings import warn


def fit(X, n_components=None, **params):
    """Find sparse components: ``SPCArt(n_components, **params).fit(X)``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        One row per sample.
    n_components : int, default=None
        Number of components.
    **params
        As of :class:`SPCArt`.

    Returns
    -------
    model : SPCArt
        The fitted estimator.

    Examples
    --------
    >>> import spcart
    >>> X = spcart.datasets.load_random(n=100, p=20).data
    >>> spcart.fit(X, 2, nonzeros=3).components_.shape
    (2, 20)
    """
    return SPCArt(n_components, **params).fit(X)


@dataclass(frozen=True)
class Criteria:
    """How loadings are judged. Variances are fractions of the total.

    Attributes
    ----------
    cpev : float
        Variance within the span of the loadings.
    cpev_pca : float
        The same of as many principal components.
    share_of_pca : float
        The first divided by the second.
    ev : float
        Sum of the components' variances: overlaps count twice.
    nonorthogonality : float
        Mean of abs(cos) over pairs of loadings.
    worst_nonorthogonality : float
        The largest of them.
    sparsity : float
        Mean fraction of zeros in a loading.
    sparsity_std : float
        Its sample standard deviation (divisor r - 1).
    sparsity_min : float
        Of the densest loading.
    nonzeros : ndarray
        Of each loading.
    explained_variance_ratio : ndarray
        What each component adds to `cpev`.
    adjusted_variance_ratio : ndarray
        Adjusted variance of Zou, Hastie and Tibshirani.
    """

    cpev: float
    cpev_pca: float
    share_of_pca: float
    ev: float
    nonorthogonality: float
    worst_nonorthogonality: float
    sparsity: float
    sparsity_std: float
    sparsity_min: float
    nonzeros: np.ndarray
    explained_variance_ratio: np.ndarray
    adjusted_variance_ratio: np.ndarray


def evaluate(
    X,
    loadings,
    *,
    covariance=False,
    center=True,
    scale=False,
    remove_row_mean=False,
    memory=None,
    n_threads=None,
    verbose=0,
):
    """Judge loadings, whoever made them.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, or its covariance matrix where `covariance` is true.
    loadings : array-like or sparse matrix of shape (n_features, n_components)
        One column per component, of any length: the transpose of what scikit-learn calls
        ``components_``.
    covariance : bool, default=False
        Whether `X` is a covariance matrix.
    center, scale, remove_row_mean : bool
        How the data is prepared; as it was for the loadings.
    memory, n_threads, verbose
        As of :class:`SPCArt`.

    Returns
    -------
    criteria : Criteria
        Explained variance, overlap and sparsity.

    Examples
    --------
    >>> import numpy as np, spcart
    >>> X = spcart.datasets.load_random(n=100, p=5).data
    >>> round(spcart.evaluate(X, np.eye(5)).cpev, 6)
    1.0
    """
    table = table_of(X, covariance, memory)
    preparation = {"center": center, "scale": scale, "remove_row_mean": remove_row_mean}
    if not sp.issparse(loadings):
        loadings = check_array(loadings, dtype=np.float64, input_name="loadings")
    with progress(verbose) as show:
        figures = _core.evaluate(
            table, *loadings_parts(loadings), preparation, True, memory, n_threads or 0, show
        )
    return Criteria(**figures_of(figures))


@dataclass(frozen=True)
class Compared:
    """One method of a comparison; a list of these makes a data frame.

    Attributes
    ----------
    method, truncation, start, lam
        How it was fitted; `lam` was tuned.
    criteria : Criteria
        How it did.
    seconds : float
        Of one fit at that `lam`, principal components included.
    fits : int
        That it took to find that `lam`.
    status, note : str
        How it ended, and how near it came to the sparsity that was asked for, if it did not reach
        it.
    loadings : scipy.sparse.csc_array
        Of shape (n_features, n_components).
    searched : Criteria or None
        Of what a search makes of it; None where there was none.
    """

    method: str
    truncation: str | None
    start: str | None
    lam: float | None
    criteria: Criteria
    seconds: float
    fits: int
    status: str
    note: str
    loadings: sp.csc_array = field(repr=False)
    searched: Criteria | None = None


def compare(
    X,
    n_components=2,
    *,
    methods="all",
    sparsity=None,
    nonzeros=None,
    covariance=False,
    refit=0,
    refine=0,
    effort=None,
    overlap=0.1,
    center=True,
    scale=False,
    remove_row_mean=False,
    tol=1e-2,
    max_iter=200,
    solver="auto",
    memory=None,
    random_state=0,
    n_threads=None,
    verbose=0,
):
    """Fit several methods at the same sparsity, and judge them alike.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, or its covariance matrix where `covariance` is true.
    n_components : int, default=2
        Number of components.
    methods : "all" or list of str, default="all"
        Names as of :class:`SPCArt`, each with its truncation and start behind colons if need be:
        ``["spcart", "rsvd-gp:soft", "spcart:count:identity"]``.
    sparsity : float, default=None
        Fraction of zeros that all shall have. None: 0.85, unless `nonzeros` is given.
    nonzeros : int, default=None
        Instead: variables in a component, on average over the components.
    covariance : bool, default=False
        Whether `X` is a covariance matrix.
    effort : {"none", "normal", "thorough"} or float, default=None
        Of the search from what each method found, for `searched`. None: "normal".
    refit, refine, overlap, center, scale, remove_row_mean, tol, max_iter, solver, memory, \
random_state, n_threads, verbose
        As of :class:`SPCArt`.

    Returns
    -------
    rows : list of Compared
        One for each method.

    Examples
    --------
    >>> import spcart
    >>> C = spcart.datasets.load_pitprops().covariance
    >>> rows = spcart.compare(C, 6, covariance=True, nonzeros=3, methods=["spcart", "st"])
    >>> [row.method for row in rows]
    ['spcart', 'st']
    >>> rows[0].criteria.cpev > rows[1].criteria.cpev
    True
    """
    table = table_of(X, covariance, memory, n_components)
    options = {
        "n_components": n_components,
        "refit": refit,
        "refine": refine,
        "effort": effort,
        "overlap": overlap,
        "tol": tol,
        "max_iter": max_iter,
        "solver": solver,
        "random_state": seed_of(random_state),
        "n_threads": n_threads,
    }
    preparation = {"center": center, "scale": scale, "remove_row_mean": remove_row_mean}
    names = [] if methods == "all" else list(methods)
    count = _nonzeros(sparsity, nonzeros, table.shape[1])
    with progress(verbose) as show:
        rows = _core.compare(table, names, count, options, preparation, memory, show)
    for row in rows:
        labelled = [f"{row['method']}: {message}" for message in row["warnings"]]
        of_row = {**row, "warnings": labelled, "message": f"{row['method']}: {row['message']}"}
        warn(of_row, stacklevel=2)
    return [_compared(row) for row in rows]


def _compared(row):
    same = ("method", "truncation", "start", "lam", "seconds", "fits", "status", "note")
    return Compared(
        **{name: row[name] for name in same},
        criteria=Criteria(**figures_of(row["criteria"])),
        loadings=loadings_from(row["loadings"]),
        searched=row["searched"] and Criteria(**figures_of(row["searched"])),
    )


def _nonzeros(sparsity, nonzeros, p):
    if sparsity is not None and nonzeros is not None:
        raise ValueError(f"sparsity = {sparsity} and nonzeros = {nonzeros}: give one of them")
    if nonzeros is not None:
        return nonzeros
    sparsity = 0.85 if sparsity is None else sparsity
    if not 0 <= sparsity < 1:
        raise ValueError(f"sparsity = {sparsity}: it must be a number of at least 0 and below 1")
    return max(int((1 - sparsity) * p + 0.5), 1)


@dataclass(frozen=True)
class PrincipalBasis:
    """The first principal components of data.

    Attributes
    ----------
    vectors : ndarray of shape (n_features, n_components)
        Orthonormal columns; the largest entry of each is positive.
    singular_values : ndarray
        Of the prepared data.
    residuals : ndarray
        ``|A'A v - s^2 v| / s_1^2`` of each, as measured.
    total_variance : float
        Sum of squares of the prepared data.
    rank : int
        Columns within the numerical rank; the others complete the basis.
    solver : str
        The one that was used.
    cpev : float
        The fraction of the total variance that they explain.
    """

    vectors: np.ndarray = field(repr=False)
    singular_values: np.ndarray
    residuals: np.ndarray
    total_variance: float
    rank: int
    solver: str
    cpev: float


def principal_basis(
    X,
    n_components,
    *,
    covariance=False,
    center=True,
    scale=False,
    remove_row_mean=False,
    solver="auto",
    tol=1e-8,
    max_passes=500,
    precision="double",
    memory=None,
    random_state=0,
    n_threads=None,
    verbose=0,
):
    """Compute principal components.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, or its covariance matrix where `covariance` is true.
    n_components : int
        Number of components.
    covariance : bool, default=False
        Whether `X` is a covariance matrix.
    tol : float, default=1e-8
        Of the residuals, for the solver "krylov".
    max_passes : int, default=500
        Passes over the data before "krylov" gives up.
    center, scale, remove_row_mean, solver, precision, memory, random_state, n_threads, verbose
        As of :class:`SPCArt`.

    Returns
    -------
    basis : PrincipalBasis
        Vectors and singular values.

    Examples
    --------
    >>> import spcart
    >>> X = spcart.datasets.load_random(n=100, p=20).data
    >>> spcart.principal_basis(X, 2).vectors.shape
    (20, 2)
    """
    table = table_of(X, covariance, memory, n_components)
    options = {
        "n_components": n_components,
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
        basis = _core.principal_basis(table, tol, max_passes, options, preparation, memory, show)
    warn(basis, stacklevel=2)
    del basis["warnings"]
    return PrincipalBasis(**basis)


@dataclass(frozen=True)
class Rotated:
    """What rotation and truncation make of a basis.

    Attributes
    ----------
    loadings : scipy.sparse.csc_array of shape (p, r)
        Unit columns, or zero where truncation left nothing.
    rotation : ndarray of shape (r, r)
        Orthogonal: the basis is near ``loadings @ rotation``.
    history : dict of ndarray
        ``change``, ``truncated_energy``, ``sparsity`` and ``objective`` of each turn.
    status : {"converged", "iteration_limit"}
        How it ended.
    """

    loadings: sp.csc_array = field(repr=False)
    rotation: np.ndarray = field(repr=False)
    history: dict = field(repr=False)
    status: str


def rotate_and_truncate(
    V,
    *,
    truncation=None,
    lam=None,
    nonzeros=None,
    start=None,
    tol=1e-2,
    max_iter=200,
    random_state=0,
    n_threads=None,
    verbose=0,
):
    """Make a basis sparse: SPCArt for those who have one.

    Parameters
    ----------
    V : array-like of shape (p, r)
        Orthonormal columns.
    truncation, lam, nonzeros, start, tol, max_iter, random_state, n_threads, verbose
        As of :class:`SPCArt`.

    Returns
    -------
    rotated : Rotated
        Sparse loadings near the span of V, in the method's own order and sign.

    Examples
    --------
    >>> import numpy as np, spcart
    >>> V = np.linalg.qr(np.random.default_rng(0).normal(size=(20, 3)))[0]
    >>> spcart.rotate_and_truncate(V, nonzeros=4).loadings.nnz
    12
    """
    basis = check_array(V, dtype=np.float64, order="F", input_name="V")
    options = {
        "truncation": truncation,
        "lam": lam,
        "nonzeros": nonzeros,
        "start": start,
        "tol": tol,
        "max_iter": max_iter,
        "random_state": seed_of(random_state),
        "n_threads": n_threads,
    }
    with progress(verbose) as show:
        result = _core.rotate_and_truncate(basis, options, show)
    result["loadings"] = loadings_from(result["loadings"])
    return Rotated(**result)
