"""Of what number are the percentages of Table 1?

Its caption says: of the maximum pixel value, 255. A printed number and its printed percentage bound the denominator,
as both are rounded: it lies between (number - h) / (percent + h) and (number + h) / (percent - h), h half a unit of
the last digit.
"""

from collections.abc import Sequence

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.robustness.rereading.printed import NETWORKS, by_network

HALF = 0.05  # half a unit of the last printed digit: one decimal, of numbers and percentages alike
CANDIDATES = (255, 256)
# Table 1's two measures: the rows' method and metric.
MEASURES = {"random": "mean", "targeted": "linf"}


def denominators(value: float, percent: float, half: float = HALF) -> tuple[float, float]:
    """Least and largest denominator for which a rounded number is a rounded percentage of it.

    Parameters
    ----------
    value, percent : as printed, above 0.
    half : half a unit of the last digit of both, below `percent`.

    Raises
    ------
    MistrustError
        A number at or below `half`: it could be 0, and would bound nothing.

    Examples
    --------
    Of what are 40.0 grey levels 15.7 per cent? 255 will do, 256 will not:

    >>> least, largest = denominators(40.0, 15.7)
    >>> round(least, 1), round(largest, 1)
    (253.7, 255.9)
    """
    if min(value, percent) <= half:
        raise MistrustError(
            f"{value} and {percent} % bound no denominator: both must exceed {half}, half a unit of their last digit."
        )
    return 100 * (value - half) / (percent + half), 100 * (value + half) / (percent - half)


def percentages(published: pd.DataFrame, candidates: Sequence[float] = CANDIDATES) -> pd.DataFrame:
    """Each percentage of Table 1 beside what it would be of each candidate.

    Parameters
    ----------
    published : the chapter's published rows.
    candidates : denominators to be tried.

    Returns
    -------
    One line per measure and network: `measure` ("random", "targeted"), `network`, `value` (grey levels), `percent` as
    printed; `least`, `largest` denominator that both allow; for each candidate "of N", the percentage with one decimal
    by plain rounding of the printed value, and "fits N", whether N lies within the two bounds. Rounding half of a
    value that was itself rounded is open, so "fits" asks the bounds, never the digits.

    Examples
    --------
    >>> from mistrust.publishing.published import published
    >>> found = percentages(published("robustness")).head(1)
    >>> found[["value", "percent", "of 255", "fits 255", "of 256", "fits 256"]].to_dict("records")
    [{'value': 66.3, 'percent': 25.9, 'of 255': 26.0, 'fits 255': False, 'of 256': 25.9, 'fits 256': True}]
    """
    lines = []
    for measure, metric in MEASURES.items():
        values = by_network(published, "table1", metric, method=measure)
        printed = by_network(published, "table1", "percent", method=measure)
        for name in NETWORKS:
            value, percent = float(values[name]), float(printed[name])
            least, largest = denominators(value, percent)
            line = {"measure": measure, "network": name, "value": value, "percent": percent}
            line |= {"least": least, "largest": largest}
            for one in candidates:
                line |= {f"of {one}": round(100 * value / one, 1), f"fits {one}": least <= one <= largest}
            lines.append(line)
    return pd.DataFrame(lines)


def common(table: pd.DataFrame) -> tuple[float, float] | None:
    """Least and largest denominator that explains all these lines of `percentages`; None where none does.

    Examples
    --------
    40.0 grey levels as 15.7 per cent, and 64.0 as 25.1, are both of some 255; with 24.9 no denominator explains both:

    >>> bounds = [denominators(40.0, 15.7), denominators(64.0, 25.1)]
    >>> [round(bound, 1) for bound in common(pd.DataFrame(bounds, columns=["least", "largest"]))]
    [254.3, 255.7]
    >>> bounds = [denominators(40.0, 15.7), denominators(64.0, 24.9)]
    >>> common(pd.DataFrame(bounds, columns=["least", "largest"])) is None
    True
    """
    least, largest = float(table["least"].max()), float(table["largest"].min())
    return (least, largest) if least <= largest else None
