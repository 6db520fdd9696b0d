"""At which step does something first hold? Step by step for many rows at once, or by bisection between two steps."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float64, Int
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


class Seen:
    """A look that remembers by how much every row did not hold at every step that it was asked about, 0 included.

    Parameters
    ----------
    look : is asked.
    margin : of what `look` gives to keep, (r, ...), how far each row is from the other side, (r,), 0 or more.
    n, last : rows, and the last step.
    """

    def __init__(self, look: Look, margin: Callable[[Tensor], Float64[Tensor, " r"]], n: int, last: int) -> None:
        self._look, self._margin = look, margin
        self._margins = torch.full((n, last + 1), torch.nan, dtype=torch.float64)

    def __call__(self, rows: Int[Tensor, " r"], steps: Int[Tensor, " r"]) -> tuple[Bool[Tensor, " r"], Tensor]:
        """Answer as `look` does."""
        holds, answers = self._look(rows, steps)
        self._margins[rows, steps] = self._margin(answers)
        return holds, answers

    def between(self, ends: Int[Tensor, " n"]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Pairs of steps of one row before its end with none between that was asked about: row, low, high, margin.

        The margin is the smaller of both, as a share of that at step 0; at step 0 itself it is taken as it is.
        """
        row, step = self._asked(ends).nonzero(as_tuple=True)
        start = self._margins[row, 0].clamp(min=torch.finfo(torch.float64).tiny)
        margin = torch.where(step == 0, start, self._margins[row, step] / start)
        pair = row[1:] == row[:-1]
        return row[1:][pair], step[:-1][pair], step[1:][pair], torch.minimum(margin[:-1], margin[1:])[pair]

    def below(self, ends: Int[Tensor, " n"]) -> Int[Tensor, " n"]:
        """The last step before its end that each row was asked about, step 0 among them."""
        return (self._asked(ends) * torch.arange(self._margins.shape[1])).amax(1)

    def _asked(self, ends: Int[Tensor, " n"]) -> Bool[Tensor, "n s"]:
        return ~self._margins.isnan() & (torch.arange(self._margins.shape[1]) < ends[:, None])


def closer(seen: Seen, found: First, slope: float, at_once: int) -> First:
    """Look between steps at which it nearly holds, whether there it does.

    Of two steps before the first that held, with none between that was asked about, the middle is looked at where their
    margin is below `slope` times their distance; and so on with both halves.

    Parameters
    ----------
    seen : what was looked through; all of it counts, and step 0.
    found : where it first held of what was looked at.
    slope : by how much the margin, as a share of that at step 0, may change from one step to the next.
    """
    step, held, kept = found.step.clone(), found.held.clone(), found.kept.clone()
    looks, computed = found.looks.clone(), found.computed
    while True:
        row, low, high, margin = seen.between(torch.where(held, step, step + 1))
        go = (margin < slope * (high - low)) & (high - low > 1)
        row, middle = row[go], (low[go] + high[go]) // 2
        if not len(row):
            return First(step, held, kept, looks, computed)
        holds, answers = _looked(seen, row, middle, at_once)
        looks.index_add_(0, row, torch.ones_like(row))
        computed += len(row)
        # Rows and steps ascend: written from the last to the first, each row keeps its earliest.
        for i in holds.nonzero()[:, 0].flip(0).tolist():
            step[row[i]], held[row[i]], kept[row[i]] = middle[i], True, answers[i]


def below(coarse: First, steps: Int[Tensor, " s"]) -> Int[Tensor, " n"]:
    """The step of a grid before that of each row, 0 before the first."""
    return torch.cat([steps.new_zeros(1), steps])[torch.searchsorted(steps, coarse.step)]


def bisected(look: Look, coarse: First, low: Int[Tensor, " n"], at_once: int) -> First:
    """Halve the steps between the first of a coarse grid that held and the one before it, until two are neighbours.

    It gives a step at which it holds and before which it does not: the first one, if all after the first hold.

    Parameters
    ----------
    coarse : what `stepped` gave for a grid, or `closer`.
    low : for each row the last step before it that was looked at, or 0: `below`.
    """
    step, kept, looks, computed = coarse.step.clone(), coarse.kept.clone(), coarse.looks.clone(), coarse.computed
    low = low.clone()
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
