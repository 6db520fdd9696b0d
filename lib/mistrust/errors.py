"""The errors that a user can mend.

Every error that a wrong name, value, file or machine can cause is a `MistrustError`. Its message says what was
wrong, the value, what was expected, and the way out. The command line prints the message alone, without a traceback.
"""

import sys
import warnings
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any


class MistrustError(ValueError):
    """A mistake that its message explains.

    It travels between processes as it is: pickle would call its class with the message alone.

    Examples
    --------
    One line catches whatever a wrong name, value or file causes:

    >>> from mistrust.networks import ARCHITECTURES
    >>> try:
    ...     ARCHITECTURES["resnet8"]
    ... except MistrustError as mistake:
    ...     print(str(mistake).partition(" Known")[0])
    There is no architecture 'resnet8'. Did you mean 'resnet8-w8'?
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.args, vars(self))


def _rebuilt(kind: type[MistrustError], args: tuple[Any, ...], state: dict[str, Any]) -> MistrustError:
    error = kind.__new__(kind, *args)
    vars(error).update(state)
    return error


class StoreError(MistrustError):
    """The store cannot be written to: a full disk, a folder that is shut. What was made before is as it was.

    Examples
    --------
    >>> from pathlib import Path
    >>> from mistrust.store.files import writing
    >>> with writing(Path("/full")):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    mistrust.errors.StoreError: No space left for the store in /full (No space left on device). ...
    """


class NoRows(MistrustError):
    """There are no rows of what a figure or a table shows: the run that would make them was another, or never was.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.figures import misclassification as figures
    >>> figures.accuracy_heat_map(rows.empty())
    Traceback (most recent call last):
    mistrust.errors.NoRows: There are no rows for the accuracy: run the chapter, or leave the figure out.
    """


class NotHere(MistrustError):
    """Images that are not on this machine: the message says how to get them.

    Examples
    --------
    >>> from mistrust.data import SOURCES
    >>> from mistrust.data.places import absent
    >>> raise absent(SOURCES["fmnist"], "test")
    Traceback (most recent call last):
    mistrust.errors.NotHere: The test part of 'fmnist' (...) is not here. ...
    """


MOST = 80  # names that a message lists: more are no help


class UnknownName(MistrustError):
    """A name that stands in no table.

    Parameters
    ----------
    what : the kind of thing, in the singular ("data set").
    name : the name that was asked for.
    known : the names that exist.
    listing : the command that lists them, if there is one.

    Examples
    --------
    >>> raise UnknownName("data set", "mnits", ["mnist", "fmnist"])
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no data set 'mnits'. Did you mean 'mnist'? Known: fmnist, mnist.
    """

    def __init__(self, what: str, name: object, known: Iterable[str], listing: str | None = None) -> None:
        names = sorted(set(known))
        near = nearest(str(name), names)
        hint = f" Did you mean '{near}'?" if near else ""
        more = f" `{listing}` says more." if listing else ""
        kind, _, named = what.partition(" of ") if what.endswith("'") else (what, "", "")
        whose = f" of {named}" if named else ""  # "parameter of supervisor 'dsa'": two names beside each other confuse
        rest = f" and {len(names) - MOST:,} more" if len(names) > MOST else ""  # a network has hundreds of layers
        told = f"{', '.join(names[:MOST]) or 'none'}{rest}"
        super().__init__(f"There is no {kind} '{name}'{whose}.{hint} Known: {told}.{more}")


def check_known(what: str, name: object, known: Collection[str], listing: str | None = None) -> None:
    """Refuse a name that is none of `known` by an `UnknownName`, whose parameters these are.

    Examples
    --------
    >>> check_known("distance", ["linf"], {"l2": 2, "linf": 3})
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no distance '['linf']'. Did you mean 'linf'? Known: l2, linf.
    """
    if name not in tuple(known):  # no dict looks up a list
        raise UnknownName(what, name, known, listing)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name nearest to `name` in spelling, or None when none is near; one of its set's names is nearest.

    Examples
    --------
    >>> nearest("sofmax", ["softmax", "logits"])
    'softmax'
    >>> nearest("fog", ["frost", "mnistc/fog"])
    'mnistc/fog'
    """
    names = list(known)
    within = [one for one in names if one.endswith(f"/{name.lower()}")]
    found = within or get_close_matches(name.lower(), names, n=1, cutoff=0.55)
    return found[0] if found else None


class MistrustWarning(UserWarning):
    """Something was wrong and has been set right: what, and how.

    Examples
    --------
    Whoever takes no repairs makes an error of it, by the means that Python has for every warning:

    >>> import warnings
    >>> from mistrust.evaluation import average_ranks
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", MistrustWarning)
    ...     average_ranks([[0.9, 0.8], [0.7, 0.6], [0.5, float("nan")]])
    Traceback (most recent call last):
    mistrust.errors.MistrustWarning: 1 of 3 data sets hold NaN and are left out of the ranks.
    """


def warn(text: str, package: str) -> None:
    """Give a `MistrustWarning` that names the line which called into a package, however deep in it we are.

    Parameters
    ----------
    text : what was wrong, and how it was set right.
    package : its name with dots, such as "mistrust.search".

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("One of three is left out.", "mistrust")
    >>> str(caught[0].message), caught[0].category.__name__
    ('One of three is left out.', 'MistrustWarning')
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and f"{frame.f_globals.get('__name__')}.".startswith(f"{package}."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, MistrustWarning, stacklevel=level)
