"""Warnings of a fit."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from ._sklearn import ConvergenceWarning as _SklearnConvergenceWarning


class SpcartWarning(UserWarning):
    """Something about the data or the result that should be known."""


class ConvergenceWarning(SpcartWarning, _SklearnConvergenceWarning):
    """The method stopped before it converged; also scikit-learn's own warning of that name."""


def warn(messages: Iterable[str], stacklevel: int, *, of_convergence: str | None = None) -> None:
    """Warn of each message; one of them may be about convergence."""
    for message in messages:
        category = ConvergenceWarning if message == of_convergence else SpcartWarning
        warnings.warn(message, category, stacklevel=stacklevel + 1)
