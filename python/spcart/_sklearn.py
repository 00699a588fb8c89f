"""What is used of scikit-learn. Its types are in `_sklearn.pyi`: it has none of its own."""

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch, check_random_state
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

__all__ = [
    "BaseEstimator",
    "Bunch",
    "ClassNamePrefixFeaturesOutMixin",
    "ConvergenceWarning",
    "TransformerMixin",
    "check_array",
    "check_is_fitted",
    "check_random_state",
    "output_container",
    "validate_data",
]


def output_container(estimator):
    """What `set_output`, or the configuration of scikit-learn, wants of a transformer."""
    return _get_output_config("transform", estimator)["dense"]
