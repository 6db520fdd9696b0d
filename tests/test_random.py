import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.inputs.draws import Draws, sixteen_bits


@pytest.mark.whole
@given(st.lists(st.integers(0, 2000), min_size=1, max_size=40), st.integers(0, 5))
def test_a_draw_belongs_to_its_id(ids, seed):
    alone = torch.cat([random.normal(seed, "x", torch.tensor([i]), (3,)) for i in ids])
    assert torch.equal(random.normal(seed, "x", torch.tensor(ids), (3,)), alone)


@pytest.mark.parametrize("other", [dict(seed=1), dict(name="y")])
def test_seed_and_name_separate_draws(other):
    ids = torch.arange(300)
    first = random.normal(0, "x", ids, (2,))
    second = random.normal(**({"seed": 0, "name": "x"} | other), ids=ids, shape=(2,))
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.15


@pytest.mark.parametrize("seed", ["3", 1.5, None, int, [1, 2], float("nan")])
def test_a_seed_is_one_whole_number(seed):
    with pytest.raises(MistrustError, match=r"The seed is .*, expected a whole number"):
        random.generator(seed, "x")
    assert random.generator(3.0, "x").random() == random.generator(np.int64(3), "x").random()


def test_draws_have_their_distribution():
    ids = torch.arange(20_000)
    assert stats.kstest(random.normal(3, "n", ids, ()).numpy(), "norm").pvalue > 0.001
    assert stats.kstest(random.uniform(3, "u", ids, ()).numpy(), "uniform").pvalue > 0.001


def test_draws_do_not_change_with_versions():
    # Written down when made (numpy 2.4.6, Philox keyed by sha256): every stored result rests on these.
    drawn = random.normal(0, "golden", torch.tensor([0, 255, 256]), ())
    assert drawn.tolist() == pytest.approx(GOLDEN, abs=1e-6)


GOLDEN = [-1.4939415, -0.2135753, -0.5413084]


def test_no_ids_give_no_draws_of_the_right_shape():
    assert random.normal(0, "x", torch.arange(0), (2, 3)).shape == (0, 2, 3)


def test_negative_ids_are_refused():
    with pytest.raises(MistrustError, match="not negative"):
        random.normal(0, "x", torch.tensor([-1]), ())


def test_the_global_generators_are_left_alone():
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002
    before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    random.normal(0, "x", torch.arange(10), (4,))
    random.permutation(0, "p", 10)
    assert torch.equal(before[0], torch.get_rng_state())
    assert (before[1] == np.random.get_state()[1]).all()  # noqa: NPY002


@pytest.mark.parametrize("shape", [(256, 12), (256, 5, 3), (7,), (1,)])
def test_raw_bits_are_the_numbers_that_numpy_draws(shape):
    drawn = random.generator(1, "bits").integers(-(2**15), 2**15, shape, dtype=np.int16)
    assert (sixteen_bits(random.generator(1, "bits"), shape) == drawn).all()


KINDS = {
    "normal": lambda draws: draws.normal((3, 5)),
    "uniform": lambda draws: draws.uniform((3, 5)),
    "sixteen bits": lambda draws: draws.integers(-(2**15), 2**15, (7,)),
    "a few": lambda draws: draws.integers(0, 3, (7,)),
    "one": lambda draws: draws.integers(0, 27, ()),
    "many": lambda draws: draws.integers(0, 2**40, (3,)),
    "below a power": lambda draws: draws.integers(0, 70_000, (3,)),  # 32 bits at a time, some thrown away
    "places": lambda draws: draws.chosen(4, (5, 5)),
    "many places": lambda draws: draws.chosen(9, (257, 256)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ids", [[0], [17], [3, 255], [300, 2, 258]])
def test_an_id_draws_the_same_when_no_more_is_drawn_than_is_needed(kind, ids):
    few = KINDS[kind](Draws(0, "few", torch.tensor(ids)))
    whole = KINDS[kind](Draws(0, "few", torch.arange(512)))  # two blocks to their ends
    assert torch.equal(few, whole[ids])


def test_no_more_is_drawn_than_is_needed():
    asked = []

    def draw(generator, m):
        asked.append(m)
        return generator.random(m)

    drawn = random.keyed(0, "x", torch.tensor([259, 1, 4]), draw, one_by_one=True)
    assert asked == [5, 4]
    assert torch.equal(drawn, random.keyed(0, "x", torch.tensor([259, 1, 4]), draw))
    assert asked[2:] == [256, 256]
