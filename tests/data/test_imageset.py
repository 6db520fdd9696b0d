import dataclasses
import hashlib
import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mistrust.data import ImageSet
from mistrust.errors import MistrustError


def make(n=6, **changed):
    given = {
        "name": "tiny",
        "images": torch.arange(n * 12, dtype=torch.uint8).reshape(n, 1, 4, 3),
        "labels": torch.arange(n) % 2,
        "ids": torch.arange(n) + 100,
        "classes": ("no", "yes"),
    }
    return ImageSet(**(given | changed))


def test_fields_are_kept_and_cannot_be_replaced():
    images = make()
    assert len(images) == 6
    assert images.classes == ("no", "yes")
    with pytest.raises(dataclasses.FrozenInstanceError):
        images.name = "other"
    assert repr(images) == "ImageSet(tiny: 6 of 4x3x1 uint8, 2 classes)"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"images": np.zeros((6, 1, 4, 3), np.uint8)}, r"images are a ndarray.*torch\.from_numpy"),
        ({"images": torch.zeros(6, 4, 3)}, r"shape \(6, 4, 3\), expected \(n, channels, height, width\).*need their"),
        ({"images": torch.zeros(6, 28, 28, 3)}, r"looks like \(n, height, width, channels\).*permute"),
        ({"images": torch.zeros(6, 1, 0, 3)}, r"shape \(6, 1, 0, 3\)"),
        ({"images": torch.zeros(6, 1, 4, 3, dtype=torch.float64)}, r"float64, expected uint8.*or float32"),
        ({"images": torch.full((6, 1, 4, 3), 255.0)}, r"from 255 to 255, expected \[0, 1\].*Divide by 255"),
        ({"images": torch.full((6, 1, 4, 3), -0.5)}, r"from -0.5 to -0.5, expected \[0, 1\].*a mean and a dev"),
        ({"images": torch.full((6, 1, 4, 3), 1.0000005)}, r"no NaN\. 4\.77e-07 above 1: images\.clamp\(0, 1\)"),
        ({"images": torch.full((6, 1, 4, 3), -0.1)}, r"0\.1 below 0: images\.clamp\(0, 1\)"),
        ({"images": torch.full((6, 1, 4, 3), torch.inf)}, r"NaN or infinite in 6 of 6 images, first in image 0"),
        (
            {"images": torch.zeros(6, 1, 4, 3).index_fill(0, torch.tensor([2, 4]), torch.nan)},
            r"no NaN\. NaN or infinite in 2 of 6 images, first in image 2",
        ),
        ({"images": torch.full((6, 1, 4, 3), float("nan"))}, r"expected \[0, 1\] and no NaN"),
        ({"labels": [0, 1, 0, 1, 0, 1]}, r"labels are a list, expected a torch tensor"),
        ({"labels": torch.zeros(5, dtype=torch.int64)}, r"labels have shape \(5,\), expected \(6,\)"),
        ({"labels": torch.zeros(6, dtype=torch.int32)}, r"labels are torch\.int32, expected int64"),
        ({"labels": torch.tensor([0, 1, 2, 0, 1, 0])}, r"label 2 of image 2 names no class: expected 0 to 1"),
        ({"labels": torch.tensor([0, 1, -1, 0, 1, 0])}, r"label -1 of image 2 names no class"),
        ({"ids": torch.tensor([1, 2, 3, 4, 5, 3])}, r"id 3 occurs more than once"),
        ({"ids": torch.zeros(6, 1, dtype=torch.int64)}, r"ids have shape \(6, 1\), expected \(6,\)"),
        ({"classes": ()}, r"classes are \(\)"),
        ({"classes": 2}, r"classes are 2, expected their names, .*\[str\(i\) for i in range\(10\)\]"),
        ({"classes": "no"}, "classes are 'no', expected their names"),
        ({"classes": ("yes", "yes")}, r"two classes are called 'yes'"),
        ({"classes": ("no", "a>b")}, r"a class is called 'a>b', but '>' cannot .*rows of results write '4>9'"),
        ({"classes": (0, 1)}, r"expected the name of each class as text"),
    ],
)
def test_what_does_not_fit_is_refused(changed, message):
    with pytest.raises(MistrustError, match=f"(?s)^tiny: .*{message}"):
        make(**changed)


def test_images_in_the_place_of_the_name_are_named_and_not_printed():
    with pytest.raises(MistrustError, match=r"^The name .* is of type Tensor, expected text. .* name, images, labels"):
        ImageSet(torch.zeros(1, 1, 2, 2), torch.zeros(1), torch.zeros(1), torch.arange(1), ("a", "b"))


def test_floats_are_the_bytes_over_255():
    values = torch.tensor([0, 51, 255], dtype=torch.uint8).reshape(3, 1, 1, 1)
    images = make(3, images=values)
    assert images.floats().flatten().tolist() == pytest.approx([0, 0.2, 1])
    assert images.floats().dtype == torch.float32
    assert images.images.tolist() == values.tolist()
    as_floats = images.with_images(images.floats())
    assert as_floats.floats() is as_floats.images


@pytest.mark.parametrize(
    "chosen",
    [[4, 0, -1], torch.tensor([4, 0, 5]), np.array([4, 0, 5], dtype=np.int32)],
    ids=["list", "tensor", "array"],
)
def test_take_keeps_everything_together(chosen):
    images = make()
    taken = images.take(chosen)
    assert taken.ids.tolist() == [104, 100, 105]
    assert taken.labels.tolist() == [0, 0, 1]
    assert torch.equal(taken.images, images.images[[4, 0, 5]])
    assert taken.checksum != images.checksum


def test_take_by_mask_slice_and_nothing():
    images = make()
    assert images.take(images.labels == 1).ids.tolist() == [101, 103, 105]
    assert images.take(slice(1, 3)).ids.tolist() == [101, 102]
    assert len(images.take([])) == 0
    assert len(images.take([]).checksum) == 20


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([6], "no image at position 6: it holds 6"),
        ([-7], "no image at position -7"),
        (torch.tensor([True, False]), "the mask has 2 entries, the set 6 images"),
        (torch.tensor([0.5]), "whole numbers or a mask, not torch.float32"),
        (torch.tensor([[1]]), r"one row of positions, not shape \(1, 1\)"),
    ],
)
def test_take_refuses(chosen, message):
    with pytest.raises(MistrustError, match=message):
        make().take(chosen)


def test_with_images_keeps_labels_and_ids():
    images = make()
    changed = images.with_images(torch.zeros(6, 3, 8, 8))
    assert changed.ids is images.ids
    assert changed.labels is images.labels
    assert changed.images.shape == (6, 3, 8, 8)
    assert changed.checksum != images.checksum
    with pytest.raises(MistrustError, match="5 images given in place of 6"):
        images.with_images(torch.zeros(5, 1, 4, 3))


def test_checksum_is_sha256_of_the_content():
    # Worked by hand from the definition in the docstring, not through the code under test.
    images = make(2)
    head = json.dumps([[2, 1, 4, 3], "torch.uint8", ["no", "yes"]]).encode()
    columns = np.array([0, 1], "<i8").tobytes() + np.array([100, 101], "<i8").tobytes()
    assert images.checksum == hashlib.sha256(head + bytes(range(24)) + columns).hexdigest()[:20]


@given(st.sampled_from(["images", "labels", "ids", "classes"]), st.integers(0, 5))
def test_checksum_tells_every_change(what, place):
    images = make()
    if what == "classes":
        changed = make(classes=("no", f"yes{place}"))
    else:
        values = getattr(images, what).clone()
        row = values[place]
        values[place] = row + 1 if what == "images" else (1 - row if what == "labels" else row + 1000)
        changed = make(**{what: values})
    assert changed.checksum != images.checksum


def test_checksum_ignores_name_and_memory_layout():
    images = make()
    strided = images.images.permute(0, 1, 3, 2).contiguous().permute(0, 1, 3, 2)
    assert not strided.is_contiguous()
    assert make(name="other", images=strided).checksum == images.checksum


@pytest.mark.parametrize(
    ("wrong", "way_out", "meant"),
    [
        (torch.arange(72) % 2 == 0, "images.float()", torch.arange(72) % 2 == 0),
        (torch.arange(72) * 3, "images.to(torch.uint8)", torch.arange(72) * 3 / 255),
        (torch.arange(72, dtype=torch.int32) % 2, "images.float(), if 1 is white", torch.arange(72) % 2),
        (torch.arange(72) * 900, "images.float() / 65535", torch.arange(72) * 900 / 65535),
        (torch.linspace(0, 1, 72).double(), "images.to(torch.float32)", torch.linspace(0, 1, 72)),
        (torch.arange(72).double() * 3, "images.to(torch.float32) / 255", torch.arange(72) * 3 / 255),
        (torch.linspace(0, 1, 72).half(), "images.to(torch.float32)", torch.linspace(0, 1, 72).half()),
    ],
)
def test_the_way_out_of_another_type_gives_the_images_that_were_meant(wrong, way_out, meant):
    images = wrong.view(6, 1, 4, 3)
    with pytest.raises(MistrustError) as told:
        make(images=images)
    assert str(told.value).endswith(f": {way_out}.")
    done = make(images=eval(way_out.split(",")[0], {"images": images, "torch": torch}))
    torch.testing.assert_close(done.floats().flatten(), meant.float())


def test_whole_numbers_below_0_are_no_images():
    with pytest.raises(MistrustError, match="values from 0 on, where these reach from -1 to 3"):
        make(images=torch.arange(72).view(6, 1, 4, 3) % 5 - 1)
