"""The bubble to explore: spokes, words and images agree with the rows."""

import base64
import io
import json
import re

import numpy as np
import pytest
from PIL import Image

from mistrust.figures import robustness as figures
from mistrust.figures.interactive.sprites import LIMIT
from mistrust.pictures import unpack


def sheet_of(made):
    """All images of the sprite, in order."""
    sheet = made.sheet
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(sheet.uri.partition(",")[2]))))
    h, w = sheet.height, sheet.width
    return [
        pixels[
            i // sheet.columns * h : (i // sheet.columns + 1) * h, i % sheet.columns * w : (i % sheet.columns + 1) * w
        ]
        for i in range(sheet.count)
    ]


@pytest.mark.whole
def test_spokes_tell_distances_and_failures(all_rows):
    made = figures.spokes(all_rows, "vgg9-w16")
    said = [cell["say"] for cell in made.data["cells"]]
    names = re.findall(r'class="mt-name"[^>]*>([^<]+)<', made.body)
    assert names == sorted(names)
    assert said[names.index("Bag")] == "Class Bag: L∞ distance 57 grey levels."
    assert said[names.index("Coat")] == "Class Coat: L∞ distance none, the image's own class."
    assert said[names.index("Pullover")] == "Class Pullover: L∞ distance not known, not reached."
    assert made.body.count('data-empty="true"') == 2
    assert made.body.count("mt-bar") == 8
    assert "Not reached: Pullover." in made.caption
    assert "<svg" in made.static
    assert made.html() == figures.spokes(all_rows.iloc[::-1], "vgg9-w16").html()


def test_each_spoke_shows_the_image_and_the_difference(all_rows):
    made = figures.spokes(all_rows, "vgg9-w16")
    images, cells = sheet_of(made), made.data["cells"]
    names = re.findall(r'class="mt-name"[^>]*>([^<]+)<', made.body)
    rows = all_rows[(all_rows["table"] == "bubble") & (all_rows["network"] == "vgg9-w16") & (all_rows["note"] != "")]
    rows = rows[rows["method"] == "adam"]
    pixels = {at: unpack(note) for at, note in zip(rows["at"], rows["note"], strict=True)}
    most = max(int(np.abs(one.astype(int) - pixels["Coat"]).max()) for one in pixels.values())
    changed, away = cells[names.index("Bag")]["images"]
    np.testing.assert_array_equal(images[changed], pixels["Bag"])
    back = (images[away].astype(float) - 128) / 127 * most
    np.testing.assert_allclose(back, pixels["Bag"].astype(int) - pixels["Coat"], atol=most / 127)
    (own,) = cells[names.index("Coat")]["images"]
    np.testing.assert_array_equal(images[own], pixels["Coat"])
    assert cells[names.index("Pullover")]["images"] == []  # not reached
    assert made.data["labels"][away].startswith(
        f"difference towards Bag; grey: no change, black and white: {most} grey levels"
    )
    assert len(made.data["labels"]) == made.sheet.count == 9 + 8


def test_the_tight_search_has_a_bubble_of_its_own(all_rows):
    made = figures.spokes(all_rows, "vgg9-w16", method="tight")
    assert "nearest T-shirt/top at 10, farthest Ankle boot at 19." in made.alt
    assert made.body.count("mt-bar") == 9
    assert made.sheet is None  # of the changed images none is kept


def test_images_are_left_out_where_notes_hold_none(all_rows):
    made = figures.spokes(all_rows.assign(note=""), "vgg9-w16")
    assert made.sheet is None
    assert all(cell["images"] == [] for cell in made.data["cells"])
    assert "Beside a changed image" not in made.caption


@pytest.mark.whole
def test_many_large_images_are_thinned_to_what_a_page_carries(make_rows):
    rows = make_rows(networks=("vgg9-w16",), four=("vgg9-w16",), seeds=(0,), side=200)
    made = figures.spokes(rows[rows["table"] == "bubble"])
    assert made.sheet.height == 100
    assert len(made.sheet.uri) <= LIMIT
    json.dumps(made.data)
