"""What sampling alone does to the bar of false alarms, told from rows."""

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.evaluation.quantile_alarms import at_least, chance_off
from mistrust.figures.monitoring.by_chance import by_chance
from mistrust.publishing.results import accepted


def alarms(network, runs, *values, n=3000, data="cifar10-jpeg"):
    columns = {"data": data, "network": network, "n": n}
    return tidy.table(
        [
            columns | {"method": f"m{place}", "value": value, "seed": seed}
            for place, value in enumerate(values)
            for seed in (float("nan"), *map(float, range(runs)))
        ],
        table="nominal", condition="nominal", metric="fpr",
    )  # fmt: skip


def test_lines_of_one_run_and_of_several_and_of_several_sizes():
    found = pd.concat(
        [
            alarms("resnet20", 1, 0.064, 0.05, 0.05),
            alarms("farm-lenet", 3, 0.05, 0.05),
            alarms("resnet20", 1, 0.035, n=3600, data="gtsrb-thin"),
        ]
    )
    chances = [chance_off(0.05, 0.01, 2000, 3000)] * 3 + [chance_off(0.05, 0.01, 2000, 3000, 3)] * 2
    chances += [chance_off(0.05, 0.01, 2400, 3600)]
    assert by_chance(found).startswith(
        f"Sampling alone puts {sum(chances):.1f} of 6 rates off on average, and at least 2 with probability "
        f"{at_least(chances, 2):.2g} if the rates were independent. They are not: "
    )


def test_a_rate_at_the_edge_is_not_off_and_the_papers_rules_are_left_out():
    found = alarms("resnet20", 1, 0.06, 0.04)
    published = alarms("resnet20", 1, 0.4).assign(method="alooc/published rule")
    assert "of 2 rates off on average, and at least 0 with probability 1 " in by_chance(pd.concat([found, published]))
    with pytest.raises(MistrustError, match="false alarms on nominal images"):
        by_chance(published)


def test_more_images_in_the_threshold_put_fewer_off():
    found = alarms("resnet20", 1, *[0.05] * 10)

    def expected(calibration):
        return float(by_chance(found, calibration=calibration).split()[3])

    assert expected(0.1) > expected(0.4) > expected(0.8)


def test_the_committed_rows_miss_the_bar_no_more_often_than_chance_may():
    found = by_chance(accepted("monitoring"))
    assert float(found.partition(" with probability ")[2].split()[0]) > 0.05
