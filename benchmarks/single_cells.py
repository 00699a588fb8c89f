"""spcart.pp.pca beside scanpy.pp.pca on 906 blood cells: slots, clusters and maps.

usage: SPCART_DATA=... python benchmarks/single_cells.py [--n-comps 20] [NONZEROS ...]

Needs scanpy, leidenalg and umap-learn. Cells are normalised, their 2000 most variable genes are
used, and both runs have as many components, 15 neighbours and the same seeds. One line per number of
genes in a component: the variance that is explained beside that of PCA, the adjusted Rand index
between the clusters (Leiden) of both runs, and the share of each cell's 15 nearest cells in the map
(UMAP) that both maps have. The line "PCA" is scanpy with another seed of clusters and map: what
chance alone changes.
"""

import argparse
import gzip
import os
import warnings
from pathlib import Path

import anndata
import numpy as np
import scanpy as sc
import scipy.io
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

import spcart

NEIGHBORS = 15


def blood_cells():
    folder = Path(os.environ["SPCART_DATA"])
    with gzip.open(folder / "pbmc1k_v3_906x14688.mtx.gz") as file:
        counts = scipy.io.mmread(file).tocsr().astype(np.float32)
    adata = anndata.AnnData(counts)
    adata.var_names = (folder / "pbmc1k_v3_genes.txt").read_text().split("\n")[: adata.n_vars]
    adata.var_names_make_unique()
    sc.pp.normalize_total(adata, target_sum=1e4)
    sc.pp.log1p(adata)
    sc.pp.highly_variable_genes(adata, n_top_genes=2000)
    return adata


def clusters_and_map(adata, seed=0):
    sc.pp.neighbors(adata, n_neighbors=NEIGHBORS, random_state=seed)
    sc.tl.leiden(adata, flavor="leidenalg", random_state=seed)
    sc.tl.umap(adata, random_state=seed)
    return adata.obs["leiden"].to_numpy(), adata.obsm["X_umap"]


def common_neighbors(one, other):
    near = [
        NearestNeighbors(n_neighbors=NEIGHBORS).fit(x).kneighbors(return_distance=False)
        for x in (one, other)
    ]
    shares = [len(set(a) & set(b)) / NEIGHBORS for a, b in zip(*near, strict=True)]
    return float(np.mean(shares))


def slots_of(adata):
    return {
        "obsm": {key: (value.shape, value.dtype) for key, value in adata.obsm.items()},
        "varm": {key: value.shape for key, value in adata.varm.items()},
        "uns": sorted(adata.uns["pca"]),
    }


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--n-comps", type=int, default=20)
    parser.add_argument("nonzeros", type=int, nargs="*", default=[2000, 400, 200, 100, 50])
    arguments = parser.parse_args()
    cells = blood_cells()
    dense = cells.copy()
    sc.pp.pca(dense, n_comps=arguments.n_comps)
    print("scanpy:", slots_of(dense))
    clusters, umap = clusters_and_map(dense)
    again, map_again = clusters_and_map(dense, seed=1)
    print(f"{'genes':>6} {'of PCA':>7} {'clusters':>8} {'Rand':>6} {'map':>5}")
    rand, near = adjusted_rand_score(clusters, again), common_neighbors(umap, map_again)
    print(f"{'PCA':>6} {1:7.3f} {len(set(again)):8} {rand:6.3f} {near:5.2f}", flush=True)
    for nonzeros in arguments.nonzeros:
        sparse = cells.copy()
        spcart.pp.pca(sparse, n_comps=arguments.n_comps, nonzeros=nonzeros)
        share = sparse.uns["pca"]["cpev"] / sparse.uns["pca"]["cpev_pca"]
        slots = slots_of(sparse)
        labels, position = clusters_and_map(sparse)
        rand = adjusted_rand_score(clusters, labels)
        near = common_neighbors(umap, position)
        print(f"{nonzeros:6} {share:7.3f} {len(set(labels)):8} {rand:6.3f} {near:5.2f}", flush=True)
    print("spcart:", slots)


if __name__ == "__main__":
    main()
