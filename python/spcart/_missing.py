"""Missing values (NaN): what becomes of them before the core sees the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ._typing import Vector

#: As the command has them.
CHOICES = ("error", "drop", "mean")


def is_sparse(data: object) -> bool:
    """Whether it is a sparse array or matrix, in any format."""
    return bool(sp.issparse(data))


def check_missing(missing: object) -> None:
    """Reject anything but one of the choices."""
    if not isinstance(missing, str) or missing not in CHOICES:
        raise ValueError(f"missing={missing}: it must be one of {', '.join(CHOICES)}")


def complete_rows(data: Any) -> NDArray[np.bool_]:
    """Which samples have no missing value."""
    complete = np.ones(data.shape[0], dtype=np.bool_)
    if is_sparse(data):
        entries = data.tocoo()
        complete[entries.row[np.isnan(entries.data)]] = False
    elif data.dtype.kind == "f":
        complete &= ~np.isnan(data).any(axis=1)
    return complete


def dropped(data: Any) -> Any:
    """The samples without missing values: the data itself if that is all of them."""
    complete = complete_rows(data)
    if complete.all():
        return data
    if not complete.any():
        raise ValueError("missing=drop: every sample has a missing value, so that none is left")
    return data[complete]


def means_of(data: Any, names: Sequence[object] | None) -> Vector:
    """The mean of each variable's values that are not missing."""
    gaps = np.zeros(data.shape[1])
    if is_sparse(data):
        entries = data.tocoo()
        np.add.at(gaps, entries.col[np.isnan(entries.data)], 1)
        known = np.where(np.isfinite(entries.data), entries.data, 0.0)
        sums = np.bincount(entries.col, weights=known, minlength=data.shape[1])
    else:
        gaps += np.isnan(data).sum(axis=0)
        sums = np.sum(data, axis=0, dtype=np.float64, where=np.isfinite(data))
    if (gaps == data.shape[0]).any():
        j = int(np.argmax(gaps == data.shape[0]))
        name = "" if names is None else f" ('{names[j]}')"
        raise ValueError(
            f"missing=mean: column {j}{name} has missing values only, so that it has no mean"
        )
    means: Vector = sums / (data.shape[0] - gaps)
    return means


def filled(data: Any, means: Vector) -> Any:
    """The data with means instead of missing values: itself if there are none, else a copy."""
    if data.dtype.kind != "f":
        return data
    missing = np.isnan(data.data if is_sparse(data) else data)
    if not missing.any():
        return data
    data = data.copy()
    if is_sparse(data):
        data.data[missing] = means[data.tocoo().col[missing]]
    else:
        data[missing] = means[np.nonzero(missing)[1]]
    return data


def handled(data: Any, missing: str, names: Sequence[object] | None) -> Any:
    """The data as `missing` wants it; what is left of NaN the core rejects."""
    if missing == "drop":
        return dropped(data)
    if missing == "mean" and data.dtype.kind == "f":
        return filled(data, means_of(data, names))
    return data
