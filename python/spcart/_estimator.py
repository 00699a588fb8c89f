"""The estimator."""

from __future__ import annotations

import numbers
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy.sparse as sp

from . import _core
from ._progress import progress
from ._sklearn import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_array,
    check_is_fitted,
    check_random_state,
    validate_data,
)
from ._tables import dtype_to_check, is_anndata, make_covariance, make_table, unwrapped
from ._warnings import warn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace

    from numpy.typing import ArrayLike
    from typing_extensions import Self

    from ._typing import Data, Loadings, Matrix, RandomState, Vector


def seed_of(random_state: RandomState) -> int:
    """The core's seed: a whole number is its own seed, as for the command's --seed."""
    if isinstance(random_state, numbers.Integral):
        return cast("int", random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _is_fraction(n_components: Any) -> bool:
    """Whether components are asked for by the variance that those of PCA explain."""
    is_whole = isinstance(n_components, numbers.Integral)
    is_real = isinstance(n_components, numbers.Real)
    return is_real and not is_whole and 0 < n_components < 1


def as_loadings(matrix: Any) -> Loadings:
    """Any p x r matrix as the core takes loadings."""
    loadings: Loadings = sp.csc_array(matrix, dtype=np.float64)
    loadings.sum_duplicates()
    return loadings


@dataclass(eq=False, repr=False)  # makes __init__: a parameter is one line
class SPCArt(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Sparse principal components: a few variables each, nearly all that PCA explains.

    SPCArt takes the basis of PCA and repeats two steps until nothing changes: it rotates the basis,
    and it truncates small entries. The other methods have the same parameters.

    Data that the core can view in place is not copied: NumPy arrays of float64, float32, int32 or
    uint8 in any order, SciPy CSR and CSC, data frames of one such type, AnnData with such an ``X``.
    Sparse data stays sparse. A memory map that would not fit in memory is read in blocks.

    Parameters
    ----------
    n_components : int or float, default=None
        Number of components, or a fraction between 0 and 1: as few as PCA needs to explain that
        much of the variance. None: as many as possible, ``min(n_samples - 1, n_features)`` for
        centred data and ``min(n_samples, n_features)`` for other data. Give a number: the sparsest
        basis of *all* variance is hardly more than the variables themselves.
    method : str, default="spcart"
        "spcart", "pca", "st", "varimax", "rsvd", "rsvd-gp", "rsvd-gpb", "tpower", "gpower",
        "gpowerb", "spc", "spca", "pathspca", "alspca", "itspca", "greedy", "scotlass", "dspca" or
        "exact".
    truncation : {"hard", "soft", "count", "energy"}, default=None
        What becomes zero: entries below `lam` (hard, soft), the `lam` smallest (count), those with
        `lam` of the energy (energy). None: count if `nonzeros` is given, else hard, or the method's
        own default.
    lam : float, default=None
        Strength of the truncation. None: 1/sqrt(p) for hard and soft, 0.85 p zeros for count, 0.15
        for energy, or the method's own.
    nonzeros : int, default=None
        Instead of `lam`, which is then found: number of variables in each component, or their mean
        over the components if the truncation is not count.
    sparsity : float, default=None
        Likewise: mean fraction of zeros in a component.
    keep : float, default=None
        Likewise: least share of what PCA explains, with as few variables as possible.
    start : str, default=None
        Where the method starts; for "spcart" one of "varimax" (default), "identity" (the paper's)
        and "random".
    restarts : int, default=0
        Number of random starts beside `start`. The best start is kept.
    best_by : {"objective", "cpev"}, default="objective"
        Criterion by which the best start is chosen.
    refit : int, default=0
        Number of rounds of refitting the values on the support that was found.
    refine : int, default=0
        Number of rounds in which the support moves to variables that explain more.
    effort : {"none", "normal", "thorough"} or float, default=None
        How long to search for components that explain more than the method's own; a number is a
        time in seconds. None: "normal" if `nonzeros`, `sparsity` or `keep` is given, else "none".
    certify : float, default=None
        Seconds in which to prove how much more other components with as few variables could
        explain: `certificate_`. None: nothing is proved.
    overlap : float, default=0.1
        How much the components of the search may overlap, as the mean absolute cosine over their
        pairs, from 0 (orthogonal) to 1 (no limit).
    center : bool, default=True
        Subtract from each variable its mean.
    scale : bool, default=False
        Divide each variable by its standard deviation (divisor n - 1).
    remove_row_mean : bool, default=False
        First subtract from each sample its own mean.
    tol : float, default=1e-2
        Stop when the loadings change by less than this.
    max_iter : int, default=200
        Maximum number of iterations.
    order : {"variance", "none"}, default="variance"
        Order of the components: by explained variance, or the method's own.
    solver : {"auto", "gram", "outer", "krylov"}, default="auto"
        How principal components are computed.
    precision : {"double", "single"}, default="double"
        Precision of products with a dense table: single is about twice as fast, and accurate to
        about 1e-4.
    memory : int or str, default=None
        Bytes of memory that the fit may use, also as "500M" or "2GiB". None: what the system has.
    method_params : dict, default=None
        Parameters of single methods: ``post_fit`` (gpower, gpowerb), ``ridge`` and ``bound``
        (spca), ``orthogonality`` and ``correlation`` (alspca), ``direction`` (greedy),
        ``deflation`` and ``time_limit`` (exact).
    random_state : int, RandomState instance or None, default=0
        Seed of all random choices. The same whole number gives the same bits, so that by default
        the same data gives the same components. The search, the start "random" and the solver
        "krylov" (below its tolerance) make random choices. None: different ones each time.
    n_threads : int, default=None
        Number of threads, for this fit only. None: as many as OpenMP offers.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Sparse components, of unit length or zero; the largest entry of each is positive.
    loadings_ : scipy.sparse.csc_array of shape (n_features, n_components)
        The components as a sparse matrix, one column per component.
    explained_variance_ : ndarray of shape (n_components,)
        `explained_variance_ratio_` times the total variance (divisor n - 1).
    explained_variance_ratio_ : ndarray of shape (n_components,)
        What each component adds to the fraction of the variance within the span of those before it
        (Shen and Huang 2008). It sums to `cpev_`, and equals that of PCA for ``method="pca"``.
    adjusted_variance_ratio_ : ndarray of shape (n_components,)
        The adjusted variance of Zou, Hastie and Tibshirani (2006) as a fraction of the total: the
        variance of the scores after regression on those before. It does not sum to `cpev_`.
    cpev_ : float
        Cumulative percentage of explained variance (CPEV): the fraction of the variance within the
        span of the components.
    cpev_pca_ : float
        The same of as many principal components. No components explain more.
    nonorthogonality_ : float
        Mean of abs(cos) over pairs of components.
    nonzeros_ : ndarray of shape (n_components,)
        Number of variables in each component.
    sparsity_ : float
        Mean fraction of zeros in a component.
    singular_values_ : ndarray of shape (n_components,)
        Singular values of PCA.
    mean_ : ndarray of shape (n_features,)
        Mean of each variable, or zeros if the data was not centred.
    scale_ : ndarray of shape (n_features,)
        Divisor of each variable: one if the data was not scaled, and zero if it was but the
        variable does not vary.
    rotation_ : ndarray of shape (n_components, n_components) or None
        R such that the PCA basis is near ``loadings_ @ rotation_``; None if the method does not
        rotate.
    n_iter_ : int
        Number of iterations.
    status_ : {"converged", "iteration_limit"}
        How the method ended.
    history_ : History
        ``change``, ``truncated_energy``, ``sparsity`` and ``objective`` of each iteration.
    bounds_ : list of Bound
        What the theory guarantees, beside what was measured.
    lam_ : float or None
        The strength of truncation that was used.
    target_ : TargetReport or None
        How near the fit came to `nonzeros`, `sparsity` or `keep`; None if there was no search for
        it.
    search_ : SearchReport or None
        What the search started from (``cpev_before``, ``nonorthogonality_before``); None if there
        was no search.
    restarts_ : Restarts or None
        ``objectives`` and ``cpev`` of every start, and the index of the ``best``; None if there was
        one start.
    optimal_ : list of int
        Components that are proved to have the most variance of any with their number of variables,
        of what those that the method found before them leave ("pathspca" and "greedy").
    proofs_ : list of Proof
        What "exact" proved of each component, in the order in which they were found: ``component``,
        ``explained``, ``bound``, ``gap``, ``optimal``; empty for the other methods.
    certificate_ : Certificate or None
        What no other components with as few variables can exceed (``bound``, ``gap``), and in words
        (``text``); None if `certify` is None.
    solver_ : str
        How principal components were computed.
    timing_ : Timing
        Seconds of each stage, and their ``total``.
    warnings_ : list of str
        All warnings of the fit.
    n_components_ : int
        Number of components.
    n_samples_ : int or None
        Number of samples; None after `fit_covariance`.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the variables, if the data has them.

    Notes
    -----
    What ``history_``, ``bounds_``, ``target_``, ``search_``, ``restarts_`` and ``timing_`` hold can
    be read by attribute (``timing_.total``) or as from a dictionary (``timing_["total"]``).

    See Also
    --------
    sklearn.decomposition.PCA : Components that mix all variables.
    evaluate : Evaluates components, whoever made them.
    certify : Proves how much more is possible, also for components of others.
    compare : Fits several methods at the same sparsity.

    Examples
    --------
    >>> import spcart
    >>> data = spcart.datasets.load_spiked(n=200, p=50, r=3, k=5)
    >>> model = spcart.SPCArt(n_components=3, nonzeros=5).fit(data.data)
    >>> model.nonzeros_
    array([5, 5, 5])
    >>> model.cpev_ > 0.98 * model.cpev_pca_
    True
    >>> model.transform(data.data).shape
    (200, 3)
    """

    n_components: float | None = None
    _: KW_ONLY
    method: str = "spcart"
    truncation: str | None = None
    lam: float | None = None
    nonzeros: int | None = None
    sparsity: float | None = None
    keep: float | None = None
    start: str | None = None
    restarts: int = 0
    best_by: str = "objective"
    refit: int = 0
    refine: int = 0
    effort: str | float | None = None
    certify: float | None = None
    overlap: float = 0.1
    center: bool = True
    scale: bool = False
    remove_row_mean: bool = False
    tol: float = 1e-2
    max_iter: int = 200
    order: str = "variance"
    solver: str = "auto"
    precision: str = "double"
    memory: int | str | None = None
    method_params: Mapping[str, object] | None = None
    random_state: RandomState = 0
    n_threads: int | None = None
    verbose: int = 0

    def fit(self, X: Data, y: object = None) -> Self:
        """Find sparse components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            One row per sample.
        y : Ignored
            Present for the API of scikit-learn.

        Returns
        -------
        self : SPCArt
            The fitted estimator.
        """
        self._fit(*self._samples(X))
        return self

    def fit_covariance(self, C: ArrayLike, y: object = None) -> Self:
        """Find sparse components of data of which only the covariance is known.

        `transform` does not centre samples then: the covariance does not tell their means.

        Parameters
        ----------
        C : array-like of shape (n_features, n_features)
            A covariance or correlation matrix. With ``scale=True`` it becomes a correlation matrix.
        y : Ignored
            Present for the API of scikit-learn.

        Returns
        -------
        self : SPCArt
            The fitted estimator.

        Examples
        --------
        >>> import spcart
        >>> props = spcart.datasets.load_pitprops()
        >>> model = spcart.SPCArt(6).fit_covariance(props.covariance)
        >>> model.nonzeros_
        array([5, 2, 3, 2, 3, 3])
        """
        checked = validate_data(self, C, dtype=np.float64, ensure_all_finite=False)
        components = len(checked) if self.n_components is None else self.n_components
        self._fit(make_covariance(checked), components, None)
        return self

    def transform(self, X: Data) -> Matrix:
        """Scores of samples on the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            One row per sample; centred and scaled as the data of the fit was.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
            ``(X - mean_) / scale_ @ loadings_``.
        """
        check_is_fitted(self)
        table = self._table_of(X)
        with progress(self.verbose) as show:
            return _core.scores(
                table,
                as_loadings(self.loadings_),
                self._known(),
                self.memory,
                self.n_threads or 0,
                show,
            )

    def inverse_transform(self, X: ArrayLike) -> Matrix:
        """Data from scores, as near as the components can come.

        If `transform` made the scores, this is the projection of its data onto the span of the
        components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Scores.

        Returns
        -------
        data : ndarray of shape (n_samples, n_features)
            In the original variables.
        """
        check_is_fitted(self)
        scores = check_array(X, dtype=np.float64)
        if scores.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {scores.shape[1]} columns, but there are {self.n_components_} components"
            )
        inverse = np.linalg.pinv(self.loadings_.toarray())
        data: Matrix = scores @ inverse * self.scale_ + self.mean_
        return data

    def score(self, X: Data, y: object = None) -> float:
        """Fraction of the variance of data, such as held-out samples, that the components explain.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            One row per sample; centred and scaled as the data of the fit was.
        y : Ignored
            Present for the API of scikit-learn.

        Returns
        -------
        score : float
            CPEV about the means of the fit, from 0 to 1. Higher is better.
        """
        check_is_fitted(self)
        table = self._table_of(X)
        with progress(self.verbose) as show:
            return _core.evaluate(
                table,
                as_loadings(self.loadings_),
                self._known(),
                False,
                self.memory,
                self.n_threads or 0,
                show,
            ).cpev

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> SimpleNamespace:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Data, reset: bool) -> Any:
        data = unwrapped(X)
        how = {
            "accept_sparse": ["csr", "csc"],
            "dtype": dtype_to_check(data),
            "ensure_all_finite": False,  # the core looks, in a pass that it makes anyway
        }
        if not is_anndata(X):
            return validate_data(self, data, reset=reset, **how)
        names = np.asarray(X.var_names, dtype=object)
        if reset:
            checked = validate_data(self, data, **how)
            self.feature_names_in_ = names
            return checked
        if not np.array_equal(names, getattr(self, "feature_names_in_", names)):
            raise ValueError("X has other variables than the data of the fit, or in other order")
        return check_array(data, **how)

    def _table_of(self, X: Data) -> _core.Table:
        """New data for the components that were found."""
        checked = self._checked(X, reset=False)
        return make_table(checked, original=unwrapped(X))

    def _preparation(
        self, center: bool, means: Vector | None = None, scales: Vector | None = None
    ) -> _core.Preparation:
        return _core.Preparation(
            center=center,
            scale=self.scale,
            remove_row_mean=self.remove_row_mean,
            precision=self.precision,
            means=means,
            scales=scales,
        )

    def _known(self) -> _core.Preparation:
        """How new data is prepared: as that of the fit was."""
        center = self.n_samples_ is not None and self.center
        return self._preparation(center, self.mean_, self.scale_)

    def _options(self, components: float) -> _core.Options:
        """The parameters that the core has as options, and those of the method."""
        params = self.get_params(deep=False)
        options = {name: params[name] for name in _core.option_names() if name in params}
        del options["n_components"]
        options["variance" if _is_fraction(components) else "n_components"] = components
        options["random_state"] = seed_of(self.random_state)
        return _core.Options(**{**options, **(self.method_params or {})})

    def _samples(self, X: Data) -> tuple[_core.Table, float, int]:
        """The table of samples to fit, how many components are wanted of it, and its rows."""
        checked = self._checked(X, reset=True)
        n, p = checked.shape
        most = max(min(n - bool(self.center), p), 1)
        components = most if self.n_components is None else self.n_components
        return make_table(checked, original=unwrapped(X)), components, n

    def _fit(
        self,
        table: _core.Table,
        components: float,
        n_samples: int | None,
        resamples: int | None = None,
    ) -> _core.FitReport:
        """Fit; also to as many resamples, if that is asked for."""
        options = self._options(components)
        preparation = self._preparation(self.center)
        with progress(self.verbose) as show:
            report = _core.fit(table, options, preparation, resamples, self.memory, show)
        self._take(report, n_samples)
        of_convergence = report.message if report.status == "iteration_limit" else None
        warn(report.warnings, stacklevel=3, of_convergence=of_convergence)
        return report

    def _take(self, report: _core.FitReport, n_samples: int | None) -> None:
        criteria = report.criteria
        self.n_samples_ = n_samples
        self.loadings_ = report.loadings
        self.components_: Matrix = self.loadings_.toarray().T
        self.n_components_: int = self.loadings_.shape[1]
        self.explained_variance_ratio_ = criteria.explained_variance_ratio
        divisor = 1 if n_samples is None else n_samples - 1
        self.explained_variance_ = self.explained_variance_ratio_ * report.total_variance / divisor
        self.adjusted_variance_ratio_ = criteria.adjusted_variance_ratio
        self.cpev_ = criteria.cpev
        self.cpev_pca_ = criteria.cpev_pca
        self.nonorthogonality_ = criteria.nonorthogonality
        self.nonzeros_ = criteria.nonzeros
        self.sparsity_ = criteria.sparsity
        self.singular_values_ = report.singular_values
        self.mean_ = report.means
        self.scale_ = report.scales
        self.rotation_ = report.rotation
        self.history_ = report.history
        self.n_iter_ = len(self.history_.change)
        self.status_ = report.status
        self.bounds_ = report.bounds
        self.lam_ = report.lam
        self.target_ = report.target
        self.search_ = report.search
        self.restarts_ = report.restarts
        self.optimal_ = report.optimal
        self.proofs_ = report.proofs
        self.certificate_ = report.certificate
        self.solver_ = report.solver
        self.timing_ = report.timing
        self.warnings_ = report.warnings
