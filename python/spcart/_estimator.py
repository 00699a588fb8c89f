"""The estimator."""

from __future__ import annotations

import numbers
from dataclasses import KW_ONLY, dataclass, fields
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy.sparse as sp

from . import _core
from ._missing import check_missing, complete_rows, dropped, filled, is_sparse, means_of
from ._model import NormalModel, make_model, span_rank
from ._moments import Moments
from ._progress import progress
from ._row_blocks import RowBlocks
from ._sklearn import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_array,
    check_is_fitted,
    check_random_state,
    output_container,
    validate_data,
)
from ._sources import (
    Source,
    dtype_of_source,
    names_of_source,
    source_of,
    table_of_source,
)
from ._tables import (
    dtype_to_check,
    is_anndata,
    make_covariance,
    make_table,
    stored,
    unwrapped,
)
from ._warnings import warn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace

    from numpy.typing import ArrayLike, DTypeLike, NDArray
    from typing_extensions import Self

    from ._typing import Data, FloatMatrix, Loadings, Matrix, RandomState, Vector

#: A component with less than this fraction of the variance of the strongest has none: the rest is
#: rounding error.
_NO_VARIANCE = 1e-14

#: Numbers of samples that are prepared at a time.
_AT_ONCE = 1 << 22


def component_names(count: int) -> list[str]:
    """Names of components, the same wherever they have one."""
    return [f"PC{i + 1}" for i in range(count)]


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

    Data need not be in memory: :class:`RowBlocks` hand out samples in blocks, and so are read dask
    arrays and data frames, data sets and Parquet files of pyarrow, lazy frames of polars, arrays of
    h5py and zarr, and a backed AnnData that takes more than a quarter of the memory.
    :class:`Moments` are enough if samples can be seen only once, and a
    :class:`scipy.sparse.linalg.LinearOperator` if only products with the data are known.

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
    missing : {"error", "drop", "mean"}, default="error"
        What to do with missing values (NaN): reject them, leave out their samples, or insert the
        mean of the variable's other values. New data has the means of the fit inserted; the scores
        of a sample that is left out are NaN. Infinite values are always rejected.
    whiten : bool, default=False
        Divide the scores of each component by their standard deviation (divisor n - 1), so that all
        have unit variance. Scores of sparse components stay correlated: to remove that, components
        would have to be mixed.
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
        Sparse components, of unit length or zero; the largest entry of each is positive. In float32
        if the data is, like the scores.
    loadings_ : scipy.sparse.csc_array of shape (n_features, n_components)
        The components as a sparse matrix, one column per component.
    explained_variance_ : ndarray of shape (n_components,)
        `explained_variance_ratio_` times the total variance (divisor n - 1).
    explained_variance_ratio_ : ndarray of shape (n_components,)
        What each component adds to the fraction of the variance within the span of those before it
        (Shen and Huang 2008). It sums to `cpev_`, and equals that of PCA for ``method="pca"``.
    noise_variance_ : float
        Mean variance of the directions that the components leave: what they do not explain, divided
        by ``min(n_samples, n_features) - n_components`` (or the rank of the components, if that is
        less).
    score_covariance_ : ndarray of shape (n_components, n_components)
        Covariance of the scores of the fit, before whitening.
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
    fill_values_ : ndarray of shape (n_features,) or None
        What is inserted for missing values; None unless `missing` is "mean".
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
        Number of samples, without those that were left out; None after `fit_covariance`.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the variables, if the data has them.
    moments_ : Moments
        Of all samples that `partial_fit` has seen; ``n_samples_seen_`` is their number.

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
    missing: str = "error"
    whiten: bool = False
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
        self.__dict__.pop("moments_", None)
        self._fit(*self._samples(X))
        return self

    def partial_fit(self, X: Data, y: object = None) -> Self:
        """Find sparse components of these samples and of all that were given before.

        Only :class:`Moments` of the samples are kept, and the components are those that `fit` would
        find for all samples together. They are found anew each time: if there are many small parts,
        it is faster to update :class:`Moments` by each, and to fit to these at the end. `fit` keeps
        no moments of its samples: after it, `partial_fit` begins anew.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            One row per sample. The first part must have at least as many as there are components.
        y : Ignored
            Present for the API of scikit-learn.

        Returns
        -------
        self : SPCArt
            The fitted estimator.
        """
        before = getattr(self, "moments_", None)
        if before is None and hasattr(self, "loadings_"):
            message = "partial_fit begins anew: fit has kept no moments of its samples"
            warn([message], stacklevel=2)
        part = Moments(missing=self.missing, n_threads=self.n_threads)
        source = source_of(X, self.memory)
        if source is None:
            checked = self._checked(X, reset=before is None)
            part.update_checked(checked, getattr(self, "feature_names_in_", None))
        else:
            part.update(cast("Data", source))
            self._check_variables(source, reset=before is None)
        moments = part if before is None else before + part
        n, p = moments.shape
        self.fill_values_: Vector | None = None
        self._fit(moments.table(), self._wanted(n, p), n)
        self.moments_ = moments
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
        check_missing(self.missing)
        checked = validate_data(self, C, dtype=np.float64, ensure_all_finite=False)
        components = len(checked) if self.n_components is None else self.n_components
        self.fill_values_ = None
        self._fit(make_covariance(checked), components, None)
        return self

    def transform(self, X: Data) -> FloatMatrix:
        """Scores of samples on the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            One row per sample; centred and scaled as the data of the fit was.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
            ``(X - mean_) / scale_ @ loadings_``, divided by their standard deviations with
            ``whiten=True``. In float32 if both this data and that of the fit are.
        """
        check_is_fitted(self)
        source = source_of(X, self.memory)
        if isinstance(source, RowBlocks):
            self._check_variables(source, reset=False)
            return np.concatenate([self._transform(block) for block in source])
        if source is not None:
            return self._transform_source(source)
        return self._with_index(self._transform(self._checked(X, reset=False), stored(X)), X)

    def _transform(self, checked: Any, original: object = None) -> FloatMatrix:
        complete, rows = self._complete(checked)
        original = original if complete is checked else None
        scores: FloatMatrix = self._scores(complete, self.loadings_, original)
        if self.whiten:
            scores *= _inverse(self._score_scales())
        dtype = np.float32 if checked.dtype == np.float32 else np.float64
        scores = scores.astype(np.result_type(dtype, self.components_), copy=False)
        return scores if rows is None else _spread(scores, rows)

    def _transform_source(self, source: Source) -> FloatMatrix:
        """Scores of an operator."""
        if isinstance(source, Moments):
            raise TypeError("X: scores are of samples, and moments have none")
        self._check_variables(source, reset=False)
        scores = self._table_scores(table_of_source(source), self.loadings_)
        return scores * _inverse(self._score_scales()) if self.whiten else scores

    def inverse_transform(self, X: ArrayLike) -> FloatMatrix:
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
        scores = check_array(X, dtype=[np.float64, np.float32])
        if scores.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {scores.shape[1]} columns, but there are {self.n_components_} components"
            )
        dtype = np.result_type(scores, self.components_)
        if self.whiten:
            scores = scores * self._score_scales()
        inverse = np.linalg.pinv(self.loadings_.toarray())
        data: FloatMatrix = scores @ inverse * self.scale_ + self.mean_
        return data.astype(dtype, copy=False)

    def score(self, X: Data, y: object = None) -> float:
        """Fraction of the variance of data, such as held-out samples, that the components explain.

        This is not the log-likelihood that PCA of scikit-learn has here: its mean over samples is
        ``score_samples(X).mean()``.

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
        table = self._table_to_score(X)
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

    def score_samples(self, X: Data) -> Vector:
        """Log-likelihood of each sample under the normal distribution of `get_covariance`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            One row per sample; centred and scaled as the data of the fit was.

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
            Natural logarithm of the density. NaN for samples that ``missing="drop"`` leaves out.
            If components leave no noise, it is the density within their span, and minus infinity
            for samples outside.
        """
        check_is_fitted(self)
        source = source_of(X, self.memory)
        if source is None:
            return self._score_samples(self._checked(X, reset=False))
        if not isinstance(source, RowBlocks):
            raise TypeError("X: only samples have a likelihood")
        self._check_variables(source, reset=False)
        return np.concatenate([self._score_samples(block) for block in source])

    def _score_samples(self, checked: Any) -> Vector:
        complete, rows = self._complete(checked)
        if is_sparse(complete):
            complete = complete.tocsr()
        model = self._model()
        variables = sp.identity(self.n_features_in_, format="csc")
        step = max(_AT_ONCE // self.n_features_in_, 1)
        parts = [
            model.log_likelihood(self._scores(complete[i : i + step], variables))
            for i in range(0, complete.shape[0], step)
        ]
        likelihood: Vector = np.concatenate(parts) if parts else np.empty(0)
        return likelihood if rows is None else _spread(likelihood, rows)

    def get_covariance(self) -> Matrix:
        """Covariance of the data by its components, as in probabilistic PCA.

        Within the span of the components it is that of the data; in all other directions there is
        noise of variance `noise_variance_`. It is about prepared variables: scaled ones with
        ``scale=True``.

        Returns
        -------
        covariance : ndarray of shape (n_features, n_features)
            For ``method="pca"`` that of PCA of scikit-learn.
        """
        check_is_fitted(self)
        return self._model().covariance()

    def get_precision(self) -> Matrix:
        """Inverse of `get_covariance`, from the components.

        Returns
        -------
        precision : ndarray of shape (n_features, n_features)
            Not if the components explain all variance but do not span all variables: then the
            covariance has no inverse, which is an error.
        """
        check_is_fitted(self)
        return self._model().precision()

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the components: PC1, PC2, ...

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the variables. They are checked, and have no effect.

        Returns
        -------
        names : ndarray of str objects
            One per component.
        """
        super().get_feature_names_out(input_features)
        return np.asarray(component_names(self.n_components_), dtype=object)

    @property
    def n_samples_seen_(self) -> int:
        """Number of samples that `partial_fit` has seen."""
        return self.moments_.n_samples

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _score_scales(self) -> Vector:
        """Standard deviations of the scores; zero for a component without variance."""
        variances = np.diag(self.score_covariance_)
        varies = variances > _NO_VARIANCE * variances.max(initial=0)
        return np.sqrt(np.where(varies, variances, 0))

    def _model(self) -> NormalModel:
        return make_model(self.loadings_.toarray(), self.score_covariance_, self.noise_variance_)

    def __sklearn_tags__(self) -> SimpleNamespace:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
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

    def _check_variables(self, source: Source, reset: bool) -> None:
        """Takes number and names of the variables, or compares them with those of the fit."""
        names, p = names_of_source(source), source.shape[1]
        if reset:
            self.n_features_in_: int = p
            self.__dict__.pop("feature_names_in_", None)
            if names is not None and all(isinstance(name, str) for name in names):
                self.feature_names_in_ = np.asarray(names, dtype=object)
            return
        if p != self.n_features_in_:
            raise ValueError(
                f"X has {p} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input"
            )
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and list(names) != list(known):
            raise ValueError("X has other variables than the data of the fit, or in other order")

    def _table_to_score(self, X: Data) -> _core.Table:
        """A table of new samples, complete or without those that are not."""
        source = source_of(X, self.memory)
        if source is None:
            checked = self._checked(X, reset=False)
            complete = dropped(checked) if self.missing == "drop" else self._complete(checked)[0]
            return self._table(complete, stored(X) if complete is checked else None)
        self._check_variables(source, reset=False)
        if isinstance(source, RowBlocks):
            source = source.without_missing(self.missing, self.fill_values_)[0]
        return table_of_source(source)

    def _complete(self, checked: Any) -> tuple[Any, NDArray[np.bool_] | None]:
        """New data without missing values, and which samples it has if these are not all."""
        check_missing(self.missing)
        if self.missing == "drop":
            rows = complete_rows(checked)
            return (checked, None) if rows.all() else (checked[rows], rows)
        if self.missing == "mean" and self.fill_values_ is not None:
            return filled(checked, self.fill_values_), None
        return checked, None

    def _table(self, checked: Any, original: object = None) -> _core.Table:
        names = getattr(self, "feature_names_in_", None)
        return make_table(checked, original=original, names=names)

    def _scores(self, checked: Any, loadings: Any, original: object = None) -> Matrix:
        """Products of prepared data with any columns."""
        if checked.shape[0] == 0:
            return np.empty((0, loadings.shape[1]))
        return self._table_scores(self._table(checked, original), loadings)

    def _table_scores(self, table: _core.Table, loadings: Any) -> Matrix:
        threads = self.n_threads or 0
        with progress(self.verbose) as show:
            return _core.scores(
                table, as_loadings(loadings), self._known(), self.memory, threads, show
            )

    def _with_index(self, scores: FloatMatrix, X: Data) -> FloatMatrix:
        """Scores, in a data frame if they become one and only X knows the samples' names."""
        if not is_anndata(X) or output_container(self) != "pandas":
            return scores
        import pandas as pd

        return cast("FloatMatrix", pd.DataFrame(scores, index=list(X.obs_names)))

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
        known = _core.option_names()
        parameters = [field.name for field in fields(SPCArt) if field.name in known]
        options = {name: getattr(self, name) for name in parameters}
        del options["n_components"]
        options["variance" if _is_fraction(components) else "n_components"] = components
        options["random_state"] = seed_of(self.random_state)
        return _core.Options(**{**options, **(self.method_params or {})})

    def _samples(self, X: Data) -> tuple[_core.Table, float, int, DTypeLike]:
        """The table of samples to fit, the components that are wanted, its rows and its type."""
        source = source_of(X, self.memory)
        if source is not None:
            return self._source_samples(source)
        checked = self._checked(X, reset=True)
        complete = self._complete_to_fit(checked)
        n, p = complete.shape
        original = stored(X) if complete is checked else None
        dtype = np.float32 if checked.dtype == np.float32 else np.float64
        return self._table(complete, original), self._wanted(n, p), n, dtype

    def _source_samples(self, source: Source) -> tuple[_core.Table, float, int, DTypeLike]:
        """The same of samples that are not in memory."""
        check_missing(self.missing)
        self._check_variables(source, reset=True)
        self.fill_values_ = None
        dtype = dtype_of_source(source)
        if isinstance(source, RowBlocks):
            source, self.fill_values_ = source.without_missing(self.missing)
        n, p = source.shape
        return table_of_source(source), self._wanted(n, p), n, dtype

    def _wanted(self, n: int, p: int) -> float:
        """How many components are wanted of n samples of p variables."""
        most = max(min(n - bool(self.center), p), 1)
        return most if self.n_components is None else self.n_components

    def _complete_to_fit(self, checked: Any) -> Any:
        """Data without missing values; what is inserted for them is kept."""
        check_missing(self.missing)
        self.fill_values_ = None
        if self.missing == "drop":
            return dropped(checked)
        if self.missing == "mean":
            self.fill_values_ = means_of(checked, getattr(self, "feature_names_in_", None))
            return filled(checked, self.fill_values_)
        return checked

    def _fit(
        self,
        table: _core.Table,
        components: float,
        n_samples: int | None,
        dtype: DTypeLike = np.float64,
        resamples: int | None = None,
    ) -> _core.FitReport:
        """Fit; also to as many resamples, if that is asked for."""
        options = self._options(components)
        preparation = self._preparation(self.center)
        with progress(self.verbose) as show:
            report = _core.fit(table, options, preparation, resamples, self.memory, show)
        self._take(report, n_samples, dtype)
        of_convergence = report.message if report.status == "iteration_limit" else None
        warn(report.warnings, stacklevel=3, of_convergence=of_convergence)
        return report

    def _take(self, report: _core.FitReport, n_samples: int | None, dtype: DTypeLike) -> None:
        criteria = report.criteria
        self.n_samples_ = n_samples
        self.loadings_ = report.loadings
        self.components_: FloatMatrix = self.loadings_.toarray().T.astype(dtype, copy=False)
        self.n_components_: int = self.loadings_.shape[1]
        self.explained_variance_ratio_ = criteria.explained_variance_ratio
        divisor = 1 if n_samples is None else n_samples - 1
        self.explained_variance_ = self.explained_variance_ratio_ * report.total_variance / divisor
        self.score_covariance_ = criteria.score_covariance * report.total_variance / divisor
        self.adjusted_variance_ratio_ = criteria.adjusted_variance_ratio
        self.cpev_ = criteria.cpev
        self.cpev_pca_ = criteria.cpev_pca
        self.nonorthogonality_ = criteria.nonorthogonality
        self.nonzeros_ = criteria.nonzeros
        rank = span_rank(self.loadings_, criteria.worst_nonorthogonality)
        self.noise_variance_ = self._noise(report.total_variance / divisor, rank)
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

    def _noise(self, total: float, rank: int) -> float:
        """Mean variance in the directions outside a span of that rank."""
        p = self.loadings_.shape[0]
        others = (p if self.n_samples_ is None else min(self.n_samples_, p)) - rank
        left = total * (1 - self.cpev_)
        # What is left of all variance by rounding is no noise.
        return left / others if others > 0 and left > _NO_VARIANCE * total else 0.0


def _inverse(scales: Vector) -> Vector:
    return np.divide(1, scales, out=np.zeros_like(scales), where=scales > 0)


def _spread(values: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[Any]:
    """Values of some samples, with NaN for all others."""
    spread = np.full((len(rows), *values.shape[1:]), np.nan, dtype=values.dtype)
    spread[rows] = values
    return spread
