"""Table "shown": the same few images in every benchmark set, so that a reader sees what a fault does."""

from collections.abc import Iterator, Mapping
from typing import Any

from jaxtyping import Int
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs import to_uint8
from mistrust.monitoring.tables import Row
from mistrust.pictures import pack


def shown(images: ImageSet, labels: Int[Tensor, " n"], common: Mapping[str, Any]) -> Iterator[Row]:
    """Give one row per image: `at` is its place, `value` its label's position or -1 for none, `note` the picture."""
    pixels = to_uint8(images.images) if images.images.is_floating_point() else images.images
    for place, (picture, label) in enumerate(zip(pixels, labels.tolist(), strict=True)):
        yield {
            "table": "shown", **common, "at": str(place), "metric": "label", "value": label, "n": len(images),
            "note": pack(picture),
        }  # fmt: skip
