"""Depth as papers count it, measured on the networks that they count."""

import pytest
import torch
from torch import nn

from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES, depth
from mistrust.networks.imagenet import IMAGENET, imagenet_network


@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "layers"),
    # AlexNet: 5 convolutions and 3 linear layers; VGG16: 13 and 3; ResNet-152: its name; Inception v3: 48 (Keras
    # Applications and Szegedy et al. 2016, table 1, count so; the paper on robustness says 311).
    [("alexnet", 8), ("vgg16", 16), ("resnet152", 152), ("inception_v3", 48)],
)
def test_it_is_what_the_papers_of_the_networks_say(name, layers):
    size = IMAGENET[name].size
    assert depth(imagenet_network(name), (3, size, size)) == layers


@pytest.mark.parametrize(("name", "layers"), [("mlm-cnn", 4), ("farm-lenet-pytorch", 5), ("resnet20", 20)])
def test_it_is_what_the_papers_of_small_networks_say(name, layers):
    assert depth(ARCHITECTURES[name].build(1, (28, 28), 10), (1, 28, 28)) == layers


class Beside(nn.Module):
    """Three layers beside one, then joined; in training another path."""

    def __init__(self):
        super().__init__()
        self.long = nn.Sequential(nn.Conv2d(1, 1, 1), nn.ReLU(inplace=True), nn.Conv2d(1, 1, 1), nn.Conv2d(1, 1, 1))
        self.short = nn.Conv2d(1, 1, 1)
        self.norm = nn.BatchNorm2d(1)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        if self.training:
            return self.head(x.flatten(1))
        joined = torch.cat([self.short(x), self.long(x)], 1).amax(1, keepdim=True)
        return self.head(self.norm(joined).flatten(1))


def test_the_longest_path_counts_in_evaluation_mode_and_the_mode_is_put_back():
    network = Beside().train()
    network.norm.eval()
    before = {name: values.clone() for name, values in network.state_dict().items()}
    assert depth(network, (1, 2, 2)) == 4
    assert network.training
    assert not network.norm.training
    assert all(torch.equal(before[name], values) for name, values in network.state_dict().items())


def test_no_layers_and_no_tensor():
    assert depth(nn.Flatten(), (1, 2, 2)) == 0

    class Twice(nn.Module):
        def forward(self, x):
            return x, x

    with pytest.raises(MistrustError, match="gives a tuple, expected one tensor"):
        depth(Twice(), (1, 2, 2))
