"""Drops on the lens: water, which is thicker at its edges, and mud."""

import torch
from jaxtyping import Float64, Int32
from torch import Tensor
from torch.nn import functional

from mistrust.errors import MistrustError
from mistrust.inputs.corruptions.blurs import normal_blur
from mistrust.inputs.corruptions.edges import connected
from mistrust.inputs.corruptions.weather import muddy
from mistrust.inputs.draws import Draws
from mistrust.inputs.faults.colour import paint
from mistrust.inputs.limits import whole, within

WATER, MUD = (175, 238, 238), (63, 42, 20)
_LOW, _HIGH = 50, 150  # how steep an edge of water is, in sums of grey levels
_FARTHEST = 20
# Steps of a chessboard's king and knight for a distance, and tan(22.5 degrees), in fixed point, as OpenCV has them.
_SIDE, _CORNER, _KNIGHT, _TAN, _POINT = 2**16, round(1.4 * 2**16), round(2.1969 * 2**16), 13573, 15
_RELIEF = ((-2, -1, 0), (-1, 1, 1), (0, 1, 2))


def spatter(
    images: Tensor,
    draws: Draws,
    *,
    mean: float,
    deviation: float,
    blur: float,
    threshold: float,
    mix: float,
    mud: float,
    scale: float,
) -> Tensor:
    """Cover the picture where normal noise of this mean and deviation, blurred, is above a threshold.

    With mud = 0 water is added, `mix` of it where it is thickest; with mud = 1 the picture gives way to mud, whose
    edge is blurred by `mix`.

    `scale` is 1. As published by the benchmark it is 255: its code took the division of the picture by 255 away, as
    was right, and that of both colours as well, so that all drops are white.
    """
    about, spread = within("spatter: mean", mean, -10, 10), within("spatter: deviation", deviation, 1e-3)
    cut, softly = within("spatter: threshold", threshold, -10, 10), within("spatter: mix", mix, 0)
    strength, soft = within("spatter: scale", scale, 0, 255), within("spatter: blur", blur, 0)
    noise = draws.normal((1, *images.shape[2:])).to(images.device).double()
    if whole("spatter: mud", mud, 0, 1):
        mask = muddy(noise, soft, (cut - about) / spread, softly).to(images)
        return (images * (1 - mask)).add_(mask * (paint(MUD, images.shape[1]) * strength).to(images)).clamp_(0, 1)
    liquid = normal_blur(noise, soft).mul_(spread).add_(about)
    levels = liquid.masked_fill_(liquid < cut, 0).clamp_(0, 1).mul_(255).to(torch.int32)
    thick = water(levels).mul_(softly * strength).to(images)
    return torch.add(images, thick * paint(WATER, images.shape[1]).to(images)).clamp_(0, 1)


def water(levels: Int32[Tensor, "n 1 h w"]) -> Float64[Tensor, "n 1 h w"]:
    """How thick water lies, 1 where it is thickest: its grey levels times a relief of their distance from edges.

    The distance, 20 at most, is smoothed, cut to whole numbers, spread over 0 to 255 so that all are equally frequent,
    lit from the upper left, and smoothed again. All zero without water.

    Raises
    ------
    MistrustError
        A side of a single pixel, beyond which nothing can be mirrored.
    """
    height, width = levels.shape[2:]
    if min(height, width) < 2:
        raise MistrustError(f"spatter: images are {height}x{width}, expected at least 2x2 for drops of water.")
    apart = distance(canny(levels)).clamp_(max=_FARTHEST * _SIDE).double().div_(_SIDE)
    smooth = _nine(apart).div_(9).float().int()  # cut off, as stored: in float64 alone, sums of 20 could be 19.99...
    wide = functional.pad(equalised(smooth).float(), (1, 1, 1, 1), mode="reflect")
    relief = functional.conv2d(wide, torch.tensor(_RELIEF, dtype=torch.float32, device=wide.device)[None, None])
    lit = _nine(relief.clamp_(0, 255).double()).div_(9).round_()
    thick = levels * lit
    return thick.div_(thick.amax((1, 2, 3), keepdim=True).clamp_min_(1))


def canny(levels: Int32[Tensor, "n 1 h w"]) -> Tensor:
    """Edges (n, 1, h, w) of grey levels as OpenCV's Canny finds them: in whole numbers, thresholds 50 and 150.

    A pixel counts where it is steeper (sum of both slopes) than its neighbours before and behind, in the one of eight
    directions that is nearest to the slope's. (`corruptions.edges.canny` does as scikit-image, which interpolates.)
    """
    wide = functional.pad(levels.float(), (1, 1, 1, 1), mode="replicate").int()
    top, middle, bottom = wide[..., :-2, :], wide[..., 1:-1, :], wide[..., 2:, :]
    column = top + 2 * middle + bottom
    right = column[..., 2:] - column[..., :-2]
    row = bottom - top
    down = row[..., :-2] + 2 * row[..., 1:-1] + row[..., 2:]
    x, y = right.abs(), down.abs()
    steep = x + y
    around = functional.pad(steep, (1, 1, 1, 1))
    height, width = steep.shape[2:]

    def at(below: int, after: int) -> Tensor:
        return around[..., 1 + below : 1 + below + height, 1 + after : 1 + after + width]

    flat = (y << _POINT) < x * _TAN
    upright = (y << _POINT) > x * _TAN + (x << (_POINT + 1))
    falling = (right < 0) == (down < 0)
    before = torch.where(falling, at(-1, -1), at(-1, 1))
    behind = torch.where(falling, at(1, 1), at(1, -1)) + 1  # across corners a tie is none
    before = torch.where(flat, at(0, -1), torch.where(upright, at(-1, 0), before))
    behind = torch.where(flat, at(0, 1), torch.where(upright, at(1, 0), behind))
    weak = (steep > _LOW) & (steep > before) & (steep >= behind)
    return connected(weak & (steep > _HIGH), weak)


def distance(edges: Tensor) -> Int32[Tensor, "n 1 h w"]:
    """How far each pixel is from the nearest edge, in 65536ths of a pixel: the shortest way by steps to a side, over a
    corner (1.4) and of a chess knight (2.1969), as OpenCV's distance transform with a mask of 5 measures.
    """
    _, _, height, width = edges.shape
    far = torch.iinfo(torch.int32).max // 4
    field = torch.full((height + 4, len(edges), width + 4), far, dtype=torch.int32, device=edges.device)
    field[2:-2, :, 2:-2] = torch.where(edges[:, 0], 0, far).permute(1, 0, 2)
    run = torch.arange(width, dtype=torch.int32, device=edges.device) * _SIDE

    def row(one: Tensor, near: Tensor, next_: Tensor, *, turned: bool) -> None:
        best = torch.minimum(one[:, 2:-2], near[:, 2:-2] + _SIDE)
        best = torch.minimum(best, torch.minimum(near[:, 1:-3], near[:, 3:-1]) + _CORNER)
        knights = torch.minimum(torch.minimum(near[:, :-4], near[:, 4:]), torch.minimum(next_[:, 1:-3], next_[:, 3:-1]))
        best = torch.minimum(best, knights + _KNIGHT)
        best = best.flip(1) if turned else best
        best = (best - run).cummin(1).values + run  # a step to the side is that from the pixel before
        one[:, 2:-2] = best.flip(1) if turned else best

    for i in range(2, height + 2):
        row(field[i], field[i - 1], field[i - 2], turned=False)
    for i in range(height + 1, 1, -1):
        row(field[i], field[i + 1], field[i + 2], turned=True)
    return field[2:-2, :, 2:-2].permute(1, 0, 2)[:, None].contiguous()


def equalised(values: Int32[Tensor, "n 1 h w"]) -> Int32[Tensor, "n 1 h w"]:
    """Spread whole numbers 0 to 20 over 0 to 255 as OpenCV's equalizeHist; what is all one value stays."""
    flat = values.flatten(1).long()
    counts = torch.zeros(len(flat), _FARTHEST + 1, device=flat.device)
    counts.scatter_add_(1, flat, torch.ones(flat.shape, device=flat.device))
    lowest = (counts > 0).int().argmax(1, keepdim=True)
    rest = flat.shape[1] - counts.gather(1, lowest)
    table = (counts.cumsum(1) - counts.gather(1, lowest)) * (255 / rest.clamp_min(1))
    spread = table.clamp_(min=0).round_().gather(1, flat)
    return torch.where(rest > 0, spread, flat.float()).int().view(values.shape)


def _nine(field: Float64[Tensor, "n 1 h w"]) -> Float64[Tensor, "n 1 h w"]:
    """The sum of 3 x 3 pixels; the picture is mirrored without repeating the edge."""
    wide = functional.pad(field, (1, 1, 1, 1), mode="reflect")
    rows = wide[..., :-2, :] + wide[..., 1:-1, :] + wide[..., 2:, :]
    return rows[..., :-2] + rows[..., 1:-1] + rows[..., 2:]
