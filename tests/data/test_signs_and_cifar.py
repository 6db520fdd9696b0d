"""The readers of files that torchvision downloads, on small real files in the same layout."""

import hashlib
import inspect
import pickle
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
import torch
from PIL import Image
from torch.nn.functional import interpolate
from torchvision import datasets

from mistrust.data import SOURCES
from mistrust.data.cifar import Cifar, remotes
from mistrust.data.signs import GTSRB, GTSRB_FILES, Signs, gtsrb_remotes, shrink
from mistrust.data.source import Source
from mistrust.errors import MistrustError

GERMAN = SOURCES["gtsrb"].reader
BELGIAN = SOURCES["btsc"].reader


def source(reader, counts=None):
    classes = ("first", "second", "third")
    return Source("tiny", "tiny", classes, 3, (32, 32), counts or {}, reader, "", "", "")


def write_signs(root, noise, labels=(0, 2)):
    """Two classes of a track of two frames each, sizes as uneven as in the original."""
    head = "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId\n"
    pixels = {}
    for label in labels:
        folder = root / f"{label:05d}"
        folder.mkdir(parents=True)
        lines = []
        for frame in range(2):
            name = f"00007_0000{frame}.ppm"
            pixels[label, frame] = noise(30 + 9 * frame, 41 + label, 3, seed=10 * label + frame)
            Image.fromarray(pixels[label, frame]).save(folder / name)
            lines.append(f"{name};{41 + label};{30 + 9 * frame};5;6;30;25;{label}\n")
        (folder / f"GT-{label:05d}.csv").write_text(head + "".join(lines))
    return pixels


@pytest.fixture
def german(tmp_path, noise):
    folder = tmp_path / "gtsrb"
    pixels = write_signs(folder / "GTSRB" / "Training", noise, labels=(0, 1))
    images = folder / "GTSRB" / "Final_Test" / "Images"
    images.mkdir(parents=True)
    lines = ["Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId\n"]
    for k, label in enumerate((2, 0, 1)):
        Image.fromarray(noise(33, 35 + k, 3, seed=50 + k)).save(images / f"{k:05d}.ppm")
        lines.append(f"{k:05d}.ppm;{35 + k};33;5;5;30;28;{label}\n")
    (folder / "GT-final_test.csv").write_text("".join(lines))
    return SimpleNamespace(folder=folder, pixels=pixels)


@pytest.mark.parametrize("split", ["train", "test"])
def test_gtsrb_equals_torchvision(german, split):
    assert all(path.exists() for path in GERMAN.files(german.folder, split))
    original = datasets.GTSRB(str(german.folder.parent), split=split)
    decoded = GERMAN.read(german.folder, split, source(GERMAN))
    assert decoded.labels.tolist() == [label for _, label in original]
    for image, (expected, _) in zip(decoded.images, original, strict=True):
        # OpenCV's bilinear resize has no antialiasing either; its fixed-point arithmetic may be one level off.
        reference = cv2.resize(np.asarray(expected), (32, 32), interpolation=cv2.INTER_LINEAR).transpose(2, 0, 1)
        assert np.abs(image.numpy().astype(int) - reference).max() <= 1
    assert decoded.ids.tolist() == ([0, 1, 2, 3] if split == "train" else [39_209, 39_210, 39_211])


def test_gtsrb_columns(german):
    frame = GERMAN.columns(german.folder, "train", source(GERMAN))
    assert frame["track"].tolist() == [7] * 4
    assert frame["frame"].tolist() == [0, 1, 0, 1]
    assert frame["width"].tolist() == [41, 41, 42, 42]
    assert frame["height"].tolist() == [30, 39, 30, 39]
    assert frame.iloc[0][["roi_x1", "roi_y1", "roi_x2", "roi_y2"]].tolist() == [5, 6, 30, 25]
    test = GERMAN.columns(german.folder, "test", source(GERMAN))
    assert test["index"].tolist() == [0, 1, 2]
    assert test["width"].tolist() == [35, 36, 37]
    assert test.index.tolist() == [39_209, 39_210, 39_211]


@pytest.mark.parametrize("root", ["Training", "BelgiumTSC_Training/Training"])
def test_btsc_reads_class_folders(tmp_path, noise, root):
    pixels = write_signs(tmp_path / root, noise)
    decoded = BELGIAN.read(tmp_path, "train", source(BELGIAN))
    assert decoded.labels.tolist() == [0, 0, 2, 2]
    assert np.array_equal(decoded.images[3].numpy(), shrink(pixels[2, 1].transpose(2, 0, 1), (32, 32)))
    frame = BELGIAN.columns(tmp_path, "train", source(BELGIAN))
    assert frame["pole"].tolist() == [7] * 4
    assert frame["view"].tolist() == [0, 1, 0, 1]


def test_odd_file_names_and_no_annotations_still_give_columns(tmp_path, noise):
    write_signs(tmp_path / "Training", noise)
    for path in (tmp_path / "Training").rglob("GT-*.csv"):
        path.unlink()
    (tmp_path / "Training" / "00000" / "00007_00000.ppm").rename(tmp_path / "Training" / "00000" / "left.ppm")
    frame = BELGIAN.columns(tmp_path, "train", source(BELGIAN))
    assert list(frame.columns) == ["file"]
    assert len(frame) == 4


def test_damaged_signs_are_named(german):
    path = german.folder / "GTSRB" / "Training" / "00001" / "00007_00001.ppm"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(MistrustError, match=r"00001/00007_00001\.ppm: no complete image"):
        GERMAN.read(german.folder, "train", source(GERMAN))
    (german.folder / "GT-final_test.csv").write_text("a,b\n1,2\n")
    with pytest.raises(MistrustError, match=r"GT-final_test\.csv is no table of labels"):
        GERMAN.read(german.folder, "test", source(GERMAN))
    path.parent.rename(path.parent.with_name("stop"))
    with pytest.raises(MistrustError, match=r"stop: the folders of images are named by class number"):
        GERMAN.read(german.folder, "train", source(GERMAN))


def test_class_folders_without_images(tmp_path):
    (tmp_path / "Training" / "00000").mkdir(parents=True)
    with pytest.raises(MistrustError, match="holds no ppm files in class folders"):
        BELGIAN.read(tmp_path, "train", source(BELGIAN))


def test_gtsrb_addresses_are_torchvisions():
    code = inspect.getsource(datasets.GTSRB.download)
    assert f'"{GTSRB}"' in code
    for name, md5 in GTSRB_FILES.items():
        assert name in code
        assert md5 in code
    assert {remote.unpack for remote in gtsrb_remotes()} == {"gtsrb"}


def test_shrink_of_a_flat_and_an_equal_sized_image(noise):
    assert np.unique(shrink(np.full((3, 50, 41), 77, np.uint8), (32, 32))).tolist() == [77]
    same = noise(3, 32, 32)
    assert np.array_equal(shrink(same, (32, 32)), same)
    # By hand: 4 pixels in a row to 2 are sampled half-way between neighbours 0, 1 and 2, 3.
    row = np.array([[[0, 100, 50, 150]]], np.uint8)
    assert shrink(row, (1, 2)).flatten().tolist() == [50, 100]
    assert isinstance(BELGIAN, Signs)


@pytest.mark.parametrize("shape", [(45, 61), (20, 32), (15, 90), (1, 1), (250, 31)])
def test_shrink_equals_torch(noise, shape):
    image = noise(3, *shape)
    reference = interpolate(torch.from_numpy(image)[None].double(), size=(32, 32), mode="bilinear", antialias=False)
    # Half-way values may be rounded either way.
    assert np.abs(shrink(image, (32, 32)) - reference[0].numpy()).max() <= 0.5 + 1e-3


@pytest.fixture
def cifar(tmp_path, noise):
    """CIFAR-10's layout with 2 + 1 images, and torchvision's own class with the md5 sums of these files."""
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    pixels = noise(3, 3, 32, 32)

    def write(name, content):
        raw = pickle.dumps(content)
        (folder / name).write_bytes(raw)
        return [name, hashlib.md5(raw).hexdigest()]

    train = write("data_batch_1", {"data": pixels[:2].reshape(2, -1), "labels": [2, 0]})
    test = write("test_batch", {"data": pixels[2:].reshape(1, -1), "labels": [1]})
    meta = write("batches.meta", {"label_names": ["first", "second", "third"]})

    class Small(datasets.CIFAR10):
        pass

    Small.train_list, Small.test_list = [train], [test]
    Small.meta = {"filename": meta[0], "key": "label_names", "md5": meta[1]}
    reader = Cifar(lambda: Small, batches=("data_batch_1", "test_batch", "batches.meta"))
    return SimpleNamespace(root=tmp_path, folder=folder, pixels=pixels, reader=reader)


def test_cifar_reads_back(cifar):
    entry = source(cifar.reader, {"train": 2, "test": 1})
    train, test = (cifar.reader.read(cifar.root, split, entry) for split in ("train", "test"))
    assert torch.equal(torch.cat([train.images, test.images]), torch.from_numpy(cifar.pixels))
    assert train.labels.tolist() == [2, 0]
    assert test.labels.tolist() == [1]
    assert test.ids.tolist() == [2]
    assert cifar.reader.columns(cifar.root, "test", entry).index.tolist() == [2]
    assert all(path.is_file() for path in cifar.reader.files(cifar.root, "train"))


@pytest.mark.parametrize("name", ["data_batch_1", "test_batch", "batches.meta"])
def test_an_altered_cifar_file_is_named_before_it_is_unpickled(cifar, name):
    path = cifar.folder / name
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    with pytest.raises(
        MistrustError, match=rf"{name} is truncated or altered: its md5 checksum is \w{{32}}, expected \w{{32}}"
    ):
        cifar.reader.read(cifar.root, "train", source(cifar.reader, {"train": 2, "test": 1}))


def test_cifar_classes_must_be_the_tables(cifar):
    entry = SOURCES["cifar10"]
    with pytest.raises(MistrustError, match=r"classes are \['first', 'second', 'third'\], expected \['airplane'"):
        cifar.reader.read(cifar.root, "train", entry)


def test_cifar_files_and_address_are_torchvisions():
    original = datasets.CIFAR10
    names = [name for name, _ in [*original.train_list, *original.test_list]]
    assert [*names, original.meta["filename"]] == list(Cifar().batches)
    (remote,) = remotes()
    assert remote.urls == (original.url,)
    assert remote.md5 == original.tgz_md5
