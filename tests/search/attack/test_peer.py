"""Foolbox's own attack through our interface: its result, its queries, and no trace in the global generator."""

import warnings

import pytest
import torch

from mistrust.errors import MistrustWarning
from mistrust.search.attack import foolbox
from mistrust.search.attack.asking import Asked
from mistrust.search.attack.opened import labelled
from mistrust.search.attack.starts import started

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from foolbox import Misclassification, PyTorchModel
    from foolbox.attacks import BoundaryAttack


class Bright(torch.nn.Module):
    def forward(self, images):
        centre = images[:, :, 1:3, 1:3].flatten(1).mean(1)
        return torch.stack([0.5 - centre, centre - 0.5], 1)


@pytest.mark.whole
def test_it_is_foolbox_from_our_starts():
    images = torch.rand(6, 1, 4, 4, generator=torch.Generator().manual_seed(1))
    network = Bright().eval()
    state = torch.get_rng_state()
    found = foolbox(lambda x: network(x).argmax(1), images, steps=150, seed=5)
    assert torch.equal(torch.get_rng_state(), state)
    asked = Asked(lambda x: network(x).argmax(1), images)
    searched = labelled(asked, images, torch.arange(6))
    start = started(asked, searched, seed=5)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        direct = BoundaryAttack(steps=150).run(
            PyTorchModel(network, bounds=(0, 1), device="cpu"),
            images,
            Misclassification(searched.label),
            starting_points=start.points.float().view(-1, 1, 4, 4),
        )
    assert torch.equal(found.images, direct)
    assert found.start == start.kind
    # Its own check of the starts, 150 candidates, 15 on the sphere.
    assert torch.equal(found.queries - start.queries, torch.full((6,), 1 + 1 + 150 + 15))
    begun = (start.points - searched.pixels).norm(dim=1)
    assert (found.l2 < begun).all()


def test_an_image_without_a_start_does_not_stop_the_others():
    images = torch.full((3, 1, 4, 4), 0.5)
    images[0] = 0.05

    def network(x):
        return (x.flatten(1).amax(1) < 0.2).long()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = foolbox(network, images, donors=images[1:], steps=20)
    assert found.success.tolist() == [True, False, False]
    assert found.mae.isinf().tolist() == [False, True, True]
    assert found.queries[1:].tolist() == [1, 1]


@pytest.mark.parametrize("n", [3, 0])
def test_a_network_that_has_one_answer_gives_nothing_to_start_from(n):
    """As all distances do: infinite ones and a warning, and none where there are no images."""
    images = torch.rand(n, 1, 4, 4, generator=torch.Generator().manual_seed(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MistrustWarning)
        found = foolbox(lambda x: torch.zeros(len(x), dtype=torch.int64), images, steps=5)
    assert found.mae.tolist() == [float("inf")] * n
