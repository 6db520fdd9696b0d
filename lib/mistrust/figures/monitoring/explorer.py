"""Choose a fault and its severity: its images, what the three monitors say, and the oracle's cases as counts."""

from html import escape

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.figures.images import images_of
from mistrust.figures.interactive import Interactive, Option, Sprite, Strip, choice, sprite
from mistrust.figures.monitoring.oracle import ten_cases
from mistrust.figures.monitoring.parts import in_order, kind, of, places_in, severities, severity, words
from mistrust.figures.parts import and_so_on, some

_NOTE = (
    "Counts of images by the oracle's cases. Specific: is the image out of distribution? Overall: is the class wrong? "
    "TP correctly rejected, TN correctly accepted, FP false alarm, FN miss."
)
_NOMINAL = (1, 2, 3, 4)  # the oracle's cases of nominal images, and below those that alarm
_ALARMS = (1, 2, 5, 6, 9)


def explorer(
    rows: pd.DataFrame, *, most: int = 4, data: str | None = None, network: str | None = None, caption: str = ""
) -> Interactive:
    """Let a reader choose a benchmark set and see how the paper's three monitors fare.

    Parameters
    ----------
    rows : rows of the chapter, with the tables "cases" and "shown".
    most : images of a set at most; fewer where they would be more than a page carries.
    data, network : which image set and classifier; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows; a row without an image.

    Examples
    --------
    >>> from mistrust import rows
    >>> common = {"table": "cases", "metric": "images", "condition": "shift/fog", "method": "odin", "seed": 0}
    >>> counts = {"1": 4, "3": 90, "4": 6, "5": 10, "6": 40, "7": 30, "8": 20}  # of the oracle's ten cases
    >>> cases = [{"level": level, "at": case, "value": n} for level in (2, 5) for case, n in counts.items()]
    >>> explorer(rows.table(cases, data="mnist5k", network="farm-lenet", **common)).alt.partition("counts. ")[2]
    'Fog, severity 2: Share of images that alarm, nominal and faulty: ODIN 4% and 50%.'
    """
    what = "cases of the oracle"
    held = of(rows, "cases", what, data=data, network=network)
    places = places_in(held)
    some(places, what)
    first = held[held["seed"].isna() | (held["seed"] == held["seed"].min())]
    seen = rows[(rows["table"] == "shown") & rows["data"].isin(held["data"]) & rows["network"].isin(held["network"])]
    sheet, labels, index = _fitting(seen, most)
    options = []
    for place in places:
        for level in severities(first[first["condition"] == place]):
            found = first[(first["condition"] == place) & _same(first["level"], level)]
            counts = {
                name: {int(at): int(v) for at, v in zip(own["at"], own["value"], strict=True)}
                for name, own in found.groupby("method")
            }
            names = in_order(counts)
            strips = [
                Strip(text, shown, [""] * len(shown))
                for text, key in (("as they are", ("nominal", 0.0)), ("in this set", (place, _number(level))))
                if (shown := index.get(key, [])) and not (text == "as they are" and kind(place) == "novelty")
            ]
            rates = and_so_on(_rates(name, counts[name]) for name in names)
            text = f"Share of images that alarm, nominal and {_bad(place)}: {rates}."
            title = f"{words(place)}{severity(level)}"
            drawing = _table(names, counts)
            options.append(Option(title, text, words(kind(place)), drawing, strips))
    where = words(held["data"].iloc[0])
    alt = (
        f"For each of {len(options)} benchmark sets of {where}: images, how often three monitors alarm, and a table of "
        f"the oracle's ten cases with counts. {options[0].title}: {options[0].text}"
    )
    return choice(
        options, title=f"One benchmark set at a time, {where}", alt=alt, label="Set", note=_NOTE,
        images=sheet, labels=labels, caption=caption,
    )  # fmt: skip


def _number(level: float) -> float:
    return 0.0 if level != level else float(level)


def _same(levels: pd.Series, level: float) -> pd.Series:
    return levels.isna() if level != level else levels == level


def _bad(place: str) -> str:
    return "novel" if kind(place) == "novelty" else "faulty"


def _rates(name: str, counts: dict[int, int]) -> str:
    """Say how many nominal and other images alarm, of a monitor's counts by case."""
    said = []
    for nominal in (True, False):
        here = {case: count for case, count in counts.items() if (case in _NOMINAL) == nominal}
        every = sum(here.values())
        said.append(f"{sum(here[case] for case in here if case in _ALARMS) / every:.0%}" if every else "none")
    return f"{words(name)} {' and '.join(said)}"


def _table(names: list[str], counts: dict[str, dict[int, int]]) -> str:
    """Write the cases that occur as a table, a column of counts a monitor, shaded by the share of its images."""
    heads = '<th scope="col">case</th><th scope="col">specific, overall</th>'
    heads += "".join(f'<th scope="col" class="mt-number">{escape(words(name))}</th>' for name in names)
    lines = []
    for number, case in enumerate(ten_cases(), 1):
        values = [counts[name].get(number, 0) for name in names]
        if number > 4 and not any(values):  # of another kind of set
            continue
        alarm = "alarm" if case.alarm == "yes" else "silence"
        text = f"{case.image}, {alarm}" + ("" if case.answer == "any" else f", class {case.answer}")
        cells = "".join(
            f'<td class="mt-number mt-shaded" style="--v:{value / max(1, sum(counts[name].values())):.3f}">{value}</td>'
            for name, value in zip(names, values, strict=True)
        )
        lines.append(f'<tr><th scope="row">{text}</th><td>{case.specific}, {case.overall}</td>{cells}</tr>')
    return (
        f'<div class="mt-scroll"><table class="mt-sortable"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


Index = dict[tuple[str, float], list[int]]


def _fitting(seen: pd.DataFrame, most: int) -> tuple[Sprite | None, list[str], Index]:
    """Give a sprite of as many images a set as a page carries, their labels, and the images of (condition, level)."""
    if seen.empty:
        return None, [], {}
    found = seen.assign(at=seen["at"].astype(int), level=seen["level"].fillna(0.0))
    found = found.sort_values(["condition", "level", "at"], kind="stable")
    count = min(most, int(found["at"].max()) + 1)
    while True:
        kept = found[found["at"] < count]
        pixels = images_of(kept)
        try:
            sheet = sprite(pixels)
            break
        except MistrustError:  # more than a page carries
            if count <= 1:
                raise
            count -= 1
    labels: list[str] = []
    index: Index = {}
    for number, (condition, level, at) in enumerate(zip(kept["condition"], kept["level"], kept["at"], strict=True)):
        name = "as it is" if condition == "nominal" else f"{words(condition)}{severity(level or float('nan'))}"
        labels.append(f"image {at + 1}, {name}")
        index.setdefault((condition, float(level)), []).append(number)
    return sheet, labels, index
