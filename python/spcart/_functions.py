"""Functions for those who want no estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from . import _core
from ._estimator import SPCArt, as_loadings, seed_of
from ._progress import progress
from ._sklearn import check_array
from ._sources import table_of
from ._warnings import warn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from ._typing import Data, Loadings, RandomState


def fit(X: Data, n_components: float | None = None, **params: Any) -> SPCArt:
    """Find sparse components: ``SPCArt(n_components, **params).fit(X)``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        One row per sample.
    n_components : int or float, default=None
        As in :class:`SPCArt`.
    **params
        As in :class:`SPCArt`.

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


def evaluate(
    X: Data,
    loadings: ArrayLike | sp.sparray | sp.spmatrix,
    *,
    covariance: bool = False,
    center: bool = True,
    scale: bool = False,
    remove_row_mean: bool = False,
    missing: str = "error",
    memory: int | str | None = None,
    n_threads: int | None = None,
    verbose: int = 0,
) -> _core.Criteria:
    """Evaluate loadings, whoever made them.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, or its covariance matrix if `covariance` is true.
    loadings : array-like or sparse matrix of shape (n_features, n_components)
        One column per component, of any length: the transpose of what scikit-learn calls
        ``components_``.
    covariance : bool, default=False
        Whether `X` is a covariance matrix.
    center, scale, remove_row_mean : bool
        How the data is prepared, as in :class:`SPCArt`; the same as for the loadings.
    missing, memory, n_threads, verbose
        As in :class:`SPCArt`.

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
    table = table_of(X, covariance, missing, memory)
    preparation = _core.Preparation(center=center, scale=scale, remove_row_mean=remove_row_mean)
    with progress(verbose) as show:
        return _core.evaluate(
            table, _checked(loadings), preparation, True, memory, n_threads or 0, show
        )


def certify(
    X: Data,
    loadings: ArrayLike | sp.sparray | sp.spmatrix,
    *,
    seconds: float = 10,
    covariance: bool = False,
    center: bool = True,
    scale: bool = False,
    remove_row_mean: bool = False,
    missing: str = "error",
    memory: int | str | None = None,
    n_threads: int | None = None,
    verbose: int = 0,
) -> _core.Certificate:
    """Prove how much more than given loadings others with as few nonzeros could explain.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, or its covariance matrix if `covariance` is true.
    loadings : array-like or sparse matrix of shape (n_features, n_components)
        One column per component, of any length, whoever made them.
    seconds : float, default=10
        Time after which the best bounds so far are returned.
    covariance : bool, default=False
        Whether `X` is a covariance matrix.
    center, scale, remove_row_mean : bool
        How the data is prepared, as in :class:`SPCArt`; the same as for the loadings.
    missing, memory, n_threads, verbose
        As in :class:`SPCArt`.

    Returns
    -------
    certificate : Certificate
        What no components with as few nonzeros can exceed. ``print`` shows it in words, and
        :func:`spcart.plot.certificate` draws it.

    See Also
    --------
    SPCArt : Its parameter `certify` does this for the components of a fit.

    Examples
    --------
    >>> import spcart
    >>> C = spcart.datasets.load_pitprops().covariance
    >>> model = spcart.SPCArt(1, nonzeros=5).fit_covariance(C)
    >>> certificate = spcart.certify(C, model.loadings_, covariance=True)
    >>> round(certificate.cpev, 4), round(certificate.bound, 4)
    (0.262, 0.262)
    >>> certificate.gap < 1e-6
    True
    """
    table = table_of(X, covariance, missing, memory)
    options = _core.Options(n_threads=n_threads)
    preparation = _core.Preparation(center=center, scale=scale, remove_row_mean=remove_row_mean)
    with progress(verbose) as show:
        return _core.certify(table, _checked(loadings), seconds, options, preparation, memory, show)


def _checked(loadings: ArrayLike | sp.sparray | sp.spmatrix) -> Loadings:
    return as_loadings(
        check_array(loadings, accept_sparse="csc", dtype=np.float64, input_name="loadings")
    )


def compare(
    X: Data,
    n_components: int = 2,
    *,
    methods: str | Iterable[str] = "all",
    sparsity: float | None = None,
    nonzeros: int | None = None,
    covariance: bool = False,
    refit: int = 0,
    refine: int = 0,
    effort: str | float | None = None,
    overlap: float = 0.1,
    center: bool = True,
    scale: bool = False,
    remove_row_mean: bool = False,
    missing: str = "error",
    tol: float = 1e-2,
    max_iter: int = 200,
    solver: str = "auto",
    memory: int | str | None = None,
    random_state: RandomState = 0,
    n_threads: int | None = None,
    verbose: int = 0,
) -> list[_core.ComparisonRow]:
    """Fit several methods at the same sparsity, and evaluate all in the same way.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, or its covariance matrix if `covariance` is true.
    n_components : int, default=2
        Number of components.
    methods : "all" or list of str, default="all"
        Names as in :class:`SPCArt`, each with its truncation and start after colons if needed:
        ``["spcart", "rsvd-gp:soft", "spcart:count:identity"]``.
    sparsity : float, default=None
        Fraction of zeros of every method. None: 0.85, unless `nonzeros` is given.
    nonzeros : int, default=None
        Instead of `sparsity`: mean number of variables in a component.
    covariance : bool, default=False
        Whether `X` is a covariance matrix.
    effort : {"none", "normal", "thorough"} or float, default=None
        How long to search from the result of each method, for `searched`. None: "normal".
    refit, refine, overlap, center, scale, remove_row_mean, missing, tol, max_iter, solver, \
memory, random_state, n_threads, verbose
        As in :class:`SPCArt`.

    Returns
    -------
    rows : list of ComparisonRow
        One per method.

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
    table = table_of(X, covariance, missing, memory)
    options = _core.Options(
        n_components=n_components,
        refit=refit,
        refine=refine,
        effort=effort,
        overlap=overlap,
        tol=tol,
        max_iter=max_iter,
        solver=solver,
        random_state=seed_of(random_state),
        n_threads=n_threads,
    )
    preparation = _core.Preparation(center=center, scale=scale, remove_row_mean=remove_row_mean)
    names = [] if methods == "all" else list(methods)
    count = _nonzeros(sparsity, nonzeros, table.shape[1])
    with progress(verbose) as show:
        rows = _core.compare(table, names, count, options, preparation, memory, show)
    for row in rows:
        messages = [f"{row.method}: {message}" for message in row.warnings]
        unconverged = row.status == "iteration_limit"
        of_convergence = f"{row.method}: {row.message}" if unconverged else None
        warn(messages, stacklevel=2, of_convergence=of_convergence)
    return rows


def _nonzeros(sparsity: float | None, nonzeros: int | None, p: int) -> int:
    if sparsity is not None and nonzeros is not None:
        raise ValueError(f"sparsity={sparsity} and nonzeros={nonzeros}: give one of them")
    if nonzeros is not None:
        return nonzeros
    sparsity = 0.85 if sparsity is None else sparsity
    if not 0 <= sparsity < 1:
        raise ValueError(f"sparsity={sparsity}: it must be a number of at least 0 and below 1")
    return max(int((1 - sparsity) * p + 0.5), 1)


def principal_basis(
    X: Data,
    n_components: int,
    *,
    covariance: bool = False,
    center: bool = True,
    scale: bool = False,
    remove_row_mean: bool = False,
    missing: str = "error",
    solver: str = "auto",
    tol: float = 1e-8,
    max_passes: int = 500,
    precision: str = "double",
    memory: int | str | None = None,
    random_state: RandomState = 0,
    n_threads: int | None = None,
    verbose: int = 0,
) -> _core.PrincipalBasis:
    """Compute principal components.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, or its covariance matrix if `covariance` is true.
    n_components : int
        Number of components.
    covariance : bool, default=False
        Whether `X` is a covariance matrix.
    tol : float, default=1e-8
        Largest residual, for the solver "krylov".
    max_passes : int, default=500
        Maximum number of passes over the data, for the solver "krylov".
    center, scale, remove_row_mean, missing, solver, precision, memory, random_state, \
n_threads, verbose
        As in :class:`SPCArt`.

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
    table = table_of(X, covariance, missing, memory)
    options = _core.Options(
        n_components=n_components,
        solver=solver,
        random_state=seed_of(random_state),
        n_threads=n_threads,
    )
    preparation = _core.Preparation(
        center=center, scale=scale, remove_row_mean=remove_row_mean, precision=precision
    )
    with progress(verbose) as show:
        basis = _core.principal_basis(table, tol, max_passes, options, preparation, memory, show)
    warn(basis.warnings, stacklevel=2)
    return basis


def rotate_and_truncate(
    V: ArrayLike,
    *,
    truncation: str | None = None,
    lam: float | None = None,
    nonzeros: int | None = None,
    start: str | None = None,
    tol: float = 1e-2,
    max_iter: int = 200,
    random_state: RandomState = 0,
    n_threads: int | None = None,
    verbose: int = 0,
) -> _core.RotationResult:
    """Make a basis sparse: SPCArt without data.

    Parameters
    ----------
    V : array-like of shape (p, r)
        Orthonormal columns.
    truncation, lam, nonzeros, start, tol, max_iter, random_state, n_threads, verbose
        As in :class:`SPCArt`.

    Returns
    -------
    result : RotationResult
        Sparse loadings near the span of V, in the method's own order and sign.

    Examples
    --------
    >>> import numpy as np, spcart
    >>> V = np.linalg.qr(np.random.default_rng(0).normal(size=(20, 3)))[0]
    >>> spcart.rotate_and_truncate(V, nonzeros=4).loadings.nnz
    12
    """
    basis = check_array(V, dtype=np.float64, order="F", input_name="V")
    options = _core.Options(
        truncation=truncation,
        lam=lam,
        nonzeros=nonzeros,
        start=start,
        tol=tol,
        max_iter=max_iter,
        random_state=seed_of(random_state),
        n_threads=n_threads,
    )
    with progress(verbose) as show:
        return _core.rotate_and_truncate(basis, options, show)
