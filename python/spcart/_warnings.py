"""Warnings of a fit."""

import warnings

from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning


class SpcartWarning(UserWarning):
    """Something about the data or the result that should be known."""


class ConvergenceWarning(SpcartWarning, _SklearnConvergenceWarning):
    """The method stopped before it converged; also scikit-learn's own warning of that name."""


def warn(result, stacklevel):
    """Warn of all that a result of the core says."""
    unconverged = result.get("status") == "iteration_limit"
    for message in result["warnings"]:
        of_convergence = unconverged and message == result["message"]
        category = ConvergenceWarning if of_convergence else SpcartWarning
        warnings.warn(message, category, stacklevel=stacklevel + 1)
