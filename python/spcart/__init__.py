"""Sparse principal components: a few variables each, nearly all that PCA explains."""

import atexit

from . import _core, datasets, plot, pp
from ._choosing import Stability, bootstrap, choose
from ._core import (
    Bound,
    Certificate,
    Choice,
    ComparisonRow,
    Criteria,
    History,
    Path,
    PathPoint,
    PrincipalBasis,
    Proof,
    Recommendation,
    Restarts,
    RotationResult,
    Scree,
    SearchReport,
    TargetReport,
    Timing,
    UpperBound,
    ValidationPoint,
)
from ._estimator import SPCArt
from ._functions import certify, compare, evaluate, fit, principal_basis, rotate_and_truncate
from ._moments import Moments
from ._path import path
from ._row_blocks import RowBlocks
from ._warnings import ConvergenceWarning, SpcartWarning

__version__: str = _core.version

# Earlier names.
Compared = ComparisonRow
HeldOut = ValidationPoint
Rotated = RotationResult

__all__ = [
    "Bound",
    "Certificate",
    "Choice",
    "Compared",
    "ComparisonRow",
    "ConvergenceWarning",
    "Criteria",
    "HeldOut",
    "History",
    "Moments",
    "Path",
    "PathPoint",
    "PrincipalBasis",
    "Proof",
    "Recommendation",
    "Restarts",
    "Rotated",
    "RotationResult",
    "RowBlocks",
    "SPCArt",
    "Scree",
    "SearchReport",
    "SpcartWarning",
    "Stability",
    "TargetReport",
    "Timing",
    "UpperBound",
    "ValidationPoint",
    "bootstrap",
    "certify",
    "choose",
    "compare",
    "datasets",
    "evaluate",
    "fit",
    "path",
    "plot",
    "pp",
    "principal_basis",
    "rotate_and_truncate",
]

# A decomposition that Ctrl-C could not stop must not see the process taken down around it.
atexit.register(_core.wait_for_abandoned)
