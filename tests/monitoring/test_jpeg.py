"""Images as JPEG would have left them, beside Pillow and OpenCV."""

import io

import cv2
import numpy as np
import pytest
import torch
from PIL import Image

from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.monitoring.jpeg import QUALITY, as_jpeg
from mistrust.monitoring.sizes import resized


@pytest.fixture(scope="module")
def photos():
    return load("photos", "test").take(slice(0, 12))


def grey(images):
    one = images.images[:, :1].contiguous()
    return ImageSet("grey", one, images.labels, images.ids, images.classes)


def by_pillow(pixels, quality):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=quality, subsampling="4:2:0")
    return np.array(Image.open(file))


@pytest.mark.parametrize("quality", [QUALITY, 1, 95])
@pytest.mark.parametrize("channels", [1, 3])
def test_pixels_are_pillows(photos, channels, quality):
    given = photos if channels == 3 else grey(photos)
    made = as_jpeg(given, quality)
    for one, found in zip(given.images, made.images, strict=True):
        expected = by_pillow(one.permute(1, 2, 0).squeeze(2).numpy(), quality)
        assert np.array_equal(found.permute(1, 2, 0).squeeze(2).numpy(), expected)


def test_opencv_compresses_alike(photos):
    made = as_jpeg(photos).images.permute(0, 2, 3, 1).numpy().astype(float)
    options = [
        cv2.IMWRITE_JPEG_QUALITY,
        QUALITY,
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR,
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420,
    ]
    lossy = np.abs(made - photos.images.permute(0, 2, 3, 1).numpy()).mean()
    for one, found in zip(photos.images.permute(0, 2, 3, 1).numpy(), made, strict=True):
        file = cv2.imencode(".jpg", one[..., ::-1], options)[1]
        assert np.abs(cv2.imdecode(file, cv2.IMREAD_COLOR)[..., ::-1] - found).mean() < 0.2 * lossy


def test_labels_ids_and_classes_stay(photos):
    made = as_jpeg(photos)
    assert torch.equal(made.ids, photos.ids)
    assert torch.equal(made.labels, photos.labels)
    assert (made.classes, made.images.dtype, made.images.shape) == (photos.classes, torch.uint8, photos.images.shape)
    assert not torch.equal(made.images, photos.images)


def test_an_image_does_not_hang_on_the_others(photos):
    whole, part = as_jpeg(photos), as_jpeg(photos.take(torch.tensor([5, 2])))
    assert torch.equal(part.images, whole.images[[5, 2]])


def test_floats_are_grey_levels_first(photos):
    floats = photos.with_images(photos.floats())
    assert torch.equal(as_jpeg(floats).images, as_jpeg(photos).images)


def test_a_better_quality_is_nearer_and_no_images_stay_none(photos):
    off = [(as_jpeg(photos, q).floats() - photos.floats()).abs().mean() for q in (10, 50, 95)]
    assert off[0] > off[1] > off[2] > 0
    assert len(as_jpeg(photos.take(slice(0, 0)))) == 0


@pytest.mark.parametrize("quality", [0, 96, -1, float("nan")])
def test_a_quality_out_of_range_is_named(photos, quality):
    with pytest.raises(MistrustError, match=rf"quality of JPEG is {quality}, expected 1 to 95\."):
        as_jpeg(photos, quality)


def test_other_numbers_of_channels_are_refused(photos):
    two = ImageSet("pairs", photos.images[:, :2].contiguous(), photos.labels, photos.ids, photos.classes)
    with pytest.raises(MistrustError, match="Images of 'pairs' have 2 channels, expected 1 or 3 for JPEG"):
        as_jpeg(two)


@pytest.mark.parametrize("call", [as_jpeg, lambda images: resized(images, 28)], ids=["as_jpeg", "resized"])
def test_what_is_no_image_set_is_named(call, photos):
    with pytest.raises(MistrustError, match="takes an ImageSet, whose ids key what is drawn, got Tensor"):
        call(photos.images)
