import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mistrust.ambiguity.grid import Grid
from mistrust.errors import MistrustError


def test_the_published_grid():
    # Facts 3: 50 an axis, [-1, 1] in cells of 0.04 and [-5, 5] in cells of 0.2; anchors are centres, axis 0 slowest.
    grid = Grid(50, 5)
    assert grid.spans(2).tolist() == [[-1, 1], [-5, 5]]
    assert grid.widths(2).tolist() == pytest.approx([0.04, 0.2])
    anchors = grid.anchors(2)
    assert anchors.shape == (2500, 2)
    assert anchors[0].tolist() == pytest.approx([-0.98, -4.9])
    assert anchors[1].tolist() == pytest.approx([-0.98, -4.7])
    assert anchors[50].tolist() == pytest.approx([-0.94, -4.9])
    assert anchors[-1].tolist() == pytest.approx([0.98, 4.9])


def test_axes_that_separate_the_classes_alternate():
    assert Grid(4, 2).spans(4).tolist() == [[-1, 1], [-2, 2], [-1, 1], [-2, 2]]
    assert Grid(3, 2).anchors(3).shape == (27, 3)


@pytest.mark.whole
@given(st.integers(1, 9), st.floats(0.1, 6), st.integers(1, 3))
def test_every_anchor_lies_in_its_own_cell(cells, bound, latent):
    grid = Grid(cells, bound)
    numbers = torch.arange(grid.count(latent))
    assert torch.equal(grid.cell(grid.anchors(latent)), numbers)
    assert torch.allclose(grid.corners(numbers, latent) + grid.widths(latent) / 2, grid.anchors(latent))


def test_outside_the_grid_is_no_cell():
    assert Grid(50, 2).cell(torch.tensor([[0.0, 2.1], [-1.01, 0.0], [0.99, -1.99]])).tolist() == [-1, -1, 2450]


def test_transposing_moves_a_cell_and_twice_is_nothing():
    grid, w = Grid(7, 2), torch.rand((3, 49), generator=torch.Generator().manual_seed(0))
    once = grid.transposed(w, 2)
    assert torch.equal(once[:, 2 * 7 + 5], w[:, 5 * 7 + 2])
    assert not torch.equal(once, w)
    assert torch.equal(grid.transposed(once, 2), w)


def test_refuses():
    with pytest.raises(MistrustError, match=r"transposition as coded is for 2 latent dimensions, not 3"):
        Grid(2).transposed(torch.ones(1, 8), 3)
    with pytest.raises(MistrustError, match=r"cells is 0"):
        Grid(0)
    with pytest.raises(MistrustError, match=r"cells is 2.5, expected a whole number"):
        Grid(2.5)
    for bound in (0, -1, float("nan")):
        with pytest.raises(MistrustError, match="bound is"):
            Grid(5, bound)
    with pytest.raises(MistrustError, match=r"50 cells an axis has 6,250,000 cells in 4 dimensions.*cells=31"):
        Grid(50).anchors(4)
