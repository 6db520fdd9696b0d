"""Claims of section IV-D-2 on which of the tried settings did best on nominal images.

A claim that one setting beats 26 others is tested once an image set, against the rival that the other runs choose: the
best of all others there. Were each of the 26 compared, Holm's correction would leave nothing to three runs; were the
rival chosen in the run that it is compared in, luck would choose it.
"""

import pandas as pd

from mistrust.publishing.claim_tests.monitoring.reading import CHAPTER, COPIES, NAMES, NETWORK, TITLES, published
from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import Verdict, claim_test, every, greater

TRIED = "tried"  # the table; its monitors are those as published, "alooc/as published, RMSProp" an other setting


@claim_test("farm-adam-best", CHAPTER)
def adam_best(rows: Reader) -> Verdict:
    """As published: ALOOC trained with Adam leads over ALOOC trained with RMSProp, on both image sets."""
    return _best(rows, "alooc", "ALOOC trained by another optimiser than Adam")


@claim_test("farm-oob-best", CHAPTER)
def oob_best(rows: Reader) -> Verdict:
    """As published: OOB with these settings leads over those that did best in the other runs, on both image sets.

    A setting that gives the same in every run is as good: none leads.
    """
    return _best(rows, "oob", "OOB with other clusters, projections or enlargements")


def rivals(others: pd.DataFrame) -> "pd.Series[str]":
    """Name for each run the setting that did best in all other runs; for a run that is alone the best in it.

    Parameters
    ----------
    others : one line per run, one column per setting.
    """
    score = others if len(others) < 2 else others.sum() - others
    return pd.Series([str(others.columns[place]) for place in score.to_numpy().argmax(1)], others.index)


def _best(rows: Reader, monitor: str, lacking: str) -> Verdict:
    """MCC of the system's answers on nominal images, as in Table V, of one classifier in all settings."""
    own, known = published(monitor), rows.frame[rows.frame["table"] == TRIED]["method"].unique()
    names = [name for name in known if name.startswith(f"{own}, ")]
    if not names:
        raise NotRun(lacking)
    parts = []
    for data, title in TITLES.items():
        where = {"table": TRIED, "network": NETWORK, "data": list(COPIES[data]), "condition": "nominal"}
        ours = rows.by_seed(**where, method=own, metric="mcc")
        others = rows.wide("method", **where, method=names, metric="mcc").dropna()
        many_runs = len(others) > 1 and set(others.index) == set(ours.index)
        equal = [str(name) for name in others.columns if many_runs and bool((others[name] == ours).all())]
        if equal:  # no interval can tell that, and which of equals a run chose would be chance
            same = " or ".join(name.partition(", ")[2] for name in equal)
            told = (
                f"{title}, nominal images: the MCC of the answers is the same with {same} in each of {len(others)} runs"
            )
            parts.append(Verdict("does not hold", told))
            continue
        chosen = rivals(others)
        at = others.columns.get_indexer(pd.Index(chosen))
        theirs = pd.Series(others.to_numpy()[range(len(at)), at], others.index)
        rival = " or ".join(name.partition(", ")[2] for name in sorted(set(chosen)))
        many = f", of {others.shape[1]} other settings the best in the other runs" if others.shape[1] > 1 else ""
        text = f"{title}, nominal images: MCC of the answers with {NAMES[monitor]} as published minus that with"
        parts.append(greater(ours, theirs, f"{text} {rival}{many}"))
    return every(parts)
