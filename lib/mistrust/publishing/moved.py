"""Does a result reproduce? Rows of two runs side by side, and which of them moved beyond their intervals."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from mistrust import rows as tidy
from mistrust.errors import MistrustError, UnknownName
from mistrust.publishing import rowfiles
from mistrust.publishing.acceptance import chapter_of, read_accepted, read_run
from mistrust.publishing.chapters import Chapter
from mistrust.publishing.profiles import profile as parameters_of

ROUNDING = 1e-6  # of the larger of two numbers: the same up to the order of sums
# From best to worst. "moved" is a number whose interval of neither run holds the other's value. Training on another
# kind of processor, or with another number of threads, ends in another network: its numbers can only be "drawn".
WORDS = ("equal", "rounding", "within", "drawn", "moved", "differs", "gone", "new")
BAD = WORDS[WORDS.index("moved") :]
FEWEST = 3  # networks that tell what another one would give
SAID = {
    "equal": "the same ten digits",
    "rounding": f"the same up to {ROUNDING:g} of the number",
    "within": "another number, inside the interval of one of the two runs",
    "drawn": "another number, such as another network of this recipe would give: inside the 95% prediction interval of "
    "the accepted networks",
    "moved": "another number, outside both intervals",
    "differs": "another number; neither run gives an interval",
    "gone": "a row that only the accepted rows have",
    "new": "a row that only the other rows have",
}
_KEY = [name for name in tidy.IDENTITY if name != "profile"]


def moved(old: pd.DataFrame, new: pd.DataFrame, like: pd.DataFrame | None = None) -> pd.DataFrame:
    """Put rows of two runs side by side.

    Parameters
    ----------
    old, new : tidy rows (`mistrust.rows`); the profile is not compared.
    like : the rows that tell how networks of one recipe differ; left out, the old ones.

    Returns
    -------
    A row for each thing that either has: its identity, `old`, `low`, `high`, `new`, `new_low`, `new_high`, and `word`,
    an entry of `WORDS`. Where a network's number has no interval, `low` and `high` are those of one more network.
    """
    numbers = ["value", "low", "high"]
    here = tidy.as_written(old)[[*_KEY, *numbers]].set_axis([*_KEY, "old", "low", "high"], axis=1)
    there = tidy.as_written(new)[[*_KEY, *numbers]].set_axis([*_KEY, "new", "new_low", "new_high"], axis=1)
    both = here.merge(there, on=_KEY, how="outer")
    a, b = both["old"].to_numpy(), both["new"].to_numpy()
    apart = np.abs(a - b)
    close = apart <= ROUNDING * np.maximum(np.abs(a), np.abs(b))
    inside = _holds(both["low"], both["high"], b) | _holds(both["new_low"], both["new_high"], a)
    low, high = _predicted(both, tidy.as_written(old if like is None else like))
    drawn = (low <= b) & (b <= high)
    both["low"], both["high"] = both["low"].fillna(low), both["high"].fillna(high)
    known = both["low"].notna().to_numpy() | both["new_low"].notna().to_numpy()
    words = np.select(
        [np.isnan(b), np.isnan(a), a == b, close, inside, drawn, known],
        ["gone", "new", "equal", "rounding", "within", "drawn", "moved"], "differs",
    )  # fmt: skip
    return both.assign(word=words)


def _predicted(both: pd.DataFrame, like: pd.DataFrame) -> tuple["pd.Series[float]", "pd.Series[float]"]:
    """Bounds of where one more network's number lies with 95%; NaN where fewer than `FEWEST` networks tell.

    Student's t for one more draw of a normal law whose mean and deviation are estimated from n draws.
    """
    same = [name for name in _KEY if name != "seed"]
    single = like[like["seed"].notna()].groupby(same, dropna=False)["value"].agg(["count", "mean", "std"])
    found = both[same].merge(single.reset_index(), on=same, how="left")
    n = found["count"].where(found["count"] >= FEWEST).where(both["seed"].notna())
    half = stats.t.ppf(0.975, n - 1) * found["std"] * np.sqrt(1 + 1 / n)
    return found["mean"] - half, found["mean"] + half


def _holds(low: pd.Series, high: pd.Series, value: np.ndarray) -> np.ndarray:
    return (low.to_numpy() <= value) & (value <= high.to_numpy())


def counts(found: pd.DataFrame) -> pd.DataFrame:
    """Count words by table: a line a table, a column a word, zeros filled in."""
    counted = found.groupby(["table", "word"]).size().unstack(fill_value=0)
    return counted.reindex(columns=list(WORDS), fill_value=0)


def farthest(found: pd.DataFrame, most: int = 10) -> pd.DataFrame:
    """Give the rows outside both intervals, farthest first: the distance to the nearer interval over its width."""
    out = found[found["word"] == "moved"]
    first = _beyond(out["new"], out["low"], out["high"])
    other = _beyond(out["old"], out["new_low"], out["new_high"])
    far = np.fmin(first, other)
    return out.assign(widths=far).sort_values("widths", ascending=False, kind="stable").head(most)


def _beyond(value: pd.Series, low: pd.Series, high: pd.Series) -> np.ndarray:
    over = np.maximum((low - value).to_numpy(), (value - high).to_numpy())
    with np.errstate(divide="ignore"):
        return over / (high - low).to_numpy()


def accepted_and(
    chapter: Chapter | str, profile: str = "full", *, pieces: Sequence[str] = (), folder: str | Path | None = None
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Give the accepted rows of a chapter that are to be compared, others of the same profile, and all accepted ones.

    Parameters
    ----------
    pieces : compare what the store gives for these now, made where it lacks them; only their rows are compared.
    folder : compare the rows accepted in another checkout or artefact: a folder like `data/results`.
        With neither, the chapter's last run is compared.

    Raises
    ------
    MistrustError
        No accepted rows, no run, a run of another profile, a piece that does not exist, no such folder.
    """
    one = chapter_of(chapter)
    kept = read_accepted(one, profile)
    if kept is None:
        raise MistrustError(
            f"There are no accepted rows of '{one.name}' in the profile `{profile}` to compare with: "
            f"`mistrust rows accept {one.name} --profile {profile}` makes them."
        )
    if pieces:
        return *_by_pieces(one, profile, pieces, kept[1]), kept[1]
    if folder is not None:
        place = Path(folder).expanduser() / one.name
        other = rowfiles.read(place, f"{profile}.json", "Name a folder like data/results.")
        if other is None:
            raise MistrustError(f"{place} holds no {profile}.json: name a folder like data/results by --with.")
        return kept[1], other[1], kept[1]
    run = read_run(one)
    if run is None or run[0]["profile"] != profile:
        there = f"is of the profile `{run[0]['profile']}`" if run else "does not exist"
        raise MistrustError(
            f"The last run of '{one.name}' {there}, and the profile `{profile}` is to be compared: `mistrust run "
            f"{one.name} --profile {profile}` first, or name pieces by --piece."
        )
    return kept[1], run[1], kept[1]


def _by_pieces(
    chapter: Chapter, profile: str, names: Sequence[str], kept: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    parameters, module = parameters_of(chapter, profile), chapter.module()
    known = module.pieces(parameters)
    for name in names:
        if name not in known:
            raise UnknownName(f"piece of '{chapter.name}' in the profile `{profile}`,", name, known)
    made = pd.concat([module.piece(parameters, name) for name in names], ignore_index=True)
    found = tidy.as_written(rowfiles.labelled(made, chapter.name, profile))
    ours, theirs = (pd.MultiIndex.from_frame(frame[_KEY]) for frame in (found, kept))
    own = kept["made"].isin(set(found["made"]) - {""}) | theirs.isin(ours)
    # Of some rows of a piece the files hold only what follows from them: those cannot be compared.
    return kept[own], found[ours.isin(theirs)]
