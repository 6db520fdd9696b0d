"""Images in figures: unpacked from rows, drawn without a frame, at places in inches."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from mistrust.errors import MistrustError
from mistrust.pictures import unpack


def images_of(found: pd.DataFrame) -> NDArray[np.uint8]:
    """Unpack the image of each row, (n, h, w) or (n, h, w, 3).

    Raises
    ------
    MistrustError
        A row without an image, or images of several sizes.
    """
    if not found["note"].str.startswith("png:").all():
        raise MistrustError("A row of a picture has no image in its note ('png:...'): run the chapter again.")
    images = [unpack(note) for note in found["note"]]
    if len({one.shape for one in images}) > 1:
        raise MistrustError("The images of the rows have several sizes: give rows of one data set.")
    return np.stack(images)


def place(drawn: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Add axes at a place in inches from the left and the top, for pictures whose sizes are known beforehand."""
    drawn.set_layout_engine("none")
    across, down = (float(side) for side in drawn.get_size_inches())
    return drawn.add_axes((left / across, 1 - (top + height) / down, width / across, height / down))


def show(axes: Axes, pixels: NDArray[np.uint8]) -> None:
    """Draw one image, grey or coloured, without a frame or ticks."""
    axes.imshow(pixels, cmap="gray", vmin=0, vmax=255, aspect="equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
