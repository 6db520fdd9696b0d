"""ImageNet's folder of validation images: one image of each of its 1,000 classes, or an error that names what lacks."""

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision import transforms

from mistrust.data import SOURCES
from mistrust.data.imagenet import ImageNetFolder
from mistrust.errors import MistrustError

READER, SOURCE = ImageNetFolder(side=6), SOURCES["imagenet"]
FOLDERS = [f"n{number:08d}" for number in range(1_000_000, 1_001_000)]


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """A made folder: class k has a picture of the colour (k mod 256, k div 256, 7), and a second one in black."""
    folder = tmp_path_factory.mktemp("imagenet")
    for label, name in enumerate(FOLDERS):
        place = folder / "val" / name
        place.mkdir(parents=True)
        (place / "notes.txt").touch()
        for file, colour in (("ILSVRC_2.png", (0, 0, 0)), ("ILSVRC_1.png", (label % 256, label // 256, 7))):
            Image.new("RGB", (9, 7), colour).save(place / file)
    return folder


def test_each_class_gives_its_first_image_in_imagenets_order(photographs):
    found = READER.read(photographs, "test", SOURCE)
    assert found.images.shape == (1000, 3, 6, 6)
    assert found.labels.tolist() == found.ids.tolist() == list(range(1000))
    colours = found.images[:, :, 3, 3]
    assert (colours[:, 0] + 256 * colours[:, 1].int()).tolist() == list(range(1000))
    assert found.classes[:2] == (f"{FOLDERS[0]} tench", f"{FOLDERS[1]} goldfish")
    assert len(set(found.classes)) == 1000  # torchvision has two cranes and two maillots
    files = READER.columns(photographs, "test", SOURCE)["file"]
    assert files.loc[999] == f"{FOLDERS[999]}/ILSVRC_1.png"
    assert READER.files(photographs, "train") == []


@pytest.mark.parametrize("size", [(31, 20), (20, 33), (18, 18)])
def test_an_image_is_resized_and_cut_as_torchvision_does(photographs, size):
    pixels = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    place = photographs / "val" / FOLDERS[0] / "ILSVRC_0.png"
    Image.fromarray(pixels).save(place)
    try:
        ours = READER.read(photographs, "test", SOURCE).images[0]
    finally:
        place.unlink()
    theirs = transforms.Compose([transforms.Resize(6), transforms.CenterCrop(6), transforms.PILToTensor()])
    # Margins of an odd width: torchvision rounds to even, so a picture may sit one pixel beside.
    expected = theirs(Image.fromarray(pixels))
    rolled = [torch.roll(ours, shift, axis) for axis in (1, 2) for shift in (-1, 0, 1)]
    inner = (slice(None), slice(1, -1), slice(1, -1))
    assert min(float((one[inner].int() - expected[inner].int()).abs().max()) for one in rolled) == 0


def test_a_folder_that_is_not_whole_is_refused(photographs, tmp_path):
    (tmp_path / "val" / FOLDERS[0]).mkdir(parents=True)
    with pytest.raises(MistrustError, match="has 1 class folders, expected 1,000, named n01440764"):
        READER.read(tmp_path, "test", SOURCE)
    place = photographs / "val" / FOLDERS[5]
    hidden = {path: path.rename(path.with_suffix(".gone")) for path in place.glob("*.png")}
    try:
        with pytest.raises(MistrustError, match=f"{FOLDERS[5]} holds no image"):
            READER.read(photographs, "test", SOURCE)
    finally:
        for path, other in hidden.items():
            other.rename(path)


def test_a_damaged_image_is_named(photographs):
    place = photographs / "val" / FOLDERS[3] / "ILSVRC_0.png"
    place.write_bytes(b"no image")
    try:
        with pytest.raises(MistrustError, match=f"{FOLDERS[3]}/ILSVRC_0.png is no complete image"):
            READER.read(photographs, "test", SOURCE)
    finally:
        place.unlink()
