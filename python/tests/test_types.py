"""Programs of users see the types of all that they get."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mypy", reason="types are checked with newest versions")

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "user_program.py"

HEADER = """
import dataclasses
import numpy as np
import pandas as pd
import scipy.sparse as sp
from matplotlib.axes import Axes
from numpy.typing import NDArray
from typing_extensions import assert_type

import spcart

data = spcart.datasets.load_spiked()
X = data.data
model = spcart.SPCArt(2, nonzeros=5)
"""

# What a user asks for, and its type. mypy does not take `Any` for any of these.
TYPES = {
    "spcart.__version__": "str",
    "data.data": "NDArray[np.float64]",
    "data.feature_names": "list[str]",
    "model.fit(X)": "spcart.SPCArt",
    "model.fit(sp.csr_array(X))": "spcart.SPCArt",
    "model.fit(X.tolist())": "spcart.SPCArt",
    "model.fit(pd.DataFrame(X))": "spcart.SPCArt",
    "model.fit_covariance(X)": "spcart.SPCArt",
    "model.set_params(tol=1)": "spcart.SPCArt",
    "model.transform(X)": "NDArray[np.floating]",
    "model.fit_transform(X)": "NDArray[np.floating]",
    "model.inverse_transform(X)": "NDArray[np.floating]",
    "model.score(X)": "float",
    "model.score_samples(X)": "NDArray[np.float64]",
    "model.get_covariance()": "NDArray[np.float64]",
    "model.get_precision()": "NDArray[np.float64]",
    "model.get_feature_names_out()": "NDArray[np.object_]",
    "model.noise_variance_": "float",
    "model.score_covariance_": "NDArray[np.float64]",
    "model.fill_values_": "NDArray[np.float64] | None",
    "model.missing": "str",
    "model.whiten": "bool",
    "model.tol": "float",
    "model.components_": "NDArray[np.floating]",
    "model.loadings_": "sp.csc_array[np.float64]",
    "model.explained_variance_": "NDArray[np.float64]",
    "model.cpev_": "float",
    "model.nonzeros_": "NDArray[np.int64]",
    "model.rotation_": "NDArray[np.float64] | None",
    "model.n_iter_": "int",
    "model.n_samples_": "int | None",
    "model.lam_": "float | None",
    "model.status_": "str",
    "model.history_": "spcart.History",
    "model.history_.change": "NDArray[np.float64]",
    "model.history_['change']": "NDArray[np.float64]",
    "model.bounds_": "list[spcart.Bound]",
    "model.bounds_[0].holds": "bool",
    "model.target_": "spcart.TargetReport | None",
    "model.search_": "spcart.SearchReport | None",
    "model.restarts_": "spcart.Restarts | None",
    "model.optimal_": "list[int]",
    "model.proofs_": "list[spcart.Proof]",
    "model.proofs_[0].gap": "float",
    "model.certificate_": "spcart.Certificate | None",
    "model.timing_.total": "float",
    "dict(model.timing_)": "dict[str, float]",
    "model.warnings_": "list[str]",
    "spcart.fit(X, 2)": "spcart.SPCArt",
    "spcart.evaluate(X, X)": "spcart.Criteria",
    "spcart.evaluate(X, model.loadings_).cpev": "float",
    "spcart.evaluate(X, X, missing='drop').score_covariance": "NDArray[np.float64]",
    "spcart.certify(X, model.loadings_, seconds=1)": "spcart.Certificate",
    "spcart.certify(X, X).bound": "float",
    "spcart.certify(X, X).gap": "float",
    "spcart.certify(X, X).complete": "bool",
    "spcart.certify(X, X).nonzeros": "NDArray[np.int64]",
    "spcart.certify(X, X).bounds": "list[spcart.UpperBound]",
    "spcart.certify(X, X).own.by": "str",
    "spcart.certify(X, X).own.components": "str",
    "spcart.certify(X, X).text": "list[str]",
    "spcart.compare(X, 2)": "list[spcart.ComparisonRow]",
    "spcart.compare(X, 2)[0].searched": "spcart.Criteria | None",
    "[f.name for f in dataclasses.fields(spcart.ComparisonRow)]": "list[str]",
    "spcart.path(X).keep": "spcart.PathPoint | None",
    "spcart.path(X).knee.loadings": "sp.csc_array[np.float64]",
    "spcart.path(X, certify=1).knee.bound": "float | None",
    "spcart.path(X).to_frame()": "pd.DataFrame",
    "spcart.choose(X).to_read.nonzeros": "int",
    "spcart.choose(X).held_out": "list[spcart.ValidationPoint]",
    "spcart.bootstrap(X, 2).cosines": "NDArray[np.float64]",
    "spcart.principal_basis(X, 2).vectors": "NDArray[np.float64]",
    "spcart.rotate_and_truncate(X).rotation": "NDArray[np.float64]",
    "spcart.plot.heatmap(model)": "Axes",
    "spcart.plot.certificate(model.certificate_)": "Axes",
}


def mypy(folder, *words):
    """Run mypy as a user would, away from the sources of the package."""
    words = [sys.executable, "-m", "mypy", "--strict", *map(str, words)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_user_program_runs_and_has_types(tmp_path):
    np.savetxt(
        tmp_path / "x.csv",
        np.random.default_rng(0).normal(size=(50, 6)) * np.arange(1, 7),
        delimiter=",",
        header="a,b,c,d,e,f",
        comments="",
    )
    words = [sys.executable, "-W", "error", PROGRAM, tmp_path / "x.csv"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("array: ")
    checked = mypy(tmp_path, PROGRAM)
    assert checked.returncode == 0, checked.stdout


def test_results_have_types(tmp_path):
    program = tmp_path / "program.py"
    lines = [f"assert_type({expression}, {type_})\n" for expression, type_ in TYPES.items()]
    program.write_text(HEADER + "".join(lines))
    done = mypy(tmp_path, program)
    assert done.returncode == 0, done.stdout


def test_wrong_programs_are_found(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(HEADER + "spcart.SPCArt(nonzeors=5)\nmodel.cpev\nmodel.cpev_ + 'a'\n")
    done = mypy(tmp_path, program)
    assert done.stdout.count("error:") == 3, done.stdout


def test_the_package_itself_has_types(tmp_path):
    done = mypy(tmp_path, "--config-file", ROOT / "pyproject.toml", "-p", "spcart")
    assert done.returncode == 0, done.stdout
