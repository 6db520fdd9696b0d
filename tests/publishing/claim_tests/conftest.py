import sys
from pathlib import Path

import pytest

# The rows made for a chapter's claims are imported by name.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def checkout(monkeypatch):
    """What is published and claimed is that of this checkout."""
    monkeypatch.setenv("MISTRUST_ROOT", str(Path(__file__).parents[3]))
