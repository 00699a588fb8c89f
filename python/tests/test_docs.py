"""Every example of every docstring."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name", [
        "_choosing",
        "_estimator",
        "_functions",
        "_moments",
        "_path",
        "_row_blocks",
        "datasets",
        "pp",
        "_warnings",
    ]
)
def test_docstrings(name):
    if name == "pp":
        pytest.importorskip("anndata", reason="an extra")
    module = importlib.import_module(f"spcart.{name}")
    assert doctest.testmod(module).failed == 0
