import sys
from pathlib import Path

import pytest
import torch

from mistrust.data import ImageSet

sys.path.insert(0, str(Path(__file__).parent))  # for `plain`


@pytest.fixture(scope="session")
def glyphs():
    """Tiny images of three classes, 40, 30 and 23 of them, so that pairs differ in their number of images."""
    generator = torch.Generator().manual_seed(0)
    labels = torch.tensor([0] * 40 + [1] * 30 + [2] * 23)[torch.randperm(93, generator=generator)]
    pixels = torch.randint(0, 120, (93, 1, 4, 4), generator=generator, dtype=torch.uint8)
    for label in range(3):
        pixels[labels == label, :, label] += 130
    return ImageSet("glyphs", pixels, labels, torch.arange(93), ("a", "b", "c"))
