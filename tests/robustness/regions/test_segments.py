"""The exact segment test: hand-worked worlds and layers, laws of blocks and batches."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES, wrap
from mistrust.robustness.regions import WORLDS, certify, margin
from mistrust.robustness.regions.piecewise import plan

EXACT = [name for name, world in WORLDS.items() if world.network is not None]


def made(seed, *shape):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def filled(network, seed=0):
    """Evaluation mode, weights of a seed, and averages of batch normalisation that are not 0 and 1."""
    generator = torch.Generator().manual_seed(seed)
    for values in network.state_dict().values():
        if values.is_floating_point():
            values.copy_(torch.rand(values.shape, generator=generator) - 0.4)
    for part in network.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_var.abs_().add_(0.5)
            part.weight.data.abs_()
    return network.eval()


class Residual(nn.Module):
    """A branch and a shortcut, with a ReLU in place and one by method."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU(inplace=True))
        self.conv = nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, x):
        return (self.conv(self.body(x)) + x).relu()


class InPlace(nn.Module):
    """A ReLU in place, whose input is read again afterwards: as changed."""

    def __init__(self):
        super().__init__()
        self.relu, self.pool = nn.ReLU(inplace=True), nn.MaxPool2d(2)

    def forward(self, x):
        y = x * 1.0
        z = self.pool(self.relu(y))
        return torch.cat((z, -y[:, :, ::2, ::2]), 1)


class Inception(nn.Module):
    """Branches of 1x1, 3x3, pooled 3x3 and averages, joined."""

    def __init__(self):
        super().__init__()
        self.one, self.three = nn.Conv2d(3, 2, 1), nn.Conv2d(3, 2, 3, padding=1)
        self.pooled = nn.Sequential(nn.MaxPool2d(3, 1, padding=1), nn.Conv2d(3, 2, 1), nn.LeakyReLU(0.2))

    def forward(self, x):
        average = functional.avg_pool2d(x, 3, 1, 1)
        return torch.cat((functional.relu(self.one(x)), self.three(x), self.pooled(x), average), dim=1)


class Functions(nn.Module):
    """Functions in place of layers, a scaling, and rows counted by shape."""

    def forward(self, x):
        x = functional.max_pool2d(functional.leaky_relu(2 * x - 0.5, 0.1), 3, stride=2, ceil_mode=True)
        x = functional.relu6(4 * x) - x / 3
        return x.view(x.shape[0], -1)


NETWORKS = {
    "pool": lambda: nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)),
    "overlapping pool": lambda: nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.MaxPool2d(3, 2, 1, ceil_mode=True), nn.ReLU(), nn.Flatten(), nn.Linear(48, 3)
    ),
    "dilated pool": lambda: nn.Sequential(nn.MaxPool2d((2, 3), 1, dilation=2), nn.Flatten(), nn.Linear(24, 3)),
    "average": lambda: nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.ReLU6(), nn.AvgPool2d(2), nn.Hardtanh(-0.1, 0.2), nn.Dropout(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(3, 3),
    ),
    "residual": lambda: nn.Sequential(nn.Conv2d(1, 3, 3), Residual(), Residual(), nn.Flatten(), nn.Linear(108, 3)),
    "inception": lambda: nn.Sequential(
        nn.Conv2d(1, 3, 3), Inception(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(81, 3)
    ),
    "in place": lambda: nn.Sequential(nn.Conv2d(1, 2, 3), InPlace(), nn.Flatten(), nn.Linear(36, 3)),
    "functions": lambda: nn.Sequential(nn.Conv2d(1, 2, 3), Functions(), nn.Linear(18, 3)),
}  # fmt: skip


# Share of the breakpoints at which a logit bends: a pool that comes after a ReLU, but not at once, hides some.
NEEDED = {"in place": 0.4, "functions": 0.6, "inception": 0.8}


class TestWorlds:
    def test_half_plane(self):
        """Facts B5: min .5 at t = 0, no breakpoint inside."""
        found = certify(WORLDS["half-plane"].network(), *ends("half-plane"), 0)
        assert found.t.tolist() == [0, 1]
        assert found.margins.tolist() == pytest.approx([0.5, 0.7], abs=1e-15)
        assert (found.lowest.item(), found.at.item(), found.breakpoints.item()) == (0.5, 0, 0)
        assert found.holds().tolist() == [True]
        assert found.holds(0.6).tolist() == [False]

    @pytest.mark.parametrize("name", ["diamonds", "chebyshev-annulus"])
    def test_diamonds_and_annulus(self, name):
        """Facts B5: breakpoints t = 0, .5, 1; ends 1, zeros at .25 and .75, min -1 at .5."""
        found = certify(WORLDS[name].network(), *ends(name), 0)
        t, margins = found.of(0)
        assert t.tolist() == [0, 0.5, 1]
        assert margins.tolist() == [1, -1, 1]
        assert (found.lowest.item(), found.at.item()) == (-1, 0.5)
        net, (a, b) = WORLDS[name].network(), ends(name)
        assert margin(net(torch.lerp(a, b, 0.25)), 0).item() == pytest.approx(0, abs=1e-15)
        assert margin(net(torch.lerp(a, b, 0.75)), 0).item() == pytest.approx(0, abs=1e-15)

    @pytest.mark.parametrize("name", EXACT)
    def test_random_segments_have_the_minimum_worked_out_by_hand(self, name):
        a, b = (6 * made(seed, 300, 2) - 3 for seed in (0, 1))
        found = certify(WORLDS[name].network(), a, b, 0)
        assert torch.allclose(found.lowest, WORLDS[name].lowest(a, b), rtol=0, atol=1e-13)
        assert found.error.max() <= 1e-13


def ends(name):
    points = WORLDS[name].points()
    return points[:1], points[1:2]


def test_breakpoints_of_one_hidden_layer_by_hand():
    """A unit w x + b on x(t) = t bends at t = -b / w: .25, .5 and .8; one at t = 2 and one that is never 0 do not."""
    hidden, out = nn.Linear(1, 5), nn.Linear(5, 2)
    hidden.weight.data = torch.tensor([[4.0], [-2.0], [5.0], [1.0], [0.0]])
    hidden.bias.data = torch.tensor([-1.0, 1.0, -4.0, -2.0, 3.0])
    out.weight.data, out.bias.data = torch.tensor([[1.0, 1.0, -2.0, 1.0, 0.0], [0.0] * 5]), torch.zeros(2)
    found = certify(nn.Sequential(hidden, nn.ReLU(), out).eval(), torch.zeros(1, 1), torch.ones(1, 1), 0)
    assert found.t.tolist() == pytest.approx([0, 0.25, 0.5, 0.8, 1], abs=1e-15)
    # z = relu(4t - 1) + relu(1 - 2t) - 2 relu(5t - 4)
    assert found.margins.tolist() == pytest.approx([1, 0.5, 1, 2.2, 1], abs=1e-14)
    assert (found.lowest.item(), found.at.item()) == pytest.approx((0.5, 0.25), abs=1e-15)


def test_a_pool_bends_only_where_its_largest_member_changes():
    """max(1 - 2t, .3, 2t - 1.2, -1 + t): at .35 and .75; members also cross below the largest, which does not count."""
    lines = torch.tensor([[1.0, 0.3, -1.2, -1.0], [-1.0, 0.3, 0.8, 0.0]]).view(2, 1, 2, 2)
    net = nn.Sequential(nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1, 2)).eval()
    net[2].weight.data, net[2].bias.data = torch.tensor([[1.0], [0.0]]), torch.zeros(2)
    found = certify(net, lines[:1], lines[1:], 0)
    assert found.t.tolist() == pytest.approx([0, 0.35, 0.75, 1], abs=1e-7)  # the lines are float32
    assert found.margins.tolist() == pytest.approx([1, 0.3, 0.3, 0.8], abs=1e-7)


def test_the_self_check_asks_in_every_segment_and_no_oftener_than_it_may():
    torch.manual_seed(0)
    net, asked = nn.Sequential(nn.Linear(3, 40), nn.ReLU(), nn.Linear(40, 2)).eval(), []
    net.register_forward_hook(lambda _, given, answer: asked.append(given[0]))
    a, b = made(1, 6, 3), made(2, 6, 3)
    found = {}
    for checks in (10_000, 20, 1):
        asked.clear()
        found[checks] = certify(net, a, b, 0, checks=checks), torch.cat(asked[1:])  # the first call checks the labels
    every, some, few = (found[checks][1] for checks in found)
    assert len(every) == int(found[1][0].breakpoints.sum()) + 6  # a midpoint between any two neighbours
    assert 6 < len(some) <= 2 * 20 + 6
    assert len(few) <= 1 + 6
    share = ((few - a[:, None]) / (b - a)[:, None]).std(2).amin(1)  # 0 where a midpoint lies on the segment
    assert (share < 1e-9).all()
    assert torch.equal(found[10_000][0].lowest, found[1][0].lowest)


@pytest.mark.parametrize("name", NETWORKS)
class TestEveryNetwork:
    def segments(self):
        return made(1, 5, 1, 8, 8), made(2, 5, 1, 8, 8)

    @pytest.mark.whole
    def test_minimum_is_that_of_a_fine_grid_and_never_above_it(self, name):
        net, (a, b) = filled(NETWORKS[name]()).double(), self.segments()
        found = certify(net, a, b, 1)
        assert found.error.max() <= 1e-9  # the bar of the issue
        assert found.breakpoints.min() > 3
        t = torch.linspace(0, 1, 4001).double().view(1, -1, 1, 1, 1)
        with torch.no_grad():
            dense = margin(net(torch.lerp(a[:, None], b[:, None], t).flatten(0, 1)), 1).view(5, -1).amin(1)
        assert (found.lowest <= dense + 1e-12).all()
        assert torch.allclose(found.lowest, dense, atol=2e-3)

    @pytest.mark.whole
    def test_blocks_batches_and_direction_change_nothing(self, name):
        net, (a, b) = filled(NETWORKS[name]()), self.segments()
        found = certify(net, a, b, 1)
        for block in (1, 3000) if name == "pool" else (3000,):
            other = certify(net, a, b, 1, block=block)
            assert torch.equal(other.segment, found.segment)
            assert torch.allclose(other.t, found.t, rtol=0, atol=1e-12)
            assert torch.allclose(other.margins, found.margins, rtol=0, atol=1e-12)
        alone = certify(net, a[3:4], b[3:4], 1)
        assert torch.allclose(alone.t, found.of(3)[0], rtol=0, atol=1e-12)
        back = certify(net, b, a, torch.tensor([1, 1, 0, 1, 1]))
        assert torch.allclose((1 - back.of(3)[0]).flip(0), alone.t, rtol=0, atol=1e-12)
        assert torch.allclose(back.lowest[[0, 1, 3, 4]], found.lowest[[0, 1, 3, 4]], rtol=0, atol=1e-12)
        assert back.lowest[2] != found.lowest[2]

    def test_between_points_every_logit_is_linear_and_at_them_one_bends(self, name):
        """Not only in the middle; and most points are needed."""
        net, (a, b) = filled(NETWORKS[name]()).double(), self.segments()
        t, margins = certify(net, a[:1], b[:1], 1).of(0)
        with torch.no_grad():
            inner = t[:-1] + 0.237 * (t[1:] - t[:-1])
            there = net(torch.lerp(a[:1], b[:1], inner.view(-1, 1, 1, 1)))
            logits = net(torch.lerp(a[:1], b[:1], t.view(-1, 1, 1, 1)))
        assert torch.allclose(there, logits[:-1] + 0.237 * (logits[1:] - logits[:-1]), rtol=0, atol=1e-11)
        assert torch.allclose(margin(logits, 1), margins, rtol=0, atol=1e-12)
        slopes = (logits[1:] - logits[:-1]) / (t[1:] - t[:-1])[:, None]
        assert ((slopes[1:] - slopes[:-1]).abs().amax(1) > 1e-7).double().mean() > NEEDED.get(name, 0.9)


def test_a_classifiers_own_scaling_is_part_of_the_segment():
    net = filled(NETWORKS["residual"]()).float()
    a, b = made(1, 2, 1, 8, 8), made(2, 2, 1, 8, 8)
    own = certify(wrap(net, list("abc"), mean=0.3, std=0.2), a, b, 2)
    plain = certify(net, (a - 0.3) / 0.2, (b - 0.3) / 0.2, 2)
    assert torch.allclose(own.t, plain.t, rtol=0, atol=1e-12)
    assert torch.allclose(own.lowest, plain.lowest, rtol=0, atol=1e-12)
    assert next(net.parameters()).dtype == torch.float32  # the network itself is left alone
    assert next(net.parameters()).requires_grad


def test_a_segment_without_length_and_no_segment():
    net, a = filled(NETWORKS["pool"]()).double(), made(1, 1, 1, 8, 8)
    found = certify(net, a, a, 0)
    assert (found.t.tolist(), found.breakpoints.item()) == ([0, 1], 0)
    assert found.lowest.item() == pytest.approx(margin(net(a), 0).item(), abs=1e-12)
    assert len(certify(net, a[:0], a[:0], 0)) == 0


def test_memory_is_bounded_by_the_block():
    """The longest row that a step is given: 40 times as many breakpoints are walked in rows that the block allows."""
    net, rows = filled(NETWORKS["pool"]()), []
    net[0].register_forward_hook(lambda layer, args, out: rows.append(len(out)))
    net[4].register_forward_hook(lambda layer, args, out: rows.append(len(out)))
    found = certify(net, made(1, 40, 1, 8, 8), made(2, 40, 1, 8, 8), 0, block=8000)
    assert len(found.t) > 1000
    assert max(rows) * 4 * 36 <= 8000


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture_is_taken_apart_or_refused_by_the_layer_that_bends(name):
    network = ARCHITECTURES[name].build(3, (32, 32), 3).eval()
    smooth = [part for part, layer in network.named_modules() if isinstance(layer, nn.Sigmoid)]
    if smooth:
        with pytest.raises(MistrustError, match=f"Layer '{smooth[0]}' of the network is Sigmoid"):
            plan(network, torch.zeros(1, 3, 32, 32))
    else:
        bends = [step for step in plan(network, torch.zeros(1, 3, 32, 32)).steps if step.kinks]
        kinds = [type(layer) for layer in network.modules()]
        assert len(bends) >= max(kinds.count(nn.ReLU), kinds.count(nn.MaxPool2d))


def test_a_pool_is_taken_before_the_relu_that_feeds_it_alone():
    def order(net):
        steps = plan(net.eval(), torch.zeros(1, 1, 8, 8))
        return [type(steps.modules[s.node.target]) for s in steps.steps if s.kinks and s.node.op == "call_module"]

    assert order(NETWORKS["pool"]())[0] is nn.MaxPool2d
    assert order(NETWORKS["in place"]())[0] is nn.ReLU
