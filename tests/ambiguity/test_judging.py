import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mistrust import random
from mistrust.ambiguity.judging import agreement, between, bins, on_pair
from mistrust.ambiguity.tables.judged import IN_MIDDLE, calibration
from mistrust.errors import MistrustError


def draw(seed=0):
    return random.generator(seed, "test/judging")


class TestBins:
    def test_by_hand(self):
        found = bins([0.05, 0.1, 0.15, 0.95, 1.0], [0.2, 0.0, 0.5, 0.9, 0.7])
        assert [(b, n) for b, _, _, n in found] == [(1, 1), (2, 2), (10, 2)]
        assert [one[1:3] for one in found] == [
            (0.05, 0.2),
            pytest.approx((0.125, 0.25)),
            pytest.approx((0.975, 0.8)),
        ]

    def test_ends_belong_to_the_bin_above(self):
        edges = np.arange(10) / 10
        assert [b for b, *_ in bins(edges, edges)] == list(range(1, 11))
        hundredths = np.arange(100) / 100  # 0.29 * 100 is less than 29
        assert [n for *_, n in bins(hundredths, hundredths, count=100)] == [1] * 100
        assert bins([0.0, 1.0], [0.5, 0.5], count=1) == [(1, 0.5, 0.5, 2)]

    @pytest.mark.whole
    @given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1), st.integers(1, 20))
    def test_keeps_every_image_once(self, values, count):
        p, q = np.array(values).T
        found = bins(p, q, count)
        assert sum(n for *_, n in found) == len(p)
        assert sum(n * mean for _, mean, _, n in found) == pytest.approx(p.sum(), abs=1e-9)
        assert sum(n * mean for _, _, mean, n in found) == pytest.approx(q.sum(), abs=1e-9)
        assert all((b - 1) / count <= mean + 1e-8 and mean <= b / count + 1e-8 for b, mean, _, _ in found)


class TestAgreement:
    def test_by_hand(self):
        # Stated .2 .4 .6 .8 around .5; judged .1 .5 .3 .9: products .27 + .05 ... over squares .09 + .01 + .01 + .09.
        found = agreement([0.2, 0.4, 0.6, 0.8], [0.1, 0.5, 0.3, 0.9], draw(), resamples=0)
        assert found["absolute error"].value == pytest.approx((0.1 + 0.1 + 0.3 + 0.1) / 4)
        assert found["slope"].value == pytest.approx((-0.03 - 0.05 + 0.03 + 0.27) / 0.2)
        # Ranks 1 2 3 4 and 1 3 2 4: 1 - 6 * 2 / (4 * 15).
        assert found["spearman"].value == pytest.approx(0.8)
        assert found["share between"].value == 0.5
        assert {one.n for one in found.values()} == {4}
        assert np.isnan(found["slope"].low)
        assert np.isnan(found["absolute error"].high)

    def test_equals_scipy(self):
        g = draw(1)
        p, q = g.random(200), g.random(200)
        found = agreement(p, q, draw(), resamples=0)
        assert found["slope"].value == pytest.approx(stats.linregress(p, q).slope)
        assert found["spearman"].value == pytest.approx(stats.spearmanr(p, q).statistic)

    def test_a_right_label_agrees(self):
        p = draw(2).random(300)
        found = agreement(p, p, draw(), resamples=50)
        assert (found["absolute error"].value, found["absolute error"].high) == (0, 0)
        assert found["slope"].value == pytest.approx(1)
        assert found["spearman"].low == pytest.approx(1)
        opposite = agreement(p, 1 - p, draw(), resamples=50)
        assert opposite["slope"].value == pytest.approx(-1)
        assert opposite["spearman"].high == pytest.approx(-1)
        # Which class is called the first makes no difference.
        g = draw(3).random(300)
        a, b = agreement(p, g, draw(), resamples=20), agreement(1 - p, 1 - g, draw(), resamples=20)
        for name, one in a.items():
            assert (b[name].value, b[name].low, b[name].high) == pytest.approx((one.value, one.low, one.high))

    @pytest.mark.whole
    def test_intervals_cover(self):
        """Judged = stated / 2 + noise: the slope is 1/2, and its interval holds that about nineteen times of twenty."""
        held = 0
        for seed in range(60):
            g = draw(seed)
            p = g.random(80)
            judged = 0.25 + p / 2 + g.uniform(-0.2, 0.2, 80)
            one = agreement(p, judged, draw(seed + 1000), resamples=100)["slope"]
            assert one.low < one.value < one.high
            held += one.low <= 0.5 <= one.high
        assert 60 * 0.95 - 4 * np.sqrt(60 * 0.95 * 0.05) < held

    @pytest.mark.whole
    def test_clusters_widen_the_intervals(self):
        g = draw(4)
        decoder = np.repeat(np.arange(10), 30)
        p = g.random(300)
        q = np.clip(p + 0.3 * g.normal(size=10)[decoder], 0, 1)
        alone, together = agreement(p, q, draw()), agreement(p, q, draw(), clusters=decoder)
        for name, one in together.items():
            assert one.value == alone[name].value
            assert one.high - one.low > 1.5 * (alone[name].high - alone[name].low)
        lone = agreement(p, q, draw(), clusters=np.zeros(300))
        assert all(np.isnan(one.low) for one in lone.values())

    def test_the_share_has_its_exact_interval(self):
        found = agreement([0.4, 0.5, 0.6], [0.5, 0.5, 0.4], draw())["share between"]
        assert (found.value, found.high) == (1, 1)
        assert found.low == pytest.approx(0.025 ** (1 / 3))  # Clopper and Pearson, 3 of 3

    def test_constants(self):
        p = np.array([0.1, 0.4, 0.7])
        constant = np.full(3, 0.1)  # its mean is not quite itself
        stated = agreement(constant, p, draw(), resamples=20)
        assert set(stated) == {"absolute error", "share between"}
        judged = agreement(p, constant, draw(), resamples=20)
        assert set(judged) == {"absolute error", "slope", "share between"}
        assert judged["slope"].value == pytest.approx(0)
        one = agreement([0.3], [0.9], draw())
        assert set(one) == {"absolute error", "share between"}
        assert all(np.isfinite(each.value) for found in (stated, judged, one) for each in found.values())

    @pytest.mark.whole
    def test_constant_resamples_do_not_spoil_an_interval(self):
        found = agreement([0.1, 0.5, 0.9], [0.2, 0.5, 0.7], draw(), resamples=300)
        assert np.isfinite([found["slope"].low, found["slope"].high, found["spearman"].low]).all()


def test_between_holds_its_ends_on_both_sides():
    p = np.array([0.19, 0.2, 0.5, 0.8, 0.81])
    assert between(p).tolist() == between(1 - p).tolist() == [False, True, True, True, False]


class TestOnPair:
    def test_by_hand(self):
        softmax = torch.tensor([[0.5, 0.25, 0.25, 0], [0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0], [0, 0, 0, 1]])
        first, share = on_pair(softmax, torch.tensor([[0, 1], [3, 1], [1, 3], [1, 3]]))
        assert first == pytest.approx([2 / 3, 2 / 3, 0.5, 0])
        assert share == pytest.approx([0.75, 0.6, 0, 1])
        assert first.dtype == share.dtype == np.float64

    def test_keeps_the_smallest_numbers(self):
        softmax = np.array([[1.0, 3e-300, 1e-300], [1.0, 5e-324, 5e-324]])
        first, share = on_pair(softmax, np.array([[1, 2], [1, 2]]))
        assert first == pytest.approx([0.75, 0.5])
        assert (share > 0).all()

    @pytest.mark.whole
    @given(st.integers(0, 10**6))
    def test_laws(self, seed):
        g = draw(seed)
        softmax = g.dirichlet(np.full(4, 0.3), size=6)
        pairs = np.stack([g.choice(4, 2, replace=False) for _ in range(6)])
        first, share = on_pair(softmax, pairs)
        other, same = on_pair(softmax, pairs[:, ::-1])
        assert first + other == pytest.approx(np.ones(6))
        assert share == pytest.approx(same)
        assert first * share == pytest.approx(softmax[np.arange(6), pairs[:, 0]])
        assert ((share >= 0) & (share <= 1)).all()

    def test_refuses(self):
        softmax = torch.full((2, 3), 1 / 3)
        with pytest.raises(MistrustError, match=r"judge's outputs are no probabilities in 2 of 2 rows"):
            on_pair(softmax * 2, torch.tensor([[0, 1], [0, 1]]))
        for pairs in ([[0, 1]], [0, 1], [[0.0, 1.0], [0.0, 1.0]]):
            with pytest.raises(MistrustError, match=r"expected \(n, k\), and \(n, 2\) positions"):
                on_pair(softmax, torch.tensor(pairs))
        for pair in ([0, 3], [-1, 0], [1, 1]):
            with pytest.raises(MistrustError, match=r"two different ones of the 3 classes"):
                on_pair(softmax, torch.tensor([[0, 1], pair]))


class TestCalibration:
    CLUSTERS = np.arange(300) % 12

    def rows(self, stated, judged, resamples=30):
        found = calibration("ensemble", "prior", stated, judged, self.CLUSTERS, resamples, 0)
        return {row["metric"]: row for row in found if "at" not in row}

    def test_the_middle_is_told_apart_from_the_whole_range(self):
        """A judge that knows the ends and guesses between them has a high correlation over all and none there."""
        stated = np.linspace(0, 1, 300)
        middle = (stated >= 0.3) & (stated <= 0.7)
        judged = np.where(middle, draw(5).permutation(stated), stated)
        found = self.rows(stated, judged)
        assert IN_MIDDLE == "spearman, stated 0.3 to 0.7"
        here = found[IN_MIDDLE]
        assert here["value"] == pytest.approx(stats.spearmanr(stated[middle], judged[middle]).statistic)
        assert found["spearman"]["value"] > 0.6 > 0.3 > abs(here["value"])
        assert here["n"] == middle.sum() < found["spearman"]["n"]
        assert (here["over"], here["low"] < here["value"] < here["high"]) == ("images", True)

    def test_the_other_rows_are_what_they_would_be_without_it(self):
        stated, judged = draw(6).random((2, 300))
        name = "ambiguity/calibration/ensemble/prior"
        told = agreement(stated, judged, random.generator(0, name), resamples=30, clusters=self.CLUSTERS)
        found = self.rows(stated, judged)
        for metric, one in told.items():
            assert [found[metric][part] for part in ("value", "low", "high")] == [one.value, one.low, one.high]

    def test_of_few_images_and_of_constants_it_says_nothing(self):
        ends = np.where(np.arange(300) < 280, 0.1, np.linspace(0.2, 0.8, 300))
        assert IN_MIDDLE not in self.rows(ends, draw(7).random(300))
        assert IN_MIDDLE not in self.rows(np.linspace(0, 1, 300), np.full(300, 0.4))
        assert np.isnan(self.rows(np.linspace(0, 1, 300), draw(8).random(300), 0)[IN_MIDDLE]["low"])


def test_refuses():
    for stated, judged in (([], []), ([0.1, 0.2], [0.1]), ([[0.1]], [[0.1]])):
        with pytest.raises(MistrustError, match=r"expected \(n,\) of both"):
            bins(stated, judged)
    for wrong in (1.1, -0.1, np.nan):
        with pytest.raises(MistrustError, match=r"Stated probabilities .* \[0, 1\] and no NaN"):
            bins([0.5, wrong], [0.5, 0.5])
        with pytest.raises(MistrustError, match=r"Judged probabilities .* \[0, 1\] and no NaN"):
            agreement([0.5, 0.5], [0.5, wrong], draw())
    with pytest.raises(MistrustError, match=r"count is 0"):
        bins([0.5], [0.5], count=0)
    with pytest.raises(MistrustError, match=r"clusters have shape \(1,\), expected \(2,\)"):
        agreement([0.5, 0.5], [0.5, 0.4], draw(), clusters=[1])
