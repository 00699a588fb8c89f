"""The estimator behaves as those of scikit-learn do."""

import os
import pickle
import subprocess
import sys
import textwrap
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import spcart
from spcart import SPCArt

# Checks that scikit-learn skips, and why that is no gap; no other may be skipped.
SKIPPED = {
    "check_array_api_input": "SciPy must find SCIPY_ARRAY_API when it is imported: "
    "test_array_api_input has a process of its own for that",
}


# Checks fit all kinds of odd tables: what is warned of there is not what is tested.
@pytest.mark.filterwarnings("ignore::spcart.SpcartWarning")
@pytest.mark.filterwarnings("ignore:.*SCIPY_ARRAY_API.*")
@parametrize_with_checks(
    [
        SPCArt(),
        SPCArt(2, nonzeros=1, scale=True, solver="krylov"),
        SPCArt(2, nonzeros=1, overlap=0, certify=0.1),
    ]
)
def test_scikit_learns_own_checks(estimator, check):
    try:
        check(estimator)
    except SkipTest as skipped:
        name = getattr(check, "func", check).__name__
        assert name in SKIPPED, f"{name} was skipped: {skipped}"
        pytest.skip(SKIPPED[name])


def test_array_api_input():
    checks = estimator_checks_generator(SPCArt())
    if "check_array_api_input" not in {getattr(c, "func", c).__name__ for _, c in checks}:
        pytest.skip("this scikit-learn asks it of those alone that support the array API")
    program = """
        from sklearn.utils.estimator_checks import check_array_api_input
        from spcart import SPCArt
        check_array_api_input("SPCArt", SPCArt(), array_namespace="numpy", check_values=True)
        """
    words = [sys.executable, "-c", textwrap.dedent(program)]
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("shape", [(80, 12), (12, 30)])
@pytest.mark.parametrize("solver", ["auto", "gram", "outer", "krylov"])
def test_without_truncation_and_rotation_it_is_pca(shape, solver):
    X = np.random.default_rng(1).normal(size=shape) * np.geomspace(9, 1, shape[1]) + 50
    ours, theirs = SPCArt(5, method="pca", solver=solver).fit(X), PCA(5, svd_solver="full").fit(X)
    signs = np.sign(np.sum(ours.components_ * theirs.components_, axis=1))[:, None]
    np.testing.assert_allclose(ours.components_ * signs, theirs.components_, atol=1e-6)
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9)
    np.testing.assert_allclose(ours.transform(X) * signs.T, theirs.transform(X), atol=1e-4)
    np.testing.assert_allclose(
        ours.inverse_transform(ours.transform(X)),
        theirs.inverse_transform(theirs.transform(X)),
        atol=1e-4,
    )
    assert ours.cpev_ == pytest.approx(ours.cpev_pca_)


def test_all_components_without_rotation_are_pca_too(table):
    ours = SPCArt(method="pca").fit(table)
    assert ours.n_components_ == 12
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, PCA().fit(table).explained_variance_ratio_, atol=1e-12
    )


def test_explained_variance_sums_to_cpev(table):
    model = SPCArt(5, lam=0.2).fit(table)
    assert model.nonorthogonality_ > 0  # else there is nothing to show
    assert model.explained_variance_ratio_.sum() == pytest.approx(model.cpev_, rel=1e-12)
    total = np.var(table, axis=0, ddof=1).sum()
    np.testing.assert_allclose(model.explained_variance_, model.explained_variance_ratio_ * total)
    centred = table - table.mean(axis=0)
    for k in range(1, 6):
        u = np.linalg.qr(model.components_[:k].T)[0]
        cpev = np.sum((centred @ u) ** 2) / np.sum(centred**2)
        assert model.explained_variance_ratio_[:k].sum() == pytest.approx(cpev, rel=1e-9)
    # Zou's: the diagonal of R of the scores.
    r = np.linalg.qr(centred @ model.components_.T)[1]
    adjusted = np.diag(r) ** 2 / np.sum(centred**2)
    np.testing.assert_allclose(model.adjusted_variance_ratio_, adjusted, rtol=1e-9)


def test_attributes_agree_with_each_other(table):
    model = SPCArt(4, nonzeros=3, scale=True).fit(table)
    assert model.loadings_.shape == (12, 4)
    np.testing.assert_array_equal(model.loadings_.toarray().T, model.components_)
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)
    np.testing.assert_array_equal(model.nonzeros_, [3, 3, 3, 3])
    np.testing.assert_array_equal(np.count_nonzero(model.components_, axis=1), model.nonzeros_)
    assert model.sparsity_ == pytest.approx(0.75)
    np.testing.assert_allclose(model.mean_, table.mean(axis=0))
    np.testing.assert_allclose(model.scale_, table.std(axis=0, ddof=1))
    np.testing.assert_allclose(model.rotation_ @ model.rotation_.T, np.eye(4), atol=1e-12)
    assert model.n_iter_ == len(model.history_["change"]) == len(model.history_["objective"])
    assert model.status_ == "converged"
    assert model.cpev_ <= model.cpev_pca_
    assert model.lam_ == 9
    assert {bound["name"] for bound in model.bounds_} >= {"sparsity", "deviation"}
    guarantees = [b for b in model.bounds_ if b["applies"] and b["kind"] != "estimate"]
    assert guarantees
    assert all(bound["holds"] for bound in guarantees)
    assert model.warnings_ == []
    scores = (table - model.mean_) / model.scale_ @ model.components_.T
    np.testing.assert_allclose(model.transform(table), scores, atol=1e-10)
    np.testing.assert_allclose(SPCArt(4, nonzeros=3, scale=True).fit_transform(table), scores)


def test_inverse_transform_projects_onto_the_components(table):
    model = SPCArt(4, lam=0.3, scale=True).fit(table)
    again = model.inverse_transform(model.transform(table))
    left = ((table - again) / model.scale_) ** 2
    all_of_it = ((table - model.mean_) / model.scale_) ** 2
    assert 1 - left.sum() / all_of_it.sum() == pytest.approx(model.cpev_)
    np.testing.assert_allclose(model.inverse_transform(model.transform(again)), again)
    with pytest.raises(ValueError, match="3 columns, but there are 4 components"):
        model.inverse_transform(np.zeros((2, 3)))


def test_none_is_as_many_components_as_there_can_be(table):
    assert SPCArt(method="pca").fit(table[:9]).n_components_ == 8
    assert SPCArt(method="pca", center=False).fit(table[:9]).n_components_ == 9
    assert SPCArt().fit_covariance(np.cov(table.T)).n_components_ == 12


def test_a_fraction_is_the_variance_that_components_of_pca_explain(table):
    for fraction in (0.5, 0.9, 0.99):
        ours, theirs = SPCArt(fraction, method="pca").fit(table), PCA(fraction).fit(table)
        assert ours.n_components_ == theirs.n_components_


def test_targets_are_reached(table):
    for truncation in ("hard", "energy"):
        model = SPCArt(3, truncation=truncation, sparsity=0.5, scale=True).fit(table)
        assert model.nonzeros_.sum() == 18
        assert model.target_["option"] == "sparsity"
        assert model.target_["exact"]
    model = SPCArt(3, keep=0.9, scale=True).fit(table)
    assert 0.9 <= model.cpev_ / model.cpev_pca_ < 1


def test_restarts_keep_the_best():
    X = spcart.datasets.load_random(n=60, p=30).data
    one = SPCArt(6, max_iter=400, best_by="cpev").fit(X)
    best = SPCArt(6, max_iter=400, best_by="cpev", restarts=5, random_state=0).fit(X)
    assert one.restarts_ is None
    assert len(best.restarts_["cpev"]) == 6
    assert best.cpev_ == pytest.approx(max(best.restarts_["cpev"]))
    assert best.cpev_ >= one.cpev_


def test_score_is_the_explained_variance_of_held_out_data(table):
    train, test = table[:60], table[60:]
    model = SPCArt(3, nonzeros=5).fit(train)
    assert model.score(train) == pytest.approx(model.cpev_)
    about = test - train.mean(axis=0)
    u = np.linalg.qr(model.components_.T)[0]
    assert model.score(test) == pytest.approx(np.sum((about @ u) ** 2) / np.sum(about**2))
    assert 0 < model.score(test) < 1


def test_parameters_are_stored_untouched_and_cloned():
    parameters = {"n_components": 3, "lam": 0.25, "method_params": {"ridge": 1}, "n_threads": 2}
    model = SPCArt(**parameters)
    assert all(model.get_params()[name] is value for name, value in parameters.items())
    copy = clone(model)
    assert copy.get_params() == model.get_params()


def test_a_pickled_model_is_the_same(table):
    model = SPCArt(3, lam=0.2).fit(pd.DataFrame(table, columns=list("abcdefghijkl")))
    again = pickle.loads(pickle.dumps(model))
    assert vars(again).keys() == vars(model).keys()
    frame = pd.DataFrame(table, columns=list("abcdefghijkl"))
    np.testing.assert_array_equal(again.transform(frame), model.transform(frame))
    assert repr(again) == repr(model)


def test_grid_search_and_pipeline(table):
    pipeline = make_pipeline(StandardScaler(), SPCArt(3, random_state=0))
    search = GridSearchCV(pipeline, {"spcart__nonzeros": [1, 4, 12]}, cv=3).fit(table)
    assert search.best_params_ == {"spcart__nonzeros": 12}  # more variables explain more
    scores = search.cv_results_["mean_test_score"]
    assert np.all(np.diff(scores) > 0)
    assert search.transform(table).shape == (80, 3)


def test_names_go_in_and_come_out(table):
    frame = pd.DataFrame(table, columns=[f"gene{i}" for i in range(12)])
    model = SPCArt(3, nonzeros=2).set_output(transform="pandas").fit(frame)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert list(model.get_feature_names_out()) == ["PC1", "PC2", "PC3"]
    scores = model.transform(frame)
    assert list(scores.columns) == ["PC1", "PC2", "PC3"]
    assert scores.index.equals(frame.index)
    with pytest.raises(ValueError, match="feature names"):
        model.transform(frame.rename(columns={"gene0": "other"}))


def test_random_state_is_scikit_learns():
    X = spcart.datasets.load_random(n=60, p=30).data

    def supports(random_state):
        model = SPCArt(6, start="random", max_iter=400, random_state=random_state).fit(X)
        return model.components_

    np.testing.assert_array_equal(supports(3), supports(3))
    assert not np.array_equal(supports(3), supports(4))
    state = np.random.RandomState
    np.testing.assert_array_equal(supports(state(1)), supports(state(1)))
