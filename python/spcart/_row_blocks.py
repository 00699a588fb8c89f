"""Samples in blocks of rows, from whatever hands them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._missing import check_missing, complete_rows, filled, is_sparse
from ._sklearn import check_array
from ._tables import dtype_to_check, is_anndata, make_table, names_of, viewed_dtype

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._typing import Vector

#: Numbers of a block that is read from elsewhere.
_AT_ONCE = 1 << 21

#: A matrix in a file is read as a whole if it takes at most this part of the memory.
_PART_OF_MEMORY = 4


class RowBlocks:
    """A table that hands out its samples in blocks, as often as it is asked.

    For data that is larger than memory, comes from elsewhere or is generated. Whatever takes data
    takes it, unless samples must be in memory (:func:`spcart.choose`, :func:`spcart.bootstrap`). It
    is read once or twice if there are few thousand variables, and otherwise about as often as PCA
    has iterations. Every pass must give the same numbers, which is checked.

    Parameters
    ----------
    blocks : callable or iterable
        A function without arguments that returns the blocks, or something that can be iterated over
        more than once, such as a list. Blocks are arrays, data frames or sparse matrices of
        consecutive samples, with all variables; either all are sparse or none is.
    shape : tuple of int, default=None
        Number of samples and of variables. None: one pass more counts them.
    names : sequence of str, default=None
        Names of the variables. None: those of the first block, if it has any.
    dtype : dtype, default=None
        Type of the numbers, to which blocks are converted. None: that of the first block.

    Attributes
    ----------
    shape : tuple of int
        Number of samples and of variables.
    dtype : numpy.dtype
        Type of the numbers.
    names : list or None
        Names of the variables.

    See Also
    --------
    Moments : For samples that can be seen only once, or that are spread over machines.

    Examples
    --------
    >>> import numpy as np, spcart
    >>> def years():
    ...     for year in range(2000, 2020):
    ...         yield np.random.default_rng(year).normal(size=(365, 8)) @ np.diag(range(1, 9))
    >>> rows = spcart.RowBlocks(years)
    >>> rows.shape
    (7300, 8)
    >>> spcart.SPCArt(2, nonzeros=1).fit(rows).components_.nonzero()[1]
    array([7, 6])
    """

    def __init__(
        self,
        blocks: Callable[[], Iterable[Any]] | Iterable[Any],
        *,
        shape: tuple[int, int] | None = None,
        names: Sequence[object] | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if isinstance(blocks, Iterator):
            raise TypeError(
                "blocks: an iterator can be read only once; give a function that returns a new one"
            )
        if not callable(blocks) and not isinstance(blocks, Iterable):
            raise TypeError(
                f"blocks: it must be a function or an iterable, not {type(blocks).__name__}"
            )
        self._blocks = blocks
        first = next((block for block in self._raw() if len_of(block) > 0), None)
        if first is None:
            raise ValueError("blocks: there are no samples")
        checked = _checked(first)
        self._is_converted = dtype is not None
        self.dtype: np.dtype[Any] = np.dtype(
            viewed_dtype(checked.dtype if dtype is None else dtype)
        )
        self._is_sparse = is_sparse(checked)
        self._first_density = checked.nnz / max(np.prod(checked.shape), 1) if self._is_sparse else 1
        self.names = list(names) if names is not None else names_of(first)
        cols = checked.shape[1]
        if shape is None:
            shape = (sum(len_of(block) for block in self._raw()), cols)
        self.shape: tuple[int, int] = _checked_shape(shape, cols)
        if self.names is not None and len(self.names) != cols:
            raise ValueError(f"names: there are {len(self.names)}, for {cols} variables")

    def _raw(self) -> Iterator[Any]:
        return iter(self._blocks() if callable(self._blocks) else self._blocks)

    def __iter__(self) -> Iterator[Any]:
        """Blocks as arrays or CSR matrices of one type."""
        for block in self._raw():
            checked = _checked(block)
            if is_sparse(checked) != self._is_sparse:
                raise ValueError("blocks: either all must be sparse, or none")
            if not self._is_converted and not np.can_cast(checked.dtype, self.dtype):
                raise ValueError(
                    f"blocks: the first has numbers of {self.dtype}, and a later one of "
                    f"{checked.dtype}: give a dtype for all"
                )
            yield checked.astype(self.dtype, copy=False)

    def table(self) -> _core.Table:
        """A table of the core."""
        like = next(iter(self))
        n, p = self.shape
        entries = self._first_density * n * p if self._is_sparse else 0.0
        table = _core.source(
            lambda: (make_table(block) for block in self), n, p, make_table(like), entries
        )
        table.names = self.names
        return table

    def without_missing(
        self, missing: str, known: Vector | None = None
    ) -> tuple[RowBlocks, Vector | None]:
        """The same without missing values, and what is inserted for them, if anything.

        That is `known`, or else the mean of the variable's other values.
        """
        check_missing(missing)
        if missing == "error" or self.dtype.kind != "f":
            return self, None
        if missing == "drop":
            complete = RowBlocks(
                lambda: (block[complete_rows(block)] for block in self), names=self.names
            )
            return complete, None
        means = self._means() if known is None else known
        inserted = RowBlocks(
            lambda: (filled(block, means) for block in self), shape=self.shape, names=self.names
        )
        return inserted, means

    def _means(self) -> Vector:
        sums, known = np.zeros(self.shape[1]), np.zeros(self.shape[1])
        for block in self:
            dense: Any = block.toarray() if is_sparse(block) else block
            sums += np.sum(dense, axis=0, dtype=np.float64, where=np.isfinite(dense))
            known += np.sum(~np.isnan(dense), axis=0)
        if (known == 0).any():
            j = int(np.argmax(known == 0))
            name = "" if self.names is None else f" ('{self.names[j]}')"
            raise ValueError(
                f"missing=mean: column {j}{name} has missing values only, so that it has no mean"
            )
        means: Vector = sums / known
        return means


def len_of(block: Any) -> int:
    """The number of samples of a block."""
    return int(block.shape[0]) if hasattr(block, "shape") else len(block)


def _checked(block: Any) -> Any:
    return check_array(
        block,
        accept_sparse="csr",
        dtype=dtype_to_check(block),
        ensure_all_finite=False,
        ensure_min_samples=0,
        input_name="blocks",
    )


def _checked_shape(shape: tuple[int, int], cols: int) -> tuple[int, int]:
    n, p = (int(size) for size in shape)
    if p != cols:
        raise ValueError(f"shape={shape}: the first block has {cols} variables")
    if n < 1:
        raise ValueError(f"shape={shape}: there must be at least one sample")
    return n, p


def _library_of(data: object) -> str:
    return type(data).__module__.partition(".")[0]


def _is_small(size: int, memory: int | str | None) -> bool:
    """Whether so many bytes are read into memory as a whole: not if a limit is given."""
    return memory is None and size <= _core.available_memory() // _PART_OF_MEMORY


def _slices(data: Any, bounds: Sequence[int]) -> Callable[[], Iterator[Any]]:
    """Rows of what can be indexed like an array, and then is one."""

    def blocks() -> Iterator[Any]:
        for first, last in zip(bounds[:-1], bounds[1:], strict=True):
            yield data[first:last]

    return blocks


def _rows_at_once(cols: int) -> int:
    return max(_AT_ONCE // max(cols, 1), 1)


def _bounds(shape: tuple[int, int]) -> list[int]:
    return [*range(0, shape[0], _rows_at_once(shape[1])), shape[0]]


def _stored_rows(
    matrix: Any, names: Sequence[object] | None, memory: int | str | None
) -> RowBlocks | None:
    """The rows of a matrix in a file: an array of HDF5 or Zarr, or sparse as AnnData has it."""
    library = _library_of(matrix)
    if library == "dask":
        return _dask_rows(matrix, memory, names)
    if library == "anndata" and getattr(matrix, "format", None) == "csr":
        size = len(matrix.group["indices"]) * (matrix.dtype.itemsize + 8)
    elif library in ("h5py", "zarr") and len(matrix.shape) == 2:
        size = int(np.prod(matrix.shape)) * matrix.dtype.itemsize
    else:  # in memory, or sparse by columns: reading some rows would be reading all of it
        return None
    if _is_small(size, memory):
        return None
    return RowBlocks(_slices(matrix, _bounds(matrix.shape)), shape=matrix.shape, names=names)


def _dask_rows(
    data: Any, memory: int | str | None, names: Sequence[object] | None = None
) -> RowBlocks:
    """An array or data frame of dask: one block for each chunk of rows, or for each partition."""
    if hasattr(data, "partitions") and hasattr(data, "columns"):  # a data frame

        def partitions() -> Iterator[Any]:
            for i in range(data.npartitions):
                yield data.partitions[i].compute()

        return RowBlocks(partitions, names=list(data.columns))
    if data.ndim != 2:
        raise ValueError(f"X: it must have two dimensions, and has {data.ndim}")
    if np.isnan(np.array(data.shape, dtype=float)).any():
        data = data.persist() if memory is None else data
        data.compute_chunk_sizes()
    bounds = np.concatenate([[0], np.cumsum(data.chunks[0])]).astype(int).tolist()
    read = _slices(data, bounds)
    return RowBlocks(lambda: (part.compute() for part in read()), shape=data.shape, names=names)


def _arrow_rows(data: Any, memory: int | str | None) -> RowBlocks | None:
    """A data set or a Parquet file of Arrow: batches of rows."""
    read: Any
    if hasattr(data, "to_batches") and hasattr(data, "count_rows"):  # a data set
        read, names, n = data.to_batches, data.schema.names, data.count_rows()
    elif hasattr(data, "iter_batches"):  # a Parquet file
        read, names, n = data.iter_batches, data.schema_arrow.names, data.metadata.num_rows
    else:
        return None
    rows = _rows_at_once(len(names))
    return RowBlocks(
        lambda: (_arrow_array(batch) for batch in read(batch_size=rows)),
        shape=(n, len(names)),
        names=names,
    )


def _arrow_array(batch: Any) -> Any:
    """Numbers of a batch; missing ones are NaN."""
    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        values = column.to_numpy(zero_copy_only=False)
        if values.dtype.kind not in "fiub":
            raise ValueError(f"column '{name}' has no numbers: leave it out, or encode it")
        columns.append(values)
    return np.column_stack(columns)


def _polars_rows(data: Any, memory: int | str | None) -> RowBlocks | None:
    """A lazy frame of polars: slices of its rows."""
    if not hasattr(data, "collect_schema"):
        return None
    import polars as pl

    if not isinstance(data, pl.LazyFrame):
        return None
    names = data.collect_schema().names()
    n = int(data.select(pl.len()).collect().item())
    bounds = _bounds((n, len(names)))

    def slices() -> Iterator[Any]:
        for first, last in zip(bounds[:-1], bounds[1:], strict=True):
            yield data.slice(first, last - first).collect()

    return RowBlocks(slices, shape=(n, len(names)), names=names)


#: How data of a library is read. None of them is imported for it.
_READERS: dict[str, Callable[[Any, int | str | None], RowBlocks | None]] = {
    "anndata": lambda data, memory: _stored_rows(data, None, memory),
    "dask": _dask_rows,
    "dask_expr": _dask_rows,
    "h5py": lambda data, memory: _stored_rows(data, None, memory),
    "polars": _polars_rows,
    "pyarrow": _arrow_rows,
    "zarr": lambda data, memory: _stored_rows(data, None, memory),
}


def rows_of(data: object, memory: int | str | None) -> RowBlocks | None:
    """Data that is not in memory as blocks of rows; None for all other data.

    What is in a file and fits well into memory is better read as a whole.
    """
    if isinstance(data, RowBlocks):
        return data
    if is_anndata(data):
        return _stored_rows(data.X, data.var_names, memory)
    reader = _READERS.get(_library_of(data))
    return None if reader is None else reader(data, memory)
