"""Does a result reproduce? Rows of two runs side by side, and which of them moved beyond their intervals."""

import numpy as np
import pandas as pd
from scipy import stats

from mistrust import rows as tidy

ROUNDING = 1e-6  # of the larger of two numbers: the same up to the order of sums
# From best to worst. "moved" is a number whose interval of neither run holds the other's value. Training on another
# kind of processor, or with another number of threads, ends in another network: its numbers can only be "drawn".
WORDS = ("equal", "rounding", "within", "drawn", "moved", "differs", "gone", "new")
BAD = WORDS[WORDS.index("moved") :]
FEWEST = 3  # networks that tell what another one would give; so few tell little, the interval is +-5 deviations wide
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
KEY = [name for name in tidy.IDENTITY if name != "profile"]


def moved(old: pd.DataFrame, new: pd.DataFrame, like: pd.DataFrame | None = None) -> pd.DataFrame:
    """Put rows of two runs side by side.

    Parameters
    ----------
    old, new : tidy rows (`mistrust.rows`); the profile is not compared.
    like : the rows that tell how networks of one recipe differ; left out, the old ones.

    Returns
    -------
    A row for each thing that either has: its identity, `old`, `low`, `high`, `new`, `new_low`, `new_high`, `word`, an
    entry of `WORDS`, and `networks`, how many tell what one more would give (NaN where none is asked). Where a
    network's number has no interval, `low` and `high` are those of one more network.

    Notes
    -----
    Of two independent estimates with 95% intervals of one width, the interval of either misses the other estimate in
    one case of six (2 Phi(-1.96 / sqrt(2)) = 0.166), not of twenty: both err. Of "drawn" it is one of twenty.
    """
    numbers = ["value", "low", "high"]
    here = tidy.as_written(old)[[*KEY, *numbers]].set_axis([*KEY, "old", "low", "high"], axis=1)
    there = tidy.as_written(new)[[*KEY, *numbers]].set_axis([*KEY, "new", "new_low", "new_high"], axis=1)
    both = here.merge(there, on=KEY, how="outer")
    a, b = both["old"].to_numpy(), both["new"].to_numpy()
    apart = np.abs(a - b)
    close = apart <= ROUNDING * np.maximum(np.abs(a), np.abs(b))
    inside = _holds(both["low"], both["high"], b) | _holds(both["new_low"], both["new_high"], a)
    low, high, networks = _predicted(both, tidy.as_written(old if like is None else like))
    drawn = (low <= b) & (b <= high)
    both["low"], both["high"] = both["low"].fillna(low), both["high"].fillna(high)
    known = both["low"].notna().to_numpy() | both["new_low"].notna().to_numpy()
    words = np.select(
        [np.isnan(b), np.isnan(a), a == b, close, inside, drawn, known],
        ["gone", "new", "equal", "rounding", "within", "drawn", "moved"], "differs",
    )  # fmt: skip
    return both.assign(word=words, networks=networks)


def _predicted(both: pd.DataFrame, like: pd.DataFrame) -> tuple["pd.Series[float]", ...]:
    """Bounds of where one more network's number lies with 95%, and of how many; NaN where fewer than `FEWEST` tell.

    Student's t for one more draw of a normal law whose mean and deviation are estimated from n draws.
    """
    same = [name for name in KEY if name != "seed"]
    single = like[like["seed"].notna()].groupby(same, dropna=False)["value"].agg(["count", "mean", "std"])
    found = both[same].merge(single.reset_index(), on=same, how="left")
    n = found["count"].where(found["count"] >= FEWEST).where(both["seed"].notna())
    half = stats.t.ppf(0.975, n - 1) * found["std"] * np.sqrt(1 + 1 / n)
    return found["mean"] - half, found["mean"] + half, n


def _holds(low: pd.Series, high: pd.Series, value: np.ndarray) -> np.ndarray:
    return (low.to_numpy() <= value) & (value <= high.to_numpy())


def counts(found: pd.DataFrame) -> pd.DataFrame:
    """Count words by table: one line per table, one column per word, zeros filled in."""
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
