"""Sparse components of an array, of a sparse matrix and of a CSV file.

usage: python user_program.py TABLE.csv    numbers below one line of names; one row per sample
"""

import sys

import numpy as np
import scipy.sparse as sp

import spcart

array = spcart.datasets.load_spiked(n=200, p=50, r=3, k=5).data
model = spcart.SPCArt(n_components=3, nonzeros=5).fit(array)
print(f"array: {model.cpev_ / model.cpev_pca_:.1%} of what PCA explains, by {model.nonzeros_}")
scores = model.transform(array)
certificate = spcart.certify(array, model.loadings_, seconds=5)
print(f"proved: at most {certificate.gap:.1%} more is possible with as few variables")

counts = sp.csr_array(np.random.default_rng(0).poisson(0.1, size=(300, 40)).astype(np.float64))
of_counts = spcart.fit(counts, 2, sparsity=0.9)
for bound in of_counts.bounds_:
    if bound.applies:
        print(f"sparse matrix: {bound.name} is {bound.least:.3f} to {bound.most:.3f}")

table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
criteria = spcart.evaluate(table, spcart.fit(table, 2, keep=0.9, scale=True).loadings_, scale=True)
print(f"file: {criteria.cpev:.3f} explained, {criteria.sparsity:.0%} zeros")
