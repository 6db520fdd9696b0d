"""Table "mistaken": the inputs that a supervisor gets most wrong, as pictures."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mistrust.data import ImageSet
from mistrust.inputs import to_uint8
from mistrust.pictures import pack
from mistrust.supervisors.tables import NOMINAL, Row, Scores
from mistrust.supervisors.tables.together import place


def mistaken(
    nominal: Scores, kinds: Sequence[Scores], images: Mapping[str, ImageSet], methods: Sequence[str], count: int
) -> Iterator[Row]:
    """The `count` least suspicious inputs of every bad kind, and the most suspicious nominal ones.

    `value` is the score's place among the nominal ones, in [0, 1]; `at` the rank, from 0; the picture travels in
    `note`. Ties go to the lower place in the set.
    """
    for kind in (nominal, *kinds):
        for method in methods:
            places = place(kind.by[method], nominal.by[method])
            order = np.argsort(-places if kind.name == NOMINAL else places, kind="stable")[:count]
            pictures = images[kind.name].images[order.tolist()]
            pixels = pictures if not pictures.is_floating_point() else to_uint8(pictures)
            for rank, (which, picture) in enumerate(zip(order.tolist(), pixels, strict=True)):
                yield {
                    "table": "mistaken", "condition": kind.name, "method": method, "at": str(rank),
                    "metric": "place", "value": float(places[which]), "n": len(kind), "note": pack(picture),
                }  # fmt: skip
