"""Numbers that hang on how many images are nominal, at the paper's share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mistrust.errors import UnknownName
from mistrust.inputs.faults import FAULTS
from mistrust.monitoring.benchmark_sets import BENCHMARK_SETS, PUBLISHED_SIZES, counts
from mistrust.monitoring.rereading import composed, paper_share
from mistrust.monitoring.rereading.composition import COMPOSED
from mistrust.monitoring.rereading.printed import labelled

RATES = st.floats(0, 1)
SHARES = st.floats(0.05, 0.95)


@pytest.mark.parametrize(
    ("nominal", "ood", "false_alarms", "misses", "metric", "value"),
    [
        (12_630, 51_839, 0.02, 0.30, "mcc", 0.5446),  # facts 12
        (12_630, 51_839, 0.02, 0.30, "weighted-f1", 0.7799),
        (12_630, 51_839, 0.02, 0.30, "micro-f1", 0.7548),
        (10_000, 60_000, 0.59, 0.0, "mcc", 0.6110),
        (10_000, 60_000, 0.59, 0.0, "weighted-f1", 0.9001),
        (40, 60, 0.0, 1.0, "weighted-f1", 0.228571),  # never alarms
        (100, 100, 0.2, 0.1, "precision", 0.818182),
    ],
)
def test_worked_numbers(nominal, ood, false_alarms, misses, metric, value):
    found = composed(metric, nominal / (nominal + ood), false_alarms, misses)
    assert float(found) == pytest.approx(value, abs=1e-4)


def test_shares_are_those_of_the_published_sets():
    """As the authors' rules count their images; rotated ones, which all count as nominal there, as other shifts."""
    for entry in BENCHMARK_SETS.values():
        rotated = bool(entry.fault) and FAULTS[entry.fault].copies
        one = BENCHMARK_SETS[f"{entry.nominal}/shift/fog/5"] if rotated else entry
        there = counts(one, PUBLISHED_SIZES[one.nominal][one.novel], as_published=True)
        found = paper_share(entry.nominal, labelled(entry.variation, entry.severity or 0))
        assert found == pytest.approx(there.nominal / (there.nominal + there.out)), entry.name


@pytest.mark.parametrize("metric", COMPOSED)
@given(share=SHARES, alarms=RATES, misses=RATES)
def test_each_number_only_gains_by_fewer_errors(metric, share, alarms, misses):
    """So that the ends of two intervals give the ends of the number's."""
    values = composed(metric, share, [alarms, alarms, alarms / 2], [misses, misses / 2, misses])
    assert not values[1] < values[0] - 1e-9  # nan where nothing alarms
    assert not values[2] < values[0] - 1e-9


@given(share=SHARES, alarms=RATES)
def test_a_coin_has_no_correlation_in_any_set(share, alarms):
    assert float(composed("mcc", share, alarms, 1 - alarms)) == pytest.approx(0, abs=1e-6)


def test_ends_beyond_a_rate_are_those_of_rates_and_silence_has_no_precision():
    assert composed("mcc", 0.5, [-0.1, 0.0], [1.2, 1.0]).tolist() == [0, 0]
    assert np.isnan(composed("precision", 0.5, 0.0, 1.0))


def test_a_metric_that_does_not_hang_on_the_share_is_refused():
    with pytest.raises(UnknownName, match=r"metric that hangs on the share of nominal images 'fpr'"):
        composed("fpr", 0.5, 0.1, 0.2)
