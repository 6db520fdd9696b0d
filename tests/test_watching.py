"""How benchmarks look at memory: what was measured before changes no peak."""

import importlib.util
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from mistrust.comparison.experiment import Parameters
from mistrust.comparison.experiment.readouts import Readings
from mistrust.comparison.experiment.subjects import Subject
from mistrust.networks import observe

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "watching.py"
specification = importlib.util.spec_from_file_location("watching", FILE)
watching = importlib.util.module_from_spec(specification)
sys.modules["watching"] = watching  # where its dataclass looks for its own names
specification.loader.exec_module(watching)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of a peak")
MB = 2**20


@pytest.fixture
def kept():
    return {}


def taken(kept, megabytes):
    """Takes memory for a moment; and, whoever comes first, 40 MB that stay."""
    if "cache" not in kept:
        kept["cache"] = np.ones(40 * MB, dtype=np.uint8)
    return int(np.ones(megabytes * MB, dtype=np.uint8).sum())


def in_one_process(work, rounds):
    found = []
    for _ in range(rounds):
        growth = watching.Growth()
        work()
        found.append(growth.megabytes())
    return found


def test_a_peak_is_what_the_call_takes_and_not_what_stays_from_the_first(kept):
    first, second = partial(taken, kept, 10), partial(taken, kept, 20)
    found = {megabytes: watching.grown_apart(work, 2) for megabytes, work in ((10, first), (20, second))}
    assert found == {10: pytest.approx(10, abs=2), 20: pytest.approx(20, abs=2)}
    assert kept == {}  # this process called nothing
    assert in_one_process(first, 2) == [pytest.approx(50, abs=4), pytest.approx(10, abs=2)]


def test_what_fails_in_the_copy_is_said():
    with pytest.raises(SystemExit, match="What was to be looked at failed, see above"):
        watching.grown_apart(lambda: 1 / 0, 1)


@pytest.mark.whole
def test_peaks_of_scorers_are_the_same_in_both_orders():
    """A search and what reads one softmax: in one process the first of them takes what the others find taken."""
    torch.set_num_threads(1)
    names = ("max_softmax", "boundary_distance", "deep_gini", "dsa")
    asked = Parameters(
        data=("digits",), architectures=("ambiguess-fc-relu",), trained_on=400, network_epochs=1, scorers=names
    )
    subject = Subject(asked, "digits", 0)
    readings = Readings.of(subject).by

    def work(one):
        return one.score(observe(subject.classifier, subject.test.take(slice(0, 200)), **one.asks, seed=0))

    orders = [[*readings.items()], [*readings.items()][::-1]]
    one, other = ({name: watching.grown_apart(partial(work, it), 2) for name, it in order} for order in orders)
    assert {name: pytest.approx(peak, abs=3) for name, peak in one.items()} == other
    assert one["max_softmax"] == pytest.approx(one["deep_gini"], abs=3)
