"""Claims of section IV-D-2 on which of the tried settings did best on nominal images.

Our runs have one setting of each monitor: Adam, and for OOB what the text calls best. A run that tries others names its
lines "alooc/as published, RMSProp", and is then judged; until there is one, these claims are not run.
"""

from mistrust.publishing.claim_tests.monitoring.reading import CHAPTER, NAMES, TITLES, nominal, published
from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.verdicts import Verdict, claim_test, every, greater


@claim_test("farm-adam-best", CHAPTER)
def adam_best(rows: Reader) -> Verdict:
    """As published: ALOOC with Adam leads over ALOOC with any other optimiser, on both image sets."""
    return _best(rows, "alooc", "ALOOC with another optimiser than Adam, which no run of ours has")


@claim_test("farm-oob-best", CHAPTER)
def oob_best(rows: Reader) -> Verdict:
    """As published: OOB with these settings leads over OOB with any other, on both image sets."""
    return _best(rows, "oob", "OOB with other clusters, projections or enlargements, which no run of ours has")


def _best(rows: Reader, monitor: str, lacking: str) -> Verdict:
    """MCC of the system's answers on nominal images, as in Table V, in the same runs."""
    own = published(monitor)
    others = sorted({name for name in rows.frame["method"] if name.startswith(f"{own}, ")})
    if not others:
        raise NotRun(lacking)
    parts = []
    for data, title in TITLES.items():
        for name in others:
            text = f"{title}, nominal images: MCC of the answers with {NAMES[monitor]} as published minus that with"
            ours, theirs = (nominal(rows, data, one, "mcc") for one in (own, name))
            parts.append(greater(ours, theirs, f"{text} {name.partition(', ')[2]}"))
    return every(parts)
