"""A folder of small images, the scores of a classifier about them, and the known-answer set A as a scores file."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).parent))  # for `labelled_set`

from labelled_set import CONFIDENCE, MAE


@pytest.fixture
def write(tmp_path):
    """Write a table: write("scores.csv", [heads, row, ...]) -> its path."""

    def write(name, rows):
        path = tmp_path / name
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        return path

    return write


@pytest.fixture
def known(write):
    """Set A as a scores file, ids 1 to 16."""
    rows = [(i + 1, "dog", c, m) for i, (c, m) in enumerate(zip(CONFIDENCE, MAE, strict=True))]
    return write("known.csv", [("id", "predicted", "confidence", "distance"), *rows])


@pytest.fixture
def folder(tmp_path):
    """Sixteen images of 8 x 8 pixels, 1.png to 16.png, each of another grey."""
    made = tmp_path / "images"
    made.mkdir()
    for i in range(1, 17):
        Image.fromarray(np.full((8, 8), 10 * i, dtype=np.uint8)).save(made / f"{i}.png")
    return made
