"""The front page's picture: of the methods of all papers, who notices which trouble; and what of the papers holds."""

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mistrust.comparison.advice import CHANCE
from mistrust.figures.comparison.parts import of, short, words
from mistrust.figures.images import images_of, place, show
from mistrust.figures.parts import GREY
from mistrust.figures.style import PALETTE, WIDTH, Picture, figure, picture, style

# Inches: names and images, the heads of both parts, a trouble, a paper, and the words of an axis.
_LEFT, _HEAD, _LINE, _PAPER, _FOOT = 2.15, 0.42, 0.52, 0.36, 0.95
_IMAGE, _ACROSS, _RIGHT = 0.24, 3, 0.15
USUAL = "max_softmax"  # what every classifier has
# Where a drawing's numbers are places, not scales: in hundredths of a point nobody sees what is left out, and the first
# page has a megabyte to load.
_PLACES = re.compile(r' [xy]="[^"]*"|translate\([^)]*\)|(?<= d=")M [^"]*')
_LONG = re.compile(r"-?\d+\.\d{3,}")
_SHADES = (PALETTE[2], PALETTE[1], "#bbbbbb", "#eeeeee")


def front(rows: pd.DataFrame, verdicts: pd.DataFrame, *, data: str | None = None) -> Picture:
    """Draw one line of dots per trouble, the best noticed first, and beneath one bar of verdicts per paper.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "detection" (AUROC, means over networks) and "inputs" (images).
    verdicts : how many claims of each paper (index: its name) got which verdict (columns, in their order).
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows; a row without an image.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.pictures import pack
    >>> auroc = [{"method": "max_softmax", "value": 0.60}, {"method": "knn", "value": 0.99}]
    >>> found = rows.table(auroc, table="detection", metric="auroc", data="mnist", condition="invalid")
    >>> image = {"at": "0", "value": 3, "note": pack(np.zeros((4, 4), np.uint8))}
    >>> shown = rows.table([image], table="inputs", metric="predicted", data="mnist", condition="invalid")
    >>> told = pd.DataFrame({"holds": [2], "does not hold": [1]}, index=["Safety monitors"])
    >>> front(pd.concat([found, shown]), told).alt.split(". ")[1]
    'The best method for each kind, and Max Softmax in brackets: Invalid: KNN 0.99 (0.60)'
    """
    held = of(rows, "detection", "front picture", data=data, metric="auroc")
    name = str(held["data"].iloc[0])
    mean = held.pivot(index="condition", columns="method", values="value")
    mean = mean.loc[mean.max(axis=1).sort_values(ascending=False, kind="stable").index]
    seen = of(rows, "inputs", "front picture", data=name).sort_values("at", key=lambda at: at.astype(int))
    upper, lower = _LINE * len(mean), _PAPER * len(verdicts)
    with style():
        drawn = figure(_HEAD + upper + _FOOT + _HEAD + lower + _FOOT / 2)
        _title(drawn, 0, f"Who notices a bad input? {len(mean.columns)} methods")
        for line, trouble in enumerate(mean.index):
            shown = seen[seen["condition"] == trouble].head(_ACROSS)
            _inputs(drawn, _HEAD + _LINE * line, words(str(trouble)), images_of(shown) if len(shown) else ())
        _dots(place(drawn, _LEFT, _HEAD, WIDTH - _LEFT - _RIGHT, upper), mean)
        beneath = _HEAD + upper + _FOOT
        _title(drawn, beneath, f"Do the papers' claims hold? {int(verdicts.to_numpy().sum())} claims")
        _bars(place(drawn, _LEFT, beneath + _HEAD, WIDTH - _LEFT - _RIGHT, lower), verdicts)
        made = picture(drawn, _told(mean, verdicts, name), "", "fig-front")
    return replace(made, svg=_PLACES.sub(lambda place: _LONG.sub(_hundredths, place[0]), made.svg))


def _hundredths(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _title(drawn: Figure, top: float, text: str) -> None:
    drawn.text(0.02, 1 - (top + 0.22) / drawn.get_figheight(), text, weight="bold", size=12)


def _inputs(drawn: Figure, top: float, name: str, images: Iterable[NDArray[np.uint8]]) -> None:
    """Write a trouble's name above a few of its images."""
    drawn.text(0.02, 1 - (top + 0.19) / drawn.get_figheight(), name, size=11)
    for index, image in enumerate(images):
        show(place(drawn, 0.1 + index * _IMAGE * 1.05, top + 0.24, _IMAGE, _IMAGE), image)


def _dots(axes: Axes, mean: pd.DataFrame) -> None:
    """Draw all methods as grey dots, the best of each line by name, and what every classifier has as a diamond."""
    at = np.arange(len(mean))
    for method in mean.columns:
        axes.plot(mean[method], at, "o", color=GREY, alpha=0.35, ms=4.5, mew=0, ls="none")
    if USUAL in mean.columns:
        axes.plot(mean[USUAL], at, "D", color="black", mfc="white", ms=5.5, label=words(USUAL))
    for line, method in enumerate(mean.idxmax(axis=1)):
        value = float(mean[method].iloc[line])
        axes.plot(value, line, "o", color=PALETTE[0], ms=8, label="the best" if not line else None)
        axes.annotate(
            f"{short(str(method))} {value:.2f}", (value, line), (5, 7), textcoords="offset points", ha="right", size=10,
            weight="bold", color=PALETTE[0], bbox={"fc": "white", "ec": "none", "alpha": 0.8, "pad": 0.5},
        )  # fmt: skip
    axes.axvline(CHANCE, color="black", lw=1, ls=":")
    axes.set(xlim=(min(0.45, float(mean.to_numpy().min()) - 0.03), 1.03), ylim=(len(mean) - 0.5, -0.6), yticks=[])
    axes.set_xticks([0.25, 0.5, 0.75, 1], [".25", ".5", ".75", "1"])
    axes.set_xlabel("AUROC (0.5: chance, 1: perfect)")
    axes.spines["left"].set_visible(False)
    # Beneath the axis's words.
    axes.legend(loc="upper right", bbox_to_anchor=(1.02, -0.42 / (_LINE * len(mean))), ncols=2, frameon=False)


def _bars(axes: Axes, verdicts: pd.DataFrame) -> None:
    """Draw one bar per paper: shares of its claims, with their counts."""
    shares = verdicts.div(verdicts.sum(axis=1), axis=0)
    starts = shares.cumsum(axis=1) - shares
    for word, shade in zip(verdicts.columns, _SHADES, strict=False):
        axes.barh(range(len(verdicts)), shares[word], left=starts[word], color=shade, label=word, height=0.72)
        for line, (count, start, share) in enumerate(zip(verdicts[word], starts[word], shares[word], strict=True)):
            if share > 0.06:
                axes.text(start + share / 2, line, str(count), ha="center", va="center", size=11)
    axes.set(xlim=(0, 1), xticks=[], ylim=(len(verdicts) - 0.5, -0.5))
    axes.set_yticks([])
    for line, paper in enumerate(verdicts.index):  # from the picture's left edge on, as the troubles' names
        start = -(_LEFT - 0.1) / (WIDTH - _LEFT - _RIGHT)
        axes.text(start, line, str(paper), va="center", size=11, transform=axes.get_yaxis_transform())
    axes.spines[:].set_visible(False)
    axes.legend(loc="upper right", bbox_to_anchor=(1.02, 0), ncols=len(verdicts.columns), frameon=False,
                handlelength=0.9, handletextpad=0.4, columnspacing=0.9)  # fmt: skip


def _told(mean: pd.DataFrame, verdicts: pd.DataFrame, data: str) -> str:
    said = []
    for trouble, line in mean.iterrows():
        usual = f" ({line[USUAL]:.2f})" if USUAL in line else ""
        said.append(f"{words(str(trouble))}: {words(str(line.idxmax()))} {line.max():.2f}{usual}")
    papers = (
        f"{paper}: {', '.join(f'{word} {count}' for word, count in counts.items() if count)}"
        for paper, counts in verdicts.iterrows()
    )
    return (
        f"How well {len(mean.columns)} methods tell {len(mean)} kinds of bad input from nominal ones on {words(data)}, "
        "as AUROC, one line of dots per kind. The best method for each kind, and Max Softmax in brackets: "
        f"{'; '.join(said)}. Below, one bar per paper with the verdicts on its claims: {'; '.join(papers)}."
    )
