"""The main results of the book: what came out, and what of it can be made again in minutes."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.ledger import Entry
from mistrust.publishing.measured import measured
from mistrust.publishing.remade import minutes

HEADS = ("Chapter", "A paper says", "Verdict", "Made again in minutes")


@dataclass(frozen=True)
class Main:
    """A claim on which a chapter turns, and a short piece of the full run whose rows its verdict rests on.

    Attributes
    ----------
    claim : its id.
    piece : one of the chapter's `remade.SHORT`; "" where every such piece takes longer.
    """

    claim: str
    piece: str = ""


MAIN = (
    Main("ambiguess-label-true-in-known-world", "known world"),
    Main("ambiguess-top-2-as-nominal"),
    Main("ambiguess-softmax-sees-ambiguity"),
    Main("ambiguess-no-supervisor-for-all"),
    Main("adversarial-distance-dominates", "overfit/125 1"),
    Main("adversarial-distance-replicates", "authors' rows"),
    Main("farm-odin-ranks-first"),
    Main("farm-no-difference"),
    Main("urem-half-random", "fmnist: resnet8-w8 half 0"),
    Main("urem-depth-random"),
    Main("mlm-orders-confusions", "network 0"),
)


def html(judged: Sequence[Entry], ledger: str = "claims.html") -> str:
    """Give the main results as a table, complete without JavaScript; verdicts lead to their lines in the ledger.

    Parameters
    ----------
    judged : all claims, judged by the accepted rows (`ledger.entries`).
    ledger : address of the ledger's page.

    Examples
    --------
    >>> html([])
    Traceback (most recent call last):
    KeyError: 'ambiguess-label-true-in-known-world'
    """
    by = {one.claim.id: one for one in judged}
    heads = "".join(f'<th scope="col">{name}</th>' for name in HEADS)
    lines = "".join(_line(one, by[one.claim], ledger) for one in MAIN)
    caption = "Main results, and what of each can be made again"
    return (
        f'<div class="mistrust-scroll" role="region" tabindex="0" aria-label="{caption}">'
        f'<table class="mistrust-table mt-checklist"><caption>{caption}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _line(main: Main, entry: Entry, ledger: str) -> str:
    chapter, word = CHAPTERS[entry.test.chapter], entry.verdict.verdict
    verdict = f'<a href="{ledger}#{main.claim}">{word}</a>'
    cells = (escape(entry.claim.claim), verdict, command(chapter.name, main.piece))
    return f'<tr><th scope="row">{escape(chapter.title)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def command(chapter: str, piece: str) -> str:
    """Say what to type, as HTML, and the time that it took; without a piece the chapter's quick run.

    Examples
    --------
    >>> command("search", "a piece that nobody timed")
    '<code>mistrust rows compare search --piece &quot;a piece that nobody timed&quot;</code>'
    """
    if not piece:
        seconds = measured(f"quick: {chapter}: seconds")
        return f"<code>mistrust run {chapter}</code>, {seconds} s: other images, the same question"
    took = minutes(chapter, piece)
    told = "" if took is None else f", {took:.1f} minutes"
    return f"<code>mistrust rows compare {chapter} --piece &quot;{escape(piece)}&quot;</code>{told}"
