"""Search order, the decoded cache, and every way in which files can be missing or wrong."""

import hashlib
import json
import logging
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors import safe_open

from mistrust.data import SOURCES, cache, columns, get, listing, load
from mistrust.data.idx import Idx
from mistrust.data.source import Remote, Source
from mistrust.errors import MistrustError, MistrustWarning, UnknownName


@pytest.fixture
def tiny(alone, write_idx, noise, monkeypatch):
    """An entry `tiny` in the table: 4 + 2 grey images as idx files in MISTRUST_DATA."""
    monkeypatch.setattr("mistrust.data.idx.remotes", lambda kind: ())
    entry = Source(
        "tiny", "a tiny set", ("no", "yes"), 1, (3, 2), {"train": 4, "test": 2}, Idx("MNIST"), "", "", "",
        folders=("tiny", "TINY/raw"), get="ask its makers",
    )  # fmt: skip
    monkeypatch.setitem(SOURCES._entries, "tiny", entry)

    def write(folder, seed=0, pack=".gz"):
        for part, n in (("train", 4), ("t10k", 2)):
            write_idx(folder / f"{part}-images-idx3-ubyte{pack}", noise(n, 3, 2, seed=seed))
            write_idx(folder / f"{part}-labels-idx1-ubyte{pack}", np.arange(n) % 2)
        return torch.from_numpy(noise(4, 3, 2, seed=seed))

    return write


def test_first_place_that_has_the_files_wins(alone, tiny):
    places = [
        (alone.shared / "tiny", ""),
        (alone.cache / "TINY" / "raw", ""),
        (alone.cache / "tiny", ".gz"),
        (alone.data / "TINY" / "raw", ".gz"),
        (alone.data / "tiny", ".gz"),
    ]
    shown = [
        "../shared/data/tiny",
        "data/cache/TINY/raw",
        "data/cache/tiny",
        "MISTRUST_DATA/TINY/raw",
        "MISTRUST_DATA/tiny",
    ]
    for seed, ((folder, pack), name) in enumerate(zip(places, shown, strict=True)):
        pixels = tiny(folder, seed, pack)  # each place comes before those so far
        assert torch.equal(load("tiny", "train").images[:, 0], pixels)
        assert {one.name: one.where for one in listing()}["tiny"] == name


def test_an_incomplete_place_is_passed_over(alone, tiny):
    tiny(alone.data / "tiny", 1)
    pixels = tiny(alone.shared / "tiny", 2)
    (alone.data / "tiny" / "train-labels-idx1-ubyte.gz").unlink()
    assert torch.equal(load("tiny", "train").images[:, 0], pixels)
    assert {one.name: one.where for one in listing()}["tiny"] == "train: ../shared/data/tiny, test: MISTRUST_DATA/tiny"


def test_ids_go_on_from_train_to_test(alone, tiny):
    tiny(alone.data / "tiny")
    assert load("tiny", "train").ids.tolist() == [0, 1, 2, 3]
    assert load("tiny", "test").ids.tolist() == [4, 5]
    assert columns("tiny", "test").index.tolist() == [4, 5]


def test_the_second_load_reads_the_decoded_copy_alone(alone, tiny):
    tiny(alone.data / "tiny")
    first = load("tiny", "train")
    path = alone.data / "tiny" / "train-images-idx3-ubyte.gz"
    about = path.stat()
    path.write_bytes(bytes(about.st_size))  # nothing that could be decoded, but no sign of it from outside
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    second = load("tiny", "train")
    assert torch.equal(first.images, second.images)
    assert first.checksum == second.checksum
    assert second.ids.tolist() == [0, 1, 2, 3]


def test_changed_files_are_read_anew(alone, tiny):
    tiny(alone.data / "tiny", 1)
    first = load("tiny", "train")
    pixels = tiny(alone.data / "tiny", 2)
    assert torch.equal(load("tiny", "train").images[:, 0], pixels)
    assert load("tiny", "train").checksum != first.checksum


def test_a_decoded_copy_serves_when_its_files_are_gone(alone, tiny):
    tiny(alone.data / "tiny")
    first = load("tiny", "train")
    for path in (alone.data / "tiny").iterdir():
        path.unlink()
    assert load("tiny", "train").checksum == first.checksum
    about = {one.name: one for one in listing()}["tiny"]
    assert not about.found
    assert about.where == "train: data/cache/decoded, test: not here (ask its makers)"
    with pytest.raises(MistrustError, match=r"The train part of 'tiny'.*is not here"):
        columns("tiny", "train")


def test_writing_to_the_images_changes_no_file(alone, tiny):
    tiny(alone.data / "tiny")
    load("tiny", "train")
    mapped = load("tiny", "train")
    before = mapped.images.clone()
    mapped.images.zero_()
    assert torch.equal(load("tiny", "train").images, before)


def damage_pixels(path):
    raw = bytearray(path.read_bytes())
    begin = 8 + int.from_bytes(raw[:8], "little")
    raw[begin + 5] ^= 1
    path.write_bytes(raw)


def damage_classes(path):
    raw = path.read_bytes()
    assert raw.count(b"yes") == 1
    path.write_bytes(raw.replace(b"yes", b"yea"))


DAMAGES = {
    "a bit": damage_pixels,
    "a class name": damage_classes,
    "the end": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "all": lambda path: path.write_bytes(b""),
    "the header": lambda path: path.write_bytes(b"\xff" * 8 + path.read_bytes()[8:]),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_decoded_copy_is_made_again(alone, tiny, damage, caplog):
    pixels = tiny(alone.data / "tiny")
    load("tiny", "train")
    path = cache.file("tiny", "train")
    damage(path)
    with caplog.at_level(logging.WARNING, "mistrust.data"):
        assert torch.equal(load("tiny", "train").images[:, 0], pixels)
    assert str(path) in caplog.text
    assert "altered" in caplog.text
    caplog.clear()
    assert torch.equal(load("tiny", "train").images[:, 0], pixels)
    assert caplog.text == ""


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_decoded_copy_is_named_when_the_files_are_gone(alone, tiny, damage):
    tiny(alone.data / "tiny")
    checksum = load("tiny", "train").checksum
    damage(cache.file("tiny", "train"))
    for path in (alone.data / "tiny").iterdir():
        path.unlink()
    with pytest.raises(MistrustError, match=r"tiny\.train\.safetensors is .*altered") as caught:
        load("tiny", "train")
    if damage in (damage_pixels, damage_classes):
        assert f"expected {checksum}" in str(caught.value)


def test_decoded_copies_of_equal_content_are_equal_files(alone, tiny):
    tiny(alone.data / "tiny")
    load("tiny", "train")
    first = cache.file("tiny", "train").read_bytes()
    cache.file("tiny", "train").unlink()
    load("tiny", "train")
    assert cache.file("tiny", "train").read_bytes() == first
    with safe_open(cache.file("tiny", "train"), "pt") as content:
        assert json.loads(content.metadata()["about"])["classes"] == ["no", "yes"]
        assert content.get_tensor("images").dtype == torch.uint8


def test_an_unwritable_cache_costs_only_time(alone, tiny, caplog):
    pixels = tiny(alone.data / "tiny")
    (alone.cache / "decoded").write_text("in the way of the folder")
    with caplog.at_level(logging.WARNING, "mistrust.data"):
        assert torch.equal(load("tiny", "train").images[:, 0], pixels)
    assert "was not kept" in caplog.text


def test_another_checksum_than_the_tables_is_refused(alone, tiny, monkeypatch):
    tiny(alone.data / "tiny")
    good = load("tiny", "train").checksum
    entry = SOURCES["tiny"]
    monkeypatch.setitem(SOURCES._entries, "tiny", Source(**{**vars(entry), "checksums": {"train": "0" * 20}}))
    # The copy of another version is passed over, and the files themselves are named.
    with pytest.raises(MistrustError, match=f"'tiny' in .*tiny is altered: .*checksum {good}, expected 0{{20}}"):
        load("tiny", "train")


def test_another_number_of_images_is_refused(alone, tiny, monkeypatch):
    tiny(alone.data / "tiny")
    entry = SOURCES["tiny"]
    monkeypatch.setitem(SOURCES._entries, "tiny", Source(**{**vars(entry), "counts": {"train": 5, "test": 2}}))
    with pytest.raises(MistrustError, match="holds 4 images in the train part of 'tiny', expected 5"):
        load("tiny", "train")


@pytest.mark.parametrize("name", ["mnist", "fmnist"])
def test_altered_mnist_files_are_named_with_torchvisions_md5(alone, write_idx, noise, name):
    from torchvision import datasets

    kind = {"mnist": datasets.MNIST, "fmnist": datasets.FashionMNIST}[name]
    path = write_idx(alone.data / name / "train-images-idx3-ubyte.gz", noise(2, 28, 28))
    write_idx(alone.data / name / "train-labels-idx1-ubyte.gz", noise(2))
    found = hashlib.md5(path.read_bytes()).hexdigest()
    expected = dict(kind.resources)[path.name]
    with pytest.raises(
        MistrustError, match=f"{path} is truncated or altered: its md5 checksum is {found}, expected {expected}"
    ):
        load(name, "train")


def test_altered_unpacked_mnist_is_noticed_by_its_content(alone, write_idx, noise):
    # There is no published md5 of the unpacked files: the table knows the checksum of their content.
    write_idx(alone.data / "mnist" / "t10k-images-idx3-ubyte", noise(10_000, 28, 28))
    write_idx(alone.data / "mnist" / "t10k-labels-idx1-ubyte", np.zeros(10_000, np.uint8))
    with pytest.raises(
        MistrustError, match=r"'mnist' in .* is altered: .*checksum \w{20}, expected 79cc31b5ec5c4561c835"
    ):
        load("mnist", "test")


def test_images_of_another_size_are_refused(alone, write_idx, noise):
    write_idx(alone.data / "mnist" / "t10k-images-idx3-ubyte", noise(3, 27, 28))
    write_idx(alone.data / "mnist" / "t10k-labels-idx1-ubyte", noise(3))
    with pytest.raises(
        MistrustError, match=r"images of shape \(3, 27, 28\) and labels of shape \(3,\), expected \(n, 28, 28\)"
    ):
        load("mnist", "test")


def test_an_altered_thin_copy_is_named_with_both_checksums(alone, encode, write_parquet, noise):
    write_parquet(alone.data / "gtsrb" / "test.parquet", [encode(noise(32, 32, 3))], [0])
    with pytest.raises(
        MistrustError,
        match=r"gtsrb/test\.parquet is truncated or altered: its sha256 checksum is \w{64}, expected 4bcc9983",
    ):
        load("gtsrb-thin", "test")


@pytest.mark.parametrize("name", ["mnisst", "MNIST5", "", None, "../mine", "."])
def test_unknown_names(alone, name):
    with pytest.raises(
        UnknownName, match=f"There is no data set '{name}'.*Known: .*mnist5k.*`mistrust data list`"
    ) as caught:
        load(name, "train")
    if name == "mnisst":
        assert "Did you mean 'mnist'?" in str(caught.value)


def test_unknown_names_know_own_sets(own_set):
    with pytest.raises(UnknownName, match="Did you mean 'mine'"):
        load("minee", "train")


@pytest.mark.parametrize(
    ("name", "split", "message"),
    [
        ("btsc-test", "train", "'btsc-test' has no part 'train'. It has: test."),
        ("cifar10-lossless", "test", "'cifar10-lossless' has no part 'test'. It has: train."),
        ("mnist5k", "valid", "'mnist5k' has no part 'valid'. It has: train, test."),
    ],
)
def test_missing_parts_name_those_there_are(name, split, message):
    with pytest.raises(MistrustError) as caught:
        load(name, split)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        ("mnist", ["`mistrust data get mnist` downloads it", "/mnist/", "data/README.md", "`mistrust data list`"]),
        ("cifar10", ["`mistrust data get cifar10` downloads it", "/cifar10/"]),
        ("gtsrb", ["`mistrust data get gtsrb` downloads it"]),
        ("gtsrb-thin", ["A thin copy", "shared/data", "MISTRUST_DATA"]),
        ("btsc", ["BelgiumTSC_Training.zip", "/btsc/"]),
    ],
)
def test_absent_sets_say_how_to_get_them(alone, monkeypatch, name, ways):
    with pytest.raises(MistrustError, match=f"The train part of '{name}' .* is not here") as caught:
        load(name, "train")
    for way in ways:
        assert way in str(caught.value)
    monkeypatch.delenv("MISTRUST_DATA")
    with pytest.raises(MistrustError, match=r"FOLDER/.* and set MISTRUST_DATA=FOLDER"):
        load(name, "train")


def test_absent_says_which_file_is_lacking(alone, tiny, monkeypatch):
    tiny(alone.data / "tiny")
    (alone.data / "tiny" / "train-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(MistrustError, match=r"data/tiny lacks train-labels-idx1-ubyte\.gz"):
        load("tiny", "train")
    monkeypatch.setenv("MISTRUST_DATA", "nowhere/at/all")
    with (
        pytest.warns(MistrustWarning, match="MISTRUST_DATA names nowhere/at/all, which is no folder"),
        pytest.raises(MistrustError, match="MISTRUST_DATA names nowhere/at/all, which is no folder"),
    ):
        load("tiny", "train")


def test_loading_an_absent_set_uses_no_network(alone, monkeypatch):
    monkeypatch.setattr("mistrust.data.download.urlopen", lambda *a, **k: pytest.fail("the network was used"))
    monkeypatch.setattr("socket.socket.connect", lambda *a: pytest.fail("the network was used"))
    for name in SOURCES:
        for split in SOURCES[name].splits:
            if not SOURCES[name].package:
                with pytest.raises(MistrustError, match="is not here"):
                    load(name, split)
    assert listing()
    with pytest.raises(MistrustError, match="is not here"):
        get("cats_dogs")


def test_own_sets_load_by_folder_name(own_set):
    train = load("mine", "train")
    assert torch.equal(train.images, torch.from_numpy(own_set.pixels[:6].transpose(0, 3, 1, 2).copy()))
    about = {one.name: one for one in listing()}["mine"]
    assert (about.train, about.test, about.found, about.where) == (6, 2, True, "MISTRUST_DATA/mine")
    assert get("mine") == about
    (own_set.folder / "test.parquet").unlink()
    with pytest.raises(MistrustError, match=r"'mine' has no part 'test'. It has: train."):
        load("mine", "test")


def test_own_ids_follow_a_train_part_that_grows(own_set, encode, write_parquet, noise):
    assert load("mine", "test").ids.tolist() == [6, 7]
    write_parquet(own_set.folder / "train.parquet", [encode(one) for one in noise(9, 5, 4, 3)], [0] * 9)
    assert load("mine", "test").ids.tolist() == [9, 10]
    assert load("mine", "train").ids.tolist() == list(range(9))


def test_own_folders_that_are_none(own_set, alone):
    (alone.data / "empty").mkdir()
    with pytest.raises(MistrustError, match=r"empty holds neither train.parquet nor test.parquet"):
        load("empty", "train")
    (own_set.folder / "classes.txt").unlink()
    with pytest.raises(MistrustError, match=r"mine lacks classes.txt: one class per line"):
        load("mine", "train")
    about = {one.name: one for one in listing()}["mine"]
    assert not about.found
    assert "lacks classes.txt" in about.where


@pytest.mark.whole
def test_two_processes_at_once_get_the_same(own_set, alone):
    code = "import sys; from mistrust.data import load; sys.stdout.write(load('mine', 'train').checksum)"
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0] for process in running] == [load("mine", "train").checksum] * 2
    assert [path.name for path in (alone.cache / "decoded").iterdir()] == ["mine.train.safetensors"]


def test_remote_files_fit_the_reader():
    # What `get` downloads is what the reader looks for.
    for name in ("mnist", "fmnist"):
        entry = SOURCES[name]
        targets = {remote.target for remote in entry.remotes()}
        looked_for = {
            f"{entry.folders[1]}/{path.name}"
            for split in entry.splits
            for path in entry.reader.files(cache.paths.cache() / entry.folders[1], split)
        }
        assert targets == looked_for
        assert all(isinstance(remote, Remote) and len(remote.md5) == 32 for remote in entry.remotes())
