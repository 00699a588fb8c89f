"""The command and Python give the same loadings to the last bit."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from spcart import SPCArt, datasets, path


def loadings_of(result):
    x = np.zeros((result["variables"], result["components"]))
    for column, entries in enumerate(result["loadings"]):
        x[entries["index"], column] = entries["value"]
    return x


def expect_same(model, result):
    np.testing.assert_array_equal(model.loadings_.toarray(), loadings_of(result))
    assert model.cpev_ == result["criteria"]["cpev"]
    assert model.n_iter_ == result["iterations"]
    assert model.solver_ == result["solver"]


@pytest.mark.parametrize("name", ["pitprops", "synthetic"])
def test_on_covariances(run_command, name):
    C = getattr(datasets, f"load_{name}")().covariance
    model = SPCArt(4, refit=3, random_state=0).fit_covariance(C)
    expect_same(model, run_command("fit", f"@{name}", "-r", 4, "--refit", 3))


def make_patches():
    return datasets.load_patches(n=500).data, {"remove_row_mean": True, "nonzeros": 20}


def make_wide():
    return datasets.load_random(n=60, p=400).data, {"method": "rsvd-gp"}


def make_float32():
    return datasets.load_spiked().data.astype(np.float32), {"scale": True, "refine": 4}


def make_bytes():
    return np.random.default_rng(0).integers(0, 255, (200, 30), dtype=np.uint8), {"lam": 0.3}


def make_by_column():
    return np.asfortranarray(datasets.load_spiked(seed=1).data), {"solver": "krylov"}


@pytest.mark.parametrize(
    "make", [make_patches, make_wide, make_float32, make_bytes, make_by_column]
)
@pytest.mark.parametrize("threads", [1, 2])
def test_on_dense_tables(run_command, tmp_path, make, threads):
    X, parameters = make()
    np.save(tmp_path / "x.npy", X)
    flags = [f"--{name.replace('lam', 'lambda').replace('_', '-')}" for name in parameters]
    words = []
    for flag, value in zip(flags, parameters.values(), strict=True):
        words += [flag] if value is True else [flag, value]
    model = SPCArt(4, **parameters, random_state=0, n_threads=threads).fit(X)
    expect_same(
        model, run_command("fit", tmp_path / "x.npy", "-r", 4, "--threads", threads, *words)
    )


@pytest.mark.parametrize("random_state", [0, 7])
def test_on_sparse_tables(run_command, tmp_path, random_state):
    X = sp.csr_array(sp.random(300, 200, density=0.05, random_state=1, format="csr"))
    scipy.io.mmwrite(tmp_path / "x.mtx", X, precision=17)
    model = SPCArt(5, random_state=random_state, n_threads=2).fit(X)
    words = ["-r", 5, "--seed", random_state, "--threads", 2]
    expect_same(model, run_command("fit", tmp_path / "x.mtx", *words))


@pytest.mark.parametrize("name", ["leukemia_72x7129.npy", "colon_62x2000.npy"])
def test_on_real_data(run_command, real_data, name):
    X = np.load(real_data / name)
    model = SPCArt(6, scale=True, random_state=0, n_threads=2).fit(X)
    words = ["-r", 6, "--scale", "--threads", 2]
    expect_same(model, run_command("fit", real_data / name, *words))


@pytest.mark.parametrize("words", [["--scale"], ["--scale", "--threads", 1]])
def test_path(run_command, tmp_path, table, words):
    np.save(tmp_path / "x.npy", table)
    threads = 1 if "--threads" in words else None
    ours = path(table, [2, 4], truncation=["hard", "energy"], scale=True, n_threads=threads)
    theirs = run_command(
        "path", tmp_path / "x.npy", "-r", "2,4", "--truncation", "hard,energy", *words
    )
    assert len(ours.points) == len(theirs["points"])
    for point, other in zip(ours.points, theirs["points"], strict=True):
        assert point.lam == other["lambda"]
        assert point.criteria.cpev == other["criteria"]["cpev"]
        assert point.criteria.nonzeros.tolist() == other["criteria"]["nonzeros"]
    assert ours.points.index(ours.knee) == theirs["knee"]
    assert ours.points.index(ours.keep) == theirs["keep"]
