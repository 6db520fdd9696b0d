"""`mistrust rows restore CHAPTER`: accepted rows go back into the store, so that a run makes only what they lack.

A part of an experiment that is new, or was mended, is then measured alone, where the store is another than the one that
the accepted run filled. Each accepted row names the key that it was made by: what has that key today has the same code,
data and parameters. Rows come back as files hold them, in ten digits. They do not bring their networks: a part that is
measured after that is of a network trained again, which on another processor is another one. So restored rows are for
pictures and for what needs no network; who measures a part anew makes its whole piece anew (see `acceptance`).
"""

from collections.abc import Callable

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing import profiles
from mistrust.publishing.acceptance import chapter_of, read_accepted
from mistrust.publishing.chapters import Chapter
from mistrust.store import key, put


def able(chapter: Chapter | str) -> bool:
    """Whether a chapter's files hold every row of each piece, so that they can go back into the store.

    Examples
    --------
    >>> [able(name) for name in ("search", "supervisors")]  # of pairs of supervisors only means are kept
    [True, False]
    """
    module = chapter_of(chapter).module()
    return hasattr(module, "made_from") and not getattr(module, "MEANS_ONLY", ())


def restore(chapter: Chapter | str, profile: str = "full", *, say: Callable[[str], object] | None = None) -> int:
    """Put into the store what it lacks of a profile's pieces and the accepted rows have.

    Parameters
    ----------
    say : is told what was put there, and what a run still has to make.

    Returns
    -------
    How many parts were put into the store.

    Raises
    ------
    MistrustError
        Nothing was accepted in this profile; the chapter's files do not hold every row of a piece.

    Examples
    --------
    >>> restore("monitoring")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Accepted rows of 'monitoring' cannot go back into the store: ...
    """
    one = chapter_of(chapter)
    module = one.module()
    if not able(one):
        raise MistrustError(
            f"Accepted rows of '{one.name}' cannot go back into the store: its files do not hold every row of a piece. "
            f"`mistrust make {one.name} --profile {profile}` makes them anew."
        )
    found = read_accepted(one, profile)
    if found is None:
        raise MistrustError(f"No rows of '{one.name}' were accepted in the profile `{profile}`.")
    about, rows = found
    parts = dict.fromkeys(about.get("empty", []), tidy.empty()) | dict(list(rows[rows["made"] != ""].groupby("made")))
    took, parameters = about.get("core seconds", {}), profiles.profile(one, profile)
    restored, there, lacking = 0, 0, 0
    for name in module.pieces(parameters):
        for maker, spec in module.made_from(parameters, name):
            made = key(maker, spec)
            if made not in parts:
                lacking += 1
                continue
            # Who made it and for which chapter and profile is said again by whoever reads it.
            content = parts[made].assign(chapter="", profile="", made="").reset_index(drop=True)
            if put(maker, spec, content, took.get(made)):
                restored += 1
            else:
                there += 1
    if say is not None:
        say(
            f"{one.name} ({profile}): {restored} {'part' if restored == 1 else 'parts'} put into the store, {there} "
            f"were there; {lacking} more have no accepted rows"
        )
    return restored
