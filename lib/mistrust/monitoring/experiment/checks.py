"""What only the data can tell of parameters: refused before hours are spent."""

from math import ceil

from mistrust.data import load
from mistrust.data.enough import enough
from mistrust.errors import MistrustError, UnknownName
from mistrust.inputs.faults import FAULTS
from mistrust.monitoring.experiment.material import Material
from mistrust.monitoring.experiment.parameters import PAPERS, Parameters
from mistrust.monitoring.parts import coinciding, known_classes


def check(parameters: Parameters) -> None:
    """Refuse what the image sets cannot give.

    Raises
    ------
    MistrustError
        A class to leave out that a set does not have; fewer than two that stay; a set that is its own novelty, or has
        images of known classes; a fault in colours where all sets are grey; too few calibration images for the rate of
        false alarms; more images than there are.

    Examples
    --------
    >>> check(Parameters(data=("digits",), novel=("photos",)))  # nothing to say
    >>> check(Parameters(data=("digits",), novel=("digits",)))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: 'digits' is nominal (data) and its own novelty (novel): ...
    >>> check(Parameters(data=("mnist5k",), novel=("digits",)))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: 'digits' is a novelty (novel) and has known classes of 'mnist5k' (data): '0', ...
    """
    enough(parameters, "trained_on", parameters.data, "train")
    enough(parameters, "images", parameters.data, "test")
    for name in parameters.data:
        if name not in PAPERS:
            _check_novelties(parameters, name)
        _check_calibration(parameters, name)
    _check_colours(parameters)


def _check_novelties(p: Parameters, name: str) -> None:
    classes = load(name, "test").classes
    for one in p.left_out:
        if one not in classes:
            raise UnknownName(f"class of '{name}' to leave out", one, classes)
    if len(classes) - len(p.left_out) < 2:
        raise MistrustError(
            f"left_out names {len(p.left_out)} of the {len(classes)} classes of '{name}', and a classifier needs two: "
            "leave out fewer."
        )
    if name in p.novel:
        raise MistrustError(
            f"'{name}' is nominal (data) and its own novelty (novel): its images cannot be both. Name another set, or "
            "classes to leave out (left_out)."
        )
    _check_known(Material(p, name))


def _check_known(material: Material) -> None:
    """Whatever a set of novelty shows counts as new here: `shared` is a matter of rules, and parameters have none."""
    known = material.train.classes
    for entry in (one for one in material.entries if one.novel in material.parameters.novel):
        for images in material.novel(entry):
            both = coinciding(known, images, entry.shared)
            if both:
                names, mapped = known_classes(both, images, material.data)
                raise MistrustError(
                    f"'{images.name}' is a novelty (novel) and has known classes of '{material.data}' (data): {names}. "
                    "Name another set, or leave these classes out (left_out). If names are alike by chance, rename "
                    "those of your own set (its classes.txt). In Python known classes can be mapped, and count as "
                    f"nominal: assemble({mapped}, ...)."
                )


def _check_calibration(p: Parameters, name: str) -> None:
    given, needed = Material(p, name).limit, ceil(1 / p.false_alarms - 1 - 1e-9)
    if given < needed:
        raise MistrustError(
            f"{given} test images of '{name}' set thresholds, and a rate of {p.false_alarms:g} false alarms needs at "
            f"least {needed}: raise images (now {p.images}; 0 takes all), calibration ({p.calibration:g}) or "
            "false_alarms."
        )


def _check_colours(p: Parameters) -> None:
    for name in p.faults:
        if FAULTS[name].colour and all(load(one, "test").images.shape[1] != 3 for one in p.data):
            raise MistrustError(
                f"Fault '{name}' changes colours, and all image sets ({', '.join(p.data)}) are grey. Leave it out, or "
                f"take one of {', '.join(n for n, one in FAULTS.items() if not one.colour)}."
            )
