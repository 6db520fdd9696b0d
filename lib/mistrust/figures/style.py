"""One style for all figures: sizes, colours, and pictures that carry their alt text.

A picture is 5 inches wide with text of 12 points, so that on a phone, where it is shown at three quarters of that
width, its text still has 9. The background is opaque white: it reads the same in a light and a dark book, and digits
keep their grey levels.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import pandas as pd
from cycler import cycler
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure, SubFigure

from mistrust.errors import MistrustError
from mistrust.figures.called import subjects

WIDTH = 5.0  # inches

# Okabe and Ito's palette: told apart with every common kind of colour blindness.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MAP = "cividis"  # for values from low to high: even in lightness, safe for colour-blind readers

# Shares of that map up to which white is read best: 4.6 : 1 on both sides of it.
_TURN = 0.465
# Words in a colour of the palette need more of it than lines do: 4.5 : 1 on white, where these had 2.2 to 3.9.
_WORDS = {"#D55E00": "#A84300", "#009E73": "#006B4E", "#CC79A7": "#A3507F", "#E69F00": "#8A5F00", "#56B4E9": "#1F6FA3"}

_SETTINGS = {
    "font.size": 12,
    "axes.titlesize": 12,
    "axes.labelsize": 12,
    "xtick.labelsize": 12,
    "ytick.labelsize": 12,
    "legend.fontsize": 12,
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=PALETTE),
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "mistrust",  # with no date in the file, equal data gives equal bytes
    "svg.fonttype": "path",
    "image.interpolation": "nearest",
}


@dataclass(frozen=True)
class Picture:
    """A finished figure: the SVG text, alt text that tells what it shows, a caption in MyST markdown, and a name.

    `shown` says of which image sets and networks, where the rows that it was given may be of others as well.
    """

    svg: str
    alt: str
    caption: str
    name: str
    shown: str = ""

    def __post_init__(self) -> None:
        if len(self.alt.split()) < 5:
            raise MistrustError(f"Alt text '{self.alt}' of figure '{self.name}' says too little: tell what one sees.")


def ink(share: float) -> str:
    """Give the colour, white or black, that is read best on `MAP` at a share of its range, 0 to 1.

    Examples
    --------
    >>> ink(0.4), ink(0.5)
    ('white', 'black')
    """
    return "white" if share < _TURN else "black"


def for_words(colour: str) -> str:
    """Give the colour for words about what is drawn in a colour of the palette: the same, or a darker one.

    Examples
    --------
    >>> for_words(PALETTE[0]), for_words(PALETTE[1])
    ('#0072B2', '#A84300')
    """
    return _WORDS.get(colour, colour)


@contextmanager
def style() -> Iterator[None]:
    """Draw in the book's style inside this block; settings outside are left alone."""
    with mpl.rc_context(_SETTINGS):  # type: ignore[arg-type]
        yield


def figure(height: float, width: float = WIDTH) -> Figure:
    """Give an empty figure of this size in inches, bound to no window system."""
    return Figure(figsize=(width, height), layout="constrained")


def legend_beneath(drawn: Figure | SubFigure, *given: Any, ncols: int = 1, **more: Any) -> None:
    """Write a legend beneath all axes, in as many columns as are asked for, or as fit into the figure's width.

    Where nothing that was drawn has a label there is none to write.

    Parameters
    ----------
    given, more : as matplotlib's `legend` takes them.
    ncols : at most so many columns; one is drawn even where it does not fit.
    """
    if not given and "handles" not in more and not any(axes.get_legend_handles_labels()[0] for axes in drawn.axes):
        return
    asked = 0.0
    for columns in range(ncols, 0, -1):
        written = drawn.legend(*given, loc="outside lower center", frameon=False, ncols=columns, **more)
        size = written.get_window_extent()
        asked = asked or size.height
        if columns == 1 or size.width <= drawn.bbox.width:
            break
        written.remove()
    whole = drawn.get_figure(root=True)
    if whole is not None and size.height > asked:  # what further lines take, no panel shall lack
        whole.set_figheight(whole.get_figheight() + (size.height - asked) / whole.dpi)


def picture(drawn: Figure, alt: str, caption: str, name: str, shown: pd.DataFrame | str = "") -> Picture:
    """Turn a drawn figure into a picture; equal drawings give equal bytes.

    `shown` are the rows that were drawn, of single networks too, where there may have been others; or words for them.
    """
    buffer = io.StringIO()
    # Not `savefig`, which draws all twice where axes are laid out: the first time to see that done, to no file.
    FigureCanvasSVG(drawn).print_svg(buffer, metadata={"Date": None, "Creator": None})
    return Picture(buffer.getvalue(), alt, caption, name, shown if isinstance(shown, str) else subjects(shown))
