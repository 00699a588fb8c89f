"""The number of components, of their variables, and how stable they are."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

import spcart


@pytest.fixture(scope="module")
def spiked():
    """Five components of eight variables each."""
    return spcart.datasets.load_spiked().data


def test_choose_finds_what_is_there(spiked):
    choice = spcart.choose(spiked, random_state=0)
    assert (choice.n_components, choice.nonzeros) == (5, 8)
    assert choice.reasons
    assert (choice.to_predict.n_components, choice.to_predict.nonzeros) == (5, 8)
    assert choice.to_predict.error == choice.chosen.error
    assert choice.to_read.n_components == 5
    assert 2 <= choice.to_read.nonzeros <= 8
    assert choice.to_read.explained >= 0.9 * choice.to_read.explained_by_pca
    assert choice.to_read.when
    assert choice.to_predict.when
    assert choice.repeats >= 1
    assert (choice.chosen.n_components, choice.chosen.nonzeros) == (5, 8)
    assert choice.chosen in choice.held_out
    assert choice.least.error == min(setting.error for setting in choice.held_out)
    ratios = PCA().fit(spiked).explained_variance_ratio_[:20]
    np.testing.assert_allclose(choice.scree.variances, ratios)
    stick = [np.sum(1 / np.arange(i, 101)) / 100 for i in range(1, 21)]
    np.testing.assert_allclose(choice.scree.broken_stick, stick)
    above = choice.scree.variances > choice.scree.parallel
    assert choice.scree.by_parallel == np.argmin(above)
    frame = pd.DataFrame([dataclasses.asdict(setting) for setting in choice.held_out])
    assert list(frame) == ["n_components", "nonzeros", "error", "excess_deviation"]


def test_choose_sees_no_structure_in_noise():
    choice = spcart.choose(np.random.default_rng(0).normal(size=(100, 20)), random_state=0)
    assert choice.n_components == 0
    assert choice.to_read.n_components == 0
    assert choice.to_predict.n_components == 0
    assert choice.difference == ""


def test_choose_says_why_its_answers_differ(spiked):
    choice = spcart.choose(spiked, repeats=2, random_state=0)
    answers = choice.to_read, choice.to_predict
    same = len({(answer.n_components, answer.nonzeros) for answer in answers}) == 1
    assert (choice.difference == "") == same
    assert choice.repeats == 2


def test_one_variable_of_nearly_all_variance_is_told():
    X = np.random.default_rng(0).normal(size=(60, 8))
    X[:, 5] *= 100
    with pytest.warns(spcart.SpcartWarning, match=r"column 6\): option scale"):
        spcart.choose(X, random_state=0)
    with pytest.warns(spcart.SpcartWarning, match=r"column 6\): option scale"):
        spcart.SPCArt(2).fit(X)


def test_choose_tries_what_it_is_told_to(spiked):
    choice = spcart.choose(spiked, n_components=[2, 4], nonzeros=8, folds=3, random_state=0)
    tried = {(setting.n_components, setting.nonzeros) for setting in choice.held_out}
    assert tried == {(0, 0), (2, 8), (4, 8)}


def test_choose_and_bootstrap_of_sparse_tables_are_those_of_dense_ones():
    X = np.random.default_rng(0).poisson(0.3, size=(120, 15)) * np.geomspace(9, 1, 15)
    settings = {"n_components": [1, 2], "nonzeros": [2, 4], "folds": 4, "random_state": 0}
    for dense, sparse in zip(
        spcart.choose(X, **settings).held_out,
        spcart.choose(sp.csr_array(X), **settings).held_out,
        strict=True,
    ):
        assert sparse.error == pytest.approx(dense.error, rel=1e-9)
    settings = {"nonzeros": 3, "resamples": 5, "random_state": 0}
    dense = spcart.bootstrap(X, 2, **settings)
    sparse = spcart.bootstrap(sp.csr_array(X), 2, **settings)
    np.testing.assert_allclose(sparse.frequencies.toarray(), dense.frequencies.toarray())
    np.testing.assert_allclose(sparse.cosines, dense.cosines)


def test_choose_is_the_commands(run_command, tmp_path, spiked):
    np.save(tmp_path / "x.npy", spiked)
    search = ("--effort", "none", "--overlap", 0.05)
    theirs = run_command("choose", tmp_path / "x.npy", "--seed", 3, "--threads", 2, *search)
    ours = spcart.choose(spiked, effort="none", overlap=0.05, random_state=3, n_threads=2)
    assert ours.n_components == theirs["components"]
    assert ours.nonzeros == theirs["nonzeros"]
    assert ours.to_read.nonzeros == theirs["to_read"]["nonzeros"]
    assert ours.to_read.explained == theirs["to_read"]["explained"]
    assert ours.scree.parallel.tolist() == theirs["scree"]["parallel"]


def test_choose_names_what_is_wrong(table):
    for parameters, message in [
        ({"most": 0}, "most=0: it must be at least 1"),
        ({"folds": 1}, "folds=1: it must be from 2 to 80, the number of samples"),
        ({"repeats": -1}, "repeats=-1: it must be at least 0"),
        ({"permutations": 0}, "permutations=0: it must be at least 1"),
        ({"n_components": 99}, "n_components=99: it must be from 1 to"),
        ({"nonzeros": [3, 13]}, "nonzeros=13: it must be from 1 to 12"),
        ({"effort": -1}, "effort=-1: "),
        ({"overlap": 1.5}, "overlap=1.5: "),
        ({"tol": -1}, "tol=-1: it must be at least 0"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            spcart.choose(table, **parameters)


def test_bootstrap_tells_how_often_a_variable_is_found(table):
    stability = spcart.bootstrap(table, 3, nonzeros=4, resamples=20, random_state=0)
    twin = spcart.SPCArt(3, nonzeros=4, random_state=0).fit(table)
    np.testing.assert_array_equal(stability.model.components_, twin.components_)
    assert stability.resamples == 20
    frequencies = stability.frequencies.toarray()
    assert frequencies.shape == (12, 3)
    np.testing.assert_allclose(frequencies.sum(axis=0), 4)  # each resample has four
    np.testing.assert_allclose(frequencies * 20, np.round(frequencies * 20), atol=1e-12)
    assert frequencies.max() <= 1
    assert ((stability.cosines > 0) & (stability.cosines <= 1 + 1e-12)).all()


def test_bootstrap_is_the_commands(run_command, tmp_path, table):
    np.save(tmp_path / "x.npy", table)
    words = ["-r", 3, "--scale", "--seed", 5, "--threads", 2, "--bootstrap", 10]
    theirs = run_command("fit", tmp_path / "x.npy", *words)["bootstrap"]
    ours = spcart.bootstrap(table, 3, scale=True, random_state=5, n_threads=2, resamples=10)
    assert ours.cosines.tolist() == theirs["cosines"]
    frequencies = np.zeros((12, 3))
    for column, entries in enumerate(theirs["frequencies"]):
        frequencies[entries["index"], column] = entries["value"]
    np.testing.assert_array_equal(ours.frequencies.toarray(), frequencies)


def test_bootstrap_names_what_is_wrong(table):
    with pytest.raises(ValueError, match="^resamples=1: it must be at least 2"):
        spcart.bootstrap(table, 2, resamples=1)
    with pytest.raises(ValueError, match="^resamples=0: it must be at least 2"):
        spcart.bootstrap(table, 2, resamples=0)
