"""Results are classes of the core that behave as dataclasses do."""

import copy
import dataclasses
import json
import pickle
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import spcart


@pytest.fixture(scope="module")
def results():
    """One of every class, and what is within them."""
    X = spcart.datasets.load_spiked(n=60, p=12, r=2, k=3).data
    model = spcart.SPCArt(2, restarts=2, best_by="cpev", nonzeros=3).fit(X)
    with_bounds = spcart.SPCArt(2, truncation="hard", sparsity=0.5, effort="none").fit(X)
    exact = spcart.SPCArt(2, nonzeros=3, method="exact", certify=1).fit(X)
    rows = spcart.compare(X, 2, nonzeros=3, methods=["spcart", "pca"])
    path = spcart.path(X, 2, points=4)
    choice = spcart.choose(X, folds=3, repeats=1)
    basis = spcart.principal_basis(X, 2)
    return [
        model.history_,
        model.restarts_,
        model.search_,
        model.timing_,
        *with_bounds.bounds_,
        with_bounds.target_,
        *exact.proofs_,
        exact.certificate_,
        *exact.certificate_.bounds,
        *rows,
        rows[0].criteria,
        path,
        path.keep,
        choice,
        choice.scree,
        choice.to_read,
        choice.chosen,
        basis,
        spcart.rotate_and_truncate(basis.vectors),
    ]


def is_same(a, b):
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    if sp.issparse(a):
        return a.shape == b.shape and (a != b).nnz == 0
    if isinstance(a, list):
        return len(a) == len(b) and all(map(is_same, a, b))
    if dataclasses.is_dataclass(a):
        names = [name for name in dir(a) if not name.startswith("_")]
        fields = [name for name in names if not callable(getattr(a, name))]
        return type(a) is type(b) and all(is_same(getattr(a, n), getattr(b, n)) for n in fields)
    return a == b or (a != a and b != b)


def test_every_class_is_there(results):
    bound = {
        value
        for name, value in vars(spcart).items()
        if isinstance(value, type) and value.__module__ == "spcart._core"
    }
    assert {type(result) for result in results} == bound


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_and_pickles_are_the_same(results, again):
    for result in results:
        assert is_same(again(result), result)
        assert repr(again(result)) == repr(result)


def test_fields_are_in_the_representation_and_read_only(results):
    for result in results:
        fields = dataclasses.fields(result)
        assert fields
        assert repr(result).startswith(f"{type(result).__name__}(")
        for field in fields:
            assert (f"{field.name}=" in repr(result)) >= field.repr
            with pytest.raises(AttributeError):
                setattr(result, field.name, None)
            assert getattr(type(result), field.name).__doc__, field.name


def test_simple_results_can_be_compared_and_hashed(results):
    kinds = (spcart.Proof, spcart.UpperBound, spcart.ValidationPoint)
    simple = [result for result in results if isinstance(result, kinds)]
    assert {type(result) for result in simple} == set(kinds)
    for result in simple:
        assert result == copy.copy(result)
        assert hash(result) == hash(copy.copy(result))
        assert result != dataclasses.astuple(result)


def test_what_was_a_dictionary_can_be_read_as_one(results):
    mappings = [result for result in results if isinstance(result, Mapping)]
    assert {type(mapping).__name__ for mapping in mappings} == {
        "Bound",
        "History",
        "Restarts",
        "SearchReport",
        "TargetReport",
        "Timing",
    }
    for mapping in mappings:
        names = [field.name for field in dataclasses.fields(mapping)]
        assert list(mapping) == list(mapping.keys()) == names
        assert len(mapping) == len(names)
        for name in names:
            assert name in mapping
            assert is_same(mapping[name], getattr(mapping, name))
        assert mapping.get("nothing", 3) == 3
        with pytest.raises(KeyError, match="nothing"):
            mapping["nothing"]
        if not isinstance(mapping, spcart.History):
            json.dumps(dict(mapping))


def test_lists_of_results_make_data_frames(results):
    kinds = (
        spcart.Bound,
        spcart.ComparisonRow,
        spcart.Proof,
        spcart.UpperBound,
        spcart.ValidationPoint,
    )
    for kind in kinds:
        some = [result for result in results if isinstance(result, kind)]
        frame = pd.DataFrame(some)
        assert list(frame) == [field.name for field in dataclasses.fields(kind)]
        assert len(frame) == len(some)


def test_arrays_live_longer_than_their_result():
    vectors = spcart.principal_basis(spcart.datasets.load_random(n=50, p=9).data, 3).vectors
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)


def test_earlier_names():
    assert spcart.Compared is spcart.ComparisonRow
    assert spcart.HeldOut is spcart.ValidationPoint
    assert spcart.Rotated is spcart.RotationResult
