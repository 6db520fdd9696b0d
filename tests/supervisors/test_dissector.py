"""Dissector: support values by hand, sub-models against plain autograd, streaming against a record that holds all."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from mistrust import random, store
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import INITIALS, observe, wrap
from mistrust.store import Scratch
from mistrust.supervisors.dissector import Dissector, layer_weights, support, validity
from mistrust.supervisors.streaming import LayerRows
from mistrust.supervisors.submodels import SubRecipe, train_submodels

Q = torch.tensor([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.7, 0.2, 0.1]], dtype=torch.float64)
LAYERS = ("conv", "relu", "flat")
FEW = SubRecipe(epochs=6, batch=8, rate=0.05)


def classifier(seed=0, classes=3):
    """A small network with drawn weights that takes images of any size down to 4 numbers."""
    net = nn.Sequential()
    net.add_module("conv", nn.Conv2d(1, 4, 3, padding=1))
    net.add_module("relu", nn.ReLU())
    net.add_module("pool", nn.AdaptiveAvgPool2d(1))
    net.add_module("flat", nn.Flatten())
    net.add_module("head", nn.Linear(4, classes))
    for name, values in net.named_parameters():
        with torch.no_grad():
            values.copy_(torch.from_numpy(random.generator(seed, name).standard_normal(tuple(values.shape))))
    return wrap(net, [f"class {c}" for c in range(classes)])


def images(n=40, side=6, classes=3, start=0):
    ids = torch.arange(start, start + n)
    labels = ids % classes
    pixels = (random.uniform(0, "images", ids, (1, side, side)) + labels.view(-1, 1, 1, 1)) / (classes + 1)
    return ImageSet("drawn", pixels, labels, ids, tuple(f"class {c}" for c in range(classes)))


@pytest.fixture(scope="module")
def network():
    return classifier()


def quick(**parameters):
    return Dissector(**{"epochs": 4, "batch": 8, "rate": 0.05, **parameters})


def counted(network):
    """Images that have passed through the network, in a list that grows."""
    seen = []
    network.module.register_forward_hook(lambda _, given, __: seen.append(len(given[0])))
    return seen


def test_support_and_validity_by_hand():
    """Worked out in facts on the paper, section 11: y = 0 and these four sub-models."""
    found = support(Q.log()[:, None], torch.tensor([0]))
    assert found[:, 0].tolist() == pytest.approx([2 / 3, 2 / 7, 1 / 9, 7 / 9], abs=1e-14)
    assert validity(found, layer_weights(4)).item() == pytest.approx(0.4682539683, abs=1e-10)
    assert validity(found, layer_weights(4, first=0)).item() == pytest.approx(0.4735449735, abs=1e-10)


def test_support_is_what_the_paper_defines_by_cases():
    logits = random.normal(0, "logits", torch.arange(60), (5,)).double() * 3
    predicted = torch.arange(60) % 5
    expected = []
    for q, y in zip(logits.softmax(1).tolist(), predicted.tolist(), strict=True):
        top = int(np.argmax(q))
        expected.append(q[y] / (q[y] + sorted(q)[-2]) if top == y else 1 - q[top] / (q[top] + q[y]))
    assert support(logits, predicted).tolist() == pytest.approx(expected, abs=1e-13)
    assert len({top == y for top, y in zip(logits.argmax(1).tolist(), predicted.tolist(), strict=True)}) == 2


def test_support_of_a_sub_model_that_is_quite_sure_is_a_number():
    logits = torch.tensor([[2000.0, 0.0], [0.0, 2000.0], [7.0, 7.0]], dtype=torch.float64)
    assert support(logits, torch.zeros(3, dtype=torch.int64)).tolist() == [1.0, 0.0, 0.5]


def test_weights_grow_as_they_are_told():
    assert layer_weights(4, first=0).tolist() == [0, 1, 2, 3]
    assert layer_weights(3, "logarithmic").tolist() == pytest.approx([0, np.log(2), np.log(3)])
    assert layer_weights(2, "exponential").tolist() == pytest.approx([np.e, np.e**2])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (dict(count=1, first=0), r"linear growth over 1 layers numbered from 0 gives the weights \[0.0\]"),
        (dict(count=1, growth="logarithmic"), "expected some above 0 and none below"),
        (dict(count=2, growth="logarithmic", first=0), r"the weights \[nan, 0.0\]"),
        (dict(count=3, first=-1), "numbered from -1"),
        (dict(count=2, growth="linar"), "There is no growth of Dissector's weights 'linar'. Did you mean 'linear'"),
    ],
)
def test_weights_that_say_nothing_are_refused(parameters, message):
    with pytest.raises(MistrustError, match=message):
        layer_weights(**parameters)


# Training


def rows(n=43):
    x = {"a": random.normal(1, "a", torch.arange(n), (6,)), "b": random.normal(1, "b", torch.arange(n), (3,))}
    return x, (x["a"][:, :3] + 0.5 * x["b"]).argmax(1)


def trained(x, labels, recipe, **options):
    sizes = {name: values.shape[1] for name, values in x.items()}
    return train_submodels(lambda r, names: {name: x[name][r] for name in names}, sizes, labels, 3, recipe, **options)


def plain(name, x, labels, recipe, seed=0):
    """One sub-model by autograd, stopped as Keras stops; with the number of its epochs."""
    width = INITIALS["keras"](torch.empty(3, x.shape[1]))[0]
    draw = random.generator(seed, f"dissector/init/{name}").uniform(-width, width, (3, x.shape[1]))
    weight, bias = torch.tensor(draw, dtype=torch.float32, requires_grad=True), torch.zeros(3, requires_grad=True)
    optimiser = torch.optim.Adam([weight, bias], lr=recipe.rate, eps=1e-7)
    best, wait = np.inf, 0
    for epoch in range(recipe.epochs):
        total = 0.0
        for some in random.permutation(seed, f"dissector/order/{epoch}", len(x)).split(recipe.batch):
            loss = functional.cross_entropy(x[some] @ weight.T + bias, labels[some])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item() * len(some)
        wait = 0 if total < best else wait + 1
        best = min(best, total)
        if wait >= recipe.patience:
            return weight.detach(), bias.detach(), epoch + 1
    return weight.detach(), bias.detach(), recipe.epochs


def test_sub_models_are_what_autograd_and_early_stopping_give():
    x, labels = rows()
    recipe = SubRecipe(epochs=40, batch=8, rate=0.9, patience=2)
    found = trained(x, labels, recipe)
    epochs = []
    for index, name in enumerate(x):
        weight, bias, took = plain(name, x[name], labels, recipe)
        torch.testing.assert_close(found[f"{index}/weight"], weight, rtol=1e-3, atol=1e-4)
        torch.testing.assert_close(found[f"{index}/bias"], bias, rtol=1e-3, atol=1e-4)
        epochs.append(took)
    assert epochs[0] != epochs[1]  # each on its own
    assert max(epochs) < 40


def test_a_sub_model_does_not_depend_on_its_neighbours_nor_on_the_block():
    x, labels = rows()
    together = trained(x, labels, FEW)
    alone = trained({"b": x["b"]}, labels, FEW)
    assert torch.equal(together["1/weight"], alone["0/weight"])
    for block in (1, 8, 17, 1000):
        again = trained(x, labels, FEW, block=block)
        assert all(torch.equal(again[name], together[name]) for name in together)
    assert not torch.equal(trained(x, labels, FEW, seed=1)["0/weight"], together["0/weight"])


@pytest.mark.parametrize("call", [1, 2, 5])
def test_training_goes_on_where_it_was_killed(call):
    x, labels = rows()
    recipe, scratch = SubRecipe(epochs=12, batch=8, rate=0.9, patience=2), Scratch(None)

    def run(scratch=None, broken=0):
        """What is learnt, and how often rows were asked for: once an epoch."""
        calls = []

        def read(r, names):
            calls.append(len(r))
            if len(calls) == broken:
                raise KeyboardInterrupt
            return {name: x[name][r] for name in names}

        return train_submodels(read, {"a": 6, "b": 3}, labels, 3, recipe, scratch=scratch), len(calls)

    with pytest.raises(KeyboardInterrupt):
        run(scratch, broken=call)
    (resumed, again), (whole, epochs) = run(scratch), run()
    assert all(torch.equal(resumed[name], whole[name]) for name in whole)
    assert again == epochs - (call - 1)  # whole epochs are not done twice


def test_rows_that_are_held_out_are_the_last_and_teach_nothing():
    x, labels = rows()
    other = labels.clone()
    other[-5:] = (other[-5:] + 1) % 3
    held = replace(FEW, held_out=0.1)  # Keras keeps int(43 * 0.9) = 38
    first, second = trained(x, labels, held), trained(x, other, held)
    assert torch.equal(first["0/weight"], second["0/weight"])
    assert not torch.equal(trained(x, other, FEW)["0/weight"], trained(x, labels, FEW)["0/weight"])


def test_training_says_what_went_wrong():
    x, labels = rows()
    with pytest.raises(MistrustError, match=r"sub-model of layer 'a' stopped in epoch 1: its loss is (nan|inf)"):
        trained({"a": x["a"] * 1e30}, labels, replace(FEW, rate=1e20))
    with pytest.raises(MistrustError, match=r"Of 1 images, holding out 0.5 leaves none"):
        trained({"a": x["a"][:1]}, labels[:1], replace(FEW, held_out=0.5))
    with pytest.raises(MistrustError, match="held out is 1"):
        SubRecipe(held_out=1)
    with pytest.raises(MistrustError, match="Dissector: patience is 0, expected a number of at least 1"):
        Dissector(patience=0)
    with pytest.raises(MistrustError, match="Dissector: rate is 0, expected a number above 0"):
        Dissector(rate=0)


# The supervisor


def test_streamed_layers_score_as_recorded_ones(network):
    held, bare = (observe(network, images(), layers=layers) for layers in (LAYERS, ()))
    seen = images(20, start=500)
    expected = quick().fit(held).score(observe(network, seen, layers=LAYERS))
    assert expected.min() >= -1
    assert expected.max() <= 0
    assert expected.std() > 0.01
    mixed = observe(network, images(), layers=["relu"])
    for record in (bare, mixed):
        for memory in (0, 2**20):
            one = quick(layers=LAYERS, memory=memory).fit(record)
            assert one.fitted.layers == LAYERS
            for layers in (LAYERS, ()):
                found = one.score(observe(network, seen, layers=layers))
                torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-5)
    assert sorted(one.fitted.state) == ["0/bias", "0/weight", "1/bias", "1/weight", "2/bias", "2/weight"]


def test_scores_are_the_weighted_supports_of_its_sub_models(network):
    record = observe(network, images(), layers=LAYERS)
    one = quick(growth="exponential").fit(record)
    q = []
    for index, name in enumerate(LAYERS):
        weight, bias = (one.fitted.state[f"{index}/{part}"].double() for part in ("weight", "bias"))
        q.append((record.layer(name).flatten(1).double() @ weight.T + bias).softmax(1))
    expected = []
    for i, y in enumerate(record.predicted.tolist()):
        others = [max(float(p[i, c]) for c in range(3) if c != y) for p in q]
        values = [float(p[i, y]) / (float(p[i, y]) + other) for p, other in zip(q, others, strict=True)]
        expected.append(-np.average(values, weights=np.exp([1, 2, 3])))
    assert one.score(record).tolist() == pytest.approx(expected, abs=1e-12)


def test_layers_that_fit_into_memory_are_computed_once():
    network = classifier(1)
    record = observe(network, images())
    seen = counted(network)
    quick(layers=LAYERS, memory=0).fit(record)
    assert sum(seen) == 1 + 4 * 40  # one image for the sizes, then every epoch
    seen.clear()
    quick(layers=LAYERS, seed=1).fit(record)
    assert sum(seen) == 1 + 40
    seen.clear()
    quick(layers=LAYERS, seed=1).fit(record)  # from the store
    assert sum(seen) == 1
    quick(layers=LAYERS, seed=1, growth="exponential", first=0).fit(record)  # the weights are no part of fitting
    assert len(store.entries()) == 2


def test_what_a_held_layer_contains_is_part_of_what_is_kept(network):
    record = observe(network, images(), layers=["flat"])
    first = quick().fit(record).fitted.state
    other = replace(record, activations={"flat": record.layer("flat") + 1})
    assert not torch.equal(quick().fit(other).fitted.state["0/weight"], first["0/weight"])


def test_what_is_kept_belongs_to_one_classifier_and_one_set():
    first, *others = (
        quick(layers="conv").fit(observe(network, found)).fitted.state["0/weight"]
        for network, found in ((classifier(), images()), (classifier(2), images()), (classifier(), images(start=40)))
    )
    assert not any(torch.equal(first, other) for other in others)


@pytest.mark.parametrize("key", [None, "given"])
def test_a_network_that_was_trained_further_is_another(key):
    network = wrap(classifier().module, images().classes, key=key)
    record = observe(network, images())
    first = quick(layers="conv").fit(record).fitted.state["0/weight"]
    before = {name: values.clone() for name, values in network.module.state_dict().items()}
    with torch.no_grad():
        network.module.conv.weight.normal_(generator=torch.Generator().manual_seed(0))
    assert not torch.equal(quick(layers="conv").fit(record).fitted.state["0/weight"], first)
    network.module.load_state_dict(before)
    calls = counted(network)
    assert torch.equal(quick(layers="conv").fit(record).fitted.state["0/weight"], first)
    assert sum(calls) == 1  # the image that tells the sizes: what was kept of these weights is there


def test_one_image_and_one_class_are_enough(network):
    seen = observe(network, images(9, start=900), layers=LAYERS)
    alone = quick().fit(observe(network, images(1), layers=LAYERS)).score(seen)
    same = images(30).take(torch.arange(0, 30, 3))
    assert same.labels.unique().tolist() == [0]
    for found in (alone, quick().fit(observe(network, same, layers=LAYERS)).score(seen)):
        assert torch.isfinite(found).all()
    assert torch.equal(quick(layers=LAYERS[0]).fit(seen).score(seen.take(torch.arange(0))), torch.empty(0).double())


class Gated(nn.Module):
    """A hidden layer that may be infinite while the outputs are not, and one that is never called."""

    def __init__(self):
        super().__init__()
        self.gate, self.idle, self.head = nn.Sigmoid(), nn.ReLU(), nn.Linear(16, 3)
        self.wide = nn.Linear(16, 16)
        nn.init.constant_(self.wide.weight, 1e38)
        nn.init.constant_(self.wide.bias, 1e38)

    def forward(self, x):
        return self.head(self.gate(self.wide(x.flatten(1) + 100)))


def test_a_layer_that_is_not_finite_is_named():
    record = observe(wrap(Gated(), ["class 0", "class 1", "class 2"], key="gated"), images(8, 4))
    with pytest.raises(MistrustError, match="Dissector: layer 'wide' holds 16 numbers of 16 that are NaN or infinite"):
        quick(layers=("gate", "wide")).fit(record)


def test_layers_that_cannot_be_had_are_refused(network):
    record = observe(network, images())
    with pytest.raises(MistrustError, match=r'none are named. Name them: layers=\("FIRST", "SECOND"\), .* observe\('):
        quick().fit(record)
    with pytest.raises(MistrustError, match=r"no layer 'rellu' of 'yours'. Did you mean 'relu'\?"):
        quick(layers=("conv", "rellu")).fit(record)
    plain = wrap(lambda x: x.flatten(1)[:, :3] - 0.5, network.classes)
    with pytest.raises(MistrustError, match="wraps a plain callable: it has no layers"):
        quick(layers=("conv",)).fit(observe(plain, images()))
    idle = wrap(Gated(), network.classes, key="idle")
    with pytest.raises(MistrustError, match="Layer 'idle' of 'yours' gave no output: the network does not call it"):
        quick(layers=("idle",)).fit(observe(idle, images(8, 4)))
    with pytest.raises(MistrustError, match="linear growth over 1 layers numbered from 0"):
        quick(layers=("conv",), first=0).fit(record)


@pytest.mark.parametrize("layers", [LAYERS, ()])
def test_images_of_another_size_are_refused(network, layers):
    one = quick(layers=LAYERS).fit(observe(network, images()))
    other = observe(network, images(side=5), layers=layers)
    message = "layer 'conv' gives 100 numbers per image, and its sub-model was fitted on 144. Score images of the size"
    with pytest.raises(MistrustError, match=message):
        one.score(other)


def test_rows_come_in_the_order_in_which_they_are_asked_for(network):
    record = observe(network, images(), layers=LAYERS)
    order = torch.tensor([7, 3, 3, 39])
    for source in (record, observe(network, images())):
        found = LayerRows(source, LAYERS, "test")(order, ["flat", "conv"])
        assert list(found) == ["flat", "conv"]
        torch.testing.assert_close(found["conv"], record.layer("conv")[order].flatten(1), rtol=1e-5, atol=1e-6)


class _Odd(nn.Module):
    """A layer that gives a pair, and one whose first axis is not the image."""

    def __init__(self):
        super().__init__()
        self.rows, self.pair, self.turned = nn.Flatten(2), nn.LSTM(36, 3, batch_first=True), nn.Identity()

    def forward(self, x):
        return self.turned(self.pair(self.rows(x))[0].permute(1, 0, 2))[0]


@pytest.mark.parametrize(("layer", "given"), [("pair", "a tuple"), ("turned", r"shape \(1, 40, 3\)")])
def test_layers_without_a_row_an_image_are_told_as_by_observe(layer, given):
    some = images()
    odd = wrap(_Odd(), some.classes)
    record = observe(odd, some)
    message = rf"Layer '{layer}' of 'yours' gives {given} for \d+ images, expected a tensor with one row per image"
    with pytest.raises(MistrustError, match=message):
        observe(odd, some, layers=[layer])
    with pytest.raises(MistrustError, match=message):
        quick(layers=(layer,)).fit(record)
