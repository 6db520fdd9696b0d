"""What the mechanisms are called in rows: condition = "MECHANISM/DOSE", the names that claims read."""

from collections.abc import Iterable
from dataclasses import dataclass

from mistrust.errors import MistrustError, check_known
from mistrust.search.mechanisms import MECHANISMS


@dataclass(frozen=True)
class Named:
    """A mechanism in rows.

    Attributes
    ----------
    prefix : what stands before the dose.
    ours : whether it stands for none of the paper's, and is left out where these are pooled.
    """

    prefix: str
    ours: bool = False


NAMED = {
    "biased_training": Named("biased"),
    "shift_to_gray": Named("gray"),
    "overfitting": Named("overfit"),
    "few_digits": Named("digits", ours=True),
    "celeba": Named("celeba"),
    "zappos": Named("zappos"),
}
# Doses that stand for a mechanism where lifts are pooled: neither its control nor what the code does in its place.
BESIDE = ("gray/channel0", "celeba/channel0")


def condition(mechanism: str, dose: str) -> str:
    """The condition of a mechanism and a dose: "biased/25"."""
    return f"{NAMED[mechanism].prefix}/{dose}"


def control(mechanism: str) -> str:
    """The condition without the mechanism."""
    return condition(mechanism, MECHANISMS[mechanism].control)


def treated(mechanism: str) -> tuple[str, ...]:
    """The conditions with the mechanism, in the order of its doses."""
    found = (condition(mechanism, dose) for dose in MECHANISMS[mechanism].doses)
    # A mechanism of one dose has no control: that dose is what is done.
    single = len(MECHANISMS[mechanism].doses) == 1
    return tuple(one for one in found if single or (one != control(mechanism) and one not in BESIDE))


def doses(mechanism: str, wanted: Iterable[str]) -> tuple[str, ...]:
    """Doses of a mechanism among those wanted, all where none is named."""
    names = tuple(wanted)
    return tuple(dose for dose in MECHANISMS[mechanism].doses if not names or dose in names)


def check_doses(mechanisms: Iterable[str], wanted: Iterable[str]) -> None:
    """Refuse a dose that no mechanism has, and a mechanism that is left without a dose.

    Raises
    ------
    MistrustError
        Which, and the nearest known one.
    """
    names, given = tuple(mechanisms), tuple(wanted)
    known = [dose for name in names for dose in MECHANISMS[name].doses]
    for dose in given:
        check_known("dose of these mechanisms", dose, known, "mistrust list mechanisms")
    for name in names:
        check_known("mechanism with a name in rows", name, NAMED)
        if not doses(name, given):
            raise MistrustError(
                f"doses names none of mechanism '{name}': {', '.join(MECHANISMS[name].doses)}. Name one, or leave "
                "doses empty for all."
            )


def further_models(mechanisms: Iterable[str], wanted: Iterable[str], asked: Iterable[str]) -> dict[str, int]:
    """How many further models each condition has, read from texts such as "biased/12:3".

    Raises
    ------
    MistrustError
        A condition that is not run, or twice there; a number that is none, or not from 1 on.

    Examples
    --------
    >>> further_models(["biased_training"], [], ["biased/12:3"])
    {'biased/12': 3}
    """
    names = tuple(mechanisms)
    known = [condition(name, dose) for name in names for dose in doses(name, wanted)] if asked else []
    found: dict[str, int] = {}
    for text in asked:
        name, _, number = text.rpartition(":")
        if name not in known:
            raise MistrustError(
                f"further has {text!r}, which is no condition that is run, with a number of models. Those that are: "
                f"{', '.join(known)}. Name one ('{known[0]}:3'), or none (further=[]): a profile may have its own."
            )
        if not number.isdigit() or int(number) < 1 or name in found:
            raise MistrustError(
                f"further has {text!r}, expected a condition and a number of models from 1 on, once: '{known[0]}:3'."
            )
        found[name] = int(number)
    return found
