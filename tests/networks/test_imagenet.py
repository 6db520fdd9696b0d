"""torchvision's networks for ImageNet: sizes, images prepared as by torchvision, weights found, read and refused."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torchvision import models
from torchvision.transforms import functional

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import observe, parameter_count, wrap
from mistrust.networks.imagenet import (
    IMAGENET,
    MEAN,
    STD,
    imagenet_classifier,
    imagenet_images,
    imagenet_network,
)
from mistrust.networks.weights_files import WEIGHTS_FILES, weights_file

CLASSES = tuple(f"class {number}" for number in range(1000))


def photos(n=2, height=256, width=300, channels=3):
    draw = torch.Generator().manual_seed(0)
    coarse = torch.randint(0, 256, (n, channels, 9, 11), dtype=torch.uint8, generator=draw)
    pixels = functional.resize(coarse, [height, width])
    return ImageSet("made-up", pixels, torch.tensor([3, 999])[:n], torch.tensor([5, 8])[:n], CLASSES)


@pytest.mark.parametrize(
    ("name", "count"),
    # Facts B4; Inception v3 without its second output (with it 27,161,264).
    [("alexnet", 61_100_840), ("vgg16", 138_357_544), ("resnet152", 60_192_808), ("inception_v3", 23_834_568)],
)
def test_parameters_are_torchvisions(name, count):
    assert parameter_count(imagenet_network(name)) == count


def test_sizes_and_files_are_those_of_the_weights():
    found = {name: (one.size, one.resized, WEIGHTS_FILES[name]) for name, one in IMAGENET.items()}
    assert found == {
        "alexnet": (224, 256, "alexnet-owt-7be5be79.pth"),
        "vgg16": (224, 256, "vgg16-397923af.pth"),
        "resnet152": (224, 256, "resnet152-394f9c45.pth"),
        "inception_v3": (299, 342, "inception_v3_google-0cc3c7bd.pth"),
    }


@pytest.mark.parametrize("name", ["alexnet", "inception_v3"])
@pytest.mark.parametrize(("height", "width"), [(256, 300), (342, 342), (500, 375)])
def test_images_are_prepared_as_torchvision_prepares_them(name, height, width):
    images, preset = photos(height=height, width=width), IMAGENET[name].published.transforms()
    found = imagenet_images(images, name)
    assert found.images.dtype == torch.uint8
    assert torch.equal(found.ids, images.ids)
    assert torch.equal(found.labels, images.labels)
    scaled = wrap(torch.nn.Flatten(), CLASSES, mean=MEAN, std=STD).scaled(found.floats())
    # Rounding to whole grey levels: one apart at most, and seldom; the smallest std is .224.
    apart = (scaled - preset(images.images)).abs()
    assert apart.max() <= 1.01 / 255 / 0.224
    assert apart.mean() < 0.01 / 255 / 0.224


def test_images_that_have_the_right_side_keep_their_pixels():
    images = photos(height=256, width=256)
    assert torch.equal(imagenet_images(images, "vgg16").images, images.images[:, :, 16:240, 16:240])
    with pytest.raises(MistrustError, match="takes images of 3 channels, those of 'made-up' have 1"):
        imagenet_images(photos(channels=1), "vgg16")


@pytest.mark.whole
@pytest.mark.parametrize("name", ["alexnet", "resnet152"])
def test_random_weights_classify_two_images(name):
    classifier = imagenet_classifier(name, CLASSES, weights="random", seed=1)
    record = observe(classifier, imagenet_images(photos(), name))
    assert record.logits.shape == (2, 1000)
    assert record.logits.std() > 0
    assert not torch.equal(record.logits[0], record.logits[1])
    assert (classifier.name, classifier.key) == (name, f"{name}-random-1")


@pytest.mark.whole
def test_names_of_files_that_are_told_without_torchvision_are_its_own():
    assert {name: IMAGENET[name].published.url.rpartition("/")[2] for name in IMAGENET} == WEIGHTS_FILES
    code = "import sys, mistrust.robustness.experiment; assert 'torchvision' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.whole
def test_weights_of_a_file_and_of_torchvisions_folder(tmp_path, monkeypatch):
    """Inception v3: the second output that only training uses stands in the file and is left out afterwards."""
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    with pytest.raises(
        MistrustError, match=r"no weights for 'inception_v3': torchvision has downloaded none\. With int"
    ):
        imagenet_classifier("inception_v3", CLASSES)
    whole = models.inception_v3(weights=None, init_weights=False).eval()
    file = weights_file("inception_v3")
    assert file == tmp_path / "hub" / "checkpoints" / "inception_v3_google-0cc3c7bd.pth"
    file.parent.mkdir(parents=True)
    torch.save(whole.state_dict(), file)
    images = imagenet_images(photos(), "inception_v3")
    found, named = (imagenet_classifier("inception_v3", CLASSES, weights=w) for w in (None, str(file)))
    assert found.key == named.key
    assert parameter_count(found.module) == 23_834_568
    # By definition: these weights take images in [-1, 1].
    with torch.no_grad():
        expected = whole(images.floats() * 2 - 1)
    assert torch.allclose(observe(named, images).logits, expected, atol=1e-4)
    with pytest.raises(MistrustError, match=r"cannot be read as weights of 'alexnet': .*Missing key.*python -c"):
        imagenet_classifier("alexnet", CLASSES, weights=file)
    file.write_bytes(b"no weights")
    with pytest.raises(MistrustError, match="cannot be read as weights of 'inception_v3'"):
        imagenet_classifier("inception_v3", CLASSES)


@pytest.mark.parametrize(
    ("name", "classes", "weights", "message"),
    [
        ("alexnett", CLASSES, None, "no network for ImageNet 'alexnett'. Did you mean 'alexnet'"),
        ("alexnet", ("a", "b"), None, "'alexnet' tells 1,000 classes apart, got 2 names"),
        (
            "vgg16",
            CLASSES,
            Path("nowhere.pth"),
            r"nowhere.pth is no file\. .*vgg16\(weights='IMAGENET1K_V1'\).*397923af",
        ),
    ],
)
def test_bad_input(name, classes, weights, message):
    with pytest.raises(MistrustError, match=message):
        imagenet_classifier(name, classes, weights=weights)
