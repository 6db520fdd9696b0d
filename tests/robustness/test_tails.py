"""Taking networks apart at a layer: what follows gives what the whole network gives, and only it runs again."""

import pytest
import torch
from torch import nn
from torchvision import models

from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES, initialise, layer_names, wrap
from mistrust.robustness.tails import CACHED, INPUT, SCALED_INPUT, WHOLE, find_tail

CLASSES = tuple("abcd")


def classifier_of(network, **options):
    """In float64, with averages that a fresh network does not have."""
    initialise(network, 0)
    draws = torch.Generator().manual_seed(0)
    for layer in network.modules():
        if isinstance(layer, nn.BatchNorm2d):
            for values in (layer.weight, layer.bias, layer.running_mean, layer.running_var):
                values.data.uniform_(0.5, 1.5, generator=draws)
    return wrap(network.double(), CLASSES, device="cpu", **options)


def pixels(n=3, size=12, channels=1):
    return torch.rand(n, channels, size, size, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def expected(classifier, layer, images, rows, factors):
    """The definition: the whole network, and a hook that multiplies the layer's last output."""
    module, seen = classifier.module.get_submodule(layer), []
    with torch.no_grad():
        handle = module.register_forward_hook(lambda m, i, o: seen.append(o))
        classifier.network(classifier.scaled(images[:1]))
        handle.remove()
        left = [len(seen)]

        def change(module, inputs, output):
            left[0] -= 1
            return output * factors if left[0] == 0 else output

        handle = module.register_forward_hook(change)
        logits = classifier.network(classifier.scaled(images[rows]))
        handle.remove()
    return logits


def compare(classifier, layer, images, path):
    tail = find_tail(classifier, layer, images[:2])
    assert tail.path == path, layer
    rows = torch.tensor([2, 0, 0, 1, 2])
    factors = 1 + torch.randn(5, *tail.shape, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    with torch.no_grad():
        rest = tail.cut(images)
        first, again = rest(rows, factors), rest(rows, factors)
    assert torch.equal(first, again), layer  # nothing that is kept was written into
    torch.testing.assert_close(first, expected(classifier, layer, images, rows, factors), rtol=1e-9, atol=1e-9)


@pytest.mark.whole
@pytest.mark.parametrize("name", ["mlm-cnn", "alexnet6-w16", "vgg6-w16", "resnet8-w8", "inception14-w8", "densenet-se"])
def test_every_layer_of_our_networks_has_a_cached_tail(name):
    classifier = classifier_of(ARCHITECTURES[name].build(1, (12, 12), 4), mean=0.5, std=0.5)
    names = layer_names(classifier)
    # Of long lists every few, and the last.
    for layer in [*names[:: 1 + len(names) // 12], names[-1]]:
        compare(classifier, layer, pixels(), CACHED)


@pytest.fixture(scope="module")
def resnet18():
    return classifier_of(models.resnet18(num_classes=4))


@pytest.mark.whole
@pytest.mark.parametrize(
    "layer",
    ["conv1", "layer1", "layer1.0.conv1", "layer2.0.downsample.1", "layer2.0.bn2", "layer3.1", "avgpool", "fc"],
)
def test_torchvisions_layers_go_by_torchvisions_names(resnet18, layer):
    """Its ReLUs write in place and its shortcuts are added in place: kept values must stay as they are."""
    compare(resnet18, layer, pixels(size=40, channels=3), CACHED)


@pytest.mark.whole
def test_a_layer_that_runs_twice_counts_the_last_time(resnet18):
    compare(resnet18, "layer1.0.relu", pixels(size=40, channels=3), CACHED)


class Odd(nn.Module):
    """What tracing cannot see through, and what it would see wrongly, by kind."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.scale = kind, nn.Parameter(torch.tensor([[0.5], [2.0], [1.5]]))
        self.inner = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU())
        self.unused, self.head = nn.Linear(2, 2), nn.Linear(300, 4)

    def forward(self, x):
        h = self.inner(x)
        if self.kind == "decides by values" and h.sum() > 1e9:
            return h
        if self.kind == "reads the batch's size":
            return self.head(h.view(x.size(0), -1))
        if self.kind == "scales by weights of its own":
            h = h * self.scale[..., None]
        if self.kind == "decides by shape" and x.shape[1] == 3:
            return h
        return self.head(h.flatten(1))


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("decides by values", WHOLE),
        ("decides by shape", WHOLE),
        ("reads the batch's size", WHOLE),
        ("scales by weights of its own", CACHED),
    ],
)
def test_networks_that_tracing_cannot_take_apart_run_whole_and_right(kind, path):
    compare(classifier_of(Odd(kind)), "inner.0", pixels(), path)


def test_what_the_layer_is_not_part_of_need_not_be_traceable():
    network = nn.Sequential(Odd("decides by values"), nn.ReLU(), nn.Linear(4, 4))
    compare(classifier_of(network), "1", pixels(), CACHED)
    compare(classifier_of(network), "0.inner", pixels(), WHOLE)


def test_a_network_with_a_hook_of_its_own_runs_whole():
    network = ARCHITECTURES["mlm-cnn"].build(1, (12, 12), 4)
    network.register_forward_hook(lambda module, inputs, output: 2 * output)
    compare(classifier_of(network), "2", pixels(), WHOLE)


def test_what_comes_before_runs_once():
    network = ARCHITECTURES["resnet8-w8"].build(1, (12, 12), 4)
    classifier = classifier_of(network)
    tail = find_tail(classifier, "stage2.0.body.2", pixels())
    rows = {"conv1": [], "stage2.0.shortcut.0": [], "stage2.0.body.3": []}
    for name, seen in rows.items():
        network.get_submodule(name).register_forward_hook(lambda m, i, o, seen=seen: seen.append(len(o)))
    rest = tail.cut(pixels(3))
    for _ in range(2):
        rest(torch.tensor([0, 1, 1, 2, 0]), torch.ones(5, *tail.shape, dtype=torch.float64))
    assert rows == {"conv1": [3], "stage2.0.shortcut.0": [3], "stage2.0.body.3": [5, 5]}


def test_the_input_is_an_image_or_what_the_network_sees_of_it():
    classifier = classifier_of(ARCHITECTURES["mlm-cnn"].build(1, (12, 12), 4), mean=0.5, std=0.25)
    images, rows = pixels(), torch.tensor([1, 1, 0])
    factors = torch.tensor([0.5, 2.0, -1.0], dtype=torch.float64).view(3, 1, 1, 1).expand(3, 1, 12, 12)
    for layer, seen in (
        (INPUT, (images[rows] * factors - 0.5) / 0.25),
        (SCALED_INPUT, (images[rows] - 0.5) / 0.25 * factors),
    ):
        tail = find_tail(classifier, layer, images)
        assert (tail.shape, tail.path) == ((1, 12, 12), WHOLE)
        torch.testing.assert_close(tail.cut(images)(rows, factors), classifier.network(seen))


def test_probabilities_become_logits():
    network = nn.Sequential(nn.Flatten(), nn.Linear(144, 4), nn.Softmax(1))
    classifier = classifier_of(network, outputs="probabilities")
    for layer in ("1", INPUT, SCALED_INPUT):
        tail = find_tail(classifier, layer, pixels())
        logits = tail.cut(pixels())(torch.arange(3), torch.ones(3, *tail.shape, dtype=torch.float64))
        torch.testing.assert_close(logits, classifier(pixels()))


def test_layers_that_cannot_be_disturbed():
    plain = classifier_of(ARCHITECTURES["resnet8-w8"].build(1, (12, 12), 4), name="small")
    with pytest.raises(MistrustError, match=r"no layer 'stage1\.0\.bodi' of 'small'\. Did you mean 'stage1\.0\.body'"):
        find_tail(plain, "stage1.0.bodi", pixels())
    with pytest.raises(MistrustError, match="Did you mean 'input'"):
        find_tail(plain, "inputs", pixels())
    with pytest.raises(MistrustError, match="Layer 'unused' of 'yours' does not run when images are classified"):
        find_tail(classifier_of(Odd("")), "unused", pixels())
    callable_ = wrap(lambda x: x.flatten(1)[:, :4], CLASSES, name="bare", device="cpu")
    with pytest.raises(MistrustError, match="'bare' wraps a plain callable: it has no layers"):
        find_tail(callable_, "conv1", pixels())

    class Pair(nn.Module):
        def forward(self, x):
            return x, x

    class First(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner, self.head = inner, nn.Linear(144, 4)

        def forward(self, x):
            given = self.inner(x)
            return self.head((given if isinstance(given, torch.Tensor) else given[0]).reshape(-1, 144))

    with pytest.raises(MistrustError, match=r"Layer 'inner' of 'yours' gives a tuple for 3 images"):
        find_tail(classifier_of(First(Pair())), "inner", pixels())
    with pytest.raises(
        MistrustError, match=r"gives shape \(36, 12\) for 3 images, expected a tensor with one row per image"
    ):
        find_tail(classifier_of(First(nn.Flatten(0, 2))), "inner", pixels())


class Unread(nn.Module):
    """A ReLU that writes into its input, whose returned value nobody reads; one way of it cannot be traced."""

    def __init__(self, asks=False):
        super().__init__()
        self.asks, self.linear, self.relu, self.head = asks, nn.Linear(144, 8), nn.ReLU(inplace=True), nn.Linear(8, 4)

    def forward(self, x):
        h = self.linear(x.flatten(1))
        if self.asks and h.sum() > 1e9:
            return h
        self.relu(h)
        return self.head(h)


class Picky(nn.Module):
    """Cannot be traced, and refuses NaN."""

    def __init__(self):
        super().__init__()
        self.linear, self.head = nn.Linear(144, 8), nn.Linear(8, 4)

    def forward(self, x):
        h = self.linear(x.flatten(1))
        if h.isnan().any():
            raise ValueError("no")
        return self.head(h)


@pytest.mark.parametrize("asks", [False, True])
def test_a_layer_whose_output_nothing_reads_is_refused(asks):
    classifier = classifier_of(Unread(asks))
    with pytest.raises(
        MistrustError, match=r"Nothing reads what layer 'relu' of 'yours' returns .*Take the layer before"
    ):
        find_tail(classifier, "relu", pixels())
    assert find_tail(classifier, "linear", pixels()).path == (WHOLE if asks else CACHED)
    assert find_tail(classifier_of(Picky()), "linear", pixels()).path == WHOLE
