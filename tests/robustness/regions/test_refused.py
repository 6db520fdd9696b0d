"""What the exact segment test refuses, each by a message that names it."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional

from mistrust.errors import MistrustError
from mistrust.networks import wrap
from mistrust.robustness.regions import Region, certify, class_region, lowest_on_grid, margin, screen


class Asking(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


class Squared(nn.Module):
    def forward(self, x):
        return x * x


class Turned(nn.Module):
    def forward(self, x):
        return x.mT.flatten(1)


class OneRow(nn.Module):
    def forward(self, x):
        return x.flatten(1).mean(0, keepdim=True)


class Counted(nn.Module):
    """Counts its rows long before it uses the count."""

    def forward(self, x):
        n = x.size(0)
        return functional.relu(x - 0.5).view(n, 64)


class TestRefused:
    A, B = torch.full((1, 1, 8, 8), 0.25), torch.linspace(0, 1, 64).view(1, 1, 8, 8)

    def refused(self, network, message, a=None, b=None, label=0):
        with pytest.raises(MistrustError, match=message):
            certify(network, self.A if a is None else a, self.B if b is None else b, label)

    @pytest.mark.parametrize("layer", [nn.Sigmoid(), nn.GELU(), nn.Tanh(), nn.Softmax(1), nn.LayerNorm(3), nn.SiLU()])
    def test_what_is_not_piecewise_linear_is_named(self, layer):
        net = nn.Sequential(nn.Flatten(), nn.Linear(64, 3), layer, nn.Linear(3, 2)).eval()
        kind = type(layer).__name__
        self.refused(net, f"Layer '2' of the network is {kind}, which is not piecewise linear.*Use|use the grid")
        region = class_region(wrap(net, list("ab")), 0)
        with pytest.raises(MistrustError, match=f"is {kind}"):
            region.lowest(self.A, self.B)
        grid, _ = lowest_on_grid(class_region(wrap(net, list("ab")), 0, exact=False), self.A, self.B)
        assert math.isfinite(grid.item())

    def test_functions(self):
        self.refused(nn.Sequential(nn.Flatten(), Squared()).eval(), "Step 'mul' of the network is mul")
        self.refused(nn.Sequential(nn.Flatten(), Asking()).eval(), "cannot be followed step by step")
        self.refused(Turned().eval(), "Step 'getattr_1' of the network is getattr")
        self.refused(OneRow().eval(), "no tensor with a row for each")
        self.refused(nn.Sequential(Counted(), nn.Linear(64, 2)).eval(), "failed on .* points of a segment")

    def test_a_network_that_does_something_its_layers_do_not_tell(self):
        net = nn.Sequential(nn.Flatten(), nn.Linear(64, 3), nn.ReLU(), nn.Linear(3, 2)).eval()
        with torch.no_grad():  # drawn weights could leave nothing of the sine behind the ReLU
            net[1].weight.fill_(0.1)
            net[1].bias.zero_()
            net[3].weight.fill_(1.0)
        net[1].register_forward_hook(lambda layer, args, out: out.sin())
        self.refused(net, "Self-check failed: between neighbouring breakpoints of segment 0 a logit is")

    def test_dropout_left_on(self):
        net = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(64, 2)).eval()
        net[1].train()
        self.refused(net, r"in training mode \(1: Dropout\)")
        with pytest.raises(MistrustError, match=r"in training mode \(1: Dropout\)"):
            class_region(wrap_as_is(net), 0)

    def test_images_and_labels(self):
        net = nn.Sequential(nn.Flatten(), nn.Linear(64, 2)).eval()
        self.refused(wrap(net, list("ab")), r"Images range from .* expected \[0, 1\]", b=2 * self.B + 1)
        self.refused(wrap(net, list("ab"), outputs="probabilities"), "gives probabilities, which are not piecewise")
        self.refused(net, "expected the same shape", b=self.B[:, :, 1:])
        self.refused(net, "Classes run from 2 to 2, expected positions from 0 to 1", label=2)
        self.refused(nn.Flatten().eval(), "Classes run from 64", label=64)
        self.refused(nn.Sequential(nn.Flatten(), nn.Linear(64, 1)).eval(), "expected logits")
        self.refused(wrap(lambda x: x.flatten(1)[:, :2], list("ab")), "wraps a plain callable")

    def test_labels_of_another_number_or_kind(self):
        net = nn.Sequential(nn.Flatten(), nn.Linear(64, 2)).eval()
        two = self.A.repeat(2, 1, 1, 1), self.B.repeat(2, 1, 1, 1)
        for label, message in (
            (
                torch.tensor([0, 1, 0]),
                r"Classes are torch.int64 of shape \(3,\), expected one whole number for all, or \(2,",
            ),
            (torch.tensor([0.0, 1.0]), "Classes are torch.float32 of shape"),
            (torch.tensor([0, -1]), "Classes run from -1 to 0, expected positions from 0 to 1"),
        ):
            self.refused(net, message, *two, label=label)
            with pytest.raises(MistrustError, match=message):
                margin(net(two[0]), label)
        for label in (-1, 2):
            with pytest.raises(
                MistrustError, match=rf"Classes run from {label} to {label}, expected positions from 0 to"
            ):
                margin(net(two[0]), label)
        assert margin(torch.zeros(0, 2), 1).shape == (0,)

    def test_points_of_a_class_region(self):
        region = class_region(wrap(nn.Sequential(nn.Flatten(), nn.Linear(64, 2)), list("ab")), 0)
        for points, message in (
            ((255 * self.B).byte(), r"Points are torch.uint8 of shape \(1, 1, 8, 8\), expected floats of shape"),
            (255 * self.B, r"Images range from 0 to 255, expected \[0, 1\]"),
            (self.B - 1e-3, "Images range from -0.001 to"),
            (torch.where(self.B > 0.5, torch.nan, self.B), "Images range from nan"),
            (self.B[0], r"Images have shape \(1, 8, 8\), expected \(n, channels"),
        ):
            for ask in (region, region.slope):
                with pytest.raises(MistrustError, match=message):
                    ask(points)
        beyond = self.B.double() * (1 + 1e-9)  # what rounding leaves of a point between two images
        assert region(beyond).item() == pytest.approx(region(self.B).item(), abs=1e-7)

    def test_ends_that_are_not_finite(self):
        net = nn.Sequential(nn.Flatten(), nn.Linear(64, 2)).eval()
        ends = torch.cat([self.B, torch.where(self.B > 0.5, torch.nan, self.B)])
        message = r"Segment 1 has a NaN or infinite {}, expected finite numbers at both ends"
        self.refused(net, message.format("end"), self.A.repeat(2, 1, 1, 1), ends)
        self.refused(net, message.format("start"), ends, self.A.repeat(2, 1, 1, 1))

    def test_weights_that_are_not_finite(self):
        net = nn.Sequential(nn.Flatten(), nn.Linear(64, 2)).eval()
        net[1].bias.data[0] = torch.nan
        self.refused(net, "logits are NaN or infinite")


def wrap_as_is(net):
    """A classifier of a network in the mode that it is in."""
    return replace(wrap(nn.Sequential(nn.Flatten(), nn.Linear(64, 2)), list("ab")), network=net)


def test_samples_outside_of_the_box_are_refused_whatever_the_margin():
    bright = torch.full((2, 1, 2, 2), 1.5)
    boxed, free = (Region("sum", lambda x: x.flatten(1).sum(1), box=box) for box in ((0.0, 1.0), None))
    with pytest.raises(MistrustError, match=r"Images range from 1\.5 to 1\.5, expected \[0, 1\]"):
        screen(boxed, bright)
    assert screen(free, bright, 3).unique().tolist() == [6]
