"""Loaders of a local folder, on small made pictures in the layouts of the originals."""

import numpy as np
import pytest
import torch
from PIL import Image

from mistrust.errors import MistrustError
from mistrust.search.mechanisms import MECHANISMS, Sizes, celeba, folders, toned, zappos

ATTRIBUTES = ("5_o_Clock_Shadow", "Male", "Young")
# Number, partition, male: the partitions in turn, as the original's list does not have them, so that order counts.
FACES = [(number, number % 3, number // 3 % 2) for number in range(1, 25)]


def picture(path, seed, size=(178, 218)):
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path, "jpeg", quality=95)


@pytest.fixture
def faces(tmp_path, monkeypatch):
    folder = tmp_path / "celeba"
    for number, _, _ in FACES:
        picture(folder / "img_align_celeba" / f"{number:06d}.jpg", number)
    rows = [f"{number:06d}.jpg -1  {1 if male else -1} 1 " for number, _, male in FACES]
    (folder / "list_attr_celeba.txt").write_text("\n".join([str(len(FACES)), " ".join(ATTRIBUTES) + " ", *rows]) + "\n")
    (folder / "list_eval_partition.txt").write_text("".join(f"{n:06d}.jpg {part}\n" for n, part, _ in FACES))
    monkeypatch.setenv("MISTRUST_DATA", str(tmp_path))
    return folder


@pytest.fixture
def shoes(tmp_path, monkeypatch):
    folder, seed = tmp_path / "zappos50k", 0
    root = folder / "ut-zap50k-images"
    for kind, count in (("Boots/Ankle", 3), ("Sandals/Flat", 9), ("Shoes/Oxfords", 12), ("Slippers/Boot", 6)):
        for number in range(count):
            picture(root / kind / f"Brand {number % 2}" / f"{7000 + number}.{seed}.jpg", seed, (136, 102))
            seed += 1
    monkeypatch.setenv("MISTRUST_DATA", str(tmp_path))
    return folder


class TestCelebA:
    def test_partitions_labels_ids_and_pixels(self, faces):
        for part, number in celeba.PARTITIONS.items():
            images = celeba.celeba(faces, part)
            expected = [(n, male) for n, p, male in FACES if p == int(number)]
            assert images.ids.tolist() == [n for n, _ in expected]
            assert images.labels.tolist() == [male for _, male in expected]
            assert images.images.shape == (8, 3, 60, 73)  # height, width
            assert images.classes == ("female", "male")
        whole = Image.open(faces / "img_align_celeba" / f"{int(images.ids[0]):06d}.jpg").convert("RGB")
        resized = np.asarray(whole.resize((73, 60), Image.Resampling.BILINEAR))
        assert np.array_equal(images.images[0].permute(1, 2, 0).numpy(), resized)

    def test_the_first_ones_of_another_attribute(self, faces):
        images = celeba.celeba(faces, "test", 3, attribute="Young", size=(8, 9))
        assert len(images) == 3
        assert images.labels.tolist() == [1, 1, 1]
        assert images.classes == ("not Young", "Young")

    def test_the_mechanism_shows_gray_faces_at_test_time_alone(self, faces):
        colour, gray = (MECHANISMS["celeba"].parts(dose, 0, Sizes(6, 6, 7)) for dose in ("rgb", "gray"))
        assert (len(gray.train), len(gray.validation), len(gray.test)) == (6, 6, 7)
        assert gray.train.checksum == colour.train.checksum
        assert gray.test.checksum == toned(colour.test, "gray").checksum

    @pytest.mark.parametrize(
        ("file", "text", "message"),
        [
            ("list_eval_partition.txt", "000001.jpg\n", "is no partition: expected lines such as '000001.jpg 0'"),
            ("list_eval_partition.txt", "000001.jpg 7\n", "is no partition"),
            ("list_eval_partition.txt", "\n", "list_eval_partition.txt is empty"),
            ("list_eval_partition.txt", "000099.jpg 0\n", "says nothing about 000099.jpg"),
            ("list_attr_celeba.txt", "Male\n000001.jpg 1\n", "is no list of attributes"),
            ("list_attr_celeba.txt", "1\nmale\n000001.jpg 1\n", "no attribute 'Male'. Did you mean 'male'"),
            ("list_attr_celeba.txt", "1\nMale Young\n000001.jpg 1\n", "line of 000001.jpg has not 2 values of -1 or 1"),
            ("list_attr_celeba.txt", "1\nMale\n000001.jpg 0\n", "values of -1 or 1"),
        ],
    )
    def test_lists_in_another_layout(self, faces, file, text, message):
        (faces / file).write_text(text)
        with pytest.raises(MistrustError, match=message):
            celeba.celeba(faces, "train")

    def test_pictures_that_are_missing_or_cut_short(self, faces):
        one = faces / "img_align_celeba" / "000003.jpg"
        one.write_bytes(one.read_bytes()[:200])
        with pytest.raises(MistrustError, match=r"000003.jpg: no complete image \(200 bytes\)"):
            celeba.celeba(faces, "train")
        one.unlink()
        with pytest.raises(MistrustError, match=r"000003.jpg cannot be read: No such file"):
            celeba.celeba(faces, "train")
        with pytest.raises(MistrustError, match=r"no partition 'val'. Known: train, validation, test"):
            celeba.celeba(faces, "val")


class TestShoes:
    def test_boots_are_left_out_and_ids_count_all(self, shoes):
        images = zappos.zappos(shoes)
        assert images.images.shape == (27, 3, 64, 64)
        assert images.labels.tolist() == [0] * 9 + [1] * 12 + [0] * 6
        assert images.ids.tolist() == list(range(3, 30))
        assert images.classes == ("not shoe", "shoe")
        path = sorted((shoes / "ut-zap50k-images").rglob("*.jpg"), key=lambda p: p.as_posix())[3]
        resized = Image.open(path).convert("RGB").resize((64, 64), Image.Resampling.BILINEAR)
        assert np.array_equal(images.images[0].permute(1, 2, 0).numpy(), np.asarray(resized))

    def test_the_square_archive_goes_first(self, shoes):
        (shoes / "ut-zap50k-images").rename(shoes / "ut-zap50k-images-square")
        assert len(zappos.zappos(shoes, (8, 8))) == 27

    def test_the_mechanism_draws_from_the_seed(self, shoes):
        first, other = (MECHANISMS["zappos"].parts("75 epochs", seed, Sizes(12, 6, 9)) for seed in (0, 1))
        assert len(torch.cat([first.train.ids, first.validation.ids, first.test.ids]).unique()) == 27
        assert first.test.ids.tolist() != other.test.ids.tolist()

    def test_other_folders(self, shoes):
        picture(shoes / "ut-zap50k-images" / "Hats" / "1.jpg", 0)
        with pytest.raises(MistrustError, match=r"category 'Hats'. Known: Boots, Sandals, Shoes, Slippers"):
            zappos.zappos(shoes)
        with pytest.raises(MistrustError, match="holds neither ut-zap50k-images-square nor ut-zap50k-images"):
            zappos.zappos(shoes.parent)

    def test_a_category_without_pictures(self, shoes):
        for path in (shoes / "ut-zap50k-images" / "Slippers").rglob("*.jpg"):
            path.unlink()
        with pytest.raises(MistrustError, match="no pictures of the category 'Slippers'"):
            zappos.zappos(shoes)


class TestPlaces:
    def test_what_is_nowhere_says_what_is_missing_and_the_way(self, faces):
        (faces / "list_attr_celeba.txt").unlink()
        with pytest.raises(
            MistrustError,
            match=r"'celeba' is not here. .*celeba lacks list_attr_celeba.txt. Get the .* set MISTRUST_DATA=FOLDER",
        ):
            MECHANISMS["celeba"].parts("rgb", 0)
        with pytest.raises(MistrustError, match=r"'zappos50k' is not here. Get the images .* FOLDER/zappos50k/"):
            MECHANISMS["zappos"].parts("75 epochs", 0)

    def test_the_first_folder_that_has_all(self, faces):
        assert folders.place("celeba", celeba.IMAGES.split(), "") == faces.resolve()
