import sys
from pathlib import Path

import pytest

# The workshop is imported by other processes too, by its name.
sys.path.insert(0, str(Path(__file__).parent))

import store_workshop


@pytest.fixture
def workshop(house):
    """Real processes that make things in the test's own store."""
    return store_workshop
