"""All kinds of data give the same result, and are not copied where they can be viewed."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from spcart import SPCArt, SpcartWarning, _tables

KINDS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every other column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "int64": lambda x: x.astype(np.int64),
    "int32": lambda x: x.astype(np.int32),
    "int16": lambda x: x.astype(np.int16),
    "uint8": lambda x: x.astype(np.uint8),
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "big-endian": lambda x: x.astype(">f8"),
    "list": lambda x: x.tolist(),
    "CSR": sp.csr_array,
    "CSC": sp.csc_array,
    "CSR matrix": sp.csr_matrix,
    "COO": sp.coo_array,
    "CSR of uint8": lambda x: sp.csr_array(x.astype(np.uint8)),
    "CSR of int64": lambda x: sp.csr_array(x.astype(np.int64)),
    "pandas": pd.DataFrame,
    "pandas, mixed": lambda x: pd.DataFrame(x).astype({0: "int64", 1: "float32"}),
    "polars": pl.DataFrame,
    "AnnData": lambda x: SimpleNamespace(
        X=sp.csr_array(x), obs_names=range(len(x)), var_names=[f"g{j}" for j in range(x.shape[1])]
    ),
}


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    return rng.poisson(np.outer(rng.gamma(1, 2, 60), rng.gamma(1, 2, 9))).clip(0, 255).astype(float)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_same(counts, kind):
    dense = SPCArt(3, nonzeros=4).fit(counts)
    data = KINDS[kind](counts)
    model = SPCArt(3, nonzeros=4).fit(data)
    np.testing.assert_allclose(model.components_, dense.components_, atol=1e-9)
    np.testing.assert_allclose(model.transform(data), dense.transform(counts), atol=1e-8)
    assert model.score(data) == pytest.approx(dense.cpev_)


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csc_array])
def test_wide_indices_and_unsorted_and_repeated_entries(counts, convert):
    dense = SPCArt(3, nonzeros=4).fit(counts)
    x = convert(counts)
    x.indices, x.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    np.testing.assert_allclose(SPCArt(3, nonzeros=4).fit(x).components_, dense.components_)
    x = convert(counts)
    first = slice(x.indptr[0], x.indptr[1])
    x.indices[first], x.data[first] = x.indices[first][::-1], x.data[first][::-1]
    x = convert((x.data, x.indices, x.indptr), shape=x.shape)
    np.testing.assert_allclose(SPCArt(3, nonzeros=4).fit(x).components_, dense.components_)
    twice = convert(
        (np.repeat(x.data / 2, 2), np.repeat(x.indices, 2), 2 * x.indptr), shape=x.shape
    )
    np.testing.assert_allclose(SPCArt(3, nonzeros=4).fit(twice).components_, dense.components_)
    assert twice.nnz == 2 * x.nnz  # the user's own is as it was


def test_anndata_has_names(counts):
    data = KINDS["AnnData"](counts)
    model = SPCArt(2).fit(data)
    assert list(model.feature_names_in_) == data.var_names
    data.var_names = data.var_names[::-1]
    with pytest.raises(ValueError, match="other variables"):
        model.transform(data)


def test_covariance_is_that_of_the_data(table):
    of_data, of_covariance = SPCArt(3).fit(table), SPCArt(3).fit_covariance(np.cov(table.T))
    np.testing.assert_allclose(of_covariance.components_, of_data.components_, atol=1e-8)
    np.testing.assert_allclose(of_covariance.explained_variance_, of_data.explained_variance_)
    assert of_covariance.n_samples_ is None
    centred = table - table.mean(axis=0)
    np.testing.assert_allclose(
        of_covariance.transform(centred), of_data.transform(table), atol=1e-7
    )
    scaled = SPCArt(3, scale=True)
    np.testing.assert_allclose(
        scaled.fit_covariance(np.cov(table.T)).components_,
        scaled.fit(table).components_,
        atol=1e-8,
    )


def peak_of(work):
    """The most that NumPy held during the work, beside what it held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def large(dtype=np.float64):
    return (255 * np.random.default_rng(0).random((200_000, 20))).astype(dtype)


VIEWED = {
    **{f"{t}, C": lambda t=t: large(t) for t in _tables.VIEWED},
    **{f"{t}, F": lambda t=t: np.asfortranarray(large(t)) for t in _tables.VIEWED},
    "bool": lambda: large() > 100,
    "every other row": lambda: large()[::2],
    "read-only": lambda: np.frombuffer(large().tobytes()).reshape(-1, 20),
    "CSR": lambda: sp.csr_array(large()),
    "CSC": lambda: sp.csc_array(large(np.float32)),
    "pandas": lambda: pd.DataFrame(large()),
    "AnnData": lambda: SimpleNamespace(
        X=sp.csr_array(large()), obs_names=range(200_000), var_names=list(map(str, range(20)))
    ),
}


@pytest.mark.parametrize("kind", VIEWED)
def test_what_can_be_viewed_is_not_copied(kind):
    data = VIEWED[kind]()
    least = 200_000 * 20 * 1 / 2  # bytes of half the smallest of these tables
    model = SPCArt(2, n_threads=1)
    model.fit(data)  # what is made once for all is not counted
    assert peak_of(lambda: model.fit(data)) < least / 20
    assert peak_of(lambda: model.score(data)) < least / 20


def test_a_copy_would_be_seen():
    data = large(np.int64)
    assert peak_of(lambda: SPCArt(2).fit(data)) >= data.nbytes


def test_the_core_makes_no_copy_either():
    status = "/proc/self/status"

    def memory(name):
        with open(status) as lines:
            return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))

    data = np.random.default_rng(0).random((600_000, 50))
    model = SPCArt(2, n_threads=1)
    model.fit(data[:50_000])
    before = memory("VmRSS:")
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    model.fit(data)
    assert memory("VmHWM:") - before < data.nbytes / 2


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8"])
def test_a_memory_map_is_read_from_its_file_where_it_does_not_fit(tmp_path, order, dtype):
    n, p = 160_000 // np.dtype(dtype).itemsize, 60  # 9.6 MB of each type
    values = np.random.default_rng(0).integers(0, 200, (n, p)).astype(dtype)
    path = tmp_path / "x.npy"
    np.save(path, np.asarray(values, order=order))
    mapped = np.load(path, mmap_mode="r")
    tight = "67M"  # the program and little more
    assert not _tables.make_table(values, original=values).mapped
    table = _tables.make_table(values, original=mapped)
    assert table.mapped
    assert table.shape == mapped.shape
    model = SPCArt(3, nonzeros=5, memory=tight, solver="krylov", random_state=0)
    assert model._fit(table, 3, n).storage == "file"
    assert SPCArt(3, nonzeros=5)._fit(table, 3, n).storage == "memory"
    twin = SPCArt(3, nonzeros=5, solver="krylov", random_state=0).fit(values)
    np.testing.assert_allclose(model.fit(mapped).components_, twin.components_, atol=1e-6)
    # A part of a map begins later in its file.
    part = mapped[5_000:] if order == "C" else mapped[:, 10:]
    table = _tables.make_table(np.asarray(part), original=part)
    assert table.mapped
    assert table.shape == part.shape
    twin.fit(np.ascontiguousarray(part))
    np.testing.assert_allclose(model.fit(part).components_, twin.components_, atol=1e-6)


def test_private_changes_of_a_memory_map_are_seen(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).random((20_000, 60)))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="c")
    mapped[:, 0] *= 100  # in memory only
    assert not _tables.make_table(np.asarray(mapped), original=mapped).mapped
    with pytest.warns(SpcartWarning, match="holds 99.4 % of the variance"):
        model = SPCArt(1, nonzeros=1, memory="67M").fit(mapped)
    assert model.components_[0, 0] == 1
