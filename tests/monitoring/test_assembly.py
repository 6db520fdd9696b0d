"""Streams: what is in them, how it is flagged, that blocks are the whole, and what is refused."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from mistrust import random
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError, UnknownName
from mistrust.inputs import FAULTS, faulty
from mistrust.inputs.faults import origin
from mistrust.monitoring import assembly
from mistrust.monitoring.assembly import assemble
from mistrust.monitoring.benchmark_sets import BENCHMARK_SETS, SHARED_SIGNS, BenchmarkSet, Sizes, counts
from mistrust.monitoring.parts import NOVELTY, fitting
from mistrust.monitoring.sizes import PUBLISHED_SIDES, resized
from mistrust.monitoring.stream import Stream
from mistrust.networks import initialise, wrap

CLASSES = tuple(f"sign {i}" for i in range(43))
FOG = BenchmarkSet("tiny", "shift", "fog", 2, "fog")
ROTATED = BenchmarkSet("tiny", "shift", "rotated", None, "rotated")
FGSM = BenchmarkSet("tiny", "adversarial", "FGSM", None, "fgsm")
EACH = [one for one in BENCHMARK_SETS.values() if one.nominal == "gtsrb" and not one.novel]


def tiny(n, first=0, name="tiny", classes=CLASSES, shape=(3, 8, 8)):
    ids = torch.arange(first, first + n)
    pixels = random.keyed(0, name, ids, lambda g, m: g.integers(0, 256, (m, *shape), dtype=np.uint8))
    return ImageSet(name, pixels, ids % len(classes), ids, classes)


@pytest.fixture(scope="module")
def classifier():
    network = nn.Sequential(nn.Flatten(), nn.Linear(192, 43))
    initialise(network, 1)
    return wrap(network, CLASSES)


@pytest.mark.parametrize("entry", EACH, ids=lambda one: one.name)
class TestContract:
    def test_by_default_every_test_image_comes_once_as_it_is_and_once_faulty(self, entry, classifier):
        test = tiny(30, 100)
        stream = assemble(entry, test, train=tiny(50), classifier=classifier, seed=3)
        expected = counts(entry, Sizes(50, 30))
        whole = stream.whole()
        assert (len(stream), int(stream.out.sum())) == (expected.nominal + expected.made, expected.out)
        for flag in (False, True):
            assert sorted(whole.origin[whole.out == flag].tolist()) == test.ids.tolist()
        assert torch.equal(whole.labels, test.labels[whole.origin - 100])
        assert torch.equal(whole.images.images[~whole.out], test.images[whole.origin[~whole.out] - 100])
        assert Counter(whole.kinds) == {"nominal": 30, "ood": 30}
        assert len(whole.images.ids.unique()) == 60

    def test_faulty_images_are_those_of_the_fault(self, entry, classifier):
        test = tiny(30, 100)
        whole = assemble(entry, test, classifier=classifier, seed=3).whole()
        made = faulty(test, entry.fault, entry.severity, seed=3, classifier=classifier)
        choices = made.images.view(-1, 30, 3, 8, 8)
        found = whole.images.images[whole.out]
        here = choices[:, whole.origin[whole.out] - 100]
        alike = (here == found).flatten(2).all(2)
        assert alike.any(0).all()
        if FAULTS[entry.fault].times > 1:  # all four angles come
            assert alike.any(1).all()

    def test_blocks_are_the_whole_in_either_order(self, entry, classifier):
        test = tiny(30, 100)
        stream = assemble(entry, test, classifier=classifier)
        whole = stream.whole()
        assert torch.equal(whole.position, torch.arange(60))
        for shuffled in (True, False):
            blocks = list(stream.blocks(7, shuffled=shuffled))
            assert [len(one) for one in blocks] == [7] * 8 + [4]
            order = torch.cat([one.position for one in blocks])
            assert shuffled == torch.equal(order, torch.arange(60))
            for name in ("images", "labels", "ids"):
                assert torch.equal(
                    torch.cat([getattr(one.images, name) for one in blocks]), getattr(whole.images, name)[order]
                )
            for name in ("out", "kind", "shared", "labels", "origin"):
                assert torch.equal(torch.cat([getattr(one, name) for one in blocks]), getattr(whole, name)[order])
        for name in ("out", "kind", "shared", "labels"):
            assert torch.equal(getattr(stream, name), getattr(whole, name))
        assert torch.equal(stream.ids, whole.images.ids)

    def test_as_published_counts_are_those_of_the_rule(self, entry, classifier):
        stream = assemble(entry, tiny(30, 200), train=tiny(120), classifier=classifier, as_published=True)
        kept = int(stream.out.sum()) if entry.fault == "fgsm" else None
        expected = counts(entry, Sizes(120, 30, kept=kept), as_published=True)
        assert (len(stream), int(stream.out.sum())) == (expected.nominal + expected.made, expected.out)
        assert len(stream.ids.unique()) == len(stream)


def test_the_seed_decides_order_and_noise():
    test = tiny(40)
    first, again, other = (assemble(FOG, test, seed=seed).whole() for seed in (1, 1, 2))
    assert torch.equal(first.images.images, again.images.images)
    assert not torch.equal(first.images.ids, other.images.ids)
    by_id = [one.images.images[one.images.ids.argsort()] for one in (first, other)]
    assert torch.equal(by_id[0][:40], by_id[1][:40])
    assert not torch.equal(by_id[0][40:], by_id[1][40:])


def test_the_order_is_no_order():
    out = assemble(FOG, tiny(400), seed=0).out.double()
    # 800 places; the mean place of the faulty ones has standard error 800 / sqrt(12) / sqrt(800) = 8.2.
    assert abs((out * torch.arange(800)).sum() / 400 - 399.5) < 4 * 8.2
    assert 0.4 < (out[1:] == out[:-1]).double().mean() < 0.6


def test_rotated_as_published_has_four_copies_that_all_count_as_nominal():
    test, train = tiny(10, 50), tiny(20)
    stream = assemble(ROTATED, test, train=train, as_published=True)
    whole = stream.whole()
    assert (len(whole), int(whole.out.sum())) == (10 + 4 * 30, 0)
    assert set(whole.kinds) == {"nominal"}
    assert Counter(Counter(whole.origin.tolist()).values()) == {4: 20, 5: 10}
    made = faulty(train, "rotated").images.view(4, 20, 3, 8, 8)
    for copy in range(4):
        ids = whole.images.ids == 7 + (copy + 1) * 2**40
        assert torch.equal(whole.images.images[ids][0], made[copy, 7])


def test_fgsm_as_published_repeats_a_few_images_and_keeps_what_fools(classifier):
    test, train = tiny(300, 1000), tiny(900)
    stream = assemble(FGSM, test, train=train, classifier=classifier, as_published=True, seed=1)
    whole = stream.whole()
    drawn = whole.origin[whole.out]
    assert set(drawn.tolist()) <= {*range(101), *range(1000, 1101)}
    assert Counter(drawn.tolist()).most_common(1)[0][1] > 5
    named = classifier(whole.images.floats()[whole.out]).argmax(1)
    assert (named != whole.labels[whole.out]).all()
    wrong = []
    for part in (test, train):
        first = part.take(slice(0, 101))
        made = faulty(first, "fgsm", classifier=classifier, as_published=True)
        wrong += first.ids[classifier(made.floats()).argmax(1) != first.labels].tolist()
    assert set(drawn.tolist()) <= set(wrong)
    share = len(drawn) / 1200
    assert abs(share - len(wrong) / 202) < 0.1


# Novelty.


def test_shared_signs_are_nominal_and_flagged_and_the_others_have_no_label():
    belgian = tiny(124, name="btsc", classes=tuple(f"btsc {i}" for i in range(62)), shape=(3, 10, 12))
    entry, test = BENCHMARK_SETS["gtsrb/novelty/btsc"], tiny(43)
    stream = assemble(entry, test, novel=belgian)
    expected = counts(entry, Sizes(0, 43, 124, 36))
    assert (len(stream), int(stream.out.sum()), int(stream.shared.sum())) == (167, expected.out, 36)
    assert expected.nominal == 43 + 36
    whole, map_ = stream.whole(), dict(SHARED_SIGNS)
    assert whole.images.images.shape[1:] == (3, 8, 8)
    assert not (whole.shared & whole.out).any()
    for out, shared, label, id_ in zip(
        whole.out.tolist(), whole.shared.tolist(), whole.labels.tolist(), whole.images.ids.tolist(), strict=True
    ):
        theirs = belgian.labels[id_ % 2**40].item() if id_ >= 2**40 else None
        assert label == (id_ if theirs is None else map_.get(theirs, -1))
        assert out == (theirs is not None and theirs not in map_)
        assert shared == (theirs is not None and theirs in map_)
    assert whole.kind[whole.out].eq(NOVELTY).all()
    for name in ("out", "kind", "shared", "labels"):  # the same where no image is made
        assert torch.equal(getattr(stream, name), getattr(whole, name))
    assert stream.labels[stream.out].eq(-1).all()


def test_a_class_that_both_sets_name_is_mapped_or_renamed():
    digits, others = load("digits", "test"), load("mnist5k", "test")
    rule = BenchmarkSet("digits", "novelty", "mnist5k", novel="mnist5k")
    told = (
        r"Novel images of 'mnist5k' are of classes that 'digits' has by the same name: '0', '1', '2', \.\.\.\. If they "
        r"show the same, map them.*BenchmarkSet\(\.\.\., shared=\(\(0, 0\), \(1, 1\), \(2, 2\), \.\.\.\)\), of each "
        r"its label in 'mnist5k' and in 'digits'.*give the novel set others: dataclasses\.replace\(images, classes="
    )
    with pytest.raises(MistrustError, match=told):
        assemble(rule, digits, novel=others)
    with pytest.raises(MistrustError, match=r"same name: '9'\. .*shared=\(\(9, 9\), \.\.\.\)\)"):  # one is left
        assemble(replace(rule, shared=tuple((i, i) for i in range(9))), digits, novel=others)
    with pytest.raises(MistrustError, match="Novel images of 'digits' are of classes that 'digits' has"):
        assemble(rule, digits, novel=digits)
    renamed = replace(others, classes=tuple(f"MNIST {name}" for name in others.classes))
    assert int(assemble(rule, digits, novel=renamed).out.sum()) == len(others)
    # Nine are mapped, the tenth has another name: its images alone are out.
    tenth = replace(others, classes=(*others.classes[:9], "nine"))
    stream = assemble(replace(rule, shared=tuple((i, i) for i in range(9))), digits, novel=tenth)
    assert int(stream.out.sum()) == int((others.labels == 9).sum()) == 100
    assert int(stream.shared.sum()) == len(others) - 100


def test_of_a_novel_sets_classes_those_count_of_which_it_has_images():
    digits = load("digits", "test")
    known = digits.take(digits.labels < 8)
    known = replace(known, classes=known.classes[:8])
    rule = BenchmarkSet("digits", "novelty", "left out", novel="left out")
    stream = assemble(rule, known, novel=digits.take(digits.labels >= 8))
    assert int(stream.out.sum()) == int((digits.labels >= 8).sum()) > 0
    with pytest.raises(MistrustError, match="by the same name: '7'"):
        assemble(rule, known, novel=digits.take(digits.labels >= 7))


def test_several_parts_of_a_novel_set_and_other_sizes_and_channels():
    digits, photos = load("digits", "test"), [load("photos", part) for part in ("train", "test")]
    entry = BenchmarkSet("digits", "novelty", "photos", novel="photos")
    stream = assemble(entry, digits, novel=photos)
    whole = stream.whole()
    assert (len(whole), int(whole.out.sum())) == (500 + 520, 520)
    assert whole.images.images.shape == (1020, 1, 8, 8)
    back = BenchmarkSet("photos", "novelty", "digits", novel="digits")
    block = next(assemble(back, photos[1], novel=digits).blocks(100))
    assert block.images.images.shape == (100, 3, 32, 32)
    grey = block.images.images[block.out]
    assert torch.equal(grey[:, 0], grey[:, 2])


def test_sizes_change_as_pillows_do():
    photos = load("photos", "test").take(slice(0, 5))
    for size in (28, 8, 40):
        nominal = ImageSet(
            "n", torch.zeros(1, 3, size, size).byte(), torch.zeros(1).long(), torch.zeros(1).long(), ("a",)
        )
        ours = fitting(nominal, photos)(photos).images
        for one, image in zip(ours, photos.images, strict=True):
            theirs = Image.fromarray(image.permute(1, 2, 0).numpy()).resize((size, size), Image.Resampling.BILINEAR)
            assert np.abs(one.permute(1, 2, 0).numpy().astype(int) - np.asarray(theirs)).max() <= 2
    assert fitting(photos, photos)(photos) is photos


# Sizes.


def pillow(images, side):
    """The authors' way, an image at a time."""
    made = [
        np.asarray(Image.fromarray(one.permute(1, 2, 0).numpy()).resize((side, side), Image.Resampling.BICUBIC))
        for one in images.images
    ]
    return torch.from_numpy(np.stack(made)).permute(0, 3, 1, 2)


def near(found, expected):
    """Equal but for rounding: bilinear interpolation is many levels off."""
    difference = (found.int() - expected.int()).abs()
    return int(difference.max()) <= 2 and float((difference > 0).double().mean()) < 0.01


@pytest.mark.parametrize("side", [28, 8, 40])
def test_images_are_resized_as_pillow_does_it(side):
    photos = load("photos", "test").take(slice(0, 20))
    found = resized(photos, side)
    assert found.images.dtype == torch.uint8
    assert near(found.images, pillow(photos, side))
    assert not near(fitting(found, photos)(photos).images, pillow(photos, side))
    assert torch.equal(found.ids, photos.ids)
    assert torch.equal(found.labels, photos.labels)
    assert found.name == f"photos-{side}"
    assert torch.equal(resized(photos.with_images(photos.floats()), side).images, found.images)


def test_images_of_that_size_come_back_as_they_are_and_none_give_none():
    photos = load("photos", "test")
    assert resized(photos, 32) is photos
    assert resized(photos.take([]), 28).images.shape == (0, 3, 28, 28)
    for side in (0, -28, 2.5):
        with pytest.raises(MistrustError, match="resized: side is"):
            assemble(FOG, tiny(5), side=side)


def test_traffic_signs_have_28_pixels_as_published_and_32_by_default():
    assert PUBLISHED_SIDES == {"gtsrb": 28, "cifar10": 32}  # facts 2
    test = tiny(30, 100, shape=(3, 32, 32))
    small = resized(test, PUBLISHED_SIDES["gtsrb"])
    usual, whole = (assemble(FOG, test, side=side, seed=3).whole() for side in (None, PUBLISHED_SIDES["gtsrb"]))
    assert usual.images.images.shape == (60, 3, 32, 32)
    assert torch.equal(usual.images.images[~usual.out], test.images[usual.origin[~usual.out] - 100])
    assert whole.images.images.shape == (60, 3, 28, 28)
    assert torch.equal(whole.images.ids, usual.images.ids)
    # Resized first and then made faulty, as the authors' code does it.
    origin = whole.origin - 100
    assert torch.equal(whole.images.images[~whole.out], small.images[origin[~whole.out]])
    assert torch.equal(whole.images.images[whole.out], faulty(small, "fog", 2, seed=3).images[origin[whole.out]])


def test_novel_images_and_those_of_the_train_part_have_that_size_too():
    test, train = tiny(43, 100, shape=(3, 32, 32)), tiny(50, shape=(3, 32, 32))
    belgian = tiny(124, name="btsc", classes=tuple(f"btsc {i}" for i in range(62)), shape=(3, 32, 32))
    novel = assemble(BENCHMARK_SETS["gtsrb/novelty/btsc"], test, novel=belgian, side=28).whole()
    assert novel.images.images.shape == (43 + 124, 3, 28, 28)
    stream = assemble(FOG, test, train=train, as_published=True, side=28)
    assert stream.whole().images.images.shape == (43 + 93, 3, 28, 28)
    assert {part.source.name for part in stream.parts} == {"tiny-28"}


# A fault of one's own, memory, floats.


def negative(images):
    return images.with_images(255 - images.images)


def test_a_way_of_ones_own_to_make_images_faulty():
    entry, test = BenchmarkSet("tiny", "noise", "negative"), tiny(20)
    whole = assemble(entry, test, make=negative).whole()
    assert torch.equal(whole.images.images[whole.out], 255 - test.images[whole.origin[whole.out]])
    with pytest.raises(MistrustError, match=r"'tiny/noise/negative' names no fault: assemble\(\.\.\., make="):
        assemble(entry, test)
    with pytest.raises(MistrustError, match="gave 1 for 20, expected as many"):
        assemble(entry, test, make=lambda images: images.take([0])).whole()
    with pytest.raises(MistrustError, match=r"'tiny' faulty gave Tensor, expected an ImageSet: images\.with_images"):
        assemble(entry, test, make=lambda images: 255 - images.images).whole()


@pytest.mark.parametrize(
    ("cut", "shape"),
    [
        (lambda pixels: pixels[:, :, :1, :1], r"\(20, 3, 1, 1\)"),  # of these torch would make 8 x 8 pixels
        (lambda pixels: pixels[:, :1], r"\(20, 1, 8, 8\)"),
        (lambda pixels: pixels[:, :, :4], r"\(20, 3, 4, 8\)"),
    ],
)
def test_faulty_images_of_another_shape_are_refused(cut, shape):
    def making(images):
        return images.with_images(cut(images.images))

    told = rf"images of 'tiny' faulty in 'tiny/noise/own' gives images of shape {shape}, expected .*\(20, 3, 8, 8\)"
    for test in (tiny(20), tiny(20).with_images(tiny(20).floats())):
        with pytest.raises(MistrustError, match=told):
            assemble(BenchmarkSet("tiny", "noise", "own"), test, make=making).whole()


def test_a_fault_that_leaves_the_range_is_refused():
    def brighter(images):
        return images.with_images(images.floats() + 0.5)

    with pytest.raises(MistrustError, match=r"expected \[0, 1\] and no NaN"):
        assemble(BenchmarkSet("tiny", "noise", "own"), tiny(20), make=brighter).whole()


def test_float_images_stay_floats():
    test = tiny(20)
    floats = test.with_images(test.floats())
    found, expected = (assemble(FOG, one).whole().images for one in (floats, test))
    assert found.images.dtype == torch.float32
    assert torch.equal(found.images, expected.floats())


def test_no_more_is_made_than_the_block_that_is_asked_for(monkeypatch):
    asked = []

    def counted(images, **others):
        asked.append(len(images))
        return faulty(images, **others)

    monkeypatch.setattr(assembly, "faulty", counted)
    test = tiny(300)
    stream = assemble(FOG, test)
    assert asked == []
    for _ in stream.blocks(50):
        pass
    assert max(asked) <= 50
    assert sum(asked) == 300
    assert [len(one) for one in assemble(FOG, tiny(2)).blocks(1)] == [1] * 4


# Bad input.


def test_what_does_not_go_together_is_refused(classifier):
    test, train, new = tiny(20, 100), tiny(30), tiny(5, name="new", classes=("x",))
    novelty = BenchmarkSet("tiny", "novelty", "new", novel="new")
    two = wrap(lambda x: x.flatten(1)[:, :2], ("a", "b"))
    cases = (
        (FOG, {"as_published": True}, r"made from train and test part: assemble\(\.\.\., train="),
        (FOG, {"novel": new}, "is of category 'shift', and 1 novel sets are given, expected none"),
        (novelty, {}, r"0 novel sets are given, expected one or more: assemble\(\.\.\., novel="),
        (FOG, {"train": tiny(30, classes=CLASSES[:9])}, "'tiny' has 9 classes .* expected two parts of one set"),
        (FOG, {"train": tiny(30, shape=(3, 9, 8))}, r"images of \(3, 9, 8\)"),
        (FOG, {"train": tiny(30, 90)}, "is in 'tiny' as well"),
        (FGSM, {}, r"'fgsm' is an attack and needs the classifier .* assemble\(\.\.\., classifier="),
        (FGSM, {"classifier": two}, r"knows other classes than 'tiny': 2 \(a, b, \.\.\.\) and 43"),
        (BENCHMARK_SETS["gtsrb/novelty/btsc"], {"novel": new}, "the map was made for other sets"),
        (
            novelty,
            {"novel": tiny(5, name="new", classes=("x",), shape=(2, 8, 8))},
            "have 2 channels, those of 'tiny' 3",
        ),
    )
    for entry, given, message in cases:
        with pytest.raises(MistrustError, match=message):
            assemble(entry, test, **given)
    with pytest.raises(MistrustError, match="a whole number of at least 1"):
        next(assemble(FOG, test, train=train).blocks(0))
    with pytest.raises(MistrustError, match="no permutation of its 40 images"):
        Stream("x", test, assemble(FOG, test).parts, torch.zeros(40).long())


def test_a_rule_may_be_given_by_its_name():
    by_name = assemble("gtsrb/shift/fog/2", tiny(20), seed=3)
    whole, expected = by_name.whole(), assemble(BENCHMARK_SETS["gtsrb/shift/fog/2"], tiny(20), seed=3).whole()
    assert by_name.name == "gtsrb/shift/fog/2"
    assert torch.equal(whole.images.images, expected.images.images)
    with pytest.raises(
        UnknownName, match=r"no benchmark set 'gtsrb/shift/fogg/2'\. Did you mean 'gtsrb/shift/fog/2'.*`mistrust list"
    ):
        assemble("gtsrb/shift/fogg/2", tiny(20))
    with pytest.raises(UnknownName, match="no benchmark set 'None'"):
        assemble(None, tiny(20))


def test_what_is_no_image_set_is_named():
    test, novelty = tiny(20), BenchmarkSet("tiny", "novelty", "new", novel="new")
    cases = (
        (FOG, test.images, {}, r"assemble\(\.\.\., test\) takes an ImageSet, .* got Tensor\. Make one: ImageSet\("),
        (FOG, "digits", {}, r"test\) takes an ImageSet, got the name 'digits'\. Read it: load\('digits', 'test'\)"),
        (FOG, None, {}, r"test\) takes an ImageSet, .* got NoneType"),
        (FOG, test, {"train": "digits"}, r"assemble\(train=\.\.\.\) takes an ImageSet, got the name 'digits'"),
        (novelty, test, {"novel": "photos"}, r"assemble\(novel=\.\.\.\) takes .* Read it: load\('photos', 'test'\)"),
        (novelty, test, {"novel": ["photos"]}, r"assemble\(novel=\.\.\.\) takes an ImageSet, got the name 'photos'"),
        (novelty, test, {"novel": test.images}, r"assemble\(novel=\.\.\.\) takes an ImageSet, .* got Tensor"),
        (novelty, test, {"novel": None}, r"assemble\(novel=\.\.\.\) takes an ImageSet, .* got NoneType"),
    )
    for entry, images, given, message in cases:
        with pytest.raises(MistrustError, match=message):
            assemble(entry, images, **given)


def test_two_images_of_one_id_are_refused():
    new, newer = tiny(5, name="new", classes=("x",)), tiny(5, 3, name="newer", classes=("y",))
    novelty = BenchmarkSet("tiny", "novelty", "new", novel="new")
    with pytest.raises(
        MistrustError, match=r"Image 3 stands 2 times in 'tiny/.*', of 'new', 'newer': .*ImageSet\(..., id"
    ):
        assemble(novelty, tiny(20), novel=[new, newer])
    apart = ImageSet("newer", newer.images, newer.labels, newer.ids + 10, newer.classes)
    assert len(assemble(novelty, tiny(20), novel=[new, apart]).ids.unique()) == 30


def test_a_set_without_anything_to_detect_is_refused(classifier):
    shared = BenchmarkSet("tiny", "novelty", "new", novel="new", shared=((0, 3),))
    for entry, given in (
        (shared, {"test": tiny(20), "novel": tiny(5, name="new", classes=("x",))}),
        (FOG, {"test": tiny(0)}),
        (ROTATED, {"test": tiny(0)}),
    ):
        with pytest.raises(MistrustError, match="has no image that is out-of-distribution: nothing could be detected"):
            assemble(entry, **given)
    test = tiny(20)
    named = ImageSet("named", test.images, classifier(test.floats()).argmax(1), test.ids, CLASSES)
    with pytest.raises(MistrustError, match="has no image that is out-of-distribution"):  # nothing is fooled as coded
        assemble(FGSM, named, train=named.take([]), classifier=classifier, as_published=True)


def test_copies_of_copies_are_refused():
    with pytest.raises(MistrustError, match="these images are copies already"):
        assemble(FOG, faulty(tiny(5), "rotated")).whole()
    assert origin(assemble(FOG, tiny(5)).ids).max() == 4
