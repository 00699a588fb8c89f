"""Sums over samples that can be added up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._missing import check_missing, complete_rows
from ._row_blocks import rows_of
from ._sklearn import check_array
from ._tables import dtype_to_check, make_table, names_of, unwrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from ._typing import Data, Matrix, Vector


class Moments:
    """Number, means and covariance of samples: all that components depend on.

    Samples may come in parts, each seen only once. Moments of parts are added up, by ``+`` or by
    ``sum``, so that parts may be measured in other processes or on other machines: moments can be
    pickled. Whatever takes data takes moments, unless it needs samples (scores,
    :func:`spcart.choose`, :func:`spcart.bootstrap`).

    They need memory for ``n_features ** 2`` numbers.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        The first samples, as for `update`.
    missing : {"error", "drop"}, default="error"
        What to do with missing values (NaN): reject them, or leave out their samples.
    n_threads : int, default=None
        Number of threads. None: as many as OpenMP offers.

    Attributes
    ----------
    n_samples : int
        Number of samples so far.
    shape : tuple of int
        Number of samples and of variables.
    mean : ndarray of shape (n_features,)
        Means of the variables.
    scatter : ndarray of shape (n_features, n_features)
        Sum over samples of the products of deviations from the means.
    names : list or None
        Names of the variables, if the first samples have them.

    See Also
    --------
    SPCArt.partial_fit : Components after each part.
    RowBlocks : For samples that can be read again.

    Examples
    --------
    >>> import spcart
    >>> X = spcart.datasets.load_spiked(n=300, p=40, r=2, k=5).data
    >>> moments = sum(spcart.Moments(part) for part in (X[:100], X[100:250], X[250:]))
    >>> moments.n_samples
    300
    >>> model = spcart.SPCArt(2, nonzeros=5).fit(moments)
    >>> twin = spcart.SPCArt(2, nonzeros=5).fit(X)
    >>> bool(abs(model.components_ - twin.components_).max() < 1e-9)
    True
    """

    def __init__(
        self, X: Data | None = None, *, missing: str = "error", n_threads: int | None = None
    ) -> None:
        check_missing(missing)
        if missing == "mean":
            raise ValueError("missing=mean: it must be error or drop, means are not known before")
        self.missing = missing
        self.n_threads = n_threads
        self.names: Sequence[object] | None = None
        self._sums: _core.SampleMoments | None = None
        if X is not None:
            self.update(X)

    @property
    def n_samples(self) -> int:
        return 0 if self._sums is None else self._sums.samples

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_samples, 0 if self._sums is None else len(self._sums.means)

    @property
    def mean(self) -> Vector:
        return self._known().means

    @property
    def scatter(self) -> Matrix:
        return self._known().scatter

    def covariance(self) -> Matrix:
        """Covariance of the samples, with divisor ``n_samples - 1``."""
        if self.n_samples < 2:
            raise ValueError(f"moments of {self.n_samples} samples: a covariance needs two")
        return self.scatter / (self.n_samples - 1)

    def update(self, X: Data) -> Self:
        """Add samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            One row per sample; also blocks of rows, as :class:`RowBlocks`.

        Returns
        -------
        self : Moments
            With these samples.
        """
        if isinstance(X, Moments):
            return self._add(X)
        rows = rows_of(X, None)
        if rows is not None:
            complete, _ = rows.without_missing(self.missing)
            return self._add_sums(_core.moments(complete.table(), self.n_threads or 0), rows.names)
        data = unwrapped(X)
        checked = check_array(
            data, accept_sparse=["csr", "csc"], dtype=dtype_to_check(data), ensure_all_finite=False
        )
        return self.update_checked(checked, names_of(X))

    def update_checked(self, checked: Any, names: Sequence[object] | None) -> Self:
        """Add samples that scikit-learn has checked."""
        if self.missing == "drop":
            checked = checked[complete_rows(checked)]
        if checked.shape[0] == 0:
            return self
        table = make_table(checked, names=names)
        return self._add_sums(_core.moments(table, self.n_threads or 0), names)

    def table(self) -> _core.Table:
        """A table of the core."""
        table = _core.of_moments(self._known())
        table.names = self.names
        return table

    def __add__(self, other: Moments | int) -> Moments:
        """Moments of both parts; 0 is no part, for the sake of ``sum``."""
        both = Moments(missing=self.missing, n_threads=self.n_threads)
        both._add(self)
        if isinstance(other, Moments):
            return both._add(other)
        return both if other == 0 and isinstance(other, int) else NotImplemented

    __radd__ = __add__

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._sums is not None:
            state["_sums"] = (self._sums.samples, self._sums.means, self._sums.scatter)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._sums is not None:
            self._sums = _core.SampleMoments(*state["_sums"])

    def __repr__(self) -> str:
        return f"Moments({self.shape[0]} samples, {self.shape[1]} variables)"

    def _known(self) -> _core.SampleMoments:
        if self._sums is None:
            raise ValueError("moments: they have no samples")
        return self._sums

    def _add(self, other: Moments) -> Self:
        return self if other._sums is None else self._add_sums(other._sums, other.names)

    def _add_sums(self, sums: _core.SampleMoments, names: Sequence[object] | None) -> Self:
        if self._sums is None:
            self._sums = _core.SampleMoments(0, np.empty(0), np.empty((0, 0)))
            self.names = None if names is None else list(names)
        elif names is not None and self.names is not None and list(names) != self.names:
            raise ValueError("X has other variables than the samples before, or in other order")
        self._sums.add(sums)
        return self
