"""Readouts: what is wrong with an image by the oracle, which images belong together, and alarms by every rule."""

from math import ceil

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mistrust.errors import MistrustError, UnknownName
from mistrust.inputs.faults import copied
from mistrust.monitoring.oracle import judged, outcomes
from mistrust.monitoring.parts import KINDS, NOMINAL, NOVELTY, OOD
from mistrust.monitoring.readouts import Readout, alarms, fitted, readout
from mistrust.supervisors import ClassMean, Fixed, Quantile, TrainingExtreme

IDS = torch.tensor([7, 8, 9])


def made(kind=NOMINAL, predicted=(0, 1, 0), labels=(0, 1, 1), ids=IDS, shared=False, **scores):
    n = len(predicted)
    given = {name: torch.tensor(values, dtype=torch.float64) for name, values in scores.items()}
    return Readout(
        torch.tensor(predicted), torch.tensor(labels), torch.full((n,), kind), torch.full((n,), shared), ids, given
    )


@pytest.mark.parametrize("alarm", [True, False])
@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("kind", range(3), ids=KINDS)
def test_what_is_wrong_is_what_the_oracle_says(kind, right, alarm):
    # A novelty has no label, so that no prediction of it is right.
    one = made(kind, (1,), (-1 if kind == NOVELTY else int(right),), torch.tensor([3]))
    said = torch.tensor([alarm])
    expected = judged(torch.tensor([kind != NOMINAL]), said, torch.tensor([right]), KINDS[kind])
    assert outcomes(one.ood, said).tolist() == expected.specific.tolist()
    assert outcomes(one.wrong(), said).tolist() == expected.overall.tolist()


def test_what_has_no_right_class_is_a_parameter():
    faulty = made(OOD, (0, 1), (0, 0), torch.tensor([1, 2]))
    assert faulty.wrong().tolist() == [False, True]
    assert faulty.wrong(("ood",)).tolist() == [True, True]
    nominal = made(NOMINAL, (0, 1), (0, 0), torch.tensor([1, 2]))
    assert nominal.wrong(KINDS).tolist() == [False, True]  # nominal images always have one
    with pytest.raises(MistrustError, match=r"meaningless is 'ood', expected a collection of kinds: \{'ood'\}"):
        faulty.wrong("ood")


def test_what_was_made_of_one_image_is_drawn_with_it_and_what_is_new_alone():
    whole = made().beside(made(OOD, ids=copied(IDS, 3)))
    whole = whole.beside(made(NOVELTY, ids=copied(IDS, 1))).beside(made(NOMINAL, ids=copied(IDS, 2), shared=True))
    base = whole.base.tolist()
    assert base[:3] == base[3:6] == IDS.tolist()
    assert len(set(base)) == 9


def test_beside_keeps_the_order_and_the_monitors_that_both_have():
    first, second = made(a=(1, 2, 3), b=(0, 0, 0)), made(OOD, (1, 1, 1), (0, 1, 0), copied(IDS, 1), a=(4, 5, 6))
    both = first.beside(second)
    assert len(both) == 6
    assert {name: values.tolist() for name, values in both.scores.items()} == {"a": [1, 2, 3, 4, 5, 6]}
    assert both.predicted.tolist() == [0, 1, 0, 1, 1, 1]
    assert both.labels.tolist() == [0, 1, 1, 0, 1, 0]
    assert both.ood.tolist() == [False] * 3 + [True] * 3
    assert both.right.tolist() == [True, True, False, False, True, False]
    some = both.of(both.right)
    assert some.scores["a"].tolist() == [1, 2, 5]
    assert some.ids.tolist() == [7, 8, 8 + 2**40]


def test_one_set_is_read_of_many():
    one = made(shared=True, **{"oob/as published": (1, 2, 3)})
    columns = {name: getattr(one, name) for name in ("predicted", "labels", "kind", "ids")}
    tensors = {f"digits/noise/fog/2|{name}": values for name, values in {**columns, **one.scores}.items()}
    tensors |= {"digits/noise/fog/2|shared": one.shared.to(torch.uint8), "digits/noise/fog|ids": IDS}
    found = readout(tensors, "digits/noise/fog/2")
    assert found.shared.dtype == torch.bool
    assert found.scores["oob/as published"].tolist() == [1, 2, 3]
    assert all(torch.equal(getattr(found, name), values) for name, values in columns.items())
    with pytest.raises(UnknownName, match=r"no set of readouts 'digits/noise/fog/3'\. Did you mean 'digits/noise/fog/"):
        readout(tensors, "digits/noise/fog/3")


# Errors 1, 2, 6 of class 0 and 10, 20 of class 1: class means 3 and 15, the highest 20.
ERRORS = {"predicted": (0, 0, 0, 1, 1), "labels": (0,) * 5, "ids": torch.arange(5), "error": (1, 2, 6, 10, 20)}
NEW = {"predicted": (0, 0, 0, 1, 1, 1, 2), "labels": (0,) * 7, "ids": torch.arange(7)}
SCORES = (3, 3.5, 21, 15, 16, torch.inf, 7.8)


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        # Class 2 was never predicted: the mean of all, 7.8, is its limit.
        (ClassMean(), [False, True, True, False, True, True, False]),
        (TrainingExtreme(), [False, False, True, False, False, True, False]),
        (Fixed(7), [False, False, True, True, True, True, True]),
        # k = ceil(6 x 0.6) = 4: the fourth smallest, 10.
        (Quantile(0.4), [False, False, True, True, True, True, False]),
    ],
    ids=str,
)
def test_alarms_by_every_rule(threshold, expected):
    assert fitted(threshold, "error", made(**ERRORS)) is threshold
    assert alarms(made(**NEW, error=SCORES), "error", threshold).tolist() == expected


def test_only_the_class_mean_reads_predictions():
    other = {**ERRORS, "predicted": (1, 1, 1, 0, 0)}
    for rule, same in ((ClassMean, False), (TrainingExtreme, True), (Quantile, True)):
        parameters = {"rate": 0.4} if rule is Quantile else {}
        said = [
            alarms(made(**NEW, error=SCORES), "error", fitted(rule(**parameters), "error", made(**one))).tolist()
            for one in (ERRORS, other)
        ]
        assert (said[0] == said[1]) == same


@pytest.mark.whole
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]), min_size=9, max_size=60), st.sampled_from([0.1, 0.2, 0.5]))
def test_the_quantile_rule_raises_no_more_false_alarms_than_asked_on_its_own_images(scores, rate):
    n = len(scores)
    one = made(NOMINAL, (0,) * n, (0,) * n, torch.arange(n), s=scores)
    said = int(alarms(one, "s", fitted(Quantile(rate), "s", one)).sum())
    assert said <= rate * n
    apart = made(NOMINAL, (0,) * n, (0,) * n, torch.arange(n), s=list(range(n)))  # without ties it is no less either
    assert int(alarms(apart, "s", fitted(Quantile(rate), "s", apart)).sum()) == n - ceil((n + 1) * (1 - rate) - 1e-9)


def test_what_is_asked_wrongly_is_named():
    one = made(energy=(1, 2, 3))
    with pytest.raises(UnknownName, match=r"There is no monitor in this readout 'enrgy'\. Did you mean 'energy'\?"):
        alarms(one, "enrgy", Fixed(1))
    with pytest.raises(MistrustError, match=r"threshold of 'energy' is not fitted: threshold\.fit"):
        alarms(one, "energy", ClassMean())
    with pytest.raises(MistrustError, match="1 of 3 scores are NaN"):
        alarms(made(energy=(1, float("nan"), 3)), "energy", Fixed(1))
