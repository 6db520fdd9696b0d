"""Where searches begin: noise where a probe says that it can work, otherwise a donor."""

import pytest
import torch

from mistrust.search.attack.asking import Asked
from mistrust.search.attack.opened import labelled
from mistrust.search.attack.starts import started


def flat(*means):
    return torch.tensor(means, dtype=torch.float64).view(-1, 1, 1, 1).repeat(1, 1, 8, 8)


def bright(images):
    """Noise is of class 1: its mean is near 0.5."""
    return (images.flatten(1).mean(1) > 0.3).long()


def begun(network, images, donors=None, ids=None, **numbers):
    asked = Asked(network, images)
    searched = labelled(asked, images, torch.arange(len(images)) if ids is None else ids)
    return asked, started(asked, searched, None if donors is None else donors.flatten(1), **numbers)


def test_noise_serves_one_class_and_donors_the_other():
    images = flat(0.1, 0.15, 0.8)
    asked, start = begun(bright, images, seed=2)
    assert start.kind == ("noise", "noise", "donor")
    assert start.found.all()
    assert start.shared == 200
    assert asked.count == 3 + 200 + start.queries.sum()
    assert (bright(start.points.view(-1, 1, 8, 8)) != bright(images)).all()


def test_the_first_blend_that_is_named_otherwise_is_taken():
    """0.8 with a donor of 0.1: below 0.3 from the share 5/7 on, 0.715 of a thousand; of 10 blends, 0.8."""
    images, donors = flat(0.8), flat(0.1, 0.9)
    _, fine = begun(bright, images, donors)
    torch.testing.assert_close(fine.points[0, 0].item(), 0.8 - 0.715 * 0.7)
    assert (fine.queries.item(), fine.shared) == (715, 202)
    _, coarse = begun(bright, images, donors, blends=10)
    torch.testing.assert_close(coarse.points[0, 0].item(), 0.8 - 0.8 * 0.7)
    assert coarse.queries.item() == 8


def test_without_probes_there_are_only_donors():
    _, start = begun(bright, flat(0.1, 0.8), probes=0)
    assert start.kind == ("donor", "donor")
    assert start.shared == 0


@pytest.mark.whole
def test_noise_that_is_never_drawn_again_gives_way_to_a_donor():
    """The probe finds one bright corner among 200 images; an image that tries once does not."""

    def corner(images):
        return (images[:, 0, 0, 0] > 0.99).long()

    _, start = begun(corner, flat(0.5, 1.0), tries=1, seed=0)
    assert start.kind == ("donor", "noise")
    assert start.found.all()


@pytest.mark.whole
def test_a_start_belongs_to_the_image_not_to_the_batch():
    images, donors = torch.rand(9, 1, 8, 8, generator=torch.Generator().manual_seed(0)).double(), flat(0.05, 0.1, 0.9)
    images[4:] *= 0.2
    ids = torch.arange(9) * 31
    _, together = begun(bright, images, donors, ids)
    assert set(together.kind) == {"noise", "donor"}
    for row in (0, 3, 8):
        _, alone = begun(bright, images[row : row + 1], donors, ids[row : row + 1])
        assert torch.equal(alone.points[0], together.points[row])
        assert alone.queries[0] == together.queries[row]


def test_donors_are_drawn_evenly_among_those_named_otherwise():
    donors = flat(0.05, 0.9, 0.1, 0.2, 0.8)
    _, start = begun(bright, flat(*[0.7] * 300), donors, probes=0, blends=1)
    means, often = start.points[:, 0].unique(return_counts=True)
    torch.testing.assert_close(means, torch.tensor([0.05, 0.1, 0.2], dtype=torch.float64))
    assert often.min() > 70


def test_nothing_of_another_class_is_no_start():
    images = flat(0.8, 0.9)
    _, start = begun(bright, images)
    assert start.kind == ("none", "none")
    assert not start.found.any()
    assert torch.equal(start.points, images.flatten(1))
    assert start.queries.tolist() == [0, 0]
