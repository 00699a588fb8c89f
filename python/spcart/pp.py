"""Preprocessing of single cells: what :mod:`scanpy.pp` has, with sparse components.

Needs anndata: ``pip install spcart[single-cell]``.
"""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ._estimator import SPCArt
from ._tables import in_memory, is_anndata

if TYPE_CHECKING:
    from anndata import AnnData
    from numpy.typing import DTypeLike, NDArray

    from ._typing import FloatMatrix, RandomState

__all__ = ["pca"]

#: As many components as scanpy takes.
_N_COMPS = 50


class _Default(Enum):
    """The value of an argument that was not given, if None is a value of its own."""

    HIGHLY_VARIABLE = "highly_variable, if there is such a column"

    def __repr__(self) -> str:
        return f"<{self.value}>"


def pca(
    data: AnnData,
    n_comps: int | None = None,
    *,
    nonzeros: int | None = None,
    layer: str | None = None,
    mask_var: NDArray[np.bool_] | str | _Default | None = _Default.HIGHLY_VARIABLE,
    zero_center: bool = True,
    key_added: str | None = None,
    dtype: DTypeLike = "float32",
    random_state: RandomState = 0,
    copy: bool = False,
    **params: Any,
) -> AnnData | None:
    """Sparse principal components of an AnnData, in the slots that `scanpy.pp.pca` fills.

    What uses these slots (neighbours, UMAP, clusters, plots of loadings) goes on as after
    `scanpy.pp.pca`. Sparse matrices stay sparse. Of a backed AnnData only the variables in use are
    read into memory.

    Parameters
    ----------
    data : AnnData
        Cells by genes, usually normalised and logarithmised.
    n_comps : int, default=None
        Number of components. None: 50, or one less than the smaller of cells and genes in use.
    nonzeros : int, default=None
        Number of genes in each component. None: what the truncation of :class:`spcart.SPCArt`
        leaves.
    layer : str, default=None
        The layer to use. None: ``X``.
    mask_var : str or array of bool, default: "highly_variable" if there is such a column
        Genes to use: a column of ``var``, or one value per gene. None: all.
    zero_center : bool, default=True
        Subtract from each gene its mean: `center` of :class:`spcart.SPCArt`.
    key_added : str, default=None
        Key of all slots. None: "X_pca", "PCs" and "pca".
    dtype : dtype, default="float32"
        Type of the scores.
    random_state : int, RandomState instance or None, default=0
        Seed, as in :class:`spcart.SPCArt`.
    copy : bool, default=False
        Return a copy with the slots, and leave `data` as it is.
    **params
        Other parameters of :class:`spcart.SPCArt`, such as `scale`, `keep` or ``method="pca"``.

    Returns
    -------
    data : AnnData or None
        The copy, if that was asked for. These slots are set:

        - ``obsm["X_pca"]``: scores, of shape (n_obs, n_comps)
        - ``varm["PCs"]``: loadings, of shape (n_vars, n_comps); zero for genes that are not in use
        - ``uns["pca"]``: ``variance`` and ``variance_ratio`` of each component, ``params``, and
          ``cpev`` and ``cpev_pca``: what all components explain together, and what as many of PCA
          would

    See Also
    --------
    spcart.SPCArt : The estimator.

    Examples
    --------
    >>> import anndata, numpy as np, spcart
    >>> X = spcart.datasets.load_spiked(n=60, p=20, r=2, k=4).data
    >>> adata = anndata.AnnData(X)
    >>> spcart.pp.pca(adata, n_comps=2, nonzeros=4)
    >>> adata.obsm["X_pca"].shape, np.count_nonzero(adata.varm["PCs"], axis=0).tolist()
    ((60, 2), [4, 4])
    """
    if not _is_whole_anndata(data):
        raise TypeError(
            f"data: it must be an AnnData, not {type(data).__name__}; SPCArt takes other data"
        )
    if copy:
        data = data.to_memory() if data.isbacked else data.copy()
    mask_name, mask = _mask(data, mask_var)
    matrix = in_memory(_matrix(data, layer), mask)
    if n_comps is None:
        n_comps = max(min(_N_COMPS, min(matrix.shape) - 1), 1)
    model = SPCArt(
        n_comps, nonzeros=nonzeros, center=zero_center, random_state=random_state, **params
    )
    genes = data.var_names if mask is None else data.var_names[mask]
    used = SimpleNamespace(X=matrix, obs_names=data.obs_names, var_names=genes)
    scores = model.fit_transform(used)
    _fill_slots(data, model, np.asarray(scores, dtype=dtype), mask, key_added)
    described = {
        "zero_center": zero_center,
        "use_highly_variable": isinstance(mask_name, str) and mask_name == "highly_variable",
        "mask_var": mask_name,
        **({} if layer is None else {"layer": layer}),
        **({} if nonzeros is None else {"nonzeros": nonzeros}),
    }
    data.uns[key_added or "pca"] = {
        "params": described,
        "variance": model.explained_variance_,
        "variance_ratio": model.explained_variance_ratio_,
        "cpev": model.cpev_,
        "cpev_pca": model.cpev_pca_,
    }
    return data if copy else None


def _is_whole_anndata(data: object) -> bool:
    return is_anndata(data) and hasattr(data, "obsm")


def _matrix(data: AnnData, layer: str | None) -> Any:
    if layer is None:
        return data.X
    if layer not in data.layers:
        raise ValueError(f"layer={layer}: it must be one of {_listed(data.layers.keys())}")
    return data.layers[layer]


def _mask(
    data: AnnData, mask_var: NDArray[np.bool_] | str | _Default | None
) -> tuple[NDArray[np.bool_] | str | None, NDArray[np.bool_] | None]:
    """Which genes to use, as given and as an array; None for all."""
    if isinstance(mask_var, _Default):
        mask_var = "highly_variable" if "highly_variable" in data.var.columns else None
    if mask_var is None:
        return None, None
    if isinstance(mask_var, str):
        if mask_var not in data.var.columns:
            raise ValueError(f"mask_var={mask_var}: it must be one of {_listed(data.var.columns)}")
        mask = np.asarray(data.var[mask_var])
        name = f"mask_var={mask_var}"
    else:
        mask = np.asarray(mask_var)
        name = "mask_var"
    if mask.dtype != np.bool_ or mask.shape != (data.n_vars,):
        raise ValueError(
            f"{name}: it must be {data.n_vars} values of bool, one per gene, and is of shape "
            f"{mask.shape} and type {mask.dtype}"
        )
    if not mask.any():
        raise ValueError(f"{name}: it must be true for at least one gene")
    return mask_var, mask


def _listed(names: Any) -> str:
    return ", ".join(map(str, names)) or "none: there are none"


def _fill_slots(
    data: AnnData,
    model: SPCArt,
    scores: FloatMatrix,
    mask: NDArray[np.bool_] | None,
    key_added: str | None,
) -> None:
    loadings = model.components_.T
    if mask is not None:
        of_used, loadings = loadings, np.zeros((len(mask), loadings.shape[1]))
        loadings[mask] = of_used
    data.obsm[key_added or "X_pca"] = scores
    data.varm[key_added or "PCs"] = loadings
