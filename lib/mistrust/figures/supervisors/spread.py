"""Where a supervisor's scores of each kind of input lie among those of nominal inputs."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from mistrust.figures.interactive import Interactive, Option, choice, histogram, histograms
from mistrust.figures.parts import and_so_on, numbers, some
from mistrust.figures.supervisors.parts import conditions_in, family, in_order, of, of_network, words
from mistrust.figures.written import many

_NOTE = (
    "Across: a score's place among the scores of nominal inputs, in twentieths. Up: share of inputs, on a square-root "
    "scale. Grey line: nominal inputs. Beyond the dashed line, a score alarms."
)


def spread(
    rows: pd.DataFrame, methods: Sequence[str] = (), *, data: str | None = None, caption: str = ""
) -> Interactive:
    """Let a reader choose a supervisor and see where its scores of every kind lie.

    Parameters
    ----------
    rows : rows of the chapter, with the table "spread".
    methods : which supervisors; those without rows are left out, and none takes all.
    data : which image set; None for the first.

    Raises
    ------
    MistrustError
        There are no such rows.

    Examples
    --------
    Of invalid inputs one in five alarms Max Softmax, and every other one DSA:

    >>> from mistrust import rows
    >>> found = [
    ...     {"method": method, "condition": condition, "at": f"{step / 20:.2f}", "value": share}
    ...     for method, alarms in (("max_softmax", 0.2), ("dsa", 0.5))
    ...     for condition, last in (("nominal", 0.05), ("invalid/other", alarms))
    ...     for step, share in enumerate([(1 - last) / 19] * 19 + [last])
    ... ]
    >>> made = spread(rows.table(found, table="spread", metric="share", data="mnist"))
    >>> made.alt.partition("nominal scores. ")[2]
    'Max Softmax: 5% of nominal and 20% of invalid inputs lie among the highest twentieth of nominal scores.'
    """
    held = of(rows, "spread", "spread of scores", data=data)
    if methods:
        held = held[held["method"].isin(list(methods))]
        some(held, "spread of scores")
    held = held.assign(at=held["at"].astype(float)).sort_values("at")
    shares = {key: numbers(found["value"]) for key, found in held.groupby(["method", "condition"])}
    kinds = conditions_in(held)
    options = []
    for name in in_order(held["method"]):
        above = {one: shares[name, one][-1] for one in kinds if (name, one) in shares}
        said = and_so_on(f"{value:.0%} of {words(one).lower()}" for one, value in above.items())
        drawn = [
            histogram(f"{words(one)}: {value:.0%} alarm", shares[name, one], shares[name, "nominal"])
            for one, value in above.items()
            if one != "nominal"
        ]
        text = f"{said} inputs lie among the highest twentieth of nominal scores."
        options.append(Option(words(name), text, family(name), histograms(drawn)))
    alt = (
        f"Histograms for {many(len(options), 'supervisor')}: the share of each kind of input by the place of "
        "its score among "
        f"nominal scores. {options[0].title}: {options[0].text}"
    )
    title = f"Where the scores of each kind of input lie, {words(held['data'].iloc[0])}"
    made = choice(options, title=title, alt=alt, label="Supervisor", note=_NOTE, caption=caption)
    return replace(made, shown=of_network(held))
