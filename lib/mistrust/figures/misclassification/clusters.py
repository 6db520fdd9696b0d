"""Images that the network gets right and the clusters do not: the paper's Figures 3 and 4 in one."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from numpy.typing import ArrayLike

from mistrust.errors import MistrustError
from mistrust.figures.parts import GREY, class_names, some
from mistrust.figures.style import PALETTE, Picture, figure, picture, style
from mistrust.rows import select

_NOTE = re.compile(r"id (\d+), (.+) in cluster (.+)")
_AT_MOST = 2  # images, as in the paper


def has_misclustered(rows: pd.DataFrame, *, seed: int | None = None) -> bool:
    """Tell whether a network has a misclustered image: the one with this seed, or any at all for None.

    Examples
    --------
    >>> from mistrust import rows
    >>> image = {"method": "image 1", "metric": "softmax", "value": 0.5, "seed": 3}
    >>> found = rows.table([image], table="misclustered")
    >>> has_misclustered(found), has_misclustered(found, seed=0)
    (True, False)
    """
    return len(_images(rows, seed)) > 0


def misclustered(
    rows: pd.DataFrame,
    *,
    seed: int | None = None,
    thumbnails: Mapping[int, ArrayLike] | None = None,
    caption: str = "",
) -> Picture:
    """Draw softmax and distances to the centroids of the first two misclustered images of one network.

    Parameters
    ----------
    rows : rows of the chapter, with the table "misclustered".
    seed : the network's seed; None for the first network that has such an image.
    thumbnails : id -> uint8 image (h, w) or (h, w, 3), drawn beside its bars; what
        `mistrust.misclassification.thumbnails.by_id` gives.

    Raises
    ------
    MistrustError
        There is no misclustered image, which `has_misclustered` tells beforehand; a note that tells no class.

    Examples
    --------
    >>> from mistrust import rows
    >>> bars = {"softmax": {"5": 0.45, "6": 0.55}, "distance": {"5": 0.4, "6": 0.6}}
    >>> six = {"table": "misclustered", "method": "image 1", "note": "id 8688, 6 in cluster 5", "seed": 0}
    >>> found = [{"metric": m, "at": at, "value": v} for m, bar in bars.items() for at, v in bar.items()]
    >>> misclustered(rows.table(found, **six)).alt.rpartition("; ")[2]
    'nearest centroid: 5.'
    """
    found = _images(rows, seed)
    some(found, "misclustered images")
    here = found[found["seed"] == (found["seed"].min() if seed is None else seed)]
    chosen = sorted(set(here["method"]), key=lambda method: int(method.removeprefix("image ")))[:_AT_MOST]
    pictured = thumbnails or {}
    classes = class_names(here["at"])
    said = []
    with style():
        drawn = figure(len(chosen) * (0.235 * len(classes) + 1.25))
        for part, method in zip(drawn.subfigures(len(chosen), 1, squeeze=False)[:, 0], chosen, strict=True):
            image = here[here["method"] == method]
            number, label, cluster = _note(str(image["note"].iloc[0]))
            values = {
                metric: select(image, metric=metric).set_index("at")["value"].reindex(classes)
                for metric in ("softmax", "distance")
            }
            _bars(part, values, label, cluster, pictured.get(number))
            part.suptitle(f"image {number}: class {label} in the cluster of {cluster}", fontsize=12)
            said.append(_told(number, label, cluster, values))
        alt = (
            f"Bars of softmax beside bars of the distance to each cluster's centroid, network "
            f"{here['seed'].iloc[0]:.0f}. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-misclustered")


def _images(rows: pd.DataFrame, seed: int | None) -> pd.DataFrame:
    found = select(rows, table="misclustered", metric=["softmax", "distance"])
    return found[found["seed"].notna() if seed is None else found["seed"] == seed]


def _note(text: str) -> tuple[int, str, str]:
    """Read id, class and cluster out of "id 8688, 6 in cluster 5"."""
    match = _NOTE.fullmatch(text)
    if match is None:
        raise MistrustError(f"The note '{text}' of a misclustered image is not like 'id 8688, 6 in cluster 5'.")
    return int(match[1]), match[2], match[3]


def _bars(
    part: SubFigure, values: Mapping[str, pd.Series], label: str, cluster: str, thumbnail: ArrayLike | None
) -> None:
    widths = [1, 1] if thumbnail is None else [0.55, 1, 1]
    panels: list[Axes] = list(np.ravel(part.subplots(1, len(widths), width_ratios=widths)))
    if thumbnail is not None:
        beside = panels.pop(0)
        beside.imshow(np.asarray(thumbnail), cmap="gray", vmin=0, vmax=255)
        beside.axis("off")
    names = list(values["softmax"].index)
    # The two classes in question differ in colour and in hatch: they are told apart in grey too.
    colours: list[str] = [{label: PALETTE[0], cluster: PALETTE[1]}.get(name, GREY) for name in names]
    hatches = ["//" if name == cluster else "" for name in names]
    for axes, (metric, line) in zip(panels, values.items(), strict=True):
        axes.barh(names, np.asarray(line, dtype=np.float64), color=colours, hatch=hatches, edgecolor="white")
        axes.invert_yaxis()
        axes.set_xlabel(metric)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
    for axes in panels:
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    panels[0].set_xlim(0, 1.1)  # beyond 1, so that its tick does not meet the next panel's 0
    panels[1].set_yticks(panels[1].get_yticks(), [""] * len(names))
    for name, tick in zip(names, panels[0].get_yticklabels(), strict=True):
        tick.set_fontweight("bold" if name in (label, cluster) else "normal")


def _told(number: int, label: str, cluster: str, values: Mapping[str, pd.Series]) -> str:
    softmax, distance = values["softmax"], values["distance"]
    pair = [f"{softmax.get(c, np.nan):.2f} for {c} at distance {distance.get(c, np.nan):.2f}" for c in (label, cluster)]
    return (
        f"Image {number} is a {label} in the cluster of {cluster}: softmax {' and '.join(pair)}; "
        f"nearest centroid: {distance.idxmin()}."
    )
