"""The tutorial runs from beginning to end."""

from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


def texts_of(outputs):
    return [output.text for output in outputs if "text" in output]


@pytest.mark.filterwarnings("ignore")  # of the notebook's own machinery; its code has a process
def test_tutorial():
    nbformat = pytest.importorskip("nbformat", reason="notebooks are run with newest versions")
    nbclient = pytest.importorskip("nbclient", reason="notebooks are run with newest versions")
    notebook = nbformat.read(TUTORIAL, as_version=4)
    stored = [cell.get("outputs", []) for cell in notebook.cells]
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    for cell, before in zip(notebook.cells, stored, strict=True):
        now = cell.get("outputs", [])
        assert all(output.get("name") != "stderr" for output in now)  # where warnings go
        # What is shown is what comes out, where it is text.
        assert texts_of(now) == texts_of(before)
