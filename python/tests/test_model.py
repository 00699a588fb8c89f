"""What users of PCA reach for: noise, covariance, likelihood, whitening, float32, names."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA

from spcart import SPCArt, SpcartWarning

PARAMETERS = [{"method": "pca"}, {"nonzeros": 4}, {"lam": 0.35}, {"nonzeros": 4, "scale": True}]


def prepared(model, X):
    return (X - model.mean_) / model.scale_


@pytest.mark.parametrize("shape", [(80, 12), (12, 30)])
def test_it_is_that_of_pca(shape):
    X = np.random.default_rng(1).normal(size=shape) * np.geomspace(9, 1, shape[1]) + 50
    ours, theirs = SPCArt(5, method="pca").fit(X), PCA(5, svd_solver="full").fit(X)
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-9)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-9)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-9)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-9)
    likelihood = ours.score_samples(X)
    ours, theirs = ours.set_params(whiten=True).fit(X), theirs.set_params(whiten=True).fit(X)
    # Whitening scales scores, not the distribution of the data.
    np.testing.assert_allclose(ours.score_samples(X), likelihood, rtol=1e-12)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-9)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_the_model_has_the_variance_of_the_data_in_the_span(table, parameters):
    model = SPCArt(4, **parameters).fit(table)
    A = prepared(model, table)
    C = np.cov(A.T)
    X = model.components_.T
    np.testing.assert_allclose(model.score_covariance_, X.T @ C @ X, rtol=1e-9, atol=1e-9)
    covariance = model.get_covariance()
    # In the span it is that of the data; elsewhere it is noise, independent of the span.
    np.testing.assert_allclose(X.T @ covariance @ X, X.T @ C @ X, rtol=1e-9, atol=1e-9)
    others = np.linalg.svd(X)[0][:, 4:]
    np.testing.assert_allclose(
        others.T @ covariance @ others, model.noise_variance_ * np.eye(8), atol=1e-9
    )
    np.testing.assert_allclose(X.T @ covariance @ others, 0, atol=1e-9)
    # All variance is there: trace of the data = trace of the model, if there is no rank to lose.
    assert np.trace(covariance) == pytest.approx(np.trace(C), rel=1e-9)
    assert model.noise_variance_ == pytest.approx((1 - model.cpev_) * np.trace(C) / 8, rel=1e-9)
    np.testing.assert_allclose(model.get_precision() @ covariance, np.eye(12), atol=1e-9)


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csc_array, np.asfortranarray])
def test_score_samples_is_the_logarithm_of_the_density(table, parameters, convert, monkeypatch):
    model = SPCArt(4, **parameters).fit(table[:60])
    normal = multivariate_normal(np.zeros(12), model.get_covariance())
    expected = normal.logpdf(prepared(model, table))
    np.testing.assert_allclose(model.score_samples(convert(table)), expected, rtol=1e-9)
    monkeypatch.setattr("spcart._estimator._AT_ONCE", 12 * 7)  # blocks of 7 samples
    np.testing.assert_allclose(model.score_samples(convert(table)), expected, rtol=1e-9)


def test_row_means_are_removed_from_new_samples_too(table):
    model = SPCArt(3, remove_row_mean=True).fit(table)
    A = table - table.mean(axis=1, keepdims=True)
    normal = multivariate_normal(np.zeros(12), model.get_covariance())
    expected = normal.logpdf(A - A.mean(axis=0))
    np.testing.assert_allclose(model.score_samples(table), expected, rtol=1e-9)


def test_without_noise_there_is_a_density_only_if_all_variables_are_spanned(table):
    model = SPCArt(method="pca").fit(table)
    assert model.noise_variance_ == 0
    np.testing.assert_allclose(model.get_covariance(), np.cov(table.T), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.get_precision() @ np.cov(table.T), np.eye(12), atol=1e-9)
    assert np.isfinite(model.score_samples(table)).all()
    with pytest.warns(SpcartWarning, match="numerical rank 3"):
        wide = SPCArt(4, method="pca").fit(table[:4])
    assert wide.noise_variance_ == 0
    with pytest.raises(ValueError, match="no inverse: there is variance in 3 directions of 12"):
        wide.get_precision()
    # As SciPy has it: within the span there is a density, and none elsewhere.
    covariance = wide.get_covariance()
    normal = multivariate_normal(table[:4].mean(axis=0), covariance, allow_singular=True)
    np.testing.assert_allclose(wide.score_samples(table[:4]), normal.logpdf(table[:4]), rtol=1e-7)
    assert (wide.score_samples(table[4:]) == -np.inf).all()


def test_a_loading_that_is_empty_or_repeated_does_not_break_the_model(table):
    model = SPCArt(3, nonzeros=4).fit(table)
    twice = SPCArt(3, nonzeros=4).fit(table)
    order = [0, 1, 1]
    twice.loadings_ = model.loadings_[:, order]
    twice.score_covariance_ = model.score_covariance_[np.ix_(order, order)]
    model.loadings_ = model.loadings_[:, :2]
    model.score_covariance_ = model.score_covariance_[:2, :2]
    np.testing.assert_allclose(twice.get_covariance(), model.get_covariance(), atol=1e-9)


def test_variance_that_dependent_components_leave_is_noise(table):
    model = SPCArt(12, nonzeros=1, method="st", effort="none").fit(table)
    rank = np.linalg.matrix_rank(model.components_)
    assert rank < 12
    left = (1 - model.cpev_) * np.trace(np.cov(table.T))
    assert model.noise_variance_ == pytest.approx(left / (12 - rank))
    assert np.isfinite(model.score_samples(table)).all()


def test_covariance_of_a_covariance(table):
    of_data, of_covariance = SPCArt(3).fit(table), SPCArt(3).fit_covariance(np.cov(table.T))
    assert of_covariance.noise_variance_ == pytest.approx(of_data.noise_variance_)
    np.testing.assert_allclose(of_covariance.get_covariance(), of_data.get_covariance(), atol=1e-7)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_whitened_scores_have_unit_variance(table, parameters):
    plain = SPCArt(4, **parameters).fit(table)
    model = SPCArt(4, whiten=True, **parameters).fit(table)
    np.testing.assert_array_equal(model.components_, plain.components_)
    scores = model.transform(table)
    np.testing.assert_allclose(scores.std(axis=0, ddof=1), 1)
    np.testing.assert_allclose(
        scores, plain.transform(table) / plain.transform(table).std(0, ddof=1)
    )
    np.testing.assert_allclose(
        model.inverse_transform(scores),
        plain.inverse_transform(plain.transform(table)),
        rtol=1e-9,
    )
    # The distribution of the data is the same however scores are scaled.
    np.testing.assert_array_equal(model.get_covariance(), plain.get_covariance())
    np.testing.assert_array_equal(model.score_samples(table), plain.score_samples(table))


@pytest.mark.filterwarnings("ignore::spcart.SpcartWarning")
def test_components_without_variance_have_no_whitened_scores():
    X = np.outer(np.arange(6.0), [1, 2, 3, 4])
    scores = SPCArt(2, method="pca", whiten=True).fit_transform(X)
    assert scores[:, 0].std(ddof=1) == pytest.approx(1)
    np.testing.assert_array_equal(scores[:, 1], 0)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csc_array, pd.DataFrame])
def test_float32_in_float32_out(table, convert):
    single, double = convert(table.astype(np.float32)), convert(table)
    model = SPCArt(3, nonzeros=4).fit(single)
    assert model.components_.dtype == np.float32
    assert model.loadings_.dtype == np.float64
    np.testing.assert_array_equal(model.components_, model.components_.astype(np.float32))
    scores = model.transform(single)
    assert scores.dtype == np.float32
    assert model.fit_transform(single).dtype == np.float32
    assert model.inverse_transform(scores).dtype == np.float32
    assert model.transform(double).dtype == np.float64
    twin = SPCArt(3, nonzeros=4).fit(double)
    assert twin.components_.dtype == np.float64
    assert twin.transform(double).dtype == twin.transform(single).dtype == np.float64
    np.testing.assert_allclose(model.components_, twin.components_, atol=1e-5)
    np.testing.assert_allclose(scores, twin.transform(double), atol=1e-2)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool"])
def test_whole_numbers_give_float64(table, dtype):
    X = (table - table.min(axis=0)).astype(dtype)
    model = SPCArt(3, method="pca").fit(X)
    assert model.components_.dtype == model.transform(X).dtype == np.float64


def test_components_have_the_same_names_everywhere(table):
    frame = pd.DataFrame(table, index=[f"cell{i}" for i in range(80)])
    frame.columns = [f"gene{j}" for j in range(12)]
    model = SPCArt(3, nonzeros=2).set_output(transform="pandas").fit(frame)
    names = ["PC1", "PC2", "PC3"]
    assert list(model.get_feature_names_out()) == names
    assert list(model.get_feature_names_out(frame.columns)) == names
    with pytest.raises(ValueError, match="input_features"):
        model.get_feature_names_out(["a", "b"])
    for scores in (model.transform(frame), model.fit_transform(frame)):
        assert list(scores.columns) == names
        assert scores.index.equals(frame.index)
