"""All that takes the place of a table in memory, and the door for any data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from . import _core
from ._missing import check_missing, handled
from ._moments import Moments
from ._row_blocks import RowBlocks, rows_of
from ._sklearn import check_array
from ._tables import dtype_to_check, make_covariance, make_table, names_of, unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from numpy.typing import DTypeLike

    from ._typing import Data

#: Samples that are known in another way than by a table in memory.
Source: TypeAlias = "RowBlocks | LinearOperator | Moments"


def source_of(data: object, memory: int | str | None = None) -> Source | None:
    """Data that is no table in memory; None for all other data."""
    if isinstance(data, LinearOperator | Moments):
        return data
    return rows_of(data, memory)


def table_of_source(source: Source) -> _core.Table:
    """A table of the core."""
    return _operator(source) if isinstance(source, LinearOperator) else source.table()


def names_of_source(source: Source) -> Sequence[object] | None:
    """The names of the variables, if they are known."""
    return None if isinstance(source, LinearOperator) else source.names


def dtype_of_source(source: Source) -> DTypeLike:
    """The type of components: float32 if that of the data is known to be."""
    is_single = isinstance(source, RowBlocks) and source.dtype == np.float32
    return np.float32 if is_single else np.float64


def table_of(
    X: Data, covariance: bool, missing: str, memory: int | str | None = None
) -> _core.Table:
    """A table of samples, or of a covariance matrix, as a user has them."""
    check_missing(missing)
    if covariance:
        return make_covariance(check_array(X, dtype=np.float64, ensure_all_finite=False))
    source = source_of(X, memory)
    if isinstance(source, RowBlocks):
        source, _ = source.without_missing(missing)
    if source is not None:
        return table_of_source(source)
    data = unwrapped(X)
    checked = check_array(
        data, accept_sparse=["csr", "csc"], dtype=dtype_to_check(data), ensure_all_finite=False
    )
    names = names_of(X)
    complete = handled(checked, missing, names)
    return make_table(complete, original=data if complete is checked else None, names=names)


def _operator(operator: LinearOperator) -> _core.Table:
    if operator.dtype is not None and np.dtype(operator.dtype).kind == "c":
        raise ValueError("X: the linear operator is complex, and components are of real numbers")

    def in_double(product: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: np.asarray(product(x), dtype=np.float64, order="F")

    rows, cols = operator.shape
    return _core.linear_operator(
        in_double(operator.matmat), in_double(operator.rmatmat), rows, cols
    )
