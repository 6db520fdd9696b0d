import json
import signal
import time
from functools import partial

import killing
import pytest
import torch
from torch import nn

from mistrust.data import load
from mistrust.engine.threads import limited
from mistrust.errors import MistrustError
from mistrust.networks import (
    ARCHITECTURES,
    Plan,
    Recipe,
    initialise,
    layer_names,
    observe,
    parameter_count,
    save,
    train,
    trained,
    wrap,
)  # fmt: skip
from mistrust.networks import load as load_weights


@pytest.fixture(scope="module")
def digits():
    return load("digits", "train").take(torch.arange(200))


@pytest.fixture(scope="module")
def classifier(digits):
    weights = train(plan_of(digits), digits, Recipe(epochs=15, batch=20, momentum=0.9), 0, device="cpu")
    return plan_of(digits).classifier(weights, "digits")


# Long enough to be killed in the middle.
LONG = Recipe(epochs=180, momentum=0.9)


@pytest.fixture(scope="module")
def unbroken(digits):
    with limited(1):  # as the process that is killed: sums depend on it
        return train(plan_of(digits), digits, LONG, 0, device="cpu")


def plan_of(images):
    return Plan("mlm-cnn", tuple(images.images.shape[1:]), images.classes)


class TestArchitectures:
    def test_the_papers_network_has_its_size(self):
        # 144+16 + 4,608+32 + 200,704+128 + 1,280+10, counted from the paper's layers.
        assert parameter_count(ARCHITECTURES["mlm-cnn"].build(1, (28, 28), 10)) == 206_922

    @pytest.mark.parametrize("name", list(ARCHITECTURES))
    @pytest.mark.parametrize(("channels", "size"), [(1, (8, 8)), (3, (32, 32)), (1, (28, 28))])
    def test_every_entry_builds_and_answers(self, name, channels, size):
        network = ARCHITECTURES[name].build(channels, size, 5)
        assert network(torch.zeros(3, channels, *size)).shape == (3, 5)
        assert ARCHITECTURES[name].source

    def test_initial_weights_follow_torchs_default_and_the_seed(self):
        network = ARCHITECTURES["mlm-cnn"].build(1, (28, 28), 10)
        initialise(network, 3)
        first = network[7].weight.detach().clone()
        bound = 1568**-0.5
        assert first.abs().max() <= bound
        assert first.std().item() == pytest.approx(bound / 3**0.5, rel=0.01)
        initialise(network, 4)
        assert not torch.equal(first, network[7].weight)
        initialise(network, 3)
        assert torch.equal(first, network[7].weight)


class TestTraining:
    def test_a_seed_gives_equal_bits_and_another_does_not(self, digits):
        recipe = Recipe(epochs=2, momentum=0.9)
        first = train(plan_of(digits), digits, recipe, 0, device="cpu")
        torch.manual_seed(99)  # the global generator has no say
        again = train(plan_of(digits), digits, recipe, 0, device="cpu")
        other = train(plan_of(digits), digits, recipe, 1, device="cpu")
        assert all(torch.equal(first[name], again[name]) for name in first)
        assert not torch.equal(first["0.weight"], other["0.weight"])

    def test_it_is_plain_sgd_on_the_cross_entropy(self, digits):
        """One epoch of one batch: weights move by rate times the gradient that autograd gives for the same batch."""
        recipe = Recipe(epochs=1, batch=200, rate=0.1)
        network = plan_of(digits).build()
        initialise(network, 0)
        loss = nn.functional.cross_entropy(network((digits.floats() - 0.5) / 0.5), digits.labels)
        loss.backward()
        moved = train(plan_of(digits), digits, recipe, 0, device="cpu")
        for name, parameter in network.named_parameters():
            assert torch.allclose(moved[name], parameter - 0.1 * parameter.grad, atol=1e-6)

    def test_it_learns(self, digits, classifier):
        before = wrap_untrained(digits)
        assert observe(classifier, digits).correct.float().mean() > 0.5
        assert observe(before, digits).correct.float().mean() < 0.3

    def test_a_loss_that_is_no_number_stops_with_the_way_out(self, digits):
        with pytest.raises(MistrustError, match=r"in epoch \d+ of 3: the loss is .* try 1e\+10"):
            train(plan_of(digits), digits, Recipe(epochs=3, rate=1e11), 0, device="cpu")

    def test_an_unknown_device_and_architecture(self, digits):
        with pytest.raises(MistrustError, match="no device 'gpu'"):
            train(plan_of(digits), digits, Recipe(), 0, device="gpu")
        with pytest.raises(MistrustError, match="Did you mean 'mlm-cnn'"):
            trained("mlm-cn", digits, Recipe(), 0)

    def test_the_last_step_is_looked_at_as_well(self, digits):
        """In one batch no loss is computed behind the step: the weights are finite here, and the logits are not."""
        with pytest.raises(MistrustError, match=r"in epoch 1 of 1: the loss is nan\..* try 1e\+37"):
            trained("mlm-cnn", digits, Recipe(epochs=1, batch=200, rate=1e38), 0, device="cpu")

    def test_what_does_not_go_with_the_plan(self, digits):
        for plan, images, message in (
            (plan_of(digits), digits.take([]), "'digits' has no images to train on"),
            (
                Plan("mlm-cnn", (1, 8, 8), tuple("abc")),
                digits,
                r"3 classes \(a, b, c\), those of .* 10 classes \(0, 1, 2,",
            ),
            (
                Plan("mlm-cnn", (3, 8, 8), digits.classes),
                digits,
                r"shape \(3, 8, 8\) .* \(1, 8, 8\).* Take Plan\('mlm-cnn'",
            ),
        ):
            with pytest.raises(MistrustError, match=message):
                train(plan, images, Recipe(epochs=1), 0, device="cpu")

    def test_images_that_are_too_small(self, digits):
        with pytest.raises(MistrustError, match="'mlm-cnn' needs images of at least 4x4, these are 3x8"):
            Plan("mlm-cnn", (1, 3, 8), digits.classes).build()

    def test_torchs_own_generator_is_left_as_it_was(self, digits):
        before = torch.get_rng_state()
        train(plan_of(digits), digits, Recipe(epochs=1), 0, device="cpu")
        assert torch.equal(torch.get_rng_state(), before)

    @pytest.mark.whole
    @pytest.mark.parametrize("moment", [0.0, 0.05, 0.15])
    def test_killed_in_the_middle_it_goes_on_and_ends_where_an_unbroken_run_ends(self, digits, unbroken, house, moment):
        run = partial(trained, device="cpu")

        def begun():
            return any("content" in p.name or "safetensors" in p.name for p in (house / "store").rglob("*"))

        with killing.running(run, "mlm-cnn", digits, LONG, 0) as process:
            killing.until(lambda: begun() or process.exitcode is not None, 60)
            time.sleep(moment)
        assert process.exitcode == -signal.SIGKILL
        assert begun()
        with limited(1):
            went_on = run("mlm-cnn", digits, LONG, 0).module.state_dict()
        assert all(torch.equal(went_on[name], unbroken[name]) for name in unbroken)


def wrap_untrained(images, seed=0):
    network = plan_of(images).build()
    initialise(network, seed)
    return wrap(network, images.classes, mean=0.5, std=0.5)


class Dropped(nn.Module):
    def __init__(self):
        super().__init__()
        self.flat = nn.Flatten()
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(64, 10)
        initialise(self, 0)

    def forward(self, x):
        return self.head(self.drop(self.flat(x)))


class TestRecord:
    def test_blocks_equal_the_whole_and_order_does_not_matter(self, digits):
        dropped = wrap(Dropped(), digits.classes)
        options = dict(layers=["head", "drop"], samples=3, members=[wrap_untrained(digits, 1)])
        whole = observe(dropped, digits, block=10_000, **options)
        blocks = observe(dropped, digits, block=7, **options)
        order = torch.randperm(len(digits), generator=torch.Generator().manual_seed(0))
        shuffled = observe(dropped, digits.take(order), block=64, **options)
        for other, view in ((blocks, whole), (shuffled, whole.take(order))):
            assert torch.allclose(other.logits, view.logits, atol=1e-5)
            assert torch.allclose(other.samples, view.samples, atol=1e-5)
            assert torch.allclose(other.members, view.members, atol=1e-5)
            assert torch.allclose(other.layer("drop"), view.layer("drop"), atol=1e-5)
            assert torch.equal(other.ids, view.ids)
            assert torch.equal(other.labels, view.labels)

    def test_dropout_samples_have_the_mean_and_variance_of_dropout(self, digits):
        """Linear head: the mean of a sample is the plain logit, its variance (p / (1-p)) sum of (w x)^2."""
        few = digits.take(torch.arange(5))
        dropped = wrap(Dropped(), digits.classes)
        record = observe(dropped, few, samples=3000)
        x = few.floats().flatten(1)
        variance = (x**2) @ (dropped.module.head.weight.detach() ** 2).T
        assert torch.allclose(record.samples.mean(0), record.logits, atol=0.06)
        assert torch.allclose(record.samples.var(0), variance, rtol=0.15, atol=0.002)

    def test_what_is_missing_names_the_call_that_records_it(self, digits, classifier):
        record = observe(classifier, digits)
        with pytest.raises(MistrustError, match=r"holds no samples. Record them with observe\(.*samples=32"):
            record.need("samples")
        with pytest.raises(MistrustError, match=r"holds no members. .*members=\["):
            record.need("members")
        with pytest.raises(MistrustError, match=r'observe\(classifier, images, layers=\["3"\]\)'):
            record.layer("3")
        with pytest.raises(MistrustError, match="no dropout layer"):
            observe(classifier, digits, samples=2)
        with pytest.raises(MistrustError, match="no layer '99' of 'mlm-cnn'"):
            observe(classifier, digits, layers=["99"])
        assert "0" in layer_names(classifier)

    def test_a_layer_that_no_call_would_record_is_told_the_nearest(self, digits):
        record = observe(wrap(Dropped(), digits.classes), digits, layers=["head"])
        with pytest.raises(
            MistrustError, match=r"no layer 'haed' of '\w+'\. Did you mean 'head'\? Known: drop, flat, head\."
        ):
            record.layer("haed")
        plain = observe(wrap(lambda images: images.flatten(1)[:, :10], digits.classes), digits)
        with pytest.raises(MistrustError, match="holds no activations of layer 'haed'"):  # nobody knows its layers
            plain.layer("haed")

    def test_layers_are_what_the_network_computes(self, digits, classifier):
        record = observe(classifier, digits, layers=["7", "9", "7"])
        assert torch.equal(record.layer("9"), record.logits)
        assert record.layer("7").shape == (200, 128)
        assert record.probabilities.sum(1).numpy() == pytest.approx(1)


class InPlace(nn.Module):
    """What every residual network of torchvision does: a ReLU and a sum that write over what layers gave."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Linear(64, 6), nn.BatchNorm1d(6)
        self.relu, self.second, self.head = nn.ReLU(inplace=True), nn.Linear(6, 6), nn.Linear(6, 10)
        initialise(self, 0)

    def forward(self, x):
        h = self.relu(self.norm(self.first(x.flatten(1))))
        out = self.second(h)
        out += h
        return self.head(self.relu(out))


class Odd(nn.Module):
    """Layers that give a pair, rows of something else than images, one number per image; and one that does not run."""

    def __init__(self):
        super().__init__()
        self.pair, self.rows, self.sums = (Given(f) for f in (lambda x: (x, x), lambda x: x.T, lambda x: x.sum(1)))
        self.head, self.unused = nn.Linear(64, 10), nn.Linear(2, 2)

    def forward(self, x):
        x, _ = self.pair(x.flatten(1))
        self.rows(x)
        self.sums(x)
        return self.head(x)


class Given(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class TestObserve:
    @pytest.mark.parametrize("block", [7, 1000])
    def test_a_layers_output_is_kept_as_it_was_given_whatever_is_written_into_it(self, digits, block):
        network = InPlace()
        with torch.no_grad():
            network.norm(network.first(digits.floats().flatten(1)))  # averages of its own
            network.eval()
            normed = network.norm(network.first(digits.floats().flatten(1)))
            second = network.second(normed.relu())
        record = observe(wrap(network, digits.classes), digits, layers=["norm", "second", "relu"], block=block)
        assert normed.min() < 0
        assert second.min() < 0
        torch.testing.assert_close(record.layer("norm"), normed)
        torch.testing.assert_close(record.layer("second"), second)
        torch.testing.assert_close(record.layer("relu"), (second + normed.relu()).relu())  # the last time that it ran

    def test_one_can_learn_on_a_record(self, digits):
        network = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.Dropout(), nn.Linear(16, 10))
        ensemble = [wrap(nn.Sequential(nn.Flatten(), nn.Linear(64, 10)), digits.classes)]
        few = digits.take(range(20))
        record = observe(wrap(network, few.classes), few, layers=["1"], samples=2, members=ensemble)
        for values in (record.logits, record.layer("1"), record.samples, record.members):
            assert not values.requires_grad
            temperature = torch.ones((), requires_grad=True)  # as one scales by, and as a probe's weights are
            (values * temperature).square().sum().backward()
            assert temperature.grad > 0

    def test_layers_that_give_nothing_to_keep_are_named(self, digits):
        odd = wrap(Odd(), digits.classes, name="odd")
        for layer, message in (
            ("pair", "Layer 'pair' of 'odd' gives a tuple for 128 images, expected a tensor with one row per image"),
            ("rows", r"Layer 'rows' of 'odd' gives shape \(64, 128\) for 128 images"),
            ("unused", r"Layer 'unused' of 'odd' does not run .*: there is nothing to record\. Take another"),
        ):
            with pytest.raises(MistrustError, match=message):
                observe(odd, digits, layers=["head", layer])
        assert observe(odd, digits, layers=["sums"]).layer("sums").shape == (200,)

    def test_a_network_in_training_mode_is_refused_and_left_as_it_is(self, digits):
        network = InPlace()
        one, other = wrap(network, digits.classes), wrap(Dropped(), digits.classes, name="other")
        network.norm.train()
        averages = network.norm.running_mean.clone()
        with pytest.raises(MistrustError, match=r"'yours' is in training mode \(norm\).*classifier.module.eval\(\)"):
            observe(one, digits)
        other.module.train()
        with pytest.raises(
            MistrustError, match=r"'other' is in training mode \(the whole network, flat, drop and 1 more"
        ):
            observe(wrap_untrained(digits), digits, members=[other])
        assert torch.equal(network.norm.running_mean, averages)

    def test_outputs_that_are_not_finite_are_found_in_every_block_and_member(self, digits):
        def last(x):
            logits = x.flatten(1)[:, :10].clone()
            logits[-1] = torch.nan
            return logits

        bad, good = wrap(last, digits.classes, name="bad"), wrap_untrained(digits)
        for classifier, members in ((bad, []), (good, [wrap_untrained(digits, 1), bad])):
            with pytest.raises(MistrustError, match="'bad' gave NaN or infinite outputs"):
                observe(classifier, digits, members=members, block=150)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (dict(block=0), "block is 0, expected the number of images in one forward pass, at least 1"),
            (dict(block=2.5), "block is 2.5, expected"),
            (dict(block=True), "block is True, expected"),
            (dict(samples=-1), "samples is -1, expected the number of passes with dropout on, 0 for none"),
            (dict(samples=2.5), "samples is 2.5, expected"),
        ],
    )
    def test_numbers_that_are_none(self, digits, options, message):
        with pytest.raises(MistrustError, match=message):
            observe(wrap(Dropped(), digits.classes), digits, **options)

    def test_images_that_are_no_set(self, digits):
        with pytest.raises(
            MistrustError, match="Images are a Tensor, expected an ImageSet, whose ids key all that is dr"
        ):
            observe(wrap_untrained(digits), digits.images)


class TestWrap:
    def test_any_callable_will_do(self, digits):
        mean_grey = wrap(lambda x: torch.stack([x.mean((1, 2, 3)), -x.mean((1, 2, 3))], 1), ["light", "dark"])
        assert mean_grey(torch.ones(4, 1, 8, 8)).tolist() == [[1, -1]] * 4
        with pytest.raises(MistrustError, match="plain callable: it has no layers"):
            mean_grey.module  # noqa: B018

    def test_probabilities_are_recognised_and_can_be_said(self):
        def softmax(x):
            return torch.stack([x.mean((1, 2, 3)), 1 - x.mean((1, 2, 3))], 1)

        with pytest.raises(MistrustError, match=r'seems to give probabilities.*outputs="probabilities"'):
            wrap(softmax, ["a", "b"])(torch.rand(5, 1, 2, 2))
        said = wrap(softmax, ["a", "b"], outputs="probabilities")
        assert said(torch.full((2, 1, 2, 2), 0.25)).softmax(1).tolist()[0] == pytest.approx([0.25, 0.75])

    @pytest.mark.parametrize(
        ("images", "message"),
        [
            (torch.full((2, 1, 8, 8), 255.0), r"range from 255 to 255, expected \[0, 1\]"),
            (torch.full((2, 1, 8, 8), torch.nan), r"range from nan .* NaN or infinite in 2 of 2 images, first"),
            (torch.full((2, 1, 8, 8), 1.0000005), r"4.77e-07 above 1: images.clamp\(0, 1\)"),
            (torch.zeros(8, 8), r"shape \(8, 8\), expected \(n, channels"),
        ],
    )
    def test_images_of_another_range_or_shape(self, digits, images, message):
        with pytest.raises(MistrustError, match=message):
            wrap_untrained(digits)(images)

    def test_wrong_classes(self, digits):
        with pytest.raises(MistrustError, match="at least two classes with different names"):
            wrap(Dropped(), ["a", "a"])
        with pytest.raises(MistrustError, match=r"gave an output of shape \(2, 10\), expected \(2, 3\)"):
            wrap(Dropped(), ["a", "b", "c"])(torch.zeros(2, 1, 8, 8))
        with pytest.raises(MistrustError, match="knows the classes"):
            observe(wrap(Dropped(), list("abcdefghij")), digits)
        with pytest.raises(MistrustError, match="NaN or infinite"):
            observe(wrap(lambda x: torch.full((len(x), 10), torch.nan), digits.classes), digits)


class TestWeights:
    def test_a_round_trip_gives_the_same_logits(self, digits, classifier, tmp_path):
        save(plan_of(digits), classifier, tmp_path / "net.safetensors")
        again = load_weights(tmp_path / "net.safetensors")
        assert torch.equal(again(digits.images), classifier(digits.images))
        assert again.key == classifier.key
        save(plan_of(digits), again, str(tmp_path / "twice.safetensors"))
        assert (tmp_path / "net.safetensors").read_bytes() == (tmp_path / "twice.safetensors").read_bytes()

    def test_a_file_cut_short_or_of_another_kind(self, digits, classifier, tmp_path):
        from safetensors.torch import save_file

        path = tmp_path / "net.safetensors"
        save(plan_of(digits), classifier, path)
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(MistrustError, match="cannot be read as weights"):
            load_weights(path)
        save_file({"a": torch.zeros(1)}, path)
        with pytest.raises(MistrustError, match="does not say which architecture"):
            load_weights(path)
        with pytest.raises(MistrustError, match="cannot be read as weights"):
            load_weights(tmp_path / "absent")

    @pytest.mark.parametrize(
        ("said", "message"),
        [
            (lambda about: "{", "Expecting property name"),
            (lambda about: "[]", "list indices"),
            (lambda about: json.dumps({k: v for k, v in about.items() if k != "architecture"}), "lacks 'architecture'"),
            (lambda about: json.dumps({k: v for k, v in about.items() if k != "key"}), "lacks 'key'"),
            (lambda about: json.dumps({**about, "architecture": "mlm-cn"}), "Did you mean 'mlm-cnn'"),
            (lambda about: json.dumps({**about, "shape": [1, 8]}), r"shape is \(1, 8\), expected"),
            (lambda about: json.dumps({**about, "shape": None}), "not iterable"),
            (lambda about: json.dumps({**about, "shape": [1, 28, 28]}), "size mismatch"),
            (lambda about: json.dumps({**about, "classes": ["one", "two"]}), "size mismatch"),
        ],
    )
    def test_what_does_not_describe_its_weights_is_named(self, digits, classifier, tmp_path, said, message):
        from safetensors import safe_open
        from safetensors.torch import load_file, save_file

        path = tmp_path / "net.safetensors"
        save(plan_of(digits), classifier, path)
        with safe_open(path, framework="pt") as file:
            about = json.loads(file.metadata()["mistrust"])
        save_file(load_file(path), path, metadata={"mistrust": said(about)})
        with pytest.raises(MistrustError, match=f"{message}.*Train the network again") as caught:
            load_weights(path)
        assert str(caught.value).startswith(f"{path} is damaged, or its weights are not")

    def test_a_wrong_device_is_not_the_files_fault(self, digits, classifier, tmp_path):
        save(plan_of(digits), classifier, tmp_path / "net.safetensors")
        with pytest.raises(MistrustError, match=r"^There is no device 'gpu'"):
            load_weights(tmp_path / "net.safetensors", "gpu")


def test_channels_last_changes_nothing_but_rounding(digits):
    plan = plan_of(digits)
    last, first = plan.build(), ARCHITECTURES["mlm-cnn"].build(1, (8, 8), 10)
    initialise(last, 0)
    initialise(first, 0)
    assert last[3].weight.is_contiguous(memory_format=torch.channels_last)
    with torch.no_grad():
        assert torch.allclose(last(digits.floats()), first(digits.floats()), atol=1e-5)


def test_what_this_house_leans_on_in_torch():
    """Dropout in evaluation mode passes its input through: `observe` puts its keyed masks there."""
    layer = nn.Dropout(0.5).eval()
    x = torch.rand(10)
    assert torch.equal(layer(x), x)
