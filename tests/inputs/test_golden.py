"""Golden: every perturbation at every level against per-image loops in float64, with OpenCV and with scipy."""

import authors
import numpy as np
import pytest
import torch

from mistrust import random
from mistrust.data import load
from mistrust.inputs import PERTURBATIONS, Draws, perturb

SETTINGS = [(name, level) for name in authors.LEVELS for level in range(1, 11)]


@pytest.fixture(scope="module")
def images():
    """Six digits, three smooth pictures, three of noise: (12, 1, 28, 28) float32 with ids in no order."""
    ids = torch.tensor([5, 900, 3, 256, 255, 7, 511, 12, 700, 1, 0, 64])
    digits = load("mnist5k", "test").floats()[:6]
    rows, columns = torch.meshgrid(torch.arange(28), torch.arange(28), indexing="ij")
    smooth = torch.stack([(torch.sin(rows * a + columns * b) + 1) / 2 for a, b in ((0.1, 0.3), (0.2, 0.05), (0, 0.2))])
    noise = random.uniform(0, "golden", torch.arange(3), (1, 28, 28))
    return torch.cat([digits, smooth[:, None].float(), noise]).clamp(0, 1), ids


def reference(name, level, images, ids, filters, seed):
    chosen = PERTURBATIONS[name].levels[level - 1]
    key = f"{name}/" + ",".join(f"{k}={float(v):g}" for k, v in sorted(chosen.items()))
    kept, found = {}, []
    for index, image in enumerate(images[:, 0].double().numpy()):
        source = authors.Replayed(name, Draws(seed, key, ids), index, kept)
        made = authors.FORMULAS[name](2 * image - 1, source, filters, *authors.LEVELS[name][level - 1])
        found.append((made + 1) / 2)
    return np.stack(found)[:, None]


@pytest.mark.parametrize("filters", [authors.OpenCV, authors.Scipy])
@pytest.mark.parametrize(("name", "level"), SETTINGS)
def test_every_setting_is_the_authors_formula(name, level, filters, images):
    pixels, ids = images
    ours = perturb(pixels, name, level, ids=ids, seed=4)
    theirs = reference(name, level, pixels, ids, filters, 4)
    assert ours.dtype == torch.float32
    assert np.abs(ours.numpy() - theirs).max() < 1e-5


def test_the_references_are_those_of_the_table():
    assert list(authors.LEVELS) == list(authors.FORMULAS) == list(PERTURBATIONS)


@pytest.mark.parametrize("name", [n for n in authors.LEVELS if n not in ("fog", "zoom_blur")])
@pytest.mark.parametrize("filters", [authors.OpenCV, authors.Scipy])
def test_other_sizes_follow_the_same_formula(name, filters):
    # Fog's middle and the weights of zoom blur are the paper's for 28 pixels alone: tested by hand below.
    pixels, ids = random.uniform(1, "sizes", torch.arange(3), (1, 21, 21)), torch.arange(3)
    for level in (2, 5, 10):
        ours = perturb(pixels, name, level, ids=ids).numpy()
        if name == "pixelation":
            chosen = PERTURBATIONS[name].levels[level - 1]["factor"]
            made = [
                (authors.pixelation(2 * x - 1, None, filters, int(21 // chosen)) + 1) / 2
                for x in pixels[:, 0].double().numpy()
            ]
            assert np.abs(ours[:, 0] - np.stack(made)).max() < 1e-5
        else:
            assert np.abs(ours - reference(name, level, pixels, ids, filters, 0)).max() < 1e-5


@pytest.mark.parametrize("name", list(authors.LEVELS))
def test_colour_and_oblong_images_work_channel_by_channel_where_the_formula_does(name):
    pixels = random.uniform(2, "colour", torch.arange(3), (3, 20, 33))
    out = perturb(pixels, name, 6)
    assert out.shape == pixels.shape
    if not PERTURBATIONS[name].random and name not in ("contrast", "pixelation"):  # these two read the whole image
        alone = torch.cat([perturb(pixels[:, c : c + 1], name, 6) for c in range(3)], 1)
        assert (out - alone).abs().max() < 1e-6


def test_fog_glows_in_the_middle_of_any_size():
    # Density l, no noise: at the middle m = 1, and black (-1 on the paper's scale) becomes -(1 - l) + l = 2 l - 1,
    # which is l on ours; far away m = 0, so black becomes l / 2.
    class Still(Draws):
        def normal(self, shape, part="z"):
            return torch.zeros(len(self.ids), *shape)

    out = PERTURBATIONS["fog"].apply(torch.zeros(1, 2, 20, 32), Still(0, "", torch.arange(1)), density=0.2)
    assert out[0, :, 10, 16].tolist() == pytest.approx([0.2, 0.2])
    assert out[0, :, 0, 0].tolist() == pytest.approx([0.1, 0.1], abs=1e-6)


def test_zoom_blurs_weights_fall_to_zero_at_half_the_height():
    # Height 4, kernel of 5: weights 2, 1, 0, 0, 0 over three, first row two above; one bright pixel at row 1.
    images = torch.zeros(1, 1, 4, 1)
    images[0, 0, 1] = 0.9
    # Rows read, with mirrored border: row 0 reads 2 and 1; row 1 reads 1 and 0; row 2 reads 0 and 1; row 3: 1 and 2.
    assert perturb(images, "zoom_blur", {"size": 5}).flatten().tolist() == pytest.approx([0.3, 0.6, 0.3, 0.6])


def test_an_even_motion_kernel_moves_the_picture_to_the_right():
    images = torch.zeros(1, 1, 5, 5)
    images[0, 0, 2, 2] = 1
    out = perturb(images, "motion_blur", {"size": 2})
    assert torch.nonzero(out[0, 0]).tolist() == [[2, 3], [3, 3]]
    assert out.max() == 0.5
    assert torch.nonzero(perturb(images, "motion_blur", {"size": 3})[0, 0]).tolist() == [[1, 2], [2, 2], [3, 2]]
