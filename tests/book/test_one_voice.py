"""The whole reads as one: the same headings in every chapter, words that the glossary has, ways between chapters."""

import json
import re
from pathlib import Path

import pytest

from mistrust.publishing.chapters import CHAPTERS

ROOT = Path(__file__).resolve().parents[2]
HEADINGS = (
    "Question", "Idea", "Method", "As published", "What the paper does not say", "Claims", "Take away", "Exercises",
    "Change and rerun", "How this page was made",
)  # fmt: skip
PAGES = sorted(path for path in (ROOT / "book").rglob("*.md") if path.name != "glossary.md")


def cells(chapter):
    found = json.loads((ROOT / "notebooks" / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"]), set(cell["metadata"].get("tags", ()))) for cell in found]


def prose(chapter):
    return "\n".join(text for kind, text, _ in cells(chapter) if kind == "markdown")


def defined():
    """The glossary's groups of terms, each a list of words with one meaning."""
    text = (ROOT / "book/glossary.md").read_text(encoding="utf-8")
    body = re.search(r"^```\{glossary\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert body is not None
    return [re.findall(r"^(?! )(.+)$", group, re.MULTILINE) for group in body.group(1).strip().split("\n\n")]


def named(role, text):
    """What a role's uses lead to: `{doc}`words <there>`` to there, `{doc}`there`` as well."""
    return [re.sub(r"^.*<(.+)>$", r"\1", one, flags=re.DOTALL) for one in re.findall(rf"\{{{role}\}}`([^`]+)`", text)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_opens_with_its_question_and_has_the_headings_of_all(chapter):
    headings = re.findall(r"^## (.+)$", prose(chapter), re.MULTILINE)
    assert headings[0] == HEADINGS[0]
    assert tuple(one for one in headings if one in HEADINGS) == HEADINGS


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_ends_with_points_to_take_away(chapter):
    text = prose(chapter)
    away = text[text.index("\n## Take away\n") :].split("\n## ")[1]
    assert len(re.findall(r"^- ", away, re.MULTILINE)) >= 3


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_is_followed_by_a_solution_that_folds(chapter):
    """The book to hand out drops cells by this tag: a solution without it would be handed out."""
    found = cells(chapter)
    asked = [at for at, (_, text, _) in enumerate(found) if "{exercise}" in text]
    assert len(asked) >= 3
    assert [at for at in asked if not {"solution", "hide-cell"} <= found[at + 1][2]] == []


def test_words_stand_once_and_in_order_in_the_glossary():
    groups = defined()
    words = [word.casefold() for group in groups for word in group]
    assert len(words) > 90
    assert len(words) == len(set(words))
    first = [group[0].casefold() for group in groups]
    assert first == sorted(first)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_uses_words_that_the_glossary_has(chapter):
    words = {word.casefold() for group in defined() for word in group}
    assert {one for one in named("term", prose(chapter)) if one.casefold() not in words} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_leads_to_pages_that_exist(page):
    text = page.read_text(encoding="utf-8")
    files = [page.parent / one for one in named("doc", text)]
    ends = (".md", ".rst", ".ipynb")
    assert [str(one) for one in files if not any(Path(f"{one}{end}").exists() for end in ends)] == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_leads_to_others_and_the_last_one_to_all(chapter):
    here = ROOT / "notebooks"
    to = set(named("doc", prose(chapter)))
    assert [one for one in to if not any((here / f"{one}{end}").exists() for end in (".md", ".ipynb"))] == []
    others = to & (set(CHAPTERS) - {chapter})
    assert others == set(CHAPTERS) - {chapter} if chapter == "comparison" else others
