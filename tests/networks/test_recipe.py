"""Optimisers, held-out rows and soft labels."""

import json
from dataclasses import replace

import pytest
import torch
from torch.nn import functional

from mistrust import random
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.networks import (
    ARCHITECTURES,
    NETWORK,
    Plan,
    Recipe,
    initialise,
    network_spec,
    observe,
    one_hot,
    targets_checksum,
    train,
    trained,
)  # fmt: skip
from mistrust.networks.training import _sizes
from mistrust.store import Scratch, key

ADAM = Recipe(epochs=3, batch=32, rate=1e-3, optimiser="adam")


@pytest.fixture(scope="module")
def digits():
    return load("digits", "train").take(torch.arange(200))


def plan_of(images, architecture="mlm-cnn"):
    return Plan(architecture, tuple(images.images.shape[1:]), images.classes)


def soft_labels(images, share=0.7):
    """Most of it on the label, the rest on the class after it."""
    hard = one_hot(images)
    return share * hard + (1 - share) * hard.roll(1, 1)


class TestAdam:
    @pytest.mark.parametrize("decay", [0.0, 0.1])
    def test_it_is_adam_as_its_paper_writes_it(self, digits, decay):
        """Algorithm 1 of Kingma and Ba by hand, on the gradients that autograd gives, in the order of the seed."""
        recipe = Recipe(epochs=2, batch=64, rate=1e-3, optimiser="adam", epsilon=1e-3, decay=decay)
        network = plan_of(digits).build()
        initialise(network, 5)
        x = (digits.floats() - 0.5) / 0.5
        means = [torch.zeros_like(p) for p in network.parameters()]
        squares = [torch.zeros_like(p) for p in network.parameters()]
        step = 0
        for epoch in range(2):
            for batch in random.permutation(5, f"order/{epoch}", len(digits)).split(64):
                step += 1
                network.zero_grad()
                functional.cross_entropy(network(x[batch]), digits.labels[batch]).backward()
                for p, m, v in zip(network.parameters(), means, squares, strict=True):
                    gradient = p.grad + decay * p.detach()
                    m.mul_(0.9).add_(gradient, alpha=0.1)
                    v.mul_(0.999).add_(gradient**2, alpha=0.001)
                    p.data -= 1e-3 * (m / (1 - 0.9**step)) / ((v / (1 - 0.999**step)).sqrt() + 1e-3)
        found = train(plan_of(digits), digits, recipe, 5, device="cpu")
        for name, values in network.state_dict().items():
            assert torch.allclose(found[name], values, atol=2e-6)

    def test_epsilon_counts(self, digits):
        small = train(plan_of(digits), digits, ADAM, 0, device="cpu")
        large = train(plan_of(digits), digits, replace(ADAM, epsilon=0.1), 0, device="cpu")
        assert not torch.allclose(small["0.weight"], large["0.weight"], atol=1e-4)

    @pytest.mark.whole
    @pytest.mark.parametrize("architecture", ["mlm-cnn", "ambiguess-conv", "densenet-se"])
    @pytest.mark.parametrize("optimiser", ["adam", "sgd"])
    def test_stopped_after_an_epoch_it_goes_on_and_ends_where_an_unbroken_run_ends(
        self, digits, architecture, optimiser
    ):
        """Dropout, both of Adam's averages and batch normalisation's go on where they were, to the bit."""
        momentum = 0.9 if optimiser == "sgd" else 0.0
        recipe = replace(ADAM, optimiser=optimiser, momentum=momentum, validation=0.2)
        few = digits.take(torch.arange(100))
        plan, soft = plan_of(few, architecture), soft_labels(few)
        unbroken = train(plan, few, recipe, 0, targets=soft, device="cpu")

        class Stopping(Scratch):
            def save(self, tensors):
                super().save(tensors)
                if int(tensors["epoch"]) == 2:
                    raise KeyboardInterrupt

        scratch = Stopping(None)
        with pytest.raises(KeyboardInterrupt):
            train(plan, few, recipe, 0, targets=soft, device="cpu", scratch=scratch)
        went_on = train(plan, few, recipe, 0, targets=soft, device="cpu", scratch=scratch)
        assert all(torch.equal(went_on[name], unbroken[name]) for name in unbroken)

    def test_a_checkpoint_written_before_there_was_adam_is_gone_on_from(self, digits):
        """Its layout: network/NAME, momentum/INDEX, epoch."""
        recipe = Recipe(epochs=2, batch=50, momentum=0.9)
        plan = plan_of(digits)
        scratch = Scratch(None)
        unbroken = train(plan, digits, recipe, 0, device="cpu", scratch=scratch)
        kept = scratch.load()
        assert {name.partition("/")[0] for name in kept} == {"network", "momentum", "epoch"}
        again = train(plan, digits, recipe, 0, device="cpu", scratch=scratch)
        assert all(torch.equal(again[name], unbroken[name]) for name in unbroken)

    @pytest.mark.whole
    @pytest.mark.parametrize("architecture", ["ambiguess-conv", "ambiguess-fc", "ambiguess-fc-relu"])
    def test_the_new_networks_learn(self, digits, architecture):
        entry = ARCHITECTURES[architecture]
        recipe = replace(entry.recipe, epochs=25, batch=20)
        network = trained(architecture, digits, recipe, 0, device="cpu")
        assert observe(network, digits).correct.float().mean() > 0.85


class TestRecipes:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (dict(optimiser="adan"), "no optimiser 'adan'. Did you mean 'adam'"),
            (dict(validation_rows="first"), "no choice of validation rows 'first'.*last, shuffled"),
            (dict(schedule="fallin"), "no schedule of the learning rate 'fallin'. Did you mean 'falling'"),
            (dict(epsilon=0.0), "epsilon is 0.0, expected a positive number"),
            (dict(epsilon=float("nan")), "epsilon is nan"),
            (dict(validation=1.0), r"validation rows is 1.0, expected \[0, 1\)"),
            (dict(validation=float("nan")), "validation rows is nan"),
            (dict(optimiser="adam", momentum=0.9), "Momentum 0.9 belongs to 'sgd'"),
            (dict(epochs=0), "number of passes over the images, epochs, is 0, expected a whole number of at least 1"),
            (dict(epochs=1.5), "epochs, is 1.5, expected a whole number"),
            (dict(batch=0), "number of images a step, batch, is 0, expected a whole number of at least 1"),
            (dict(rate=0.0), "learning rate is 0.0, expected a positive number"),
            (dict(rate=float("nan")), "learning rate is nan"),
            (dict(rate=float("inf")), "learning rate is inf"),
            (dict(momentum=1.0), r"momentum is 1.0, expected \[0, 1\)"),
            (dict(decay=-1.0), r"weight decay is -1.0, expected 0 \(none\) or more"),
            (dict(decay=float("nan")), "weight decay is nan"),
        ],
    )
    def test_what_cannot_be(self, options, message):
        with pytest.raises(MistrustError, match=message):
            Recipe(**options)

    def test_keys_of_networks_made_before_are_as_they_were(self, digits):
        """Keys computed with the code before Adam and soft labels (commit bd44bbe)."""
        few = digits.take(torch.arange(20))
        old = Recipe(epochs=3, batch=2, rate=0.1, momentum=0.9, decay=1e-4, schedule="falling")
        assert key(NETWORK, network_spec("mlm-cnn", few, Recipe(), 7)) == "82750717902b07364d30"
        assert key(NETWORK, network_spec("mlm-cnn", few, old, 7)) == "0db55eeea3d2e770c3c5"

    def test_a_key_tells_what_counts_and_nothing_else(self, digits):
        def key_of(recipe, targets=None):
            return key(NETWORK, network_spec("mlm-cnn", digits, recipe, 0, targets))

        same = [Recipe(), Recipe(epsilon=1e-3), Recipe(validation_rows="last")]
        assert len({key_of(r) for r in same}) == 1
        other = [
            Recipe(),
            Recipe(optimiser="adam"),
            Recipe(optimiser="adam", epsilon=1e-8),
            Recipe(validation=0.1),
            Recipe(validation=0.1, validation_rows="last"),
        ]
        assert len({key_of(r) for r in other}) == 5
        soft = soft_labels(digits)
        changed = soft.clone()
        changed[3] = changed[3].flip(0)
        keys = {key_of(Recipe()), key_of(Recipe(), soft), key_of(Recipe(), changed)}
        assert len(keys) == 3
        assert key_of(Recipe(), soft.to(torch.float64)) in keys


class TestHeldOut:
    def test_the_last_tenth_is_keras_split(self):
        rows, held = replace(ADAM, validation=0.1, validation_rows="last").split(80_000, 3)
        assert (len(rows), len(held)) == (72_000, 8_000)
        assert torch.equal(torch.cat((rows, held)), torch.arange(80_000))

    def test_shuffled_is_drawn_from_the_seed(self):
        recipe = replace(ADAM, validation=0.1)
        rows, held = recipe.split(1000, 3)
        assert torch.equal(torch.cat((rows, held)).sort().values, torch.arange(1000))
        assert (len(rows), len(held)) == (900, 100)
        assert torch.equal(recipe.split(1000, 3)[1], held)
        assert not torch.equal(recipe.split(1000, 4)[1], held)
        # Uniform: mean of 100 of 0..999 without replacement, standard error 27.4.
        assert held.double().mean().item() == pytest.approx(499.5, abs=4 * 27.4)

    def test_without_it_every_image_is_trained_on(self):
        rows, held = ADAM.split(7, 0)
        assert rows.tolist() == list(range(7))
        assert len(held) == 0

    @pytest.mark.parametrize("rows", ["shuffled", "last"])
    def test_held_out_images_have_no_say(self, digits, rows):
        recipe = replace(ADAM, epochs=2, validation=0.3, validation_rows=rows)
        _, held = recipe.split(len(digits), 0)
        assert len(held) == 60
        pixels, soft = digits.floats().clone(), soft_labels(digits)
        first = train(plan_of(digits), digits, recipe, 0, targets=soft, device="cpu")
        pixels[held], soft[held] = 0.5, 0.1
        again = train(plan_of(digits), digits.with_images(pixels), recipe, 0, targets=soft, device="cpu")
        assert all(torch.equal(first[name], again[name]) for name in first)
        pixels[int(min(set(range(200)) - set(held.tolist())))] = 0.5
        third = train(plan_of(digits), digits.with_images(pixels), recipe, 0, targets=soft, device="cpu")
        assert not torch.equal(first["0.weight"], third["0.weight"])

    def test_none_left(self):
        with pytest.raises(MistrustError, match=r"Of 1 images, a validation share of 0.5 leaves none"):
            replace(ADAM, validation=0.5).split(1, 0)


class TestSoftLabels:
    def test_one_step_follows_the_gradient_of_the_cross_entropy_with_the_probabilities(self, digits):
        soft = soft_labels(digits)
        network = plan_of(digits).build()
        initialise(network, 0)
        logits = network((digits.floats() - 0.5) / 0.5)
        (-(soft * logits.log_softmax(1)).sum(1).mean()).backward()
        moved = train(plan_of(digits), digits, Recipe(1, 200, 0.1), 0, targets=soft, device="cpu")
        for name, parameter in network.named_parameters():
            assert torch.allclose(moved[name], parameter - 0.1 * parameter.grad, atol=1e-6)

    def test_hard_labels_written_as_soft_ones_give_the_same_network(self, digits):
        hard = train(plan_of(digits), digits, Recipe(epochs=2), 0, device="cpu")
        soft = train(plan_of(digits), digits, Recipe(epochs=2), 0, targets=one_hot(digits), device="cpu")
        assert all(torch.allclose(hard[name], soft[name], atol=1e-5) for name in hard)

    @pytest.mark.whole
    def test_rows_stay_with_their_images(self, digits):
        """The images' own labels are wrong on purpose: what is learnt can only come from the soft ones."""
        lying = ImageSet("lies", digits.images, (digits.labels + 1) % 10, digits.ids, digits.classes)
        recipe = replace(ARCHITECTURES["ambiguess-fc-relu"].recipe, epochs=15, batch=20)
        network = trained("ambiguess-fc-relu", lying, recipe, 0, targets=one_hot(digits), device="cpu")
        assert observe(network, digits).correct.float().mean() > 0.85

    @pytest.mark.whole
    def test_a_network_learns_the_probabilities_that_it_is_given(self):
        """One image of each of two kinds: the softmax goes to the label's probabilities."""
        pixels = torch.stack([torch.zeros(1, 8, 8), torch.ones(1, 8, 8)] * 8)
        pair = ImageSet("pair", pixels, torch.zeros(16, dtype=torch.int64), torch.arange(16), ("a", "b", "c"))
        soft = torch.tensor([[0.6, 0.4, 0.0], [0.25, 0.0, 0.75]] * 8)
        recipe = Recipe(epochs=100, batch=16, rate=3e-3, optimiser="adam")
        network = trained("mlm-cnn", pair, recipe, 0, targets=soft, device="cpu")
        assert torch.allclose(observe(network, pair).probabilities.float(), soft, atol=0.02)

    def test_another_store_key_and_the_checksum_in_the_entry(self, digits, house):
        soft = soft_labels(digits)
        recipe = replace(ADAM, epochs=1)
        hard, first = trained("mlm-cnn", digits, recipe, 0), trained("mlm-cnn", digits, recipe, 0, targets=soft)
        second = trained("mlm-cnn", digits, recipe, 0, targets=soft_labels(digits, 0.6))
        assert len({hard.key, first.key, second.key}) == 3
        entries = [json.loads(p.read_text()) for p in (house / "store").rglob("entry.json")]
        assert len(entries) == 3
        found = {entry["spec"].get("targets") for entry in entries}
        assert found == {None, targets_checksum(soft), targets_checksum(soft_labels(digits, 0.6))}

    def test_training_does_not_change_what_it_was_given(self, digits):
        soft = soft_labels(digits).to(torch.float64)
        before = soft.clone()
        train(plan_of(digits), digits, replace(ADAM, epochs=1), 0, targets=soft, device="cpu")
        assert torch.equal(soft, before)

    @pytest.mark.parametrize(
        ("targets", "message"),
        [
            (torch.full((200, 9), 1 / 9), r"torch.float32 \(200, 9\), expected floats of shape \(200, 10\)"),
            (torch.zeros(200, dtype=torch.int64), r"torch.int64 \(200,\), expected floats .*one_hot\(images\)"),
            (torch.zeros(200, 10, dtype=torch.int64), r"torch.int64 \(200, 10\)"),
            ([[0.1] * 10] * 200, "are list, expected floats"),
            (torch.full((200, 10), 0.2), "image 0 of 'digits' are .* sum 2; expected .*Divide each row by its sum"),
            (torch.full((200, 10), torch.nan), "sum nan"),
        ],
    )
    def test_what_are_no_probabilities(self, digits, targets, message):
        with pytest.raises(MistrustError, match=message):
            trained("mlm-cnn", digits, ADAM, 0, targets=targets)

    def test_a_negative_probability_is_named_with_its_image(self, digits):
        soft = soft_labels(digits)
        soft[17, :2] = torch.tensor([-0.5, 0.5])
        soft[17, 2:] = 0.125
        with pytest.raises(MistrustError, match=r"image 17 of 'digits' are \(-0.5, 0.5, 0.125"):
            train(plan_of(digits), digits, ADAM, 0, targets=soft)


class TestBatchNormalisation:
    def test_an_image_that_would_be_alone_joins_the_batch_before(self, digits):
        few = digits.take(torch.arange(21))
        weights = train(plan_of(few, "densenet-se"), few, replace(ADAM, epochs=1, batch=10), 0, device="cpu")
        assert int(weights["norm1.num_batches_tracked"]) == 2
        assert [_sizes(n, 10, True) for n in (1, 10, 20, 21, 22)] == [[1], [10], [10, 10], [10, 11], [10, 10, 2]]
        assert _sizes(21, 10, False) == [10, 10, 1]

    @pytest.mark.whole
    def test_it_learns(self, digits):
        """In training mode: Keras's slow averages reach the data's only after some hundred steps."""
        recipe = replace(ADAM, epochs=4, batch=20, rate=3e-3)
        network = trained("densenet-se", digits, recipe, 0, device="cpu").module.train()
        with torch.no_grad():
            hits = network(digits.floats()).argmax(1) == digits.labels
        assert hits.float().mean() > 0.7

    @pytest.mark.whole
    def test_averages_are_kept_and_used(self, digits):
        network = trained("densenet-se", digits, replace(ADAM, epochs=1), 0, device="cpu")
        norm = network.module.get_submodule("norm1")
        assert int(norm.num_batches_tracked) == 7
        assert not torch.equal(norm.running_var, torch.ones(16))
        alone = network(digits.images[:1])
        assert torch.allclose(alone, network(digits.images[:50])[:1], atol=1e-4)

    @pytest.mark.parametrize(("n", "batch"), [(1, 10), (5, 1)])
    def test_one_image_a_batch_cannot_be(self, digits, n, batch):
        few = digits.take(torch.arange(n))
        with pytest.raises(MistrustError, match=f"two images in a batch; here are {n} images in batches of {batch}"):
            train(plan_of(few, "densenet-se"), few, replace(ADAM, batch=batch), 0, device="cpu")
