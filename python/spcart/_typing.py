"""Types of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import scipy.sparse as sp
    from scipy.sparse.linalg import LinearOperator

    from ._moments import Moments
    from ._row_blocks import RowBlocks


class AnnDataLike(Protocol):
    """An AnnData, or anything that looks like one."""

    @property
    def X(self) -> object: ...
    @property
    def obs_names(self) -> Sequence[object]: ...
    @property
    def var_names(self) -> Sequence[object]: ...


#: Arrays, data frames and nested lists; sparse arrays and matrices; AnnData; blocks of rows,
#: moments, operators.
Data: TypeAlias = (
    "ArrayLike | sp.sparray | sp.spmatrix | AnnDataLike | RowBlocks | Moments | LinearOperator"
)
Loadings: TypeAlias = "sp.csc_array[np.float64]"
Vector: TypeAlias = "NDArray[np.float64]"
Matrix: TypeAlias = "NDArray[np.float64]"
#: Of float32 or float64, as the data.
FloatMatrix: TypeAlias = "NDArray[np.floating]"
RandomState: TypeAlias = "int | np.random.RandomState | None"
ShowProgress: TypeAlias = "Callable[[str, float, str], None] | None"
