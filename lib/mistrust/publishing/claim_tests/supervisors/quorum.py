"""What is said of most of several things: how many hold for sure."""

from collections.abc import Sequence

from mistrust.publishing.estimates import LEVEL, NotRun
from mistrust.publishing.verdicts import Verdict


def at_least(parts: Sequence[Verdict], least: int, evidence: str) -> Verdict:
    """Holds where at least so many parts hold; does not hold where so many fail that this cannot be.

    That some u of n parts are true is tested by n - u + 1 times the u-th smallest p-value of those that hold (the
    partial conjunction of Benjamini and Heller, Biometrics 2008, 64:1215, by Bonferroni's inequality): parts may depend
    on each other, and a few that hold by chance are no proof. `least` equal to the number of parts is `every`.

    Parameters
    ----------
    least : how many must hold, 1 to the number of parts.
    """
    if not parts:
        raise NotRun(evidence)
    spare = len(parts) - least  # so many may fail
    hits, fails = (_sorted(parts, word) for word in ("holds", "does not hold"))
    told = f"{evidence}: surely so for {len(hits)} of {len(parts)}, surely not for {len(fails)}, {least} needed"
    known = (spare + 1) * _p(hits[least - 1]) if len(hits) >= least else 1.0
    if known < LEVEL:
        return Verdict("holds", f"{told}; the last needed: {hits[least - 1].evidence}", known)
    refuted = least * _p(fails[spare]) if len(fails) > spare else 1.0
    if refuted < LEVEL:
        return Verdict("does not hold", f"{told}; the first too many: {fails[spare].evidence}", refuted)
    enough = len(hits) >= least or len(fails) > spare
    chosen = f"; not beyond the chance of choosing them among {len(parts)}" if enough else ""
    return Verdict("undecided", told + chosen, min(1.0, known, refuted))


def _sorted(parts: Sequence[Verdict], word: str) -> list[Verdict]:
    return sorted((part for part in parts if part.verdict == word), key=_p)


def _p(part: Verdict) -> float:
    return part.p if part.p is not None else 0.0
