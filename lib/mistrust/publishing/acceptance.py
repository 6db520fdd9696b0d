"""`mistrust rows accept CHAPTER`: a run's rows become the project's results, only when they are what they say.

A whole run is accepted when each of its parameters equals the profile's, when the makers' versions and the inputs'
checksums are still those of the code and data at hand, and when its files are untouched. Pieces of a long run can be
accepted one by one. They are taken from the store by the profile's own parameters, so they cannot be of other ones,
nor of other code or data; their rows join those accepted before, row by row, where these too were made from the same
parameters, makers and inputs. Otherwise they are refused, for rows of two states must not stand in one table.
What follows from rows of single networks (those with a seed), such as their means, is computed anew each time, where
the experiment says how (`together(rows, parameters)`); with the last piece the run is then whole. Pieces that only
prepare others (`preparing(parameters)`) need not be accepted for that.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError, UnknownName
from mistrust.exchange import exchange
from mistrust.pieces import gather
from mistrust.publishing import profiles, rowfiles
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.compute import core_seconds
from mistrust.publishing.manifests import Manifest, changes, manifest, parameter_differences

RUN = "run.json"
WHOLE = "whole run"


def chapter_of(chapter: Chapter | str) -> Chapter:
    """The chapter of that name."""
    return CHAPTERS[chapter] if isinstance(chapter, str) else chapter


def read_run(chapter: Chapter) -> tuple[Manifest, pd.DataFrame] | None:
    """What the last run left: its manifest (with "profile" and "tables") and its rows."""
    way_out = f"Run `mistrust run {chapter.name}` again: what is made stays made."
    return rowfiles.read(paths.run_rows() / chapter.name, RUN, way_out)


def read_accepted(chapter: Chapter, profile: str) -> tuple[Manifest, pd.DataFrame] | None:
    """What was accepted in a profile: its manifest and rows.

    To what a run's manifest says come "complete", "pieces" (those accepted), "versions" by what was accepted at once,
    and "core seconds" of each piece whose time is known.
    """
    way_out = "`git checkout` brings back what was committed; else accept a whole run again."
    return rowfiles.read(paths.results() / chapter.name, f"{profile}.json", way_out)


def accept(
    chapter: Chapter | str, profile: str | None = None, *, pieces: Sequence[str] | None = None, anew: bool = False
) -> list[Path]:
    """Copy the rows of the last run, or of some pieces in the store, to `data/results/<chapter>/`.

    Parameters
    ----------
    profile : whose rows they shall be; left out: the profile that the run had, and "full" for pieces.
    pieces : accept these pieces instead of the last whole run; one that the store lacks is made now.
    anew : with pieces: drop what was accepted in this profile before, instead of joining it.

    Returns
    -------
    The files written: a csv a table, and `<profile>.json` with what the rows were made from.

    Raises
    ------
    MistrustError
        No run; a parameter that differs from the profile (each is named); other makers or inputs than today's (each
        is named); files changed by hand; a piece that does not exist or does not fit to what was accepted. Whenever
        it raises, `data/results` is as it was.

    Examples
    --------
    >>> accept("search", pieces=["biased/26 0"])
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no piece of 'search' in the profile `full`, 'biased/26 0'. ...
    """
    one = chapter_of(chapter)
    if pieces is not None:
        return _accept_pieces(one, profile or "full", list(dict.fromkeys(pieces)), anew)
    found = read_run(one)
    if found is None:
        raise MistrustError(
            f"There is no run of chapter '{one.name}' to accept. Run `mistrust run {one.name} --profile "
            f"{profile or 'full'}` first."
        )
    about, rows = found
    label = profile or _nearest(one, about)
    parameters = profiles.profile(one, label)
    again = f"Run `mistrust run {one.name} --profile {label}`, then accept again."
    differences = parameter_differences(about, label, parameters)
    if differences:
        raise MistrustError(
            f"The last run of '{one.name}' is not the profile `{label}`, so its rows are not accepted: "
            f"{'; '.join(differences)}. {again}"
        )
    now = manifest(one, parameters)
    changed = changes(about, now)
    if changed:
        raise MistrustError(
            f"The last run of '{one.name}' was made by other code or from other data than there is now, so its rows "
            f"are not accepted: {'; '.join(changed)}. {again}"
        )
    made = {"pieces": one.module().pieces(parameters), "versions": {WHOLE: about["versions"]}}
    return _write(one, label, rows, {**now, "complete": True, **made, "core seconds": core_seconds(rows)})


def _accept_pieces(chapter: Chapter, profile: str, names: list[str], anew: bool) -> list[Path]:
    parameters, module = profiles.profile(chapter, profile), chapter.module()
    known = module.pieces(parameters)
    for name in names:
        if name not in known:
            raise UnknownName(f"piece of '{chapter.name}' in the profile `{profile}`,", name, known)
    if not names:
        raise MistrustError(f"No piece of '{chapter.name}' was named. It has: {', '.join(known)}.")
    now = manifest(chapter, parameters)
    old = None if anew else read_accepted(chapter, profile)
    if old is not None:
        differences = parameter_differences(old[0], profile, parameters) + changes(old[0], now)
        if differences:
            raise MistrustError(
                f"The rows accepted for `{profile}` before were made otherwise, so {', '.join(names)} cannot join "
                f"them: {'; '.join(differences)}. Accept a whole run, or accept with `anew` to start again from these "
                "pieces."
            )
    # By the engine, as a run makes them: with one thread, since sums depend on how many there are.
    made = gather(module.piece, module.missing, parameters, names)
    # As files hold them, which the rows accepted before come from: else a level of 1/15 would be two.
    rows = tidy.as_written(rowfiles.labelled(made, chapter.name, profile))
    versions, done = dict.fromkeys(names, now["versions"]), set(names)
    if old is not None:
        versions, rows, done = {**old[0]["versions"], **versions}, _merge(old[1], rows), done | set(old[0]["pieces"])
    follows = hasattr(module, "together")
    if follows:
        # What follows from pieces is made anew; rows of pieces say what they were made from.
        rows = module.together(rows[rows["made"] != ""], parameters)
    # Where nothing says what follows from pieces, a whole run alone has it, and that has nothing to add to.
    whole = set(chapter.counted(parameters)) <= done and (follows or WHOLE in versions)
    about = {"complete": whole, "pieces": [name for name in known if name in done], "versions": versions}
    took = core_seconds(rows, old[0].get("core seconds") if old is not None else None)
    return _write(chapter, profile, rows, {**now, **about, "core seconds": took})


def _nearest(chapter: Chapter, about: Manifest) -> str:
    """The profile of a run; for custom parameters the one with the fewest differences, for the message."""
    known = profiles.names(chapter)
    if about["profile"] in known:
        return str(about["profile"])
    if not known:
        raise MistrustError(f"Chapter '{chapter.name}' has no profile in notebooks/profiles.toml: add one.")
    return min(known, key=lambda name: len(parameter_differences(about, name, profiles.profile(chapter, name))))


def _merge(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """All rows of both; where both have a row for the same thing, the new one, and of a piece made anew no other."""
    both = pd.concat([old[~old["made"].isin(new["made"])], new], ignore_index=True)
    return tidy.check(both[~both.duplicated(list(tidy.IDENTITY), keep="last")])


def _write(chapter: Chapter, profile: str, rows: pd.DataFrame, about: Manifest) -> list[Path]:
    folder = paths.results() / chapter.name
    ours = rowfiles.labelled(rows, chapter.name, profile)
    files = rowfiles.texts(folder, ours, about, profile, f"{profile}.json")
    exchange(files, remove=rowfiles.stale_tables(folder, list(files), f"*.{profile}.csv"))
    return list(files)
