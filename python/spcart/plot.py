"""Pictures of components. Each function returns the Axes that it drew on.

Needs matplotlib: ``pip install spcart[plot]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._estimator import component_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from . import _core
    from ._estimator import SPCArt
    from ._typing import Data

__all__ = ["biplot", "certificate", "convergence", "heatmap", "images", "path", "scree"]


def _axes(ax: Axes | None, **how: Any) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    axes: Axes = plt.subplots(**{"layout": "constrained", **how})[1]
    return axes


def _names(model: SPCArt, feature_names: Iterable[str] | None) -> list[str]:
    names = getattr(model, "feature_names_in_", None) if feature_names is None else feature_names
    return [f"x{j + 1}" for j in range(model.n_features_in_)] if names is None else list(names)


def _titles(model: SPCArt) -> list[str]:
    return component_names(model.n_components_)


def heatmap(
    model: SPCArt,
    *,
    feature_names: Iterable[str] | None = None,
    only_used: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Loadings as colours: one row per variable, one column per component.

    Parameters
    ----------
    model : SPCArt
        A fitted estimator.
    feature_names : list of str, default=None
        Names of all variables. None: those of the data of the fit.
    only_used : bool, default=True
        Leave out variables that are in no component.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With the picture.
    """
    names = _names(model, feature_names)
    loadings = model.components_.T
    rows = np.flatnonzero(loadings.any(axis=1)) if only_used else np.arange(len(loadings))
    ax = _axes(ax, figsize=(3.5 + 0.5 * model.n_components_, 1 + 0.25 * len(rows)))
    most = np.abs(loadings).max() or 1.0
    shown = np.ma.masked_equal(loadings[rows], 0)
    picture = ax.imshow(shown, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")
    ax.set_xticks(range(model.n_components_), _titles(model))
    ax.set_yticks(range(len(rows)), [names[j] for j in rows])
    ax.figure.colorbar(picture, ax=ax, label="loading")
    return ax


def scree(model: SPCArt, *, ax: Axes | None = None) -> Axes:
    """Explained variance of each component, its sum, and that of PCA.

    Parameters
    ----------
    model : SPCArt
        A fitted estimator.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With the picture.
    """
    ax = _axes(ax)
    ours = model.explained_variance_ratio_
    squares = model.singular_values_**2
    pca = squares / squares.sum() * model.cpev_pca_
    positions = np.arange(1, len(ours) + 1)
    ax.bar(positions, ours, color="tab:blue", alpha=0.6, label="each component")
    ax.plot(positions, np.cumsum(ours), "o-", color="tab:blue", label="together (CPEV)")
    ax.plot(positions, np.cumsum(pca), "s--", color="tab:gray", label="as many of PCA")
    ax.set_xticks(positions, _titles(model))
    ax.set_ylim(0, 1)
    ax.set_ylabel("fraction of the variance")
    ax.legend()
    return ax


def path(followed: _core.Path, *, n_components: int | None = None, ax: Axes | None = None) -> Axes:
    """The trade-off between nonzeros and variance: one line per truncation type.

    If the path was followed with `certify`, the region that no orthogonal components reach is
    shaded.

    Parameters
    ----------
    followed : Path
        What :func:`spcart.path` returned.
    n_components : int, default=None
        Which number of components, if the path has several. None: the most. The knee and the point
        that keeps enough are of the most components, and are marked only there.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With the picture.
    """
    most = followed.knee.n_components
    wanted = most if n_components is None else n_components
    points = [point for point in followed.points if point.n_components == wanted]
    if not points:
        numbers = sorted({point.n_components for point in followed.points})
        raise ValueError(f"n_components={wanted}: the path has {', '.join(map(str, numbers))}")
    from matplotlib.ticker import LogFormatter

    ax = _axes(ax)
    for truncation in dict.fromkeys(point.truncation for point in points):
        line = [point for point in points if point.truncation == truncation]
        (drawn,) = ax.semilogx(*_trade_off(line), "o-", markersize=3, label=truncation)
        _shade_beyond_bounds(line, drawn.get_color(), ax)
    marks = [("knee", followed.knee, "D"), ("keep", followed.keep, "s")] if wanted == most else []
    for name, point, marker in marks:
        if point is None:
            continue
        share = 100 * point.criteria.share_of_pca
        label = f"{name}: {point.nonzeros} nonzeros, {share:.1f} %"
        how: dict[str, Any] = {
            "markersize": 9,
            "markerfacecolor": "none",
            "color": "black",
            "linestyle": "none",
        }
        ax.plot(*_trade_off([point]), marker=marker, label=label, **how)
    for set_formatter in (ax.xaxis.set_major_formatter, ax.xaxis.set_minor_formatter):
        set_formatter(LogFormatter(labelOnlyBase=False, minor_thresholds=(2, 0.5)))
    ax.set_xlabel(f"nonzeros of {wanted} component{'s' if wanted > 1 else ''}")
    ax.set_ylabel("share of the variance that PCA explains")
    ax.set_ylim(top=_TOP_OF_PATH)
    ax.legend()
    return ax


_TOP_OF_PATH = 1.02


def _trade_off(points: Sequence[_core.PathPoint]) -> tuple[list[int], list[float]]:
    return [point.nonzeros for point in points], [point.criteria.share_of_pca for point in points]


def _shade_beyond_bounds(points: Sequence[_core.PathPoint], color: Any, ax: Axes) -> None:
    bounds = [
        (point.nonzeros, point.bound / point.criteria.cpev_pca)
        for point in sorted(points, key=lambda point: point.nonzeros)
        if point.bound is not None
    ]
    if bounds:
        # A bound also holds for fewer nonzeros: that of the next point to the right.
        ax.fill_between(
            [count for count, _ in bounds],
            [bound for _, bound in bounds],
            _TOP_OF_PATH,
            step="pre",
            color=color,
            alpha=0.15,
            linewidth=0,
            label=f"{points[0].truncation}: out of reach if orthogonal",
        )


def certificate(proved: _core.Certificate | None, *, ax: Axes | None = None) -> Axes:
    """What components explain, and what others with as few variables cannot exceed.

    Parameters
    ----------
    proved : Certificate
        What :func:`spcart.certify` returned, or ``certificate_`` of an estimator that was fitted
        with `certify`.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With one row per class of components. A bar begins at the bound: no components of that class
        explain what it covers. A star marks the class to which the components belong.
    """
    if proved is None:
        raise ValueError("proved=None: there is no certificate, give certify to the fit")
    bounds = np.array([bound.bound for bound in proved.bounds])
    rows = np.arange(len(bounds))
    ax = _axes(ax, figsize=(6.4, 1.3 + 0.5 * len(rows)))
    least = min(bounds.min(), proved.cpev)
    margin = 0.08 * max(proved.cpev_pca - least, 0.01)
    right = proved.cpev_pca + margin
    ax.barh(rows, right - bounds, left=bounds, color="tab:gray", alpha=0.35, label="out of reach")
    ax.axvline(proved.cpev, color="tab:blue", label=f"these: {_percent(proved.cpev)}")
    label = f"as many of PCA: {_percent(proved.cpev_pca)}"
    ax.axvline(proved.cpev_pca, color="black", linestyle="--", label=label)
    ax.set_yticks(rows, [_row_title(bound, proved.own) for bound in proved.bounds])
    ax.invert_yaxis()
    ax.set_xlim(least - margin, right)
    ax.set_xlabel("fraction of the variance")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), fontsize="small", ncols=3)
    return ax


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2f} %"


def _row_title(bound: _core.UpperBound, own: _core.UpperBound) -> str:
    title = _CLASSES[bound.components] + (" *" if bound == own else "")
    return f"{title}\nat most {_percent(bound.bound)} ({bound.by})"


_CLASSES = {
    "disjoint": "no common variables",
    "orthogonal": "orthogonal",
    "oblique": "as oblique as these",
    "any": "any",
}


def convergence(model: SPCArt, *, ax: Axes | None = None) -> Axes:
    """Change of the loadings and their sparsity at each iteration.

    Parameters
    ----------
    model : SPCArt
        A fitted estimator.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With the change; the sparsity has a second axis.
    """
    ax = _axes(ax)
    iterations = np.arange(1, model.n_iter_ + 1)
    ax.semilogy(iterations, model.history_.change, "o-", color="tab:blue", markersize=3)
    ax.axhline(model.tol, color="tab:gray", linestyle="--", linewidth=1)
    ax.set_xlabel("iteration")
    ax.set_ylabel("change of the loadings", color="tab:blue")
    other = ax.twinx()
    other.plot(iterations, model.history_.sparsity, color="tab:orange")
    other.set_ylim(0, 1)
    other.set_ylabel("sparsity", color="tab:orange")
    return ax


def biplot(
    model: SPCArt,
    X: Data,
    *,
    components: tuple[int, int] = (0, 1),
    feature_names: Iterable[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Scores of samples on two components, and the variables that are in them.

    Parameters
    ----------
    model : SPCArt
        A fitted estimator.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Samples.
    components : pair of int, default=(0, 1)
        Which components.
    feature_names : list of str, default=None
        Names of all variables. None: those of the data of the fit.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With the picture. Variables that are in neither component are not drawn.
    """
    ax = _axes(ax)
    names = _names(model, feature_names)
    scores = np.asarray(model.transform(X))[:, components]
    loadings = model.components_[list(components)].T
    ax.scatter(scores[:, 0], scores[:, 1], s=8, color="tab:gray", alpha=0.6)
    length = 0.9 * np.abs(scores).max() / (np.abs(loadings).max() or 1.0)
    for j in np.flatnonzero(loadings.any(axis=1)):
        x, y = length * loadings[j]
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": "tab:red"})
        # Most variables of sparse components lie on an axis: labels along the horizontal one slant.
        ax.annotate(
            names[j],
            (x, y),
            (3, 3),
            textcoords="offset points",
            rotation=0 if y else 45,
            color="tab:red",
            fontsize="small",
        )
    ax.update_datalim(length * loadings)
    ax.margins(0.12)
    titles = _titles(model)
    ratios = model.explained_variance_ratio_
    labels = [f"{titles[i]} ({100 * ratios[i]:.1f} %)" for i in components]
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    ax.axhline(0, color="lightgray", linewidth=0.8, zorder=0)
    ax.axvline(0, color="lightgray", linewidth=0.8, zorder=0)
    return ax


def images(
    model: SPCArt, shape: tuple[int, int], *, columns: int | None = None, ax: Axes | None = None
) -> Axes:
    """Each component as a picture, side by side: for variables that are pixels.

    Parameters
    ----------
    model : SPCArt
        A fitted estimator.
    shape : pair of int
        Height and width of the pictures; their product is the number of variables.
    columns : int, default=None
        Pictures in a row. None: about as many as there are rows.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With all pictures.
    """
    height, width = shape
    if height * width != model.n_features_in_:
        raise ValueError(
            f"shape={height} x {width}: there are {model.n_features_in_} variables, not "
            f"{height * width}"
        )
    count = model.n_components_
    columns = columns or int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    # An empty line between two pictures.
    sheet = np.full((rows * (height + 1) - 1, columns * (width + 1) - 1), np.nan)
    for i, component in enumerate(model.components_):
        top, left = i // columns * (height + 1), i % columns * (width + 1)
        most = np.abs(component).max() or 1.0
        sheet[top : top + height, left : left + width] = component.reshape(shape) / most
    ax = _axes(ax, figsize=(6, 6 * rows / columns))
    ax.imshow(sheet, cmap="RdBu_r", vmin=-1, vmax=1, interpolation="nearest")
    ax.set_axis_off()
    return ax
