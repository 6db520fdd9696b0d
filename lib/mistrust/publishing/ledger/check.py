"""Whether a built book says of each claim what the committed rows say today."""

import re
from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

from mistrust.publishing.ledger.entry import Entry, entries
from mistrust.publishing.verdicts import TESTS, WORDS

PAGE = Path("book") / "claims.html"
WAY_OUT = "Build the book again: `mistrust book`."


class _Shown(HTMLParser):
    """The claims on a page, as (id, verdict) in their order, and the numbers of the table of counts."""

    def __init__(self) -> None:
        super().__init__()
        self.claims: list[tuple[str, str]] = []
        self.words: dict[str, str] = {}
        self.counts: dict[str, str] = {}
        self._claim = self._into = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the marks of a claim's line, of its word, of a count's cell."""
        held = {name: value or "" for name, value in attrs}
        if "data-claim" in held and "data-verdict" in held:
            self._claim = held["data-claim"]
            self.claims.append((self._claim, held["data-verdict"]))
        if held.get("class") == "mt-verdict":
            self._into = "word"
        elif "data-count" in held:
            self._into = held["data-count"]

    def handle_data(self, data: str) -> None:
        """Take the text of a word or a number."""
        if self._into == "word":
            self.words[self._claim] = data.strip()
        elif self._into:
            self.counts[self._into] = data.strip()
        self._into = ""


def faults(book: Path, judged: Sequence[Entry] | None = None) -> list[str]:
    """What is wrong with the claims of a built book, one sentence each; none where all agree.

    Looked at are the ledger, whose every claim and count is compared, and whatever other page shows a claim's verdict.

    Parameters
    ----------
    book : the folder of the built book.
    judged : what the rows say; left out, the claims are judged now by the accepted full rows, which the book shows.

    Examples
    --------
    >>> from pathlib import Path
    >>> faults(Path("mine"), judged=[])[-1]
    'There is no ledger in mine: book/claims.html is missing. Build the book again: `mistrust book`.'
    """
    judged = entries() if judged is None else judged
    tested = {one.claim.test for one in judged}
    found = [f"The test '{name}' has no claim in data/published/claims.csv." for name in TESTS if name not in tested]
    if not (book / PAGE).is_file():
        return [*found, f"There is no ledger in {book}: {PAGE.as_posix()} is missing. {WAY_OUT}"]
    known: dict[str, str] = {one.claim.id: one.verdict.verdict for one in judged}
    for path in sorted(book.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        if "data-claim=" in text:
            shown = _shown(text)
            page = path.relative_to(book).as_posix()
            found += _disagreeing(page, shown, known)
            found += _whole(page, shown, judged) if path == book / PAGE else []
    return found


def _shown(text: str) -> _Shown:
    reader = _Shown()
    reader.feed(text)
    return reader


def _disagreeing(page: str, shown: _Shown, known: dict[str, str]) -> list[str]:
    """Verdicts on a page that the rows do not give."""
    told = []
    for claim, verdict in shown.claims:
        said = {verdict, shown.words.get(claim, verdict)}
        if claim not in known:
            told.append(f"{page}: '{claim}' is no claim of data/published/claims.csv. {WAY_OUT}")
        elif said != {known[claim]}:
            wrong = " or ".join(sorted(said - {known[claim]}))
            told.append(f"{page}: of '{claim}' the page says '{wrong}', the rows say '{known[claim]}'. {WAY_OUT}")
    return told


def _whole(page: str, shown: _Shown, judged: Sequence[Entry]) -> list[str]:
    """Claims that the ledger lacks or has twice, and counts that are not those of the rows."""
    times = Counter(claim for claim, _ in shown.claims)
    told = [
        f"{page}: the claim '{one.claim.id}' stands there {times[one.claim.id]} times, expected once. {WAY_OUT}"
        for one in judged
        if times[one.claim.id] != 1
    ]
    counted = Counter(f"{paper}/{one.verdict.verdict}" for one in judged for paper in (one.claim.paper, "all"))
    for name in sorted({*counted, *shown.counts}):
        if re.fullmatch(rf"[\w-]+/({'|'.join(WORDS)})", name) and shown.counts.get(name) != str(counted[name]):
            told.append(f"{page}: {name} is counted as {shown.counts.get(name)}, the rows give {counted[name]}.")
    return told
