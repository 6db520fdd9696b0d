import pytest
import torch
from tiny_decoders import B, W, golden, some

from mistrust.ambiguity import jacobian
from mistrust.ambiguity.jacobian import WEIGHTS, differences, pushed, weights
from mistrust.errors import MistrustError

# Facts 11. The golden decoder has no bounds without its sigmoid, which no rule asks for.
LINEAR_AT, SIGMOID_AT = (0.5, -1.0), (0.05, -0.1)


def at(point):
    return torch.tensor(point, dtype=torch.float64).reshape(1, 1, 2)


def one(decoders, point, rule):
    return float(weights(decoders, at(point), rule))


class TestGolden:
    def test_linear(self):
        assert one(golden(), LINEAR_AT, "jacobian") == pytest.approx(9.5393920142, abs=5e-11)
        assert one(golden(), (7.0, 3.0), "jacobian") == pytest.approx(91**0.5, abs=1e-12)
        assert one(golden(), LINEAR_AT, "energy") == pytest.approx(79.0931096873, abs=5e-11)

    def test_with_sigmoid(self):
        assert one(golden(squash=True), SIGMOID_AT, "jacobian") == pytest.approx(2.3833580944, abs=5e-11)
        assert one(golden(squash=True), SIGMOID_AT, "energy") == pytest.approx(3.6539853097, abs=5e-11)

    def test_differences(self):
        found = differences(golden(squash=True).decode, at(SIGMOID_AT), 1e-6)
        assert float(found) == pytest.approx(2.3833580944, abs=5e-10)

    def test_uniform(self):
        assert torch.equal(weights(golden(), torch.randn(1, 9, 2), "uniform"), torch.ones(1, 9).double())


MEMBERS = [(3, 8, 0), (3, 8, 1), (0, 1, 0)]


@pytest.fixture
def points():
    return torch.randn((3, 40, 2), generator=torch.Generator().manual_seed(1)).double()


def test_forward_mode_gives_what_reverse_mode_gives(points):
    decoders = some(MEMBERS)
    images, columns = pushed(decoders.decode, points)
    assert torch.equal(images, decoders.decode(points))
    for g in range(3):
        for i in range(0, 40, 13):
            alone = decoders.take([g])
            expected = torch.autograd.functional.jacobian(
                lambda z, alone=alone: alone.decode(z.reshape(1, 1, 2))[0, 0], points[g, i]
            )
            assert torch.allclose(columns[:, g, i].T, expected, atol=1e-14)
            assert float(weights(decoders, points)[g, i]) == pytest.approx(float(expected.norm()), abs=1e-12)


def test_energy_is_the_gradient_of_the_sum_of_squared_pixels(points):
    decoders, z = some(MEMBERS), points.requires_grad_()
    (slope,) = torch.autograd.grad(decoders.decode(z).square().sum(), z)
    assert torch.allclose(weights(decoders, points.detach(), "energy"), slope.norm(dim=-1), atol=1e-12)


def test_any_latent_dimension():
    decoders = some(MEMBERS, latent=5)
    z = torch.zeros(3, 1, 5)
    slopes = (decoders.offsets.sigmoid() * (1 - decoders.offsets.sigmoid()))[..., None] * decoders.matrices
    assert torch.allclose(weights(decoders, z)[:, 0], slopes.flatten(1).norm(dim=1), atol=1e-12)


@pytest.mark.parametrize("rule", list(WEIGHTS))
class TestEveryRule:
    def test_blocks_and_stacks_change_nothing(self, rule, points, monkeypatch):
        decoders = some(MEMBERS)
        whole = weights(decoders, points, rule)
        assert whole.shape == (3, 40)
        assert whole.dtype == torch.float64
        assert bool((whole >= 0).all())
        assert torch.allclose(weights(decoders.take([2]), points[2:], rule), whole[2:], atol=1e-14)
        monkeypatch.setattr(jacobian, "BLOCK", 400)
        assert torch.allclose(weights(decoders, points, rule), whole, atol=1e-14)

    def test_a_rotated_image_space_and_a_mirrored_latent_axis_change_nothing(self, rule, points):
        decoders = golden()
        turn = torch.linalg.qr(torch.randn(3, 3, generator=torch.Generator().manual_seed(0)).double())[0]
        turned = type(decoders)(
            decoders.members, (turn @ W)[None], (turn @ B)[None], decoders.slopes, decoders.shifts
        )  # fmt: skip
        z = points[:1]
        assert torch.allclose(weights(turned, z, rule), weights(decoders, z, rule), atol=1e-7)
        flip = torch.tensor([1.0, -1.0]).double()
        mirrored = type(decoders)(decoders.members, (W * flip)[None], B[None], decoders.slopes, decoders.shifts)
        assert torch.allclose(weights(mirrored, z * flip, rule), weights(decoders, z, rule), atol=1e-7)

    def test_has_title_and_source(self, rule, points):
        assert WEIGHTS[rule].title
        assert WEIGHTS[rule].source


def test_differences_suit_the_decoders_precision(points):
    """In float32 a step that suits float64 would leave rounding errors alone."""
    decoders = some(MEMBERS)
    single = type(decoders)(
        decoders.members, decoders.matrices.float(), decoders.offsets.float(), decoders.slopes, decoders.shifts,
        shape=decoders.shape, squash=True,
    )  # fmt: skip
    exact = weights(decoders, points, "jacobian")
    assert torch.allclose(weights(decoders, points, "differences"), exact, rtol=1e-8)
    assert torch.allclose(weights(single, points, "differences"), exact, rtol=1e-3)


def test_an_unknown_rule_is_named():
    with pytest.raises(MistrustError, match=r"no rule for weights 'jacobi'. Did you mean 'jacobian'"):
        weights(golden(), torch.zeros(1, 1, 2), "jacobi")
