"""Released folders: read back by the readers that they are made for, whole or not at all, nothing ever lost."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
import yaml

from mistrust.ambiguity.cards import copies
from mistrust.ambiguity.formats import FORMATS
from mistrust.ambiguity.glyphs import fours_and_nines
from mistrust.ambiguity.origin import Origin, origin
from mistrust.ambiguity.release import ready, release, whole
from mistrust.ambiguity.rivals import mixed
from mistrust.data import columns, idx, load
from mistrust.errors import MistrustError

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def parts():
    """Two real sets, of pixels mixed: no training is needed to write something."""
    digits = load("digits", "train")
    pairs = ["3/8", "4/9"]
    train = mixed(digits, pairs, 60, delta_max=0.4, role="train")
    return train, mixed(digits, pairs, 31, role="test", first_id=2_000_000)


@pytest.fixture(scope="module")
def photos():
    images = load("photos", "train")
    return mixed(images, None, 12, role="train"), mixed(images, None, 7, role="test", first_id=2_000_000)


@pytest.fixture
def folder(parts, tmp_path):
    return release(*parts, tmp_path / "data" / "ambiguous-digits", origin("digits"))


def test_numpy_reads_every_column(folder, parts):
    with np.load(folder / "ambiguous.npz") as found:  # no pickle is needed
        for split, one in zip(("train", "test"), parts, strict=True):
            assert np.array_equal(found[f"x_{split}"], one.images[:, 0].numpy())
            assert found[f"x_{split}"].dtype == np.uint8
            for key, column in (
                ("y", one.labels), ("soft", one.soft), ("pairs", one.pairs), ("probabilities", one.probabilities),
                ("decoder", one.decoder), ("latent", one.latent), ("ids", one.ids),
            ):  # fmt: skip
                assert np.array_equal(found[f"{key}_{split}"], column.numpy()), key
            assert found[f"seed_{split}"] == one.seed
        assert found["classes"].tolist() == list(parts[0].classes)


def test_torchvisions_mnist_reader_reads_it_as_mnist(folder, parts):
    from torchvision.datasets import MNIST
    from torchvision.datasets.mnist import read_sn3_pascalvincent_tensor as read

    for train, one in ((True, parts[0]), (False, parts[1])):
        found = MNIST(folder, train=train)
        assert torch.equal(found.data, one.images[:, 0])
        assert torch.equal(found.targets, one.labels)
        image, label = found[3]
        assert image.size == (8, 8)
        assert label == int(one.labels[3])
        begin = folder / "MNIST" / "raw" / ("train" if train else "t10k")
        for ending, column in (
            ("soft-idx2-double", one.soft), ("probabilities-idx2-double", one.probabilities),
            ("latent-idx2-double", one.latent), ("pairs-idx2-ubyte", one.pairs.to(torch.uint8)),
            ("decoder-idx1-int", one.decoder.to(torch.int32)), ("ids-idx1-int", one.ids.to(torch.int32)),
            ("seed-idx1-int", torch.tensor([one.seed], dtype=torch.int32)),
        ):  # fmt: skip
            assert torch.equal(read(f"{begin}-{ending}"), column), ending


@pytest.fixture
def datasets(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()
    return datasets


def test_a_release_of_mnists_own_size_is_read_as_mnist(tmp_path):
    """What a network for MNIST is fed: 28 by 28 pixels, by torchvision's reader and its transforms."""
    from torchvision.datasets import MNIST
    from torchvision.transforms.functional import pil_to_tensor

    figures = fours_and_nines(28, closings=5, slants=1, widths=1).draw(40, seed=0)
    parts = mixed(figures, None, 24, role="train"), mixed(figures, None, 9, role="test", first_id=2_000_000)
    folder = release(*parts, tmp_path / "glyphs", Origin("glyphs", "4s and 9s", "MIT", ""))
    for train, one in ((True, parts[0]), (False, parts[1])):
        found = MNIST(folder, train=train, transform=pil_to_tensor)
        assert found.data.shape == (len(one), 28, 28)
        assert torch.equal(torch.stack([found[i][0] for i in range(len(found))]), one.images)
        assert [found[i][1] for i in range(len(found))] == one.labels.tolist()


def test_hugging_faces_datasets_reads_the_folder(datasets, folder, parts, tmp_path):
    found = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in found.items()} == {"train": 60, "test": 31}
    for split, one in zip(("train", "test"), parts, strict=True):
        rows = found[split]
        for name in ("label", "first", "second"):
            assert rows.features[name].names == list(one.classes)
        assert rows["label"][:] == one.labels.tolist()
        assert rows["first"][:] == one.pairs[:, 0].tolist()
        assert rows["second"][:] == one.pairs[:, 1].tolist()
        assert rows["p_first"][:] == one.probabilities[:, 0].tolist()
        assert rows["p_second"][:] == one.probabilities[:, 1].tolist()
        assert rows["probabilities"][:] == one.soft.tolist()
        assert rows["decoder"][:] == one.decoder.tolist()
        assert rows["latent"][:] == one.latent.tolist()
        assert rows["id"][:] == one.ids.tolist()
        assert rows["seed"][:] == [one.seed] * len(one)
        pixels = np.stack([np.asarray(image) for image in rows["image"][:]])
        assert np.array_equal(pixels, one.images[:, 0].numpy())


def test_train_and_test_are_different_files_for_every_reader(datasets, folder, tmp_path):
    """The published loaders map both to the same file."""
    from torchvision.datasets import MNIST

    found = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    by_datasets = [np.stack([np.asarray(image) for image in found[split]["image"][:]]) for split in ("train", "test")]
    by_torchvision = [MNIST(folder, train=train).data.numpy() for train in (True, False)]
    with np.load(folder / "ambiguous.npz") as arrays:
        by_numpy = [arrays["x_train"], arrays["x_test"]]
    for train, test in (by_datasets, by_torchvision, by_numpy):
        rows = {image.tobytes() for image in train}
        assert not any(image.tobytes() in rows for image in test)


def test_it_is_a_set_of_ones_own_for_this_library(folder, parts, monkeypatch):
    monkeypatch.setenv("MISTRUST_DATA", str(folder.parent))
    train, test = load("ambiguous-digits", "train"), load("ambiguous-digits", "test")
    assert torch.equal(train.images, parts[0].images)
    assert torch.equal(test.labels, parts[1].labels)
    assert train.classes == parts[0].classes
    beside = columns("ambiguous-digits", "test")
    assert beside["p_first"].tolist() == parts[1].probabilities[:, 0].tolist()
    with pytest.raises(MistrustError, match="Under which licence may images made of 'ambiguous-digits' be passed on"):
        origin("ambiguous-digits")
    assert origin("ambiguous-digits", "CC BY-SA 4.0").identifier == "cc-by-sa-4.0"


def test_colour_images(datasets, photos, tmp_path, monkeypatch):
    folder = release(*photos, tmp_path / "data" / "colours", origin("photos"))
    expected = photos[0].images.permute(0, 2, 3, 1)
    with np.load(folder / "ambiguous.npz") as arrays:
        assert np.array_equal(arrays["x_train"], expected.numpy())
    assert torch.equal(idx.read(folder / "MNIST" / "raw" / "train-images-idx4-ubyte"), expected)
    found = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"), split="train")
    assert np.array_equal(np.stack([np.asarray(image) for image in found["image"][:]]), expected.numpy())
    monkeypatch.setenv("MISTRUST_DATA", str(folder.parent))
    assert torch.equal(load("colours", "train").images, photos[0].images)
    seen: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(block.replace("FOLDER", str(folder)).replace("load_dataset(", "repr("), seen)
    assert torch.equal(seen["images"], expected)


def test_the_card_says_what_it_must(folder, parts):
    text = (folder / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    assert head["license"] == "cc-by-4.0"
    assert head["configs"][0]["data_files"] == [
        {"split": "train", "path": "train.parquet"}, {"split": "test", "path": "test.parquet"},
    ]  # fmt: skip
    train, test = parts
    best = f"{float(train.probabilities.amax(1).mean()):.3f} | {float(test.probabilities.amax(1).mean()):.3f}"
    for said in (
        "60 train images and 31 test images (8x8, grey)",
        f"| best possible top-1 accuracy against `label` | {best} |",
        "| 3 / 8 | 30 | ",
        "bit by bit | | 0 |",
        "by mixing",
        "CC BY 4.0 (UCI Machine Learning Repository), as digits",
        "Alpaydin and Kaynak",
    ):
        assert said in text
    listed = set(re.findall(r"^\| `([^`]+)` \| ", text, re.MULTILINE)) | {"README.md"}
    assert listed == {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_cards_own_code_reads_the_folder(datasets, folder, parts):
    blocks = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    seen: dict[str, object] = {}
    for block in blocks:
        exec(block.replace("FOLDER", str(folder)), seen)
    assert seen["label"] == int(parts[0].labels[0])
    assert np.array_equal(seen["soft"], parts[0].soft.numpy())
    assert len(seen["parts"]["test"]) == 31


def test_made_json_holds_every_option(folder, parts):
    about = json.loads((folder / "made.json").read_text())
    for split, one in zip(("train", "test"), parts, strict=True):
        assert about["parts"][split] == {"images": len(one), "seed": one.seed, "made_by": one.made_by}
    assert about["origin"]["name"] == "digits"


def test_a_release_is_the_same_bytes_again(folder, parts, tmp_path):
    again = release(*parts, tmp_path / "again", origin("digits"))
    for path in folder.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (again / path.relative_to(folder)).read_bytes(), path.name


def test_formats_alone_write_what_they_say(parts, tmp_path):
    for name, one in FORMATS.items():
        folder = release(*parts, tmp_path / name, origin("digits"), (name,))
        found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        assert found == {*one.files({"train": parts[0], "test": parts[1]}), "README.md", "made.json"}
        assert ("configs" in (folder / "README.md").read_text()) == (name == "parquet")
    for wrong, message in (
        (("npx",), "There is no format of released sets 'npx'. Did you mean 'npz'"),
        ((), "No form"),
    ):
        with pytest.raises(MistrustError, match=message):
            release(*parts, tmp_path / "wrong", origin("digits"), wrong)
    assert not (tmp_path / "wrong").exists()


# Nothing lost, nothing half.


@pytest.mark.parametrize("kind", ["folder", "full folder", "file", "dangling link"])
def test_what_exists_is_refused_and_stays(parts, tmp_path, kind):
    place = tmp_path / "there"
    if kind.endswith("folder"):
        place.mkdir()
    if kind == "full folder":
        (place / "mine.txt").write_text("years of work")
    if kind == "file":
        place.write_text("years of work")
    if kind == "dangling link":
        place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(MistrustError, match=r"there exists already, and nothing is ever written over: name another"):
        release(*parts, place, origin("digits"))
    assert os.path.lexists(place)
    if kind == "full folder":
        assert (place / "mine.txt").read_text() == "years of work"
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_folder_that_cannot_be_written_is_told_at_once(parts, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(MistrustError, match=r"set cannot be written: .*file refuses \(Not a directory\)"):
        ready(tmp_path / "file" / "deep" / "set")
    if os.geteuid() != 0:  # root may write everywhere
        shut = tmp_path / "shut"
        shut.mkdir(mode=0o500)
        with pytest.raises(MistrustError, match="shut refuses"):
            release(*parts, shut / "set", origin("digits"))
    elif sys.platform == "linux":  # but not there
        with pytest.raises(MistrustError, match="/proc refuses"):
            release(*parts, "/proc/set", origin("digits"))


def test_a_failure_half_way_leaves_nothing(parts, tmp_path):
    train, test = parts
    many = tuple(f"class {k}" for k in range(300))
    from dataclasses import replace

    with pytest.raises(MistrustError, match="has 300 classes; a label in idx files is a byte"):
        release(
            replace(train, classes=many), replace(test, classes=many), tmp_path / "a" / "b" / "set", origin("digits")
        )
    assert list(tmp_path.iterdir()) == []  # the folders above are gone, too


def test_folders_above_are_made_and_those_of_others_stay(parts, tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(RuntimeError, match="stop"), whole(tmp_path / "a" / "b" / "set"):
        raise RuntimeError("stop")
    assert list(tmp_path.rglob("*")) == [tmp_path / "a"]
    assert release(*parts, tmp_path / "a" / "b" / "set", origin("digits")).is_dir()


def test_a_folder_that_comes_to_exist_meanwhile_is_not_touched(tmp_path):
    place = tmp_path / "set"

    def write():
        with whole(place) as part:
            (part / "ours").write_text("x")
            place.mkdir()  # an empty one, whose place a rename would take

    with pytest.raises(MistrustError, match=r"it came to exist meanwhile.*the same command goes on"):
        write()
    assert list(tmp_path.rglob("*")) == [place]


LARGE = """
import resource, sys, torch
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.origin import Origin
from mistrust.ambiguity.release import release
from mistrust.errors import MistrustError

def large(n, first):
    pixels = torch.randint(0, 256, (n, 1, 28, 28), dtype=torch.uint8, generator=torch.Generator().manual_seed(first))
    zero = torch.zeros(n, dtype=torch.int64)
    half = torch.full((n, 2), 0.5, dtype=torch.float64)
    return AmbiguousSet("large", pixels, torch.stack([zero, zero + 1], 1), half, zero, torch.arange(first, first + n),
                        zero, half, ("a", "b"), 0, {})

n = int(sys.argv[3])
if sys.argv[2] == "full":
    sys.dont_write_bytecode = True  # else what is imported from here on would be cut short there
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    release(large(n, 0), large(n // 2, n), sys.argv[1], Origin("own", "own", "MIT", ""))
except MistrustError as error:
    print(error)
"""


def test_a_disk_without_room_is_told_and_nothing_is_left(tmp_path):
    pytest.importorskip("resource", reason="a limit on the size of files stands in for a full disk")
    done = subprocess.run(
        [sys.executable, "-c", LARGE, str(tmp_path / "set"), "full", "600"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"No space left for {tmp_path / 'set'} ({os.strerror(errno.EFBIG)}).")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_release_leaves_no_folder(tmp_path):
    running = subprocess.Popen([sys.executable, "-c", LARGE, str(tmp_path / "set"), "-", "6000"])
    try:
        end = time.monotonic() + 120
        while not list(tmp_path.glob(".set.*.part/MNIST/raw/*")):
            assert running.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    assert not (tmp_path / "set").exists()
    assert ready(tmp_path / "set") == tmp_path / "set"  # the next try is not in its way


def test_parts_must_fit_together_and_differ(parts, photos, tmp_path):
    train, test = parts
    for pair, message in (
        ((train, train), "All 60 test images are train images, too"),
        ((train, train.take([5, 3, 59])), "All 3 test images are train images, too"),
        ((train, photos[1]), r"images of \(1, 8, 8\) and \(3, 32, 32\)"),
        ((train, test.take([])), "The test set holds no images"),
    ):
        with pytest.raises(MistrustError, match=message):
            release(*pair, tmp_path / "set", origin("digits"))
    assert list(tmp_path.iterdir()) == []
    assert copies(train.take([0, 1]), train) == 2
    assert copies(test, train) == 0


# Licences.


@pytest.mark.parametrize(
    ("name", "identifier"),
    [("digits", "cc-by-4.0"), ("fmnist", "mit"), ("mnist", "unknown"), ("cifar10", "unknown"), ("photos", "cc-by-2.0")],
)
def test_the_licence_comes_from_the_sets_entry(name, identifier):
    assert origin(name).identifier == identifier


def test_images_of_ones_own_need_a_licence():
    images = load("digits", "train")
    with pytest.raises(MistrustError, match=r"Name it: --licence \"CC BY 4.0\""):
        origin(images)
    assert origin(images, " MIT ").terms == "MIT"
    own = Origin("own", "own", "for my class only", "")
    assert own.identifier == "other"
    with pytest.raises(MistrustError, match="has several lines"):
        origin(images, "MIT\nno")
    with pytest.raises(MistrustError, match=r"'digits' has its own terms \(CC BY 4.0"):
        origin("digits", "MIT")
    with pytest.raises(MistrustError, match="Did you mean 'digits'"):
        origin("digts")


def test_another_licence_is_named_in_the_head(parts, tmp_path):
    folder = release(*parts, tmp_path / "set", Origin("own", "own", "for my class only", ""), ("parquet",))
    head = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
    assert (head["license"], head["license_name"]) == ("other", "for my class only")


def test_files_are_settled_as_windows_allows_it(monkeypatch, tmp_path):
    """There a file that was opened to be read only cannot be put on the disk: EBADF."""
    fcntl = pytest.importorskip("fcntl")
    real = os.fsync

    def windows(number):
        if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")
        real(number)

    monkeypatch.setattr(os, "fsync", windows)
    with whole(tmp_path / "there") as part:
        (part / "a.txt").write_bytes(b"1")
    assert (tmp_path / "there" / "a.txt").read_bytes() == b"1"
