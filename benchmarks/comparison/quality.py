"""How good a solution is, by the same NumPy code for all contenders.

Everything is computed in double precision, a block of rows at a time.
"""

import numpy as np

CHUNK_NUMBERS = 1 << 24


class Judge:
    """Evaluates vectors (p x r, any lengths) on the centred table."""

    def __init__(self, table):
        self.table = table
        self.sparse = not isinstance(table, np.ndarray)
        self.mean = np.asarray(table.mean(axis=0, dtype=np.float64)).ravel()
        self.total = self._total()

    def _blocks(self):
        n, p = self.table.shape
        step = max(1, CHUNK_NUMBERS // p)
        for start in range(0, n, step):
            yield self.table[start : start + step].astype(np.float64) - self.mean

    def _total(self):
        if not self.sparse:
            return sum(float(np.vdot(block, block)) for block in self._blocks())
        return float((self.table.data**2).sum() - self.table.shape[0] * (self.mean**2).sum())

    def _gram_times(self, x):
        """A'A x, and |A x|^2 of every column."""
        if self.sparse:
            y = self.table @ x - self.mean @ x
            return self.table.T @ y - np.outer(self.mean, y.sum(axis=0)), (y**2).sum(axis=0)
        product, squares = np.zeros(x.shape), np.zeros(x.shape[1])
        for block in self._blocks():
            y = block @ x
            product += block.T @ y
            squares += (y**2).sum(axis=0)
        return product, squares

    def explained(self, x):
        """CPEV: the share of the variance within the span of x."""
        q = np.linalg.qr(x[:, np.any(x != 0, axis=0)])[0]
        return float(self._gram_times(q)[1].sum() / self.total)

    def residual(self, v):
        """The largest |A'A v - s^2 v| / s_1^2, with s^2 = v'A'A v: the best for each v."""
        v = v / np.linalg.norm(v, axis=0)
        product, squares = self._gram_times(v)
        return float(np.linalg.norm(product - v * squares, axis=0).max() / squares.max())


def sparsity(x):
    return float(np.mean(x == 0))
