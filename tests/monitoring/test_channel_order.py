"""The paper's traffic signs have blue first and call it red: which faults would notice, as the chapter says."""

import pytest

from mistrust.data import load
from mistrust.inputs import FAULTS, faulty

# Water and mud have colours of their own; a grey pixel that is given saturation becomes red.
COLOURED = {"spatter", "saturate"}
# Drawn for each value of each channel: other values, of one law.
DRAWN = {"gaussian_noise", "impulse_noise", "shot_noise", "speckle_noise"}


def turned(images):
    return images.with_images(images.images.flip(1))


def apart(name, severity):
    photos = load("photos", "test").take(slice(0, 8))
    made, other = faulty(photos, name, severity), turned(faulty(turned(photos), name, severity))
    return int((made.images.int() - other.images.int()).abs().max())


@pytest.mark.parametrize(
    "name", [name for name, fault in FAULTS.items() if not fault.needs_classifier and name not in DRAWN]
)
def test_a_fault_made_of_turned_channels_is_the_turned_fault_but_for_two(name):
    found = [apart(name, severity) for severity in FAULTS[name].severities or (None,)]
    assert (max(found) > 1) == (name in COLOURED)
