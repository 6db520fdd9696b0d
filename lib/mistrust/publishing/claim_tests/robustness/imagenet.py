"""Table 1 run again: the paper's four networks with torchvision's weights, where they are at hand.

The networks are the very ones, so that an interval over images is what counts.
"""

from mistrust.errors import MistrustError
from mistrust.publishing.claim_tests.robustness.reading import ALL, CHAPTER, DISTANCE, IMAGENET, NETWORKS, SIGMA
from mistrust.publishing.estimates import Estimate, NotRun, Reader
from mistrust.publishing.verdicts import Verdict, claim_test, every, within

# Table 1, grey levels.
PRINTED = {
    "random": {"alexnet": 66.3, "vgg16": 79.8, "resnet152": 136.4, "inception_v3": 196.6},
    "targeted": {"alexnet": 3.2, "vgg16": 1.6, "resnet152": 2.4, "inception_v3": 3.6},
}
# "Reproduced": within a tenth.
TENTH = 0.1


@claim_test("urem-imagenet-random", CHAPTER)
def imagenet_random(rows: Reader) -> Verdict:
    """The plain mean over the images that break, as published."""
    return _reproduced(rows, "mean breaking sigma in grey levels", **{**SIGMA, "metric": "mean"})


@claim_test("urem-imagenet-targeted", CHAPTER)
def imagenet_targeted(rows: Reader) -> Verdict:
    """The mean over pairs that reach their target."""
    return _reproduced(rows, "targeted distance in grey levels", **DISTANCE)


def _reproduced(rows: Reader, what: str, **where: object) -> Verdict:
    parts = []
    for name, printed in PRINTED[str(where["table"])].items():
        found = rows.find(data=list(IMAGENET), network=name, condition=ALL, **where)
        if found.empty:
            raise NotRun(f"{what} of {NETWORKS[name]} with its own weights on ImageNet")
        if len(found) > 1:
            raise MistrustError(f"Several rows of {NETWORKS[name]} where one was expected: {what}.")
        value, low, high = (float(found.iloc[0][column]) for column in ("value", "low", "high"))
        known = low <= high  # NaN is not
        estimate = Estimate(value, low if known else float("-inf"), high if known else float("inf"), least=0.0)
        text = f"{NETWORKS[name]}, {what}"
        parts.append(within(estimate, printed * (1 - TENTH), printed * (1 + TENTH), text))
    return every(parts)
