"""The tutorial runs from beginning to end."""

from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


@pytest.mark.filterwarnings("ignore")  # of the notebook's own machinery; its code has a process
def test_tutorial(monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="notebooks are run with newest versions")
    nbclient = pytest.importorskip("nbclient", reason="notebooks are run with newest versions")
    monkeypatch.setenv("PYTHONWARNINGS", "error::UserWarning:spcart")
    notebook = nbformat.read(TUTORIAL, as_version=4)
    stored = [cell.get("outputs", []) for cell in notebook.cells]
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    # What is shown is what comes out, where it is text.
    for cell, before in zip(notebook.cells, stored, strict=True):
        now = [output.text for output in cell.get("outputs", []) if "text" in output]
        assert now == [output.text for output in before if "text" in output]
