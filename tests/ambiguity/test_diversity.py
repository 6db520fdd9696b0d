import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import norm

from mistrust import random
from mistrust.ambiguity.diversity import coverage, measures
from mistrust.errors import MistrustError


def draw(seed=0):
    return random.generator(seed, "test/diversity")


def points(*values):
    """Images of one pixel."""
    return np.array(values)[:, None]


def test_by_hand():
    # Distances of 0, 0.1, 0.3, 0.7: .1 .3 .7 .2 .6 .4; nearest .1 .1 .2 .4.
    found = measures(points(0, 0.1, 0.3, 0.7), draw(), resamples=0)
    assert found["pair_distance"].value == pytest.approx(2.3 / 6)
    assert found["pair_distance_q10"].value == pytest.approx(0.1)
    assert found["nearest_neighbour"].value == pytest.approx(0.1)
    assert found["pair_distance"].n == 4
    assert np.isnan(found["pair_distance"].low)
    assert "coverage" not in found


def test_equals_numpy_and_ignores_shape_and_order():
    x = draw().random((60, 2, 3, 4))
    found = measures(x, draw(), resamples=0)
    distances = pdist(x.reshape(60, -1))
    assert found["pair_distance"].value == pytest.approx(distances.mean())
    assert found["pair_distance_q10"].value == np.quantile(distances, 0.1, method="inverted_cdf")
    again = measures(x[::-1], draw(), resamples=0)
    assert all(again[name].value == pytest.approx(one.value) for name, one in found.items())


@pytest.mark.whole
def test_intervals_cover():
    """Two evenly drawn numbers are a third apart on average: the interval holds it about nineteen times of twenty."""
    held = 0
    for seed in range(60):
        one = measures(draw(seed).random((40, 1)), draw(seed + 1000), resamples=200)["pair_distance"]
        assert one.low < one.value < one.high
        held += one.low <= 1 / 3 <= one.high
    assert 60 * 0.95 - 4 * np.sqrt(60 * 0.95 * 0.05) < held


def test_a_repeated_image_is_no_pair_of_its_own():
    """Resamples hold copies; were their distances of 0 counted, the quantile's interval would reach down to 0."""
    x = points(*np.linspace(0, 1, 11))
    low = measures(x, draw(), resamples=300)["pair_distance_q10"].low
    assert low == pytest.approx(0.1)


def test_clusters_widen_the_interval():
    centres = draw().random(8)
    x = np.repeat(centres, 20)[:, None] * 0.98 + 0.02 * draw(1).random((160, 1))
    by_image = measures(x, draw(2))["pair_distance"]
    by_cluster = measures(x, draw(2), clusters=np.repeat(np.arange(8), 20))["pair_distance"]
    assert by_cluster.high - by_cluster.low > 2 * (by_image.high - by_image.low)
    one = measures(x, draw(2), clusters=np.zeros(160))["pair_distance"]
    assert np.isnan(one.low)


def test_many_images_are_thinned():
    x = draw().random((500, 1))
    found = measures(x, draw(1), most=100, resamples=0)["pair_distance"]
    assert found.n == 100
    assert found.value == pytest.approx(1 / 3, abs=4 * norm.ppf(0.84) * 0.24 / 10)
    assert measures(x, draw(1), most=100, resamples=0)["pair_distance"].value == found.value


class TestCoverage:
    reference = points(0.0, 0.1, 0.2, 0.6, 0.7, 0.8)

    def test_by_hand(self):
        # Distances to the second neighbour: .2 .1 .2 .2 .1 .2.
        found = coverage(points(0.05), self.reference, neighbours=2)
        assert (found.value, found.n) == (0.5, 6)
        assert 0.1 < found.low < 0.5 < found.high < 0.9
        assert coverage(points(0.45), self.reference, neighbours=2).value == pytest.approx(1 / 6)
        assert coverage(points(0.05, 0.65), self.reference, neighbours=2).value == 1

    def test_is_whole_for_the_reference_itself_and_grows_with_more_images(self):
        x, y = draw().random((30, 5)), draw(1).random((60, 5))
        assert coverage(y, y).value == 1
        assert coverage(x[:5], y).value < coverage(x, y).value
        assert measures(x, draw(), reference=y, resamples=0)["coverage"] == coverage(x, y)

    def test_refuses(self):
        for wrong in (6, 2.5, 0):
            with pytest.raises(MistrustError, match=rf"by the {wrong} nearest, a whole number, .* 6 of 1 pixels"):
                coverage(points(0.5), self.reference, neighbours=wrong)
        with pytest.raises(MistrustError, match=r"6 of 1 pixels, the images have 2"):
            coverage(np.zeros((3, 2)), self.reference)


def test_refuses():
    with pytest.raises(MistrustError, match=r"two images or more"):
        measures(points(0.5), draw())
    with pytest.raises(MistrustError, match=r"at most 1 are to be taken"):
        measures(points(0.5, 0.6), draw(), most=1)
    with pytest.raises(MistrustError, match=r"one cluster each"):
        measures(points(0.5, 0.6), draw(), clusters=[1])
    for wrong in (255.0, -0.1, np.nan):
        with pytest.raises(MistrustError, match=r"images .* expected \(n, ...\) with pixels in \[0, 1\], no NaN"):
            measures(points(0.5, wrong), draw())
