"""The four families: the sizes of their definitions, depth and size apart, blocks that are torchvision's."""

from itertools import product

import pytest
import torch
from torch import nn
from torch.nn import functional
from torchvision.models.googlenet import Inception
from torchvision.models.resnet import BasicBlock, ResNet

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import (
    ARCHITECTURES,
    FAMILIES,
    Plan,
    Recipe,
    depth,
    initialise,
    observe,
    parameter_count,
    trained,
)
from mistrust.networks.architectures.families.inception import Block

NAMES = [name for names in FAMILIES.values() for name in names]


def built(name, size=(28, 28), channels=1, classes=10):
    network = ARCHITECTURES[name].build(channels, size, classes)
    initialise(network, 0, ARCHITECTURES[name].initial)
    return network


def disturbed(network):
    """Averages and scales that are not what a fresh network has: a wrong order or epsilon shows."""
    draws = torch.Generator().manual_seed(0)
    for layer in network.modules():
        if isinstance(layer, nn.BatchNorm2d):
            for values in (layer.weight, layer.bias, layer.running_mean, layer.running_var):
                values.data.uniform_(0.5, 1.5, generator=draws)
    return network.eval()


def images(n=3, size=28, channels=1):
    return torch.rand(n, channels, size, size, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        # Facts B4, 28x28 grey and ten classes.
        ("alexnet6-w16", 71_066), ("alexnet6-w32", 280_362),
        ("vgg9-w16", 183_866), ("vgg9-w32", 731_754),
        ("resnet8-w8", 19_810), ("resnet14-w8", 44_226), ("resnet20-w16", 272_186),
        ("inception14-w16", 53_562), ("inception20-w16", 82_842),
        # By hand: another convolution 32 x 32 x 9 + 32 and another hidden layer 128 x 128 + 128.
        ("alexnet8-w16", 71_066 + 9_248 + 16_512),
        # By hand: without 16 x 16 x 9 + 16, 32 x 32 x 9 + 32 and 64 x 64 x 9 + 64.
        ("vgg6-w16", 183_866 - 2_320 - 9_248 - 36_928),
    ],
)  # fmt: skip
def test_parameters_are_those_of_the_definitions(name, count):
    assert parameter_count(built(name)) == count


@pytest.mark.parametrize("name", NAMES)
def test_names_say_depth_and_width(name):
    network = built(name)
    layers = int("".join(c for c in name.partition("-")[0] if c.isdigit()))
    assert depth(network, (1, 28, 28)) == layers
    first = next(m for m in network.modules() if isinstance(m, nn.Conv2d))
    assert first.out_channels == int(name.partition("-w")[2])


def test_depth_and_size_can_be_told_apart_in_every_family():
    assert len(NAMES) >= 12
    assert list(FAMILIES) == ["AlexNet", "Inception", "ResNet", "VGG"]
    for names in FAMILIES.values():
        found = [(depth(network, (1, 28, 28)), parameter_count(network)) for network in map(built, names)]
        assert any(a < c and b > d for (a, b), (c, d) in product(found, found))  # deeper with fewer parameters
        assert any(a == c and 2 * b < d for (a, b), (c, d) in product(found, found))  # larger and not deeper
        assert found == sorted(found)


@pytest.mark.parametrize("name", NAMES)
def test_one_recipe_and_no_dropout(name):
    entry = ARCHITECTURES[name]
    assert entry.recipe is ARCHITECTURES[NAMES[0]].recipe
    assert (entry.recipe.optimiser, entry.initial, entry.mean, entry.std) == ("adam", "keras", 0.5, 0.5)
    assert not any(isinstance(m, nn.Dropout) for m in built(name).modules())


@pytest.mark.parametrize("name", NAMES)
def test_the_layers_of_the_supervisors_can_be_recorded(name):
    entry, few = ARCHITECTURES[name], load("mnist5k", "test").take(slice(0, 2))
    classifier = Plan(name, (1, 28, 28), few.classes).classifier(built(name).state_dict(), "untrained")
    record = observe(classifier, few, layers=[entry.surprise, *entry.dissector])
    assert entry.dissector[-1] == entry.surprise
    w = classifier.module.state_dict()
    hidden = record.layer(entry.surprise)
    assert torch.allclose(hidden @ w["logits.weight"].T + w["logits.bias"], record.logits, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_colour_images_of_other_sizes_and_images_that_are_too_small(name):
    for size in ((8, 8), (9, 13), (32, 32)):
        assert built(name, size, 3, 43)(torch.zeros(2, 3, *size)).shape == (2, 43)
    with pytest.raises(MistrustError, match=rf"'{name}' needs images of at least 8x8, these are 30x7"):
        built(name, (30, 7))


def test_alexnet_and_vgg_by_their_definitions():
    x = images()
    for name, told in {
        "alexnet8-w16": ("conv1 P", "conv2 P conv3 conv4 conv5 P", "F dense1 dense2"),
        "vgg9-w16": ("conv1_1 conv1_2 P", "conv2_1 conv2_2 P conv3_1 conv3_2 conv3_3 P", "F dense1"),
    }.items():
        network, steps = built(name).eval(), " ".join(told).split()
        w, h = network.state_dict(), x
        for step in steps:
            if step == "P":
                h = functional.max_pool2d(h, 2)
            elif step == "F":
                h = h.flatten(1)
            elif step.startswith("dense"):
                h = functional.linear(h, w[f"{step}.weight"], w[f"{step}.bias"]).relu()
            else:
                weight = w[f"{step}.weight"]
                assert tuple(weight.shape[2:]) == ((5, 5) if name.startswith("alex") and step == "conv1" else (3, 3))
                h = functional.conv2d(h, weight, w[f"{step}.bias"], padding=weight.shape[2] // 2).relu()
        expected = h @ w["logits.weight"].T + w["logits.bias"]
        assert torch.allclose(network(x), expected, atol=1e-5)
        assert {n for n in w if n.endswith("weight")} == {f"{s}.weight" for s in (*steps, "logits") if s not in "PF"}


def test_resnets_are_torchvisions_blocks():
    """torchvision's ResNet for ImageNet starts with 7x7 and a pooling: those two are put aside."""
    ours = disturbed(built("resnet14-w8"))
    theirs = ResNet(BasicBlock, [2, 2, 2, 1])
    blocks = []
    for stage, width in enumerate((8, 16, 32)):
        before, stride = (8, 1) if stage == 0 else (width // 2, 2)
        fit = nn.Sequential(nn.Conv2d(before, width, 1, stride, bias=False), nn.BatchNorm2d(width)) if stage else None
        blocks.append(nn.Sequential(BasicBlock(before, width, stride, fit), BasicBlock(width, width)))
    theirs.conv1, theirs.bn1, theirs.maxpool = (
        nn.Conv2d(1, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.Identity(),
    )
    theirs.layer1, theirs.layer2, theirs.layer3 = blocks
    theirs.layer4, theirs.fc = nn.Identity(), nn.Linear(32, 10)
    theirs.load_state_dict(dict(zip(theirs.state_dict(), ours.state_dict().values(), strict=True)))
    assert torch.allclose(ours(images()), theirs.eval()(images()), rtol=1e-4, atol=1e-4)


def test_the_first_three_branches_of_an_inception_block_are_googlenets():
    """torchvision's GoogLeNet has a single 3x3 where the original has 5x5, and max pooling: the rest is compared."""
    ours = disturbed(Block(24, 16))
    theirs = Inception(24, 16, 16, 16, 8, 8, 8)
    for layer in theirs.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.eps = 1e-5
    pairs = {"branch1": theirs.branch1, "branch3": theirs.branch2}
    for branch, module in pairs.items():
        state = getattr(ours, branch).state_dict().values()
        module.load_state_dict(dict(zip(module.state_dict(), state, strict=True)))
    x = images(channels=24, size=9)
    found = ours(x)
    assert found.shape == (3, 48, 9, 9)
    theirs.eval()
    assert torch.allclose(found[:, :16], theirs.branch1(x), atol=1e-5)
    assert torch.allclose(found[:, 16:32], theirs.branch2(x), atol=1e-5)
    h = x
    for conv, norm in ((part[0], part[1]) for part in ours.branch5):
        h = norm(functional.conv2d(h, conv.weight, padding=conv.kernel_size[0] // 2)).relu()
    assert torch.allclose(found[:, 32:40], h, atol=1e-5)
    _, (conv, norm, _) = ours.branch_pool
    mean = functional.conv2d(x, torch.full((24, 1, 3, 3), 1 / 9), padding=1, groups=24)
    assert torch.allclose(found[:, 40:], norm(functional.conv2d(mean, conv.weight)).relu(), atol=1e-5)


@pytest.mark.whole
@pytest.mark.parametrize(("name", "epochs"), [("vgg9-w16", 6), ("inception14-w8", 3)])
def test_the_deepest_without_normalisation_and_the_smallest_with_it_learn_small_digits(name, epochs):
    recipe = Recipe(epochs=epochs, batch=32, rate=2e-3, optimiser="adam", schedule="falling")
    network = trained(name, load("digits", "train"), recipe, 0, device="cpu")
    assert observe(network, load("digits", "test")).correct.double().mean() > 0.9
