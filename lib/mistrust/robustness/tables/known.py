"""Table "known": a network that was trained on all classes, on the images of those that its variant knows.

Networks trained on some of the classes are tested on images of these. Beside them all test images, and changes to
every class, would compare classes: one breaks at other noise than the next, and is nearer to others.
"""

from collections.abc import Iterable, Iterator

from jaxtyping import Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.robustness.tables import Row

# What is told of them, by the table that it comes from.
KEPT = {"networks": ("accuracy",), "random": ("capped mean", "unbroken"), "targeted": ("linf", "success")}


def known(found: Iterable[Row]) -> Iterator[Row]:
    """Those rows of the tables "networks", "random" and "targeted" that are compared, as rows of this table."""
    for row in found:
        if row["metric"] in KEPT.get(row["table"], ()):
            yield {**row, "table": "known"}


def other_classes(images: ImageSet, classes: int) -> Int64[Tensor, "n t"]:
    """Targets of each image: those of the first `classes` that are not its own."""
    every = images.labels.new_tensor(range(classes)).expand(len(images), -1)
    return every[every != images.labels[:, None]].view(len(images), classes - 1)
