"""What no components can exceed, and what the method exact proves."""

import copy
import pickle
import re
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import spcart
from spcart import SPCArt, datasets

#: Of Pitprops: the most that a component of five variables explains.
BEST_OF_FIVE = 3.406155 / 13

ROUNDING = 1e-12


@pytest.fixture(scope="module")
def pitprops():
    return datasets.load_pitprops().covariance


@pytest.fixture(scope="module")
def three(pitprops):
    """Three nearly orthogonal components of five variables each, with their certificate."""
    model = SPCArt(3, nonzeros=5, overlap=0, certify=20).fit_covariance(pitprops)
    assert model.nonzeros_.tolist() == [5, 5, 5]
    return model


def bound_of(certificate, components):
    (found,) = (bound for bound in certificate.bounds if bound.components == components)
    return found.bound


def largest_eigenvalue(C, support):
    return np.linalg.eigvalsh(C[np.ix_(support, support)])[-1]


def best_by_trying_all(C, k):
    return max(largest_eigenvalue(C, s) for s in combinations(range(len(C)), k)) / np.trace(C)


def random_covariance(seed, p=8):
    return np.cov(np.random.default_rng(seed).normal(size=(2 * p, p)), rowvar=False)


def test_nothing_is_proved_unless_asked_for(table):
    model = SPCArt(2, nonzeros=3).fit(table)
    assert model.certificate_ is None
    assert model.proofs_ == []
    assert model.optimal_ == []
    assert model.timing_.certify == 0
    assert all(point.bound is None for point in spcart.path(table, 2, points=4).points)


def test_the_best_component_of_pitprops_is_proved(pitprops):
    model = SPCArt(1, nonzeros=5, certify=10).fit_covariance(pitprops)
    certificate = model.certificate_
    assert certificate.cpev == pytest.approx(BEST_OF_FIVE, rel=1e-6)
    assert certificate.bound == pytest.approx(BEST_OF_FIVE, rel=1e-6)
    assert certificate.bound >= certificate.cpev - ROUNDING
    assert certificate.gap == pytest.approx(0, abs=1e-6)
    assert certificate.complete
    assert certificate.nonzeros.tolist() == [5]
    assert [(bound.components, bound.by) for bound in certificate.bounds] == [
        ("any", "branch-and-bound")
    ]
    assert "component of 5 variables" in certificate.text[0]
    assert "optimal" in certificate.text[-1]
    assert str(certificate) == "\n".join(certificate.text)
    assert 0 < certificate.seconds <= model.timing_.certify + 0.1


def orthogonalised(loadings):
    """Each column made orthogonal to those before it, within its support."""
    x = loadings.toarray()
    for t in range(1, x.shape[1]):
        support = x[:, t] != 0
        before = x[support, :t]
        x[support, t] -= before @ np.linalg.lstsq(before, x[support, t], rcond=None)[0]
    return x


def test_components_of_pitprops_that_are_orthogonal(pitprops, three):
    certificate = spcart.certify(pitprops, orthogonalised(three.loadings_), covariance=True)
    assert certificate.orthogonal
    assert certificate.obliqueness == pytest.approx(1)
    assert certificate.own.components == "orthogonal"
    # Orthogonal components that explain the first are known; the second was proved before.
    assert 0.5836 <= certificate.bound <= 0.6115
    assert certificate.cpev <= certificate.bound
    assert bound_of(certificate, "disjoint") <= certificate.bound


def test_components_of_pitprops_that_are_nearly_orthogonal(three):
    certificate = three.certificate_
    assert 0.5836 <= bound_of(certificate, "orthogonal") <= 0.6115
    assert bound_of(certificate, "disjoint") <= bound_of(certificate, "orthogonal")
    assert bound_of(certificate, "orthogonal") <= bound_of(certificate, "any")
    assert bound_of(certificate, "any") <= certificate.cpev_pca
    assert certificate.bound == certificate.own.bound
    assert certificate.gap == pytest.approx(certificate.bound / certificate.cpev - 1)
    assert certificate.cpev == pytest.approx(three.cpev_)
    assert certificate.cpev_pca == pytest.approx(three.cpev_pca_)


def test_certificate_is_the_commands(run_command, three):
    words = ["-r", 3, "--nonzeros", 5, "--overlap", 0, "--certify=20"]
    theirs = run_command("fit", "@pitprops", *words)["certificate"]
    ours = three.certificate_
    for name in ("cpev", "cpev_pca", "orthogonal", "disjoint"):
        assert getattr(ours, name) == theirs[name], name
    assert ours.nonzeros.tolist() == theirs["nonzeros"]
    for name in ("bound", "gap", "obliqueness"):  # time may end the search for sharper ones
        assert getattr(ours, name) == pytest.approx(theirs[name], abs=1e-4)
    for bound, other in zip(ours.bounds, theirs["bounds"], strict=True):
        assert (bound.components, bound.by) == (other["components"], other["by"])
        assert bound.bound == pytest.approx(other["bound"], abs=1e-4)
    assert len(ours.text) == len(theirs["text"])


def test_words_are_the_commands(run_command, pitprops):
    words = ["-r", 1, "--nonzeros", 5, "--certify=10"]
    theirs = run_command("fit", "@pitprops", *words)["certificate"]
    ours = SPCArt(1, nonzeros=5, certify=10).fit_covariance(pitprops).certificate_
    assert ours.text == theirs["text"]


@pytest.mark.parametrize("seed", range(20))
def test_bounds_of_one_component_are_attained(seed):
    C = random_covariance(seed)
    for k in (1, 2, 4, 8):
        best = best_by_trying_all(C, k)
        model = SPCArt(1, nonzeros=k).fit_covariance(C)
        certificate = spcart.certify(C, model.loadings_, covariance=True)
        assert certificate.bound == pytest.approx(best, rel=1e-8)
        assert certificate.bound >= best - ROUNDING
        exact = SPCArt(1, nonzeros=k, method="exact").fit_covariance(C)
        assert exact.cpev_ == pytest.approx(best)


@pytest.mark.parametrize("seed", range(10))
def test_no_disjoint_components_exceed_their_bound(seed):
    C = random_covariance(seed, p=7)
    pairs = {s: largest_eigenvalue(C, s) for s in combinations(range(7), 2)}
    best = max(
        pairs[s] + pairs[t] for s, t in combinations(pairs, 2) if not set(s) & set(t)
    ) / np.trace(C)
    loadings = np.zeros((7, 2))
    loadings[[0, 1], 0] = loadings[[2, 3], 1] = 1
    certificate = spcart.certify(C, loadings, covariance=True, seconds=1)
    assert certificate.disjoint
    assert certificate.own.components == "disjoint"
    assert certificate.bound >= best - ROUNDING
    assert certificate.bound <= certificate.cpev_pca


@pytest.mark.parametrize("record", spcart._core.methods(), ids=lambda record: record.name)
def test_no_method_exceeds_its_bound(table, record):
    model = SPCArt(2, method=record.name, certify=0.5, max_iter=1000, scale=True).fit(table)
    certificate = model.certificate_
    assert certificate.cpev == pytest.approx(model.cpev_)
    assert certificate.cpev <= certificate.bound + ROUNDING
    assert certificate.bound <= certificate.cpev_pca + ROUNDING
    np.testing.assert_array_equal(certificate.nonzeros, model.nonzeros_)


def test_principal_components_are_optimal_themselves(table):
    pca = spcart.principal_basis(table, 2).vectors
    certificate = spcart.certify(table, pca, seconds=1)
    assert certificate.own.by == "pca"
    assert certificate.bound == certificate.cpev_pca == pytest.approx(certificate.cpev)
    (line,) = certificate.text
    assert "PCA" in line


def test_oblique_components_have_a_bound_of_their_own(table):
    loadings = np.zeros((12, 2))
    loadings[[0, 1, 2], 0] = loadings[[1, 2, 3], 1] = [3, 2, 1]
    certificate = spcart.certify(table, loadings, seconds=2)
    assert not certificate.orthogonal
    assert not certificate.disjoint
    assert certificate.own.components == "oblique"
    assert certificate.obliqueness > 1
    names = [bound.components for bound in certificate.bounds]
    assert names == ["disjoint", "orthogonal", "oblique", "any"]


def test_lengths_and_kinds_of_loadings_do_not_matter(table):
    model = SPCArt(2, nonzeros=3, scale=True, certify=5).fit(table)
    for loadings in (model.loadings_, -7 * model.components_.T, sp.csr_array(model.loadings_)):
        certificate = spcart.certify(table, loadings, scale=True, seconds=5)
        assert certificate.cpev == pytest.approx(model.cpev_)
        assert certificate.bound == pytest.approx(model.certificate_.bound, abs=1e-6)


def test_covariance_and_sparse_data_have_the_same_certificate():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, size=(150, 14)) * np.geomspace(5, 1, 14)
    settings = {"nonzeros": 3, "overlap": 0, "certify": 10}
    dense = SPCArt(2, **settings).fit(X).certificate_
    sparse = SPCArt(2, **settings).fit(sp.csr_array(X)).certificate_
    covariance = SPCArt(2, **settings).fit_covariance(np.cov(X.T)).certificate_
    loadings = SPCArt(2, nonzeros=3, overlap=0).fit(X).loadings_
    of_loadings = spcart.certify(sp.csc_array(X), loadings, seconds=10)
    for other in (sparse, covariance, of_loadings):
        assert other.cpev == pytest.approx(dense.cpev)
        assert other.bound == pytest.approx(dense.bound, abs=1e-6)
        assert other.own.by == dense.own.by


def test_empty_components_prove_nothing(table):
    certificate = spcart.certify(table, np.zeros((12, 2)))
    assert certificate.cpev == 0
    assert certificate.gap == np.inf
    assert len(certificate.nonzeros) == 0
    assert certificate.text == ["There are no components of which to prove anything."]


RULES = [
    (0, "0: a number of seconds must be above 0"),
    (-1, "-1: a number of seconds must be above 0"),
    (float("nan"), "nan: a number of seconds must be above 0"),
    (float("inf"), "inf: a number of seconds must be above 0 and at most"),
    ("abc", "abc: it must be a number"),
    (True, "True: it must be a number"),
    ([1], "[1]: it must be a number"),
]


@pytest.mark.parametrize(("value", "message"), RULES)
def test_wrong_times_are_named(table, value, message):
    with pytest.raises(ValueError, match=f"^{re.escape('certify=' + message)}"):
        SPCArt(2, nonzeros=3, certify=value).fit(table)
    with pytest.raises(ValueError, match=f"^{re.escape('certify=' + message)}"):
        spcart.path(table, 2, certify=value)
    with pytest.raises(ValueError, match=f"^{re.escape('seconds=' + message)}"):
        spcart.certify(table, np.eye(12), seconds=value)


def test_certify_names_what_is_wrong(table):
    with pytest.raises(ValueError, match="loadings: 5 rows for 12 variables"):
        spcart.certify(table, np.eye(5))
    with pytest.raises(ValueError, match="n_threads=-1: it must be from 0 to 1024"):
        spcart.certify(table, np.eye(12), n_threads=-1)
    for loadings in (np.full((12, 1), np.nan), sp.csr_array(np.full((12, 1), np.nan))):
        for function in (spcart.certify, spcart.evaluate):
            with pytest.raises(ValueError, match="Input loadings contains NaN"):
                function(table, loadings)


def test_path_has_bounds(table):
    path = spcart.path(table, [1, 3], points=6, overlap=0, scale=True, certify=5)
    for point in path.points:
        assert point.criteria.cpev <= point.bound + ROUNDING
        assert point.bound <= point.criteria.cpev_pca + ROUNDING
    assert path.points[-1].bound < path.points[-1].criteria.cpev_pca
    assert path.to_frame()["bound"].tolist() == [point.bound for point in path.points]
    assert "bound" not in spcart.path(table, 2, points=4).to_frame()


def test_path_has_the_commands_bounds(run_command, tmp_path, table):
    np.save(tmp_path / "x.npy", table)
    words = ["-r", 3, "--points", 5, "--certify=10"]
    theirs = run_command("path", tmp_path / "x.npy", *words)["points"]
    ours = spcart.path(table, 3, points=5, certify=10).points
    for point, other in zip(ours, theirs, strict=True):
        assert point.bound == pytest.approx(other["bound"], abs=1e-4)


def test_exact_proves_each_component(pitprops):
    model = SPCArt(3, nonzeros=5, method="exact", order="none").fit_covariance(pitprops)
    assert [proof.optimal for proof in model.proofs_] == [True] * 3
    assert [proof.nonzeros for proof in model.proofs_] == [5, 5, 5]
    first = model.proofs_[0]
    assert first.explained == pytest.approx(BEST_OF_FIVE, rel=1e-6)
    assert model.explained_variance_ratio_[0] == pytest.approx(BEST_OF_FIVE, rel=1e-6)
    for proof in model.proofs_:
        assert proof.explained <= proof.bound + ROUNDING
        assert proof.gap == pytest.approx(0, abs=1e-8)
        assert 5 <= proof.candidates <= 13
        assert proof.seconds >= 0


def test_proofs_are_the_commands(run_command, pitprops):
    theirs = run_command("fit", "@pitprops", "-r", 2, "--nonzeros", 4, "--method", "exact")
    ours = SPCArt(2, nonzeros=4, method="exact").fit_covariance(pitprops)
    for proof, other in zip(ours.proofs_, theirs["proofs"], strict=True):
        for name in (
            "component",
            "explained",
            "bound",
            "gap",
            "optimal",
            "nonzeros",
            "candidates",
            "nodes",
        ):
            assert getattr(proof, name) == other[name], name
    assert ours.optimal_ == theirs["optimal"]


@pytest.mark.parametrize("deflation", ["projection", "hotelling", "schur"])
def test_exact_takes_its_own_parameters(pitprops, deflation):
    parameters = {"deflation": deflation, "time_limit": 30}
    model = SPCArt(2, nonzeros=3, method="exact", method_params=parameters)
    assert len(model.fit_covariance(pitprops).proofs_) == 2


def test_time_ends_a_proof_with_its_gap():
    X = np.random.default_rng(0).normal(size=(80, 60))
    model = SPCArt(1, nonzeros=15, method="exact", method_params={"time_limit": 0.2})
    with pytest.warns(spcart.SpcartWarning, match="time ended"):
        model.fit(X)
    (proof,) = model.proofs_
    assert not proof.optimal
    assert proof.bound > proof.explained
    assert proof.gap == pytest.approx(proof.bound / proof.explained - 1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"time_limit": 0}, "time_limit=0: it must be above 0"),
        ({"time_limit": "soon"}, "time_limit=soon: it must be a number"),
        ({"deflation": "none"}, "deflation=none: it must be one of projection, hotelling, schur"),
        ({"direction": "both"}, "direction=both: method exact does not take it; methods"),
    ],
)
def test_wrong_parameters_of_exact_are_named(table, parameters, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        SPCArt(2, nonzeros=3, method="exact", method_params=parameters).fit(table)


@pytest.mark.parametrize("method", ["greedy", "pathspca"])
def test_optimal_components_are_those_of_exact(method):
    X = datasets.load_spiked(n=200, p=30, r=2, k=4).data
    model = SPCArt(2, nonzeros=4, method=method, effort="none").fit(X)
    exact = SPCArt(2, nonzeros=4, method="exact").fit(X)
    assert model.optimal_
    for i in model.optimal_:
        np.testing.assert_allclose(model.components_[i], exact.components_[i], atol=1e-6)


@pytest.mark.parametrize("method", ["exact", "dspca", "scotlass", "greedy"])
def test_methods_find_what_was_planted(method):
    data = datasets.load_spiked(n=200, p=30, r=2, k=4).data
    # Without refitting, those with a penalty have the right variables but not the best weights.
    settings = {"method": method, "effort": "none", "refit": 5, "max_iter": 1000}
    model = SPCArt(2, nonzeros=4, **settings).fit(data)
    best = SPCArt(2, nonzeros=4).fit(data)
    assert model.nonzeros_.tolist() == [4, 4]
    assert model.cpev_ == pytest.approx(best.cpev_)


def test_proofs_and_certificates_are_copied_with_the_model(three, pitprops):
    exact = SPCArt(2, nonzeros=3, method="exact").fit_covariance(pitprops)
    for model in (three, exact):
        for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert vars(again).keys() == vars(model).keys()
            assert repr(again.certificate_) == repr(model.certificate_)
            assert str(again.certificate_) == str(model.certificate_)
            assert again.proofs_ == model.proofs_
    assert clone(three).certify == 20
    assert not hasattr(clone(three), "certificate_")
