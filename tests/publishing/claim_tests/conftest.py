import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mistrust.publishing.published import published
from mistrust.publishing.shelf import Shelf

# The rows made for a chapter's claims are imported by name.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def checkout(monkeypatch):
    """What is published and claimed is that of this checkout."""
    monkeypatch.setenv("MISTRUST_ROOT", str(Path(__file__).parents[3]))


@pytest.fixture(scope="module")
def numbers(request):
    """What the papers of the module's chapter print; tests take a copy, as changes are made in place."""
    return published(request.path.stem.removeprefix("test_"))


@pytest.fixture(scope="module")
def shelf(said):
    """The module's rows, laid out once for all claims."""
    return Shelf(said)


@pytest.fixture(scope="module")
def without(said):
    """The module's rows but those with these values (column, value), laid out once for all claims that read them."""

    @cache
    def left(*part):
        gone = np.logical_and.reduce([said[column] == value for column, value in part])
        return Shelf(said[~gone].reset_index(drop=True))

    return left
