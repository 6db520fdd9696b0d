"""From rows to a word: intervals, paired differences, conjunctions and Holm's correction."""

import importlib
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing.estimates import (
    Estimate,
    NotRun,
    Reader,
    between_models,
    difference,
    digits,
    number,
    share,
)
from mistrust.publishing.independent import mean_unpaired, unpaired
from mistrust.publishing.verdicts import (
    TESTS,
    Test,
    Verdict,
    above,
    below,
    counted,
    divided,
    every,
    falling,
    greater,
    holm,
    in_each,
    within,
)
from mistrust.registry import Registry

near = st.floats(-5, 5)


def seeds(*values):
    return pd.Series(values, index=[float(i) for i in range(len(values))])


def test_interval_is_students_t_by_hand():
    found = between_models([1.0, 2.0, 3.0])  # sd 1, t(2) = 4.302653, half width 4.302653 / sqrt(3)
    assert (found.value, found.models) == (2.0, 3)
    assert found.low == pytest.approx(2 - 2.484138, abs=1e-6)
    assert found.high == pytest.approx(2 + 2.484138, abs=1e-6)


def test_one_network_decides_nothing():
    found = between_models([0.9])
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert above(found, 0.0).verdict == "undecided"
    assert found.p(0.0) == 1.0


def test_equal_counts_keep_the_spread_of_rounding():
    assert between_models([3.0, 3.0, 3.0]).high == 3.0
    found = between_models([3.0, 3.0, 3.0], grain=1.0)
    assert found.high - 3.0 == pytest.approx(4.302653 / math.sqrt(12 * 3), abs=1e-6)


@pytest.mark.whole
@settings(deadline=None, max_examples=50)
@given(st.lists(near, min_size=3, max_size=8, unique=True), near)
def test_p_is_that_of_the_t_test(values, bound):
    found = between_models(values)
    expected = stats.ttest_1samp(values, bound).pvalue
    assert found.p(bound) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(near, st.floats(0, 3), st.floats(0, 3), near, st.none() | st.integers(2, 9))
def test_p_below_005_just_where_the_bound_is_outside(value, down, up, bound, models):
    found = Estimate(value, value - down, value + up, models)
    p = found.p(bound)
    assert 0 <= p <= 1
    edge = min(abs(bound - found.low), abs(bound - found.high))
    if edge > 1e-9:
        assert (p < 0.05) == (bound < found.low or bound > found.high)


@settings(deadline=None, max_examples=50)
@given(near, st.floats(0.01, 3), near)
def test_word_needs_the_whole_interval(value, half, bound):
    found = Estimate(value, value - half, value + half)
    word = above(found, bound).verdict
    assert (word == "holds") == (found.low > bound)
    assert (word == "does not hold") == (found.high < bound)
    mirrored = {"holds": "does not hold", "does not hold": "holds", "undecided": "undecided"}
    assert below(found, bound).verdict == mirrored[word]


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.2, 0.8, "holds"),
        (0.0, 1.0, "holds"),
        (-0.1, 0.5, "undecided"),
        (0.5, 1.1, "undecided"),
        (-1, 2, "undecided"),
        (1.1, 1.5, "does not hold"),
        (-0.5, -0.1, "does not hold"),
    ],
)
def test_within(low, high, word):
    verdict = within(Estimate((low + high) / 2, low, high), 0.0, 1.0, "share")
    assert verdict.verdict == word
    assert verdict.evidence.startswith("share = ")
    assert verdict.evidence.endswith("], expected 0 to 1")


def test_greater_pairs_by_network():
    first, second = seeds(0.90, 0.50, 0.70), seeds(0.89, 0.49, 0.695)
    assert greater(first, second).verdict == "holds"  # far apart among networks, always ahead within one
    assert greater(second, first).verdict == "does not hold"
    with pytest.raises(NotRun):
        difference(first, pd.Series([1.0], index=[99.0]))


def test_falling():
    base = np.array([0.0, 0.001, 0.002])
    levels = {1.0: seeds(*(0.9 + base)), 2.0: seeds(*(0.8 + base * 1.1)), 3.0: seeds(*(0.7 + base))}
    assert falling(levels, "noise").verdict == "holds"
    levels[3.0] = levels[2.0] + 0.1 + base
    verdict = falling(levels, "noise")
    assert verdict.verdict == "does not hold"
    assert "1 of 2 fail: fall from 2 to 3 = -0.1" in verdict.evidence
    with pytest.raises(NotRun):
        falling({1.0: levels[1.0]})


WORDS = {"h": "holds", "d": "does not hold", "u": "undecided", "n": "not run"}


def family(*pairs):
    return [Verdict(WORDS[letter], letter, p) for letter, p in pairs]


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        ([("h", 0.01), ("h", 0.04)], "holds"),
        ([("h", 0.01), ("u", 0.3)], "undecided"),
        ([("h", 0.01), ("n", None)], "not run"),
        ([("h", 0.01), ("d", 0.01)], "does not hold"),
        ([("n", None), ("d", 0.001)], "does not hold"),  # one counterexample is enough
        ([("h", 0.9), ("d", 0.04)], "undecided"),  # one of two at 0.04 is no counterexample
        ([("h", None), ("d", None)], "does not hold"),
    ],
)
def test_every(parts, word):
    assert every(family(*parts)).verdict == word


def test_every_of_nothing_is_not_run():
    with pytest.raises(NotRun, match="levels"):
        every([], "levels")


def test_holm_by_hand():
    found = holm(family(("h", 0.01), ("d", 0.02), ("u", 0.5), ("n", None), ("h", 0.03)))
    # 4 tested: 0.01*4, max(0.04, 0.02*3), max(0.06, 0.03*2), 0.5
    assert [one.p for one in found] == pytest.approx([0.04, 0.06, 0.5, None, 0.06])
    assert [one.verdict for one in found] == ["holds", "undecided", "undecided", "not run", "undecided"]
    assert found[1].evidence == "d; does not hold by itself, undecided among 4 tested together (Holm: p = 0.06)"


@pytest.mark.parametrize("seed", range(4))
def test_holm_is_that_of_statsmodels(seed):
    ps = (np.random.default_rng(seed).uniform(size=8) ** 3).round(2 - seed % 2).tolist()  # with ties
    expected = multipletests(ps, method="holm")[1]
    assert [one.p for one in holm(family(*(("u", p) for p in ps)))] == pytest.approx(expected.tolist())


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("hdun"), st.none() | st.floats(0, 1)), max_size=8))
def test_holm_only_ever_takes_back(pairs):
    before = family(*pairs)
    after = holm(before)
    for one, other in zip(before, after, strict=True):
        assert other.verdict in (one.verdict, "undecided")
        assert (one.p is None) == (other.p is None)
        assert one.p is None or other.p >= one.p
        if one.p is None:
            assert other == one


def frame(*records):
    return tidy.table(records, chapter="tiny", table="t", metric="m")


def test_reader_takes_the_mean_row_and_counts_its_networks():
    rows = frame(
        {"seed": 0, "value": 1.0}, {"seed": 1, "value": 3.0}, {"value": 2.0, "low": 1.5, "high": 2.5, "over": "models"}
    )  # fmt: skip
    reader = Reader(rows, "tiny")
    assert reader.estimate(table="t") == Estimate(2.0, 1.5, 2.5, 2)
    assert reader.by_seed(table="t").to_dict() == {0.0: 1.0, 1.0: 3.0}
    assert len(reader.used()) == 3
    assert Reader(rows.iloc[:2], "tiny").estimate(table="t") == between_models([1.0, 3.0])


def test_reader_reads_its_own_chapter_only():
    rows = frame({"value": 1.0})
    with pytest.raises(NotRun):
        Reader(rows, "other").estimate(table="t")


def test_reader_refuses_to_choose():
    rows = frame({"seed": 0, "value": 1.0, "at": "a"}, {"seed": 0, "value": 2.0, "at": "b"})
    with pytest.raises(MistrustError, match="Several rows of one network where one was expected: table t"):
        Reader(rows, "tiny").by_seed(table="t")
    with pytest.raises(MistrustError, match="Several rows where one was expected"):
        Reader(frame({"value": 1.0, "at": "a"}, {"value": 2.0, "at": "b"}), "tiny").estimate(table="t")


def test_reader_lays_networks_out():
    rows = frame(
        {"seed": 1, "at": "a", "level": 1, "value": 3.0}, {"seed": 0, "at": "a", "level": 1, "value": 1.0},
        {"seed": 0, "at": "b", "level": 2, "value": 2.0}, {"at": "a", "level": 1, "value": 2.0},
    )  # fmt: skip
    found = Reader(rows, "tiny").wide("at", table="t")
    assert found.index.to_list() == [0.0, 1.0]
    assert found["a"].to_list() == [1.0, 3.0]
    assert found["b"].isna().to_list() == [False, True]
    assert list(Reader(rows, "tiny").wide("at", "level", table="t")) == [("a", 1.0), ("b", 2.0)]
    with pytest.raises(NotRun, match="table u, at a or b, by network"):
        Reader(rows, "tiny").wide("at", table="u", at=["a", "b"])
    with pytest.raises(MistrustError, match="Several rows of one network where one was expected: table t"):
        Reader(frame(*({"seed": 0, "at": "a", "level": i, "value": 1.0} for i in (1, 2))), "tiny").wide("at", table="t")


@pytest.mark.parametrize("over", ["images", "", "both", "models"])
def test_an_interval_over_images_says_nothing_of_other_networks(over):
    mean = {"value": 1.0, "low": 0.9, "high": 1.1, "over": over}
    between = over in ("both", "models")
    assert above(Reader(frame(mean), "tiny").estimate(table="t"), 0.5).verdict == ("holds" if between else "undecided")
    one = frame({"seed": 0, "value": 1.0, "low": 0.9, "high": 1.1, "over": "images"}, mean)
    if not between:
        found = Reader(one, "tiny").estimate(table="t")
        assert (found.low, found.high, found.models) == (-math.inf, math.inf, 1)
        assert above(found, 0.5, "x").evidence == "x = 1.00 (no interval between networks), expected above 0.5"
        two = frame({"seed": 0, "value": 1.0}, {"seed": 1, "value": 3.0}, mean)
        alike = Reader(frame(*({"seed": s, "value": 1.0} for s in (0, 1))), "tiny").estimate(table="t")
        assert str(alike) == "1.00 (the same in all 2 networks)"
        assert Reader(two, "tiny").estimate(table="t") == between_models([1.0, 3.0])


def test_a_mean_row_of_counts_keeps_the_spread_of_rounding():
    rows = frame(
        *({"seed": i, "value": 3.0} for i in range(3)), {"value": 3.0, "low": 3.0, "high": 3.0, "over": "models"}
    )
    assert Reader(rows, "tiny").estimate(table="t").high == 3.0
    assert Reader(rows, "tiny").estimate(table="t", grain=1.0) == between_models([3.0] * 3, grain=1.0)


@pytest.mark.parametrize("n", [1, 5, 15])
@pytest.mark.parametrize("bound", [0.2, 0.5])
def test_a_share_is_exact(n, bound):
    for hits in range(n + 1):
        found = share([True] * hits + [False] * (n - hits), "images")
        exact = stats.binomtest(hits, n).proportion_ci(0.95, method="exact")
        assert (found.value, found.low, found.high) == pytest.approx((hits / n, exact.low, exact.high), abs=1e-12)
        tails = stats.binom.cdf(hits, n, bound), stats.binom.sf(hits - 1, n, bound)
        assert found.p(bound) == pytest.approx(min(1.0, 2 * min(tails)))
        assert 0 <= found.low <= found.high <= 1
        assert (found.p(bound) < 0.05) == (bound < found.low or bound > found.high)
    assert found.p(0.5) == pytest.approx(min(1, 2 * 0.5**n))
    assert above(found, 0.5, "so").evidence.startswith(f"so in {n} of {n} images, share 1.00 [")


def test_a_share_of_what_comes_in_clusters_is_worth_less():
    told, of = [True] * 15, [0] * 4 + [1] * 4 + [2] * 3 + [3] * 2 + [4] * 2
    found = share(told, "images", of)
    assert (found.low, found.high) == pytest.approx((0.025**0.2, 1))  # five trials
    assert found.p(0.5) == pytest.approx(2 * 0.5**5)
    assert str(found) == "15 of 15 images of 5 networks, share 1.00 [0.48, 1.00]"
    for hits in range(16):
        mixed = share([True] * hits + [False] * (15 - hits), "images", of)
        assert (mixed.p(0.5) < 0.05) == (mixed.low > 0.5 or mixed.high < 0.5)
        assert mixed.low <= share([True] * hits + [False] * (15 - hits), "images").low
    one = share(told, "images", [0] * 15)
    assert (one.low, one.high, one.p(0.5)) == (0, 1, 1)  # one network says nothing of others


@pytest.mark.parametrize(
    ("found", "word", "evidence"),
    [
        ([True, True], "holds", "by counting, in 2 of 2 networks it is so"),
        ([False, False], "does not hold", "by counting, in 2 of 2 networks it is not"),
        ([True, False], "undecided", "by counting, in 1 of 2 networks it is so, in 1 of 2 networks it is not"),
        ([True], "undecided", "by counting, in 1 of 1 networks it is so; one network alone decides nothing"),
        ([False], "undecided", "by counting, in 1 of 1 networks it is not; one network alone decides nothing"),
    ],
)
def test_counted(found, word, evidence):
    verdict = counted(seeds(*found), "networks", "it is so", "it is not")
    assert (verdict.verdict, verdict.evidence, verdict.p) == (word, evidence, None)
    # It takes no part in the correction of others.
    other = Verdict("holds", "x", 0.04)
    assert holm([verdict, other]) == [verdict, other]


def test_images_of_one_network_are_counted_and_decide_nothing():
    index = pd.MultiIndex.from_tuples([(0.0, "image 1"), (0.0, "image 2")])
    assert counted(pd.Series(True, index), "images", "yes", "no").verdict == "undecided"
    with pytest.raises(NotRun, match="images to count"):
        counted(pd.Series([], dtype=bool), "images", "yes", "no")


@pytest.mark.parametrize(
    ("numbers", "written"),
    [
        ((0.0178, -2.175e-6, 0.03557), ["0.0178", "-0.000002", "0.0356"]),
        ((16.8, 9.176, 24.42), ["16.8", "9.2", "24.4"]),
        ((0.99961, 0.99), ["1.00", "0.99"]),
        ((0.0, -4.118, 4.118), ["0", "-4.12", "4.12"]),
        ((1e-14, -0.0), ["0", "0"]),
        ((0.0002133,), ["0.000213"]),
    ],
)
def test_numbers_are_written_with_three_digits_at_most(numbers, written):
    assert digits(*numbers) == written


def test_a_bound_is_written_short():
    assert [number(value) for value in (1 / 9, 0.0, 5.0, 0.5, 1e-3, 100.0)] == [
        "0.111",
        "0",
        "5",
        "0.5",
        "0.001",
        "100",
    ]


def test_what_is_written_stays_in_its_range():
    found = Estimate(2.8, 2.1, 3.4, 5, least=0.0, most=3.0)
    assert str(found) == "2.80 [2.10, 3.00]"
    assert within(found, 2.0, 3.0).verdict == "undecided"  # the interval itself is not cut


def test_a_number_without_interval_decides_nothing():
    assert above(Reader(frame({"value": 1.0}), "tiny").estimate(table="t"), 0.0).verdict == "undecided"


def test_test_keeps_the_rows_it_read_and_says_not_run():
    one = Test("x", "tiny", lambda rows: above(rows.estimate(table="t", at="a"), 0.0, "value"))
    rows = frame({"value": 1.0, "low": 0.5, "high": 1.5, "at": "a", "over": "models"}, {"value": 9.0, "at": "b"})
    verdict = one(rows)
    assert verdict.verdict == "holds"
    assert verdict.rows["at"].to_list() == ["a"]
    lacking = one(rows.iloc[1:])
    assert lacking.verdict == "not run"
    assert lacking.evidence == "no rows: table t, at a"
    assert lacking.p is None


def test_networks_that_share_nothing_are_compared_as_welch_does():
    one, other = pd.Series([0.3, 0.5, 0.45]), pd.Series([0.1, 0.12, 0.14, 0.13])
    found = unpaired(one, other)
    peer = stats.ttest_ind(one, other, equal_var=False)
    assert (found.low, found.high) == pytest.approx(tuple(peer.confidence_interval()))
    assert found.p(0.0) == pytest.approx(peer.pvalue)
    assert unpaired(one.sample(frac=1, random_state=0), other) == found  # no pairing, so no order
    assert unpaired(one, other[:1]).low == -math.inf
    assert unpaired(pd.Series([1.0, 1.0]), pd.Series([0.0, 0.0])).p(0.0) == 0.0
    with pytest.raises(NotRun):
        unpaired(one, other[:0])


@pytest.mark.parametrize("word", ["holds", "does not hold"])
def test_a_mean_of_what_lies_on_both_sides_is_open(word):
    whole, right, wrong, unsure = (Verdict(each, "m = 1") for each in (word, "holds", "does not hold", "undecided"))
    assert divided(whole, [right, wrong, unsure], "networks").verdict == "undecided"
    assert divided(whole, [right, wrong], "networks").evidence == (
        f"m = 1; {word} by this mean, undecided because networks lie on both sides of the bound"
    )
    for parts in ([right, right], [wrong, unsure], [right, unsure], []):
        assert divided(whole, parts, "networks") == whole
    assert divided(unsure, [right, wrong], "networks") == unsure


def test_tests_are_a_registry():
    importlib.import_module("mistrust.publishing.claims")  # which fills it
    assert isinstance(TESTS, Registry)
    with pytest.raises(MistrustError, match=r"There is no claim test 'mlm-accuracy-tset'. Did you mean"):
        TESTS["mlm-accuracy-tset"]


@pytest.mark.parametrize(
    ("true_of", "of_all", "of_each"),
    [
        (4, "holds", "holds"),
        (3, "undecided", "undecided"),  # the one exception may be that network's own
        (2, "undecided", "does not hold"),
        (0, "does not hold", "does not hold"),
    ],
)
def test_what_is_said_of_each_is_refuted_by_two(true_of, of_all, of_each):
    found = pd.Series([place < true_of for place in range(4)])
    assert counted(found, "networks", "yes", "no").verdict == of_all
    assert in_each(found, "networks", "yes", "no").verdict == of_each
    assert in_each(found, "networks", "yes", "no").evidence == counted(found, "networks", "yes", "no").evidence


def test_a_mean_of_two_groups_is_half_of_a_difference_from_the_others_negative():
    """Welch's interval either way; how runs are numbered is nothing to it; three groups of one each have none."""
    first, second = pd.Series([0.2, 0.25, 0.4]), pd.Series([0.5, 0.9, 0.8, 0.7])
    found, half = mean_unpaired([first, second]), unpaired(first, -second)
    assert (found.value, found.low, found.high) == pytest.approx((half.value / 2, half.low / 2, half.high / 2))
    assert found.freedom == pytest.approx(half.freedom)
    other = mean_unpaired([first[::-1], second.sample(frac=1, random_state=0)])
    assert (other.value, other.low, other.high) == pytest.approx((found.value, found.low, found.high))
    assert math.isinf(mean_unpaired([first[:1], second[:1]]).low)
    with pytest.raises(NotRun):
        mean_unpaired([first, second[:0]])


def test_a_number_without_an_interval_has_a_chance_of_one():
    assert Estimate(0.9, float("nan"), float("nan")).p(0.5) == 1.0
    assert Estimate(0.9, -np.inf, np.inf).p(0.5) == 1.0
