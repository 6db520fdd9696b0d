"""What detection costs: time an image against mean AUROC, and the supervisors that none beats in both.

Times and AUROC may be of supervisors fitted on different numbers of training rows. Those whose time grows with these
are no part of the comparison: they are drawn hollow and stand on no front. All times are those of one thread, or of the
fewest that were timed.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from mistrust.data import SOURCES
from mistrust.figures.parts import and_so_on, by_network, some
from mistrust.figures.style import MARKERS, PALETTE, Picture, figure, legend_beneath, picture, style
from mistrust.figures.supervisors.parts import LETTERS, family, in_order, of, short, words
from mistrust.figures.supervisors.threads import fewest, thread_words
from mistrust.rows import select
from mistrust.supervisors import FAMILIES

NOT_TIMED = "not timed"
NEAR = 1.15  # times whose ratio is smaller are equal: those of one softmax change places with the number of threads
_INCHES = (4.1, 3.3)  # of the axes, about
_LETTER, _LINE = 0.105, 0.19  # inches of a letter and of a line of words, about
TIME, SIZE, FIT = "microseconds an image", "state megabytes", "seconds to fit"
# Keep training rows and compare every input with them; MDSA's decomposition grows until a class has more rows than
# features, which those that were timed have not.
GROWS = ("dsa", "lsa", "mdsa", "knn")


def cost(
    rows: pd.DataFrame,
    benchmark_rows: pd.DataFrame,
    *,
    data: str | None = None,
    network: str = "all",
    condition: str = "alone",
    caption: str = "",
) -> Picture:
    """Draw every supervisor at its time an image and its mean AUROC over the kinds of bad inputs.

    Parameters
    ----------
    rows : rows of the chapter, with the table "detection".
    benchmark_rows : rows of `benchmarks/supervisors.py`: method, metric "microseconds an image" and "state megabytes".
        Times with one thread are drawn; without any, those with the fewest. The caption says which.
    data : which image set of `rows`; None for the first.
    network : which architecture; "all" is the mean over them, or the only one that there is.
    condition : of the benchmark: "alone" counts the pass of the network that records what the supervisor reads, "one
        record" its score alone. Rows without conditions are taken as they are.

    Raises
    ------
    MistrustError
        There are no such rows, or no supervisor is in both.

    Examples
    --------
    The second is slower than the third and no better, so that it is not named. DSA grows with the training rows:

    >>> from mistrust import rows
    >>> measured = {"max_softmax": (0.1, 0.8), "dissector": (90, 0.83), "autoencoder": (20, 0.85), "dsa": (900, 0.9)}
    >>> found = [{"method": name, "value": auroc} for name, (_, auroc) in measured.items()]
    >>> times = [{"method": name, "value": time} for name, (time, _) in measured.items()]
    >>> detected = rows.table(found, table="detection", metric="auroc", condition="invalid/other", data="mnist")
    >>> made = cost(detected, rows.table(times, table="supervisors", metric="microseconds an image"))
    >>> made.alt.partition("keeps: ")[2].partition(" Hollow")[0]
    'Max Softmax 0.1 microseconds, 0.80 and Autoencoder 20 microseconds, 0.85.'
    """
    held = of(rows, "detection", "detection of bad inputs", data=data, network=network)
    mean = by_network(held[held["metric"] == "auroc"])[0].groupby("method")["value"].mean()
    some(benchmark_rows, "cost of supervisors")
    times = _times(benchmark_rows, condition)
    sizes = _values(select(benchmark_rows, metric=SIZE))
    names = in_order(set(mean.index) & set(times))
    lacking = [short(name) for name in in_order(set(mean.index) - set(times))]
    some(names, "cost of supervisors")
    steady, growing = ([name for name in names if (name in GROWS) == grows] for grows in (False, True))
    front = _front(steady, times, mean)
    with style():
        drawn = figure(4.9)
        axes = drawn.subplots()
        for index, group in enumerate(FAMILIES):
            look = {"color": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)], "ls": ""}
            here = [name for name in steady if family(name) == group]
            if here:
                axes.plot([times[n] for n in here], mean[here], ms=8, mec="white", mew=0.6, label=group, **look)
            here = [name for name in growing if family(name) == group]
            axes.plot([times[n] for n in here], mean[here], ms=8, mfc="none", mew=1.6, **look)
        axes.plot([times[n] for n in front], mean[front], color="black", lw=1, ls=":", drawstyle="steps-post", zorder=1)
        axes.set_xscale("log")
        axes.xaxis.set(major_locator=LogLocator(subs=(1, 2, 5)), minor_locator=NullLocator(), major_formatter="{x:g}")
        axes.margins(x=0.06, y=0.1)
        kept = {name: f"{sizes[name]:.3g} MB" for name in (*front, *growing) if name in sizes}
        beside = {name: f", {kept[name]}" if name in kept else "" for name in front}
        _name(axes, [(f"{short(name)}{beside[name]}", times[name], float(mean[name])) for name in front])
        points = [(times[name], float(mean[name])) for name in names]
        for name in growing:
            place = (times[name], float(mean[name]))
            away, side = ((0, -8), "top") if _free_below(axes, short(name), place, points) else ((0, 8), "bottom")
            axes.annotate(short(name), place, away, textcoords="offset points", ha="center", va=side)
        axes.set_xlabel("microseconds per image")
        axes.set_ylabel("mean AUROC")
        legend_beneath(drawn, ncols=3, columnspacing=1, handletextpad=0.2)
        each = [f"{words(n)} {times[n]:.3g} microseconds{beside[n]}, {mean[n]:.2f}" for n in front]
        alt = (
            f"Scatter plot of {len(names)} supervisors: microseconds per image, on a log scale, against the mean AUROC "
            "over kinds of bad inputs."
        )
        if front:
            alt += (
                " Among those whose time does not grow with the training rows, none is faster and better than these, "
                f"with what each keeps: {and_so_on(each)}."
            )
        if growing:
            hollow = [f"{words(n)} ({kept[n]})" if n in kept else words(n) for n in growing]
            alt += f" Hollow, with a time that grows with the training rows: {and_so_on(hollow)}."
        threads = timed_with(benchmark_rows)
        missed = f"Not timed, and so not shown: {and_so_on(lacking)}." if lacking else ""
        said = [caption, f"Timed with {threads}." if threads else "", missed, LETTERS]
        return picture(drawn, alt, " ".join(filter(None, said)), "fig-cost")


def timed_with(benchmark_rows: pd.DataFrame) -> str:
    """Give the threads behind the times that `cost` and `costs` show, in words; "" where no row says it.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": f"{count} threads", "value": value} for count, value in ((1, 8.0), (2, 5.0))]
    >>> timed_with(rows.table(found, table="supervisors", metric="microseconds an image"))
    'one thread'
    """
    found = fewest(select(benchmark_rows, metric=TIME))
    return thread_words(str(found["worker"].iloc[0])) if len(found) else ""


def rows_behind(timed: str, fitted: str, ambiguous: str) -> dict[str, str]:
    """Give how many training rows stand behind the times and behind the AUROCs, as text for a caption.

    Parameters
    ----------
    timed : the image set of the benchmark; all its training images are fitted on.
    fitted : the image set of the run.
    ambiguous : how many ambiguous training images the run adds, such as `Page.asked("train")`; no number where nothing
        was run.

    Returns
    -------
    dict
        "timed", "fitted" and "times", how many times as many the latter are.

    Examples
    --------
    >>> rows_behind("mnist5k", "mnist", "20,000")
    {'timed': '4,000', 'fitted': '80,000', 'times': '20'}
    >>> rows_behind("mnist5k", "mnist", "not run")["fitted"]
    'not run'
    """
    few = SOURCES[timed].counts["train"]
    if not ambiguous[:1].isdecimal():
        return {"timed": f"{few:,}", "fitted": ambiguous, "times": ambiguous}
    many = SOURCES[fitted].counts["train"] + int(ambiguous.replace(",", ""))
    return {"timed": f"{few:,}", "fitted": f"{many:,}", "times": f"{many / few:.0f}"}


def costs(rows: pd.DataFrame, benchmark_rows: pd.DataFrame) -> pd.DataFrame:
    """Give a table of what the figure shows: time an image with and without the network's pass, to fit, what is kept.

    Parameters
    ----------
    rows : rows of one image set and architecture, with the table "detection"; without any, no line is given.
    benchmark_rows : as in `cost`.

    Examples
    --------
    >>> from mistrust import rows
    >>> detected = rows.table([{"method": "mdsa", "value": 0.9}], table="detection", metric="auroc", data="mnist",
    ...                       condition="invalid/other")
    >>> metrics = {"microseconds an image": ("alone", 11.5), "state megabytes": ("", 2.25)}
    >>> times = [{"metric": name, "condition": on, "value": value} for name, (on, value) in metrics.items()]
    >>> costs(detected, rows.table(times, table="supervisors", method="mdsa")).to_dict("records")[0]["megabytes kept"]
    '2.2'
    """
    mean = by_network(select(rows, table="detection", metric="auroc"))[0].groupby("method")["value"].mean()
    alone, beside = (_times(benchmark_rows, condition) for condition in ("alone", "one record"))
    sizes = _values(select(benchmark_rows, metric=SIZE))
    fits = _fits(benchmark_rows)
    lines = [
        (
            words(name),
            f"{alone[name]:,.3g}" if name in alone else NOT_TIMED,
            f"{beside[name]:,.3g}" if name in beside else NOT_TIMED,
            fits.get(name, "nothing to fit" if name in alone else NOT_TIMED) if fits else NOT_TIMED,
            f"{sizes[name]:,.2g}" if name in sizes else NOT_TIMED,
            f"{mean[name]:.2f}",
        )
        for name in (in_order(set(mean.index)) if alone else ())
    ]
    heads = ["supervisor", "microseconds per image, with the network's pass", "its score alone", "seconds to fit"]
    return pd.DataFrame(lines, columns=[*heads, "megabytes kept", "mean AUROC"])


def _name(axes: Axes, points: list[tuple[str, float, float]]) -> None:
    """Write names at the upper left of points on a front, where no other point is, one above the other."""
    left, right = (float(np.log10(end)) for end in axes.get_xlim())
    for name, x, _ in points:
        share = (len(name) * _LETTER + 0.15) / _INCHES[0]
        left = min(left, (float(np.log10(x)) - share * right) / (1 - share))
    bottom, top = axes.get_ylim()
    apart, place = _LINE / _INCHES[1] * (top - bottom) * 1.2, -np.inf
    for name, x, y in points:
        place = max(y + apart / 2, place + apart)
        away = {"xytext": (x / 10 ** (0.12 / _INCHES[0] * (right - left)), place), "ha": "right", "va": "center"}
        line = {"arrowstyle": "-", "lw": 0.7, "shrinkA": 1, "shrinkB": 3, "relpos": (1, 0.5)}
        axes.annotate(name, (x, y), arrowprops=line, **away)  # type: ignore[arg-type]
    axes.set_xlim(10**left, 10**right)
    axes.set_ylim(bottom, max(top, place + apart / 2))


def _free_below(axes: Axes, text: str, place: tuple[float, float], points: list[tuple[float, float]]) -> bool:
    """Whether no point lies where a word would stand beneath a place."""
    (left, right), (bottom, top) = np.log10(axes.get_xlim()), axes.get_ylim()
    wide = (len(text) * _LETTER / 2 + 0.05) / _INCHES[0] * (right - left)
    deep = (0.17 + _LINE) / _INCHES[1] * (top - bottom)
    x, y = place
    return not any(abs(np.log10(at / x)) < wide and 0 < y - value < deep for at, value in points)


def _times(rows: pd.DataFrame, condition: str) -> dict[str, float]:
    """Give microseconds an image by supervisor, all with as many threads."""
    found = fewest(select(rows, metric=TIME))
    return _values(found[found["condition"].isin(["", condition])])


def _fits(rows: pd.DataFrame) -> dict[str, str]:
    """Give seconds to fit by supervisor, with the passes over the training images where their number is chosen."""
    found = fewest(select(rows, metric=FIT))
    each = zip(found["method"], found["value"], found["level"], strict=True)
    return {
        str(name): f"{value:,.2g}" + ("" if np.isnan(passes) else f" ({passes:.0f} passes)")
        for name, value, passes in each
    }


def _values(found: pd.DataFrame) -> dict[str, float]:
    return {str(name): float(value) for name, value in zip(found["method"], found["value"], strict=True)}


def _front(names: list[str], times: dict[str, float], mean: pd.Series) -> list[str]:
    """Give the supervisors that none beats in AUROC without being slower, fastest first; near times are equal."""
    front: list[str] = []
    for name in sorted(names, key=lambda one: (times[one], -mean[one])):
        better = any(mean[other] > mean[name] and times[other] <= NEAR * times[name] for other in names)
        if not better and (not front or mean[name] > mean[front[-1]]):
            front.append(name)
    return front
