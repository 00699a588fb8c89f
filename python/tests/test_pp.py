"""Components of an AnnData, in the slots of scanpy."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import spcart
from spcart import SPCArt

#: What importing the package must not load: all of it is optional.
OPTIONAL = (
    "anndata",
    "dask",
    "distributed",
    "h5py",
    "matplotlib",
    "polars",
    "scanpy",
    "tqdm",
    "zarr",
)


def test_importing_loads_nothing_that_is_optional():
    program = f"import sys, spcart, spcart.pp; print(*(set({OPTIONAL}) & set(sys.modules)))"
    words = [sys.executable, "-c", program]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "\n"


def test_other_data_is_rejected():
    for data in (
        np.eye(3),
        pd.DataFrame(np.eye(3)),
        SimpleNamespace(X=0, obs_names=0, var_names=0),
    ):
        with pytest.raises(TypeError, match="^data: it must be an AnnData, not "):
            spcart.pp.pca(data)


@pytest.fixture
def cells():
    """Counts of 60 cells and 30 genes, of which 20 vary highly, and their logarithms in a layer."""
    anndata = pytest.importorskip("anndata", reason="an extra")
    rng = np.random.default_rng(0)
    rates = np.outer(rng.gamma(1, 2, 60), rng.gamma(1, 2, 30)) * rng.gamma(2, 1, (60, 30))
    counts = sp.csr_matrix(rng.poisson(rates).astype(np.float32))
    genes = pd.DataFrame({"known": np.arange(30) % 2 == 0}, index=[f"gene{j}" for j in range(30)])
    adata = anndata.AnnData(
        counts, obs=pd.DataFrame(index=[f"cell{i}" for i in range(60)]), var=genes
    )
    adata.layers["log"] = counts.log1p()
    return adata


def variable(adata):
    adata.var["highly_variable"] = np.arange(30) < 20
    return adata


def test_slots_are_filled(cells):
    assert spcart.pp.pca(cells, n_comps=3, nonzeros=5) is None
    model = SPCArt(3, nonzeros=5).fit(cells)
    assert cells.obsm["X_pca"].dtype == np.float32
    np.testing.assert_allclose(cells.obsm["X_pca"], model.transform(cells), rtol=1e-6)
    np.testing.assert_array_equal(cells.varm["PCs"], model.components_.T)
    found = cells.uns["pca"]
    np.testing.assert_array_equal(found["variance"], model.explained_variance_)
    np.testing.assert_array_equal(found["variance_ratio"], model.explained_variance_ratio_)
    assert found["cpev"] == model.cpev_
    assert found["cpev_pca"] == model.cpev_pca_
    assert found["params"] == {
        "zero_center": True,
        "use_highly_variable": False,
        "mask_var": None,
        "nonzeros": 5,
    }


def test_highly_variable_genes_are_used_unless_others_are_wanted(cells):
    adata = variable(cells)
    spcart.pp.pca(adata, n_comps=3, nonzeros=5)
    of_some = SPCArt(3, nonzeros=5).fit(adata.X[:, :20])
    np.testing.assert_array_equal(adata.varm["PCs"][:20], of_some.components_.T)
    assert adata.varm["PCs"].shape == (30, 3)
    assert not adata.varm["PCs"][20:].any()
    assert adata.uns["pca"]["params"]["use_highly_variable"] is True
    assert adata.uns["pca"]["params"]["mask_var"] == "highly_variable"
    spcart.pp.pca(adata, n_comps=3, nonzeros=5, mask_var=None)
    of_all = SPCArt(3, nonzeros=5).fit(adata.X)
    np.testing.assert_array_equal(adata.varm["PCs"], of_all.components_.T)
    known = np.asarray(adata.var["known"])
    for mask in ("known", known):
        spcart.pp.pca(adata, n_comps=3, nonzeros=5, mask_var=mask)
        of_known = SPCArt(3, nonzeros=5).fit(adata.X[:, known])
        np.testing.assert_array_equal(adata.varm["PCs"][known], of_known.components_.T)
        assert adata.uns["pca"]["params"]["use_highly_variable"] is False


def test_layers_keys_copies_and_parameters(cells):
    with_slots = spcart.pp.pca(
        cells, 2, layer="log", key_added="sparse", dtype="float64", copy=True, lam=0.1, scale=True
    )
    assert not cells.obsm
    assert not cells.uns
    model = SPCArt(2, lam=0.1, scale=True).fit(cells.layers["log"])
    np.testing.assert_allclose(
        with_slots.obsm["sparse"], model.transform(cells.layers["log"]), rtol=1e-12
    )
    assert with_slots.obsm["sparse"].dtype == np.float64
    np.testing.assert_array_equal(with_slots.varm["sparse"], model.components_.T)
    assert with_slots.uns["sparse"]["params"]["layer"] == "log"
    spcart.pp.pca(cells, 2, zero_center=False)
    np.testing.assert_array_equal(
        cells.varm["PCs"], SPCArt(2, center=False).fit(cells.X).components_.T
    )


def test_the_number_of_components_is_that_of_scanpy(cells):
    anndata = pytest.importorskip("anndata")
    spcart.pp.pca(cells, method="pca")
    assert cells.obsm["X_pca"].shape == (60, 29)
    wide = anndata.AnnData(np.random.default_rng(0).random((70, 60)))
    spcart.pp.pca(wide, method="pca")
    assert wide.obsm["X_pca"].shape == (70, 50)


@pytest.mark.parametrize("convert", [sp.csr_matrix, sp.csc_matrix, lambda x: x.toarray()])
@pytest.mark.parametrize("mask_var", [None, "highly_variable"])
def test_backed_data_is_read(cells, tmp_path, convert, mask_var, monkeypatch):
    anndata = pytest.importorskip("anndata")
    adata = variable(cells)
    adata.X = convert(adata.X)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    spcart.pp.pca(adata, n_comps=3, nonzeros=5, mask_var=mask_var)
    monkeypatch.setattr("spcart._tables._READ_AT_ONCE", 7 * 30)  # seven cells
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    model = SPCArt(3, nonzeros=5)
    scores = model.fit_transform(backed)
    copied = spcart.pp.pca(backed, n_comps=3, nonzeros=5, mask_var=mask_var, copy=True)
    spcart.pp.pca(backed, n_comps=3, nonzeros=5, mask_var=mask_var)
    assert backed.isbacked
    assert not copied.isbacked
    for found in (backed, copied):
        np.testing.assert_array_equal(found.varm["PCs"], adata.varm["PCs"])
        np.testing.assert_array_equal(found.obsm["X_pca"], adata.obsm["X_pca"])
    if mask_var is None:
        np.testing.assert_array_equal(model.components_.T, adata.varm["PCs"])
        np.testing.assert_array_equal(scores, adata.obsm["X_pca"])
    backed.file.close()


def test_a_file_keeps_the_slots(cells, tmp_path):
    anndata = pytest.importorskip("anndata")
    spcart.pp.pca(variable(cells), n_comps=3, nonzeros=5)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(again.varm["PCs"], cells.varm["PCs"])
    assert again.uns["pca"]["params"]["nonzeros"] == 5
    assert again.uns["pca"]["cpev"] == cells.uns["pca"]["cpev"]


def test_data_frames_have_the_names_of_cells(cells):
    model = SPCArt(2, nonzeros=5).set_output(transform="pandas")
    for scores in (model.fit_transform(cells), model.transform(cells)):
        assert list(scores.index) == list(cells.obs_names)
        assert list(scores.columns) == ["PC1", "PC2"]
        assert (scores.dtypes == np.float32).all()


def test_missing_values_have_the_name_of_their_gene(cells):
    adata = variable(cells)
    adata.X = adata.X.toarray()
    adata.X[4, 12] = np.nan
    with pytest.raises(ValueError, match=r"^row 4, column 12 \('gene12'\): NaN is not"):
        spcart.pp.pca(adata, 2)
    spcart.pp.pca(adata, 2, missing="drop")
    np.testing.assert_array_equal(np.isnan(adata.obsm["X_pca"]).all(axis=1), np.arange(60) == 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"layer": "raw"}, "layer=raw: it must be one of log"),
        ({"mask_var": "varies"}, "mask_var=varies: it must be one of known"),
        ({"mask_var": np.ones(3, dtype=bool)}, r"mask_var: it must be 30 values of bool"),
        ({"mask_var": np.arange(30)}, r"mask_var: it must be 30 values of bool"),
        ({"mask_var": np.zeros(30, dtype=bool)}, "mask_var: it must be true for at least one gene"),
        ({"n_comps": 31}, "n_components=31: it must be from 1 to 30"),
        ({"nonzeros": 0}, "nonzeros=0: it must be from 1 to 30, the number of variables"),
    ],
)
def test_wrong_arguments_are_named(cells, arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        spcart.pp.pca(cells, **{"n_comps": 2, **arguments})
    with pytest.raises(TypeError, match="nonzeors"):
        spcart.pp.pca(cells, 2, nonzeors=3)
