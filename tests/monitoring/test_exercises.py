"""The right answers to the exercises, computed in another way; and a monitor of one's own before the oracle."""

import pytest
import torch
from scipy import stats
from sklearn.metrics import matthews_corrcoef

from mistrust.errors import MistrustError
from mistrust.monitoring.exercises import beside, check
from mistrust.monitoring.measures import measured
from mistrust.monitoring.oracle import judged
from mistrust.supervisors import ClassMean


def right(name, answer):
    return check(name, answer).startswith("Right")


def test_counts_that_give_the_printed_row_give_the_answer_of_reread():
    # Of 10,000 images, as many positive as come nearest to the printed precision.
    def precision(positive):
        hits, false = 0.71 * positive, 0.93 * (10_000 - positive)
        return hits / (hits + false)

    nearest = min(range(1, 10_000), key=lambda n: abs(precision(n) - 0.16))
    assert right("reread", (nearest / 10_000, 1))
    nominal = 12_630 / (12_630 + 51_839)
    assert abs(nominal - nearest / 10_000) < 0.005 < 0.5 < abs(1 - nominal - nearest / 10_000)
    assert not right("reread", (nominal, 1))  # counted, not read
    assert not right("reread", (nearest / 10_000, 0))


def test_drawn_errors_give_the_answer_of_the_class_mean():
    law = stats.expon(loc=0.5, scale=0.1)
    share, limit = law.sf(law.mean()), law.ppf(0.95)
    assert right("class-mean", (share, limit))
    drawn = torch.from_numpy(law.rvs(100_000, random_state=1))
    rule = ClassMean().fit(drawn)
    assert float(rule.alarms(drawn).double().mean()) == pytest.approx(share, abs=0.01)
    assert float(rule.limits.overall) == pytest.approx(0.6, abs=0.01)


def test_the_oracle_gives_the_answer_of_two_oracles():
    nominal, foggy = torch.arange(100) < 10, torch.arange(100) < 40
    wrong, ood = torch.cat([nominal, foggy]), torch.arange(200) >= 100
    found = judged(ood, wrong, ~wrong, "shift")
    both = [float(measured(codes)["mcc"]) for codes in (found.specific, found.overall)]
    assert right("two-oracles", both)
    assert both[0] == pytest.approx(matthews_corrcoef(ood, wrong))
    assert not right("two-oracles", both[::-1])


@pytest.mark.whole
def test_a_monitor_of_ones_own_is_judged_as_the_papers_are(run, parameters):
    table = beside(lambda images, calibration: images.scores["odin"], parameters).set_index("monitor")
    assert table.index.tolist() == ["alooc", "oob", "odin", "yours"]
    assert table.loc["yours"].tolist() == table.loc["odin"].tolist()
    single = run[(run["seed"] == 0) & (run["metric"] == "mcc") & (run["condition"] == "all sets/mean")]
    by = single.set_index(["method", "at"])["value"]
    for name in ("alooc", "oob", "odin"):
        assert table.loc[name, "MCC, specific"] == pytest.approx(by[name, "ood"], abs=5e-4)
        assert table.loc[name, "MCC, overall"] == pytest.approx(by[name, "failures"], abs=5e-4)
    alarms = run[(run["seed"] == 0) & (run["table"] == "nominal") & (run["metric"] == "fpr")].set_index("method")
    assert table.loc["oob", "false alarms"] == pytest.approx(alarms.loc["oob", "value"], abs=5e-4)


@pytest.mark.whole
def test_a_monitor_sees_no_label_and_nothing_else_that_tells(run, parameters):
    seen = []

    def blind(images, calibration):
        seen.extend((images, calibration))
        return images.predicted.double()

    beside(blind, parameters)
    assert len(seen) > 10
    for one in seen:
        assert set(one.labels.tolist()) == {-1}
        assert not one.ood.any()
        assert not one.shared.any()
        assert one.ids.tolist() == list(range(len(one)))


@pytest.mark.whole
@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (lambda images: torch.zeros(3), r"gave scores of shape \(3,\) for 64 images, expected \(64,\)"),
        (lambda images: torch.zeros(len(images), 2), r"gave scores of shape \(64, 2\)"),
        (lambda images: torch.full((len(images),), float("nan")), "64 of 64 scores are NaN"),
    ],
)
def test_scores_that_are_none_are_refused(run, parameters, scores, said):
    with pytest.raises(MistrustError, match=said):
        beside(lambda images, calibration: scores(images), parameters)
