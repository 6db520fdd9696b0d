"""Where the pieces of a piecewise linear layer meet: ReLU and its kin bend at thresholds, max pooling where it turns.

Points lie in a row; between a point and the next, all that a layer gets is linear. What it gives is then linear as
well, but for the places found here, each told as (left, share): that share of the way from point `left` to the next.
"""

from collections.abc import Callable
from itertools import combinations

import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor, nn
from torch.nn import functional

Places = tuple[Int64[Tensor, " q"], Float64[Tensor, " q"]]
# (values (p, ...), whether the way from each point to the next is asked for (p - 1,)) -> places.
Kinks = Callable[[Tensor, Tensor], Places]

# Differences below this share of the largest value are rounding: two equal pixels would cross many times otherwise.
SLACK = 1e-13
# Windows whose turns are looked for at a time: bounds a table of (WINDOWS, pairs, members).
WINDOWS = 20_000


def at_thresholds(*thresholds: float) -> Kinks:
    """Kinks of a layer that bends, number by number, where its input passes a threshold."""

    def kinks(values: Float64[Tensor, "p ..."], asked: Bool[Tensor, " p-1"]) -> Places:
        rows, slack = values.flatten(1), SLACK * float(values.abs().amax())
        found = []
        for threshold in thresholds:
            high, low = rows > threshold, rows < threshold
            passed = (high[:-1] & low[1:]) | (low[:-1] & high[1:])
            left, unit = (passed & asked[:, None]).nonzero(as_tuple=True)
            before, after = rows[left, unit] - threshold, rows[left + 1, unit] - threshold
            clear = before.abs().maximum(after.abs()) > slack
            found.append((left[clear], (before / (before - after))[clear]))
        left, share = (torch.cat(column) for column in zip(*found, strict=True))
        return left, share

    return kinks


def at_turns(pool: nn.MaxPool2d, floor: float | None = None) -> Kinks:
    """Kinks of max pooling: where another member of a window becomes its largest.

    Members that never are the largest do not count: of all pairs' crossings only those on the upper envelope do.

    Parameters
    ----------
    floor : a number that is a member of every window, too: 0 gives the kinks of pooling and the ReLU after it.
    """

    def kinks(values: Float64[Tensor, "p c h w"], asked: Bool[Tensor, " p-1"]) -> Places:
        seen = windows(values, pool)
        if floor is not None:
            seen = functional.pad(seen, (0, 0, 0, 1), value=floor)
        top = seen.amax(2, keepdim=True)
        finite = top[torch.isfinite(top)]
        slack = SLACK * float(finite.abs().amax()) if len(finite) else 0.0
        largest = seen >= top - slack
        # A member that is largest at both ends is so in between: lines cannot overtake it and fall back.
        turned = ~(largest[:-1] & largest[1:]).any(2) & asked[:, None, None]
        left, channel, place = turned.nonzero(as_tuple=True)
        found = [(left[:0], values.new_zeros(0))]
        for some in torch.arange(len(left), device=left.device).split(WINDOWS):
            i, c, w = left[some], channel[some], place[some]
            row, share = _envelope(seen[i, c, :, w], seen[i + 1, c, :, w], slack)
            found.append((i[row], share))
        return torch.cat([i for i, _ in found]), torch.cat([share for _, share in found])

    return kinks


def windows(values: Float[Tensor, "p c h w"], pool: nn.MaxPool2d) -> Float[Tensor, "p c members places"]:
    """What each window of a max pooling holds; what lies outside of the image is -inf."""
    kernel, step, pad, dilation = (_two(v) for v in (pool.kernel_size, pool.stride, pool.padding, pool.dilation))
    out = functional.max_pool2d(values[:1], kernel, step, pad, dilation, pool.ceil_mode).shape[2:]
    # With ceil_mode the last window may reach beyond the padding.
    ends = [
        max(0, (out[a] - 1) * step[a] + dilation[a] * (kernel[a] - 1) + 1 - values.shape[2 + a] - pad[a])
        for a in (0, 1)
    ]
    padded = functional.pad(values, (pad[1], ends[1], pad[0], ends[0]), value=-torch.inf)
    unfolded = functional.unfold(padded, kernel, dilation, 0, step)
    return unfolded.view(len(values), values.shape[1], kernel[0] * kernel[1], -1)


def _envelope(
    before: Float64[Tensor, "m members"], after: Float64[Tensor, "m members"], slack: float
) -> tuple[Int64[Tensor, " q"], Float64[Tensor, " q"]]:
    """Where in (0, 1) the largest of lines changes: (row, share)."""
    if before.shape[1] < 2:
        return torch.zeros(0, dtype=torch.int64, device=before.device), before.new_zeros(0)
    first, second = torch.tensor(list(combinations(range(before.shape[1]), 2)), device=before.device).T
    gap = before[:, first] - before[:, second], after[:, first] - after[:, second]
    row, pair = ((gap[0] > 0) & (gap[1] < 0) | (gap[0] < 0) & (gap[1] > 0)).nonzero(as_tuple=True)
    share = gap[0][row, pair] / (gap[0][row, pair] - gap[1][row, pair])
    there = before[row] + share[:, None] * (after[row] - before[row])
    # -inf, the padding, times anything is not a number: such a pair is never on top.
    on_top = there.gather(1, first[pair][:, None])[:, 0] >= there.nan_to_num(-torch.inf).amax(1) - 2 * slack
    return row[on_top], share[on_top]


def _two(value: int | tuple[int, ...]) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[1])
