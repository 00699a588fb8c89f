"""Functions and built-in data sets."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import spcart
from spcart import _core


def test_fit_is_the_estimator(table):
    model = spcart.fit(table, 3, nonzeros=4)
    assert isinstance(model, spcart.SPCArt)
    np.testing.assert_array_equal(
        model.components_, spcart.SPCArt(3, nonzeros=4).fit(table).components_
    )


def test_evaluate_gives_a_fit_its_own_figures(table):
    model = spcart.SPCArt(3, lam=0.3, scale=True).fit(table)
    criteria = spcart.evaluate(table, model.loadings_, scale=True)
    assert criteria.cpev == pytest.approx(model.cpev_)
    assert criteria.cpev_pca == pytest.approx(model.cpev_pca_)
    assert criteria.nonorthogonality == pytest.approx(model.nonorthogonality_)
    np.testing.assert_array_equal(criteria.nonzeros, model.nonzeros_)
    np.testing.assert_allclose(criteria.explained_variance_ratio, model.explained_variance_ratio_)


def test_evaluate_takes_the_components_of_others(table):
    pca = PCA(3).fit(table)
    criteria = spcart.evaluate(table, 7 * pca.components_.T)  # lengths do not matter
    assert criteria.cpev == pytest.approx(pca.explained_variance_ratio_.sum())
    assert criteria.share_of_pca == pytest.approx(1)
    np.testing.assert_allclose(criteria.explained_variance_ratio, pca.explained_variance_ratio_)
    np.testing.assert_allclose(criteria.adjusted_variance_ratio, pca.explained_variance_ratio_)
    of_covariance = spcart.evaluate(np.cov(table.T), pca.components_.T, covariance=True)
    assert of_covariance.cpev == pytest.approx(criteria.cpev)
    with pytest.raises(ValueError, match="loadings: 5 rows for 12 variables"):
        spcart.evaluate(table, np.eye(5))


def test_compare_holds_all_methods_to_the_same_sparsity(table):
    rows = spcart.compare(table, 3, sparsity=0.75, random_state=0, max_iter=1000)
    assert [row.method for row in rows] == [record.name for record in _core.methods()]
    for row in rows:
        if row.note == "":
            assert row.loadings.nnz == 9
            assert row.criteria.sparsity == pytest.approx(0.75)
        assert row.criteria.cpev <= row.criteria.cpev_pca + 1e-12
    frame = pd.DataFrame([dataclasses.asdict(row) for row in rows])
    assert set(frame["method"]) >= {"spcart", "pca", "tpower", "spca"}


def test_compare_understands_truncations_and_starts(table):
    rows = spcart.compare(table, 2, methods=["spcart:soft:identity", "tpower"], nonzeros=4)
    assert [(row.method, row.truncation, row.start) for row in rows] == [
        ("spcart", "soft", "identity"),
        ("tpower", "count", "variance"),
    ]
    with pytest.raises(ValueError, match="method=nothing"):
        spcart.compare(table, methods=["nothing"])
    with pytest.raises(ValueError, match="give one of them"):
        spcart.compare(table, sparsity=0.5, nonzeros=3)
    with pytest.raises(ValueError, match="sparsity=1"):
        spcart.compare(table, sparsity=1)


def test_path_goes_from_pca_to_one_variable_each(table):
    path = spcart.path(table, [3, 2], truncation="all", scale=True, points=8)
    frame = path.to_frame()
    assert len(frame) == len(path.points) == 2 * 4 * 8
    for (r, _), group in frame.groupby(["n_components", "truncation"], sort=False):
        pca = PCA(r).fit(StandardScaler().fit_transform(table)).explained_variance_ratio_.sum()
        np.testing.assert_allclose(group["cpev_pca"], pca)
        assert group["nonzeros"].iloc[0] == 12 * r
        assert group["nonzeros"].iloc[-1] == r
        assert group["share_of_pca"].iloc[0] == pytest.approx(1)
        assert (np.diff(group["nonzeros"]) <= 0).all()
    assert list(frame["n_components"]) == sorted(frame["n_components"])
    np.testing.assert_allclose(frame["share_of_pca"], frame["cpev"] / frame["cpev_pca"])


def test_path_marks_the_fewest_that_keep_enough(table):
    path = spcart.path(table, 3, scale=True, keep=0.9)
    assert path.knee in path.points
    enough = [p.nonzeros for p in path.points if p.criteria.share_of_pca >= 0.9]
    assert path.keep.nonzeros == min(enough)
    assert path.keep.criteria.share_of_pca >= 0.9
    assert path.n_features == 12


def test_path_of_a_covariance_is_that_of_the_data(table):
    of_data = spcart.path(table, 3, points=6).to_frame()
    of_covariance = spcart.path(np.cov(table.T), 3, points=6, covariance=True).to_frame()
    np.testing.assert_array_equal(of_data["nonzeros"], of_covariance["nonzeros"])
    np.testing.assert_allclose(of_data["cpev"], of_covariance["cpev"])


def test_path_names_what_is_wrong(table):
    for parameters, message in [
        ({"n_components": 13}, "n_components=13: it must be from 1 to 12"),
        ({"n_components": []}, "there is no number of them"),
        ({"truncation": []}, "truncation: there is none to follow"),
        ({"truncation": "x"}, "truncation=x: it must be one of hard, soft, count, energy"),
        ({"points": 1}, "points=1: it must be from 2 to 10000"),
        ({"keep": 0}, "keep=0: it must be above 0 and at most 1"),
        ({"tol": -1}, "tol=-1: it must be a number of at least 0"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            spcart.path(table, **parameters)


@pytest.mark.parametrize("solver", ["auto", "gram", "outer", "krylov"])
def test_principal_basis_is_pcas(table, solver):
    basis, pca = spcart.principal_basis(table, 4, solver=solver), PCA(4).fit(table)
    np.testing.assert_allclose(basis.singular_values, pca.singular_values_)
    np.testing.assert_allclose(np.abs(basis.vectors.T @ pca.components_.T), np.eye(4), atol=1e-5)
    assert basis.cpev == pytest.approx(pca.explained_variance_ratio_.sum())
    assert basis.residuals.max() < 1e-7
    assert basis.rank == 4


def test_rotate_and_truncate_is_the_middle_of_a_fit(table):
    model = spcart.SPCArt(3, nonzeros=4, order="none", effort="none").fit(table)
    basis = spcart.principal_basis(table, 3)
    rotated = spcart.rotate_and_truncate(basis.vectors, nonzeros=4)
    np.testing.assert_allclose(np.abs(rotated.loadings.toarray().T), np.abs(model.components_))
    np.testing.assert_allclose(rotated.rotation @ rotated.rotation.T, np.eye(3), atol=1e-12)
    assert rotated.status == "converged"
    np.testing.assert_allclose(rotated.history["change"], model.history_["change"])
    with pytest.raises(ValueError, match="not orthonormal"):
        spcart.rotate_and_truncate(2 * basis.vectors)
    with pytest.raises(ValueError, match="nonzeros=99"):
        spcart.rotate_and_truncate(basis.vectors, nonzeros=99)


def test_built_in_problems():
    props = spcart.datasets.load_pitprops()
    assert props.covariance.shape == (13, 13)
    assert props.feature_names[:2] == ["topdiam", "length"]
    assert "Jeffers" in props.DESCR
    random = spcart.datasets.load_random
    np.testing.assert_array_equal(random(n=5, p=3, seed=1).data, random(n=5, p=3, seed=1).data)
    assert not np.array_equal(random(n=5, p=3, seed=1).data, random(n=5, p=3, seed=2).data)
    with pytest.raises(ValueError, match="n = 1, must be from 2"):
        random(n=1, p=3)


def test_every_method_can_be_fitted(table):
    for record in spcart._core.methods():
        model = spcart.SPCArt(2, method=record.name, max_iter=1000).fit(table)
        assert model.components_.shape == (2, 12)
        assert 0 < model.cpev_ <= model.cpev_pca_ + 1e-12
    parameters = {"ridge": 0.1, "bound": 1.5}
    model = spcart.SPCArt(2, method="spca", truncation="soft", method_params=parameters).fit(table)
    assert model.status_ == "converged"


def test_search_explains_more_and_tells_from_what(table):
    plain = spcart.SPCArt(3, nonzeros=3, effort="none").fit(table)
    model = spcart.SPCArt(3, nonzeros=3).fit(table)
    assert plain.search_ is None
    assert model.search_["cpev_before"] == pytest.approx(plain.cpev_)
    assert model.cpev_ >= plain.cpev_
    assert model.nonorthogonality_ <= 0.1 + 1e-9
    for parameters, message in [
        ({"effort": 0}, "effort=0"),
        ({"effort": "much"}, "effort=much"),
        ({"overlap": 1.5}, "overlap=1.5"),
    ]:
        with pytest.raises(ValueError, match=message):
            spcart.SPCArt(3, nonzeros=3, **parameters).fit(table)


def test_path_points_have_loadings(table):
    path = spcart.path(table, 3, points=6)
    assert all(a.nonzeros > b.nonzeros for a, b in zip(path.points, path.points[1:], strict=False))
    for point in path.points:
        assert point.loadings.nnz == point.nonzeros
        criteria = spcart.evaluate(table, point.loadings)
        assert criteria.cpev == pytest.approx(point.criteria.cpev)


def test_compare_evaluates_with_and_without_the_search(table):
    row = spcart.compare(table, 3, nonzeros=3, methods=["tpower"])[0]
    assert row.searched.cpev >= row.criteria.cpev
    assert spcart.compare(table, 3, nonzeros=3, methods=["st"], effort="none")[0].searched is None
