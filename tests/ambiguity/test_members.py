import re

import pytest
import torch

from mistrust.ambiguity.members import Member, check_members, members_of, order_by_size, rows_of
from mistrust.ambiguity.pairs import pairs_of
from mistrust.data import ImageSet
from mistrust.errors import MistrustError


def test_all_pairs_once_before_any_comes_twice(glyphs):
    assert members_of(glyphs, repetitions=2, seed=5) == [
        Member(0, 1, 5), Member(0, 2, 5), Member(1, 2, 5), Member(0, 1, 6), Member(0, 2, 6), Member(1, 2, 6),
    ]  # fmt: skip


def test_ten_classes_have_45_pairs():
    ten = ImageSet("ten", torch.zeros(10, 1, 2, 2), torch.arange(10), torch.arange(10), tuple("abcdefghij"))
    assert len(members_of(ten)) == 45


def test_pairs_are_named_in_either_order(glyphs):
    assert members_of(glyphs, ["c/a", ("a", "b")]) == [Member(0, 2), Member(0, 1)]


def test_rows_are_those_of_both_classes(glyphs):
    rows = rows_of(glyphs, Member(0, 2))
    assert sorted(glyphs.labels[rows].unique().tolist()) == [0, 2]
    assert len(rows) == 63


def test_the_largest_come_first_and_equals_keep_their_order(glyphs):
    assert order_by_size(glyphs, [Member(1, 2), Member(0, 1, 3), Member(0, 2), Member(0, 1, 1)]) == [1, 3, 2, 0]


class TestBadInput:
    @pytest.mark.parametrize("pairs", [["a"], ["a/b/c"], ["b/b"], ["a/d"], ["a/b", "b/a"], []])
    def test_pairs_are_refused_as_everywhere(self, glyphs, pairs):
        with pytest.raises(MistrustError) as expected:
            pairs_of(glyphs, pairs)
        with pytest.raises(MistrustError, match=re.escape(str(expected.value))):
            members_of(glyphs, pairs)

    def test_a_class_without_images_is_named_with_its_pair(self, glyphs):
        without = glyphs.take(glyphs.labels != 1)
        with pytest.raises(MistrustError, match=r"no image of class 'b': the pair a/b cannot be trained. Leave"):
            check_members(without, [Member(0, 1)])
        assert members_of(without) == [Member(0, 2)]

    def test_a_position_outside(self, glyphs):
        with pytest.raises(MistrustError, match="no class 7: its 3 classes are 0 to 2"):
            check_members(glyphs, [Member(0, 7)])

    @pytest.mark.parametrize("wrong", [(1, 0), (1, 1), (-1, 1)])
    def test_the_lower_class_comes_first(self, wrong):
        with pytest.raises(MistrustError, match="two different ones, the lower first"):
            Member(*wrong)

    def test_no_repetition(self, glyphs):
        with pytest.raises(MistrustError, match="repetitions is 0"):
            members_of(glyphs, repetitions=0)
