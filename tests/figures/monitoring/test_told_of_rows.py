"""What is derived of rows for sentences and tables: signs with and without compression, false alarms that are held."""

import numpy as np
import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.monitoring import compression, held
from mistrust.figures.monitoring.held import expected_off

NAN = float("nan")


def one(data, method, table, condition, metric, value, seed=NAN):
    return {"data": data, "network": "farm-lenet", "method": method, "table": table, "condition": condition,
            "metric": metric, "value": value, "low": value - 0.01, "high": value + 0.02, "seed": seed}  # fmt: skip


def controls():
    found = []
    for data in ("gtsrb-thin", "cifar10-jpeg"):
        for method in ("odin", "knn"):
            found += [one(data, method, "control", "traffic signs as JPEG", "alarms", 0.14, seed) for seed in (NAN, 0)]
    found += [one("gtsrb-thin", name, "nominal", "nominal", "fpr", 0.05) for name in ("odin", "knn", "mdsa")]
    found.append(one("cifar10-jpeg", "odin", "detection", "novelty/GTSRB", "fnr", 0.85))
    found.append(one("cifar10-jpeg", "knn", "others", "novelty/GTSRB", "fnr", 0.8))
    # What is not the same signs, or not alarms at them.
    found.append(one("gtsrb-thin", "odin", "detection", "novelty/CIFAR-10", "fnr", 0.3))
    found.append(one("cifar10-jpeg", "odin", "nominal", "nominal", "fpr", 0.04))
    found.append(one("cifar10-jpeg", "odin", "detection", "novelty/GTSRB", "fpr", 0.04))
    return tidy.table(found)


def test_lossless_signs_are_nominal_to_one_classifier_and_news_to_the_other():
    found = compression(controls())
    assert (found["condition"] == "traffic signs as JPEG").sum() == 4  # means over runs alone
    lossless = found[found["condition"] == "traffic signs, lossless"].set_index(["data", "method"])
    assert lossless["value"].round(6).to_dict() == {
        ("gtsrb-thin", "odin"): 0.05, ("gtsrb-thin", "knn"): 0.05,
        ("cifar10-jpeg", "odin"): 0.15, ("cifar10-jpeg", "knn"): 0.2,
    }  # fmt: skip
    ends = lossless[["low", "high"]].round(6)
    assert ends.loc[("gtsrb-thin", "odin")].tolist() == [0.04, 0.07]
    assert ends.loc[("cifar10-jpeg", "odin")].tolist() == [0.13, 0.16]
    assert set(found["metric"]) == {"alarms"}


def test_without_a_control_there_is_nothing_beside_it():
    assert compression(tidy.empty()).empty


def alarms(*values, network="farm-lenet", seeds=(0.0,), n=3000):
    return tidy.table(
        {**one("mnist5k", f"m{place}", "nominal", "nominal", "fpr", value, seed), "network": network, "n": n}
        for place, value in enumerate(values)
        for seed in (NAN, *seeds)
    )


def test_all_that_hold_are_told_without_the_others():
    assert held(alarms(0.05, 0.06, 0.041)) == (
        "Of 3 rates, 3 lie within 0.01 of 0.05. Rates of single runs lie between 0.041 and 0.060; 0 of 3 are off by "
        "more than 0.01; with this many images, 0 would be off by chance alone."
    )


def test_those_that_do_not_hold_are_told_by_classifier():
    several = pd.concat([alarms(0.05, 0.07), alarms(0.02, 0.03, network="resnet20")])
    assert "Of 4 rates, 1 lies within 0.01 of 0.05; the other 3 are of LeNet and ResNet-20. " in held(several)
    assert held(several, within=0.03).startswith("Of 4 rates, 4 lie within 0.03 of 0.05. ")


def test_one_run_is_no_mean_and_is_told():
    lenet, other = alarms(0.05, 0.05, seeds=(0, 1, 2)), alarms(0.07, network="resnet20")
    assert held(lenet).startswith("Of 2 means over runs, 2 lie within")
    assert held(pd.concat([lenet, other])).startswith(
        "Of 3 rates (means over runs where there are several), 2 lie within 0.01 of 0.05; the other one is of "
        "ResNet-20, which has one run. "
    )


@pytest.mark.whole
def test_chance_is_that_of_a_threshold_from_other_images():
    """Rates of a rule that is fitted and tried on draws of one law, counted."""
    draw = np.random.default_rng(0)
    tried = np.sort(draw.random((4000, 2000)), axis=1)[:, 1899], draw.random((4000, 3000))
    rates = (tried[1] > tried[0][:, None]).mean(1)
    off = (np.abs(rates - 0.05) > 0.01).mean()
    assert expected_off(np.full(100, 3000), 0.05, 0.01, 0.4) / 100 == pytest.approx(off, abs=0.015)
    # Fewer images for the threshold, more by chance; as many as one likes, and none.
    assert expected_off(np.full(100, 3000), 0.05, 0.01, 0.1) > 20
    assert expected_off(np.full(100, 10**7), 0.05, 0.01, 0.4) < 1e-6


def test_the_papers_own_rules_promise_no_rate():
    published = alarms(0.4).assign(method="alooc/published rule")
    assert held(pd.concat([alarms(0.05), published])).startswith("Of 1 rates, 1 lies")
    with pytest.raises(MistrustError, match="false alarms on nominal images"):
        held(published)
