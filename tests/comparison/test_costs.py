"""Whose measured costs are taken: by hand."""

from mistrust import rows
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
