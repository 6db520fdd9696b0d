"""Claims of section 4 on noise at single layers (Figure 7): are those near the output more sensitive?

By network: the rank correlation of a layer's place with what is measured there, the mean over seeds. Noise is drawn for
each element. A median that is not reached is larger than any other.
"""

import math

import pandas as pd

from mistrust.evaluation import spearman
from mistrust.publishing.claim_tests.robustness.reading import ALL, CHAPTER, level, single
from mistrust.publishing.estimates import Estimate, NotRun, Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test

# The probability that the paper asks of a target before it calls a prediction sure.
VERY_HIGH = 0.9
DEEP = 0.5  # nearer to the logits than to the input


@claim_test("urem-layers-resilient", CHAPTER)
def layers_resilient(rows: Reader) -> Verdict:
    """Median sigma falls with depth."""
    broken = _layers(rows, "broken")
    keys = ["network", "seed", "at"]
    reached = _layers(rows, "median").set_index(keys)["value"]
    places = broken.set_index(keys)["level"]
    medians = reached.reindex(places.index, fill_value=math.inf)  # measured, and not reached
    found = pd.DataFrame({"level": places, "value": medians}).reset_index()
    return below(_along(found), 0.0, "rank correlation of a layer's depth with the median sigma that breaks")


@claim_test("urem-layers-confidence", CHAPTER)
def layers_confidence(rows: Reader) -> Verdict:
    """Probability of the new label rises with depth."""
    found = _along(_layers(rows, "new probability"))
    return above(found, 0.0, "rank correlation of a layer's depth with the new label's probability")


@claim_test("urem-layers-very-confident", CHAPTER)
def layers_very_confident(rows: Reader) -> Verdict:
    """Mean over the layers of the deeper half, by network."""
    found = _layers(rows, "new probability")
    deep = found[found["level"] > DEEP].groupby("network")["value"].mean()
    if deep.empty:
        raise NotRun("probability of the new label at a layer of the deeper half")
    return above(level(deep, 0.0, 1.0, scale="logit"), VERY_HIGH, "probability of the new label, deeper half of layers")


def _layers(rows: Reader, metric: str) -> pd.DataFrame:
    where = {"table": "layers", "method": "elementwise", "condition": ALL, "metric": metric}
    return single(rows, f"noise at single layers: {metric}", **where)


def _along(found: pd.DataFrame) -> Estimate:
    """Rank correlation of `value` with `level`, between networks."""
    each = {key: spearman(one["level"], one["value"]) for key, one in found.groupby(["network", "seed"])}
    known = pd.Series(each, dtype="float64").dropna()
    if known.empty:
        raise NotRun("a network with three layers or more, not all alike")
    return level(known.groupby(level=0).mean(), -1.0, 1.0, scale="fisher")
