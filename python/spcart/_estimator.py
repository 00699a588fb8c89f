"""The estimator."""

import numbers

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from . import _core
from ._progress import progress
from ._tables import dtype_to_check, is_anndata, make_covariance, make_table, unwrapped
from ._warnings import warn

#: Parameters that go to the core as they are, under the names that they have here. The core checks
#: them; a parameter that it learns needs a line here, one in `__init__` and one in the docstring.
_OPTIONS = (
    "method",
    "truncation",
    "lam",
    "nonzeros",
    "sparsity",
    "keep",
    "start",
    "restarts",
    "best_by",
    "refit",
    "refine",
    "effort",
    "overlap",
    "tol",
    "max_iter",
    "order",
    "solver",
    "n_threads",
)
_PREPARATION = ("center", "scale", "remove_row_mean", "precision")


def seed_of(random_state):
    """The core's seed: a whole number is that itself, as of the command's --seed."""
    if isinstance(random_state, numbers.Integral):
        return random_state
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _is_fraction(n_components):
    """Whether components are asked for by the variance that those of PCA explain."""
    is_whole = isinstance(n_components, numbers.Integral)
    return not is_whole and isinstance(n_components, numbers.Real) and 0 < n_components < 1


def loadings_from(parts):
    """Loadings of the core as a sparse array."""
    entries = (parts["values"], parts["inner"], parts["outer"])
    return sp.csc_array(entries, shape=parts["shape"])


def loadings_parts(loadings):
    """Any p x r matrix as the core takes loadings."""
    x = sp.csc_array(loadings, dtype=np.float64)
    x.sum_duplicates()
    return *x.shape, x.data, x.indices.astype(np.int64), x.indptr.astype(np.int64)


def figures_of(criteria):
    """Criteria of the core with counts of NumPy's own integer type."""
    return {**criteria, "nonzeros": criteria["nonzeros"].astype(int)}


class SPCArt(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Sparse principal components: a few variables each, nearly all that PCA explains.

    SPCArt takes the basis of PCA, rotates it and truncates small entries, in turn, until nothing
    changes. Fourteen other methods of the field can be asked for under the same parameters.

    Nothing is copied that the core can view where it lies: NumPy arrays of float64, float32, int32
    or uint8 in any order, SciPy CSR and CSC, data frames of one such type, AnnData with such an
    ``X``. Sparse data stays sparse. A memory map that would not fit in memory is read in blocks.

    Parameters
    ----------
    n_components : int or float, default=None
        Number of components, or a fraction between 0 and 1: as few as PCA needs to explain that
        much of the variance. None: as many as there can be, ``min(n_samples - 1, n_features)`` of
        centred data and ``min(n_samples, n_features)`` of other. Give a number: the sparsest basis
        of *all* that varies is hardly more than the variables themselves.
    method : str, default="spcart"
        "spcart", "pca", "st", "varimax", "rsvd", "rsvd-gp", "rsvd-gpb", "tpower", "gpower",
        "gpowerb", "spc", "spca", "pathspca", "alspca" or "itspca".
    truncation : {"hard", "soft", "count", "energy"}, default=None
        What becomes zero: entries below `lam` (hard, soft), the `lam` smallest (count), those with
        `lam` of the energy (energy). None: count where `nonzeros` is given, else hard, or what the
        method has.
    lam : float, default=None
        Strength of the truncation. None: 1/sqrt(p) for hard and soft, 0.85 p zeros for count, 0.15
        for energy, or the method's own.
    nonzeros : int, default=None
        Instead of `lam`, which is then found: variables in each component, or on average over them
        where the truncation is not count.
    sparsity : float, default=None
        Likewise: mean fraction of zeros in a component.
    keep : float, default=None
        Likewise: least share of what PCA explains, by as few variables as can be.
    start : str, default=None
        Where the method starts; for "spcart" one of "varimax" (default), "identity" (the paper's)
        and "random".
    restarts : int, default=0
        Random starts beside `start`, of which the best is kept.
    best_by : {"objective", "cpev"}, default="objective"
        By what the best start is chosen.
    refit : int, default=0
        Rounds of refitting values on the support that was found.
    refine : int, default=0
        Rounds of letting the support move to where it explains more.
    effort : {"none", "normal", "thorough"} or float, default=None
        How long to search for components that explain more than the method's own; a number is a
        time in seconds. None: "normal" where `nonzeros`, `sparsity` or `keep` is given, else
        "none".
    overlap : float, default=0.1
        Of the search: how much components may overlap, as the mean absolute cosine over their
        pairs, from 0 (orthogonal) to 1 (whatever explains most).
    center : bool, default=True
        Subtract from each variable its mean.
    scale : bool, default=False
        Divide each variable by its standard deviation (divisor n - 1).
    remove_row_mean : bool, default=False
        Before all else, subtract from each sample its own mean.
    tol : float, default=1e-2
        Stop when the loadings change by less.
    max_iter : int, default=200
        Stop after so many turns.
    order : {"variance", "none"}, default="variance"
        Components by explained variance, or in the method's own order.
    solver : {"auto", "gram", "outer", "krylov"}, default="auto"
        How principal components are computed.
    precision : {"double", "single"}, default="double"
        Of products with a dense table: single is about twice as fast, and right to about 1e-4.
    memory : int or str, default=None
        Bytes that the work may take, also as "500M" or "2GiB". None: what the system has.
    method_params : dict, default=None
        What only some methods take: ``post_fit`` (gpower, gpowerb), ``ridge`` and ``bound`` (spca),
        ``orthogonality`` and ``correlation`` (alspca).
    random_state : int, RandomState instance or None, default=0
        Of all random choices; the same whole number gives the same bits, so that by default the
        same data gives the same components. There are such choices in the search, in the start
        "random" and, beyond the tolerance of PCA, in the solver "krylov". None: others each time.
    n_threads : int, default=None
        Number of threads. None: as many as OpenMP offers.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Sparse components, of unit length or zero; the largest entry of each is positive.
    loadings_ : scipy.sparse.csc_array of shape (n_features, n_components)
        The same, transposed, without the zeros.
    explained_variance_ : ndarray of shape (n_components,)
        `explained_variance_ratio_` times the total variance (divisor n - 1).
    explained_variance_ratio_ : ndarray of shape (n_components,)
        What each component adds to the fraction of the variance that lies within the span of those
        before it (Shen and Huang 2008): it sums to `cpev_` and is PCA's own for orthogonal
        components of PCA.
    adjusted_variance_ratio_ : ndarray of shape (n_components,)
        The adjusted variance of Zou, Hastie and Tibshirani (2006) as a fraction of the total: of
        the scores, after regression on those before. It does not sum to `cpev_`.
    cpev_ : float
        Fraction of the variance that lies within the span of the components.
    cpev_pca_ : float
        The same of as many principal components: no others explain more.
    nonorthogonality_ : float
        Mean of abs(cos) over pairs of components.
    nonzeros_ : ndarray of shape (n_components,)
        Number of variables in each component.
    sparsity_ : float
        Mean fraction of zeros in a component.
    singular_values_ : ndarray of shape (n_components,)
        Of PCA.
    mean_ : ndarray of shape (n_features,)
        Mean of each variable, or zeros where nothing was centred.
    scale_ : ndarray of shape (n_features,)
        By what each variable was divided: ones where nothing was scaled, and zero where a variable
        that was to be scaled does not vary.
    rotation_ : ndarray of shape (n_components, n_components) or None
        R such that the PCA basis is near ``loadings_ @ rotation_``; None where the method does not
        rotate.
    n_iter_ : int
        Number of turns.
    status_ : {"converged", "iteration_limit"}
        How the method ended.
    history_ : dict of ndarray
        ``change``, ``truncated_energy``, ``sparsity`` and ``objective`` of each turn.
    bounds_ : list of dict
        What the theory guarantees, beside what was measured.
    lam_ : float or None
        The strength of truncation that was used.
    target_ : dict or None
        How near `nonzeros`, `sparsity` or `keep` was come, where one was given and searched for.
    search_ : dict or None
        What the search started from (`cpev_before`, `nonorthogonality_before`), where there was
        one.
    restarts_ : dict or None
        ``objectives`` and ``cpev`` of every start, and which was the ``best``.
    solver_ : str
        How principal components were computed.
    timing_ : dict of float
        Seconds: ``prepare``, and the stages of the fit with their ``total``.
    warnings_ : list of str
        What was warned of.
    n_components_ : int
        Number of components.
    n_samples_ : int or None
        Number of samples; None after `fit_covariance`.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the variables, where the data has them.

    See Also
    --------
    sklearn.decomposition.PCA : Components that mix all variables.
    evaluate : Judges components made by anything.
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

    def __init__(
        self,
        n_components=None,
        *,
        method="spcart",
        truncation=None,
        lam=None,
        nonzeros=None,
        sparsity=None,
        keep=None,
        start=None,
        restarts=0,
        best_by="objective",
        refit=0,
        refine=0,
        effort=None,
        overlap=0.1,
        center=True,
        scale=False,
        remove_row_mean=False,
        tol=1e-2,
        max_iter=200,
        order="variance",
        solver="auto",
        precision="double",
        memory=None,
        method_params=None,
        random_state=0,
        n_threads=None,
        verbose=0,
    ):
        self.n_components = n_components
        self.method = method
        self.truncation = truncation
        self.lam = lam
        self.nonzeros = nonzeros
        self.sparsity = sparsity
        self.keep = keep
        self.start = start
        self.restarts = restarts
        self.best_by = best_by
        self.refit = refit
        self.refine = refine
        self.effort = effort
        self.overlap = overlap
        self.center = center
        self.scale = scale
        self.remove_row_mean = remove_row_mean
        self.tol = tol
        self.max_iter = max_iter
        self.order = order
        self.solver = solver
        self.precision = precision
        self.memory = memory
        self.method_params = method_params
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose

    def fit(self, X, y=None):
        """Find sparse components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            One row per sample.
        y : Ignored
            For scikit-learn's sake.

        Returns
        -------
        self : SPCArt
            The fitted estimator.
        """
        self._fit(*self._samples(X))
        return self

    def fit_covariance(self, C, y=None):
        """Find sparse components of data of which only the covariance is known.

        Samples that are given to `transform` later are taken as they are: the covariance does not
        know their means.

        Parameters
        ----------
        C : array-like of shape (n_features, n_features)
            A covariance or correlation matrix. With ``scale=True`` correlations are made of it.
        y : Ignored
            For scikit-learn's sake.

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

    def transform(self, X):
        """Scores of samples: the components' values for each.

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
                table, *loadings_parts(self.loadings_), self._known(), self.n_threads or 0, show
            )

    def inverse_transform(self, X):
        """The data that scores stand for, as near as the components can come.

        Of scores that `transform` made of some data, this is the projection of that data onto the
        span of the components.

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
        return scores @ np.linalg.pinv(self.loadings_.toarray()) * self.scale_ + self.mean_

    def score(self, X, y=None):
        """Fraction of the variance of data, such as held-out samples, that the components explain.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            One row per sample; centred and scaled as the data of the fit was.
        y : Ignored
            For scikit-learn's sake.

        Returns
        -------
        score : float
            CPEV, about the means of the fit: from 0 to 1, more is better.
        """
        check_is_fitted(self)
        table = self._table_of(X)
        with progress(self.verbose) as show:
            return _core.evaluate(
                table,
                *loadings_parts(self.loadings_),
                self._known(),
                False,
                self.memory,
                self.n_threads or 0,
                show,
            )["cpev"]

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X, reset):
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

    def _table_of(self, X):
        """New data for the components that were found."""
        checked = self._checked(X, reset=False)
        return make_table(
            checked,
            original=unwrapped(X),
            n_components=self.n_components_,
            memory=self.memory,
        )

    def _preparation(self):
        return {name: getattr(self, name) for name in _PREPARATION}

    def _known(self):
        """How new data is prepared: as that of the fit was."""
        return {
            **self._preparation(),
            "center": self.n_samples_ is not None and self.center,
            "means": self.mean_,
            "scales": self.scale_,
        }

    def _samples(self, X):
        """The table of samples to fit, how many components are wanted of it, and its rows."""
        checked = self._checked(X, reset=True)
        n, p = checked.shape
        most = max(min(n - bool(self.center), p), 1)
        components = most if self.n_components is None else self.n_components
        table = make_table(
            checked,
            original=unwrapped(X),
            n_components=components if isinstance(components, numbers.Integral) else most,
            memory=self.memory,
        )
        return table, components, n

    def _fit(self, table, components, n_samples, resamples=None):
        """Fit; also to so many resamples, of which the core tells how often they agree."""
        options = {
            **{name: getattr(self, name) for name in _OPTIONS},
            **(self.method_params or {}),
            "variance" if _is_fraction(components) else "n_components": components,
            "random_state": seed_of(self.random_state),
        }
        with progress(self.verbose) as show:
            result = _core.fit(table, options, self._preparation(), resamples, self.memory, show)
        self.n_samples_ = n_samples
        self._take(result)
        warn(result, stacklevel=3)
        return result["stability"]

    def _take(self, result):
        criteria = figures_of(result["criteria"])
        divisor = 1 if self.n_samples_ is None else self.n_samples_ - 1
        self.loadings_ = loadings_from(result["loadings"])
        self.components_ = self.loadings_.toarray().T
        self.n_components_ = self.loadings_.shape[1]
        self.explained_variance_ratio_ = criteria["explained_variance_ratio"]
        self.explained_variance_ = (
            self.explained_variance_ratio_ * result["total_variance"] / divisor
        )
        self.adjusted_variance_ratio_ = criteria["adjusted_variance_ratio"]
        self.cpev_ = criteria["cpev"]
        self.cpev_pca_ = criteria["cpev_pca"]
        self.nonorthogonality_ = criteria["nonorthogonality"]
        self.nonzeros_ = criteria["nonzeros"]
        self.sparsity_ = criteria["sparsity"]
        self.singular_values_ = result["singular_values"]
        self.mean_ = result["means"]
        self.scale_ = result["scales"]
        self.rotation_ = result["rotation"]
        self.history_ = result["history"]
        self.n_iter_ = len(self.history_["change"])
        self.status_ = result["status"]
        self.bounds_ = result["bounds"]
        self.lam_ = result["lam"]
        self.target_ = result["target"]
        self.search_ = result["search"]
        self.restarts_ = result["restarts"]
        self.solver_ = result["solver"]
        self.timing_ = result["timing"]
        self.warnings_ = result["warnings"]
