"""Every mechanism of the table on images at hand or made up, and what each does to its doses."""

import pytest
import torch

from mistrust.data import SOURCES, ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES
from mistrust.search.mechanisms import (
    MECHANISMS,
    TONES,
    Parts,
    Sizes,
    biased,
    brightness,
    embedded,
    overfitted,
    shifted,
    toned,
    two_groups,
    zappos,
)

SIZES = Sizes(60, 30, 90)
DATA = {"biased_training": biased, "shift_to_gray": shifted, "overfitting": overfitted, "few_digits": embedded}


def made_up(name, classes, channels=3, n=240, side=32):
    """Images of random brightness each, so that some are dark."""
    draws = torch.Generator().manual_seed(7)
    pixels = torch.rand(n, channels, side, side, generator=draws) * torch.rand(n, 1, 1, 1, generator=draws) * 255
    labels = torch.randint(0, len(classes), (n,), generator=draws)
    return ImageSet(name, pixels.to(torch.uint8), labels, torch.randperm(n, generator=draws), classes)


MADE_UP = {
    "biased_training": made_up("cats_dogs-32", ("cat", "dog")),
    "shift_to_gray": made_up("cifar10-jpeg", ("animal", "vehicle")),
    "overfitting": made_up("fmnist", ("summer", "winter"), 1),
    "few_digits": made_up("mnist5k", ("3", "5"), 1),
    "zappos": made_up("zappos50k", ("not shoe", "shoe")),
}
CASES = [(name, dose) for name in MADE_UP for dose in MECHANISMS[name].doses]


def cut(name, dose, seed=0, sizes=SIZES):
    mechanism = MECHANISMS[name]
    return mechanism.cut(MADE_UP[name], mechanism.level(dose), dose, seed, sizes)


def ids(images):
    return set(images.ids.tolist())


class TestEveryEntry:
    def test_the_table_has_the_papers_three_on_data_at_hand_its_own_two_and_a_quick_one(self):
        assert set(MECHANISMS) == {*DATA, "celeba", "zappos"}

    @pytest.mark.parametrize("name", MECHANISMS)
    def test_it_is_complete(self, name):
        entry = MECHANISMS[name]
        for text in (entry.title, entry.source, entry.about):
            assert len(text) > 10
        assert entry.control == next(iter(entry.doses))
        assert len(set(entry.doses.values())) == len(entry.doses) >= 1
        assert entry.architecture in ARCHITECTURES
        assert (entry.folder is not None) == (not entry.data)
        for one, split in entry.data:
            assert split in SOURCES[one].splits

    @pytest.mark.parametrize(("name", "dose"), CASES)
    def test_parts_of_two_classes_that_share_no_image_drawn_from_the_seed(self, name, dose):
        parts, again, other = cut(name, dose), cut(name, dose), cut(name, dose, 1)
        assert isinstance(parts, Parts)  # which checks classes and ids
        assert len(parts.test) == SIZES.test
        assert len(parts.train) <= SIZES.train
        assert all(
            getattr(parts, p).checksum == getattr(again, p).checksum != getattr(other, p).checksum
            for p in ("train", "validation", "test")
        )
        assert ids(parts.test) != ids(other.test)
        # Rows name the set before any part is looked at: by what its network is made from.
        assert {part.name for part in (parts.train, parts.validation, parts.test)} == {MADE_UP[name].name}

    @pytest.mark.parametrize("name", [name for name in MADE_UP if len(MECHANISMS[name].doses) > 1])
    def test_doses_of_one_seed_search_the_same_images(self, name):
        found = [cut(name, dose) for dose in MECHANISMS[name].doses]
        assert all(ids(parts.test) == ids(found[0].test) for parts in found)

    @pytest.mark.parametrize("name", MECHANISMS)
    def test_an_unknown_dose(self, name):
        with pytest.raises(MistrustError, match=r"There is no dose 'twice' of '.*'"):
            MECHANISMS[name].parts("twice", 0)


class TestBiasedTraining:
    def test_a_dose_takes_the_darkest_cats_out_of_training_and_validation_and_exchanges_none(self):
        none, some, more = (cut("biased_training", dose) for dose in ("0", "12", "25"))
        cats = sum(int((part.labels == 0).sum()) for part in (none.train, none.validation))
        dark = brightness(MADE_UP["biased_training"])
        by_id = dict(zip(MADE_UP["biased_training"].ids.tolist(), dark.tolist(), strict=True))
        for parts, share in ((some, 0.12), (more, 0.25)):
            gone = (ids(none.train) | ids(none.validation)) - ids(parts.train) - ids(parts.validation)
            left = ids(parts.train) | ids(parts.validation)
            assert parts.notes["removed"] == len(gone) == int(share * cats)
            assert ids(parts.train) < ids(none.train)
            assert ids(parts.validation) <= ids(none.validation)
            labels = dict(zip(none.train.ids.tolist(), none.train.labels.tolist(), strict=True))
            labels |= dict(zip(none.validation.ids.tolist(), none.validation.labels.tolist(), strict=True))
            assert {labels[id] for id in gone} == {0}
            brightest = max(by_id[id] for id in gone)
            assert brightest <= min(by_id[id] for id in left if labels[id] == 0)
            assert parts.notes["brightest removed"] == pytest.approx(brightest)

    def test_what_is_searched_keeps_its_dark_cats(self):
        parts = cut("biased_training", "25")
        cats = parts.test.take(parts.test.labels == 0)
        share = (brightness(cats) <= parts.notes["brightest removed"]).double().mean().item()
        assert parts.notes["share of test cats as dark"] == pytest.approx(share)
        assert 0.1 < share < 0.45
        assert cut("biased_training", "0").notes == {"removed": 0.0}


class TestShiftToGray:
    def test_only_the_test_images_change_their_tone(self):
        colour = cut("shift_to_gray", "rgb")
        for tone in TONES:
            parts = cut("shift_to_gray", tone)
            assert parts.train.checksum == colour.train.checksum  # one network serves all doses
            assert parts.validation.checksum == colour.validation.checksum
            assert parts.test.checksum == toned(colour.test, tone).checksum
        assert (
            list(MECHANISMS["shift_to_gray"].doses) == list(MECHANISMS["celeba"].doses) == ["rgb", "gray", "channel0"]
        )

    def test_the_groups_are_all_of_cifars_classes(self):
        names = [name for group in shifted.GROUPS.values() for name in group]
        assert sorted(names) == sorted(SOURCES["cifar10-jpeg"].classes)


class TestOverfitting:
    @pytest.mark.parametrize("name", ["overfitting", "few_digits"])
    def test_fewer_images_are_among_the_more_and_are_seen_more_often(self, name):
        mechanism = MECHANISMS[name]
        largest = int(max(mechanism.doses.values()))
        levels = sorted({max(4, int(level * 100 / largest)) for level in mechanism.doses.values()}, reverse=True)
        sizes = Sizes(100, 30, 60)
        parts = [mechanism.cut(MADE_UP[name], level, "", 0, sizes) for level in levels]
        assert [len(one.train) for one in parts] == levels
        for less, more in zip(parts[1:], parts, strict=False):
            assert ids(less.train) < ids(more.train)
            assert ids(less.validation) == ids(more.validation)
        steps = [mechanism.recipe_for(one).epochs * len(one.train) for one in parts]
        wanted = mechanism.recipe.epochs * mechanism.sizes.train
        # Whole epochs: half an epoch of the images at most is missing or too much.
        assert all(abs(n - wanted) <= len(one.train) / 2 for n, one in zip(steps, parts, strict=True))

    def test_the_other_mechanisms_keep_their_epochs(self):
        for name in ("biased_training", "shift_to_gray"):
            mechanism = MECHANISMS[name]
            assert mechanism.recipe_for(cut(name, mechanism.control)) == mechanism.recipe

    def test_the_groups_are_all_of_fashion_mnists_classes(self):
        names = [name for group in overfitted.GROUPS.values() for name in group]
        assert sorted(names) == sorted(SOURCES["fmnist"].classes)

    def test_no_more_than_there_are(self):
        with pytest.raises(MistrustError, match=r"240 images .* 4,120 are wanted"):
            cut("overfitting", "4000", sizes=Sizes(4_000, 30, 90))


class TestEmbedded:
    def test_it_needs_no_file(self):
        parts = MECHANISMS["few_digits"].parts("20", 0)
        assert parts.classes == ("3", "5")
        assert (len(parts.train), len(parts.validation), len(parts.test)) == (20, 150, 750)
        assert set(MECHANISMS["few_digits"].inputs()) == {"mnist5k/train", "mnist5k/test"}
        assert len(embedded.whole()) == 1000

    def test_two_groups_of_one_class_each_are_two_classes(self):
        assert two_groups(MADE_UP["few_digits"], {"5": ("5",), "3": ("3",)}).classes == ("5", "3")


def test_the_published_sizes_of_the_shoes_fill_all_pictures_but_the_boots():
    """37,191 pictures (facts 2): a third to search, a tenth of the rest for validation."""
    sizes = MECHANISMS["zappos"].sizes
    assert sizes.train + sizes.validation + sizes.test == 50_025 - 12_834 == 37_191
    assert sizes.test == 37_191 // 3
    assert sizes.validation == (37_191 - sizes.test) // 10
    assert zappos.SIZE == (64, 64)
