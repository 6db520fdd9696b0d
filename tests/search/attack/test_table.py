"""Every distance of the table gives the same kind of result, and the same one again."""

import pytest
import torch
from torch import nn

from mistrust.errors import MistrustError, UnknownName
from mistrust.networks import initialise, wrap
from mistrust.search.attack import DISTANCES, Distances, distances

FEW = {
    "boundary": {"steps": 15, "blends": 20},
    "boundary-quick": {"steps": 5, "blends": 20},
    "boundary-smooth": {"steps": 5, "blends": 20},
    "hopskip": {"steps": 2, "draws": 30, "blends": 20},
    "hopskip-smooth": {"steps": 2, "draws": 30},
    "foolbox": {"steps": 15, "blends": 20},
    "deepfool": {},
}


@pytest.fixture(scope="module")
def network():
    module = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3))
    initialise(module, 2)
    return wrap(module, ["a", "b", "c"], mean=0.5, std=0.05)


@pytest.fixture(scope="module")
def images():
    return torch.rand(10, 1, 4, 4, generator=torch.Generator().manual_seed(3))


def same(one, other):
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other


@pytest.mark.whole
@pytest.mark.parametrize("method", DISTANCES)
def test_every_distance_keeps_the_contract(method, network, images):
    ids = torch.arange(10) * 7 + 2
    found = distances(network, images, method, ids=ids, donors=images, seed=1, **FEW[method])
    assert isinstance(found, Distances)
    assert (found.method, len(found), len(found.start)) == (method, 10, 10)
    assert torch.equal(found.ids, ids)
    assert torch.equal(found.label, network(images).argmax(1))
    assert found.success.all()
    assert (network(found.images).argmax(1) != found.label).all()
    apart = (found.images.double() - images.double()).flatten(1)
    torch.testing.assert_close(found.mae, apart.abs().mean(1))
    torch.testing.assert_close(found.l2, apart.norm(dim=1))
    assert (found.mae.dtype, found.l2.dtype, found.queries.dtype) == (torch.float64, torch.float64, torch.int64)
    assert (found.queries > 0).all()
    assert sum(found.kinds.values()) == 10
    again = distances(network, images, method, ids=ids, donors=images, seed=1, **FEW[method])
    assert torch.equal(found.images, again.images)
    entry = DISTANCES[method]
    other = distances(network, images, method, ids=ids, donors=images, seed=2, **FEW[method])
    assert torch.equal(found.images, other.images) != entry.random
    assert entry.title
    assert entry.source
    assert {"ids", "donors", "seed"}.isdisjoint(entry.parameters)
    stored, held = Distances.of(found.tensors(), method), vars(found)
    assert {name for name, given in vars(stored).items() if not same(given, held[name])} <= {"trace"}


@pytest.mark.parametrize("method", [name for name in DISTANCES if not DISTANCES[name].gradients])
def test_labels_alone_are_enough_and_every_query_is_counted(method, network, images):
    asked = 0

    def labels(x):
        nonlocal asked
        asked += len(x)
        return network(x).argmax(1).numpy()

    found = distances(labels, images, method, **FEW[method])
    assert found.queries.sum() + found.shared == asked
    torch.testing.assert_close(found.mae, distances(network, images, method, **FEW[method]).mae)


@pytest.mark.parametrize("method", [name for name in FEW if name not in ("foolbox", "deepfool")])
def test_a_network_that_fails_leaves_a_way_to_lose_less(method, network, images):
    """The error is the network's own; its note is a promise: in two parts the distances are those of all."""
    left = 40

    def line(x):
        nonlocal left
        left -= 1
        if left < 0:
            raise ConnectionError("the line broke")
        return network(x).argmax(1)

    with pytest.raises(ConnectionError, match="the line broke") as stopped:
        distances(line, images, method, **FEW[method], block=1)
    assert "images[i:j], ids=ids[i:j]" in "".join(stopped.value.__notes__)
    ids, whole = torch.arange(10), distances(network, images, method, **FEW[method])
    parts = [distances(network, images[i:j], method, ids=ids[i:j], **FEW[method]) for i, j in ((0, 3), (3, 10))]
    torch.testing.assert_close(torch.cat([one.mae for one in parts]), whole.mae)


def test_labels_that_are_no_numbers_are_told(images):
    with pytest.raises(MistrustError, match=r"list such as \['cat', .*names\.index\(label\)"):
        distances(lambda x: ["cat"] * len(x), images)


def test_unknown_names_are_told(network, images):
    with pytest.raises(UnknownName, match=r"no distance 'boundry'\. Did you mean 'boundary'"):
        distances(network, images, "boundry")
    with pytest.raises(UnknownName, match=r"no parameter 'step' of the distance 'boundary'\. Did you mean 'steps'"):
        distances(network, images, step=3)
    with pytest.raises(MistrustError, match="candidates is 1"):
        distances(network, images, "deepfool", candidates=1)


def linear(w):
    """Six images and a linear network of 64 inputs that parts them."""
    images = torch.rand(6, 1, 8, 8, generator=torch.Generator().manual_seed(0)) * 0.6 + 0.2
    b = -(images.flatten(1) @ w).mean()
    return images, lambda x: ((x.flatten(1) * w).sum(1) + b > 0).long()


ROUGH = torch.randn(64, generator=torch.Generator().manual_seed(1))
SMOOTH = torch.outer((torch.arange(8) / 3).cos(), (torch.arange(8) / 2).sin()).flatten()


@pytest.mark.whole
def test_quick_steps_come_nearer_with_fewer_queries():
    """Fewer queries than the published numbers need, and a fraction of the distance."""
    images, network = linear(ROUGH)
    slow = distances(network, images, steps=60, blends=50)
    quick = distances(network, images, "boundary-quick", steps=30, blends=50)
    assert quick.queries.double().mean() < slow.queries.double().mean()
    assert quick.mae.median() < 0.7 * slow.mae.median()


@pytest.mark.whole
@pytest.mark.parametrize(("w", "nearer"), [(SMOOTH, True), (ROUGH, False)], ids=["smooth", "rough"])
def test_smooth_directions_come_nearer_where_the_network_is_smooth(w, nearer):
    """And only there: of 64 random weights a quarter lies among the low frequencies."""
    images, network = linear(w)
    quick, smooth = (
        distances(network, images, method, steps=45, blends=50) for method in ("boundary-quick", "boundary-smooth")
    )
    assert smooth.queries.double().mean() < 1.2 * quick.queries.double().mean()
    ratio = smooth.l2.median() / quick.l2.median()
    assert ratio < 0.9 if nearer else ratio > 1.2
