"""Table "bubble": one image that all representatives get right, how far it is from each class, and what it becomes."""

from collections.abc import Iterator, Sequence

from mistrust.data import ImageSet
from mistrust.inputs import to_uint8
from mistrust.pictures import pack
from mistrust.robustness.tables import Row
from mistrust.robustness.target_pairs import Targeted


def bubble_rows(found: Targeted, image: ImageSet, method: str) -> Iterator[Row]:
    """Spokes of one image's bubble, in class order; the source's own row has its picture and no distance."""
    classes: Sequence[str] = image.classes
    common = {"table": "bubble", "method": method, "condition": "image"}
    pixels = to_uint8(image.images) if image.images.is_floating_point() else image.images
    yield {
        **common, "at": classes[int(image.labels[0])], "metric": "source", "value": int(image.ids[0]),
        "note": pack(pixels[0]),
    }  # fmt: skip
    for place, target in enumerate(found.target.tolist()):
        at, reached = classes[target], bool(found.success[place])
        note = pack(found.images[place]) if reached and found.images is not None else ""
        yield {**common, "at": at, "metric": "success", "value": float(reached), "note": note}
        if reached:
            yield {**common, "at": at, "metric": "linf", "value": float(found.linf[place])}
            yield {**common, "at": at, "metric": "probability", "value": float(found.probability[place])}
