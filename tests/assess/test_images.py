"""Labelled images of a user: both layouts give the same set, and each mistake is named with the way out."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image
from small_world import CLASSES, bars, folder_of

from mistrust.assess.images import Wanted, class_file, read_images
from mistrust.assess.preparing import prepare
from mistrust.errors import MistrustError


def refused(folder, message, **wanted):
    with pytest.raises(MistrustError, match=message):
        read_images(folder, Wanted(**wanted))


def test_folders_give_every_file_with_its_class(world):
    found = read_images(world.test, Wanted())
    pixels, labels = bars(81, 0)
    assert found.images.classes == CLASSES
    assert found.found == len(found.images) == 81
    for row, name in enumerate(found.names):
        folder, _, file = name.partition("/")
        number = int(file.removesuffix(".png"))
        assert CLASSES[labels[number]] == folder == CLASSES[int(found.images.labels[row])]
        assert np.array_equal(found.images.images[row, 0].numpy(), pixels[number])


def test_parquet_gives_the_same_pixels(world, tmp_path):
    found = read_images(world.test, Wanted())
    rows = [
        {"image": {"bytes": (world.test / name).read_bytes(), "path": name}, "label": int(label)}
        for name, label in zip(found.names, found.images.labels, strict=True)
    ]
    pd.DataFrame(rows).to_parquet(tmp_path / "test.parquet")
    (tmp_path / "classes.txt").write_text("\n".join(CLASSES))
    again = read_images(tmp_path, Wanted())
    assert torch.equal(again.images.images, found.images.images)
    assert torch.equal(again.images.labels, found.images.labels)
    assert again.layout == "parquet (test)"


def test_a_limit_keeps_the_shares_of_classes_whatever_the_order(world):
    found = read_images(world.test, Wanted(limit=31))
    assert sorted(torch.bincount(found.images.labels).tolist()) == [10, 10, 11]
    assert found.found == 81
    other = read_images(world.test, Wanted(limit=31, seed=1))
    assert found.names != other.names
    assert read_images(world.test, Wanted(limit=31)).names == found.names


def test_names_tell_the_order_and_may_be_more_than_there_are_folders(world, tmp_path):
    (tmp_path / "names.txt").write_text("middle\nother\nlow\nhigh\n")
    found = read_images(world.test, Wanted(class_file(tmp_path / "names.txt")))
    assert found.images.classes == ("middle", "other", "low", "high")
    assert set(found.images.labels[[name.startswith("high") for name in found.names]].tolist()) == {3}
    refused(world.test, "has the class 'middle', which is not among the 2 of the model", classes=("high", "low"))


def test_sizes_and_channels_are_converted_when_asked(world, tmp_path):
    found = read_images(world.test, Wanted(size=(16, 12), channels=3))
    assert tuple(found.images.images.shape[1:]) == (3, 16, 12)
    one = Image.open(world.test / found.names[0]).resize((12, 16), Image.Resampling.BILINEAR)
    assert np.array_equal(found.images.images[0, 1].numpy(), np.asarray(one))


def test_a_class_of_the_training_images_alone_names_the_option_that_tells_it(world, tmp_path):
    train = folder_of(tmp_path / "train", *bars(12, 1))
    (train / "low").rename(train / "top")
    with pytest.raises(
        MistrustError,
        match=r"train has the class 'top', which is not among the 3 of the images in --images: high, low, middle. "
        r"Rename it, or name all classes of the model, in its order: --classes FILE\.",
    ):
        prepare(world.asked(train=str(train)))
    (tmp_path / "names.txt").write_text("\n".join(CLASSES))
    with pytest.raises(MistrustError, match=r"is not among the 3 of the model: .* or add it where it belongs"):
        prepare(world.asked(train=str(train), classes=str(tmp_path / "names.txt")))


class TestWhatIsRefused:
    @pytest.fixture
    def folder(self, tmp_path):
        return folder_of(tmp_path / "mine", *bars(12, 3))

    def test_an_empty_class_folder(self, folder):
        (folder / "none").mkdir()
        refused(folder, "The class folder .*none holds no image .*or remove it")

    def test_two_classes_with_one_name(self, folder):
        shutil.copytree(folder / "high", folder / "high ")
        refused(folder, r"two classes have one name, 'high' \('high' and 'high '\)")
        refused(folder, r"two classes have one name, 'high'", classes=("high", "low", "high"))

    def test_images_of_several_sizes(self, folder):
        Image.new("L", (9, 8)).save(folder / "low" / "zz.png")
        refused(
            folder, r"zz.png is 8x9 pixels \(height x width\), high.* is 8x8: all images must have one size.*--size"
        )

    def test_no_layout_at_all(self, folder, tmp_path):
        refused(tmp_path / "nowhere", "nowhere does not exist: expected one folder per class")
        refused(folder / "high", "holds no folders. 4 images lie in it without a class. Expected one folder per class")
        shutil.rmtree(folder / "high")
        shutil.rmtree(folder / "low")
        refused(folder, "has one class, 'middle': a classifier tells at least two")

    def test_a_file_that_is_no_image(self, folder):
        (folder / "low" / "zz.png").write_bytes(b"no image")
        refused(folder, "zz.png: no complete image")

    def test_broken_files_are_named_together(self, folder):
        for name in ("x1", "x2", "x3", "x4"):
            (folder / "low" / f"{name}.png").write_bytes(b"no image")
        refused(folder, r"4 of 16 images cannot be read: .*x1.png: .*x2.png: .*x3.png: .*; and 1 more. Mend or remove")

    def test_a_folder_one_level_too_high(self, folder, tmp_path):
        whole = tmp_path / "whole"
        shutil.copytree(folder, whole / "train")
        shutil.copytree(folder, whole / "test")
        refused(whole, r"holds test, train: parts of a set, it seems.* --images .*whole/test --train .*whole/train\.")
        shutil.copytree(folder, tmp_path / "once" / "more")
        refused(tmp_path / "once", "holds one folder, more, which holds 3: name that one, .*once/more")
        (whole / "train").rename(whole / "val")
        refused(whole, r"holds test, val: .* --images .*whole/test\. If they are classes")  # nothing to train with
        both = tmp_path / "both"
        shutil.copytree(folder / "low", both / "Test")
        shutil.copytree(folder / "high", both / "Training")
        found = read_images(both, Wanted(("Test", "Training")))  # they are classes: the model's names say so
        assert len(found.images) == 8

    def test_broken_files_beside_another_size(self, folder):
        (folder / "high" / "0.png").write_bytes(b"no image")
        Image.new("L", (9, 8)).save(folder / "low" / "zz.png")
        refused(folder, "all images must have one size.* Besides, 1 cannot be read: .*0.png")

    def test_a_class_folder_of_other_files(self, folder):
        (folder / "none").mkdir()
        (folder / "none" / "1.heic").touch()
        refused(folder, r"The class folder .*none holds no image \(.*\), but 1 .heic: put images")


def test_what_other_programs_left_is_not_read_and_other_files_are_named(world, tmp_path):
    folder = folder_of(tmp_path / "mine", *bars(12, 3))
    before = read_images(folder, Wanted())
    some = (folder / before.names[0]).read_bytes()
    for left in (".ipynb_checkpoints/1.png", "low/.ipynb_checkpoints/1.png", "low/._1.png", "__MACOSX/low/1.png"):
        (folder / left).parent.mkdir(parents=True, exist_ok=True)
        (folder / left).write_bytes(some)
    (folder / "low" / "notes.txt").touch()
    found = read_images(folder, Wanted())
    assert (found.images.classes, found.names) == (before.images.classes, before.names)
    assert before.notices == ()
    assert found.notices == (f"Not read, since no image by the suffix: 1 .txt, in {folder}.",)


def test_names_that_differ_by_capitals_alone_are_two_classes_and_that_is_said(tmp_path):
    folder = folder_of(tmp_path / "mine", *bars(12, 3))
    names = read_images(folder, Wanted()).images.classes
    found = read_images(folder, Wanted(classes=(names[0].upper(), *names)))
    assert len(found.images.classes) == 4
    alike = f"'{names[0].upper()}', '{names[0]}'"
    assert found.notices == (f"{folder}: {alike} differ by capitals alone, and count as classes of their own.",)


def test_files_that_a_viewer_turns_are_told_of(tmp_path):
    folder = folder_of(tmp_path / "mine", *bars(12, 3))
    name = folder / read_images(folder, Wanted()).names[0]
    with Image.open(name) as image:
        tags = image.getexif()
        tags[0x0112] = 6
        image.save(name, exif=tags)
    (notice,) = read_images(folder, Wanted()).notices
    assert notice.startswith(f"1 of 12 images in {folder} carry an orientation tag")


def test_tags_that_cannot_be_read_are_none(tmp_path):
    folder = folder_of(tmp_path / "mine", *bars(12, 3))
    name = folder / read_images(folder, Wanted()).names[0]
    with Image.open(name) as image:
        image.save(name, exif=b"none of TIFF")
    assert read_images(folder, Wanted()).notices == ()


def test_names_that_are_no_text_are_refused_and_suffixes_that_are_none_spelt(tmp_path):
    folder = folder_of(tmp_path / "mine", *bars(12, 3))
    (folder / os.fsdecode(b"notes.\xe9")).touch()
    assert read_images(folder, Wanted()).notices == (
        f"Not read, since no image by the suffix: 1 .\\udce9, in {folder}.",
    )
    (folder / "low").rename(folder / os.fsdecode(b"caf\xe9"))
    refused(
        folder, r"The names of 4 of 4 images are not UTF-8, such as .*/caf\\udce9/.*: rename the files or their fold"
    )


def test_a_class_without_training_images_is_named(world, tmp_path):
    train = shutil.copytree(world.train, tmp_path / "train")
    shutil.rmtree(train / "low")
    assert [one for one in prepare(world.asked(train=str(train))).notices if "have none of 'low': a supervisor" in one]
    assert not [one for one in prepare(world.asked(train=str(world.train))).notices if "have none of" in one]
