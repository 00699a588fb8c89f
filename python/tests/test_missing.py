"""Missing values: rejected, left out with their samples, or replaced by means."""

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import spcart
from spcart import SPCArt

NAMES = [f"gene{j}" for j in range(12)]

KINDS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "float32": lambda x: x.astype(np.float32),
    "pandas": lambda x: pd.DataFrame(x, columns=NAMES),
    "CSR": sp.csr_array,
    "CSC": sp.csc_array,
    "CSR matrix": sp.csr_matrix,
}


@pytest.fixture
def gaps(table):
    """A table with missing values in two samples, and which samples are complete."""
    table[4, 2] = table[4, 7] = table[40, 2] = np.nan
    return table, ~np.isnan(table).any(axis=1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_messages_count_from_zero_and_name_the_column(table, bad):
    table[4, 2] = bad
    shown = "NaN" if np.isnan(bad) else str(bad)
    hint = "; missing='drop' leaves out its sample" if np.isnan(bad) else "$"
    frame = pd.DataFrame(table, columns=NAMES)
    for data, where in [
        (table, "row 4, column 2: "),
        (frame, "row 4, column 2 ('gene2'): "),
        (sp.csr_array(table), "row 4, column 2: "),
    ]:
        message = f"^{re.escape(where)}{re.escape(shown)} is not a finite number{hint}"
        with pytest.raises(ValueError, match=message):
            SPCArt(2).fit(data)
        for function in (spcart.principal_basis, spcart.path, spcart.compare):
            with pytest.raises(ValueError, match=message):
                function(data, 2)
        with pytest.raises(ValueError, match=message):
            spcart.evaluate(data, np.eye(12)[:, :2])
    model = SPCArt(2).fit(frame.fillna(0).replace([np.inf, -np.inf], 0))
    for method in (model.transform, model.score, model.score_samples):
        with pytest.raises(ValueError, match=r"row 4, column 2 \('gene2'\): "):
            method(frame)


def test_a_covariance_must_be_complete(table):
    C = np.cov(table.T)
    C[1, 0] = C[0, 1] = np.nan
    message = "^covariance: row 1, column 0: NaN is not a finite number$"
    for missing in ("error", "drop", "mean"):
        with pytest.raises(ValueError, match=message):
            SPCArt(2, missing=missing).fit_covariance(C)
        with pytest.raises(ValueError, match=message):
            spcart.path(C, 2, covariance=True, missing=missing)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_left_out(gaps, kind):
    table, complete = gaps
    data = KINDS[kind](table)
    model = SPCArt(3, nonzeros=4, missing="drop").fit(data)
    twin = SPCArt(3, nonzeros=4).fit(table[complete])
    np.testing.assert_allclose(model.components_, twin.components_, atol=1e-6)
    assert model.n_samples_ == 78
    assert model.fill_values_ is None
    scores = model.transform(data)
    assert scores.shape == (80, 3)
    np.testing.assert_array_equal(np.isnan(scores).all(axis=1), ~complete)
    np.testing.assert_allclose(scores[complete], twin.transform(table[complete]), atol=1e-3)
    likelihood = model.score_samples(data)
    np.testing.assert_array_equal(np.isnan(likelihood), ~complete)
    assert model.score(data) == pytest.approx(twin.score(table[complete]), rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_means_are_inserted(gaps, kind):
    table, _ = gaps
    data = KINDS[kind](table)
    filled = np.where(np.isnan(table), np.nanmean(table, axis=0), table)
    model = SPCArt(3, nonzeros=4, missing="mean").fit(data)
    twin = SPCArt(3, nonzeros=4).fit(filled)
    np.testing.assert_allclose(model.components_, twin.components_, atol=1e-6)
    np.testing.assert_allclose(model.fill_values_, np.nanmean(table, axis=0), rtol=1e-6)
    np.testing.assert_allclose(model.transform(data), twin.transform(filled), atol=1e-3)
    # New samples have the means of the fit.
    new = np.where(np.isnan(table[:5]), model.fill_values_, table[:5])
    np.testing.assert_allclose(
        model.transform(KINDS[kind](table[:5])), twin.transform(new), atol=1e-3
    )
    assert model.score(data) == pytest.approx(twin.score(filled), rel=1e-5)


def test_the_data_stays_as_it_was(gaps):
    table, _ = gaps
    sparse = sp.csr_array(table)
    for missing in ("drop", "mean"):
        SPCArt(2, missing=missing).fit_transform(table)
        SPCArt(2, missing=missing).fit_transform(sparse)
    assert np.isnan(table).sum() == np.isnan(sparse.data).sum() == 3


def test_means_do_not_depend_on_centring(gaps):
    table, _ = gaps
    model = SPCArt(2, missing="mean", center=False).fit(table)
    np.testing.assert_allclose(model.fill_values_, np.nanmean(table, axis=0))
    assert not model.mean_.any()


def test_zeros_that_are_not_stored_count():
    x = sp.csr_array(np.array([[0.0, 2, 1], [np.nan, 0, 4], [4, 1, 0], [0, 3, 1]]))
    model = SPCArt(1, missing="mean").fit(x)
    np.testing.assert_allclose(model.fill_values_, [4 / 3, 1.5, 1.5])


def test_the_command_does_the_same(gaps, tmp_path, run_command):
    table, _ = gaps
    path = tmp_path / "x.csv"
    np.savetxt(path, table, delimiter=",", header=",".join(NAMES), comments="", fmt="%.17g")
    for missing in ("drop", "mean"):
        model = SPCArt(3, nonzeros=4, missing=missing).fit(table)
        document = run_command("fit", path, "-r", 3, "--nonzeros", 4, "--missing", missing)
        assert document["criteria"]["cpev"] == pytest.approx(model.cpev_, rel=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        lambda X, missing: spcart.principal_basis(X, 2, missing=missing).cpev,
        lambda X, missing: spcart.evaluate(X, np.eye(12)[:, :2], missing=missing).cpev,
        lambda X, missing: spcart.certify(X, np.eye(12)[:, :2], missing=missing).cpev,
        lambda X, missing: spcart.path(X, 2, points=3, missing=missing).knee.criteria.cpev,
        lambda X, missing: spcart.compare(X, 2, methods=["st"], missing=missing)[0].criteria.cpev,
        lambda X, missing: spcart.choose(X, folds=3, repeats=1, missing=missing).scree.variances[0],
        lambda X, missing: spcart.bootstrap(X, 2, resamples=3, missing=missing).model.cpev_,
    ],
)
def test_functions_take_it_too(gaps, function):
    table, complete = gaps
    filled = np.where(np.isnan(table), np.nanmean(table, axis=0), table)
    assert function(table, "drop") == pytest.approx(function(table[complete], "error"))
    assert function(table, "mean") == pytest.approx(function(filled, "error"))
    with pytest.raises(ValueError, match="^missing=median: it must be one of error, drop, mean$"):
        function(table, "median")


def test_what_cannot_be_done_is_rejected(table):
    with pytest.raises(ValueError, match="^missing=skip: it must be one of error, drop, mean$"):
        SPCArt(2, missing="skip").fit(table)
    table[:, 5] = np.nan
    message = r"^missing=mean: column 5 \('gene5'\) has missing values only"
    with pytest.raises(ValueError, match=message):
        SPCArt(2, missing="mean").fit(pd.DataFrame(table, columns=NAMES))
    with pytest.raises(ValueError, match="^missing=drop: every sample has a missing value"):
        SPCArt(2, missing="drop").fit(table)
    table[:, 5] = 0
    table[3, 4] = np.inf
    table[2, 4] = np.nan
    for missing in ("drop", "mean"):
        with pytest.raises(ValueError, match="column 4: inf is not a finite number$"):
            SPCArt(2, missing=missing).fit(table)


def test_scikit_learn_is_told():
    assert not SPCArt().__sklearn_tags__().input_tags.allow_nan
    assert SPCArt(missing="mean").__sklearn_tags__().input_tags.allow_nan
