"""The normal distribution that components stand for, as in probabilistic PCA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._typing import Matrix, Vector

#: A direction in which loadings differ by less than this is none, relative to the largest.
_SAME_SPAN = 1e-10


@dataclass(frozen=True)
class NormalModel:
    """Variances along the span of the components as measured, and one for all other directions.

    The covariance is ``U diag(variances) U' + noise (I - U U')``.
    """

    directions: Matrix  #: U, orthonormal, of shape (n_features, rank)
    variances: Vector  #: along U, and at least the noise
    noise: float

    def covariance(self) -> Matrix:
        u = self.directions
        covariance: Matrix = (u * (self.variances - self.noise)) @ u.T
        covariance[np.diag_indices_from(covariance)] += self.noise
        return covariance

    def precision(self) -> Matrix:
        self._check_regular()
        u = self.directions
        if self.noise == 0:
            inverse: Matrix = (u / self.variances) @ u.T
            return inverse
        precision: Matrix = (u * (1 / self.variances - 1 / self.noise)) @ u.T
        precision[np.diag_indices_from(precision)] += 1 / self.noise
        return precision

    def log_likelihood(self, samples: Matrix) -> Vector:
        """Of centred samples, one per row."""
        self._check_regular()
        p, rank = self.directions.shape
        along = samples @ self.directions
        distances = np.sum(along**2 / self.variances, axis=1)
        log_determinant = np.sum(np.log(self.variances))
        if rank < p:
            rest = samples - along @ self.directions.T
            distances += np.sum(rest**2, axis=1) / self.noise
            log_determinant += (p - rank) * np.log(self.noise)
        likelihood: Vector = -0.5 * (distances + log_determinant + p * np.log(2 * np.pi))
        return likelihood

    def _check_regular(self) -> None:
        p, rank = self.directions.shape
        if (rank < p and self.noise <= 0) or not np.all(self.variances > 0):
            raise ValueError(
                "the covariance of the model is singular, and has no inverse: the components leave "
                "no variance (noise_variance_=0) for the other directions; fit fewer components"
            )


def make_model(loadings: Matrix, score_covariance: Matrix, noise: float) -> NormalModel:
    """The model of components (columns of unit length) whose scores have that covariance."""
    left, lengths, right = np.linalg.svd(loadings, full_matrices=False)
    rank = int(np.sum(lengths > _SAME_SPAN * lengths.max(initial=0)))
    back = right[:rank].T / lengths[:rank]  # from scores to coordinates in the span
    variances, turned = np.linalg.eigh(back.T @ score_covariance @ back)
    return NormalModel(left[:, :rank] @ turned, np.maximum(variances, noise), noise)
