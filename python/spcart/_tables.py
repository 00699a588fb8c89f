"""Data of Python's as tables of the core, viewed in place whenever that is possible."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy.sparse as sp

from . import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray
    from typing_extensions import TypeIs

    from ._typing import AnnDataLike, Data

#: Types that the core views.
VIEWED = ("float64", "float32", "int32", "uint8")

#: Smaller types fit exactly into one that is viewed; all others become float64.
_WIDENED = {
    "bool": "uint8",
    "int8": "int32",
    "int16": "int32",
    "uint16": "int32",
    "float16": "float32",
}

#: Types that the core reads from files.
_IN_FILES = (*VIEWED, "bool", "int8", "int16", "uint16", "uint32", "int64", "uint64")


def viewed_dtype(dtype: DTypeLike) -> str:
    """The type in which numbers of this one are given to the core."""
    dtype = np.dtype(dtype)
    name = dtype.name
    return name if dtype.isnative and name in VIEWED else _WIDENED.get(name, "float64")


def is_anndata(data: object) -> TypeIs[AnnDataLike]:
    """Whether it is an AnnData, or something that looks like one."""
    return all(hasattr(data, name) for name in ("X", "obs_names", "var_names"))


def stored(data: Data) -> object:
    """The numbers of an AnnData where they are, which may be a file; or the data itself."""
    return data.X if is_anndata(data) else data


def unwrapped(data: Data) -> object:
    """The numbers of an AnnData, in memory; or the data itself."""
    return in_memory(data.X) if is_anndata(data) else data


#: Numbers of a file that are read at a time.
_READ_AT_ONCE = 1 << 24


def in_memory(matrix: Any, variables: NDArray[np.bool_] | None = None) -> Any:
    """A matrix of AnnData, or some of its variables; one that is in a file is read."""
    if hasattr(matrix, "to_memory"):  # sparse, in a file
        if variables is not None and matrix.format == "csr":
            return _read_rows(matrix, variables)
        matrix = matrix.to_memory()
    if variables is None:
        return matrix
    is_here = sp.issparse(matrix) or isinstance(matrix, np.ndarray)
    return matrix[:, variables] if is_here else _read_rows(matrix, variables)


def _read_rows(matrix: Any, variables: NDArray[np.bool_]) -> Any:
    """Some variables of a matrix in a file, without all others in memory."""
    rows, cols = matrix.shape
    step = max(_READ_AT_ONCE // max(cols, 1), 1)
    parts = [matrix[i : i + step][:, variables] for i in range(0, rows, step)]
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def names_of(data: object) -> Sequence[object] | None:
    """The names of the variables, if the data has any."""
    if is_anndata(data):
        return data.var_names
    names = getattr(data, "columns", None)
    return names if names is None else list(names)


def dtype_to_check(data: object) -> object:
    """The type that data should be converted to, if it must be: for scikit-learn's check."""
    if not sp.issparse(data) and not isinstance(data, np.ndarray):
        return [np.dtype(name) for name in VIEWED]
    dtype = cast("Any", data).dtype
    return None if dtype.kind == "b" else viewed_dtype(dtype)


def make_table(
    data: Any, *, original: object = None, names: Sequence[object] | None = None
) -> _core.Table:
    """A table of data that scikit-learn has checked.

    `original` is what the user gave: the core reads a memory map from its file if it would not fit
    in memory. `names` of variables are for messages.
    """
    if sp.issparse(data):
        table = _sparse(data)
    else:
        table = _mapped_table(data, original) or _core.dense(_dense(data))
    table.names = names
    return table


def make_covariance(matrix: NDArray[Any]) -> _core.Table:
    """A table of a covariance matrix."""
    return _core.covariance(_dense(matrix))


def _dense(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    array = array.astype(viewed_dtype(array.dtype), copy=False)
    return array if _is_plain(array) else np.ascontiguousarray(array)


def _is_plain(array: NDArray[Any]) -> bool:
    """Whether rows and columns are apart from each other, as those of BLAS are."""
    rows, cols = (max(size, 1) for size in array.shape)
    down, along = array.strides
    size = array.itemsize
    whole = down % size == 0 and along % size == 0 and min(down, along) >= size
    return array.flags.aligned and whole and (down >= along * cols or along >= down * rows)


def _sparse(matrix: Any) -> _core.Table:
    if matrix.format not in ("csr", "csc"):
        matrix = matrix.tocsr()
    if not matrix.has_canonical_format:  # the core does not add up repeated entries
        matrix = matrix.copy()
        matrix.sum_duplicates()
    values = matrix.data.view(np.uint8) if matrix.dtype == np.bool_ else matrix.data
    values = values.astype(viewed_dtype(values.dtype), copy=False)
    index = np.result_type(matrix.indices.dtype, matrix.indptr.dtype)
    inner = matrix.indices.astype(index, copy=False)
    outer = matrix.indptr.astype(index, copy=False)
    rows, cols = matrix.shape
    return _core.sparse(matrix.format == "csr", rows, cols, values, inner, outer)


def _mapped_table(data: NDArray[Any], array: object) -> _core.Table | None:
    """The table of data with its place in the file, if the array that it was is a memory map."""
    root = _mapped(array)
    if root is None or not isinstance(array, np.ndarray):
        return None
    if array.shape != data.shape or array.dtype.name not in _IN_FILES:
        return None
    if not array.dtype.isnative or not (array.flags.c_contiguous or array.flags.f_contiguous):
        return None
    # The offset of a part of a map is that of the whole.
    begin = root.offset + array.ctypes.data - root.ctypes.data
    by_row = bool(array.flags.c_contiguous)
    file = os.fspath(root.filename)
    return _core.mapped(_dense(data), file, array.dtype.name, by_row, begin)


def _mapped(array: object) -> Any:
    """The memory map of a file that an array is part of, if its file has what the map shows."""
    root = None
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            root = array
        array = array.base
    if root is None or root.filename is None or root.mode == "c":
        return None
    return root
