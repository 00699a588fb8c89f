"""Uses the package in an environment that has nothing but its wheel."""

import numpy as np

import spcart

X = spcart.datasets.load_spiked().data
model = spcart.SPCArt(5, nonzeros=8).fit(X)
assert model.transform(X).shape == (500, 5)
assert model.cpev_ > 0.98 * model.cpev_pca_
np.testing.assert_allclose(model.score(X), model.cpev_)

with open("/proc/self/maps") as maps:
    libraries = {line.split()[-1] for line in maps if ".so" in line}
blas = [path for path in libraries if "openblas" in path and "spcart.libs" in path]
foreign = [path for path in libraries if path.startswith("/usr/") and "blas" in path]
assert blas and not foreign, (blas, foreign)
print(f"spcart {spcart.__version__}: import, fit and transform work; BLAS is the wheel's own")
