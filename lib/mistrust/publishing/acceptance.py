"""`mistrust rows accept CHAPTER`: a run's rows become the project's results, only when they are what they say.

A whole run is accepted when each of its parameters equals the profile's, when the makers' versions and the inputs'
checksums are still those of the code and data at hand, and when its files are untouched. Pieces of a long run can be
accepted one by one. They are taken from the store by the profile's own parameters, so they cannot be of other ones,
nor of other code or data; their rows join those accepted before, row by row, where these too were made from the same
makers and inputs, and from the same parameters, or from such as change no key of theirs. Otherwise they are refused,
for rows of two states must not stand in one table.
Where an experiment can tell (`contradictions(rows)`), rows of one network that cannot be of one are refused: parts that
were restored, or made on another machine, beside parts of a network trained again.
What follows from rows of single networks (those with a seed), such as their means, is computed anew each time, where
the experiment says how (`together(rows, parameters)`); with the last piece the run is then whole. Accepted means of
rows that no file holds, since files were kept small, stay as they are, and it is said how many; all pieces at once have
them anew, as a whole run does. A table that an experiment names in `MEANS_ONLY` is kept as what follows alone, once the
run is whole: its single rows are many, and only their means are read. Pieces that only prepare others
(`preparing(parameters)`) need not be accepted.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pandas as pd

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError, check_known
from mistrust.exchange import exchange
from mistrust.parameters import Checked
from mistrust.pieces import gather
from mistrust.publishing import profiles, rowfiles
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.compute import core_seconds
from mistrust.publishing.manifests import WHOLE, Manifest, changes, elsewhere, in_use, manifest, parameter_differences
from mistrust.store import key

RUN = "run.json"

Say = Callable[[str], object]


def chapter_of(chapter: Chapter | str) -> Chapter:
    """The chapter of that name."""
    return CHAPTERS[chapter] if isinstance(chapter, str) else chapter


def read_run(chapter: Chapter) -> tuple[Manifest, pd.DataFrame] | None:
    """What the last run left: its manifest (with "profile" and "tables") and its rows."""
    return rowfiles.read(*_run(chapter))


def about_run(chapter: Chapter) -> Manifest | None:
    """The manifest of the last run, once its files are found untouched; its rows are not read."""
    return rowfiles.vouched(*_run(chapter))


def _run(chapter: Chapter) -> tuple[Path, str, str]:
    way_out = f"Run `mistrust run {chapter.name}` again: what is made stays made."
    return paths.run_rows() / chapter.name, RUN, way_out


def read_accepted(chapter: Chapter, profile: str) -> tuple[Manifest, pd.DataFrame] | None:
    """What was accepted in a profile: its manifest and rows.

    To what a run's manifest says come "complete", "pieces" (those accepted), "versions" by what was accepted at once,
    "core seconds" of each piece whose time is known, and "empty", the keys of parts that gave no rows.
    """
    return rowfiles.read(*_accepted(chapter, profile))


def about_accepted(chapter: Chapter, profile: str) -> Manifest | None:
    """The manifest of what was accepted in a profile, once its files are found untouched; its rows are not read."""
    return rowfiles.vouched(*_accepted(chapter, profile))


def _accepted(chapter: Chapter, profile: str) -> tuple[Path, str, str]:
    way_out = "`git checkout` brings back what was committed; else accept a whole run again."
    return paths.results() / chapter.name, f"{profile}.json", way_out


def accept(
    chapter: Chapter | str,
    profile: str | None = None,
    *,
    pieces: Sequence[str] | None = None,
    anew: bool = False,
    say: Say | None = None,
) -> list[Path]:
    """Copy the rows of the last run, or of some pieces in the store, to `data/results/<chapter>/`.

    Parameters
    ----------
    profile : whose rows they shall be; left out: the profile that the run had, and "full" for pieces.
    pieces : accept these pieces instead of the last whole run; one that the store lacks is made now.
    anew : with pieces: drop what was accepted in this profile before, instead of joining it.
    say : is told, line by line, which pieces are made, what they gave, and what could not be computed anew.

    Returns
    -------
    The files written: a csv a table, and `<profile>.json` with what the rows were made from.

    Raises
    ------
    MistrustError
        No run; a parameter that differs from the profile (each is named); other makers or inputs than today's (each
        is named); files changed by hand; a piece that does not exist or does not fit to what was accepted; rows of
        one network that contradict each other. Whenever it raises, `data/results` is as it was.

    Examples
    --------
    >>> accept("search", pieces=["biased/26 0"])
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no piece of 'search' in the profile `full`, 'biased/26 0'. ...
    """
    one = chapter_of(chapter)
    if pieces is not None:
        return _accept_pieces(one, profile or "full", list(dict.fromkeys(pieces)), anew, say or (lambda line: None))
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
    _coherent(one.module(), rows)
    names = one.module().pieces(parameters)
    made = {
        "pieces": names, "versions": {WHOLE: about["versions"]}, "core seconds": core_seconds(rows),
        "empty": _empty(_keys(one.module(), parameters, names), rows),
    }  # fmt: skip
    return _write(one, label, rows, {**now, "complete": True, **made})


def _accept_pieces(chapter: Chapter, profile: str, names: list[str], anew: bool, say: Say) -> list[Path]:
    parameters, module = profiles.profile(chapter, profile), chapter.module()
    known = module.pieces(parameters)
    for name in names:
        check_known(f"piece of '{chapter.name}' in the profile `{profile}`,", name, known)
    if not names:
        raise MistrustError(f"No piece of '{chapter.name}' was named. It has: {', '.join(known)}.")
    now = manifest(chapter, parameters)
    old = None if anew else read_accepted(chapter, profile)
    if old is not None:
        others = parameter_differences(old[0], profile, parameters)
        differences = changes(old[0], now) + ([] if others and _still(module, parameters, *old) else others)
        if differences:
            raise MistrustError(
                f"The rows accepted for `{profile}` before were made otherwise, so {', '.join(names)} cannot join "
                f"them: {'; '.join(differences)}. Accept a whole run, or accept with `anew` to start again from these "
                "pieces."
            )
    made = _made(chapter, module, parameters, profile, names, say)
    _coherent(module, made)
    # As files hold them, which the rows accepted before come from: else a level of 1/15 would be two.
    rows = tidy.as_written(rowfiles.labelled(made, chapter.name, profile))
    versions, done, keys = dict.fromkeys(names, now["versions"]), set(names), _keys(module, parameters, names)
    if old is not None:
        # A part that gives no rows any more leaves none of those that it gave before.
        rows = _merge(old[1][~old[1]["made"].isin(keys)], rows)
        keys |= set(old[0].get("empty", []))
        kept = {name: made for name, made in in_use(old[0]).items() if name not in done}
        for other in elsewhere(kept, now["versions"]):
            say(f"{chapter.name} ({profile}): rows before are of {other}, where training may end in other networks")
        versions, done = {**old[0]["versions"], **versions}, done | set(old[0]["pieces"])
    together, held = getattr(module, "together", None), 0
    if together is not None:
        every = set(chapter.counted(parameters)) <= set(names)  # then no mean is of rows that are not at hand
        rows, held = _with_what_follows(together, parameters, rows, None if old is None or every else old[1])
        if held:
            say(
                f"{chapter.name} ({profile}): {held:,} {'row stays' if held == 1 else 'rows stay'} as accepted, for "
                "the files lack rows of pieces that they follow from. A whole run, accepted, has them anew, and so "
                "have all pieces at once."
            )
    elif old is not None and (old[1]["made"] == "").any():
        say(
            f"{chapter.name} ({profile}): means and what else follows from several pieces stay as they were accepted: "
            "the chapter does not say how to compute them (`together`). A whole run, accepted, has them anew."
        )
    # Where nothing says what follows from pieces, a whole run alone has it, and that has nothing to add to.
    whole = set(chapter.counted(parameters)) <= done and (together is not None or WHOLE in versions)
    about = {"complete": whole, "pieces": [name for name in known if name in done], "versions": versions}
    if together is not None and not held:
        about["versions"] = in_use(about)
    took = core_seconds(rows, old[0].get("core seconds") if old is not None else None)
    return _write(chapter, profile, rows, {**now, **about, "core seconds": took, "empty": _empty(keys, rows)})


def _coherent(module: ModuleType, rows: pd.DataFrame) -> None:
    """Refuse rows that the experiment finds to contradict each other."""
    found = module.contradictions(rows) if hasattr(module, "contradictions") else []
    if found:
        more = f" ({len(found):,} contradictions, this is the first)" if len(found) > 1 else ""
        raise MistrustError(
            f"These rows are of networks that are not the same: {found[0]}{more}. Some parts were made with a network "
            "that was trained again, as another machine does. Make all parts anew, in an empty store (MISTRUST_STORE)."
        )


def _keys(module: ModuleType, parameters: Checked, names: Sequence[str]) -> set[str]:
    """Keys of all parts of some pieces, where the experiment tells them."""
    if not hasattr(module, "made_from"):
        return set()
    return {key(maker, spec) for name in names for maker, spec in module.made_from(parameters, name)}


def _empty(keys: set[str], rows: pd.DataFrame) -> list[str]:
    """Which parts were made and gave no rows: without being told, nobody could tell them from parts not yet made."""
    return sorted(keys - set(rows["made"]))


def _still(module: ModuleType, parameters: Checked, about: Manifest, rows: pd.DataFrame) -> bool:
    """Whether all that was accepted has today's keys, so that no piece of it reads a parameter that is another now."""
    if not hasattr(module, "made_from") or not {*about["pieces"]} <= {*module.pieces(parameters)}:
        return False
    return {*rows["made"], *about.get("empty", [])} - {""} <= _keys(module, parameters, about["pieces"])


def _made(
    chapter: Chapter, module: ModuleType, parameters: Checked, profile: str, names: list[str], say: Say
) -> pd.DataFrame:
    """Rows of pieces, from the store; of one that it lacks it is said why, and what making it gave."""
    called = f"{chapter.name} ({profile})"
    lacking = {name: reasons for name in names if (reasons := chapter.missing(parameters, name))}
    for name, reasons in lacking.items():
        say(f"{called}, {name}: not in the store ({', '.join(reasons)}); it is made now")
    started = time.monotonic()
    # By the engine, as a run makes them: with one thread, since sums depend on how many there are.
    made = gather(module.piece, chapter.missing, parameters, names, label=f"{chapter.name}: pieces")
    took = f", {len(lacking)} made in {time.monotonic() - started:.0f} s" if lacking else ", all from the store"
    say(f"{called}: {len(made):,} rows of {len(names)} {'piece' if len(names) == 1 else 'pieces'}{took}")
    return made


def _with_what_follows(
    together: Callable[[pd.DataFrame, Checked], pd.DataFrame],
    parameters: Checked,
    rows: pd.DataFrame,
    before: pd.DataFrame | None,
) -> tuple[pd.DataFrame, int]:
    """Rows of pieces with what follows from them, and how many of these had to stay as they were accepted before.

    Files may hold means of rows of which they hold none, or some. Such a mean computed anew would be of fewer pieces.
    """
    every = _following(together, rows, parameters)
    followed = tidy.empty() if before is None else before[before["made"] == ""]
    if before is None or followed.empty:
        return every, 0
    keys = list(tidy.IDENTITY)
    given = _following(together, before, parameters)[[*keys, "n"]]
    both = followed[[*keys, "n"]].merge(given, on=keys, how="left", suffixes=("", " given"), indicator=True)
    fewer = (both["_merge"] != "both") | (both["n given"] < both["n"])
    held = followed[fewer.to_numpy()]
    return tidy.check(pd.concat([_without(every, held), held], ignore_index=True)), len(held)


def _following(
    together: Callable[[pd.DataFrame, Checked], pd.DataFrame], rows: pd.DataFrame, parameters: Checked
) -> pd.DataFrame:
    """Rows of pieces, which say what they were made from, with what follows, labelled as they are.

    In the order of files, so that it is no matter which piece was accepted first.
    """
    single = tidy.ordered(rows[rows["made"] != ""]).reset_index(drop=True)
    if single.empty:
        return single
    labels = {name: single[name].iloc[0] for name in ("chapter", "profile")}
    return tidy.check(together(single, parameters)).assign(**labels)


def _without(rows: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Those rows that are not for the same thing as one of the others."""
    keys = list(tidy.IDENTITY)
    known = rows[keys].merge(others[keys], on=keys, how="left", indicator=True)["_merge"] == "both"
    return rows[~known.to_numpy()]


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
    if about["complete"]:
        rows = rows[(rows["made"] == "") | ~rows["table"].isin(getattr(chapter.module(), "MEANS_ONLY", ()))]
    ours = rowfiles.labelled(rows, chapter.name, profile)
    files = rowfiles.texts(folder, ours, about, profile, f"{profile}.json")
    exchange(files, remove=rowfiles.stale_tables(folder, list(files), f"*.{profile}.csv"))
    return list(files)
