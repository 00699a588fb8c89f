"""Tables of the rows: real ones from SPCART_DATA, others generated once and kept.

A table is a file: .npy (dense) or .npz (SciPy's CSR, with the same numbers as .mtx beside it).
"""

import os
import pathlib
import subprocess

import numpy as np

CHUNK_NUMBERS = 1 << 24


def real(name):
    """The path of a real data set, or None."""
    folder = os.environ.get("SPCART_DATA")
    path = pathlib.Path(folder, name) if folder else None
    return path if path and path.exists() else None


def load(path, remove_row_mean=False):
    """The table as peers get it: float32 or float64, or CSR; row means removed if requested."""
    if str(path).endswith(".npz"):
        import scipy.sparse

        return scipy.sparse.load_npz(path).tocsr()
    table = np.load(path)
    if table.dtype not in (np.float32, np.float64):
        table = table.astype(np.float64)
    return table - table.mean(axis=1, keepdims=True) if remove_row_mean else table


def for_spcart(path):
    """The same table in a format that spcart reads."""
    return pathlib.Path(str(path)[: -len(".npz")] + ".mtx") if str(path).endswith(".npz") else path


class Store:
    """Generated tables in one folder: each is made once, under a name with its sizes."""

    def __init__(self, folder, fit_file):
        self.folder = pathlib.Path(folder)
        self.fit_file = fit_file
        self.folder.mkdir(parents=True, exist_ok=True)

    def _made(self, name, make):
        path = self.folder / name
        if not path.exists():
            unfinished = path.with_name("unfinished-" + name)
            make(unfinished)
            unfinished.rename(path)
        return path

    def patches(self, n):
        def make(path):
            subprocess.run([self.fit_file, f"@patches:n={n}", "--export", path], check=True)

        return self._made(f"patches_{n}.npy", make)

    def noise(self, n, p, dtype=np.float64):
        """Independent standard normal numbers: PCA's hardest spectrum."""

        def make(path):
            np.save(path, np.random.default_rng(0).standard_normal((n, p), dtype=dtype))

        return self._made(f"noise_{n}x{p}.npy", make)

    def correlated(self, n, p, factors=12):
        """A stand-in for gene expression: few samples of many variables, correlated in groups."""

        def make(path):
            rng = np.random.default_rng(0)
            weights = rng.standard_normal((factors, p)) * (rng.random((factors, p)) < 0.3)
            strength = np.geomspace(3, 0.5, factors)
            table = (rng.standard_normal((n, factors)) * strength) @ weights
            np.save(path, table + 0.7 * rng.standard_normal((n, p)))

        return self._made(f"correlated_{n}x{p}.npy", make)

    def planted(self, n, p, r, dtype=np.float64):
        """r components of standard deviation 9 to 3 in noise of 1, written a block at a time."""

        def make(path):
            rng = np.random.default_rng(0)
            basis = np.linalg.qr(rng.standard_normal((p, r)))[0] * np.linspace(9, 3, r)
            basis = basis.T.astype(dtype)
            table = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=(n, p))
            step = max(1, CHUNK_NUMBERS // p)
            for start in range(0, n, step):
                block = table[start : start + step]
                block[:] = rng.standard_normal((len(block), r), dtype=dtype) @ basis
                block += rng.standard_normal(block.shape, dtype=dtype)
            table.flush()

        return self._made(f"planted_{n}x{p}_{np.dtype(dtype).name}.npy", make)

    def decaying(self, n, p, rank):
        """float32 with singular values that decay as 1 / sqrt(k), and a little noise."""

        def make(path):
            rng = np.random.default_rng(0)
            left = rng.standard_normal((n, rank), dtype=np.float32)
            right = rng.standard_normal((rank, p), dtype=np.float32)
            right *= (1 / np.sqrt(np.arange(1, rank + 1, dtype=np.float32)))[:, None]
            table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, p))
            step = max(1, CHUNK_NUMBERS // p)
            for start in range(0, n, step):
                block = table[start : start + step]
                block[:] = left[start : start + step] @ right
                block += 0.1 * rng.standard_normal(block.shape, dtype=np.float32)
            table.flush()

        return self._made(f"decaying_{n}x{p}.npy", make)

    def sparse(self, n, p, density):
        """CSR whose columns have frequencies that follow a power law, as words and genes have."""
        import scipy.io
        import scipy.sparse

        def matrix():
            rng = np.random.default_rng(0)
            count = int(n * p * density)
            weights = 1 / np.arange(1, p + 1) ** 0.7
            cols = rng.choice(p, size=count, p=weights / weights.sum())
            rows = np.repeat(np.arange(n), -(-count // n))[:count]
            # Three decimals: the text of the .mtx then holds the same numbers.
            values = np.round(rng.gamma(2, 1, count) + 1e-3, 3)
            table = scipy.sparse.coo_matrix((values, (rows, cols)), shape=(n, p)).tocsr()
            table.data = np.round(table.data, 3)
            return table

        name = f"sparse_{n}x{p}"
        path = self._made(f"{name}.npz", lambda to: scipy.sparse.save_npz(to, matrix(), False))
        self._made(
            f"{name}.mtx", lambda to: scipy.io.mmwrite(to, scipy.sparse.load_npz(path), precision=9)
        )
        return path
