import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mistrust import random
from mistrust.ambiguity.examples import chosen
from mistrust.errors import MistrustError


def draw(seed=0):
    return random.generator(seed, "test/examples")


# Values 2 min(q, 1 - q) share: 1, .6, .2, .5, 0, .48.
JUDGED = np.array([0.5, 0.3, 0.1, 0.5, 1.0, 0.6])
SHARE = np.array([1.0, 1.0, 1.0, 0.5, 1.0, 0.6])
HALF = np.full(6, 0.5)


def test_by_hand():
    found = chosen(HALF, JUDGED, SHARE, 3, draw())
    assert set(found) == {"best", "worst", "random"}
    assert found["best"].tolist() == [0, 1, 3]
    assert found["worst"].tolist() == [4, 2, 5]
    assert len(set(found["random"].tolist())) == 3


def test_no_pair_twice():
    pairs = torch.tensor([[0, 1], [0, 1], [2, 3], [2, 3], [4, 5], [4, 5]])
    found = chosen(HALF, JUDGED, SHARE, 3, draw(), pairs=pairs)
    assert found["best"].tolist() == [0, 3, 5]
    assert found["worst"].tolist() == [4, 2, 1]
    # The fourth is the next best of any pair; the order stays that of the values.
    more = chosen(HALF, JUDGED, SHARE, 4, draw(), pairs=pairs)
    assert more["best"].tolist() == [0, 1, 3, 5]
    assert more["worst"].tolist() == [4, 2, 5, 1]


def test_of_equals_the_one_stated_nearest_to_a_half_comes_first():
    stated = np.array([0.9, 0.4, 0.5, 0.6])
    found = chosen(stated, np.full(4, 0.5), np.full(4, 0.7), 4, draw())
    assert found["best"].tolist() == found["worst"].tolist()
    assert found["best"].tolist()[0] == 2
    assert found["best"].tolist()[3] == 0


@pytest.mark.whole
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 60),
    groups=st.integers(1, 8),
    part=st.floats(0, 1),
)
def test_laws(seed, n, groups, part):
    g = draw(seed)
    count = max(1, int(part * n))
    stated, judged, share = g.random((3, n))
    names = g.integers(groups, size=n)
    pairs = np.stack([names, names + 1], 1)
    value = np.minimum(judged, 1 - judged) * share
    found = chosen(stated, judged, share, count, draw(seed), pairs=pairs)
    for rule, places in found.items():
        assert len(set(places.tolist())) == count, rule
        # Round by round: a pair has one less than the most only where it has no more images, or the round was not over.
        got, size = np.bincount(names[places], minlength=groups), np.bincount(names, minlength=groups)
        assert ((got >= got.max() - 1) | (got == size)).all(), rule
    assert (np.diff(value[found["best"]]) <= 0).all()
    assert (np.diff(value[found["worst"]]) >= 0).all()
    for name in range(groups):  # of its pair none that was left out is better
        own, taken = np.flatnonzero(names == name), found["best"][names[found["best"]] == name]
        left = np.setdiff1d(own, taken)
        if len(left) and len(taken):
            assert value[left].max() <= value[taken].min()
    again = chosen(stated, judged, share, count, draw(seed), pairs=pairs)
    assert all((again[rule] == places).all() for rule, places in found.items())


def test_random_ones_are_drawn_evenly():
    """Of two pairs, one of 1 and one of 3 images, each pair is drawn once, and each of the three alike."""
    names = np.array([0, 1, 1, 1])
    counts = np.zeros(4)
    for seed in range(300):
        places = chosen(HALF[:4], JUDGED[:4], SHARE[:4], 2, draw(seed), pairs=np.stack([names, names + 1], 1))["random"]
        counts[places] += 1
    assert counts[0] == 300
    assert (np.abs(counts[1:] - 100) < 4 * np.sqrt(300 * 2 / 9)).all()
    assert len({tuple(chosen(HALF, JUDGED, SHARE, 6, draw(seed))["random"]) for seed in range(5)}) > 1


def test_refuses():
    for count in (0, 7):
        with pytest.raises(MistrustError, match=rf"count is {count}, expected a number from 1 to 6"):
            chosen(HALF, JUDGED, SHARE, count, draw())
    with pytest.raises(MistrustError, match=r"have 6, 5 and 6 images"):
        chosen(HALF, JUDGED[:5], SHARE, 1, draw())
    for wrong in (np.nan, 1.5, -1.0):
        with pytest.raises(MistrustError, match=r"share_on_pair .* in \[0, 1\], no NaN"):
            chosen(HALF, JUDGED, np.append(SHARE[:5], wrong), 1, draw())
    with pytest.raises(MistrustError, match=r"pairs have shape \(6,\), expected \(6, 2\)"):
        chosen(HALF, JUDGED, SHARE, 1, draw(), pairs=np.zeros(6))
