"""At which step does something first hold? Step by step for many rows at once, or by bisection between two steps."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

# (rows (r,), steps (r,)) -> whether it holds (r,), and what to keep of the answer (r, ...), both on the CPU.
Look = Callable[[Int[Tensor, " r"], Int[Tensor, " r"]], tuple[Bool[Tensor, " r"], Tensor]]

AHEAD = 32  # steps that one row is looked ahead by at most: those after the first that holds are thrown away


@dataclass(frozen=True, eq=False)
class First:
    """Where it first held.

    Attributes
    ----------
    step : (n,) the step; the last one that was tried where none held.
    held : (n,) whether one did.
    kept : (n, ...) what `Look` gave there.
    looks : (n,) how many steps a search one after another looks at, which no batch changes.
    computed : how many looks were taken, those ahead included.
    """

    step: Int[Tensor, " n"]
    held: Bool[Tensor, " n"]
    kept: Tensor
    looks: Int[Tensor, " n"]
    computed: int


def stepped(look: Look, n: int, steps: Int[Tensor, " s"], at_once: int) -> First:
    """Try the steps one after another for rows 0 to n - 1 until it holds.

    All rows still at work are looked at together. When they are few, each looks several steps ahead, so that there
    are always about `at_once` looks in a batch; the result is that of one step after another.
    """
    active, done, computed = torch.arange(n), 0, 0
    step, held, looks = torch.full((n,), int(steps[-1])), torch.zeros(n, dtype=torch.bool), torch.zeros_like(active)
    kept: Tensor | None = None
    while len(active) and done < len(steps):
        width = min(max(1, at_once // len(active)), len(steps) - done, AHEAD)
        tried = steps[done : done + width]
        holds, answers = _looked(look, active.repeat_interleave(width), tried.repeat(len(active)), at_once)
        holds, answers = holds.view(-1, width), answers.unflatten(0, (-1, width))
        some = holds.any(1)
        at = torch.where(some, holds.int().argmax(1), width - 1)
        kept = answers.new_zeros(n, *answers.shape[2:]) if kept is None else kept
        kept[active] = answers[torch.arange(len(active)), at]
        step[active[some]], held[active[some]] = tried[at[some]], True
        looks[active] += at + 1
        computed += holds.numel()
        active, done = active[~some], done + width
    return First(step, held, torch.empty(0) if kept is None else kept, looks, computed)


def before(coarse: First, steps: Int[Tensor, " s"]) -> Int[Tensor, " n"]:
    """The last step of a grid before that where it first held, 0 for the first; the last of all where it never did."""
    every = torch.cat([steps.new_zeros(1), steps])
    return every[torch.searchsorted(steps, coarse.step) + (~coarse.held).long()]


def closer(
    look: Look,
    coarse: First,
    steps: Int[Tensor, " s"],
    margin: Callable[[Int[Tensor, " r"], Int[Tensor, " r"]], Float[Tensor, " r"]],
    slope: float,
    at_once: int,
) -> tuple[First, Int[Tensor, " n"]]:
    """Look between steps of a grid where it nearly holds, whether it does and then does not again.

    Between two steps at which it does not hold it is looked at the middle, where the smaller of their margins is below
    `slope` times their distance; and so on with both halves. What was found later than the earliest is not looked at.

    Parameters
    ----------
    coarse : what `stepped` gave for the grid `steps`.
    margin : how far from holding rows are at steps that were looked at, or at 0.
    slope : by how much the margin may change from one step to the next.

    Returns
    -------
    Where it first held of all steps looked at, and for each row the last such step before it, which `bisected` takes.
    """
    step, held, kept = coarse.step.clone(), coarse.held.clone(), coarse.kept.clone()
    looks, computed = coarse.looks.clone(), coarse.computed
    low_end = before(coarse, steps)
    whole = torch.searchsorted(steps, low_end, right=True)  # intervals of the grid before it
    row = torch.arange(len(step)).repeat_interleave(whole)
    place = torch.arange(len(row)) - (whole.cumsum(0) - whole)[row]
    low, high = torch.cat([steps.new_zeros(1), steps])[place], steps[place]
    while True:
        near = torch.minimum(margin(row, low), margin(row, high)) < slope * (high - low)
        go = near & (high - low > 1) & (high <= low_end[row])
        row, low, high = row[go], low[go], high[go]
        if not len(row):
            return First(step, held, kept, looks, computed), low_end
        middle = (low + high) // 2
        holds, answers = _looked(look, row, middle, at_once)
        looks.index_add_(0, row, torch.ones_like(row))
        computed += len(row)
        # Rows and steps ascend: written from the last to the first, each row keeps its earliest.
        for i in holds.nonzero()[:, 0].flip(0).tolist():
            step[row[i]], low_end[row[i]], held[row[i]], kept[row[i]] = middle[i], low[i], True, answers[i]
        row, low, middle, high = row[~holds], low[~holds], middle[~holds], high[~holds]
        row = row.repeat_interleave(2)
        low, high = torch.stack([low, middle], 1).flatten(), torch.stack([middle, high], 1).flatten()


def bisected(
    look: Look, coarse: First, steps: Int[Tensor, " s"], at_once: int, low: Int[Tensor, " n"] | None = None
) -> First:
    """Halve the steps between the first of a coarse grid that held and the one before it, until two are neighbours.

    It gives a step at which it holds and before which it does not: the first one, if all after the first hold.

    Parameters
    ----------
    coarse : what `stepped` gave for the grid `steps`, or `closer`.
    low : the last step before it; None: that of the grid.
    """
    step, kept, looks, computed = coarse.step.clone(), coarse.kept.clone(), coarse.looks.clone(), coarse.computed
    low = (before(coarse, steps) if low is None else low).clone()
    while True:
        rows = ((step - low > 1) & coarse.held).nonzero()[:, 0]
        if not len(rows):
            return First(step, coarse.held, kept, looks, computed)
        middle = (step[rows] + low[rows]) // 2
        holds, answers = _looked(look, rows, middle, at_once)
        step[rows[holds]], kept[rows[holds]] = middle[holds], answers[holds]
        low[rows[~holds]] = middle[~holds]
        looks[rows] += 1
        computed += len(rows)


def _looked(look: Look, rows: Tensor, steps: Tensor, at_once: int) -> tuple[Tensor, Tensor]:
    """Look at everything, `at_once` at a time."""
    batches = zip(rows.split(at_once), steps.split(at_once), strict=True)
    holds, answers = zip(*(look(some, tried) for some, tried in batches), strict=True)
    return torch.cat(holds), torch.cat(answers)
