"""One image under every perturbation: what the names of the table stand for."""

from collections.abc import Sequence

from jaxtyping import UInt8
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.figures.style import Picture, figure, picture, style
from mistrust.figures.written import many
from mistrust.inputs import PERTURBATIONS

_BESIDE = 2  # perturbations side by side


def sheet(
    images: UInt8[Tensor, "p l h w *c"], names: Sequence[str], levels: Sequence[int], *, caption: str = ""
) -> Picture:
    """Draw one image under p perturbations at l levels, two perturbations side by side.

    Parameters
    ----------
    images : (p, l, h, w) or (p, l, h, w, 3) uint8; `mistrust.misclassification.thumbnails.sheet` makes them.
    names, levels : the p perturbations and the l levels.

    Raises
    ------
    MistrustError
        Not as many names or levels as images.

    Examples
    --------
    >>> images = torch.full((2, 3, 8, 8), 128, dtype=torch.uint8)
    >>> sheet(images, ("fog", "snow"), (1, 5, 10)).alt.partition(":")[0]
    'One image under 2 perturbations (fog, snow), each at levels 1, 5, 10 from left to right'
    """
    if tuple(images.shape[:2]) != (len(names), len(levels)) or len(names) == 0:
        raise MistrustError(
            f"Images have shape {tuple(images.shape)}, expected ({len(names)}, {len(levels)}, h, w) for {len(names)} "
            f"perturbations at {len(levels)} levels."
        )
    rows = -(-len(names) // _BESIDE)
    with style():
        drawn = figure(1.05 * rows + 0.1)
        blocks = drawn.subfigures(rows, _BESIDE, squeeze=False).ravel()
        for block, name, strip in zip(blocks, names, images.numpy(), strict=False):
            block.suptitle(PERTURBATIONS[name].title, fontsize=12)
            panels = block.subplots(1, len(levels), squeeze=False)[0]
            for axes, level, one in zip(panels, levels, strip, strict=True):
                axes.imshow(one, cmap="gray", vmin=0, vmax=255)
                axes.set_axis_off()
                axes.text(0.03, 0.02, str(level), transform=axes.transAxes, color="white", fontsize=10, va="bottom",
                          bbox={"facecolor": "black", "pad": 1.2, "edgecolor": "none"})  # fmt: skip
        told = ", ".join(PERTURBATIONS[name].title.lower() for name in names)
        alt = (
            f"One image under {many(len(names), 'perturbation')} ({told}), each at levels "
            f"{', '.join(map(str, levels))} from "
            "left to right: the higher the level, the less of the clean picture is left."
        )
        return picture(drawn, alt, caption, "fig-sheet")
