"""One image under every perturbation."""

import pytest
import torch

from mistrust.errors import MistrustError
from mistrust.figures.misclassification import sheet


@pytest.mark.whole
def test_names_and_levels_are_told_and_equal_images_give_equal_bytes():
    images = torch.arange(3 * 2 * 16, dtype=torch.uint8).reshape(3, 2, 4, 4)
    made = sheet(images, ["fog", "snow", "zoom_blur"], [1, 10], caption="here")
    assert "3 perturbations (fog, snow, zoom blur), each at levels 1, 10" in made.alt
    assert made == sheet(images, ["fog", "snow", "zoom_blur"], [1, 10], caption="here")
    assert made.svg != sheet(images.flip(0), ["fog", "snow", "zoom_blur"], [1, 10]).svg


def test_colours_are_drawn():
    assert sheet(torch.zeros(1, 1, 4, 4, 3, dtype=torch.uint8), ["fog"], [3]).svg


@pytest.mark.parametrize(("names", "levels"), [(["fog"], [1, 2]), ([], [1]), (["fog", "snow"], [1])])
def test_images_that_do_not_fit_are_refused(names, levels):
    with pytest.raises(MistrustError, match=r"Images have shape \(2, 2, 4, 4\), expected"):
        sheet(torch.zeros(2, 2, 4, 4, dtype=torch.uint8), names, levels)
