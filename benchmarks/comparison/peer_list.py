"""The Python peers: how each is called on a table that is already in memory.

`make` imports what the peer needs, so that its memory is its own, and returns fit(table, r), whose
answer is p x r: principal components, or sparse loadings. The time of fit is what is compared.
"""

import dataclasses
import importlib.util
from typing import Callable


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    module: str  # that must be importable
    make: Callable
    exact: bool = False  # PCA to rounding
    sparse_loadings: bool = False
    ready: Callable = lambda table: table  # what is done to the table without being timed

    def installed(self):
        return importlib.util.find_spec(self.module.split(".")[0]) is not None


def centred(table):
    """For those that do not centre: it is not timed."""
    return table - table.mean(axis=0) if hasattr(table, "strides") else table


def sklearn_pca(solver):
    def make():
        from sklearn.decomposition import PCA

        def fit(table, r):
            return PCA(r, svd_solver=solver, random_state=0).fit(table).components_.T

        return fit

    return make


def truncated_svd(algorithm):
    def make():
        from sklearn.decomposition import TruncatedSVD

        def fit(table, r):
            return TruncatedSVD(r, algorithm=algorithm, random_state=0).fit(table).components_.T

        return fit

    return make


def sklearn_sparse(name):
    """The smallest fair number of iterations for SparsePCA; otherwise its defaults."""

    def make():
        from sklearn import decomposition

        settings = {"max_iter": 100} if name == "SparsePCA" else {}

        def fit(table, r):
            method = getattr(decomposition, name)(r, random_state=0, **settings)
            return method.fit(table).components_.T

        return fit

    return make


def scipy_svds():
    import numpy as np
    from scipy.sparse.linalg import LinearOperator, svds

    def implicit(table):
        mean = np.asarray(table.mean(axis=0)).ravel()
        return LinearOperator(
            table.shape,
            matvec=lambda x: table @ x - mean @ x,
            rmatvec=lambda y: table.T @ y - mean * y.sum(),
            dtype=table.dtype,
        )

    def fit(table, r):
        operator = table if isinstance(table, np.ndarray) else implicit(table)
        start = np.ones(min(table.shape))
        return svds(operator, k=r, v0=start, return_singular_vectors="vh")[2].T

    return fit


def numpy_gram():
    import numpy as np
    import scipy.linalg

    def fit(table, r):
        a = table - table.mean(axis=0)
        p = a.shape[1]
        if p <= a.shape[0]:
            return scipy.linalg.eigh(a.T @ a, subset_by_index=[p - r, p - 1])[1]
        n = a.shape[0]
        left = scipy.linalg.eigh(a @ a.T, subset_by_index=[n - r, n - 1])[1]
        return np.linalg.qr(a.T @ left)[0]

    return fit


def fbpca_pca():
    import fbpca

    def fit(table, r):
        return fbpca.pca(table, k=r, raw=False)[2].T

    return fit


def amanpg():
    """Its penalty is set so that its first step thresholds at 1/sqrt(p), as spcart does."""
    import numpy as np
    import sparsepca

    def fit(table, r):
        squares = np.linalg.svd(table, compute_uv=False)[:r] ** 2
        penalty = 2 * squares[:, None] / np.sqrt(table.shape[1])
        return sparsepca.spca(table, penalty, np.inf, k=r, normalize=False)["loadings"]

    return fit


_ALL = [
    Peer("sklearn PCA full", "sklearn", sklearn_pca("full"), exact=True),
    Peer("sklearn PCA covariance_eigh", "sklearn", sklearn_pca("covariance_eigh"), exact=True),
    Peer("sklearn PCA arpack", "sklearn", sklearn_pca("arpack"), exact=True),
    Peer("sklearn PCA randomized", "sklearn", sklearn_pca("randomized")),
    Peer("sklearn TruncatedSVD", "sklearn", truncated_svd("randomized"), ready=centred),
    Peer("SciPy svds", "scipy", scipy_svds, exact=True, ready=centred),
    Peer("NumPy Gram + eigh", "scipy", numpy_gram, exact=True),
    Peer("fbpca", "fbpca", fbpca_pca),
    Peer("sparsepca (A-ManPG)", "sparsepca", amanpg, sparse_loadings=True, ready=centred),
    Peer("sklearn SparsePCA", "sklearn", sklearn_sparse("SparsePCA"), sparse_loadings=True),
    Peer(
        "sklearn MiniBatchSparsePCA",
        "sklearn",
        sklearn_sparse("MiniBatchSparsePCA"),
        sparse_loadings=True,
    ),
]
PEERS = {peer.name: peer for peer in _ALL}
