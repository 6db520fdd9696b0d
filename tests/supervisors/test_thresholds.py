"""Threshold rules: hand-worked limits, the promise of the quantile, groups, and what is refused."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mistrust.errors import MistrustError
from mistrust.supervisors import (
    THRESHOLDS,
    ClassMean,
    Fixed,
    NotFitted,
    Quantile,
    Threshold,
    TrainingExtreme,
    make_threshold,
)

INF = math.inf


def limit(rule: Threshold, *scores: float) -> float:
    return float(rule.fit(torch.tensor(scores)).limits.overall)


@pytest.mark.parametrize(
    ("rule", "scores", "expected"),
    [
        # k = ceil((n + 1)(1 - rate)), by hand: 19 scores and 5 %: the 19th of 19; 20: the 20th of 20; 39: the 38th.
        (Quantile(0.05), range(1, 20), 19),
        (Quantile(0.05), range(1, 21), 20),
        (Quantile(0.05), range(1, 40), 38),
        (Quantile(0.45), range(1, 100), 55),  # 100 * 0.55 is 55.00000000000001
        (Quantile(0.5), [3, 1, 2], 2),
        (Quantile(0.1), [*range(9), INF, INF], INF),
        (ClassMean(), [1, 2, 6], 3),
        (ClassMean(1.5), [1, 2, 6, INF], 4.5),
        (TrainingExtreme(), [1, 6, -2, INF], 6),
    ],
)
def test_limits_worked_by_hand(rule, scores, expected):
    assert limit(rule, *scores) == expected


def test_a_rate_that_needs_a_whole_number_of_images_needs_no_more():
    assert [Quantile(rate).least() for rate in (0.05, 1 / 49, 0.3)] == [19, 48, 3]  # 1 / (1 / 49) is 49.00000000000001


def test_a_score_at_the_limit_is_no_alarm_and_an_infinite_one_always_is():
    scores = torch.tensor([2.9, 3.0, 3.1, INF, -INF])
    assert Fixed(3.0).alarms(scores).tolist() == [False, False, True, True, False]
    assert Fixed(INF).alarms(scores).tolist() == [False, False, False, True, False]


def test_the_published_boxes():
    """Ferreira and others: enlargement 0, .1 and .35 of the box (0,0)-(2,1), facts 12; alarm where score > limit."""
    scores = torch.tensor([-1, 0, 0.05, 0.08, 0.2, 0.3], dtype=torch.float64)
    assert [int(Fixed(tau).alarms(scores).sum()) for tau in (0, 0.1, 0.35)] == [4, 2, 0]


def test_the_quantile_keeps_its_promise_and_the_plain_one_does_not():
    """Split conformal: the mean rate over draws of n is 1 - k/(n + 1); 30 scores at 10 %: k = 28, rate 3/31."""
    draws = torch.rand(20_000, 30, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    kept = torch.tensor([limit(Quantile(0.1), *row) for row in draws[:2000].tolist()])
    # Uniform scores: the rate of new alarms is 1 - limit. Standard error 0.053 / sqrt(2000) = 0.0012.
    assert abs(float((1 - kept).mean()) - 3 / 31) < 0.005
    assert float((1 - kept).mean()) <= 0.1
    plain = draws.quantile(0.9, dim=1)
    assert float((1 - plain).mean()) > 0.11


@settings(max_examples=50)
@given(
    st.lists(st.integers(-20, 20), min_size=20, max_size=60),
    st.sampled_from(["quantile", "class_mean", "training_extreme"]),
    st.randoms(use_true_random=False),
)
def test_law_order_does_not_matter_and_raising_all_scores_raises_the_limit(scores, name, draw):
    rule, shuffled = make_threshold(name), list(scores)
    draw.shuffle(shuffled)
    assert math.isclose(limit(rule, *scores), limit(rule, *shuffled), abs_tol=1e-12)
    assert math.isclose(limit(rule, *(score + 7 for score in scores)), limit(rule, *scores) + 7, abs_tol=1e-9)


def test_each_group_has_its_limit_and_unseen_or_small_groups_have_that_of_all():
    scores = torch.tensor([1.0, 2.0, 3.0, 10.0, 20.0, 30.0, 5.0])
    groups = torch.tensor([4, 4, 4, 1, 1, 1, 0])
    rule = Quantile(0.3).fit(scores, groups)  # at least 3 scores a group
    assert rule.limits.groups.tolist() == [0, 1, 4]
    assert rule.limits.each.tolist() == [20.0, 30.0, 3.0]  # group 0 is too small: sixth of seven
    assert rule.limits.overall == 20.0
    assert rule.limits.of(torch.tensor([4, 1, 0, 2, 9, -1])).tolist() == [3.0, 30.0, 20.0, 20.0, 20.0, 20.0]
    assert rule.alarms(torch.tensor([4.0, 25.0, 25.0]), torch.tensor([4, 1, 7])).tolist() == [True, False, True]


def test_scores_and_groups_may_be_lists_or_arrays():
    scores, groups = torch.tensor([1.0, 2.0, 9.0]), torch.tensor([0, 1, 0])
    expected = ClassMean().fit(scores, groups)
    for form in (torch.Tensor.tolist, torch.Tensor.numpy):
        found = ClassMean().fit(form(scores), form(groups))
        assert torch.equal(found.limits.groups, expected.limits.groups)
        assert torch.equal(found.limits.each, expected.limits.each)
        assert torch.equal(found.alarms(form(scores), form(groups)), expected.alarms(scores, groups))
    assert expected.alarms([], []).shape == (0,)


def test_a_group_of_infinite_scores_has_the_limit_of_all():
    rule = ClassMean().fit(torch.tensor([1.0, 3.0, INF]), torch.tensor([0, 0, 1]))
    assert rule.limits.each.tolist() == [2.0, 2.0]


def test_groups_may_be_given_to_a_threshold_fitted_without():
    assert TrainingExtreme().fit(torch.tensor([1.0])).alarms(torch.tensor([2.0]), torch.tensor([5])).tolist() == [True]


def test_rows_do_not_depend_on_each_other():
    rule = ClassMean().fit(torch.arange(12.0), torch.arange(12) % 3)
    scores, groups = torch.arange(40) / 3.0, torch.arange(40) % 4
    whole = rule.alarms(scores, groups)
    assert [bool(rule.alarms(scores[[i]], groups[[i]])) for i in range(40)] == whole.tolist()
    assert rule.alarms(scores[:0], groups[:0]).shape == (0,)


@pytest.mark.parametrize("name", THRESHOLDS)
def test_every_rule_fits_restores_and_says_its_parameters(name):
    rule = make_threshold(name, value=0.5) if name == "fixed" else make_threshold(name)
    scores, groups = torch.arange(40.0), torch.arange(40) % 2
    assert rule.fit(scores, groups) is rule
    again = make_threshold(name, **rule.parameters()).restore(rule.state())
    assert again.name == name
    assert torch.equal(again.alarms(scores, groups), rule.alarms(scores, groups))
    assert all(values.dtype in (torch.float64, torch.int64) for values in rule.state().values())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Quantile(0.05).fit(torch.arange(7.0)), "needs at least 19 scores of nominal images, got 7"),
        (lambda: ClassMean().fit(torch.tensor([INF])), "needs at least 1 finite scores of nominal images, got 0 among"),
        (lambda: Quantile(0), "The alarm rate is 0, expected a share between 0 and 1"),
        (lambda: Quantile(1.5), "The alarm rate is 1.5"),
        (lambda: Quantile("0.5"), "The alarm rate is '0.5', expected a number"),
        (lambda: Fixed(math.nan), "The fixed limit is NaN"),
        (lambda: Fixed(None), "The fixed limit is None, expected a number"),
        (lambda: ClassMean("1"), "The factor of the class mean is '1', expected a number"),
        (lambda: ClassMean(math.nan), "The factor of the class mean is nan, expected a number that is finite"),
        (lambda: Quantile().fit(None), "Scores are None, expected numbers: a tensor, an array or a list of them"),
        (lambda: Quantile().fit(["a"]), r"Scores are \['a'\], expected numbers"),
        (lambda: ClassMean().fit([1.0], ["a"]), r"Groups are \['a'\], expected numbers"),
        (lambda: ClassMean().fit([1.0], [0.5]), "type torch.float32, expected .1,. whole numbers"),
        (lambda: Quantile().fit(torch.zeros(0)), "cannot be fitted on no scores"),
        (lambda: ClassMean().fit(torch.tensor([1.0, math.nan])), "1 of 2 scores are NaN"),
        (lambda: ClassMean().fit(torch.zeros(2, 2)), r"Scores have shape \(2, 2\), expected \(n,\)"),
        (lambda: ClassMean().fit(torch.zeros(2), torch.zeros(2)), "type torch.float32, expected .2,. whole numbers"),
        (lambda: ClassMean().fit(torch.zeros(2), torch.zeros(3).long()), r"Groups have shape \(3,\)"),
        (
            lambda: ClassMean().fit(torch.zeros(2), torch.tensor([0, 1])).alarms(torch.zeros(2)),
            r"was fitted with 2 groups: call alarms\(scores, groups\)",
        ),
        (lambda: make_threshold("quantil"), "There is no threshold 'quantil'. Did you mean 'quantile'?"),
        (
            lambda: make_threshold("quantile", rat=0.1),
            "no parameter 'rat' of threshold 'quantile'. Did you mean 'rate'",
        ),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(MistrustError, match=message):
        call()


def test_alarms_before_fit():
    with pytest.raises(NotFitted, match=r"Quantile\(rate=0.05\) is not fitted yet"):
        Quantile().alarms(torch.zeros(1))
