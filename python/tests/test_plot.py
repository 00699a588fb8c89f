"""Pictures show what the model has."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

import spcart
from spcart import SPCArt, plot

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture
def frame(table):
    return pd.DataFrame(table, columns=[f"gene{j}" for j in range(12)])


@pytest.fixture
def model(frame):
    return SPCArt(3, nonzeros=2, scale=True).fit(frame)


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_heatmap(model):
    ax = plot.heatmap(model)
    assert isinstance(ax, Axes)
    used = np.flatnonzero(model.components_.any(axis=0))
    assert labels(ax.yaxis) == [f"gene{j}" for j in used]
    assert labels(ax.xaxis) == ["PC1", "PC2", "PC3"]
    np.testing.assert_array_equal(ax.images[0].get_array().filled(0), model.components_.T[used])
    whole = plot.heatmap(model, only_used=False, feature_names=list("abcdefghijkl"))
    assert labels(whole.yaxis) == list("abcdefghijkl")
    whole.figure.canvas.draw()


def test_scree(model):
    ax = plot.scree(model)
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights, model.explained_variance_ratio_)
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(model.cpev_)
    assert ax.lines[1].get_ydata()[-1] == pytest.approx(model.cpev_pca_)
    ax.figure.canvas.draw()


def test_path(frame):
    followed = spcart.path(frame, [1, 3], truncation=["hard", "count"], points=6, scale=True)
    ax = plot.path(followed)
    assert ax.get_xscale() == "log"
    hard, count, knee, keep = ax.lines
    points = [p for p in followed.points if p.n_components == 3]
    for line, truncation in [(hard, "hard"), (count, "count")]:
        ours = [p for p in points if p.truncation == truncation]
        assert line.get_label() == truncation
        np.testing.assert_array_equal(line.get_xdata(), [p.nonzeros for p in ours])
        np.testing.assert_array_equal(line.get_ydata(), [p.criteria.share_of_pca for p in ours])
    for line, point in [(knee, followed.knee), (keep, followed.keep)]:
        assert list(line.get_xdata()) == [point.nonzeros]
        assert list(line.get_ydata()) == [point.criteria.share_of_pca]
    assert knee.get_label().startswith("knee: ")
    ax.figure.canvas.draw()
    assert "20" in [tick.label1.get_text() for tick in ax.xaxis.get_minor_ticks()]
    assert len(plot.path(followed, n_components=1).lines) == 2  # nothing is marked there
    with pytest.raises(ValueError, match="n_components=2: the path has 1, 3"):
        plot.path(followed, n_components=2)


def test_path_shades_what_is_out_of_reach(frame):
    followed = spcart.path(frame, 3, points=5, scale=True, certify=2)
    ax = plot.path(followed)
    (region,) = ax.collections
    assert region.get_label() == "hard: out of reach if orthogonal"
    corners = region.get_paths()[0].vertices
    for point in followed.points:
        expected = [point.nonzeros, point.bound / point.criteria.cpev_pca]
        assert np.isclose(corners, expected).all(axis=1).any()
    assert corners[:, 1].max() == pytest.approx(ax.get_ylim()[1])
    ax.figure.canvas.draw()
    assert not plot.path(spcart.path(frame, 3, points=5)).collections


@pytest.mark.parametrize("components", [1, 3])
def test_certificate(frame, components):
    model = SPCArt(components, nonzeros=2, scale=True, certify=1).fit(frame)
    proved = model.certificate_
    ax = plot.certificate(proved)
    assert len(ax.patches) == len(proved.bounds) >= components
    for bar, bound in zip(ax.patches, proved.bounds, strict=True):
        assert bar.get_x() == bound.bound
        assert bar.get_x() + bar.get_width() == pytest.approx(ax.get_xlim()[1])
    assert [line.get_xdata()[0] for line in ax.lines] == [proved.cpev, proved.cpev_pca]
    for label, bound in zip(labels(ax.yaxis), proved.bounds, strict=True):
        assert ("*" in label) == (bound == proved.own)
        assert f"at most {100 * bound.bound:.2f} % ({bound.by})" in label
    ax.figure.canvas.draw()


def test_certificate_that_was_not_asked_for(model):
    with pytest.raises(ValueError, match="there is no certificate, give certify to the fit"):
        plot.certificate(model.certificate_)


def test_convergence(model):
    ax = plot.convergence(model)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.history_["change"])
    ax.figure.canvas.draw()


def test_biplot_draws_only_variables_of_its_components(model, frame):
    ax = plot.biplot(model, frame, components=(0, 2))
    used = np.flatnonzero(model.components_[[0, 2]].any(axis=0))
    assert len(used) < 12
    texts = {text.get_text() for text in ax.texts} - {""}
    assert texts == {f"gene{j}" for j in used}
    np.testing.assert_allclose(ax.collections[0].get_offsets(), model.transform(frame)[:, [0, 2]])
    assert ax.get_xlabel().startswith("PC1 (")
    ax.figure.canvas.draw()


def test_images():
    X = spcart.datasets.load_patches(n=300, size=5).data
    model = SPCArt(6, nonzeros=8, remove_row_mean=True).fit(X)
    ax = plot.images(model, (5, 5))
    sheet = ax.images[0].get_array()
    assert sheet.shape == (11, 17)
    first = model.components_[0].reshape(5, 5)
    np.testing.assert_allclose(sheet[:5, :5], first / np.abs(first).max())
    with pytest.raises(ValueError, match="shape=5 x 6: there are 25 variables"):
        plot.images(model, (5, 6))


def test_axes_that_are_given_are_used(model, frame):
    ax = matplotlib.pyplot.figure().add_subplot()
    assert plot.scree(model, ax=ax) is ax
    assert plot.biplot(model, frame, ax=ax) is ax
