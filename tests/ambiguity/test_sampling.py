from dataclasses import replace

import pytest
import torch
from scipy import stats
from tiny_decoders import golden, some

from mistrust.ambiguity import sampling
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.jacobian import WEIGHTS, weights
from mistrust.ambiguity.labels import LABELS, gap, probabilities
from mistrust.ambiguity.sampling import PUBLISHED, Scheme, admissible, chances, draw
from mistrust.errors import MistrustError

MEMBERS = [(3, 8, 0), (3, 8, 1), (0, 1, 0), (4, 9, 7)]
COARSE = Scheme(Grid(20, 2.0))


@pytest.fixture
def decoders():
    return some(MEMBERS)


@pytest.mark.parametrize("weight", list(WEIGHTS))
@pytest.mark.parametrize("label", list(LABELS))
def test_points_are_ambiguous_and_lie_in_admissible_cells(decoders, weight, label):
    scheme = replace(COARSE, weight=weight, label=label)
    points = draw(decoders, 0.3, 300, scheme)
    assert points.z.shape == (4, 300, 2)
    assert bool((gap(points.p) < 0.3).all())
    assert torch.allclose(points.p.sum(-1), torch.ones(4, 300).double())
    assert torch.allclose(points.p, probabilities(decoders.logits(points.z), points.z, label))
    cells = scheme.grid.cell(points.z)
    assert bool(admissible(decoders, 0.3, scheme).gather(1, cells).all())
    assert bool((points.attempts >= 300).all())


def test_cells_are_drawn_by_weight(decoders):
    scheme, alone = replace(COARSE, grid=Grid(6, 2.0)), decoders.take([1])
    points = draw(alone, 1.0, 6000, scheme)
    counts = torch.bincount(scheme.grid.cell(points.z)[0], minlength=36)
    assert stats.chisquare(counts, 6000 * chances(alone, 1.0, scheme)[0]).pvalue > 1e-3
    # The test has power: even chances are told apart.
    assert stats.chisquare(counts).pvalue < 1e-6


def test_points_are_even_within_their_cell(decoders):
    scheme = replace(COARSE, grid=Grid(4, 2.0))
    z = draw(decoders, 1.0, 2000, scheme).z
    inside = (z - scheme.grid.corners(scheme.grid.cell(z), 2)) / scheme.grid.widths(2)
    assert all(stats.kstest(inside[..., axis].flatten(), "uniform").pvalue > 1e-3 for axis in (0, 1))


def test_chances_are_weights_of_ambiguous_cells(decoders):
    found = chances(decoders, 0.3, COARSE)
    mask = admissible(decoders, 0.3, COARSE)
    expected = weights(decoders, COARSE.grid.anchors(2).expand(4, -1, -1)) * mask
    assert torch.allclose(found, expected / expected.sum(1, keepdim=True))
    assert bool((found[~mask] == 0).all())


def test_a_cell_whose_gap_is_just_the_largest_counts(decoders):
    sure = replace(decoders, slopes=torch.full((4,), 900.0).double())  # one class is certain in nearly every cell
    scheme = replace(COARSE, label="softmax")
    assert (sampling.cell_gaps(sure, scheme) == 1).any()
    assert admissible(sure, 1.0, scheme).all()
    assert not admissible(sure, 0.999, scheme).all()


class TestTransposed:
    def test_moves_chances_and_keeps_their_sum(self, decoders):
        there = chances(decoders, 0.3, replace(COARSE, transposed=True))
        assert torch.equal(COARSE.grid.transposed(there, 2), chances(decoders, 0.3, COARSE))

    def test_narrows_the_second_axis_and_wastes_attempts(self, decoders):
        """Facts 3: ambiguous cells are a band across axis 0; transposed, the draws make a band across axis 1."""
        right = draw(decoders, 0.3, 500, replace(PUBLISHED, transposed=False))
        slip = draw(decoders, 0.3, 500, PUBLISHED)
        assert bool((slip.z[..., 1].std(1) < 0.6 * right.z[..., 1].std(1)).all())
        assert bool((slip.attempts > 2 * right.attempts).all())
        assert bool((gap(slip.p) < 0.3).all())


class TestDraws:
    def test_a_decoders_points_do_not_depend_on_the_others(self, decoders):
        whole = draw(decoders, 0.3, 300, COARSE, seed=5)
        for index in ([2], [3, 0]):
            part = draw(decoders.take(index), 0.3, 300, COARSE, seed=5)
            assert torch.equal(part.z, whole.z[index])
            assert torch.equal(part.p, whole.p[index])
            assert torch.equal(part.attempts, whole.attempts[index])

    def test_nor_on_how_fast_the_others_are_done(self, decoders):
        """Transposed draws need several rounds, other decoders another number of them."""
        scheme = replace(PUBLISHED, grid=Grid(50, 5.0))
        decoders = replace(decoders, slopes=torch.tensor([1.0, 2.0, 5.0, 8.0]).double())
        whole = draw(decoders, 0.2, 400, scheme)
        assert int(whole.attempts.max()) > 3 * int(whole.attempts.min())
        for g in range(4):
            assert torch.equal(draw(decoders.take([g]), 0.2, 400, scheme).z[0], whole.z[g])

    def test_more_points_begin_with_fewer(self, decoders):
        many = draw(decoders, 0.3, 700, COARSE)
        assert torch.equal(draw(decoders, 0.3, 20, COARSE).z, many.z[:, :20])
        assert bool((many.attempts >= 700).all())

    def test_seed_and_role_give_others(self, decoders):
        first = draw(decoders, 0.3, 50, COARSE).z
        assert torch.equal(draw(decoders, 0.3, 50, COARSE).z, first)
        for other in ({"seed": 1}, {"role": "test"}):
            again = draw(decoders, 0.3, 50, COARSE, **other).z
            assert not torch.isin(again.flatten(), first.flatten()).any()
        # Two models of one pair draw apart, too.
        assert not torch.isin(first[0].flatten(), first[1].flatten()).any()


def test_labels_in_blocks_are_the_same(decoders, monkeypatch):
    whole = draw(decoders, 0.3, 50, COARSE)
    monkeypatch.setattr(sampling, "BLOCK", 64)
    assert torch.equal(draw(decoders, 0.3, 50, COARSE).z, whole.z)


def test_three_latent_dimensions():
    decoders = some(MEMBERS, latent=3)
    points = draw(decoders, 0.4, 100, Scheme(Grid(8, 2.0)))
    assert points.z.shape == (4, 100, 3)
    assert bool((points.z[..., 1].abs() <= 2).all())
    assert float(points.z[..., 1].std()) > 0.8
    with pytest.raises(MistrustError, match="for 2 latent dimensions, not 3"):
        draw(decoders, 0.4, 10, Scheme(Grid(8, 2.0), transposed=True))


class TestBadInput:
    @pytest.mark.parametrize("delta_max", [0, -0.1, 1.01, float("nan"), float("inf")])
    def test_delta_max_outside(self, decoders, delta_max):
        with pytest.raises(MistrustError, match=rf"delta_max is {delta_max:g}, expected a number in "):
            draw(decoders, delta_max, 10, COARSE)

    @pytest.mark.whole
    def test_a_grid_too_coarse(self, decoders):
        message = (
            r"grid of 2 cells an axis holds no cell .* <= 0.01: the least is 0.\d+, for decoder 3/8 \(seed 0\) "
            r"\(4 of 4 decoders have none\). Take more cells \(cells=50\), or a delta_max above 0.\d+"
        )
        with pytest.raises(MistrustError, match=message):
            draw(decoders, 0.01, 10, Scheme(Grid(2, 2.0)))
        draw(decoders, 0.01, 10, Scheme(Grid(400, 2.0)))

    def test_a_decoder_that_gives_no_numbers_has_no_ambiguous_cells(self, decoders):
        broken = replace(decoders, slopes=torch.tensor([2.0, torch.nan, 2, 2]).double())
        with pytest.raises(MistrustError, match=r"least is 1, for decoder 3/8 \(seed 1\) \(1 of 4"):
            draw(broken, 0.3, 10, COARSE)

    @pytest.mark.parametrize("value", [0.0, torch.nan])
    def test_a_collapsed_decoder(self, decoders, value):
        matrices = decoders.matrices.clone()
        matrices[2] = value
        with pytest.raises(MistrustError, match=r"weights 'jacobian' of decoder 0/1 \(seed 0\) add up to (0|nan)"):
            draw(replace(decoders, matrices=matrices), 0.3, 10, COARSE)

    def test_more_points_than_can_be_drawn_says_how_many_were(self):
        """With an odd number of cells the middle ones are balanced at their centre, and hardly anywhere else."""
        steep = replace(golden(), slopes=torch.full((1,), 10.0).double(), squash=True)
        message = (
            r"Only [1-9]\d? of 1,000 points with \|p1 - p2\| < 0.001 were drawn from decoder 3/8 \(seed 0\) in "
            r"100,\d{3} attempts \(1 of 1 decoders"
        )
        with pytest.raises(MistrustError, match=message):
            draw(steep, 0.001, 1000, Scheme(Grid(5, 2.0), label="softmax"))

    def test_names(self, decoders):
        with pytest.raises(MistrustError, match=r"no rule for weights 'jacob'"):
            draw(decoders, 0.3, 10, replace(COARSE, weight="jacob"))
        with pytest.raises(MistrustError, match=r"no rule for labels 'soft'"):
            draw(decoders, 0.3, 10, replace(COARSE, label="soft"))
        with pytest.raises(MistrustError, match=r"count is 0"):
            draw(decoders, 0.3, 0, COARSE)
        with pytest.raises(MistrustError, match=r"Decoder '3-8-0' .* occurs 2 times"):
            draw(decoders.take([0, 0]), 0.3, 10, COARSE)
