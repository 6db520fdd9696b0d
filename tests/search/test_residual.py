"""F against the worked set of the authors' method, statsmodels' own fit, R's loess, and what a residual must obey."""

import re
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skmisc.loess import loess
from statsmodels.nonparametric.smoothers_lowess import lowess

from mistrust.errors import MistrustError, UnknownName
from mistrust.random import generator
from mistrust.search import local_linear as windows
from mistrust.search.local_linear import local_linear
from mistrust.search.residual import FITS, FORMS, fitted, residual

# Known-answer set A (facts, section 11): worked out apart from this code, to six digits.
CONFIDENCE = [.97, .91, .88, .7, .76, .83, .995, .94, .9, .67, .79, .86, .985, .93, .73, .96]  # fmt: skip
DISTANCE = [
    .031, .0118, .019, .0041, .0079, .0062, .044, .026, .0101, .0046, .0098, .0125, .0205, .0231, .0049, .0262,
]  # fmt: skip
KNOWN = [
    .070340, -.299866, .400635, -.156263, .164570, -.491515, .250802, .161246, -.410913, .136751, .201596, .139726,
    -.446001, .189174, -.150459, -.028334,
]  # fmt: skip

# R's data set cars: speeds and stopping distances (Ezekiel, 1930).
SPEED = [4, 4, 7, 7, 8, 9, 10, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 16, 16, 17,
         17, 17, 18, 18, 18, 18, 19, 19, 19, 20, 20, 20, 20, 20, 22, 23, 24, 24, 24, 24, 25]  # fmt: skip
STOP = [2, 10, 4, 22, 16, 10, 18, 26, 34, 17, 28, 14, 20, 24, 28, 26, 34, 34, 46, 26, 36, 60, 80, 20, 26, 54, 32, 40,
        32, 40, 50, 42, 56, 76, 84, 36, 46, 68, 32, 48, 52, 56, 64, 66, 54, 70, 92, 93, 120, 85]  # fmt: skip


def made_up(n=200, seed=0):
    draw = generator(seed, "tests/residual")
    c = draw.uniform(0.65, 1, n)
    return np.exp(4 * c - 6 + 0.2 * draw.standard_normal(n)), c


def test_the_known_set_to_six_digits():
    found = residual(DISTANCE, CONFIDENCE, 0.5)
    assert np.abs(found - KNOWN).max() < 5.1e-7
    assert residual(DISTANCE, CONFIDENCE, 0.5, 3) == pytest.approx(found, abs=0)


@pytest.mark.parametrize("passes", [0, 1, 3])
def test_lowess_is_statsmodels_in_the_instances_own_order(passes):
    d, c = made_up()
    order = np.argsort(c)
    line = lowess(np.log(d), c, frac=0.2, it=passes)[:, 1]
    assert residual(d, c, 0.2, passes)[order] == pytest.approx(np.log(d)[order] - line, abs=1e-12)


@pytest.mark.parametrize("passes", [0, 1, 3])
@pytest.mark.parametrize("share", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("digits", [2, 12])
def test_windows_at_once_are_statsmodels_place_by_place(digits, share, passes):
    """With ties and without; values far off weigh nothing after a pass."""
    for seed in range(5):
        draw = generator(seed, "tests/residual/windows")
        at = np.round(draw.uniform(0.65, 1, 150), digits)
        values = 3 * at + 0.1 * draw.standard_normal(150) + 5 * (draw.random(150) < 0.1)
        expected = lowess(values, at, frac=share, it=passes, return_sorted=False)
        off = np.abs(local_linear(values, at, share, passes) - expected)
        # Where all that weighs lies at one other place, rounding is divided by the least variance, in both.
        assert off.max() < 1e-5
        assert np.quantile(off, 0.9) < 1e-11


def test_where_fewer_than_two_weigh_anything_a_value_stands_for_itself():
    at = np.arange(20) / 20
    values = np.where(at < 0.7, 0.0, 1 + 10 * at**2)
    expected = lowess(values, at, frac=0.2, it=1, return_sorted=False)
    found = local_linear(values, at, 0.2, 1)
    assert found == pytest.approx(expected, abs=1e-12)
    assert (found[-3:] == values[-3:]).all()
    constant = np.repeat([0.7, 0.9], 10)
    with np.errstate(invalid="ignore"):
        expected = lowess(values, constant, frac=0.3, it=1, return_sorted=False)
    assert local_linear(values, constant, 0.3, 1) == pytest.approx(expected, abs=1e-12)


def test_windows_are_the_same_however_many_at_once(monkeypatch):
    d, c = made_up(300)
    at_once = local_linear(np.log(d), c, 0.2, 3)
    monkeypatch.setattr(windows, "BLOCK", 500)
    assert local_linear(np.log(d), c, 0.2, 3) == pytest.approx(at_once, abs=1e-13)
    monkeypatch.setattr(windows, "HELD", 0)
    assert local_linear(np.log(d), c, 0.2, 3) == pytest.approx(at_once, abs=1e-13)


def test_a_line_by_least_squares_in_more_digits():
    """Of confidences that nearly all of a pool shares with its neighbours, solved in rational numbers."""
    n, size = 40, 8
    draw = generator(1, "tests/residual/digits")
    at = np.sort(1 - 1e-4 * draw.random(n))
    values = 100 * at + 0.1 * draw.standard_normal(n)
    x, y = ([Fraction(float(one)) for one in of] for of in (at, values))
    expected = []
    for place in x:
        near = sorted(range(n), key=lambda j: abs(x[j] - place))[:size]
        radius = max(abs(x[j] - place) for j in near)
        w = {j: (1 - (abs(x[j] - place) / radius) ** 3) ** 3 for j in near}
        total = sum(w.values())
        middle, level = (sum(w[j] * of[j] for j in near) / total for of in (x, y))
        slope = sum(w[j] * (x[j] - middle) * y[j] for j in near) / sum(w[j] * (x[j] - middle) ** 2 for j in near)
        expected.append(float(level + slope * (place - middle)))
    own = np.abs(local_linear(values, at, size / n, 0) - expected).max()
    theirs = np.abs(lowess(values, at, frac=size / n, it=0, return_sorted=False) - expected).max()
    assert own < 1e-12
    assert own < theirs


def test_delta_is_statsmodels():
    d, c = made_up()
    line = lowess(np.log(d), c, frac=0.2, it=3, delta=0.05, return_sorted=False)
    assert residual(d, c, 0.2, 3, delta=0.05) == pytest.approx(np.log(d) - line, abs=1e-12)
    assert np.abs(residual(d, c, 0.2, 3, delta=0.05) - residual(d, c, 0.2, 3)).max() > 1e-4
    assert fitted(d, c, 0.2, 3, delta=0.05).residual(d, c) == pytest.approx(np.log(d) - line, abs=1e-12)
    dense = 0.65 + (c - 0.65) / 1000  # by default each of them is fitted, however near the next
    exact = np.log(d) - lowess(np.log(d), dense, frac=0.2, it=3, delta=0.0, return_sorted=False)
    # Its sums run over places that have four digits in common, so that as many of them are rounding.
    assert residual(d, dense, 0.2) == pytest.approx(exact, abs=1e-10)
    assert fitted(d, dense, 0.2).residual(d, dense) == pytest.approx(exact, abs=1e-10)


def test_raw_scores_may_be_anything_finite():
    d, c = made_up(80)
    score = d - np.median(d)
    score[4] = 0
    line = lowess(score, c, frac=0.3, it=3, return_sorted=False)
    assert residual(score, c, 0.3, form="raw") == pytest.approx(score - line, abs=1e-12)
    assert fitted(score, c, 0.3, form="raw").residual(score, c) == pytest.approx(score - line, abs=1e-12)
    with pytest.raises(MistrustError, match=r"1 of 80 distances are not finite \(the first: nan, in row 4\)"):
        residual(np.where(score == 0, np.nan, score), c, 0.3, form="raw")


def test_the_quadratic_is_r_s_loess():
    """What R prints for the example of ?predict.loess, loess(dist ~ speed, cars) with span .75, at speeds 7 to 15."""
    raw = residual(STOP, np.array(SPEED) / 25, 0.75, form="raw", fit="quadratic")
    expected = dict(zip(SPEED, np.array(STOP) - raw, strict=True))
    printed = [12.499786, 15.281082, 18.446568, 21.865315, 25.517015, 29.350386, 33.230660, 37.167935, 41.205226]
    assert [expected[speed] for speed in range(7, 16)] == pytest.approx(printed, abs=6e-7)


@pytest.mark.parametrize("passes", [1, 3])
def test_robust_passes_of_the_quadratic_are_r_s_iterations_but_the_first(passes):
    """R's loess counts the plain fit as an iteration (loess.control: 4 of them are 3 robust passes)."""
    d, c = made_up()
    d[5] *= 50
    model = loess(c, np.log(d), span=0.3, degree=2, family="symmetric", iterations=passes + 1)
    model.fit()
    found = residual(d, c, 0.3, passes, fit="quadratic")
    assert found == pytest.approx(np.log(d) - model.outputs.fitted_values, abs=1e-12)
    plain, near = residual(d, c, 0.3, 0, fit="quadratic"), np.argsort(np.abs(c - c[5]))[1:20]
    assert plain[near].mean() < found[near].mean() - 0.05  # the outlier drags the plain fit up


@settings(max_examples=20)
@given(seed=st.integers(0, 999), factor=st.floats(0.01, 100))
def test_the_unit_of_the_distance_does_not_matter_to_its_logarithm(seed, factor):
    d, c = made_up(60, seed)
    assert residual(factor * d, c, 0.3) == pytest.approx(residual(d, c, 0.3), abs=1e-9)


@pytest.mark.parametrize("fit", sorted(FITS))
@pytest.mark.parametrize("form", sorted(FORMS))
def test_every_fit_and_form_leaves_nothing_of_a_straight_line_and_follows_the_order(fit, form):
    c = made_up(80)[1]
    line = 3 + 2 * c
    d = np.exp(line) if form == "log" else line
    assert np.abs(residual(d, c, 0.3, form=form, fit=fit)).max() < 1e-8
    d, c = made_up(80)
    turn = generator(1, "turn").permutation(80)
    found = residual(d, c, 0.3, form=form, fit=fit)
    assert residual(d[turn], c[turn], 0.3, form=form, fit=fit) == pytest.approx(found[turn], abs=1e-9)


def test_raw_distances_put_the_lowest_residuals_at_the_top():
    """Facts, section 4: with the spread of MAE growing with MAE, all first queries are at the highest confidences."""
    d, c = made_up(1000)
    d **= 3
    first = {form: c[np.argsort(residual(d, c, form=form))[:50]].mean() for form in ("raw", "log")}
    assert first["raw"] > 0.95 > 0.9 > first["log"]


def test_a_fit_of_the_pool_serves_its_subsets():
    d, c = made_up()
    d, c = np.append(d, d[:20] * 1.3), np.append(c, c[:20])  # tied confidences
    fit = fitted(d, c, 0.2)
    assert fit.residual(d, c) == pytest.approx(residual(d, c, 0.2), abs=1e-12)
    part = np.arange(0, 220, 3)
    assert fit.residual(d[part], c[part]) == pytest.approx(residual(d, c, 0.2)[part], abs=1e-12)
    between = (fit.confidence[3] + fit.confidence[4]) / 2
    assert fit.at([between])[0] == pytest.approx(fit.expected[3:5].mean())
    with pytest.raises(MistrustError, match=r"1 of 2 confidences lie outside \[0\.65.*the first: 0\.1"):
        fit.at([0.8, 0.1])


class TestBadInput:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda d, c: (d[:-1], c), r"shapes \(199,\) and \(200,\)"),
            (lambda d, c: (np.where(d == d[7], np.inf, d), c), r"1 of 200 distances.*inf, in row 7.*attack"),
            (lambda d, c: (np.where(d == d[7], 0, d), c), r"not above 0 and finite \(the first: 0"),
            (lambda d, c: (d, np.where(c == c[5], 1.2, c)), r"outside \(0, 1\] \(the first: 1\.2, in row 5"),
            (lambda d, c: (d, np.where(c == c[5], np.nan, c)), r"outside \(0, 1\] \(the first: nan"),
            (lambda d, c: (d, np.full(200, 0.9)), "All 200 confidences are 0.9"),
            (lambda d, c: (d, np.where(np.arange(200) < 25, 1, c)), r"25 of 200.*are 1,.*window holds 20.*float64"),
            (lambda d, c: (d, np.where(np.arange(200) < 20, 1, c)), r"20 of 200.*are 1,.*window holds 20.*float64"),
            (
                lambda d, c: (d, np.where(np.arange(200) < 120, 0.8, 0.9)),
                r"120 of 200 confidences are 0\.8, and a window",
            ),
            (lambda d, c: (d, np.where(c == c[5], 0, c)), r"outside \(0, 1\] \(the first: 0, in row 5"),
            (lambda d, c: (d[:0], c[:0]), r"shapes \(0,\) and \(0,\), expected \(n,\)"),
            (lambda d, c: (d[:2], c[:2]), r"0\.1 of 2 instances holds 0,.*at least 3: a fraction of 1 or more"),
            (lambda d, c: (d[:20], c[:20]), r"0\.1 of 20 instances holds 2,.*at least 3: a fraction of 0\.15"),
        ],
    )
    def test_what_is_wrong_is_said(self, change, message):
        with pytest.raises(MistrustError, match=message):
            residual(*change(*made_up()))

    def test_settings(self):
        d, c = made_up()
        for wrong in ({"fraction": 0}, {"fraction": 1.1}, {"iterations": -1}, {"iterations": 0.5}, {"delta": -1}):
            with pytest.raises(MistrustError, match=f"{next(iter(wrong))} is .*expected"):
                residual(d, c, **wrong)
        with pytest.raises(MistrustError, match=r"delta is 0\.01.*leave it at 0, or take fit='lowess'"):
            residual(d, c, fit="quadratic", delta=0.01)
        with pytest.raises(UnknownName, match="Did you mean 'lowess'"):
            residual(d, c, fit="loess")
        with pytest.raises(UnknownName, match="Known: log, raw"):
            residual(d, c, form="sqrt")

    def test_without_scikit_misc_the_way_out_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "skmisc.loess", None)
        with pytest.raises(MistrustError, match=r"pip install scikit-misc.*fit='lowess'"):
            residual(*made_up(), fit="quadratic")


@pytest.mark.parametrize("n", [7, 16, 28, 33, 2999])
def test_the_fraction_that_an_error_recommends_is_enough(n):
    draw = np.random.default_rng(0)
    confidence, distance = 0.66 + 0.3 * draw.random(n), 1 + draw.random(n)
    with pytest.raises(MistrustError, match="or more, or a larger pool") as error:
        residual(distance, confidence, min(0.05, 1 / n))
    [share] = re.findall(r"a fraction of ([0-9.]+) or more", str(error.value))
    assert np.isfinite(residual(distance, confidence, float(share))).all()


def test_distances_that_are_all_alike_leave_ties_and_not_the_order_of_rounding():
    """The trend then misses them by some 1e-17 each: the lowest index goes first, as everywhere."""
    confidence = np.linspace(0.66, 0.999, 40)
    assert not residual(np.full(40, 0.01), confidence, fraction=0.5).any()
    one = np.full(40, 0.01)
    one[7] = 0.010001
    assert np.argmax(residual(one, confidence, fraction=0.5)) == 7
    # What is rounding goes by the largest value: some 1e-7 beside 1e9, also where another value is 0.
    large = np.full(40, 1e9)
    assert not residual(large, confidence, fraction=0.5, form="raw").any()
    large[3] = 0
    found = residual(large, confidence, fraction=0.5, form="raw")
    assert np.flatnonzero(found).tolist() == [3]


def test_what_is_no_number_is_refused(no_numbers):
    d, c = made_up()
    fit = fitted(d, c)
    for call in (
        lambda x: residual(x, c[:2]), lambda x: residual(d[:2], x), lambda x: fitted(x, c[:2]), fit.at,
        lambda x: fit.residual(x, c[:2]),
    ):  # fmt: skip
        with pytest.raises(MistrustError, match="expected numbers"):
            call(no_numbers)
