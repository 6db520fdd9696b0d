"""Images made again: under the levels of a perturbation, and by id. (`nearest_images`: test_experiment.py.)"""

import numpy as np
import pytest
import torch

from mistrust import rows as tidy
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs import perturbed
from mistrust.misclassification.thumbnails import by_id, misclustered, sheet, under_levels


@pytest.fixture
def images():
    """Five images of two classes; the first of class "bag" has the id 30."""
    pixels = torch.arange(5 * 64, dtype=torch.int64).remainder(256).to(torch.uint8).reshape(5, 1, 8, 8)
    return ImageSet("made", pixels, torch.tensor([0, 0, 1, 1, 0]), torch.tensor([10, 20, 30, 40, 50]), ("hat", "bag"))


def test_the_first_image_of_the_class_at_each_level(images):
    made = under_levels(images, 1, "gaussian_noise", [1, 4], seed=3)
    assert made.dtype == torch.uint8
    assert made.shape == (2, 8, 8)
    # The same pixels as in a run, where all images are perturbed together.
    for level, image in zip((1, 4), made, strict=True):
        assert torch.equal(image, perturbed(images, "gaussian_noise", level, seed=3).images[2, 0])


def test_colours_stand_last(images):
    coloured = ImageSet("c", images.images.expand(5, 3, 8, 8).contiguous(), images.labels, images.ids, images.classes)
    assert under_levels(coloured, 0, "brightness", [1, 2, 3], seed=0).shape == (3, 8, 8, 3)
    assert by_id(coloured, [10])[10].shape == (8, 8, 3)


@pytest.mark.parametrize(("position", "levels"), [(2, [1]), (0, [])])
def test_no_image_of_the_class_or_no_level_is_said(images, position, levels):
    with pytest.raises(MistrustError, match="give a class that the set holds, and at least one level"):
        under_levels(images, position, "brightness", levels, seed=0)


def test_images_by_id_in_the_order_asked(images):
    found = by_id(images, [40, 10, 40])
    assert list(found) == [40, 10]
    assert all(isinstance(image, np.ndarray) and image.dtype == np.uint8 for image in found.values())
    assert (found[40] == images.images[3, 0].numpy()).all()


def test_ids_that_the_set_lacks_are_left_out(images):
    assert list(by_id(images, [7, 20])) == [20]
    assert by_id(images, []) == {}


def test_float_images_become_grey_levels(images):
    floats = images.with_images(images.floats())
    assert (by_id(floats, [50])[50] == images.images[4, 0].numpy()).all()


def test_a_sheet_is_a_strip_a_perturbation(images):
    made = sheet(images, 0, ["fog", "snow"], [1, 5], seed=2)
    assert made.shape == (2, 2, 8, 8)
    assert torch.equal(made[1], under_levels(images, 0, "snow", [1, 5], seed=2))


def test_misclustered_images_are_those_of_the_notes(images):
    rows = tidy.table(
        [{"method": "image 1", "note": "id 40, bag in cluster hat"}, {"method": "KMeans"}],
        table="misclustered", metric="softmax", value=0.5,
    )  # fmt: skip
    found = misclustered(rows, images)
    assert list(found) == [40]
    assert np.array_equal(found[40], images.images[3, 0].numpy())
