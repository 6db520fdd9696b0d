"""What LSA and MDSA share: classes that are asked for alone are fitted, and products go by the device."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from mistrust.supervisors.surprise import likelihood, lsa, mahalanobis, mdsa
from mistrust.supervisors.surprise.groups import products


class Multiplied(TorchDispatchMode):
    """Counts products of matrices."""

    def __init__(self):
        super().__init__()
        self.times = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.times += func is torch.ops.aten.mm.default
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(("surprise", "room", "fit"), [(lsa, likelihood, "density"), (mdsa, mahalanobis, "ellipsoid")])
def test_classes_without_queries_are_not_fitted(clouds, monkeypatch, surprise, room, fit):
    it = clouds(rows=90, classes=3)
    expected = surprise(it.train, it.groups, it.queries, it.predicted)
    one, fitted = it.predicted == 1, []
    usual = getattr(room, fit)
    monkeypatch.setattr(room, fit, lambda rows, *given: fitted.append(rows) or usual(rows, *given))
    found = surprise(it.train, it.groups, it.queries[one], it.predicted[one])
    assert torch.equal(found, expected[one])
    assert [rows.tolist() for rows in fitted] == [it.train[it.groups == 1].tolist()]
    nothing = surprise(it.train, it.groups, it.queries[:0], it.predicted[:0])
    assert nothing.shape == (0,)
    assert len(fitted) == 1


@pytest.mark.parametrize("shape", [(7, 1), (40, 33), (20, 300)])
def test_products_are_the_plain_ones(shape):
    rows = torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    torch.testing.assert_close(products(rows), rows.T @ rows, rtol=1e-13, atol=1e-12)
    assert torch.equal(products(rows), products(rows).T)


@pytest.mark.parametrize(("device", "times"), [("cpu", 8), ("meta", 1)])
def test_products_go_by_strips_on_a_cpu_alone(device, times):
    rows = torch.ones(20, 320, dtype=torch.float64, device=device)
    with Multiplied() as count:
        found = products(rows)
    assert (tuple(found.shape), found.device.type, count.times) == ((320, 320), device, times)
