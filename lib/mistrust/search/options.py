"""Searches and their parameters as options of `mistrust search`: what is of no use there is refused, with a way out."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from mistrust.errors import MistrustError
from mistrust.search.methods import SEARCHES
from mistrust.search.methods.table import spelled


def refuse_unread(methods: Collection[str], parameters: Mapping[str, Any], among: Iterable[str]) -> None:
    """Refuse a parameter that none of these searches reads: whoever gives it expects something of it.

    Parameters
    ----------
    methods : the searches that were named.
    parameters : that were given, under any of their names.
    among : searches that could be named in their place.

    Raises
    ------
    MistrustError
        Such a parameter, with those of `among` that read it.

    Examples
    --------
    >>> refuse_unread(["random", "low_confidence"], {"seed": 1}, SEARCHES)
    >>> refuse_unread(["low_confidence"], {"seed": 1}, ["low_confidence", "random"])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: --seed is of no use to --method low_confidence: leave it out, or take a --method ...
    """
    for name in spelled(parameters):
        if any(name in SEARCHES[one].parameters for one in methods):
            continue
        reads = [one for one in among if name in SEARCHES[one].parameters]
        way_out = f", or take a --method that reads it: {', '.join(reads)}" if reads else ""
        raise MistrustError(f"--{name} is of no use to --method {','.join(methods)}: leave it out{way_out}.")


def refuse_score(methods: Collection[str], holders: str, column: str, among: Iterable[str]) -> None:
    """Refuse the search by a score where what was read has no place for one.

    Parameters
    ----------
    methods : the searches that were named.
    holders : what was read, in the plural.
    column : what its column of distances is called.
    among : searches that could be named in its place.

    Raises
    ------
    MistrustError
        "score" is among the searches.

    Examples
    --------
    >>> refuse_score(["score"], "scores files", "distance", ["random"])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: --method score goes by a score of your own, and scores files hold none: put it ...
    """
    if "score" in methods:
        raise MistrustError(
            f"--method score goes by a score of your own, and {holders} hold none: put it in place of the distance "
            f"(--column {column}=OTHER, smaller is more suspicious, above 0) and take --method adversarial_distance, "
            f"or call `mistrust.search.search` in Python. Without a score: {', '.join(among)}."
        )
