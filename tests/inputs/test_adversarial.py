"""Adversarial test sets: what is in them, what is counted apart, and the authors' slips on request."""

import warnings
from functools import partial

import numpy as np
import pytest
import torch
from sklearn.utils import shuffle
from torch import nn

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs import Draws
from mistrust.inputs.adversarial import FOUR, AdversarialSet, adversarial
from mistrust.inputs.epsilons import FAILURE, FOOLED, GRID, NATURAL_ERROR, PUBLISHED
from mistrust.networks import initialise, observe, wrap

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from foolbox import PyTorchModel
    from foolbox import attacks as theirs

CLASSES = ("a", "b", "c", "d")
QUICK = {"pgd": {"steps": 5, "relative_step": 0.3}, "bim": {"steps": 4}}


class Small(nn.Module):
    """A small network in float64, so that no sign hangs on rounding."""

    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.Tanh(), nn.Linear(16, 4)).double()

    def forward(self, x):
        return 8 * self.parts(x.double() - 0.5)


@pytest.fixture(scope="module")
def small():
    network = Small()
    initialise(network, 3)
    return wrap(network, CLASSES, name="small")


@pytest.fixture(scope="module")
def images(small):
    """90 images with the network's own answers as labels, but for every fifth."""
    pixels = random.uniform(8, "attacked", torch.arange(90), (1, 6, 6))
    labels = small(pixels).argmax(1)
    labels[::5] = (labels[::5] + 1) % 4
    return ImageSet("made-up", pixels, labels, 1000 - 3 * torch.arange(90), CLASSES)


@pytest.fixture(scope="module")
def made(small, images):
    return adversarial(small, images, seed=5, parameters=QUICK)


class TestByDefault:
    def test_the_set_holds_what_fools_and_nothing_else(self, made, small, images):
        assert made.images.images.dtype == torch.float32
        assert not observe(small, made.images).correct.any()
        assert torch.equal(made.kept, made.outcome == FOOLED)
        assert len(made) == int(made.kept.sum()) > 50
        assert not torch.isin(made.images.ids, images.ids[::5]).any()

    def test_ids_labels_and_order_are_those_of_the_images(self, made, images):
        assert torch.equal(made.ids, images.ids)
        assert torch.equal(made.images.ids, images.ids[made.kept])
        assert torch.equal(made.images.labels, images.labels[made.kept])
        away = (made.images.images - images.images[made.kept]).abs().flatten(1).amax(1)
        assert (away > 0).all()
        assert (away.double() == made.distance[made.kept]).all()
        assert repr(made).startswith(f"AdversarialSet(made-up-adversarial: {len(made)} of 90; fgsm, pgd")

    def test_every_attack_gets_an_equal_part_and_epsilons_are_of_the_grid(self, made):
        assert torch.bincount(made.attack).tolist() == [23, 23, 22, 22]
        assert made.attacks == FOUR
        assert set(made.epsilon[made.kept].tolist()) <= set(GRID)
        assert len(made.epsilon[made.kept].unique()) > 8
        assert made.epsilon[~made.kept].isnan().all()

    @pytest.mark.whole
    def test_natural_errors_and_failures_are_counted_apart(self, made, small, images):
        table = made.summary().set_index("attack")
        assert table["natural error"].sum() == 18
        assert (table[["fooled", "failure", "natural error"]].sum(axis=1) == table["tried"]).all()
        assert table.loc["pgd", "median epsilon"] == pytest.approx(
            float(np.nanmedian(made.epsilon[made.attack == 1])), abs=0
        )
        low = adversarial(small, images, seed=5, epsilons=GRID[:16], parameters=QUICK)
        assert low.summary()["natural error"].sum() == 18
        assert low.summary()["failure"].sum() == (made.epsilon > GRID[15]).sum() + (made.outcome == FAILURE).sum() > 10

    @pytest.mark.whole
    def test_the_seed_deals_the_images(self, made, small, images):
        again = adversarial(small, images, seed=5, parameters=QUICK)
        assert torch.equal(again.images.images, made.images.images)
        other = adversarial(small, images, seed=6, parameters=QUICK)
        assert 0.1 < (other.attack == made.attack).double().mean() < 0.5
        assert torch.equal(other.outcome == NATURAL_ERROR, made.outcome == NATURAL_ERROR)

    def test_bytes_are_taken_as_grey_levels(self, small, images):
        grey = images.with_images((images.images * 255).to(torch.uint8))
        made = adversarial(small, grey, attacks=("fgsm",))
        away = made.images.images - grey.floats()[made.kept]
        assert away.abs().max() <= GRID[-1] + 1e-6
        assert not observe(small, made.images).correct.any()

    def test_one_attack_may_have_it_all(self, small, images):
        made = adversarial(small, images, attacks=["deepfool"], search="bisection")
        assert made.summary()["tried"].tolist() == [90]
        assert (made.outcome != FAILURE).all()

    @pytest.mark.whole
    def test_each_attack_may_be_searched_in_its_own_way(self, made, small, images):
        mixed, halved = (
            adversarial(small, images, seed=5, parameters=QUICK, search=search)
            for search in ({"pgd": "bisection"}, "bisection")
        )
        pgd = made.attack == FOUR.index("pgd")
        assert torch.equal(mixed.epsilon[pgd].nan_to_num(9), halved.epsilon[pgd].nan_to_num(9))
        assert torch.equal(mixed.epsilon[~pgd].nan_to_num(9), made.epsilon[~pgd].nan_to_num(9))

    def test_survives_the_store(self, made, images):
        again = AdversarialSet.of(made.tensors(), images)
        assert again.images.checksum == made.images.checksum
        assert again.images.name == made.images.name
        assert again.summary().equals(made.summary())
        assert torch.equal(again.kept, made.kept)


class SameStart(theirs.LinfProjectedGradientDescentAttack):
    """Foolbox's PGD from our starting points, found by what an image shows."""

    def __init__(self, images, **parameters):
        super().__init__(**parameters)
        self.images = images

    def get_random_start(self, x0, epsilon):
        here = (x0.raw[:, None] == self.images.images[None]).flatten(2).all(2).int().argmax(1)
        start = 2 * Draws(2, "attack/pgd", self.images.ids[here]).uniform((1, 6, 6)) - 1
        return x0 + epsilon * type(x0)(start)


class Softmax(nn.Module):
    def __init__(self, classifier):
        super().__init__()
        self.classifier = classifier

    def forward(self, x):
        return self.classifier(x).softmax(1)


def as_the_authors(classifier, images, epsilons, seed):
    """What their script computes, in numpy after foolbox: ten batches a block, joined along the axis of epsilons."""
    model = PyTorchModel(Softmax(classifier).eval(), bounds=(0, 1), device="cpu")
    order = shuffle(np.arange(len(images)), random_state=seed)
    blocks = order[: len(order) // 4 * 4].reshape(4, -1)
    four = (
        theirs.LinfFastGradientAttack(),
        SameStart(images, steps=5, rel_stepsize=0.3),
        theirs.LinfBasicIterativeAttack(steps=4),
        theirs.LinfDeepFoolAttack(),
    )
    chosen = []
    for attack, block in zip(four, blocks, strict=True):
        made, success = [], []
        for batch in np.array_split(block, 10):
            _, clipped, yes = attack(model, images.images[batch], images.labels[batch], epsilons=list(epsilons))
            made.append(np.stack([c.numpy() for c in clipped]))
            success.append(yes.numpy())
        made, first = np.concatenate(made), np.argmax(np.concatenate(success), axis=0)
        chosen.append(made[first, np.arange(made.shape[1])])
    return np.concatenate(chosen)


class TestAsPublished:
    @pytest.mark.whole
    @pytest.mark.parametrize("epsilons", [PUBLISHED, (0.0002, 0.08)])
    def test_the_set_is_that_of_the_authors_script(self, epsilons, small, images):
        images = images.take(slice(0, 80))
        expected = as_the_authors(small, images, (0.0, *epsilons), seed=2)
        made = adversarial(small, images, seed=2, epsilons=epsilons, parameters=QUICK, as_published=True)
        assert made.images.images.shape == expected.shape == (8, 1, 6, 6)
        assert np.abs(made.images.images.numpy() - expected).max() < 1e-6

    def test_a_tenth_of_the_images_comes_out_natural_errors_included(self, small, images):
        made = adversarial(small, images, seed=0, parameters=QUICK, as_published=True)
        assert len(made) == 8  # of 90: four parts of 22, ten batches of 2 each
        assert made.kept.all()
        assert made.summary()["tried"].tolist() == [2, 2, 2, 2]
        clean = {int(i): x for i, x in zip(images.ids, images.images, strict=True)}
        unchanged = [bool((clean[int(i)] == x).all()) for i, x in zip(made.images.ids, made.images.images, strict=True)]
        assert torch.equal(torch.tensor(unchanged), made.outcome == NATURAL_ERROR)
        assert 0 < sum(unchanged) < 8
        assert set(made.epsilon[made.outcome == FOOLED].tolist()) <= {0.01, 0.1, 0.3}

    def test_failures_leave_clean_images_of_the_first_batch(self, small, images):
        right = images.take(observe(small, images).correct)
        made = adversarial(small, right, seed=0, epsilons=(1e-6,), parameters=QUICK, as_published=True)
        order = shuffle(np.arange(len(right)), random_state=0).reshape(4, -1)
        assert (made.outcome == FAILURE).all()
        assert torch.equal(made.images.images, right.images[order[:, :1].ravel()])

    def test_too_few_images(self, small, images):
        with pytest.raises(MistrustError, match=r"39 images are too few as published: 4 attacks .* at least 40"):
            adversarial(small, images.take(slice(0, 39)), as_published=True)


class TestBadInput:
    def test_a_classifier_that_is_wrong_everywhere(self, small, images):
        wrong = images.take(slice(0, 90, 5))
        with pytest.raises(MistrustError, match=r"of 18, 18 are named wrongly as they are, and 0 are not fooled"):
            adversarial(small, wrong)

    def test_epsilons_too_small_for_all(self, small, images):
        with pytest.raises(MistrustError, match=r"72 are not fooled by an epsilon of 1e-06.*or try larger epsilons"):
            adversarial(small, images, epsilons=(1e-6,), attacks=("fgsm",))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"attacks": ("fgsm", "deepfol")}, r"no attack 'deepfol'. Did you mean 'deepfool'\?"),
            ({"attacks": ("fgsm", "fgsm")}, "Attack 'fgsm' is named twice"),
            ({"attacks": ()}, "There are 90 images and 0 attacks, expected one or more of each"),
            ({"parameters": {"pdg": {"steps": 3}}}, r"no attack 'pdg'. Did you mean 'pgd'\?"),
            ({"parameters": {"pgd": {"step": 3}}}, r"no parameter 'step' of attack 'pgd'. Did you mean 'steps'\?"),
            ({"search": {"pdg": "bisection"}}, r"no attack 'pdg'. Did you mean 'pgd'\?"),
            ({"epsilons": (0.3, 0.1)}, "Epsilons are .* ascending"),
        ],
    )
    def test_options(self, options, message, small, images):
        with pytest.raises(MistrustError, match=message):
            adversarial(small, images, **options)

    def test_no_images_and_no_gradients(self, small, images):
        with pytest.raises(MistrustError, match="There are 0 images and 4 attacks"):
            adversarial(small, images.take(slice(0, 0)))
        with pytest.raises(MistrustError, match="wraps a plain callable"):
            adversarial(wrap(partial(small), CLASSES), images)
