"""One image spoilt step by step."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures import misclassification as figures


def images(count):
    return np.arange(count * 16, dtype=np.uint8).reshape(count, 4, 4)


@pytest.fixture(scope="module")
def made(all_rows):
    return figures.spoilt_digit(all_rows, images(10), true_class="5", perturbation="pixelation")


def test_a_step_a_level_with_every_share(all_rows, made):
    assert made.body.count("<li") == 10
    found = tidy.select(all_rows, table="softmax", method="5", level=7)
    shares = found[found["seed"].isna()].set_index("at")["value"]
    assert f'aria-label="{", ".join(f"{c} {shares[c]:.2f}" for c in "0123456789")}"' in made.body
    assert "Pixelation, level 7" in made.body
    assert "class 5, pixelation level 7" in made.html()


@pytest.mark.whole
def test_the_static_picture_shows_every_level(all_rows, made):
    assert made.static.count("<image") == 10
    own = tidy.select(all_rows, table="softmax", method="5", at="5")
    own = own[own["seed"].isna()].set_index("level")["value"]
    assert f"falls from {own[1]:.2f} at level 1 to {own[10]:.2f} at level 10" in made.alt
    assert made.html() == figures.spoilt_digit(
        all_rows, images(10), true_class="5", perturbation="pixelation"
    ).html()  # fmt: skip


@pytest.mark.whole
def test_words_few_levels_and_one_network(few_rows):
    made = figures.spoilt_digit(few_rows, images(3), true_class="Ankle boot", perturbation="fog", seed=4)
    assert made.body.count("<li") == 3
    assert "Fog, level 5" in made.body


def test_images_that_do_not_fit_the_levels_are_refused(few_rows):
    with pytest.raises(MistrustError, match=r"2 images for 3 levels.*'fog', \[1, 2, 5\], seed"):
        figures.spoilt_digit(few_rows, images(2), true_class="Bag", perturbation="fog")


def test_a_class_without_rows_is_said(few_rows):
    with pytest.raises(MistrustError, match="no rows for the softmax of class Coat"):
        figures.spoilt_digit(few_rows, images(3), true_class="Coat", perturbation="fog")
