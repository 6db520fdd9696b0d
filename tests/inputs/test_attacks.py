"""Attacks against foolbox 3.3.4 and against closed forms of linear networks, and the laws of the search."""

import warnings
from functools import partial
from itertools import pairwise

import pytest
import torch
from torch import nn

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs import Draws
from mistrust.inputs.attacks import ATTACKS, ascent_direction, logits_of
from mistrust.inputs.epsilons import FAILURE, FOOLED, GRID, NATURAL_ERROR, attacked
from mistrust.networks import initialise, wrap

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from foolbox import PyTorchModel
    from foolbox import attacks as theirs

CLASSES = ("a", "b", "c", "d")
SOME = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
FEW = {"pgd": {"steps": 4, "relative_step": 0.3}}  # for laws that hold for any number of steps


class Small(nn.Module):
    """A small convolutional network that computes in float64: signs do not hang on rounding."""

    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(
            nn.Conv2d(1, 6, 3), nn.Tanh(), nn.Flatten(), nn.Linear(6 * 36, 12), nn.ReLU(), nn.Linear(12, 4)
        ).double()
        self.counted = 0

    def forward(self, x):
        self.counted += x.requires_grad
        return 12 * self.parts(x.double())


@pytest.fixture(scope="module")
def small():
    network = Small()
    initialise(network, 1)
    return wrap(network, CLASSES, mean=0.5, std=0.25)


@pytest.fixture(scope="module")
def images(small):
    """48 images with the network's own answers as labels, but for six."""
    pixels = random.uniform(3, "attacked", torch.arange(48), (1, 8, 8))
    labels = small(pixels).argmax(1)
    labels[::8] = (labels[::8] + 1) % 4
    return ImageSet("made-up", pixels, labels, torch.arange(48) * 7 + 5, CLASSES)


class SameStart(theirs.LinfProjectedGradientDescentAttack):
    """Foolbox's PGD from our starting points."""

    def __init__(self, start, **parameters):
        super().__init__(**parameters)
        self.start = start

    def get_random_start(self, x0, epsilon):
        return x0 + epsilon * type(x0)(self.start)


def foolbox(name, classifier, images, epsilons):
    """The images that foolbox makes at the first epsilon that fools, and its position (-1: none does)."""
    start = 2 * Draws(4, "attack/pgd", images.ids).uniform(images.images.shape[1:]) - 1
    attack = {
        "fgsm": theirs.LinfFastGradientAttack,
        "pgd": partial(SameStart, start),
        "bim": theirs.LinfBasicIterativeAttack,
        "deepfool": theirs.LinfDeepFoolAttack,
    }[name]()
    preprocessing = {"mean": classifier.mean, "std": classifier.std, "axis": -3}
    model = PyTorchModel(classifier.module, bounds=(0, 1), device="cpu", preprocessing=preprocessing)
    _, clipped, success = attack(model, images.images, images.labels, epsilons=list(epsilons))
    first = torch.where(success.any(0), success.int().argmax(0), -1)
    return torch.stack(clipped)[first, torch.arange(len(images))], first


@pytest.mark.parametrize("name", ["fgsm", "pgd", "bim", "deepfool"])
class TestAgainstFoolbox:
    @pytest.mark.whole
    def test_first_epsilon_and_image_are_the_same(self, name, small, images):
        right = images.take((small(images.images).argmax(1) == images.labels).nonzero()[:, 0])
        pixels, first = foolbox(name, small, right, SOME)
        ours = attacked(small, right, name, SOME, seed=4)
        assert (first >= 0).sum() > 20
        assert len(first.unique()) > 3
        expected = torch.tensor([*SOME, torch.nan], dtype=torch.float64)[first]
        assert torch.equal(ours.epsilon.nan_to_num(-1), expected.nan_to_num(-1))
        assert (ours.images - pixels)[first >= 0].abs().max() < 1e-6
        assert torch.equal(ours.images[first < 0], right.images[first < 0])


def run(name, classifier, images, grid=SOME, **options):
    return attacked(classifier, images, name, grid, parameters=FEW.get(name), **options)


@pytest.mark.parametrize("name", list(ATTACKS))
class TestLaws:
    def test_says_what_it_is(self, name):
        assert ATTACKS[name].title
        assert "arXiv" in ATTACKS[name].source

    def test_what_comes_out_fools_and_stays_in_its_box(self, name, small, images):
        before = images.images.clone()
        out = run(name, small, images)
        assert torch.equal(images.images, before)
        fooled = out.outcome == FOOLED
        assert fooled.any()
        assert torch.equal((small(out.images).argmax(1) != images.labels), fooled | (out.outcome == NATURAL_ERROR))
        assert out.images.aminmax().min >= 0
        assert out.images.aminmax().max <= 1
        away = (out.images - images.images).abs().flatten(1).amax(1).double()
        assert torch.equal(out.distance[fooled], away[fooled])
        assert (away[fooled] <= out.epsilon[fooled] * (1 + 1e-6) + 1e-7).all()
        assert (away[~fooled] == 0).all()
        assert out.epsilon[~fooled].isnan().all()
        assert out.distance[~fooled].isnan().all()

    def test_natural_errors_are_left_alone_and_failures_counted_apart(self, name, small, images):
        out = run(name, small, images, (1e-6,))
        wrong = small(images.images).argmax(1) != images.labels
        assert int(wrong.sum()) == 6
        assert torch.equal(out.outcome == NATURAL_ERROR, wrong)
        assert (out.outcome[~wrong] == FAILURE).all()
        assert torch.equal(out.images, images.images)

    @pytest.mark.whole
    def test_an_image_does_not_depend_on_its_batch(self, name, small, images):
        whole = run(name, small, images, seed=2)
        some = torch.tensor([40, 3, 17, 8, 21])
        for part, block in ((some, 256), (some, 2), (torch.arange(48), 5)):
            out = run(name, small, images.take(part), seed=2, block=block)
            assert torch.equal(out.outcome, whole.outcome[part])
            assert torch.equal(out.epsilon.nan_to_num(), whole.epsilon[part].nan_to_num())
            assert (out.images - whole.images[part]).abs().max() < 1e-6

    def test_only_random_ones_heed_the_seed(self, name, small, images):
        one, again, other = (run(name, small, images, seed=seed).images for seed in (1, 1, 2))
        assert torch.equal(one, again)
        assert torch.equal(one, other) != ATTACKS[name].random

    def test_bisection_ends_where_the_epsilon_before_does_not_fool(self, name, small, images):
        out = run(name, small, images, search="bisection")
        first = run(name, small, images)
        assert torch.equal(out.outcome == NATURAL_ERROR, first.outcome == NATURAL_ERROR)
        for position, epsilon in enumerate(SOME):
            here = (out.epsilon == epsilon).nonzero()[:, 0]
            if len(here):
                assert (run(name, small, images.take(here), (epsilon,)).outcome == FOOLED).all()
            if len(here) and position:
                before = run(name, small, images.take(here), (SOME[position - 1],))
                assert (before.outcome == FAILURE).all()
        assert (out.epsilon == first.epsilon).double().mean() > 0.7  # of all, natural errors and failures included

    def test_no_image_classified_correctly_is_no_error(self, name, small, images):
        assert (attacked(small, images.take(torch.arange(0, 48, 8)), name).outcome == NATURAL_ERROR).all()
        assert len(attacked(small, images.take(slice(0, 0)), name).images) == 0

    def test_other_parameters_are_heeded_and_unknown_ones_named(self, name, small, images):
        with pytest.raises(MistrustError, match=rf"no parameter 'stepps' of attack '{name}'"):
            attacked(small, images, name, parameters={"stepps": 3})
        for parameter in ATTACKS[name].parameters:
            with pytest.raises(MistrustError, match=f"{parameter} is -1, expected a number"):
                attacked(small, images, name, parameters={parameter: -1})
        if "steps" in ATTACKS[name].parameters:
            default, short = (attacked(small, images, name, SOME, parameters=p).images for p in (None, {"steps": 1}))
            assert not torch.equal(default, short)


def linear(weights, bias, classes):
    network = nn.Sequential(nn.Flatten(), nn.Linear(weights.shape[1], len(classes)))
    with torch.no_grad():
        network[1].weight.copy_(weights)
        network[1].bias.copy_(bias)
    return wrap(network, classes)


@pytest.mark.parametrize("lead", [1.0, 40.0, 300.0])
class TestClosedForm:
    """Two classes, a linear network: epsilon is lead / |w_a - w_b|_1 where no pixel reaches 0 or 1."""

    @pytest.fixture
    def known(self, lead):
        # w_b alone points another way than w_b - w_a: whoever loses sight of the label's own weights goes astray.
        weights = torch.tensor([[2.0, -3, 4, -1], [1, 1, 1, 1]]) * lead
        pixels = 0.5 + (random.uniform(0, "known", torch.arange(30), (1, 2, 2)) - 0.5) * 0.1
        difference = weights[0] - weights[1]
        bias = torch.tensor([-float(difference @ torch.full((4,), 0.5)) + 1.2 * lead, 0])
        leads = pixels.flatten(1) @ difference + bias[0]
        images = ImageSet("known", pixels, torch.zeros(30, dtype=torch.int64), torch.arange(30), ("a", "b"))
        assert (leads > 0).all()
        return linear(weights, bias, ("a", "b")), images, leads.double(), difference.double()

    @pytest.mark.parametrize("name", ["fgsm", "bim", "pgd"])
    def test_the_smallest_epsilon_is_found_however_sure_the_network_is(self, name, known, lead):
        classifier, images, leads, difference = known
        reach = torch.ones(30, 4, dtype=torch.float64)
        if name == "pgd":  # 40 steps of 1/30 go 4/3 of the way from the start, which need not reach the corner
            start = 2 * Draws(0, "attack/pgd", images.ids).uniform((1, 2, 2)).flatten(1).double() - 1
            reach = (4 / 3 - start * difference.sign()).clamp(max=1)
        truth = leads / (reach * difference.abs()).sum(1)
        grid = torch.linspace(0.0807, 0.4007, 81, dtype=torch.float64)
        out = attacked(classifier, images, name, grid.tolist(), search="bisection")
        expected = grid[torch.searchsorted(grid, truth)]
        assert len(expected.unique()) > 5
        assert (out.outcome == FOOLED).all()
        assert (out.epsilon == expected).all()

    def test_deepfool_oversteps_by_its_share(self, known, lead):
        classifier, images, leads, difference = known
        truth = leads / difference.abs().sum()
        out = attacked(classifier, images, "deepfool", (0.2, 0.3))
        assert (out.outcome == FOOLED).all()
        # Foolbox's addend of 1e-4 to each step is overshot too.
        assert (out.distance - 1.02 * (truth + 1e-4)).abs().max() < 1e-5

    def test_cross_entropy_in_float32_points_elsewhere_when_the_network_is_sure(self, known, lead):
        """Why the direction is not simply that of the loss: softmax - 1 is 0 from a lead of some 17 on."""
        classifier, images, *_ = known
        x = images.images.clone().requires_grad_()
        nn.functional.cross_entropy(classifier(x), images.labels, reduction="sum").backward()
        ours = ascent_direction(logits_of(classifier), images.images, images.labels)
        weights = classifier.module[1].weight
        assert torch.equal(ours, (weights[1] - weights[0]).sign().view(1, 1, 2, 2).expand_as(ours))
        assert torch.equal(ours, x.grad.sign()) == (lead == 1.0)


class TestCost:
    def test_gradients_do_not_grow_with_the_number_of_epsilons(self, small, images):
        network = small.module
        images = images.take(slice(1, 2))  # one that is classified correctly and that 1e-6 does not fool
        harmless = tuple(e * 1e-6 for e in SOME)

        def gradients(name, grid, search="ascending"):
            network.counted = 0
            attacked(small, images, name, grid, search=search)
            return network.counted

        assert gradients("fgsm", harmless) == gradients("fgsm", harmless[:1]) == 1
        assert gradients("deepfool", harmless) == gradients("deepfool", harmless[:1]) > 1
        assert gradients("bim", harmless[:1]) == 10
        assert gradients("bim", harmless) == 60
        assert gradients("pgd", harmless, "bisection") == 3 * 40

    def test_images_that_are_done_cost_nothing_more(self, small, images):
        seen = []
        handle = small.module.register_forward_hook(lambda _, given, __: seen.append(len(given[0])))
        out = attacked(small, images, "fgsm", SOME)
        handle.remove()
        left = [int(((out.epsilon >= e) | (out.outcome == FAILURE)).sum()) for e in SOME]
        assert seen == [48, 42, *left]

    def test_parameters_of_the_network_get_no_gradient(self, images):
        classifier = wrap(Small(), CLASSES)
        initialise(classifier.module, 1)
        attacked(classifier, images, "bim", SOME)
        assert all(p.grad is None for p in classifier.module.parameters())


class TestBadInput:
    def test_a_plain_callable_has_no_gradients(self, small, images):
        plain = wrap(lambda x: small(x), CLASSES)
        with pytest.raises(MistrustError, match="wraps a plain callable: it has no layers and no gradients"):
            attacked(plain, images, "fgsm")

    def test_a_network_that_cuts_its_gradient(self, small, images):
        class Cut(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = small.module

            def forward(self, x):
                return self.inner(x.detach())

        for name in ATTACKS:
            with pytest.raises(MistrustError, match=r"no gradient to follow. Remove \.detach"):
                attacked(wrap(Cut(), CLASSES), images, name)

    def test_a_network_in_training_mode(self, images):
        classifier = wrap(Small(), CLASSES)
        classifier.module.train()
        with pytest.raises(MistrustError, match=r"training mode.*classifier.module.eval\(\)"):
            attacked(classifier, images, "fgsm")

    def test_a_network_that_gives_nan(self, images):
        network = Small()
        nn.init.constant_(network.parts[0].weight, torch.nan)
        with pytest.raises(MistrustError, match="gave NaN or infinite outputs"):
            attacked(wrap(network, CLASSES), images, "fgsm")

    def test_a_gradient_that_is_nan(self):
        class Root(nn.Module):
            def forward(self, x):
                pixels = x.flatten(1)[:, :2]
                return (pixels - pixels).sqrt() + torch.tensor([3.0, 0.0])

        two = ImageSet("two", torch.full((2, 1, 1, 2), 0.5), torch.tensor([0, 0]), torch.arange(2), ("a", "b"))
        with pytest.raises(MistrustError, match="gradient with respect to the images is NaN or infinite"):
            attacked(wrap(Root(), ("a", "b")), two, "fgsm")

    @pytest.mark.parametrize(
        ("epsilons", "message"),
        [
            ((0.1, 0.05), r"Epsilons are \[0.1, 0.05\], expected one or more, ascending, above 0"),
            ((0.1, 0.1), "ascending, above 0"),
            ((0, 0.1), "named wrongly as they are count as natural errors anyway"),
            ((), r"Epsilons are \[\], expected one or more"),
            ((-0.1, 0.1), r"An epsilon is -0.1, expected a number in \[0, 1\]"),
            ((0.1, 8), r"An epsilon is 8, expected a number in \[0, 1\]"),
            ((float("nan"),), "An epsilon is nan"),
            (("much",), "An epsilon is 'much', expected a number"),
        ],
    )
    def test_epsilons(self, epsilons, message, small, images):
        with pytest.raises(MistrustError, match=message):
            attacked(small, images, "fgsm", epsilons)

    def test_names(self, small, images):
        with pytest.raises(MistrustError, match=r"no attack 'fgms'. Did you mean 'fgsm'\?"):
            attacked(small, images, "fgms")
        with pytest.raises(MistrustError, match=r"no search 'bisect'. Did you mean 'bisection'\?"):
            attacked(small, images, "fgsm", search="bisect")

    def test_other_classes_and_no_block(self, small, images):
        other = ImageSet("other", images.images, images.labels, images.ids, ("w", "x", "y", "z"))
        with pytest.raises(MistrustError, match=r"knows the classes .* the images of 'other' have"):
            attacked(small, other, "fgsm")
        with pytest.raises(MistrustError, match="block is 0, expected a number of at least 1"):
            attacked(small, images, "fgsm", block=0)


def test_the_grid_is_fine_where_the_published_one_is_not():
    steps = [b / a for a, b in pairwise(GRID)]
    assert max(steps) < 1.27
    assert (GRID[0], GRID[-1]) == (0.003, 0.3)
