"""What only the data can tell of parameters: refused before hours are spent."""

from mistrust.data import load
from mistrust.data.enough import enough
from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES
from mistrust.robustness.experiment.parameters import FRACTION, Parameters
from mistrust.robustness.experiment.subjects import known_classes


def check(parameters: Parameters) -> None:
    """Refuse what the image sets cannot give.

    Raises
    ------
    MistrustError
        Images that are too small for a network; more images, or classes to be traced or searched, than there are; a
        share of the classes that leaves all of them.

    Examples
    --------
    >>> check(Parameters(data="digits", region_classes=10))  # nothing to refuse
    >>> check(Parameters(data="digits", region_classes=11))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: region_classes is 11, and 'digits' has 10 classes; 0 takes all.
    """
    p = parameters
    enough(p, "train_images", [p.data], "train")
    enough(p, "also_images", p.also, "train")
    enough(p, "images", [p.data], "test", "or take another set")
    enough(p, "layer_images", [p.data], "test", "or 0 to leave single layers out")
    for name in (p.data, *p.also):
        channels, height, width = load(name, "test").images.shape[1:]
        for network in p.networks:
            ARCHITECTURES[network].build(channels, (height, width), len(load(name, "test").classes))
    classes = load(p.data, "test").classes
    if FRACTION in p.parts and known_classes(classes, p.class_share) >= len(classes):
        raise MistrustError(
            f"class_share is {p.class_share:g}, which leaves all {len(classes)} classes of '{p.data}' in the variant "
            "'fraction': lower it, or leave the variant out (parts)."
        )
    for asked, count in (("region_classes", p.region_classes), ("sources", p.sources)):
        if count > len(classes):
            raise MistrustError(f"{asked} is {count}, and '{p.data}' has {len(classes)} classes; 0 takes all.")
