"""The ledger of claims: every checkable sentence of the papers, its test, and the verdict that our rows give it.

`data/published/claims.csv` holds the claims (id, paper, place, claim in our words, test). The tests of a chapter's
claims stand in the folder `publishing/claim_tests/<chapter>/`, a module a part of the paper, and register themselves
in `TESTS`.
"""

import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from mistrust import paths
from mistrust.errors import MistrustError, UnknownName
from mistrust.publishing import claim_tests, sheets, tables
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.papers import PAPERS
from mistrust.publishing.published import published
from mistrust.publishing.shelf import Shelf
from mistrust.publishing.verdicts import TESTS, WORDS, Verdict, claim_test, holm

__all__ = ["COLUMNS", "LEDGER", "TESTS", "Claim", "Verdict", "claim_test", "claims", "html", "verdicts"]

COLUMNS = ("id", "paper", "place", "claim", "test")
LEDGER = ("id", "paper", "place", "claim", "verdict", "evidence", "p", "rows", "test")

EVIDENCE = 110  # letters of it that a table shows, about: the rest unfolds
SECTION = re.compile(r"section (\d+(?:\.\d+)*)")

for _module in pkgutil.walk_packages(claim_tests.__path__, f"{claim_tests.__name__}."):
    importlib.import_module(_module.name)


@dataclass(frozen=True)
class Claim:
    """One checkable sentence of a paper, in our words, with its place there and the name of its test.

    Examples
    --------
    >>> one = Claim("falls", "mlm", "section 3.2; Figure 4", "Accuracy falls linearly.", "mlm-accuracy-falls-linearly")
    >>> one.family  # its p-value is corrected together with those of this section's other claims
    ('mlm', '3.2')
    """

    id: str
    paper: str
    place: str
    claim: str
    test: str

    @property
    def family(self) -> tuple[str, str]:
        """Paper and section: what one section says of one matter is read, and corrected by Holm, as one family.

        The section is the first that `place` names ("4.4" of "section 4.4; Figure 7"), so the paper sets the families,
        not we.
        """
        found = SECTION.search(self.place)
        return self.paper, found[1] if found else ""


def claims(chapter: str | None = None, *, paper: str | None = None, path: Path | None = None) -> list[Claim]:
    r"""Read all claims, or those that a chapter's rows decide, or those of one paper, in the order of the file.

    Raises
    ------
    MistrustError
        An unknown column, an empty field, an id given twice, a place without a section, a paper without an entry, a
        test that is not registered, a chapter that does not exist, a paper without claims; the message names file and
        line and the nearest known name.

    Examples
    --------
    >>> from pathlib import Path
    >>> line = "accurate,mlm,section 4.1,98.46% of the test images are right.,mlm-accuracy-test"
    >>> _ = Path("mine.csv").write_text(f"id,paper,place,claim,test\n{line}\n")
    >>> claims(path=Path("mine.csv"))[0].family, claims("search", path=Path("mine.csv"))
    (('mlm', '4.1'), [])
    >>> claims("serch", path=Path("mine.csv"))
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no chapter 'serch'. Did you mean 'search'? ...
    """
    path = path or paths.published() / "claims.csv"
    found: dict[str, Claim] = {}
    lines: dict[str, int] = {}
    for line, row in sheets.records(path, COLUMNS, needed=COLUMNS):
        one = Claim(**row)
        if one.id in found:
            raise MistrustError(
                f"{path}, line {line}: the id '{one.id}' stands in line {lines[one.id]} already: ids are unique."
            )
        if not one.family[1]:
            raise MistrustError(
                f"{path}, line {line}, claim '{one.id}': the place '{one.place}' names no section, expected "
                "one such as 'section 4.1'. Claims of one section are corrected together."
            )
        if one.paper not in PAPERS:
            raise MistrustError(
                f"{path}, line {line}, claim '{one.id}': {UnknownName('paper', one.paper, PAPERS)} "
                "A paper has an entry in lib/mistrust/publishing/papers.py."
            )
        if one.test not in TESTS:
            raise MistrustError(
                f"{path}, line {line}, claim '{one.id}': {UnknownName('claim test', one.test, TESTS)} "
                "Register it with @claim_test in lib/mistrust/publishing/claim_tests/."
            )
        found[one.id], lines[one.id] = one, line
    if chapter is not None:
        CHAPTERS[chapter]  # raises UnknownName
    papers = {one.paper for one in found.values()}
    if paper is not None and paper not in papers:
        raise UnknownName("paper with claims", paper, papers, "mistrust list claims")
    return [one for one in found.values() if paper in (None, one.paper) and chapter in (None, TESTS[one.test].chapter)]


def verdicts(
    rows: pd.DataFrame,
    chapter: str | None = None,
    *,
    paper: str | None = None,
    path: Path | None = None,
    judged: Callable[[int], object] | None = None,
) -> pd.DataFrame:
    r"""Judge every claim, or those of one chapter or paper, by these rows; by printed numbers where these decide.

    Parameters
    ----------
    rows : our rows of one profile (the ledger uses the accepted full rows); no rows give *not run* everywhere else.
    chapter, paper : the claims that one chapter's rows decide, or those of one paper, only.
    judged : is told how many claims were judged, after each of them; a progress bar's `update`.

    Returns
    -------
    One line per claim, columns `LEDGER`: `p` after Holm's correction over all tested claims of the same section of the
    same paper (a decided claim may become undecided by it, never the reverse; NaN where nothing was tested), `rows` the
    number of rows read.

    Raises
    ------
    MistrustError
        The rows come from more than one profile; what `claims` refuses.

    Examples
    --------
    A claim, judged by the accuracy of three networks, and by no rows:

    >>> from pathlib import Path
    >>> from mistrust import rows
    >>> line = "accurate,mlm,section 4.1,98.46% of the test images are right.,mlm-accuracy-test"
    >>> _ = Path("mine.csv").write_text(f"id,paper,place,claim,test\n{line}\n")
    >>> three = [{"seed": seed, "value": 0.984 + seed / 10_000, "at": "test"} for seed in range(3)]
    >>> common = {"chapter": "misclassification", "condition": "clean", "method": "network", "metric": "accuracy"}
    >>> held = rows.table(three, table="accuracy", **common)
    >>> [verdicts(found, path=Path("mine.csv"))["verdict"].item() for found in (held, rows.empty())]
    ['holds', 'not run']
    """
    listed = claims(chapter, paper=paper, path=path)
    found = judge(rows, listed, path=path, judged=judged)
    return pd.DataFrame([_line(one, found[one.id]) for one in listed], columns=list(LEDGER))


def judge(
    rows: pd.DataFrame,
    listed: Sequence[Claim],
    *,
    path: Path | None = None,
    judged: Callable[[int], object] | None = None,
) -> dict[str, Verdict]:
    """The verdicts of these claims, by id, with the rows that each has read; see `verdicts`."""
    profiles = sorted(set(rows["profile"]))
    if len(profiles) > 1:
        raise MistrustError(f"Claims are judged by the rows of one profile, these are of {', '.join(profiles)}.")
    everything = claims(path=path)
    found: dict[str, Verdict] = {}
    ours = Shelf(rows)

    @cache  # a chapter's files are read once
    def printed(chapter: str) -> Shelf:
        return Shelf(published(chapter))

    for family in dict.fromkeys(one.family for one in listed):
        # the whole family, whatever is listed of it: a verdict must not depend on what is shown beside it
        members = [one for one in everything if one.family == family]
        uncorrected: list[Verdict] = []
        for one in members:
            test = TESTS[one.test]
            uncorrected.append(test(printed(test.chapter) if test.printed else ours))
            if judged is not None and one in listed:
                judged(1)
        found.update(zip((one.id for one in members), holm(uncorrected), strict=True))
    return found


def _line(claim: Claim, verdict: Verdict) -> dict[str, object]:
    own = {name: getattr(claim, name) for name in COLUMNS}
    p = float("nan") if verdict.p is None else verdict.p
    return {**own, "verdict": verdict.verdict, "evidence": verdict.evidence, "p": p, "rows": len(verdict.rows)}


def html(ledger: pd.DataFrame, caption: str, columns: Sequence[str] = ("claim", "place", "verdict", "evidence")) -> str:
    """The ledger as an accessible table; the claim is the head of its row, the verdict stands in words.

    Examples
    --------
    >>> line = {"id": "accurate", "claim": "98% are right.", "place": "section 4.1", "verdict": "holds", "evidence": ""}
    >>> page = html(pd.DataFrame([line]), "Claims of the paper")
    >>> '<th scope="row">98% are right.</th>' in page, 'id="claim-accurate"' in page  # to link to
    (True, True)
    """
    heads = {"claim": "the claim", "place": "where", "verdict": "verdict", "evidence": "evidence", "p": "p (Holm)"}
    shown = ledger[list(columns)].copy()
    if "p" in shown:
        shown["p"] = ["" if pd.isna(p) else f"{p:.2g}" for p in shown["p"]]
    lines = [marks(*pair, prefix="claim-") for pair in zip(ledger["id"], ledger["verdict"], strict=True)]
    return tables.html(
        shown.rename(columns=heads), caption, heads=1, kind="mistrust-claims", lines=lines, shown=EVIDENCE
    )


def marks(claim: str, verdict: str, *, prefix: str = "") -> dict[str, str]:
    """Attributes of a table's line that shows a claim: an anchor, and what `ledger.check` reads on built pages."""
    return {"id": f"{prefix}{claim}", "data-claim": claim, "data-verdict": verdict}


def counts(ledger: pd.DataFrame) -> dict[str, int]:
    """How many claims have each verdict, all four words always there."""
    return {word: int((ledger["verdict"] == word).sum()) for word in WORDS}
