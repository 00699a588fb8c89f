"""What several tests use."""

import json
import os
import subprocess
from pathlib import Path

# Threads that wait should not take time from those that work on a machine that others use, too. The
# OpenMP runtime looks at this when it is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np  # noqa: E402
import pytest  # noqa: E402


@pytest.fixture(scope="session")
def run_command():
    """Run the command `spcart`, which SPCART_COMMAND names, and read the JSON that it writes."""
    program = os.environ.get("SPCART_COMMAND")
    if not program:
        pytest.skip("SPCART_COMMAND does not name the command")

    def run(*arguments):
        words = [program, *map(str, arguments), "--json", "-"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def real_data():
    """The folder of data sets that are not in the repository."""
    folder = os.environ.get("SPCART_DATA")
    if not folder:
        pytest.skip("SPCART_DATA does not name the folder of real data")
    return Path(folder)


@pytest.fixture
def table():
    """Correlated samples with large means, in 12 variables."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(80, 4)) * [9, 5, 3, 2]
    return hidden @ rng.normal(size=(4, 12)) + rng.normal(size=(80, 12)) + 100 * np.arange(12)
