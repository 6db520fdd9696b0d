"""Drawing, grouping, halving, toning and darkness: what mechanisms are made of."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.search.mechanisms import (
    TONES,
    Parts,
    Sizes,
    brightness,
    darkest,
    drawn,
    features,
    halved,
    joined,
    toned,
    two_groups,
)


def colours(n=12, height=8, width=8, seed=0, name="noise"):
    pixels = torch.randint(0, 256, (n, 3, height, width), generator=torch.Generator().manual_seed(seed))
    return ImageSet(name, pixels.to(torch.uint8), torch.arange(n) % 2, torch.arange(n) + 100, ("cat", "dog"))


class TestDrawn:
    @pytest.mark.parametrize("counts", [(5,), (3, 4), (6, 4, 2)])
    def test_parts_have_their_sizes_and_share_no_image(self, counts):
        parts = drawn(colours(), 3, counts)
        assert [len(part) for part in parts] == list(counts)
        ids = torch.cat([part.ids for part in parts])
        assert len(ids.unique()) == sum(counts)

    def test_a_seed_draws_the_same_and_another_draws_others(self):
        first, again, other = (drawn(colours(60), seed, (30,))[0] for seed in (0, 0, 1))
        assert first.checksum == again.checksum
        assert set(first.ids.tolist()) != set(other.ids.tolist())

    def test_rows_stay_whole(self):
        images = colours()
        (part,) = drawn(images, 0, (7,))
        for row, id in enumerate(part.ids.tolist()):
            assert torch.equal(part.images[row], images.images[id - 100])
            assert int(part.labels[row]) == int(images.labels[id - 100])

    def test_every_image_is_drawn_equally_often(self):
        often = torch.zeros(12)
        for seed in range(400):
            often[drawn(colours(), seed, (6,))[0].ids - 100] += 1
        # 200 of 400 expected, standard deviation 10.
        assert (often - 200).abs().max() < 40

    def test_more_than_there_are(self):
        with pytest.raises(MistrustError, match=r"'noise' has 12 images .*, 13 are wanted \(6 \+ 4 \+ 3\)"):
            drawn(colours(), 0, (6, 4, 3))


class TestGroups:
    def test_each_image_has_the_group_of_its_class_and_others_are_left_out(self):
        digits = load("digits", "test")
        both = two_groups(digits, {"round": ("0", "8"), "straight": ("1", "7", "4")})
        assert both.classes == ("round", "straight")
        original = dict(zip(digits.ids.tolist(), digits.labels.tolist(), strict=True))
        expected = {0: 0, 8: 0, 1: 1, 7: 1, 4: 1}
        assert len(both) == sum(label in expected for label in original.values())
        for id, label in zip(both.ids.tolist(), both.labels.tolist(), strict=True):
            assert expected[original[id]] == label

    @pytest.mark.parametrize(
        ("groups", "message"),
        [
            ({"a": ("0",)}, "expected two groups"),
            ({"a": ("0",), "b": ("0", "1")}, "without a class in common"),
            ({"a": ("0",), "b": ("ten",)}, "'digits' has no class 'ten'. Known: 0, 1"),
        ],
    )
    def test_what_are_no_groups(self, groups, message):
        with pytest.raises(MistrustError, match=message):
            two_groups(load("digits", "test"), groups)

    def test_train_and_test_join_and_an_id_twice_does_not(self):
        train, test = load("digits", "train"), load("digits", "test")
        whole = joined("both", [train, test])
        assert (len(whole), whole.name) == (len(train) + len(test), "both")
        assert torch.equal(whole.images[len(train)], test.images[0])
        with pytest.raises(MistrustError, match="occurs more than once"):
            joined("twice", [train, train])


class TestHalved:
    def test_by_hand(self):
        pixels = torch.tensor([[[[0, 1, 10, 20], [2, 3, 30, 40], [255, 255, 0, 0], [255, 254, 1, 1]]]])
        one = ImageSet("one", pixels.to(torch.uint8), torch.tensor([0]), torch.tensor([4]), ("a", "b"))
        half = halved(one, "half")
        # 6/4 = 1.5 and 2/4 = 0.5 go up, 1019/4 = 254.75.
        assert half.images.tolist() == [[[[2, 25], [255, 1]]]]
        assert (half.name, half.ids.tolist()) == ("half", [4])

    def test_it_is_pillows_reduction(self):
        images = colours(3, 12, 20)
        for image, found in zip(images.images, halved(images, "h").images, strict=True):
            box = Image.fromarray(image.permute(1, 2, 0).numpy()).reduce(2)
            assert np.array_equal(np.asarray(box), found.permute(1, 2, 0).numpy())

    def test_odd_sides_and_floats(self):
        with pytest.raises(MistrustError, match=r"images of 7x8 pixels, expected uint8 and even sides"):
            halved(colours(2, 7, 8), "h")
        floats = colours(2)
        with pytest.raises(MistrustError, match="float32"):
            halved(floats.with_images(floats.floats()), "h")


class TestTones:
    def test_gray_is_pillows_within_a_level(self):
        """Pillow's mode L has weights rounded to 1/65536: at most one level off, and the same in three channels."""
        images = colours(6)
        gray = toned(images, "gray").images
        assert torch.equal(gray[:, 0], gray[:, 1])
        assert torch.equal(gray[:, 0], gray[:, 2])
        for image, found in zip(images.images, gray, strict=True):
            pillow = np.asarray(Image.fromarray(image.permute(1, 2, 0).numpy()).convert("L")).astype(int)
            assert np.abs(pillow - found[0].numpy()).max() <= 1

    def test_a_luma_half_way_between_two_levels_goes_to_the_even_one_on_every_processor(self):
        """In floats .299 R + .587 G + .114 B lies above the half here, below it there."""
        levels = torch.arange(256)
        red, green, blue = (one.flatten() for one in torch.meshgrid(levels, levels, levels[::5], indexing="ij"))
        thousandths = 299 * red + 587 * green + 114 * blue
        ties = (thousandths % 1000 == 500).nonzero().flatten()
        pixels = torch.stack((red, green, blue), 1)[ties].to(torch.uint8)[:, :, None, None]
        n = len(pixels)
        assert n > 1000
        found = toned(ImageSet("ties", pixels, torch.zeros(n).long(), torch.arange(n), ("a",)), "gray").images[:, 0]
        below = thousandths[ties] // 1000
        assert torch.equal(found.flatten().long(), below + below % 2)

    def test_channel0_is_gray_in_red_and_nothing_else(self):
        images = colours(6)
        found = toned(images, "channel0").images
        assert torch.equal(found[:, 0], toned(images, "gray").images[:, 0])
        assert not found[:, 1:].any()

    def test_rgb_is_the_image_and_all_keep_ids_labels_and_type(self):
        images = colours()
        assert toned(images, "rgb").checksum == images.checksum
        for tone in TONES:
            for given in (images, images.with_images(images.floats())):
                found = toned(given, tone)
                assert found.images.dtype == given.images.dtype
                assert torch.equal(found.ids, given.ids)
                assert torch.equal(found.labels, given.labels)

    def test_a_gray_image_stays_what_it_is(self):
        gray = toned(colours(), "gray")
        assert torch.equal(toned(gray, "gray").images, gray.images)

    def test_blocks_do_not_show(self):
        many = colours(1500)
        alone = torch.cat([toned(many.take([i]), "gray").images for i in (0, 1023, 1024, 1499)])
        assert torch.equal(toned(many, "gray").images[[0, 1023, 1024, 1499]], alone)

    def test_what_cannot_be(self):
        with pytest.raises(MistrustError, match=r"no tone 'grey'\. Did you mean 'gray'"):
            toned(colours(), "grey")
        with pytest.raises(MistrustError, match="1 channels, expected 3"):
            toned(load("digits", "test"), "gray")


class TestDarkness:
    def test_brightness_is_the_same_in_whatever_order_pixels_are_summed(self):
        images = colours()
        turned = images.with_images(images.images.flip(2, 3))
        assert torch.equal(brightness(images), brightness(turned))

    def test_of_no_images_none_is_the_darkest(self):
        none = colours().take(slice(0, 0))
        assert len(brightness(none)) == 0
        assert len(darkest(none, 0, 0.5)) == 0

    def test_brightness_is_the_luma_of_the_middle(self):
        """Worked by hand: the central 2x2 of 4x4; the border is white and does not count."""
        pixels = torch.full((1, 3, 4, 4), 255, dtype=torch.uint8)
        pixels[0, :, 1:3, 1:3] = torch.tensor([100, 50, 200])[:, None, None].to(torch.uint8)
        one = ImageSet("one", pixels, torch.tensor([0]), torch.tensor([0]), ("a", "b"))
        assert brightness(one).item() == pytest.approx((0.299 * 100 + 0.587 * 50 + 0.114 * 200) / 255)
        assert brightness(one.with_images(one.floats())).item() == pytest.approx(brightness(one).item())

    def test_the_darkest_of_the_class_and_of_no_other(self):
        images = colours(200)
        rows = darkest(images, 0, 0.12)
        assert len(rows) == 12  # of 100 cats: 0.12 x 100 is 11.99... in binary
        values = brightness(images)
        assert (images.labels[rows] == 0).all()
        left = torch.ones(200, dtype=torch.bool)
        left[rows] = False
        assert values[rows].max() <= values[left & (images.labels == 0)].min()
        assert torch.equal(values[rows], values[rows].sort().values)

    def test_ties_go_to_the_lower_id_whatever_the_order(self):
        images = colours(8)
        same = images.with_images(images.images[:1].expand(8, -1, -1, -1).contiguous())
        mixed = same.take([6, 3, 0, 2, 5, 4, 1, 7])
        assert mixed.ids[darkest(mixed, 0, 0.5)].tolist() == [100, 102]

    def test_none_and_all(self):
        images = colours(10)
        assert darkest(images, 1, 0.0).tolist() == []
        assert len(darkest(images, 1, 1.0)) == 5
        with pytest.raises(MistrustError, match=r"share of the darkest images is 12, expected a number in \[0, 1\]"):
            darkest(images, 1, 12)


class TestFeatures:
    def test_they_are_the_published_ones(self):
        """The principal components by numpy's singular values, up to their signs."""
        images = load("digits", "test")
        x = images.images.flatten(1).double().numpy()
        spread = x.std(0)
        z = (x - x.mean(0)) / np.where(spread == 0, 1, spread)
        u, s, _ = np.linalg.svd(z, full_matrices=False)
        found = features(images)
        assert found.shape == (500, 5)
        assert found.dtype == np.float64
        assert np.abs(np.abs(found) - np.abs(u[:, :5] * s[:5])).max() < 6e-5
        assert np.array_equal(found, found.round(4))

    def test_twice_the_same_and_not_touched_by_the_order_of_images(self):
        images = load("digits", "test")
        first = features(images)
        assert np.array_equal(first, features(images))
        turned = features(images.take(torch.arange(499, -1, -1)))[::-1]
        assert np.abs(np.abs(turned) - np.abs(first)).max() < 2e-4

    def test_too_few(self):
        with pytest.raises(MistrustError, match=r"5 components need more than 5 images and pixels; 'noise' has 5"):
            features(colours(5))


class TestParts:
    def three(self):
        return drawn(colours(30), 0, (10, 10, 10))

    def test_good_ones(self):
        parts = Parts(*self.three(), {"removed": 3.0})
        assert parts.classes == ("cat", "dog")
        assert parts.notes["removed"] == 3

    def test_what_cannot_be(self):
        train, validation, test = self.three()
        with pytest.raises(MistrustError, match="stands in two of the parts"):
            Parts(train, test, test)
        with pytest.raises(MistrustError, match=r"validation part .* classes \('dog', 'cat'\), expected the same two"):
            Parts(train, replace(validation, classes=("dog", "cat")), test)
        with pytest.raises(MistrustError, match="no image of class 'dog': draw more"):
            Parts(train, validation, test.take(test.labels == 0))

    @pytest.mark.parametrize("sizes", [(1, 5, 5), (5, 0, 5), (5, 5, 2.5)])
    def test_sizes_that_are_none(self, sizes):
        with pytest.raises(MistrustError, match=r"The number of images in the .* part is"):
            Sizes(*sizes)
