"""The composition of the two corrupted test sets: every image once, in the parts that the facts say."""

import pytest
import torch

from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.inputs import CORRUPTIONS, fashion_mnist_c, mnist_c, perturbed
from mistrust.inputs.corruptions import FASHION_MNIST_C, MNIST_C

BOTH = pytest.mark.parametrize(("compose", "names"), [(mnist_c, MNIST_C), (fashion_mnist_c, FASHION_MNIST_C)])


@pytest.fixture(scope="module")
def digits():
    return load("digits", "test").take(torch.arange(90))


def tiny(n):
    """n black pictures of 7 x 7, the least that all corruptions take."""
    return ImageSet("tiny", torch.zeros(n, 1, 7, 7, dtype=torch.uint8), torch.zeros(n).long(), torch.arange(n), ("a",))


@BOTH
def test_every_image_is_corrupted_once_as_its_corruption_does_at_the_published_severity(compose, names, digits):
    made = compose(digits, seed=2)
    assert made.names == names
    assert made.images.name == "digits-c"
    assert made.images.images.dtype == torch.uint8
    assert torch.equal(made.images.ids, digits.ids)
    assert torch.equal(made.images.labels, digits.labels)
    for position, name in enumerate(names):
        here = made.corruption == position
        alone = perturbed(digits.take(here), name, CORRUPTIONS[name].severity, seed=2)
        assert torch.equal(made.images.images[here], alone.images)
        assert torch.equal(made.under(name).ids, alone.ids)


@BOTH
def test_the_seed_decides(compose, names, digits):
    first, again, other = compose(digits, seed=1), compose(digits, seed=1), compose(digits, seed=5)
    assert torch.equal(first.images.images, again.images.images)
    assert not torch.equal(first.corruption, other.corruption)
    assert first.images.checksum != other.images.checksum


@pytest.mark.parametrize(
    ("n", "sizes"),
    [(10_000, [667] * 14 + [662]), (1000, [67] * 14 + [62]), (90, [6] * 15), (40, [3] * 10 + [2] * 5), (0, [0] * 15)],
)
def test_mnist_c_has_the_published_parts_and_equal_ones_where_those_leave_none(n, sizes):
    counts = mnist_c(tiny(n)).corruption.bincount(minlength=15).tolist()
    assert sorted(counts, reverse=True) == sizes
    assert n != 10_000 or counts == sizes


def test_mnist_c_deals_without_regard_to_order():
    corruption = mnist_c(tiny(3000)).corruption
    half = corruption[:1500].bincount(minlength=15).double()
    # Drawn without replacement: 200 a corruption, half of them in the first half, standard deviation 6.8.
    assert (half - 100).abs().max() < 5 * 6.8


def test_fashion_mnist_c_chooses_by_id_evenly(digits):
    whole = fashion_mnist_c(digits)
    some = torch.tensor([80, 3, 41])
    part = fashion_mnist_c(digits.take(some))
    assert torch.equal(part.corruption, whole.corruption[some])
    assert torch.equal(part.images.images, whole.images.images[some])
    counts = fashion_mnist_c(tiny(15_000)).corruption.bincount(minlength=15).double()
    assert (counts - 1000).abs().max() < 5 * 31


def test_the_smallest_pictures_pass():
    for compose in (mnist_c, fashion_mnist_c):
        assert len(compose(tiny(30)).images) == 30


def test_a_corruption_of_the_other_set_is_refused():
    with pytest.raises(
        MistrustError, match=r"no corruption in this set 'fmnistc/stripe'\. Did you mean 'mnistc/stripe'"
    ):
        mnist_c(tiny(15)).under("fmnistc/stripe")


@BOTH
def test_images_must_be_a_set(compose, names, digits):
    with pytest.raises(MistrustError, match=f"{compose.__name__} takes an ImageSet, .* got Tensor"):
        compose(digits.images)
