"""Table "attacks": what became of the images that were attacked."""

from collections.abc import Iterator
from math import isfinite

from mistrust.inputs.adversarial import AdversarialSet
from mistrust.inputs.epsilons import OUTCOMES
from mistrust.supervisors.tables import Row

METRICS = {outcome: f"share {outcome}" for outcome in OUTCOMES}


def attacked(condition: str, found: AdversarialSet) -> Iterator[Row]:
    """Rows of one adversarial set: for each attack the share of each outcome, and the median epsilon that fooled.

    A natural error was wrong before it was attacked; a failure still is right at the largest epsilon. Neither is in
    the set.
    """
    for line in found.summary().to_dict("records"):
        row = {"table": "attacks", "condition": condition, "method": line["attack"], "n": line["tried"]}
        for outcome, metric in METRICS.items():
            if line["tried"]:
                yield {**row, "metric": metric, "value": line[outcome] / line["tried"]}
        if isfinite(line["median epsilon"]):
            yield {**row, "metric": "median epsilon", "value": line["median epsilon"]}
