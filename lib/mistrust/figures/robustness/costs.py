"""What the searches cost, as a table: how much each saves beside its plain form, and how time grows with classes."""

from collections.abc import Callable, Mapping
from math import floor

import pandas as pd

from mistrust.figures.robustness.parts import words

Write = Callable[[pd.DataFrame], str]
# How many times fewer passes, or as fast, was wanted, set before anything was measured.
WANTED: Mapping[str, float] = {"bisection": 8.0, "targets": 4.0, "both cores": 4.0}
WEAK = "1 epochs"  # as the benchmark names its weakly trained networks


def costs(benchmark: pd.DataFrame) -> pd.DataFrame:
    """Give a line for each question and network.

    Parameters
    ----------
    benchmark : rows of the benchmark "robustness".

    Returns
    -------
    Columns "what", "network", "measured" and "wanted", the bar (text); without lines where the benchmark was not run.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "robustness", "condition": "segments", "network": "mlm-cnn"}
    >>> found = [{"metric": "seconds", "value": 1.24}, {"metric": "breakpoints", "value": 1722}]
    >>> costs(rows.table(found, **common)).to_dict("records")
    [{'what': 'one exact segment test', 'network': "MLM's CNN", 'measured': '1.2 s, 1,722 breakpoints', 'wanted': ''}]
    """
    lines = []
    for (title, condition), write in _QUESTIONS.items():
        found = benchmark[benchmark["condition"] == condition]
        for network, own in found.groupby("network", sort=False):
            said = write(own)
            if said:
                bar = f"at least {WANTED[condition]:g}" if condition in WANTED else ""
                lines.append({"what": title, "network": words(str(network)), "measured": said, "wanted": bar})
    return pd.DataFrame(lines, columns=["what", "network", "measured", "wanted"])


def _passes(own: pd.DataFrame) -> str:
    """Say the ratio where breaking values are high, where they are not, and on all; of a weak training beside it."""
    ratios, equal = own[own["metric"] == "passes ratio"], own[own["metric"] == "equal"]["value"]
    if not (ratios["level"] > 0).any() or equal.empty:
        return ""
    sides = (("above 64", ratios["level"] > 0), ("below", ratios["level"] < 0), ("on all", ratios["level"] == 0))
    said = [f"{_by_training(ratios[side])} {what}" for what, side in sides if side.any()]
    return f"times fewer passes: {', '.join(said)}; equal on at least {_at_least(equal.min())} of pairs"


def _at_least(share: float) -> str:
    """A lower bound in per cent: what falls short of all is not rounded to it."""
    return f"{floor(1000 * share + 1e-9) / 10:.1f}%"


def _by_training(ratios: pd.DataFrame) -> str:
    """The ratio of the network as it is trained elsewhere, and of one that is trained for one epoch."""
    weak = ratios["at"] == WEAK
    usual = ratios[~weak]["value"].map("{:.1f}".format).tolist()
    return " ".join([*usual, *ratios[weak]["value"].map("({:.1f})".format)])


def _batches(own: pd.DataFrame) -> str:
    ratios = own[own["metric"] == "ratio"].sort_values("level")
    each = [f"{value:.1f} ({level:.0f})" for level, value in zip(ratios["level"], ratios["value"], strict=True)]
    equal = own[own["metric"] == "equal"]["value"]
    same = f"; equal on at least {_at_least(equal.min())} of pairs" if len(equal) else ""
    return f"{', '.join(each)} times as fast{same}" if each else ""


def _tails(own: pd.DataFrame) -> str:
    ratios = own[own["metric"] == "ratio"]["value"]
    if ratios.empty:
        return ""
    return f"{ratios.min():.1f} to {ratios.max():,.0f} times as fast, {ratios.median():.1f} at the middle layer"


def _segments(own: pd.DataFrame) -> str:
    by: Mapping[str, float] = dict(zip(own["metric"], own["value"], strict=True))
    if not {"seconds", "breakpoints"} <= set(by):
        return ""
    return f"{by['seconds']:.1f} s, {by['breakpoints']:,.0f} breakpoints"


def _classes(own: pd.DataFrame) -> str:
    measured = own[own["metric"] == "seconds"].set_index("level")["value"]
    whole = own[own["metric"] == "modelled seconds"].sort_values("level")
    each = [
        f"{measured[level]:,.0f} s ({level:,.0f})" if level in measured.index
        else f"at most {value:,.0f} s ({level:,.0f}, modelled)"
        for level, value in zip(whole["level"], whole["value"], strict=True)
    ]  # fmt: skip
    both = sorted(value / measured[level] for level, value in zip(whole["level"], whole["value"], strict=True)
                  if level in measured.index)  # fmt: skip
    if not both:
        return ", ".join(each)
    span = " to ".join(dict.fromkeys(f"{one:.1f}" for one in (both[0], both[-1])))
    return f"{', '.join(each)}; where both are known, the model gives {span} times as much"


# Title and the benchmark's part, with how its rows are put into words.
_QUESTIONS: Mapping[tuple[str, str], Write] = {
    (
        "bracketing and bisection against stepping, one grey level at a time (in brackets: weakly trained)",
        "bisection",
    ): _passes,
    ("all targets in one batch against one pair after the other (in brackets: pairs under way)", "targets"): _batches,
    ("the same on two threads, in wall-clock time", "both cores"): _batches,
    ("noise at a layer, with everything before it cached, against whole passes", "tails"): _tails,
    ("one exact segment test", "segments"): _segments,
    (
        "all targets of one image by Adam (in brackets: classes); modelled from the time of one step",
        "classes",
    ): _classes,
}
