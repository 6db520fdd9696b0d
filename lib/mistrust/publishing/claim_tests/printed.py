"""What tests of claims share that the papers' printed numbers, or their code, decide by themselves.

What is printed is no matter of chance: no interval, no p.
"""

from mistrust.publishing.estimates import NotRun, Reader
from mistrust.publishing.published import PROFILE
from mistrust.publishing.verdicts import Verdict


def one(rows: Reader, **where: object) -> float:
    """One printed number, or one of the code, by the columns `where`.

    Raises
    ------
    NotRun
        There is none, or more than one.
    """
    found = rows.find(profile=PROFILE, **where)
    if len(found) != 1:
        raise NotRun("the printed " + " ".join(str(value) for value in where.values()))
    return float(found.iloc[0]["value"])


def decided(right: bool, evidence: str) -> Verdict:
    """A verdict on what is printed: nothing was tested, so there is no p."""
    return Verdict("holds" if right else "does not hold", f"without any run: {evidence}")
