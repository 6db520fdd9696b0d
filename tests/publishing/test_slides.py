"""Slides: a page's HTML made flat, claims and exercises as HTML; and every deck names what exists."""

import re
import shlex
from pathlib import Path

import pytest

from mistrust.data import SOURCES
from mistrust.errors import MistrustError, UnknownName
from mistrust.exercises import Exercise
from mistrust.publishing import making, slides
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.claims import Claim, claims
from mistrust.publishing.commands.check import every
from mistrust.publishing.commands.verbs import parser
from mistrust.publishing.ledger import Entry
from mistrust.publishing.verdicts import TESTS, Verdict

ROOT = Path(__file__).parents[2]
DECKS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "book" / "slides").glob("*.md"))}
COURSE = (ROOT / "book" / "course.md").read_text(encoding="utf-8")
TOLD = [page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *sorted((ROOT / "book").glob("*.md")))]
TOLD_COMMAND = r"^(?:\.venv/bin/)?(mistrust [a-z][^`\n]*)$|`(mistrust [a-z][^`\n]*)`"
# Commands on lines of their own and in sentences, but for those with a place to fill in.
COMMANDS = sorted(
    {
        re.sub(r"\s+[#|].*", "", one)
        for text in TOLD
        for one in re.findall(TOLD_COMMAND, text, re.MULTILINE)
        for one in one
        if one and not re.search(r"[A-Z]{4}|\.\.\.|[$<]", one)
    }
)

LINK = '<a class="headerlink" href="#a" title="Link">#</a>'


def entry(evidence="share = 0.5 [0.4, 0.6]", verdict="holds"):
    said = Claim("a-b", "mlm", "section 1", "One < two.", "mlm-classes-differ")
    return Entry(said, next(iter(TESTS.values())), Verdict(verdict, evidence), ())


# A page made flat


def test_sections_inside_a_page_become_slides_beside_one_another():
    page = (
        f'<section class="tex2jax" id="a">\n<h1>Title{LINK}</h1>\n<p>Words.</p>\n'
        f'<section id="b">\n<h2>One{LINK}</h2>\n<p>1</p>\n</section>\n'
        '<section id="c">\n<h2>Two</h2>\n</section>\n</section>\n'
    )
    assert slides.flat(page) == (
        '<section class="tex2jax" id="a">\n<h1>Title</h1>\n<p>Words.</p>\n</section>\n'
        '<section id="b">\n<h2>One</h2>\n<p>1</p>\n</section>\n<section id="c">\n<h2>Two</h2>\n</section>\n'
    )


def test_a_page_of_one_slide():
    assert slides.flat('<section id="a"><h1>A</h1></section>') == '<section id="a"><h1>A</h1></section>\n'


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("<p>Words.</p>", "begins with a heading of the first level"),
        ('<section id="a"><h2>A</h2></section>', "begins with a heading of the first level"),
        (
            '<section id="a"><h1>A</h1><section><h2>B</h2><section><h3>C</h3></section></section></section>',
            "third level",
        ),
    ],
)
def test_a_page_that_is_no_deck(page, message):
    with pytest.raises(MistrustError, match=message):
        slides.flat(page)


# Figures


@pytest.mark.parametrize("name", ["fig-guide", "fig-comparison-", "comparison-guide", ""])
def test_a_name_that_is_no_figures(name):
    with pytest.raises(MistrustError, match=re.escape(f"'{name}' is no figure's name, expected fig-CHAPTER-FIGURE")):
        slides.chapter_of(name)


def test_a_figure_of_a_chapter_that_does_not_exist():
    with pytest.raises(UnknownName, match=r"'comparisons'.*comparison"):
        slides.chapter_of("fig-comparisons-guide")


def test_what_stands_in_place_of_a_figure():
    pages = {one.notebook.removesuffix(".ipynb") for one in CHAPTERS.values()}
    known = ["fig-search-rank", "search"]
    said, warning = slides.absent("fig-search-ranks", pages, known)
    assert said == "The figure that stands here was not drawn in this run of the chapter “Which fifty to label?”."
    assert "'fig-search-ranks'" in warning
    assert "fig-search-rank" in warning
    # A book of some chapters: what is not there cannot be told from what never was.
    some = pages - {"notebooks/search"}
    assert slides.absent("fig-search-rank", some, []) == (
        "A figure of the chapter “Which fifty to label?” stands here, which is not in this build of the book.", "",
    )  # fmt: skip
    assert slides.absent("fig-robustness-wrong", some, [])[1] == ""


# Claims and exercises


def test_a_claim_as_a_line_that_leads_to_the_ledger():
    line = (
        '<tr id="slide-a-b" data-claim="a-b" data-verdict="holds"><th scope="row">One &lt; two.</th>'
        '<td><a href="../claims.html#a-b"><strong>holds</strong></a><small>share = 0.5 [0.4, 0.6]</small></td></tr>'
    )
    made = slides.claims(["a-b"], [entry()])
    assert line in made
    assert made.count("<tr") == 2
    assert made.count('scope="col"') == 2


def test_evidence_is_cut_where_a_slide_has_no_room():
    told = slides.claims(["a-b"], [entry("word " * 100)])
    [shown] = re.findall(r"<small>(.*?)</small>", told)
    assert len(shown) <= slides.EVIDENCE
    assert shown.endswith("word …")


@pytest.mark.parametrize("so", ["holds", "does not hold"])
def test_evidence_is_not_cut_where_it_says_why_the_claim_is_undecided(so):
    why = f"; {so} by itself, undecided among 14 tested together (Holm: p = 0.275)"
    told = slides.claims(["a-b"], [entry("word " * 100 + why)])
    [shown] = re.findall(r"<small>(.*?)</small>", told)
    assert len(shown) <= slides.EVIDENCE
    assert shown.endswith(f"word …{why}")


@pytest.mark.parametrize(("names", "message"), [([], "names none"), (["a-c"], "'a-c'.*a-b")])
def test_claims_that_cannot_be_shown(names, message):
    with pytest.raises(MistrustError, match=message):
        slides.claims(names, [entry()])


def test_an_exercise_with_the_command_that_judges_it():
    looks = 'two numbers < 3, to three digits: check("tiny", (low, high))'
    one = Exercise("Is 1 < 2?", looks, lambda answer: True, 2, "hint", "since")
    assert slides.exercise("search/tiny", {("search", "tiny"): one}) == (
        '<div class="slide-exercise"><p>Is 1 &lt; 2? <em>Expected: two numbers &lt; 3, to three digits.</em></p>'
        "<pre><code>mistrust check tiny LOW HIGH</code></pre></div>"
    )
    with pytest.raises(UnknownName, match=r"'tiny'.*search/tiny"):
        slides.exercise("tiny", {("search", "tiny"): one})


# The decks


def named(text, directive):
    return re.findall(rf"^```\{{{directive}\}} (\S+)$", text, re.MULTILINE)


def drawn(chapter):
    """What names the figures of a chapter can have, as one pattern: from its figures' code and its notebook."""
    folder = ROOT / "lib" / "mistrust" / "figures"
    files = [*folder.glob("*.py"), *(folder / chapter).rglob("*.py")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    notebook = (ROOT / "notebooks" / f"{chapter}.ipynb").read_text(encoding="utf-8")
    bases = {re.sub(r"\{.*?\}", "[a-z0-9-]*", base) for base in re.findall(r"\"fig-([^\"]+)\"", code)}
    ends = {f"-{end}" for end in re.findall(r"name=\\\"([a-z-]+)\\\"", notebook)}
    return rf"fig-{chapter}-({'|'.join(bases)})({'|'.join(ends | {''})})"


def test_there_is_a_deck_for_each_session():
    assert len(DECKS) == 6
    assert sorted(set(re.findall(r"<slides/(\w+)>", COURSE))) == sorted(DECKS)
    assert {int(re.search(r"Session (\d) of 6", text)[1]) for text in DECKS.values()} == set(range(1, 7))


@pytest.mark.parametrize("deck", DECKS)
def test_a_deck_names_what_exists(deck):
    text = DECKS[deck]
    chapters = re.search(r"^chapters: (.*)$", text, re.MULTILINE)[1].split(", ")
    assert deck == chapters[0]
    figures = named(text, "slide-figure")
    assert len(figures) >= 4
    for figure in figures:
        assert slides.chapter_of(figure).name in chapters
        assert re.fullmatch(drawn(slides.chapter_of(figure).name), figure), figure
    known = {one.id for one in claims()}
    shown = [name for block in re.findall(r"```\{slide-claims\}\n(.*?)```", text, re.DOTALL) for name in block.split()]
    assert len(shown) >= 3
    assert set(shown) <= known
    exercises = named(text, "slide-exercise")
    assert len(exercises) >= 2
    assert {tuple(name.split("/")) for name in exercises} <= set(every())
    assert 9 <= len(re.findall(r"^##? ", text, re.MULTILINE)) <= (14 if len(chapters) == 1 else 15)


# What a deck may say in digits: which session, whose paper, and names that hold one.
NAMES = (
    r"Session [1-6](?: of 6)?\b", r"\{cite\}`\w+`", r"\b[Tt]op-1\b", r"\"[Ll]evel 10\"", r"\b[Aa] [49]\b",
    r"\b4 or 9\b",
)  # fmt: skip
# How a deck's own method parts the images, and what a coin gets: nothing that was measured.
SHARES = ("on one half of the images",)
COUNT = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|fifty|hundred|thousand|dozen|several"
PART = "half|third|quarter|fifth|sixth|eighth|tenth|hundredth"
SHARE = re.compile(
    rf"\b(?:{COUNT}|{PART})\b(?: out)? (?:of|in)\b|\b(?:{COUNT}|a)[ -](?:{PART})s?\b (?:of|in)\b|\b(?:{PART})s\b|"
    rf"\b(?:twice|(?:{COUNT})[ -](?:fold|times)) (?:as|the|more|less|fewer|larger|smaller)\b|\bper ?cent\b|%",
    re.IGNORECASE,
)


def typed(deck):
    """What looks like a measured number in a deck's own words, speaker's notes among them."""
    blocks = r"^---.*?^---|^```\{slide-(?:figure|claims|exercise)\}.*?^```"
    prose = re.sub(blocks, "", deck, flags=re.DOTALL | re.MULTILINE)
    lone = re.findall(r"\$\s*[\d.,]+(?:\s*\\%)?\s*\$", prose)  # a number that is dressed as a formula
    prose = re.sub(r"\$\$.*?\$\$|\$.*?\$|" + "|".join(NAMES), "", prose, flags=re.DOTALL)
    for one in SHARES:
        prose = prose.replace(one, "")
    return lone + re.findall(r"\S*\d\S*", prose) + SHARE.findall(prose)


@pytest.mark.parametrize("deck", DECKS)
def test_no_measured_number_is_typed(deck):
    assert typed(DECKS[deck]) == []


@pytest.mark.parametrize(
    "words",
    [
        "It finds two thirds.", "It wins in 7 of 10 runs.", "After 1,200 queries.", "An AUROC of 0.93.",
        "It is 3 % better.", "Seven of ten agree.", "One in five is lost.", "Half of them fail.",
        "a third of the images", "in three out of four", "three times as many", "ten per cent", "It gets $0.93$.",
        "A 7 is lost.", "```{slide-notes}\nSay 42.\n```",
    ],
)  # fmt: skip
def test_numbers_in_many_clothes_are_found(words):
    assert typed(words) != []


def test_the_course_names_exercises_and_parameters_that_exist():
    table = COURSE[COURSE.index("| Session |") : COURSE.index("What students should know")]
    listed = {
        name for cell in re.findall(r"\| (`[^|]*`) \|$", table, re.MULTILINE) for name in re.findall(r"`(.*?)`", cell)
    }
    assert listed == {name for _, name in every()}
    body = COURSE[COURSE.index("(course-1)=") :]
    used = {
        name
        for words in re.findall(r"[Ee]xercises? ((?:`[\w-]+`(?:, | and )?)+)", body)
        for name in words.split("`")[1::2]
    }
    assert used == listed
    assert {shlex.split(one)[2] for one in COMMANDS if one.startswith("mistrust run")} == set(CHAPTERS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_pages_and_the_readme_can_be_run(command):
    """Read by the command line itself; of a run all is checked that is checked before anything runs."""
    _, *words = shlex.split(command)
    options = parser()[0].parse_args(words)
    if words[0] == "check" and words[1:]:
        assert words[1] in {name for _, name in every()}
    if words[0] != "run":
        return
    # Images that want a download may be missing here: of them the name alone is looked at.
    given = [one for one in options.parameters if not one.startswith("data=")]
    making.plan(options.chapters, options.profile, given)
    assert {one.removeprefix("data=") for one in options.parameters if one not in given} <= set(SOURCES)
