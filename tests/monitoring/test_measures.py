"""Measures of outcomes: worked values, either polarity, and intervals against statsmodels and a simulated truth."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score
from statsmodels.stats.proportion import proportion_confint

from mistrust.errors import MistrustError
from mistrust.evaluation import Confusion, cluster_bootstrap
from mistrust.evaluation.decisions import counts, mcc
from mistrust.monitoring.measures import MEASURES, counted, estimated, measured
from mistrust.random import generator

NAN = float("nan")
# TP, FP, FN, TN; MCC, FPR, FNR, precision, recall, F1, micro-F1, weighted F1. Worked values of the paper's facts.
WORKED = [
    ((90, 20, 10, 80), "ood", (0.703526, 0.2, 0.1, 0.818182, 0.9, 0.857143, 0.85, 0.849624)),
    ((90, 20, 10, 80), "nominal", (0.703526, 0.1, 0.2, 0.888889, 0.8, 0.842105, 0.85, 0.849624)),
    ((0, 0, 60, 40), "ood", (0, 0, 1, NAN, 0, 0, 0.4, 0.228571)),
    ((60, 40, 0, 0), "ood", (0, 1, 0, 0.6, 1, 0.75, 0.6, 0.45)),
    ((0, 5, 0, 95), "ood", (0, 0.05, NAN, 0, NAN, 0, 0.95, 0.974359)),
    ((7, 0, 3, 0), "ood", (0, NAN, 0.3, 1, 0.7, 0.823529, 0.7, 0.823529)),
    ((0, 1, 1, 0), "ood", (-1, 1, 1, 0, 0, 0, 0, 0)),
]


def codes(cells):
    return torch.repeat_interleave(torch.arange(4, dtype=torch.int8), torch.tensor(cells))


@pytest.mark.parametrize(("cells", "positive", "expected"), WORKED, ids=str)
def test_worked_values(cells, positive, expected):
    found = measured(codes(cells), positive)
    assert list(found) == ["mcc", "fpr", "fnr", "precision", "recall", "f1", "micro-f1", "weighted-f1"]
    assert [float(value) for value in found.values()] == pytest.approx(expected, abs=1e-6, nan_ok=True)


@pytest.mark.whole
@given(st.tuples(*[st.integers(0, 20)] * 4).filter(any))
def test_shares_are_scikit_learns(cells):
    truth, alarm = np.repeat([1, 0, 1, 0], cells), np.repeat([1, 1, 0, 0], cells)
    found = measured(codes(cells))
    assert found["precision"] == pytest.approx(precision_score(truth, alarm, zero_division=np.nan), nan_ok=True)
    assert found["recall"] == pytest.approx(recall_score(truth, alarm, zero_division=np.nan), nan_ok=True)
    specificity = recall_score(truth, alarm, pos_label=0, zero_division=np.nan)
    assert found["fpr"] == pytest.approx(1 - specificity, nan_ok=True)
    assert found["fnr"] == pytest.approx(1 - found["recall"], nan_ok=True)


@pytest.mark.whole
@given(st.tuples(*[st.integers(0, 20)] * 4).filter(any))
def test_as_published_is_the_other_answer(cells):
    ours, theirs = measured(codes(cells)), measured(codes(cells), "nominal")
    # Rule A of the re-reading: what is printed as FNR is the false-alarm rate, as FPR the miss rate.
    assert theirs["fnr"] == pytest.approx(ours["fpr"], nan_ok=True)
    assert theirs["fpr"] == pytest.approx(ours["fnr"], nan_ok=True)
    assert theirs["recall"] == pytest.approx(1 - ours["fpr"], nan_ok=True)
    for name in ("mcc", "micro-f1", "weighted-f1"):
        assert theirs[name] == pytest.approx(ours[name], abs=1e-12)


def test_many_monitors_are_one_call():
    outcome = torch.randint(0, 4, (3, 5, 40), generator=torch.Generator().manual_seed(0))
    whole = measured(outcome)
    alone = measured(outcome[2, 1])
    for name, values in whole.items():
        assert values.shape == (3, 5)
        assert values[2, 1] == pytest.approx(alone[name], nan_ok=True)
    assert isinstance(counted(outcome), Confusion)


def test_rates_over_different_images_have_their_exact_interval():
    # 200 OOD and 100 nominal images: each stands once in its half, though each nominal one in both.
    cells = (150, 30, 50, 70)
    ood_ids, nominal_ids = torch.arange(200), torch.arange(100)
    base = torch.cat([ood_ids[:150], nominal_ids[:30], ood_ids[150:], nominal_ids[30:]])
    found = estimated(codes(cells), base, 50, generator(0, "test"))
    for name, part, whole in (("fpr", 30, 100), ("fnr", 50, 200), ("recall", 150, 200)):
        low, high = proportion_confint(part, whole, method="beta")  # statsmodels
        assert (found[name].value, found[name].n) == (part / whole, whole)
        assert (found[name].low, found[name].high) == pytest.approx((low, high), abs=1e-8)
    assert found["mcc"].n == 300
    assert found["mcc"].low < found["mcc"].value < found["mcc"].high
    # What mixes the halves is resampled by base image: other draws, another interval.
    other = estimated(codes(cells), base, 50, generator(1, "test"))
    assert (other["micro-f1"].low, other["mcc"].low) != (found["micro-f1"].low, found["mcc"].low)
    assert other["fpr"] == found["fpr"]


def test_copies_of_an_image_are_no_more_images():
    cells, copies = (30, 10, 10, 50), 9
    outcome, base = codes(cells), torch.arange(100)
    once = estimated(outcome, base, 400, generator(0, "test"))
    often = estimated(outcome.repeat(copies), base.repeat(copies), 400, generator(0, "test"))
    for name in MEASURES:
        assert often[name].value == pytest.approx(once[name].value)
        width, single = (one[name].high - one[name].low for one in (often, once))
        assert width == pytest.approx(single, rel=0.25)


@pytest.mark.whole
def test_the_bootstrap_of_kinds_of_clusters_is_that_of_clusters():
    # The house's own bootstrap draws each base image; both estimate the same interval, to their own chance.
    outcome = torch.randint(0, 4, (120,), generator=torch.Generator().manual_seed(2))
    base = torch.arange(120) % 50
    masks = np.stack([(outcome == one).numpy() for one in range(4)], axis=-1)
    slow = cluster_bootstrap(base.numpy(), lambda w: mcc(counts(w @ masks)), 3000, generator(0, "slow"))
    found = estimated(outcome, base, 3000, generator(0, "fast"))["mcc"]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(slow, [0.025, 0.975])), abs=0.02)


@pytest.mark.whole
def test_the_mccs_interval_covers_the_truth():
    draw, truth = np.random.default_rng(0), measured(codes((60, 20, 40, 180)))["mcc"]
    alone, base, covered = {"mcc": MEASURES["mcc"]}, torch.arange(300), 0
    for seed in range(100):
        cells = draw.multinomial(300, np.array([60, 20, 40, 180]) / 300)
        found = estimated(codes(cells), base, 100, generator(seed, "test"), measures=alone)
        covered += found["mcc"].low <= truth <= found["mcc"].high
    assert 0.88 <= covered / 100 <= 0.99


@pytest.mark.whole
@settings(max_examples=20)
@given(st.permutations(range(60)))
def test_the_order_of_images_does_not_matter(order):
    outcome = torch.randint(0, 4, (60,), generator=torch.Generator().manual_seed(1))
    base = torch.arange(60) % 40
    one = estimated(outcome, base, 20, generator(3, "test"))
    assert estimated(outcome[order], base[order], 20, generator(3, "test")) == one


def test_undefined_measures_are_nan_with_their_intervals():
    found = estimated(codes((0, 5, 0, 95)), torch.arange(100), 20, generator(0, "test"))
    assert np.isnan([found["fnr"].value, found["fnr"].low, found["fnr"].high]).all()
    assert found["fnr"].n == 0
    assert (found["mcc"].value, found["mcc"].low, found["mcc"].high) == (0, 0, 0)


SOME = torch.tensor([0, 1, 2, 3])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measured(SOME, "nomnal"), "no positive answer 'nomnal'. Did you mean 'nominal'"),
        (lambda: measured(SOME[:0]), r"shape \(0,\), expected \(\.\.\., n\) of at least one image"),
        (lambda: measured(SOME + 1), "codes 0 to 3"),
        (lambda: measured(SOME.float()), "codes 0 to 3"),
        (lambda: measured(SOME > 1), "alarms alone do not tell"),
        (lambda: measured(SOME.numpy()), "tensor of codes 0 to 3"),
        (lambda: estimated(SOME, SOME[:3], 9, generator(0, "t")), r"\(4,\) and \(3,\), expected \(n,\) for both"),
        (lambda: estimated(SOME, SOME, 0, generator(0, "t")), "at least one resample, got 0"),
        (lambda: estimated(SOME, SOME * 0, 2.5, generator(0, "t")), "resamples is 2.5, expected a whole number"),
        (lambda: estimated(SOME, SOME, 2.5, generator(0, "t"), measures={}), "resamples is 2.5, expected a whole"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(MistrustError, match=message):
        call()
