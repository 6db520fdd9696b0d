"""The HTML of the ledger's page: counts by paper, the filter, each paper's claims, and what has not been run.

Everything is there without JavaScript; `book/_static/ledger.js` shows the filter and makes it work.
"""

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from html import escape

import pandas as pd

from mistrust.errors import check_known
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.claims import marks
from mistrust.publishing.ledger.coverage import Coverage, coverage
from mistrust.publishing.ledger.entry import Entry, judged_once, tally
from mistrust.publishing.papers import PAPERS
from mistrust.publishing.verdicts import WORDS

HEADS = ("the claim, and where it stands", "verdict", "what was tested, and what came out")
NOT_RUN = "not run"

_covered = cache(coverage)


def part(name: str, pages: Collection[str]) -> str:
    """One part of the page: an entry of `PARTS`, or a paper's claims.

    Parameters
    ----------
    pages : the book's pages ("notebooks/search"): a chapter that is not among them is named and not linked.

    Examples
    --------
    >>> list(PARTS)
    ['counts', 'filter', 'lacking']
    >>> part("count", pages=[])
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no part of the ledger 'count'. Did you mean 'counts'? ...
    """
    if name in PARTS:
        return PARTS[name](judged_once(), pages)
    check_known("part of the ledger", name, (*PARTS, *PAPERS))
    return claims_of(name, judged_once(), pages)


def counts(judged: Sequence[Entry], pages: Collection[str]) -> str:
    """How many claims of each paper have each verdict, as a table whose last column draws the same."""
    found = tally(judged)
    by_paper = zip(PAPERS.values(), found.iterrows(), strict=True)
    lines = [_tally(paper.title, paper.name, own) for paper, (_, own) in by_paper if own.any()]
    heads = '<th scope="col">paper</th><th scope="col">claims</th>'
    heads += "".join(f'<th scope="col"><span class="mt-key" data-word="{word}">{word}</span></th>' for word in WORDS)
    return (
        f"<p>{_summed(judged)}</p>"
        '<div class="mt-tally mistrust-scroll" role="region" tabindex="0" aria-label="Claims by paper and verdict">'
        '<table class="mistrust-table"><caption>Claims by paper and verdict</caption>'
        f'<thead><tr>{heads}<td class="mt-bars" aria-hidden="true">shares</td></tr></thead><tbody>{"".join(lines)}'
        f"</tbody><tfoot>{_tally('All papers', '', found.sum())}</tfoot></table></div>"
    )


def _summed(judged: Sequence[Entry]) -> str:
    hold, fail, open_, lack = tally(judged).sum()
    printed = sum(one.test.printed for one in judged)
    part = sum(one.verdict.in_part for one in judged)
    return (
        f"Of {len(judged)} claims, {hold} hold, {fail} do not hold, {open_} are undecided and {lack} were not run. "
        f"Of those that do not hold, {part} have several parts, of which some fail and others do not. "
        f"{printed} are judged by the papers' own printed numbers and code, all others by our rows."
    )


def _tally(title: str, paper: str, own: "pd.Series[int]") -> str:
    link = f'<a href="#ledger-{paper}" data-paper="{paper}">{escape(title)}</a>' if paper else escape(title)
    cells = [f"<td>{own.sum()}</td>"]
    bars: list[str] = []
    for word, count in own.items():
        where = f"#ledger-{paper}" if paper else "#ledger-filter"
        to = f'<a href="{where}" data-paper="{paper}" data-verdict="{word}">{count}</a>' if count else "0"
        cells.append(f'<td data-count="{paper or "all"}/{word}">{to}</td>')
        bars.append(f'<span data-word="{word}" style="flex-grow: {count}"></span>' if count else "")
    drawn = f'<td class="mt-bars" aria-hidden="true"><div>{"".join(bars)}</div></td>'
    return f'<tr><th scope="row">{link}</th>{"".join(cells)}{drawn}</tr>'


def tools(judged: Sequence[Entry], pages: Collection[str]) -> str:
    """The filter; hidden until the script, which it needs, shows it."""
    papers = [("", "all papers"), *((paper.name, paper.title) for paper in PAPERS.values())]
    words = [("", "all verdicts"), *((word, word) for word in WORDS)]
    return (
        '<form id="ledger-filter" class="mt-filter" role="search" aria-label="Claims of the ledger" hidden>'
        f"{_choice('paper', 'Paper', papers)}{_choice('verdict', 'Verdict', words)}"
        '<p><label for="ledger-words">Words</label>'
        '<input id="ledger-words" name="words" type="search" autocomplete="off" spellcheck="false" '
        'aria-describedby="ledger-hint"></p>'
        '<p><button type="reset">Show all</button></p>'
        '<p id="ledger-hint">Words are looked for in claims, evidence and ids, all must occur. '
        "<kbd>Enter</kbd> goes to the first claim found, <kbd>Esc</kbd> empties the field.</p>"
        f'<p class="mt-said" role="status">{len(judged)} claims</p></form>'
    )


def _choice(name: str, label: str, options: Sequence[tuple[str, str]]) -> str:
    listed = "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in options)
    return (
        f'<p><label for="ledger-{name}">{label}</label>'
        f'<select id="ledger-{name}" name="{name}" autocomplete="off">{listed}</select></p>'
    )


def claims_of(paper: str, judged: Sequence[Entry], pages: Collection[str]) -> str:
    """The table of one paper's claims."""
    own = [one for one in judged if one.claim.paper == paper]
    title = PAPERS[paper].title
    # The roles are the elements' own: said aloud, they stay when a phone's style sheet stacks the cells.
    heads = "".join(f'<th scope="col" role="columnheader">{escape(text)}</th>' for text in HEADS)
    return (
        f'<table class="mt-ledger" role="table"><caption>{escape(title)}: {len(own)} claims</caption>'
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
        f'<tbody role="rowgroup">{"".join(_line(one, pages) for one in own)}</tbody></table>'
    )


def _line(one: Entry, pages: Collection[str]) -> str:
    claim, verdict = one.claim, one.verdict
    said = {**marks(claim.id, verdict.verdict), "data-paper": claim.paper, "role": "row"}
    attributes = "".join(f' {name}="{escape(text)}"' for name, text in said.items())
    own = f'<a href="#{claim.id}" title="link to this claim">{claim.id}</a>'
    tested = f"<p><b>Tested.</b> {_prose(one.test.tested)}</p>" if one.test.tested else ""
    label = "Missing" if verdict.verdict == NOT_RUN else "Found"
    return (
        f'<tr{attributes}><th scope="row" role="rowheader"><p>{escape(claim.claim)}</p>'
        f'<p class="mt-small">{escape(claim.place)} · {own}</p></th>'
        f'<td role="cell"><span class="mt-verdict" data-word="{verdict.verdict}">{verdict.verdict}</span></td>'
        f'<td role="cell">{tested}<p><b>{label}.</b> {_prose(one.words)}{_waiting(one)}</p>'
        f'<p class="mt-small">{" · ".join(_links(one, pages))}</p></td></tr>'
    )


def _waiting(one: Entry) -> str:
    """Of a claim that was not run: how far its chapter's run is."""
    if one.verdict.verdict != NOT_RUN or one.test.printed:
        return ""
    state: Coverage = _covered(one.test.chapter)
    words = escape(state.words)
    return f'; <a href="#lacking-{one.test.chapter}">{words}</a>' if not state.whole else f"; {words}"


def _links(one: Entry, pages: Collection[str]) -> list[str]:
    chapter = CHAPTERS[one.test.chapter]
    page = chapter.notebook.removesuffix(".ipynb")
    title = f"chapter: {escape(chapter.title)}"
    found = [f'<a href="../{page}.html#claim-{one.claim.id}">{title}</a>' if page in pages else title]
    found += [f'<a href="../rows/{path}">rows of {escape(name)}</a>' for name, path in one.files]
    if one.test.printed:
        found.append("judged by the paper's printed numbers")
    found.append(f'<a href="../code/{one.test.module.replace(".", "/")}.py.txt">code of the test</a>')
    return found


def lacking(judged: Sequence[Entry], pages: Collection[str]) -> str:
    """Which pieces of which full run have not been accepted, and how many claims wait for them."""
    told = []
    for name, chapter in CHAPTERS.items():
        waiting = [one for one in judged if one.test.chapter == name and one.verdict.verdict == NOT_RUN]
        if not any(not one.test.printed for one in waiting):
            continue
        state = _covered(name)
        are = "claim of" if len(waiting) == 1 else "claims of"
        title = f"{len(waiting)} {are} “{escape(chapter.title)}” not run; {escape(state.words)}"
        if state.whole:
            told.append(f'<p id="lacking-{name}">{title}.</p>')
            continue
        pieces = "".join(f"<li>{escape(piece)}</li>" for piece in state.lacking)
        told.append(
            f'<details class="mt-fold" id="lacking-{name}"><summary>{title}</summary>'
            f"<p><code>mistrust make {name} --profile full --piece NAME</code> makes one of these pieces, "
            f"<code>mistrust rows accept {name} --piece NAME</code> adds it to the rows:</p>"
            f'<ul class="mt-pieces">{pieces}</ul></details>'
        )
    return "".join(told) or "<p>Nothing: every claim has rows.</p>"


def _prose(text: str) -> str:
    """Text with `code` and *emphasis* as HTML."""
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"\*(\w[^*]*)\*", r"<em>\1</em>", coded)


PARTS: dict[str, Callable[[Sequence[Entry], Collection[str]], str]] = {
    "counts": counts,
    "filter": tools,
    "lacking": lacking,
}
