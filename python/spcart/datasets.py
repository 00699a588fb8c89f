"""Built-in data sets. The same parameters give the same numbers on every machine.

Each is returned as a :class:`sklearn.utils.Bunch` with ``feature_names``, ``DESCR`` and either
``data`` (one row per sample) or ``covariance``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from ._sklearn import Bunch

if TYPE_CHECKING:
    from ._typing import Matrix

__all__ = [
    "Dataset",
    "load_patches",
    "load_pitprops",
    "load_random",
    "load_spiked",
    "load_synthetic",
]

_DESCRIPTIONS = dict(_core.datasets())


class Dataset(Bunch):
    """A built-in data set."""

    #: One row per sample; only if the data set has samples.
    data: Matrix
    #: Only if the data set is a covariance matrix.
    covariance: Matrix
    #: Names of the variables.
    feature_names: list[str]
    #: What it is.
    DESCR: str


def _load(name: str, **parameters: float) -> Dataset:
    text = ",".join(f"{key}={value}" for key, value in parameters.items())
    values, variables, is_covariance = _core.load(f"{name}:{text}" if text else name)
    numbers = {"covariance" if is_covariance else "data": values}
    return Dataset(**numbers, feature_names=variables, DESCR=_DESCRIPTIONS[name])


def load_pitprops() -> Dataset:
    """Correlations of 13 properties of 180 pit props (Jeffers 1967), the classic of sparse PCA.

    Returns
    -------
    dataset : Dataset
        With ``covariance`` of shape (13, 13).

    Examples
    --------
    >>> import spcart
    >>> spcart.datasets.load_pitprops().feature_names[:3]
    ['topdiam', 'length', 'moist']
    """
    return _load("pitprops")


def load_synthetic() -> Dataset:
    """Covariance of 10 variables made by 3 hidden factors (Zou, Hastie and Tibshirani 2006).

    Returns
    -------
    dataset : Dataset
        With ``covariance`` of shape (10, 10).

    Examples
    --------
    >>> import spcart
    >>> spcart.datasets.load_synthetic().covariance.shape
    (10, 10)
    """
    return _load("synthetic")


def load_random(n: int = 500, p: int = 100, *, seed: int = 0) -> Dataset:
    """Samples of independent standard normal variables: no structure at all.

    Parameters
    ----------
    n, p : int
        Number of samples and of variables.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    dataset : Dataset
        With ``data`` of shape (n, p).

    Examples
    --------
    >>> import spcart
    >>> spcart.datasets.load_random(n=10, p=4).data.shape
    (10, 4)
    """
    return _load("random", n=n, p=p, seed=seed)


def load_spiked(
    n: int = 500,
    p: int = 100,
    *,
    r: int = 5,
    k: int = 8,
    strength: float = 8.0,
    noise: float = 1.0,
    seed: int = 0,
) -> Dataset:
    """Samples of a model with planted components that do not overlap.

    Parameters
    ----------
    n, p : int
        Number of samples and of variables.
    r, k : int
        Number of components, and of variables in each.
    strength : float, default=8
        Standard deviation of the last component; earlier ones are stronger.
    noise : float, default=1
        Standard deviation of the noise in each variable.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    dataset : Dataset
        With ``data`` of shape (n, p).

    Examples
    --------
    >>> import spcart
    >>> spcart.datasets.load_spiked(n=50, p=20, r=2, k=4).data.shape
    (50, 20)
    """
    return _load("spiked", n=n, p=p, r=r, k=k, strength=strength, noise=noise, seed=seed)


def load_patches(n: int = 5000, *, size: int = 13, seed: int = 0) -> Dataset:
    """Patches of pictures of discs that hide one another, with the statistics of natural images.

    Parameters
    ----------
    n : int, default=5000
        Number of patches.
    size : int, default=13
        Side of a patch in pixels.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    dataset : Dataset
        With ``data`` of shape (n, size * size).

    Examples
    --------
    >>> import spcart
    >>> spcart.datasets.load_patches(n=100, size=5).data.shape
    (100, 25)
    """
    return _load("patches", n=n, size=size, seed=seed)
