"""Sparse principal components: a few variables each, nearly all that PCA explains."""

import atexit

from . import _core, datasets, plot
from ._choosing import Choice, HeldOut, Recommendation, Scree, Stability, bootstrap, choose
from ._estimator import SPCArt
from ._functions import (
    Compared,
    Criteria,
    PrincipalBasis,
    Rotated,
    compare,
    evaluate,
    fit,
    principal_basis,
    rotate_and_truncate,
)
from ._path import Path, PathPoint, path
from ._warnings import ConvergenceWarning, SpcartWarning

__version__ = _core.version

__all__ = [
    "Choice",
    "Compared",
    "ConvergenceWarning",
    "Criteria",
    "HeldOut",
    "Path",
    "PathPoint",
    "PrincipalBasis",
    "Recommendation",
    "Rotated",
    "SPCArt",
    "Scree",
    "SpcartWarning",
    "Stability",
    "bootstrap",
    "choose",
    "compare",
    "datasets",
    "evaluate",
    "fit",
    "path",
    "plot",
    "principal_basis",
    "rotate_and_truncate",
]

# A decomposition that Ctrl-C could not stop must not see the process taken down around it.
atexit.register(_core.wait_for_abandoned)
