"""Is the prediction wrong? What each supervisor tells of it, whatever kind of input it was."""

import pandas as pd

from mistrust.evaluation import best_area
from mistrust.figures.interactive import Interactive, table
from mistrust.figures.parts import by_network, some
from mistrust.figures.supervisors.parts import LETTERS, cell, family, in_order, of, plus_minus, words
from mistrust.figures.written import many

COVERAGES = (0.95, 0.8)


def trust(
    rows: pd.DataFrame,
    condition: str = "nominal and corrupted",
    *,
    data: str | None = None,
    network: str = "all",
    caption: str = "",
) -> Interactive:
    """Show how well each supervisor finds wrong predictions, and what share is wrong where it lets the rest be.

    Parameters
    ----------
    rows : rows of the chapter, with the table "trust".
    condition : which inputs.
    data : which image set; None for the first.
    network : which architecture; "all" is the mean over them, or the only one that there is.

    Raises
    ------
    MistrustError
        There are no such rows, or every prediction there is wrong, or every one right.

    Examples
    --------
    >>> from mistrust import rows
    >>> measured = {"auroc": 0.9, "risk 95%": 0.02, "risk 80%": 0.01, "excess area": 0.004}
    >>> found = [{"method": "dsa", "metric": metric, "value": value} for metric, value in measured.items()]
    >>> found += [{"metric": "accuracy", "value": 0.96}]
    >>> made = trust(rows.table(found, table="trust", condition="nominal", data="mnist", n=1000), "nominal")
    >>> made.title
    'Is the prediction wrong? It is for 4.00% of nominal images of MNIST'
    >>> made.alt.partition("correct ones. ")[2]
    'Without one, 4.00% are wrong. Largest AUROC: DSA 0.90. Least risk at 80% coverage: DSA 1.00%.'
    """
    what = f"trust in predictions on '{condition}'"
    held = by_network(of(rows, "trust", what, data=data, network=network))[0]
    held = held[held["condition"] == condition]
    some(held[held["metric"] == "auroc"], what)
    values = held.pivot(index="method", columns="metric", values="value")
    plain, n = 1 - float(values["accuracy"][""]), int(held["n"].max())
    names = in_order(set(values.index) - {""})
    found = values.loc[names]
    risks = {f"risk at\u00a0{c:.0%}": found[f"risk {c:.0%}"].tolist() for c in COVERAGES}
    excess = found["excess area"].tolist()
    ends, unsure = plus_minus(held[held["metric"] == "auroc"], names, "the AUROC")
    least = {head: max(0.0, 1 - (1 - plain) / c) for head, c in zip(risks, COVERAGES, strict=True)}
    # From what is wrong when nothing is held back, to what an oracle would leave.
    shades = {
        "AUROC": (0.5, 1.0),
        **{head: (plain, end) for head, end in least.items()},
        "excess area": (plain - best_area(round(plain * n), n), 0.0),
    }
    best = str(found["auroc"].idxmax())
    surest = str(found["risk 80%"].idxmin())
    where = f"{words(condition).lower()} images of {words(held['data'].iloc[0])}"
    note = (
        "Risk: share of wrong predictions among the least suspicious 95% or 80% of the inputs; without a supervisor it "
        f"is {plain:.2%}. Excess area: the area under the curve of risk by coverage, above an oracle's."
    )
    alt = (
        f"Table of {many(len(names), 'supervisor')}: how well each separates wrong predictions from correct "
        "ones. Without one, "
        f"{plain:.2%} are wrong. Largest AUROC: {words(best)} {found.loc[best, 'auroc']:.2f}. Least risk at 80% "
        f"coverage: {words(surest)} {found.loc[surest, 'risk 80%']:.2%}."
    )
    texts = {head: [f"{value:.2%}" for value in column] for head, column in risks.items()}
    return table(
        {
            "supervisor": [cell(name) for name in names],
            "AUROC": found["auroc"].tolist(),
            **ends,
            **risks,
            "excess area": excess,
            "family": [family(name) for name in names],
        },
        title=f"Is the prediction wrong? It is for {plain:.2%} of {where}",
        alt=alt,
        texts={**texts, "excess area": [f"{value:.4f}" for value in excess]},
        shades=shades,
        digits=2,
        caption=" ".join(part for part in (caption, note, unsure, LETTERS) if part),
    )
