"""The slides of the course: what a deck shows beside its own text, as HTML, and a page's body made flat for reveal.js.

A deck is a page of MyST in `book/slides/`. Its figures are those of the chapters, found by name in the built book; its
claims are judged by the committed rows; its exercises are those that `mistrust check` judges. Nothing is typed twice.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from textwrap import shorten

from mistrust.errors import MistrustError, UnknownName, check_known
from mistrust.exercises import Exercise, typed
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.claims import marks
from mistrust.publishing.ledger import Entry, judged_once

FIGURE = "fig-"
LEDGER = "../claims.html"  # from a deck
EVIDENCE = 150  # characters of a claim's evidence that a slide has room for
LEAST = 60  # of its first words, however much is said after them


def flat(body: str) -> str:
    """The body of a page as slides: one `<section>` each, none inside another.

    Sphinx nests: the page's section holds its head, then a section for each further heading. reveal.js would take that
    for a column of slides. Links to a heading, which the theme puts beside it, are left out.

    Parameters
    ----------
    body : a page's HTML: one section that holds all.

    Raises
    ------
    MistrustError
        The page has no heading of the first level, or a slide has a heading of the third.
    """
    body = re.sub(r'<a class="headerlink"[^>]*>.*?</a>', "", body, flags=re.DOTALL)
    outer = re.match(r"\s*(<section[^>]*>)(.*)</section>\s*$", body, flags=re.DOTALL)
    if outer is None or "<h1>" not in body:
        raise MistrustError("A deck of slides begins with a heading of the first level ('# Title').")
    head, inner, rest = outer[2].partition("<section")
    found = f"{outer[1]}{head}</section>\n{inner}{rest}"
    if re.search(r"<h3\b", found):
        raise MistrustError("A deck has a heading of the third level: a slide has one heading ('## Title').")
    return found


def chapter_of(figure: str) -> Chapter:
    """The chapter that a figure's name belongs to: `fig-<chapter>-<figure>`.

    Raises
    ------
    MistrustError
        The name is not of that form.
    UnknownName
        There is no such chapter.
    """
    chapter, dash, rest = figure.removeprefix(FIGURE).partition("-")
    if not figure.startswith(FIGURE) or not dash or not rest:
        raise MistrustError(f"'{figure}' is no figure's name, expected fig-CHAPTER-FIGURE, as 'fig-comparison-guide'.")
    return CHAPTERS[chapter]


def absent(figure: str, pages: Collection[str], known: Collection[str]) -> tuple[str, str]:
    """What a slide says in place of a figure that the book does not have, and the warning, "" where none is due.

    Parameters
    ----------
    figure : its name.
    pages : the book's pages ("notebooks/search").
    known : names of figures that the book has.
    """
    chapter = chapter_of(figure)
    if chapter.notebook.removesuffix(".ipynb") not in pages:
        return f"A figure of the chapter “{chapter.title}” stands here, which is not in this build of the book.", ""
    said = f"The figure that stands here was not drawn in this run of the chapter “{chapter.title}”."
    missing = [one.name for one in CHAPTERS.values() if one.notebook.removesuffix(".ipynb") not in pages]
    # Where chapters were left out somebody tries one thing: only the whole book has to be complete.
    return said, "" if missing else str(UnknownName("figure", figure, [one for one in known if one.startswith(FIGURE)]))


def exercise(name: str, exercises: Mapping[tuple[str, str], Exercise]) -> str:
    """One exercise as HTML: the question, what an answer looks like, and the command that judges it.

    Parameters
    ----------
    name : "chapter/exercise".
    exercises : all that there are, by chapter and name.
    """
    chapter, _, own = name.partition("/")
    if (chapter, own) not in exercises:
        raise UnknownName("exercise", name, ["/".join(key) for key in exercises], "mistrust check")
    one = exercises[chapter, own]
    words, _, command = typed(one).partition(": mistrust ")
    return (
        f'<div class="slide-exercise"><p>{escape(one.question)} <em>Expected: {escape(words)}.</em></p>'
        f"<pre><code>mistrust {escape(command)}</code></pre></div>"
    )


def claims(names: Sequence[str], judged: Sequence[Entry] | None = None) -> str:
    """Claims as a table: what the paper said, and what we measured; both from the ledger, to which each verdict leads.

    Parameters
    ----------
    names : ids of claims, at least one.
    judged : all claims with their verdicts; left out, they are judged now by the accepted rows.
    """
    if not names:
        raise MistrustError("A slide of claims names none: write their ids, one per line (mistrust list claims).")
    known = {one.claim.id: one for one in (judged_once() if judged is None else judged)}
    lines = []
    for name in names:
        check_known("claim", name, known, "mistrust list claims")
        one = known[name]
        held = marks(name, one.verdict.verdict, prefix="slide-")
        attributes = "".join(f' {key}="{escape(text)}"' for key, text in held.items())
        lines.append(
            f'<tr{attributes}><th scope="row">{escape(one.claim.claim)}</th>'
            f'<td><a href="{LEDGER}#{escape(name)}"><strong>{escape(one.verdict.verdict)}</strong></a>'
            f"<small>{escape(_short(one.words))}</small></td></tr>"
        )
    heads = '<th scope="col">The paper said</th><th scope="col">We measured</th>'
    return f'<table class="slide-claims"><thead><tr>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table>'


def _short(words: str) -> str:
    """A claim's evidence in the room of a slide; why it is left undecided, said last, is never cut off."""
    notes = re.findall(r"; (?:does not hold|holds) by (?:itself|this mean), undecided [^;]*", words)
    note = notes[-1] if notes else ""
    before = words[: words.rindex(note)] if note else words
    return shorten(before, max(LEAST, EVIDENCE - len(note)), placeholder=" …") + note
