"""Samples that are not in memory: in blocks, by moments, by products, of other libraries."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import spcart
from spcart import Moments, RowBlocks, SPCArt
from spcart import _row_blocks as row_blocks

PARAMETERS = [
    {},
    {"nonzeros": 4},
    {"nonzeros": 4, "scale": True},
    {"method": "pca", "whiten": True},
]


def parts(X):
    """Some rows, one row, none, and all others."""
    return [X[:20], X[20:21], X[21:21], X[21:]]


def sources(X):
    """The same samples in every way."""
    frame = pd.DataFrame(X)
    return {
        "list": RowBlocks(parts(X)),
        "function": RowBlocks(lambda: iter(parts(X)), shape=X.shape),
        "columns": RowBlocks([np.asfortranarray(part) for part in parts(X)]),
        "frames": RowBlocks([frame[:30], frame[30:]]),
        "sparse": RowBlocks([sp.csr_array(part) for part in parts(X)]),
        "by column": RowBlocks([sp.csc_matrix(part) for part in parts(X)]),
        "lists": RowBlocks([X[:50].tolist(), X[50:].tolist()]),
        "moments": sum(map(Moments, parts(X)[:2]), Moments(X[21:])),
        "operator": aslinearoperator(X),
    }


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_a_fit_does_not_depend_on_where_samples_are(table, parameters):
    expected = SPCArt(3, **parameters).fit(table)
    for name, source in sources(table).items():
        model = SPCArt(3, **parameters).fit(source)
        np.testing.assert_allclose(model.components_, expected.components_, atol=1e-9, err_msg=name)
        assert model.cpev_ == pytest.approx(expected.cpev_, rel=1e-10)
        assert model.n_samples_ == 80
        assert model.n_features_in_ == 12
        np.testing.assert_allclose(model.mean_, expected.mean_, rtol=1e-10)
        np.testing.assert_allclose(model.explained_variance_, expected.explained_variance_)
        np.testing.assert_allclose(model.singular_values_, expected.singular_values_)
        assert model.score(source) == pytest.approx(expected.score(table), rel=1e-9)
        if name == "moments":
            continue
        np.testing.assert_allclose(
            model.transform(source), expected.transform(table), atol=1e-7, err_msg=name
        )
        if name != "operator":
            np.testing.assert_allclose(model.score_samples(source), expected.score_samples(table))


@pytest.mark.parametrize("name", ["function", "sparse", "moments", "operator"])
def test_all_that_takes_data_takes_them(table, name):
    source = sources(table)[name]
    loadings = SPCArt(2, nonzeros=3).fit(table).loadings_
    expected = spcart.evaluate(table, loadings)
    assert spcart.evaluate(source, loadings).cpev == pytest.approx(expected.cpev)
    assert spcart.evaluate(source, loadings).cpev_pca == pytest.approx(expected.cpev_pca)
    bound = spcart.certify(table, loadings, seconds=1).bound
    assert spcart.certify(source, loadings, seconds=1).bound == pytest.approx(bound, rel=1e-3)
    rows = spcart.compare(source, 2, nonzeros=3, methods=["spcart", "st"])
    assert rows[0].criteria.cpev == pytest.approx(
        spcart.compare(table, 2, nonzeros=3, methods=["spcart"])[0].criteria.cpev
    )
    points = spcart.path(source, 2, points=4, effort="none").points
    twins = spcart.path(table, 2, points=4, effort="none").points
    assert [point.nonzeros for point in points] == [point.nonzeros for point in twins]
    values = spcart.principal_basis(table, 2).singular_values
    np.testing.assert_allclose(spcart.principal_basis(source, 2).singular_values, values)
    with pytest.raises(ValueError, match="needs the samples in memory|needs samples"):
        spcart.choose(source)
    with pytest.raises(ValueError, match="needs the samples in memory|needs samples"):
        spcart.bootstrap(source, 2, resamples=2)


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8", "bool", "int64", "float16"])
def test_types_of_numbers(dtype):
    X = np.random.default_rng(0).integers(0, 2 if dtype == "bool" else 50, (60, 8)).astype(dtype)
    expected = SPCArt(2, nonzeros=3).fit(X)
    for source in (RowBlocks([X[:30], X[30:]]), RowBlocks([sp.csr_array(X.astype("float32"))])):
        model = SPCArt(2, nonzeros=3).fit(source)
        np.testing.assert_allclose(model.components_, expected.components_, atol=1e-6)
    model = SPCArt(2, nonzeros=3).fit(RowBlocks([X]))
    assert model.components_.dtype == expected.components_.dtype
    assert model.transform(RowBlocks([X])).dtype == expected.transform(X).dtype


def test_names_are_kept_and_compared(table):
    frame = pd.DataFrame(table, columns=[f"v{j}" for j in range(12)])
    for source in (RowBlocks([frame[:30], frame[30:]]), Moments(frame)):
        model = SPCArt(2).fit(source)
        assert model.feature_names_in_.tolist() == list(frame.columns)
        other = frame.rename(columns={"v3": "w"})
        with pytest.raises(ValueError, match="other variables"):
            model.score(RowBlocks([other]))
    with pytest.raises(ValueError, match="other variables"):
        Moments(frame).update(frame[frame.columns[::-1]])
    assert not hasattr(SPCArt(2).fit(RowBlocks([table])), "feature_names_in_")
    model = SPCArt(2).fit(RowBlocks([table], names=list(frame.columns)))
    assert model.transform(frame).shape == (80, 2)
    with pytest.raises(ValueError, match="names: there are 2, for 12 variables"):
        RowBlocks([table], names=["a", "b"])


def test_a_number_that_is_not_finite_is_named(table):
    table[33, 4] = np.nan
    blocks = RowBlocks([table[:20], table[20:]], names=[f"v{j}" for j in range(12)])
    with pytest.raises(ValueError, match=r"row 33, column 4 \('v4'\): NaN .*missing='drop'"):
        SPCArt(2).fit(blocks)
    table[33, 4] = np.inf
    with pytest.raises(ValueError, match=r"row 33, column 4 \('v4'\): inf"):
        SPCArt(2).fit(blocks)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_missing_values(table, missing, convert):
    table[[3, 33, 70], [4, 4, 11]] = np.nan
    expected = SPCArt(2, nonzeros=3, missing=missing).fit(table)
    blocks = RowBlocks([convert(part) for part in parts(table)])
    model = SPCArt(2, nonzeros=3, missing=missing).fit(blocks)
    np.testing.assert_allclose(model.components_, expected.components_, atol=1e-9)
    np.testing.assert_allclose(model.transform(blocks), expected.transform(table), atol=1e-9)
    assert model.score(blocks) == pytest.approx(expected.score(table))
    np.testing.assert_allclose(model.score_samples(blocks), expected.score_samples(table))
    criteria = spcart.evaluate(blocks, model.loadings_, missing=missing)
    assert criteria.cpev == pytest.approx(model.cpev_)
    if missing == "drop":
        assert Moments(table, missing="drop").n_samples == 77
        assert Moments(blocks, missing="drop").n_samples == 77
    else:
        with pytest.raises(ValueError, match="^missing=mean: it must be error or drop"):
            Moments(table, missing="mean")


def test_a_variable_without_values_has_no_mean(table):
    table[:, 7] = np.nan
    with pytest.raises(ValueError, match="missing=mean: column 7 has missing values only"):
        SPCArt(2, missing="mean").fit(RowBlocks(parts(table)))


def test_passes_must_agree():
    rng = np.random.default_rng(0)
    blocks = RowBlocks(lambda: (rng.normal(size=(50, 6)) for _ in range(3)))
    with pytest.raises(ValueError, match="does not give the same numbers in every pass"):
        SPCArt(2, solver="krylov").fit(blocks)


def test_blocks_that_do_not_fit_are_rejected(table):
    with pytest.raises(TypeError, match="an iterator can be read only once"):
        RowBlocks(iter([table]))
    with pytest.raises(TypeError, match="it must be a function or an iterable, not int"):
        RowBlocks(3)
    with pytest.raises(ValueError, match="there are no samples"):
        RowBlocks([])
    with pytest.raises(ValueError, match=r"shape=\(80, 11\): the first block has 12 variables"):
        RowBlocks([table], shape=(80, 11))
    with pytest.raises(ValueError, match="at least one sample"):
        RowBlocks([table], shape=(0, 12))
    with pytest.raises(ValueError, match="ends after 80 of 81"):
        SPCArt(2).fit(RowBlocks([table], shape=(81, 12)))
    with pytest.raises(ValueError, match="more than its 79 samples"):
        SPCArt(2).fit(RowBlocks([table], shape=(79, 12)))
    with pytest.raises(ValueError, match="11 float64 numbers per row, instead of 12"):
        SPCArt(2).fit(RowBlocks([table, table[:, 1:]]))
    with pytest.raises(ValueError, match="either all must be sparse, or none"):
        SPCArt(2).fit(RowBlocks([table, sp.csr_array(table)]))
    mixed = [np.ones((3, 12), dtype=np.int32), table]
    with pytest.raises(ValueError, match="first has numbers of int32, and a later one of float64"):
        SPCArt(2).fit(RowBlocks(mixed))
    assert SPCArt(2).fit(RowBlocks(mixed, dtype=float)).n_samples_ == 83
    assert SPCArt(2).fit(RowBlocks(mixed, dtype="float32")).components_.dtype == np.float32
    model = SPCArt(2).fit(table)
    for source in (RowBlocks([table[:, 1:]]), aslinearoperator(table[:, 1:])):
        with pytest.raises(ValueError, match="X has 11 features, but SPCArt is expecting 12"):
            model.transform(source)
    with pytest.raises(TypeError, match="moments have none"):
        model.transform(Moments(table))
    with pytest.raises(TypeError, match="only samples have a likelihood"):
        model.score_samples(aslinearoperator(table))


def test_what_a_function_raises_is_raised(table):
    def torn():
        yield table
        raise OSError("the tape is torn")

    with pytest.raises(OSError, match="the tape is torn"):
        SPCArt(2).fit(RowBlocks(torn, shape=(200, 12)))

    class Torn(LinearOperator):
        def _matmat(self, x):
            raise OSError("the tape is torn")

        _rmatmat = _matmat

    with pytest.raises(OSError, match="the tape is torn"):
        SPCArt(2).fit(Torn(np.float64, (80, 12)))


def test_operators_are_checked(table):
    with pytest.raises(ValueError, match="complex"):
        SPCArt(2).fit(aslinearoperator(table + 1j))

    class Odd(LinearOperator):
        def matmat(self, x):
            return np.zeros((3, 3))

        rmatmat = matmat

        def _matvec(self, x):
            return x

    with pytest.raises(ValueError, match="returns an array of 3 x 3 instead of 12 x 1"):
        SPCArt(2).fit(Odd(np.float64, (80, 12)))


def test_a_large_operator_is_fitted_by_products_alone():
    rng = np.random.default_rng(0)
    U, V = rng.normal(size=(3000, 5)) * [9, 7, 5, 3, 2], np.zeros((5, 2000))
    for k in range(5):
        V[k, 20 * k : 20 * k + 10] = 1
    calls = []

    class LowRank(LinearOperator):
        def _matmat(self, x):
            calls.append(x.shape[1])
            return U @ (V @ x)

        def _rmatmat(self, y):
            calls.append(y.shape[1])
            return V.T @ (U.T @ y)

    model = SPCArt(5, nonzeros=10).fit(LowRank(np.float64, (3000, 2000)))
    assert model.cpev_ > 0.99
    assert model.solver_ == "krylov"
    np.testing.assert_allclose(
        model.components_, SPCArt(5, nonzeros=10).fit(U @ V).components_, atol=1e-9
    )


def test_moments_are_added_up(table):
    whole = Moments(table)
    assert repr(whole) == "Moments(80 samples, 12 variables)"
    assert whole.shape == (80, 12)
    np.testing.assert_allclose(whole.mean, table.mean(axis=0))
    np.testing.assert_allclose(whole.covariance(), np.cov(table.T))
    added = Moments(table[:7]) + Moments(sp.csr_array(table[7:40]))
    before = added.n_samples
    total = added + Moments(RowBlocks([table[40:60], table[60:]]))
    assert (before, added.n_samples, total.n_samples) == (40, 40, 80)
    np.testing.assert_allclose(total.scatter, whole.scatter, rtol=1e-10)
    for same in (pickle.loads(pickle.dumps(total)), copy.deepcopy(total)):
        np.testing.assert_array_equal(same.scatter, total.scatter)
        same.update(table)
        assert (same.n_samples, total.n_samples) == (160, 80)
    with pytest.raises(ValueError, match="those of 12 and of 11 variables cannot be added"):
        total + Moments(table[:, 1:])
    with pytest.raises(TypeError):
        total + 1
    with pytest.raises(ValueError, match="they have no samples"):
        SPCArt(2).fit(Moments())
    with pytest.raises(ValueError, match="a covariance needs two"):
        Moments(table[:1]).covariance()
    assert pickle.loads(pickle.dumps(Moments())).n_samples == 0


def test_partial_fit_is_a_fit_to_all(table):
    expected = SPCArt(3, nonzeros=4).fit(table)
    model = SPCArt(3, nonzeros=4)
    for part in (table[:10], RowBlocks([table[10:20]]), Moments(table[20:30]), table[30:]):
        assert model.partial_fit(part) is model
    np.testing.assert_allclose(model.components_, expected.components_, atol=1e-9)
    np.testing.assert_allclose(model.transform(table), expected.transform(table), atol=1e-8)
    assert model.n_samples_ == model.n_samples_seen_ == model.moments_.n_samples == 80
    model.set_params(n_components=5).partial_fit(table)  # other components of more samples
    assert (model.n_components_, model.n_samples_) == (5, 160)
    assert not hasattr(model.fit(table), "moments_")
    with pytest.warns(spcart.SpcartWarning, match="partial_fit begins anew"):
        model.partial_fit(table[:20])
    assert model.partial_fit(table[:20]).n_samples_ == 40


def test_a_part_that_is_rejected_does_not_count(table):
    model = SPCArt(3)
    with pytest.raises(ValueError, match="n_components=3: it must be from 1 to 2, the smaller of"):
        model.partial_fit(table[:2])
    assert model.partial_fit(table[:9]).n_samples_ == 9
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full((3, 12), np.nan))
    with pytest.raises(ValueError, match="11 features"):
        model.partial_fit(table[:, 1:])
    assert model.partial_fit(table[9:12]).n_samples_ == 12
    with pytest.raises(ValueError, match="missing=mean: it must be error or drop"):
        SPCArt(3, missing="mean").partial_fit(table)


# Data of other libraries.


def expect_same(table, data, atol=1e-9, **parameters):
    expected = SPCArt(3, nonzeros=4).fit(table)
    model = SPCArt(3, nonzeros=4, **parameters).fit(data)
    np.testing.assert_allclose(model.components_, expected.components_, atol=atol)
    np.testing.assert_allclose(model.transform(data), expected.transform(table), atol=1e-7)
    return model


@pytest.fixture
def small_blocks(monkeypatch):
    """Several blocks of every table, none of which is read as a whole."""
    monkeypatch.setattr(row_blocks, "_AT_ONCE", 12 * 7)
    monkeypatch.setattr(row_blocks, "_PART_OF_MEMORY", 1 << 60)


@pytest.mark.parametrize("chunks", [(20, 12), (33, 5), (80, 12)])
def test_dask_arrays(table, chunks):
    array = pytest.importorskip("dask.array", reason="an extra")
    expect_same(table, array.from_array(table, chunks=chunks))


def test_dask_arrays_of_unknown_length(table):
    array = pytest.importorskip("dask.array", reason="an extra")
    data = array.from_array(table, chunks=(20, 12))
    expect_same(table[table[:, 0] > 0], data[data[:, 0] > 0])


def test_dask_data_frames(table):
    frames = pytest.importorskip("dask.dataframe", reason="an extra")
    names = [f"v{j}" for j in range(12)]
    data = frames.from_pandas(pd.DataFrame(table, columns=names), npartitions=3)
    assert expect_same(table, data).feature_names_in_.tolist() == names


@pytest.mark.slow
def test_moments_on_a_cluster_of_dask(table):
    distributed = pytest.importorskip("distributed", reason="an extra")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        measured = client.map(Moments, [table[:30], table[30:50], table[50:]], n_threads=1)
        moments = client.submit(sum, measured).result()
    assert moments.n_samples == 80
    np.testing.assert_allclose(
        SPCArt(3, nonzeros=4).fit(moments).components_,
        SPCArt(3, nonzeros=4).fit(table).components_,
        atol=1e-9,
    )


def test_parquet(table, tmp_path, small_blocks):
    pytest.importorskip("pyarrow", reason="an extra")
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    frame = pd.DataFrame(table, columns=[f"v{j}" for j in range(12)])
    frame["v3"] = frame["v3"].astype("float32")
    table = frame.to_numpy()
    frame[:50].to_parquet(tmp_path / "a.parquet", row_group_size=15)
    frame[50:].to_parquet(tmp_path / "b.parquet")
    model = expect_same(table, ds.dataset(tmp_path))
    assert model.feature_names_in_.tolist() == list(frame.columns)
    expect_same(table[:50], pq.ParquetFile(tmp_path / "a.parquet"))

    frame.loc[4, "v2"] = np.nan
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"row 4, column 2 \('v2'\): NaN"):
        SPCArt(2).fit(pq.ParquetFile(tmp_path / "a.parquet"))
    frame["v5"] = "text"
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="column 'v5' has no numbers"):
        SPCArt(2).fit(pq.ParquetFile(tmp_path / "a.parquet"))


def test_lazy_frames(table, small_blocks):
    pl = pytest.importorskip("polars", reason="an extra")
    names = [f"v{j}" for j in range(12)]
    frame = pl.DataFrame(dict(zip(names, table.T, strict=True)))
    assert expect_same(table, frame.lazy()).feature_names_in_.tolist() == names
    expect_same(table, frame)  # in memory


def test_arrays_of_hdf5(table, tmp_path, small_blocks):
    h5py = pytest.importorskip("h5py", reason="an extra")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        expect_same(table, file.create_dataset("x", data=table, chunks=(9, 5)))


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("memory", [None, "500M"])
def test_backed_anndata(table, tmp_path, small_blocks, convert, memory, monkeypatch):
    anndata = pytest.importorskip("anndata", reason="an extra")
    names = [f"gene{j}" for j in range(12)]
    adata = anndata.AnnData(convert(table), var=pd.DataFrame(index=names))
    adata.write_h5ad(tmp_path / "a.h5ad")
    data = anndata.read_h5ad(tmp_path / "a.h5ad", backed="r")
    model = expect_same(table, data, memory=memory)
    assert model.feature_names_in_.tolist() == names
    monkeypatch.setattr(row_blocks, "_PART_OF_MEMORY", 1)
    expect_same(table, data)
    data.file.close()
