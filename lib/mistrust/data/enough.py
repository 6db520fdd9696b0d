"""Whether image sets have as many images as a chapter is asked to take."""

from collections.abc import Iterable
from dataclasses import fields

from mistrust.data.loading import load
from mistrust.errors import MistrustError
from mistrust.parameters import Checked


def enough(parameters: Checked, name: str, sets: Iterable[str], part: str, way_out: str = "or 0 for all") -> None:
    """Refuse a number of images that none of these sets has in this part, where somebody asked for it.

    A default is not asked for: of a smaller set it takes what there is.

    Parameters
    ----------
    parameters, name : of a chapter, and which of them is a number of images.
    sets, part : names of image sets, and "train" or "test".
    way_out : what else the message advises.

    Raises
    ------
    MistrustError
        More are asked for; each set is named with what it has.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from mistrust.parameters import parameter
    >>> @dataclass(frozen=True)
    ... class Parameters(Checked):
    ...     images: int = parameter(1000, "test images; 0 takes all", low=0)
    >>> enough(Parameters(), "images", ["digits"], "test")  # the default
    >>> enough(Parameters(images=501), "images", ["digits", "photos"], "test")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Parameter 'images' is 501, but 'digits' has 500 and 'photos' has 130 test images. ...
    """
    count = getattr(parameters, name)
    if count in [one.default for one in fields(parameters) if one.name == name]:
        return
    have = {one: len(load(one, part)) for one in sets}
    if have and count > max(have.values()):
        each = " and ".join(f"'{one}' has {size}" for one, size in have.items())
        raise MistrustError(f"Parameter '{name}' is {count}, but {each} {part} images. Ask for fewer, {way_out}.")
