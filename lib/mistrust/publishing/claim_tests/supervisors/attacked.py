"""What a verdict on adversarial inputs adds of the authors' own way to attack, which pushes images much farther.

Ours are the smallest changes that fool a classifier, the authors' grid of strengths goes from 0.01 to 0.1 at once.
Which of the two is meant turns several verdicts; theirs were tried on the first run's classifiers and decide nothing.
"""

from collections.abc import Iterable
from dataclasses import replace

from mistrust.publishing.claim_tests.supervisors.reading import ARCHITECTURES, NAMES, OUTLIER, TITLES
from mistrust.publishing.estimates import Reader
from mistrust.publishing.verdicts import Verdict

AS_PUBLISHED = "adversarial/as published"
# Of the supervisors that were tried on such images.
SOFTMAX = ("max_softmax", "softmax_entropy")


def beside_theirs(rows: Reader, verdict: Verdict, methods: Iterable[str] = (*SOFTMAX, *OUTLIER)) -> Verdict:
    """Add to a verdict's evidence what these supervisors have on images attacked in the authors' way."""
    where = {"table": "other-sets", "condition": AS_PUBLISHED, "metric": "auroc", "method": list(methods)}
    found = rows.find(**where, data=list(TITLES), network=list(ARCHITECTURES))
    by_run = found[found["seed"].notna()]
    single = by_run.groupby(["method", "data"])["value"].mean().unstack()
    if set(single.columns) != set(TITLES):
        return verdict
    each = [
        f"{NAMES[name]} {' and '.join(f'{single.loc[name, data]:.3f}' for data in TITLES)}"
        for name in methods
        if name in single.index
    ]
    runs = by_run["seed"].nunique()
    many = "one run" if runs == 1 else f"mean of {runs} runs"
    told = f"attacked in the authors' way, {many}, AUROC on {' and '.join(TITLES.values())}: {', '.join(each)}"
    return replace(verdict, evidence=f"{verdict.evidence}; {told}")
