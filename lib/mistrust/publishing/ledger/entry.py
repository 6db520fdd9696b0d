"""What the ledger says of each claim, gathered from the committed claims, their tests and the accepted rows."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import pandas as pd

from mistrust import paths
from mistrust.publishing import results, rowfiles
from mistrust.publishing.claims import Claim, claims, judge
from mistrust.publishing.offered import accepted_file, offered
from mistrust.publishing.papers import PAPERS
from mistrust.publishing.verdicts import TESTS, WORDS, Test, Verdict


@dataclass(frozen=True)
class Entry:
    """A claim, what was tested, and what came out.

    Attributes
    ----------
    files : the row files that the test read, as (what a reader calls it, its path in the book from `rows/`).

    Examples
    --------
    >>> from mistrust.publishing.claims import TESTS, Claim, Verdict
    >>> claim = Claim("accurate", "mlm", "section 4.1", "98.46% of the test images are right.", "mlm-accuracy-test")
    >>> Entry(claim, TESTS[claim.test], Verdict("not run", "no rows", lacking=("accuracy",)), files=()).words
    'no rows (in the table accuracy)'
    """

    claim: Claim
    test: Test
    verdict: Verdict
    files: tuple[tuple[str, str], ...]

    @property
    def words(self) -> str:
        """The evidence, and the tables that lack rows where the claim was not run."""
        evidence = self.verdict.evidence
        if self.verdict.verdict != "not run" or not self.verdict.lacking:
            return evidence
        tables = " and ".join(self.verdict.lacking)
        return f"{evidence} (in the table{'s' if len(self.verdict.lacking) > 1 else ''} {tables})"


def entries(profile: str = "full", rows: pd.DataFrame | None = None) -> list[Entry]:
    r"""All claims, in the order of the file, judged by the accepted rows of a profile, or by those given.

    Examples
    --------
    In a project with one claim and no rows:

    >>> import os
    >>> from pathlib import Path
    >>> from unittest.mock import patch
    >>> Path("data/published").mkdir(parents=True)
    >>> line = "accurate,mlm,section 4.1,98.46% of the test images are right.,mlm-accuracy-test"
    >>> _ = Path("data/published/claims.csv").write_text(f"id,paper,place,claim,test\n{line}\n")
    >>> with patch.dict(os.environ, MISTRUST_ROOT="."):
    ...     [(one.claim.id, one.verdict.verdict) for one in entries()]
    [('accurate', 'not run')]
    """
    listed = claims()
    judged = judge(results.everything(profile) if rows is None else rows, listed)
    return [_entry(one, judged[one.id], profile) for one in listed]


@cache
def judged_once() -> list[Entry]:
    """All claims by the accepted rows of the full run, judged once a process: a build asks for many parts of them.

    Examples
    --------
    >>> judged_once() is judged_once()
    True
    """
    return entries()


def tally(judged: Iterable[Entry]) -> pd.DataFrame:
    """Count verdicts: one line per paper (all of `PAPERS`, by title), one column per verdict, in the order of `WORDS`.

    Examples
    --------
    >>> from mistrust.publishing.claims import TESTS, Claim, Verdict
    >>> claim = Claim("accurate", "mlm", "section 4.1", "98.46% of the test images are right.", "mlm-accuracy-test")
    >>> found = tally([Entry(claim, TESTS[claim.test], Verdict("holds", "it does"), files=())])
    >>> found.loc["Misclassification likelihood"].to_dict()
    {'holds': 1, 'does not hold': 0, 'undecided': 0, 'not run': 0}
    """
    counted = Counter((one.claim.paper, one.verdict.verdict) for one in judged)
    lines = {paper.title: [counted[name, word] for word in WORDS] for name, paper in PAPERS.items()}
    return pd.DataFrame.from_dict(lines, orient="index", columns=list(WORDS))


def _entry(claim: Claim, verdict: Verdict, profile: str) -> Entry:
    test = TESTS[claim.test]
    tables = () if test.printed else tuple(dict.fromkeys(verdict.rows["table"]))
    return Entry(claim, test, verdict, tuple(_files(test.chapter, tables, profile)))


def _files(chapter: str, tables: Iterable[str], profile: str) -> Iterable[tuple[str, str]]:
    """The files of these tables: those of the chapter, else a benchmark's."""
    for table in tables:
        benchmark = paths.results() / "benchmarks" / f"{table}.csv"
        if (paths.results() / chapter / f"{table}.{profile}.csv").is_file():
            for name in rowfiles.names(paths.results() / chapter, table, profile):
                yield name, f"{chapter}/{accepted_file(chapter, name, profile)}"
        elif benchmark.is_file():
            yield f"benchmark {table}", f"benchmarks/{offered(benchmark)}"
