import json
from collections import Counter
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
import torch
from scipy import stats
from tiny_decoders import some

from mistrust.ambiguity import AS_PUBLISHED, AmbiguousSet, Composition, Grid, Scheme, compose, to_bytes
from mistrust.ambiguity.labels import gap
from mistrust.data import ImageSet
from mistrust.errors import MistrustError

MEMBERS = [(3, 8, 0), (0, 1, 5), (3, 8, 1), (0, 1, 2), (3, 8, 2), (4, 9, 0), (4, 9, 1), (4, 9, 2)]
HOW = Composition(Scheme(Grid(20, 2.0)))
ALL = torch.ones(len(MEMBERS), dtype=torch.bool)


@pytest.fixture(scope="module")
def decoders():
    return some(MEMBERS)


@pytest.fixture(scope="module")
def both(decoders):
    return compose(decoders, ALL, 200, 100, HOW, name="tiny", seed=3)


def counts(images):
    return Counter(tuple(pair) for pair in images.pairs.tolist())


class TestCompose:
    def test_sizes_kinds_and_ids(self, both):
        train, test = both
        assert (len(train), len(test)) == (200, 100)
        assert repr(train) == "AmbiguousSet(tiny: 200 of 2x3x1, 3 pairs of classes)"
        assert train.images.shape == (200, 1, 2, 3)
        assert train.ids.tolist() == list(range(1_000_000, 1_000_200))
        assert test.ids.tolist() == list(range(1_000_200, 1_000_300))
        assert (train.made_by["role"], test.made_by["role"]) == ("train", "test")
        assert (train.made_by["delta_max"], test.made_by["delta_max"]) == (0.4, 0.25)

    def test_stratified_has_equal_counts_by_pair_and_by_decoder(self, both):
        for images in both:
            by_pair = counts(images)
            assert set(by_pair) == {(0, 1), (3, 8), (4, 9)}
            assert max(by_pair.values()) - min(by_pair.values()) <= 1
            for pair in by_pair:
                own = images.decoder[(images.pairs == torch.tensor(pair)).all(1)]
                each = torch.unique(own, return_counts=True)[1]
                assert int(each.max() - each.min()) <= 1

    def test_train_and_test_come_from_different_decoders(self, decoders, both):
        train, test = (set(images.decoder.tolist()) for images in both)
        assert not train & test
        assert train | test == set(range(len(MEMBERS)))
        again, other = compose(decoders, ALL, 60, 60, replace(HOW, shared=True))
        assert set(again.decoder.tolist()) == set(other.decoder.tolist()) == set(range(len(MEMBERS)))
        assert not torch.isin(again.latent.flatten(), other.latent.flatten()).any()

    def test_every_image_is_what_its_row_says(self, decoders, both):
        for images, delta in zip(both, (0.4, 0.25), strict=True):
            for i in range(0, len(images), 17):
                g = int(images.decoder[i])
                one, z = decoders.take([g]), images.latent[i].reshape(1, 1, 2)
                assert images.pairs[i].tolist() == [decoders.members[g].first, decoders.members[g].second]
                assert torch.equal(images.images[i].flatten(), to_bytes(one.decode(z))[0, 0])
                outputs = one.logits(z).sigmoid()[0, 0]
                assert torch.allclose(images.probabilities[i], outputs / outputs.sum())
            assert float(gap(images.probabilities).max()) < delta
            assert float(gap(images.probabilities).max()) > 0.6 * delta

    def test_hard_labels_follow_the_probabilities(self, decoders):
        train, _ = compose(decoders, ALL, 4000, 1, replace(HOW, delta_train=1.0))
        first = (train.labels == train.pairs[:, 0]).double()
        p = train.probabilities[:, 0]
        for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0)):
            here = (p >= low) & (p < high)
            assert int(here.sum()) > 300
            error = float((first[here] - p[here]).sum() / (p[here] * (1 - p[here])).sum().sqrt())
            assert abs(error) < 3.5

    def test_order_is_random(self, both):
        for images in both:
            assert stats.spearmanr(np.arange(len(images)), images.decoder).pvalue > 1e-3
            assert stats.spearmanr(np.arange(len(images)), images.pairs[:, 0]).pvalue > 1e-3

    def test_same_seed_same_sets_whatever_the_order_of_decoders(self, decoders, both):
        again = compose(decoders, ALL, 200, 100, HOW, name="tiny", seed=3)
        turned = compose(decoders.take(list(range(7, -1, -1))), ALL, 200, 100, HOW, name="tiny", seed=3)
        for old, new, other in zip(both, again, turned, strict=True):
            assert torch.equal(old.images, new.images)
            assert torch.equal(old.labels, new.labels)
            assert torch.equal(old.images, other.images)
            assert torch.equal(old.decoder, 7 - other.decoder)
        assert not torch.equal(compose(decoders, ALL, 200, 100, HOW, seed=4)[0].latent, both[0].latent)

    def test_a_refused_decoder_changes_no_other_pair(self, decoders, both):
        accepted = ALL.clone()
        accepted[0] = False
        for old, new in zip(both, compose(decoders, accepted, 200, 100, HOW, name="tiny", seed=3), strict=True):
            assert 0 not in new.decoder
            others = [{tuple(z) for z in s.latent[s.pairs[:, 0] != 3].tolist()} for s in (old, new)]
            assert others[0] == others[1]

    def test_what_it_was_made_by_is_json(self, both):
        about = json.loads(json.dumps(both[0].made_by))
        assert about["scheme"] == {
            "grid": {"cells": 20, "bound": 2.0}, "weight": "jacobian", "label": "normalised", "transposed": False
        }  # fmt: skip
        assert about["decoders"][1] == [0, 1, 5]
        assert about["stratified"] is True
        assert about["shared"] is False

    def test_pooled_follows_the_number_of_decoders(self, decoders):
        train, test = compose(decoders, ALL, 4000, 50, replace(AS_PUBLISHED, scheme=HOW.scheme))
        found = torch.bincount(train.decoder, minlength=8)
        assert stats.chisquare(found).pvalue > 1e-3
        assert len(set(counts(train).values())) > 1
        assert counts(train)[0, 1] < 0.8 * counts(train)[3, 8]  # two decoders against three
        assert len(test) == 50
        # A pool of exactly as many as are wanted is taken whole.
        whole, _ = compose(decoders, ALL, 80, 1, replace(HOW, stratified=False, shared=True, pooled=10))
        assert torch.bincount(whole.decoder).tolist() == [10] * 8

    def test_a_decoder_that_gives_too_few_points_may_stay_with_those(self, decoders):
        """As the reference's code goes on; the others' points and images are those of a whole pool."""
        slopes, shifts = decoders.slopes.clone(), decoders.shifts.clone()
        slopes[0], shifts[0], slopes[7] = 2000.0, 0.0, torch.nan  # of an odd number of cells one has its centre at 0
        uneven = replace(decoders, slopes=slopes, shifts=shifts)
        how = Composition(Scheme(Grid(15, 2.0)), stratified=False, shared=True, pooled=40)
        with pytest.raises(MistrustError, match=r"Only \d+ of \d+ points"):
            compose(uneven, ALL, 200, 10, how)
        train, _ = compose(uneven, ALL, 200, 10, replace(how, short=True))
        found = torch.bincount(train.decoder, minlength=8).tolist()
        assert (found[0] < 15, found[7], sum(found)) == (True, 0, 200)
        assert train.made_by["short"]["3-8-0"] >= found[0]
        assert train.made_by["short"]["4-9-2"] == 0
        assert len(train.made_by["short"]) == 2
        whole, _ = compose(decoders, ALL, 200, 10, how)
        same, _ = compose(decoders, ALL, 200, 10, replace(how, short=True))
        assert same.made_by["short"] == {}
        assert torch.equal(whole.images, same.images)
        assert torch.equal(whole.ids, same.ids)
        with pytest.raises(
            MistrustError, match=r"wanted of a pool of 2\d\d \(40 of each of 8 decoders, fewer where they"
        ):
            compose(uneven, ALL, 320, 10, replace(how, short=True))
        with pytest.raises(MistrustError, match=r"Ask for one of them: stratified=False, or short=False"):
            replace(HOW, short=True)

    def test_a_decoder_without_ambiguous_cells_is_left_out_and_named(self, decoders):
        slopes = decoders.slopes.clone()
        slopes[4] = torch.nan
        train, test = compose(replace(decoders, slopes=slopes), ALL, 90, 60, HOW)
        assert train.made_by["without_ambiguous_cells"] == ["3-8-2"]
        assert 4 not in torch.cat((train.decoder, test.decoder))

    def test_one_image_is_enough(self, decoders):
        train, test = compose(decoders, ALL, 1, 1, HOW)
        assert (len(train), len(test)) == (1, 1)


class TestBadInput:
    def test_pairs_without_decoders(self, decoders):
        accepted = ALL.clone()
        accepted[[5, 6]] = False
        with pytest.raises(MistrustError, match=r"Pair 4/9 has one usable decoder.*Train more.*shared=True"):
            compose(decoders, accepted, 10, 10, HOW)
        compose(decoders, accepted, 10, 10, replace(HOW, shared=True))
        accepted[7] = False
        with pytest.raises(MistrustError, match=r"Pair 4/9 has no decoder that was accepted\. Train more"):
            compose(decoders, accepted, 10, 10, replace(HOW, shared=True))

    def test_more_images_than_the_pool_holds(self, decoders):
        how = replace(HOW, stratified=False, shared=True, pooled=5)
        with pytest.raises(MistrustError, match=r"41 train images are wanted of a pool of 40 \(5 of each of 8"):
            compose(decoders, ALL, 41, 5, how)

    def test_more_images_than_can_be_drawn(self, decoders):
        steep = replace(decoders, slopes=torch.full((8,), 10.0).double(), shifts=torch.zeros(8).double())
        how = Composition(Scheme(Grid(5, 2.0), label="softmax"), delta_train=0.001, delta_test=0.001)
        with pytest.raises(MistrustError, match=r"Only \d+ of 250 points with .* in 25,\d{3} attempts \(2 of 2"):
            compose(steep.take([0, 1, 2, 3]), ALL[:4], 500, 1, how)

    @pytest.mark.parametrize("which", ["delta_train", "delta_test"])
    def test_delta_max(self, decoders, which):
        with pytest.raises(MistrustError, match=r"delta_max is 1.5, expected"):
            compose(decoders, ALL, 10, 10, replace(HOW, **{which: 1.5}))

    @pytest.mark.parametrize("strict", [("delta_train", "delta_test"), ("delta_train",), ("delta_test",)])
    def test_a_grid_too_coarse_for_either_part(self, decoders, strict):
        told = (
            r"Pair 0/1: no cell of the grid \(2 an axis\) has \|p1 - p2\| <= 0.01 in any of \d accepted decoders; the "
            r"least is 0\.\d+. Take more cells \(4\), a delta_max above 0"
        )
        with pytest.raises(MistrustError, match=told):
            compose(decoders, ALL, 10, 10, Composition(Scheme(Grid(2, 2.0)), **dict.fromkeys(strict, 0.01)))

    def test_numbers(self, decoders):
        with pytest.raises(MistrustError, match=r"train is 0, expected a number of at least 1"):
            compose(decoders, ALL, 0, 10, HOW)
        with pytest.raises(MistrustError, match=r"test is 2.5, expected a whole number"):
            compose(decoders, ALL, 1, 2.5, HOW)
        for wrong, told in (
            (ALL[:3], r"shape \(3,\) and type torch.bool"),
            ([True], r"shape \(1,\) and type torch.bool"),
            ([1] * 8, r"shape \(8,\) and type torch.int64"),
        ):
            with pytest.raises(MistrustError, match=f"accepted has {told}, expected a mask of 8 truth values"):
                compose(decoders, wrong, 1, 1, HOW)
        with pytest.raises(MistrustError, match="The marks of accepted decoders are 'all', expected numbers"):
            compose(decoders, "all", 1, 1, HOW)

    def test_a_list_is_a_mask(self, decoders):
        made, same = (compose(decoders, accepted, 20, 10, HOW)[0] for accepted in (ALL, ALL.tolist()))
        assert torch.equal(made.images, same.images)


@pytest.mark.parametrize("wrong", [float("nan"), -0.1, 1.1, 255.0])
def test_pixels_outside_their_range_are_no_bytes(wrong):
    for wraps in (False, True):
        with pytest.raises(
            MistrustError, match=r"to be stored as grey levels reach from .*, expected \[0, 1\] and no NaN"
        ):
            to_bytes(torch.tensor([0.5, wrong]), wraps)
    assert to_bytes(torch.zeros(0)).shape == (0,)


def test_bytes():
    x = torch.tensor([0.0, 1 / 256 - 1e-6, 1 / 256, 0.5, 255 / 256, 1.0])
    assert to_bytes(x).tolist() == [0, 0, 1, 128, 255, 255]
    assert to_bytes(x, wraps=True).tolist() == [0, 0, 1, 128, 255, 0]


def small(**changed):
    given = {
        "name": "small",
        "images": torch.arange(24, dtype=torch.uint8).reshape(4, 1, 2, 3),
        "pairs": torch.tensor([[0, 2], [0, 2], [1, 2], [0, 1]]),
        "probabilities": torch.tensor([[0.5, 0.5], [0.25, 0.75], [0.6, 0.4], [1, 0]], dtype=torch.float64),
        "labels": torch.tensor([0, 2, 2, 0]),
        "ids": torch.arange(4),
        "decoder": torch.tensor([0, 0, 1, 2]),
        "latent": torch.zeros(4, 2).double(),
        "classes": ("a", "b", "c"),
        "seed": 0,
        "made_by": {},
    }
    return AmbiguousSet(**(given | changed))


class TestAmbiguousSet:
    def test_soft_labels(self):
        soft = small().soft
        assert soft.dtype == torch.float64
        assert soft[:2].tolist() == [[0.5, 0, 0.5], [0.25, 0, 0.75]]
        assert soft[2].tolist() == pytest.approx([0, 0.6, 0.4])
        assert soft[3].tolist() == [1, 0, 0]

    def test_image_set_and_take(self):
        images = small().image_set()
        assert isinstance(images, ImageSet)
        assert images.labels.tolist() == [0, 2, 2, 0]
        some = small().take([2, 0])
        assert some.ids.tolist() == [2, 0]
        assert some.pairs.tolist() == [[1, 2], [0, 2]]
        assert torch.equal(some.images, small().images[[2, 0]])
        assert len(small().take(small().labels == 2)) == 2
        with pytest.raises(FrozenInstanceError):
            some.seed = 1

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ([99], "small has no image at position 99: it holds 4"),
            ([-5], "small has no image at position -5"),
            ([True, False], "small: the mask has 2 entries, the set 4 images"),
            ([0.5], "small: positions are whole numbers or a mask"),
            ([[0]], "small: take expects one row of positions"),
            (["a"], r"small: positions are \['a'\], expected numbers"),
            (None, "small: positions are None, expected numbers"),
            ([0, 0], "id 0 occurs more than once"),
        ],
    )
    def test_take_refuses_what_is_none_of_it(self, wrong, message):
        with pytest.raises(MistrustError, match=message):
            small().take(wrong)
        for right, ids in (([-1], [3]), ([], []), (range(2), [0, 1]), ([True, False, True, False], [0, 2])):
            assert small().take(right).ids.tolist() == ids

    def test_near_duplicates(self):
        one = small()
        # Against itself moved by (0, 1, 1, 2) grey levels in one pixel.
        moved = one.images.clone()
        moved[:, 0, 0, 0] += torch.tensor([0, 1, 1, 2], dtype=torch.uint8)
        other = small(images=moved)
        assert one.near_duplicates(other, 0) == 1
        assert one.near_duplicates(other, 1 / 255) == 3
        assert one.near_duplicates(other, 1.9 / 255) == 3
        assert one.near_duplicates(other, 2 / 255) == 4
        assert one.near_duplicates(other.image_set(), 1 / 255) == 3
        assert one.near_duplicates(other.take([0]), 1.0) == 4
        assert one.near_duplicates(other.take([]), 1.0) == 0

    def test_near_duplicates_in_blocks(self, both, monkeypatch):
        train, test = both
        near = torch.cdist(test.images.flatten(1).double(), train.images.flatten(1).double()).min(1).values / 255
        limit = float(near.sort().values[30:32].mean())
        whole = test.near_duplicates(train, limit)
        assert whole == 31
        monkeypatch.setattr("mistrust.ambiguity.ambiguous_set.BLOCK", 700)
        assert test.near_duplicates(train, limit) == whole

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"probabilities": torch.full((4, 2), 0.6).double()}, r"add up to 1"),
            ({"probabilities": torch.full((4, 2), torch.nan).double()}, r"add up to 1"),
            ({"probabilities": torch.full((4, 2), 0.5)}, r"probabilities are torch.float32 .* expected torch.float64"),
            ({"pairs": torch.tensor([[2, 0]] * 4)}, r"the lower first"),
            ({"pairs": torch.tensor([[0, 3]] * 4)}, r"two of 3 classes"),
            ({"pairs": torch.zeros(4, 3, dtype=torch.int64)}, r"pairs are torch.int64 of shape \(4, 3\)"),
            ({"labels": torch.tensor([1, 2, 2, 0])}, r"must be one of its image's two classes"),
            ({"labels": torch.tensor([0, 7, 2, 0])}, r"label 7 of image 1 names no class"),
            ({"images": torch.zeros(4, 1, 2, 3)}, r"float32, expected uint8"),
            ({"decoder": torch.zeros(3, dtype=torch.int64)}, r"decoder are torch.int64 of shape \(3,\)"),
            ({"latent": torch.zeros(3, 2).double()}, r"latent are torch.float64 of shape \(3, 2\)"),
            ({"ids": torch.zeros(4, dtype=torch.int64)}, r"id 0 occurs more than once"),
        ],
    )
    def test_refuses(self, changed, message):
        with pytest.raises(MistrustError, match=message):
            small(**changed)

    def test_near_duplicates_refuses(self):
        with pytest.raises(MistrustError, match=r"cannot be compared"):
            small().near_duplicates(small(images=torch.zeros(4, 1, 3, 3, dtype=torch.uint8)), 1)
        with pytest.raises(MistrustError, match=r"distance is -1"):
            small().near_duplicates(small(), -1)
