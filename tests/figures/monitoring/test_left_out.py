"""Which monitors could not watch a classifier is said with the reason."""

import pytest

from mistrust import rows
from mistrust.errors import MistrustError
from mistrust.figures.monitoring import left_out


def watched(**by):
    return rows.table(
        {"chapter": "monitoring", "table": "others", "network": network, "method": method, "metric": "a", "value": 1}
        for network, methods in by.items()
        for method in methods
    )


def test_reasons_are_told_by_what_a_supervisor_needs():
    found = left_out(watched(a=["max_softmax", "mc_mean_softmax", "dissector", "knn"], b=["max_softmax"]))
    assert found == (
        "b is not watched by MC-Dropout: mean softmax, because it has no dropout. "
        "b is not watched by Dissector, because none of its layers are named for that. "
        "b was not watched by KNN."
    )


def test_published_variants_are_no_supervisors_that_lack():
    assert left_out(watched(a=["odin", "odin/as published"], b=["odin"])) == "Every monitor watched every classifier."


def test_no_rows_are_an_error():
    with pytest.raises(MistrustError, match="monitors by classifier"):
        left_out(rows.empty())
