"""The normal distribution that components stand for, as in probabilistic PCA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._typing import Loadings, Matrix, Vector

#: A direction in which loadings differ by less than this is none, relative to the largest.
_SAME_SPAN = 1e-6

#: A direction with less than this fraction of the largest variance has none, and a sample whose
#: squared distance from the span is less than this fraction of its square lies in it: the rest is
#: rounding error.
_NO_VARIANCE = 1e-14
_ROUNDING = 1e-14


def span_rank(loadings: Loadings, worst_cosine: float) -> int:
    """The dimension of the span of the columns, of which no two are nearer than that."""
    used = np.diff(loadings.indptr) > 0
    count = int(np.count_nonzero(used))
    if (count - 1) * worst_cosine < 0.5:  # Gershgorin: X'X is far from singular
        return count
    lengths = np.linalg.eigvalsh((loadings.T @ loadings).toarray())
    return int(np.sum(lengths > _SAME_SPAN**2 * lengths.max()))


@dataclass(frozen=True)
class NormalModel:
    """Variances along the span of the components as measured, and one for all other directions.

    The covariance is ``U diag(variances) U' + noise (I - U U')``.
    """

    directions: Matrix  #: U, orthonormal, of shape (n_features, rank)
    variances: Vector  #: along U, positive and at least the noise
    noise: float

    def covariance(self) -> Matrix:
        u = self.directions
        covariance: Matrix = (u * (self.variances - self.noise)) @ u.T
        covariance[np.diag_indices_from(covariance)] += self.noise
        return covariance

    def precision(self) -> Matrix:
        p, rank = self.directions.shape
        if self.noise == 0 and rank < p:
            raise ValueError(
                f"the covariance has no inverse: there is variance in {rank} directions of {p} "
                "variables only, and no noise (noise_variance_=0); fit fewer components"
            )
        u = self.directions
        if self.noise == 0:
            inverse: Matrix = (u / self.variances) @ u.T
            return inverse
        precision: Matrix = (u * (1 / self.variances - 1 / self.noise)) @ u.T
        precision[np.diag_indices_from(precision)] += 1 / self.noise
        return precision

    def log_likelihood(self, samples: Matrix) -> Vector:
        """Of centred samples, one per row.

        Without noise it is the density within the directions that vary, and minus infinity for
        samples that are not there.
        """
        p, rank = self.directions.shape
        along = samples @ self.directions
        distances = np.sum(along**2 / self.variances, axis=1)
        rest = np.sum((samples - along @ self.directions.T) ** 2, axis=1)
        log_determinant = np.sum(np.log(self.variances))
        if self.noise > 0:
            distances += rest / self.noise
            log_determinant += (p - rank) * np.log(self.noise)
            rank = p
        elif rank < p:
            sizes = np.sum(samples**2, axis=1) + np.sum(self.variances)
            distances[rest > _ROUNDING * sizes] = np.inf
        likelihood: Vector = -0.5 * (distances + log_determinant + rank * np.log(2 * np.pi))
        return likelihood


def make_model(loadings: Matrix, score_covariance: Matrix, noise: float) -> NormalModel:
    """The model of components (columns of unit length) whose scores have that covariance."""
    left, lengths, right = np.linalg.svd(loadings, full_matrices=False)
    rank = int(np.sum(lengths > _SAME_SPAN * lengths.max(initial=0)))
    back = right[:rank].T / lengths[:rank]  # from scores to coordinates in the span
    variances, turned = np.linalg.eigh(back.T @ score_covariance @ back)
    varies = variances > max(_NO_VARIANCE * variances.max(initial=0), 0)
    directions = left[:, :rank] @ turned[:, varies]
    return NormalModel(directions, np.maximum(variances[varies], noise), noise)
