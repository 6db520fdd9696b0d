"""The search for the first step, against tables of which every answer can be read off."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mistrust.robustness.searching import AHEAD, Seen, below, bisected, closer, stepped


class Table:
    """Answers of n rows at steps 1 to s, and how many were asked for at once and in all."""

    def __init__(self, holds):
        self.holds, self.asked, self.most = holds, 0, 0

    def __call__(self, rows, steps):
        self.asked, self.most = self.asked + len(rows), max(self.most, len(rows))
        return self.holds[rows, steps - 1], 1000 * rows + steps


def table(seed, n, s, *, up):
    draw = torch.Generator().manual_seed(seed)
    holds = torch.rand(n, s, generator=draw) < 2.5 / s
    return holds.cummax(1).values if up else holds


def read_off(holds, steps):
    """First of the steps that holds, row by row."""
    step, held, looks = [], [], []
    for row in holds.tolist():
        found = [i for i, k in enumerate(steps) if row[k - 1]]
        held.append(bool(found))
        looks.append(found[0] + 1 if found else len(steps))
        step.append(steps[looks[-1] - 1])
    return step, held, looks


sizes = {"seed": st.integers(0, 9999), "n": st.integers(1, 12), "s": st.integers(1, 70), "at_once": st.integers(1, 80)}


@pytest.mark.whole
@given(**sizes)
def test_stepping_finds_the_first_whatever_is_looked_at_at_once(seed, n, s, at_once):
    look = Table(table(seed, n, s, up=False))
    found = stepped(look, n, torch.arange(1, s + 1), at_once)
    step, held, looks = read_off(look.holds, range(1, s + 1))
    assert (found.step.tolist(), found.held.tolist(), found.looks.tolist()) == (step, held, looks)
    assert torch.equal(found.kept, 1000 * torch.arange(n) + found.step)
    assert found.computed == look.asked >= sum(looks)
    assert look.most <= at_once
    assert look.asked <= sum(looks) + n * (AHEAD - 1)


@pytest.mark.whole
@given(**sizes, grid=st.integers(1, 20))
def test_bisection_finds_the_first_where_what_holds_goes_on_holding(seed, n, s, at_once, grid):
    look = Table(table(seed, n, s, up=True))
    coarse = torch.tensor(sorted({*range(grid, s + 1, grid), s}))
    first = stepped(look, n, coarse, at_once)
    found = bisected(look, first, below(first, coarse), at_once)
    step, held, _ = read_off(look.holds, range(1, s + 1))
    assert (found.step.tolist(), found.held.tolist()) == (step, held)
    assert torch.equal(found.kept, 1000 * torch.arange(n) + found.step)
    assert look.most <= at_once
    assert found.computed == look.asked
    _, _, looks = read_off(look.holds, coarse.tolist())
    halvings = (grid - 1).bit_length()
    assert all(a <= b <= a + halvings for a, b in zip(looks, found.looks.tolist(), strict=True))


@pytest.mark.whole
@given(**sizes, grid=st.integers(1, 20))
def test_bisection_always_ends_where_it_holds_and_did_not_before(seed, n, s, at_once, grid):
    look = Table(table(seed, n, s, up=False))
    coarse = torch.tensor(sorted({*range(grid, s + 1, grid), s}))
    first = stepped(look, n, coarse, at_once)
    found = bisected(look, first, below(first, coarse), at_once)
    rows = torch.arange(n)[found.held]
    step = found.step[rows]
    assert look.holds[rows, step - 1].all()
    assert not look.holds[rows[step > 1], step[step > 1] - 2].any()
    assert not look.holds[~found.held][:, coarse - 1].any()


def seen_by(look, n, last, margin):
    """A memory of which every margin is the same share of the clean one's, 1."""
    seen = Seen(look, lambda answers: torch.full((len(answers),), margin, dtype=torch.float64), n, last)
    seen._margins[:, 0] = 1.0
    return seen


@pytest.mark.whole
@given(**sizes, grid=st.integers(1, 20))
def test_a_closer_look_at_everything_leaves_nothing_before_and_at_nothing_leaves_the_grid(seed, n, s, at_once, grid):
    look = Table(table(seed, n, s, up=False))
    steps = torch.tensor(sorted({*range(grid, s + 1, grid), s}))
    seen = seen_by(look, n, s, 0.0)
    coarse = stepped(seen, n, steps, at_once)
    assert torch.equal(seen.below(coarse.step), below(coarse, steps))
    nothing = closer(seen_by(look, n, s, 1.0), coarse, 1 / 200, at_once)
    for name in ("step", "held", "kept", "looks"):
        assert torch.equal(getattr(nothing, name), getattr(coarse, name))
    before = look.asked
    nearer = closer(seen, coarse, 1.0, at_once)
    assert look.most <= at_once
    assert nearer.computed - coarse.computed == int((nearer.looks - coarse.looks).sum()) == look.asked - before
    low = seen.below(nearer.step)
    found = bisected(seen, nearer, low, at_once)
    first, held, _ = read_off(look.holds, range(1, s + 1))
    # Bisection finds a change between the last two steps that were looked at; before these there is none.
    for before_it, least, there, step in zip(low.tolist(), first, held, found.step.tolist(), strict=True):
        assert not there or before_it < least <= step
    assert not (torch.tensor(held) & ~found.held).any()
    assert torch.equal(found.kept[found.held], (1000 * torch.arange(n) + found.step)[found.held])


def test_half_a_distance_asks_for_half_the_margin():
    """Of 0 and 16 it looks at 8 for a margin below 1, and at 4 and 12 only below a half."""
    nothing = torch.zeros(1, 16, dtype=torch.bool)
    steps = torch.tensor([16])
    for margin, looks in ((1.0, 1), (0.99, 2), (0.5, 2), (0.49, 4), (0.24, 8), (0.05, 16)):
        seen = seen_by(Table(nothing), 1, 16, margin)
        found = closer(seen, stepped(seen, 1, steps, 8), 1 / 16, 8)
        assert (int(found.looks), bool(found.held)) == (looks, False)


def test_margins_are_shares_of_that_at_the_start_which_counts_itself():
    """An image that is undecided when clean is looked at closely near its start, and farther on as others are."""
    margins = torch.tensor([[0.8, 0.4, 0.2], [0.02, 0.01, 0.005]], dtype=torch.float64)

    def look(rows, steps):
        return torch.zeros(len(rows), dtype=torch.bool), margins[rows, steps // 8]

    seen = Seen(look, lambda answers: answers, 2, 16)
    for step in (0, 8, 16):
        seen(torch.arange(2), torch.full((2,), step))
    row, low, high, margin = seen.between(torch.tensor([17, 17]))
    assert (row.tolist(), low.tolist(), high.tolist()) == ([0, 0, 1, 1], [0, 8, 0, 8], [8, 16, 8, 16])
    assert torch.allclose(margin, torch.tensor([0.5, 0.25, 0.02, 0.25], dtype=torch.float64))
    assert seen.between(torch.tensor([16, 8]))[2].tolist() == [8]  # of the second row only the start is before 8
