"""The decision guide, from rows alone: for each trouble the best scorer, and a cheaper one not shown to be worse."""

import pandas as pd

from mistrust.comparison.advice import BAD, CHANCE, QUESTIONS, WRONG, Advice, Choice, advise
from mistrust.figures.comparison.parts import data_in, number, short, tidy_bytes, words
from mistrust.figures.dots import name_lines
from mistrust.figures.parts import one_of, some
from mistrust.figures.style import PALETTE, Picture, figure, for_words, legend_beneath, picture, style
from mistrust.figures.written import wide
from mistrust.rows import select

_LINE = 0.5  # inches
_HEADS = {BAD: "Input bad?", WRONG: "Answer wrong?"}  # as short as names of troubles
_BEST, _FRUGAL = (PALETTE[0], "o"), (PALETTE[1], "D")


def guide(
    rows: pd.DataFrame, *, benchmark: pd.DataFrame | None = None, data: str | None = None, caption: str = ""
) -> Picture:
    """Draw one line per trouble and question: AUROC of the best scorer, and of the frugal one where it is another.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "detection", "wrong" and "cost".
    benchmark : rows of `benchmarks/comparison.py`, by which time decides what is cheap; else passes do.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"method": "max_softmax", "value": 0.93, "low": 0.90, "high": 0.96},
    ...          {"method": "boundary_distance", "value": 0.95, "low": 0.92, "high": 0.98}]
    >>> made = rows.table(found, table="detection", metric="auroc", data="mnist", condition="noise", n=200)
    >>> costs = [{"method": "max_softmax", "value": 0}, {"method": "boundary_distance", "value": 80}]
    >>> passes = rows.table(costs, table="cost", metric="passes", data="mnist")
    >>> guide(pd.concat([made, passes])).alt.split("shown worse. ")[1]
    'Noise, is the input bad? Distance to the boundary (DeepFool) 0.95 (.92–.98); for less: Max Softmax 0.93 (.90–.96).'
    """
    found = _advice(rows, data, benchmark)
    name = _data(rows, data)
    labels: list[tuple[float, str, bool]] = []
    said = []
    with style():
        drawn = figure(_LINE * len(found) + 0.36 * len(QUESTIONS) + 1.1)
        axes = drawn.subplots()
        y, asked = 0.0, ""
        for one in found:
            if one.question != asked:
                labels.append((y, _HEADS[one.question], True))
                asked, y = one.question, y + 1
            labels.append((y, words(one.trouble), False))
            several = one.frugal != one.best
            for place, (choice, (colour, marker)) in enumerate(((one.best, _BEST), (one.frugal, _FRUGAL))):
                if place and not several:
                    continue
                at = y + (0.18 if place else -0.18) * several
                axes.plot([choice.low, choice.high], [at, at], color=colour, lw=2.2, alpha=0.75, zorder=2)
                face = colour if one.told else "white"
                axes.plot(choice.value, at, marker, color=colour, mfc=face, ms=7, zorder=3)
                axes.annotate(
                    short(choice.scorer), (1.04, at), xycoords=("axes fraction", "data"), va="center", fontsize=10,
                    color=for_words(colour), annotation_clip=False,
                )  # fmt: skip
            said.append(_told(one))
            y += 1
        axes.axvline(CHANCE, color="black", lw=1, ls=(0, (2, 2)))
        axes.set_xlim(min(0.45, min(one.best.low for one in found) - 0.02), 1.005)
        axes.set_xticks([0.5, 0.75, 1], [".5", ".75", "1"])
        axes.set_xlabel("AUROC (dashed: chance)")
        name_lines(axes, labels)
        for (colour, marker), text in ((_BEST, "best"), (_FRUGAL, "for less, not shown worse")):
            axes.plot([], [], marker, color=colour, label=text, ms=7)
        legend_beneath(drawn, ncols=2, handletextpad=0.2)
        alt = (
            f"Dot plot of what to use when on {words(name)}: AUROC, with intervals, of the best scorer and, where "
            f"there is one, of a cheaper one that is not shown worse. {' '.join(said)}"
        )
        return picture(drawn, alt, caption, "fig-guide")


def guided(rows: pd.DataFrame, *, benchmark: pd.DataFrame | None = None, data: str | None = None) -> pd.DataFrame:
    """Give the guide as a table: trouble, best scorer, the cheaper one that is not shown to be worse, what they cost.

    Examples
    --------
    >>> from mistrust import rows
    >>> best = {"method": "max_softmax", "condition": "noise", "data": "mnist", "metric": "auroc", "value": 0.93}
    >>> guided(rows.table([{**best, "low": 0.9, "high": 0.96}], table="detection", n=200))["use"].tolist()
    ['Max Softmax']
    """
    lines = []
    for one in _advice(rows, data, benchmark):
        less = one.frugal if one.frugal != one.best else None
        lines.append(
            {
                "question": _capital(one.question),
                "trouble": words(one.trouble),
                "use": short(one.best.scorer) if one.told else f"{short(one.best.scorer)}, not shown to beat chance",
                "AUROC": _interval(one.best),
                "n": one.best.n,
                "false alarms": _percent(*one.best.false_alarms),
                "time": _time(one.best),
                "passes": _passes(one.best),
                "keeps": _keeps(one.best),
                "for less, not shown worse": short(less.scorer) if less else "–",
                "its AUROC": _interval(less) if less else "–",
                "its time": _time(less) if less else "–",
                "its passes": _passes(less) if less else "–",
                "it keeps": _keeps(less) if less else "–",
            }
        )
    return pd.DataFrame(lines)


def _data(rows: pd.DataFrame, data: str | None) -> str:
    held = select(rows, table="detection")
    some(held, "decision guide")
    return one_of(data, data_in(held), "decision guide")


def _advice(rows: pd.DataFrame, data: str | None, benchmark: pd.DataFrame | None) -> list[Advice]:
    found = advise(rows, _data(rows, data), benchmark)
    some(found, "decision guide")
    return found


def _told(one: Advice) -> str:
    how = f"{words(one.trouble)}, {one.question} {words(one.best.scorer)} {_interval(one.best)}"
    less = "" if one.frugal == one.best else f"; for less: {words(one.frugal.scorer)} {_interval(one.frugal)}"
    return f"{how}{less}{'' if one.told else '; not shown to beat chance'}."


def _interval(one: Choice) -> str:
    return number(one.value, one.low, one.high)


def _time(one: Choice) -> str:
    return f"{one.time:.1f} ×" if one.time == one.time else "–"


def _passes(one: Choice) -> str:
    return f"{one.passes:.0f}" if one.passes == one.passes else "–"


def _keeps(one: Choice) -> str:
    return tidy_bytes(one.bytes) if one.bytes == one.bytes else "–"


def _percent(value: float, low: float, high: float) -> str:
    if value != value:
        return "–"
    return f"{100 * value:.0f}%" + (f" ({100 * low:.0f}–{100 * high:.0f})" if wide(low, high) else "")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
