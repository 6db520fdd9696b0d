"""Ensembles of different runs share members: intervals of their means, and of nobody else's, are wider for that."""

import numpy as np
import pytest

from mistrust import rows as tidy
from mistrust.evaluation import between_models
from mistrust.supervisors.experiment import Parameters
from mistrust.supervisors.experiment.over_runs import together
from mistrust.supervisors.experiment.shared_members import wider


@pytest.mark.whole
@pytest.mark.parametrize(("runs", "members"), [(3, 5), (2, 3), (5, 20)])
def test_the_interval_holds_what_ensembles_that_share_none_have_on_average_as_often_as_it_says(runs, members):
    random, draws, held = np.random.default_rng(0), 4000, 0
    for _ in range(draws):
        same = random.normal(size=members - 1).sum()
        found = between_models((random.normal(size=runs) + same) / members, wider=wider(runs, members))
        held += found.low <= 0 <= found.high
    assert held / draws == pytest.approx(0.95, abs=0.012)


def means(members, *methods):
    found = [
        {"method": name, "seed": seed, "value": value}
        for name in methods
        for seed, value in enumerate((0.8, 0.84, 0.9))
    ]
    about = {"table": "detection", "network": "ambiguess-conv", "data": "mnist", "metric": "fpr"}
    every = together(tidy.table(found, **about), Parameters(members=members))
    one = every[every["seed"].isna() & (every["network"] == "ambiguess-conv")].set_index("method")
    return (one["high"] - one["low"]).to_dict(), one["value"].to_dict()


def test_means_over_runs_are_wider_where_an_ensemble_is_asked():
    names = ("dsa", "mc_mean_softmax", "ensemble_mean_softmax", "dsa + ensemble_mean_softmax")
    width, value = means(3, *names)
    assert width["dsa"] == width["mc_mean_softmax"]
    assert width["ensemble_mean_softmax"] == width["dsa + ensemble_mean_softmax"] > 1.5 * width["dsa"]
    assert len(set(value.values())) == 1
    assert means(5, *names)[0]["ensemble_mean_softmax"] > width["ensemble_mean_softmax"]
    assert means(5, *names)[0]["dsa"] == width["dsa"]
