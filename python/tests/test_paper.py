"""Rows of the paper's tables."""

import numpy as np
import pytest

from spcart import SPCArt, datasets


@pytest.mark.parametrize(
    ("parameters", "pattern", "nonorthogonality", "cpev", "iterations"),
    [
        ({}, [4, 2, 4, 3, 3, 2], 0.0181, 0.8013, 18),
        ({"nonzeros": 3}, [3, 3, 3, 3, 3, 3], 0.0428, 0.7514, 5),
    ],
)
def test_pitprops(parameters, pattern, nonorthogonality, cpev, iterations):
    model = SPCArt(6, start="identity", order="none", effort="none", **parameters)
    model.fit_covariance(datasets.load_pitprops().covariance)
    assert model.nonzeros_.tolist() == pattern
    assert model.nonorthogonality_ == pytest.approx(nonorthogonality, abs=0.5e-4)
    assert model.cpev_ == pytest.approx(cpev, abs=0.5e-4)
    assert model.cpev_pca_ == pytest.approx(0.87, abs=0.5e-4)
    assert model.n_iter_ == iterations
    assert np.std(1 - model.nonzeros_ / 13, ddof=1) == pytest.approx(
        0.0688 if not parameters else 0, abs=0.5e-4
    )


LAST_SIX, FIRST_FOUR, FIRST_FOUR_LAST_TWO = [4, 5, 6, 7, 8, 9], [0, 1, 2, 3], [0, 1, 2, 3, 8, 9]


@pytest.mark.parametrize(
    ("truncation", "lam", "second", "cpev"),
    [
        ("hard", None, FIRST_FOUR, 0.9848),
        ("soft", None, FIRST_FOUR, 0.9728),
        ("count", 4, FIRST_FOUR_LAST_TWO, 0.9968),
        ("energy", 0.1, FIRST_FOUR, 0.9848),
    ],
)
def test_synthetic(truncation, lam, second, cpev):
    model = SPCArt(2, truncation=truncation, lam=lam, start="identity")
    model.fit_covariance(datasets.load_synthetic().covariance)
    assert [np.flatnonzero(row).tolist() for row in model.components_] == [LAST_SIX, second]
    assert model.cpev_ == pytest.approx(cpev, abs=0.5e-4)
    assert model.cpev_pca_ == pytest.approx(0.9973, abs=0.5e-4)
