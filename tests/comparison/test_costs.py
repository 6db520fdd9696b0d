"""Whose measured costs are taken, and how finely they count: by hand."""

from dataclasses import replace

import numpy as np
import pytest

from mistrust import rows
from mistrust.comparison.advice import Choice
from mistrust.comparison.costs import measured


def test_of_several_metrics_and_sets_the_last_row_of_the_asked_one_is_taken():
    line = {"method": "knn", "network": "n", "level": 1500}
    taken = rows.table(
        [
            {**line, "data": data, "metric": metric, "seed": seed, "value": value}
            for data, metric, seed, value in (
                ("mnist5k", "ratio", 0, 2), ("mnist5k", "ratio", 1, 3), ("mnist5k", "peak megabytes", 0, 50),
                ("fmnist", "ratio", 0, 4), ("fmnist", "ratio", 1, 5), ("fmnist", "peak megabytes", 0, 70),
            )
        ],
        table="comparison",
    )  # fmt: skip

    def of(metric, data):
        return measured(taken, metric, data)["value"].to_dict()

    assert (of("ratio", "fmnist"), of("peak megabytes", "fmnist")) == ({"knn": 5}, {"knn": 70})
    assert (of("ratio", "digits"), of("peak megabytes", "digits")) == ({"knn": 3}, {"knn": 50})  # MNIST stands in


@pytest.mark.parametrize(("time", "multiple"), [(0.2, 1), (1.0, 1), (1.49, 1), (1.5, 2), (2.49, 2), (7.0, 7)])
def test_time_counts_in_whole_multiples_and_room_in_whole_megabytes(time, multiple):
    choice = Choice("knn", 0.9, 0.8, 1.0, 3, (0.1, 0.0, 0.2), 0, 1_999_999, time)
    assert (choice.multiple, choice.megabytes) == (multiple, 1)
    assert (replace(choice, bytes=999_999).megabytes, replace(choice, bytes=2_000_000).megabytes) == (0, 2)
    assert np.isnan(replace(choice, time=float("nan")).multiple)
