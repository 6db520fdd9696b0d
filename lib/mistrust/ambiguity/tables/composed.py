"""Table "sets": what the labels of each set allow, and whether train and test share images."""

from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.performance import ceilings
from mistrust.ambiguity.tables import Row

NEAR = (0.05, 0.5)


def composed(method: str, train: AmbiguousSet, test: AmbiguousSet) -> list[Row]:
    """Rows of one way to make a set.

    Parameters
    ----------
    method : what the way is called.
    train, test : its two parts.
    """
    found: list[Row] = []
    for condition, one in (("train", train), ("test", test)):
        common = {"table": "sets", "method": method, "condition": condition}
        found.append({**common, "metric": "images", "value": len(one), "n": len(one)})
        found += [
            {**common, "metric": metric, "value": value, "n": len(one)} for metric, value in ceilings(one.soft).items()
        ]
    common = {"table": "sets", "method": method, "condition": "test"}
    for distance in NEAR:
        near = test.near_duplicates(train, distance) / len(test)
        found.append({**common, "level": distance, "metric": "near-duplicates", "value": near, "n": len(test)})
    return found
