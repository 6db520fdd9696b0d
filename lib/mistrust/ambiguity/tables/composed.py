"""Table "sets": what the labels of each set allow, whether train and test share images, and which pixels wrap."""

from collections.abc import Iterator

import torch

from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import WHITE
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


def wrapped(method: str, decoders: Autoencoders, train: AmbiguousSet, test: AmbiguousSet) -> Iterator[Row]:
    """How many pixels and images the reference's conversion to bytes spoils.

    A set holds bytes alone, and its wrapped pixels look like any black ones: its points are decoded anew.

    Parameters
    ----------
    decoders : those that the set was made with.
    """
    for condition, one in (("train", train), ("test", test)):
        spoilt = torch.zeros(len(one), dtype=torch.int64)
        for place in one.decoder.unique().tolist():
            here = one.decoder == place
            with torch.no_grad():
                pixels = decoders.take([place]).decode(one.latent[here][None])[0]
            spoilt[here] = (pixels.cpu() >= WHITE).sum(1)
        common = {"table": "sets", "method": method, "condition": condition, "n": len(one)}
        yield {**common, "metric": "pixels that wrap", "value": int(spoilt.sum())}
        yield {**common, "metric": "images with a pixel that wraps", "value": int((spoilt > 0).sum())}
