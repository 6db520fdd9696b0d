"""Table "inputs": a few inputs of every kind as they are, so that a reader sees what is meant."""

from collections.abc import Iterator, Mapping

from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs import to_uint8
from mistrust.pictures import pack
from mistrust.supervisors.tables import Row


def shown(sets: Mapping[str, ImageSet], predicted: Mapping[str, Tensor], count: int) -> Iterator[Row]:
    """The first `count` images of every set, with the class that the classifier gives them.

    Parameters
    ----------
    sets : the inputs, by what they are called in `condition`.
    predicted : (n,) class of every input.

    Yields
    ------
    Rows whose `at` is the place in the set, whose `value` is the predicted class's position and whose `note` is the
    picture; `method` names that class.
    """
    for name, images in sets.items():
        some = images.images[:count]
        pixels = some if not some.is_floating_point() else to_uint8(some)
        for place, (picture, label) in enumerate(zip(pixels, predicted[name][:count].tolist(), strict=True)):
            yield {
                "table": "inputs", "condition": name, "method": images.classes[label], "at": str(place),
                "metric": "predicted", "value": label, "n": len(images), "note": pack(picture),
            }  # fmt: skip
