"""The head: found, checked against the record, and the layer to record named where another was given."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES, initialise, observe, wrap
from mistrust.supervisors import make_supervisor
from mistrust.supervisors.head import Head, feature_layer, find_head, layers_before, read_head
from mistrust.supervisors.made_up import made_up

OF_HEAD = ("vim", "react", "ash")


def images(n=6, channels=1, side=28, classes=3):
    draw = torch.Generator().manual_seed(0)
    names = tuple(f"class {c}" for c in range(classes))
    pixels = torch.rand(n, channels, side, side, generator=draw)
    return ImageSet("some", pixels, torch.arange(n) % classes, torch.arange(n), names)


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("ambiguess-conv", "flatten"),
        ("ambiguess-fc", "dense3"),
        ("ambiguess-fc-relu", "relu3"),
        ("densenet-se", "pooled"),
    ],
)
def test_the_layer_to_record_is_named_and_is_right(name, layer):
    some = images()
    classifier = wrap(ARCHITECTURES[name].build(1, (28, 28), 3), some.classes, name=name)
    bare = observe(classifier, some)
    with pytest.raises(MistrustError, match=rf"holds no layer\. Record it with .*layers=\[\"{layer}\"\]"):
        make_supervisor("react").fit(bare)
    assert feature_layer(bare) == layer
    record = observe(classifier, some, layers=[layer])
    head = read_head(record, layer, "ReAct")
    torch.testing.assert_close(
        head.logits(record.layer(layer).flatten(1)), record.logits.double(), rtol=1e-4, atol=1e-5
    )
    assert bool(make_supervisor("react").fit(record).score(record).isfinite().all())


def test_maps_and_dropouts_in_front_of_the_head_will_do_too():
    some = images()
    classifier = wrap(ARCHITECTURES["ambiguess-conv"].build(1, (28, 28), 3), some.classes)
    record = observe(classifier, some, layers=["pool2", "flatten", "dropout"])
    assert layers_before(record, "logits") == ["pool2", "flatten", "dropout"]
    scores = [make_supervisor("react", layer=layer).fit(record).score(record) for layer in record.activations]
    assert torch.equal(scores[0], scores[1])
    assert torch.equal(scores[1], scores[2])


@pytest.mark.parametrize("name", OF_HEAD)
def test_another_layer_is_refused(name):
    some = images()
    classifier = wrap(ARCHITECTURES["ambiguess-fc-relu"].build(1, (28, 28), 3), some.classes)
    record = observe(classifier, some, layers=["dense3", "relu2", "relu3"])
    with pytest.raises(MistrustError, match=r"layer 'relu2' gives 512.*layers=\[\"relu3\"\].*name it: layer=\"relu3\""):
        make_supervisor(name, layer="relu2").fit(record)
    with pytest.raises(MistrustError, match=r"'logits' gets, 64 numbers per image; layer 'dense3' gives 64.*relu3"):
        make_supervisor(name, layer="dense3").fit(record)
    with pytest.raises(MistrustError, match=r"holds dense3, relu2, relu3\. Record it with .*layer=\"relu3\""):
        make_supervisor(name).fit(record)
    with pytest.raises(MistrustError, match=r"no activations of layer 'relu1'.*layers=\[\"relu1\"\]"):
        make_supervisor(name, layer="relu1").fit(record)


@pytest.mark.parametrize("name", OF_HEAD)
def test_a_plain_callable_is_refused(name):
    found, one = made_up(), make_supervisor(name)
    record = found.record(one, found.training)
    module = found.classifier.module
    plain = replace(record, classifier=replace(found.classifier, network=lambda x: module(x)))
    with pytest.raises(MistrustError, match=r"wraps a plain callable.*Wrap a torch\.nn\.Module"):
        one.fit(plain)
    # Scoring needs no network: what it needs of it was kept.
    assert torch.equal(one.fit(record).score(plain), one.score(record))


def test_a_network_without_a_last_linear_layer_is_refused():
    some = images(side=4)
    network = nn.Sequential(nn.Conv2d(1, 3, 4), nn.Flatten(), nn.Linear(3, 5), nn.Linear(5, 7), nn.Unflatten(1, (7, 1)))
    classifier = wrap(nn.Sequential(network, nn.Flatten(), nn.AdaptiveAvgPool1d(3)), some.classes, name="odd")
    with pytest.raises(
        MistrustError, match=r"Classifier 'odd' has no linear layer \(torch\.nn\.Linear\) with 3 outputs"
    ):
        make_supervisor("ash", layer="1").fit(observe(classifier, some, layers=["1"]))


def test_something_after_the_head_is_refused():
    some = images(side=4)
    network = nn.Sequential(nn.Flatten(), nn.Linear(16, 3), nn.Hardtanh(-0.1, 0.1))
    record = observe(wrap(network, some.classes), some, layers=["0"])
    with pytest.raises(
        MistrustError, match=r"'1' does not make the record's logits of layer '0'.*something comes after it"
    ):
        make_supervisor("react").fit(record)


def test_nothing_to_record_in_front_of_the_head():
    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3)
            self.last = nn.Linear(8, 3)

        def forward(self, x):
            return self.last(self.conv(x).flatten(1).relu())

    torch.manual_seed(0)  # weights by which conv gives negative numbers, too: else its output is just what `last` gets
    some = images(side=4)
    record = observe(wrap(Plain(), some.classes), some, layers=["conv"])
    with pytest.raises(MistrustError, match=r"put one, such as torch\.nn\.Flatten, in front of 'last'"):
        make_supervisor("react").fit(record)
    with pytest.raises(MistrustError, match="What does the last linear layer 'last' get"):
        feature_layer(record)


@pytest.mark.parametrize("name", OF_HEAD)
def test_a_record_of_another_network_is_refused(name):
    found, one = made_up(), make_supervisor(name)
    one.fit(found.record(one, found.training))
    other = replace(found, classifier=found.members[0]).record(one, found.nominal)
    with pytest.raises(MistrustError, match="was fitted on another network than that of this record"):
        one.score(other)
    # Also where nobody knows of which network it is.
    with pytest.raises(MistrustError, match=r"do not make this record's logits of layer 'dropped'.*another network"):
        one.score(replace(other, network=""))


@pytest.mark.parametrize("name", OF_HEAD)
def test_training_that_goes_on_is_seen(name):
    found, one = made_up(), make_supervisor(name)
    found.classifier.module.double()
    found = replace(found, classifier=replace(found.classifier, network=_Wide(found.classifier.module).eval()))
    record = observe(found.classifier, found.training, layers=["inside.dropped"])
    before = one.fit(record).score(record)
    with torch.no_grad():
        found.classifier.module.get_submodule("inside.head").weight.mul_(2)
    assert torch.equal(one.score(record), before)
    after = observe(found.classifier, found.training, layers=["inside.dropped"])
    for one_of in (after, replace(after, network="")):
        with pytest.raises(MistrustError, match=r"another network.*, or of the same after more training"):
            one.score(one_of)
    with pytest.raises(MistrustError, match="its weights have changed since: observe the images again"):
        one.fit(record)


class _Wide(nn.Module):
    """A network in float64."""

    def __init__(self, inside):
        super().__init__()
        self.inside = inside

    def forward(self, x):
        return self.inside(x.double())


@pytest.mark.parametrize("name", [*OF_HEAD, "knn", "relative_mahalanobis", "energy", "max_logit"])
def test_no_rows_no_scores(name):
    found, one = made_up(), make_supervisor(name)
    record = found.record(one, found.training)
    assert one.fit(record).score(record.take(torch.arange(0))).shape == (0,)


def test_the_last_of_several_linear_layers_counts_and_a_bias_is_not_needed():
    some = images(side=4)
    network = nn.Sequential(nn.Flatten(), nn.Linear(16, 3), nn.ReLU(), nn.Linear(3, 3, bias=False))
    classifier = wrap(network, some.classes)
    name, head = find_head(classifier)
    assert name == "3"
    assert torch.equal(head.bias, torch.zeros(3, dtype=torch.float64))
    record = observe(classifier, some, layers=["2"])
    assert bool(make_supervisor("react").fit(record).score(record).isfinite().all())


def test_a_layer_that_never_runs_is_not_the_head():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.flat, self.act, self.out = nn.Flatten(), nn.ReLU(), nn.Linear(16, 3)
            self.auxiliary = nn.Linear(16, 3)

        def forward(self, x):
            return self.out(self.act(self.flat(x)))

    some, network = images(side=4), Two()
    initialise(network, 0)
    classifier = wrap(network, some.classes)
    assert find_head(classifier)[0] == "auxiliary"  # nothing but the names is known
    assert find_head(classifier, some.images[:1])[0] == "out"
    record = observe(classifier, some, layers=["act"])
    for name in OF_HEAD:
        assert bool(make_supervisor(name, layer="act").fit(record).score(record).isfinite().all())


def test_what_rounding_may_do_is_allowed_and_a_wrong_class_is_not():
    draw = torch.Generator().manual_seed(1)
    head = Head(torch.randn(4, 1600, generator=draw).double(), torch.randn(4, generator=draw).double())
    features = torch.randn(20, 1600, generator=draw)
    logits = head.logits(features)
    short = features.bfloat16().double() @ head.weight.bfloat16().double().T + head.bias
    assert bool(head.gives(features, logits.float()).all())
    assert bool(head.gives(features, short).all())
    assert not bool(head.gives(features, logits.roll(1, 1)).any())
    assert bool(head.gives(torch.zeros(1, 1600), head.bias[None]).all())


def test_a_head_that_is_called_by_keyword():
    class Keyword(nn.Module):
        def __init__(self):
            super().__init__()
            self.flat, self.act, self.out = nn.Flatten(), nn.ReLU(), nn.Linear(16, 3)

        def forward(self, x):
            return self.out(input=self.act(self.flat(x) - 0.5))

    some = images(side=4)
    record = observe(wrap(Keyword(), some.classes), some, layers=["flat"])
    with pytest.raises(MistrustError, match=r"layers=\[\"act\"\]"):
        make_supervisor("react").fit(record)
    assert feature_layer(record) == "act"
