"""Errors, warnings, progress, threads and interrupts."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning

import spcart
from spcart import SPCArt


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 2}, "lam=2: with truncation hard it must be at least 0 and below 1"),
        ({"lam": "much"}, "lam=much: it must be a number"),
        ({"tol": -1}, "tol=-1: it must be a number of at least 0"),
        ({"max_iter": 0}, "max_iter=0: it must be at least 1"),
        ({"lam": 0.2, "nonzeros": 3}, "lam=0.2 and nonzeros=3: give one of them"),
        ({"nonzeros": 3.5}, "nonzeros=3.5: it must be a whole number"),
        ({"nonzeros": 13}, "nonzeros=13: it must be from 1 to 12, the number of variables"),
        ({"sparsity": 1}, "sparsity=1: it must be at least 0 and below 1"),
        ({"keep": 0}, "keep=0: it must be above 0 and at most 1"),
        ({"restarts": -1}, "restarts=-1: it must be at least 0"),
        ({"best_by": "luck"}, "best_by=luck: it must be one of objective, cpev"),
        ({"method": "none"}, "method=none: it must be one of spcart, pca, "),
        ({"truncation": "x"}, "truncation=x: it must be one of hard, soft, count, energy"),
        ({"start": "pca"}, "start=pca: method spcart has varimax"),
        ({"n_components": 13}, "n_components=13: it must be from 1 to 12, the smaller of"),
        ({"n_components": 0}, "n_components=0: it must be from 1"),
        ({"n_components": 2.5}, "n_components=2.5: it must be a whole number"),
        ({"n_components": "all"}, "n_components=all: it must be a whole number"),
        ({"random_state": -1}, "random_state=-1: it must be a whole number"),
        ({"n_threads": -1}, "n_threads=-1: it must be from 0 to 1024"),
        ({"memory": "much"}, "memory=much: it must be a number of bytes"),
        ({"precision": "half"}, "precision=half: it must be one of double, single"),
        ({"solver": "svd"}, "solver=svd: it must be one of auto, gram, outer, krylov"),
        ({"method_params": {"ridge": 1}}, "ridge=1: method spcart does not take it; methods"),
        (
            {"method": "gpower", "method_params": {"post_fit": 3}},
            "post_fit=3: it must be yes or no",
        ),
    ],
)
def test_errors_are_the_cores_with_python_s_names(table, parameters, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        SPCArt(**{"n_components": 2, **parameters}).fit(table)


def test_unknown_parameters_of_a_method_are_rejected(table):
    with pytest.raises(TypeError, match="there is no option 'rigde'"):
        SPCArt(2, method="spca", method_params={"rigde": 1}).fit(table)


def test_bad_numbers_are_named(table):
    for bad, name in [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")]:
        table[4, 2] = bad
        with pytest.raises(ValueError, match=f"row 4, column 2: {name} is not a finite number"):
            SPCArt(2).fit(table)
    with pytest.raises(ValueError, match="no variance"):
        SPCArt(2).fit(np.ones((5, 4)))
    with pytest.raises(ValueError, match="square"):
        SPCArt(2).fit_covariance(np.ones((5, 4)))
    with pytest.raises(ValueError, match="symmetric"):
        SPCArt(2).fit_covariance(np.arange(16.0).reshape(4, 4))


def test_a_failed_fit_leaves_nothing(table):
    model = SPCArt(2, lam=3)
    with pytest.raises(ValueError, match="lam"):
        model.fit(table)
    assert not hasattr(model, "components_")


def test_warnings_are_of_classes_of_their_own(table):
    C = spcart.datasets.load_pitprops().covariance
    with pytest.warns(spcart.ConvergenceWarning, match="not converged within 3 iterations") as seen:
        model = SPCArt(6, start="identity", max_iter=3).fit_covariance(C)
    assert issubclass(spcart.ConvergenceWarning, SklearnConvergenceWarning)
    assert issubclass(spcart.ConvergenceWarning, spcart.SpcartWarning)
    assert model.warnings_ == ["not converged within 3 iterations"]
    assert model.status_ == "iteration_limit"
    assert seen[0].filename == __file__
    table[:, 3] = 5
    with pytest.warns(spcart.SpcartWarning, match="does not vary and cannot be scaled") as seen:
        SPCArt(2, scale=True).fit(table)
    assert not issubclass(seen[0].category, spcart.ConvergenceWarning)


def test_threads_are_as_they_were_afterwards(table):
    before = spcart._core.threads()
    model = SPCArt(2, n_threads=1).fit(table)
    assert spcart._core.threads() == before
    np.testing.assert_allclose(
        model.components_, SPCArt(2, n_threads=2).fit(table).components_, atol=1e-9
    )


def test_progress_is_shown_where_asked_for(capsys):
    X = np.random.default_rng(0).normal(size=(3000, 600))
    SPCArt(100, solver="gram").fit(X)
    assert capsys.readouterr().err == ""
    SPCArt(100, solver="gram", verbose=1).fit(X)
    assert "finding principal components" in capsys.readouterr().err


def test_progress_of_a_proof_tells_its_gap(capsys):
    pytest.importorskip("tqdm", reason="only the bar has room for it")
    X = np.random.default_rng(0).normal(size=(80, 60))
    limit = {"time_limit": 0.5}
    with pytest.warns(spcart.SpcartWarning, match="time ended"):
        SPCArt(1, nonzeros=15, method="exact", method_params=limit, verbose=1).fit(X)
    assert re.search(r"1 of 1: .* at most .*gap ", capsys.readouterr().err)


def test_progress_does_without_tqdm(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    X = np.random.default_rng(0).normal(size=(3000, 600))
    SPCArt(100, solver="gram", verbose=1).fit(X)
    assert "spcart: finding principal components ...\n" in capsys.readouterr().err


def test_other_threads_run_meanwhile():
    X = np.random.default_rng(0).normal(size=(3000, 600))
    rounds, done = 0, False

    def count():
        nonlocal rounds
        while not done:
            rounds += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    start = rounds
    SPCArt(100, solver="gram", n_threads=1).fit(X)
    meanwhile = rounds - start
    done = True
    other.join()
    assert meanwhile > 5


def test_several_threads_may_fit_at_once(table):
    twin = SPCArt(3, n_threads=1).fit(table).components_
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(SPCArt(3, n_threads=1).fit(table).components_))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for components in found:
        np.testing.assert_array_equal(components, twin)


# Each of these takes long if nobody interrupts it; the last is in one decomposition all the time.
LONG = {
    "method": "SPCArt(300, tol=0, max_iter=10**9).fit(X)",
    "krylov": "SPCArt(400, solver='krylov', method='pca').fit(X)",
    "exact": "SPCArt(1, nonzeros=50, method='exact').fit(X[:300, :200])",
    "certify": "SPCArt(9, nonzeros=20, effort='none', certify=900).fit(X[:500, :200])",
    "decomposition": "SPCArt(2900, method='pca').fit_covariance(X[:3000].T @ X[:3000])",
}


@pytest.mark.slow
@pytest.mark.parametrize("where", LONG)
def test_ctrl_c_is_heard(where):
    width = 3000 if where == "decomposition" else 2000
    program = f"""
        import numpy as np
        from spcart import SPCArt
        X = np.random.default_rng(0).normal(size=(4000, {width}))
        print("begun", flush=True)
        try:
            {LONG[where]}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    words = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "begun\n"
            time.sleep(3)  # beyond the preparation of the data
            begin = time.monotonic()
            os.kill(child.pid, signal.SIGINT)
            assert child.stdout.readline() == "interrupted\n"
            seconds = time.monotonic() - begin
        finally:
            child.kill()
    print(f"{where}: interrupted after {seconds:.2f} s")
    assert seconds < 5  # a second where the machine is not busy
