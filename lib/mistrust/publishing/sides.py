"""The two sides of a comparison: the accepted rows of a chapter, and others of the same profile."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mistrust import rows as tidy
from mistrust.errors import MistrustError, check_known
from mistrust.pieces import gather
from mistrust.publishing import rowfiles
from mistrust.publishing.acceptance import chapter_of, read_accepted, read_run
from mistrust.publishing.chapters import Chapter
from mistrust.publishing.moved import KEY
from mistrust.publishing.profiles import profile as parameters_of


class Sides(NamedTuple):
    """What is to be compared.

    Attributes
    ----------
    old, new : the accepted rows, and the others.
    like : all accepted rows of the chapter, which tell how networks of one recipe differ.
    beside : how many rows of the pieces made are not in `new`, since no accepted row is of the same thing.
    """

    old: pd.DataFrame
    new: pd.DataFrame
    like: pd.DataFrame
    beside: int = 0


def sides(
    chapter: Chapter | str, profile: str = "full", *, pieces: Sequence[str] = (), folder: str | Path | None = None
) -> Sides:
    """Give the accepted rows of a chapter that are to be compared, and others of the same profile.

    Parameters
    ----------
    pieces : compare what the store gives for these now, made where it lacks them; only their rows are compared.
    folder : compare the rows accepted in another checkout or artefact: a folder like `data/results`.
        With neither, the chapter's last run is compared.

    Raises
    ------
    MistrustError
        No accepted rows, no run, a run of another profile, a piece that does not exist or that fails, pieces without
        any accepted row, no such folder.
    """
    one = chapter_of(chapter)
    kept = read_accepted(one, profile)
    if kept is None:
        raise MistrustError(
            f"There are no accepted rows of '{one.name}' in the profile `{profile}` to compare with: "
            f"`mistrust rows accept {one.name} --profile {profile}` makes them."
        )
    if pieces:
        return _by_pieces(one, profile, list(dict.fromkeys(pieces)), kept[1])
    if folder is not None:
        place = Path(folder).expanduser() / one.name
        other = rowfiles.read(place, f"{profile}.json", "Name a folder like data/results.")
        if other is None:
            raise MistrustError(f"{place} holds no {profile}.json: name a folder like data/results by --with.")
        return Sides(kept[1], other[1], kept[1])
    run = read_run(one)
    if run is None or run[0]["profile"] != profile:
        there = f"is of the profile `{run[0]['profile']}`" if run else "does not exist"
        raise MistrustError(
            f"The last run of '{one.name}' {there}, and the profile `{profile}` is to be compared: `mistrust run "
            f"{one.name} --profile {profile}` first, or name pieces by --piece."
        )
    return Sides(kept[1], run[1], kept[1])


def _by_pieces(chapter: Chapter, profile: str, names: list[str], kept: pd.DataFrame) -> Sides:
    parameters, module = parameters_of(chapter, profile), chapter.module()
    known = module.pieces(parameters)
    for name in names:
        check_known(f"piece of '{chapter.name}' in the profile `{profile}`,", name, known)
    # By the engine, as a run makes them: with one thread, since sums depend on how many there are.
    made = gather(module.piece, module.missing, parameters, names)
    found = tidy.as_written(rowfiles.labelled(made, chapter.name, profile))
    ours, theirs = (pd.MultiIndex.from_frame(frame[KEY]) for frame in (found, kept))
    common = theirs.isin(ours)
    if not common.any():
        raise MistrustError(
            f"None of the {len(found):,} rows of {', '.join(names)} is among the {len(kept):,} accepted rows of "
            f"'{chapter.name}' in the profile `{profile}`, so nothing can be compared: the piece was never accepted "
            f"(`{profile}.json` among the results names what was), or its rows have other names now."
        )
    # The rows of a piece share their keys, also where today's code gives it another one.
    keys = {*found["made"], *kept.loc[common, "made"]} - {""}
    own = kept["made"].isin(keys) | common
    # Of some rows of a piece the files hold only what follows from them: those cannot be compared.
    beside = ~ours.isin(theirs)
    return Sides(kept[own], found[~beside], kept, int(beside.sum()))
