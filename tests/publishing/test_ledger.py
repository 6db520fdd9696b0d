"""The page of all claims: what it says comes from rows, and a page that says otherwise is found."""

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing import claims, ledger, results, rowfiles, staging
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.estimates import Reader
from mistrust.publishing.ledger import page
from mistrust.publishing.ledger.coverage import Coverage, coverage
from mistrust.publishing.ledger.entry import _files
from mistrust.publishing.offered import accepted_file
from mistrust.publishing.papers import PAPERS
from mistrust.publishing.shelf import Shelf
from mistrust.publishing.verdicts import TESTS, WORDS, Test, Verdict, every

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "book" / "claims.md").read_text(encoding="utf-8")
PAGES = {"notebooks/misclassification", "book/claims"}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A project with the papers' claims and numbers, and accepted rows of one chapter: three networks' accuracy."""
    folder = tmp_path_factory.mktemp("root")
    (folder / "data").mkdir()
    (folder / "data" / "published").symlink_to(ROOT / "data" / "published")
    where = {"table": "accuracy", "condition": "clean", "method": "network", "metric": "accuracy"}
    values = [(at, seed, value) for at, value in (("train", 0.983), ("test", 0.984)) for seed in range(3)]
    rows = tidy.table([{"at": at, "seed": seed, "value": value + seed / 1e4, **where} for at, seed, value in values])
    for name, chapter in CHAPTERS.items():
        own = rowfiles.labelled(rows if name == "misclassification" else tidy.empty(), name, "full")
        files = rowfiles.texts(folder / "data" / "results" / name, own, {"complete": True}, "full", "full.json")
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert chapter.name == name
    return folder


@pytest.fixture(autouse=True)
def here(root, monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(root))
    covered = page._covered
    covered.cache_clear()
    yield
    covered.cache_clear()


@pytest.fixture(scope="module")
def judged(root):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MISTRUST_ROOT", str(root))
        return ledger.entries()


@pytest.fixture
def book(judged, tmp_path):
    """A built book of the ledger alone, as HTML that a test may spoil."""
    parts = [make(judged, PAGES) for make in ledger.PARTS.values()]
    parts += [page.claims_of(name, judged, PAGES) for name in PAPERS]
    (tmp_path / "html" / "book").mkdir(parents=True)
    (tmp_path / "html" / "book" / "claims.html").write_text("\n".join(parts), encoding="utf-8")
    return tmp_path / "html"


class Tree(HTMLParser):
    """All tags with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def having(self, name):
        return [held for _, held in self.tags if name in held]


def one_of(judged, name):
    return next(one for one in judged if one.claim.id == name)


def test_every_test_says_in_a_sentence_what_it_tests():
    told = {name: test.tested for name, test in TESTS.items()}
    assert [name for name, text in told.items() if len(text.split()) < 3 or text[-1] not in ".?"] == []


def test_every_paper_has_its_part_of_the_page_and_its_reference():
    references = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    parts = re.findall(r"^```\{ledger\} (\S+)$", TEXT, re.MULTILINE)
    assert sorted(parts) == sorted([*ledger.PARTS, *PAPERS])
    for paper in PAPERS.values():
        assert f"(ledger-{paper.name})=\n### {paper.title}\n" in TEXT
        assert f"{{cite}}`{paper.cite}`" in TEXT
        assert re.search(rf"^@\w+\{{{paper.cite},", references, re.MULTILINE)


def test_a_claim_of_a_paper_without_an_entry_is_refused(tmp_path):
    path = tmp_path / "claims.csv"
    path.write_text("id,paper,place,claim,test\na,mml,section 1,x,mlm-zero-least\n")
    with pytest.raises(
        MistrustError, match=r"line 2, claim 'a': There is no paper 'mml'\. Did you mean 'mlm'\?.*papers\.py"
    ):
        claims.claims(path=path)


def test_a_shelf_gives_readers_what_the_frame_does():
    records = [
        {"table": t, "metric": m, "at": str(i), "level": i or None, "value": i}
        for t in "ab" for m in "xy" for i in range(3)
    ]  # fmt: skip
    mine, others = (tidy.table(records, chapter=name) for name in ("mine", "others"))
    rows = pd.concat([others, mine], ignore_index=True)
    on_shelf, on_frame = Reader(Shelf(rows), "mine"), Reader(rows, "mine")
    for where in ({"table": "a", "metric": "x"}, {"table": ["a", "b"], "at": "1"}, {"metric": "y"}, {"table": "c"}):
        expected = tidy.select(rows[rows["chapter"] == "mine"], **where)
        pd.testing.assert_frame_equal(on_shelf.find(**where), expected)
        pd.testing.assert_frame_equal(on_frame.find(**where), expected)
    pd.testing.assert_frame_equal(on_shelf.used(), on_frame.used())
    assert len(on_shelf.used()) == 10  # all rows of two tables but two, and each once
    assert on_shelf.lacking() == ("c",)
    assert Reader(Shelf(rows), "nobody").find(table="a").empty
    for found, where in (
        (2, {"level": 2}), (4, {"level": [2.0, math.nan]}), (2, {"level": math.nan}), (2, {"at": ["2", "9"]}),
        (0, {"at": ()}),
    ):  # fmt: skip
        expected = tidy.select(mine, table="b", **where)
        assert len(expected) == found
        pd.testing.assert_frame_equal(Reader(mine, "mine").find(table="b", **where), expected)
    with pytest.raises(MistrustError, match=r"Rows have no column 'leval'\. Did you mean 'level'\?"):
        on_shelf.find(table="a", leval=1)


@pytest.mark.whole
def test_everything_is_the_evidence_of_all_chapters(root):
    folder = root / "data" / "results" / "benchmarks"
    folder.mkdir(exist_ok=True)
    timed = tidy.table([{"chapter": c, "table": "t", "metric": "s", "value": 1} for c in ("search", "elsewhere")])
    tidy.write(timed, folder / "t.csv")
    try:
        whole = results.everything()
        each = pd.concat([results.evidence(name) for name in CHAPTERS], ignore_index=True)
        pd.testing.assert_frame_equal(
            tidy.ordered(whole).reset_index(drop=True), tidy.ordered(each).reset_index(drop=True)
        )
        assert list(whole[whole["table"] == "t"]["chapter"]) == ["search"]
        assert set(whole["profile"]) == {"full"}
    finally:
        (folder / "t.csv").unlink()


def test_an_entry_names_the_files_that_were_read(judged, root):
    assert one_of(judged, "mlm-accuracy-test").files == (
        ("accuracy", f"misclassification/{accepted_file('misclassification', 'accuracy', 'full')}"),
    )
    assert one_of(judged, "adversarial-distance-theorem").files == ()  # printed numbers are no rows
    lacking = one_of(judged, "farm-faults-threaten")
    assert (lacking.verdict.verdict, lacking.files) == ("not run", ())
    assert re.search(r"\(in the tables? [a-z]", lacking.words)


def test_parts_of_one_table_are_all_linked(root):
    folder = root / "data" / "results" / "misclassification"
    (folder / "accuracy.2.full.csv").write_text("")
    try:
        found = [*_files("misclassification", ["accuracy"], "full")]
    finally:
        (folder / "accuracy.2.full.csv").unlink()
    packed = accepted_file("misclassification", "accuracy", "full")
    assert found == [
        ("accuracy", f"misclassification/{packed}"),
        ("accuracy.2", "misclassification/accuracy.2.full.csv"),
    ]


def test_a_line_says_claim_place_verdict_test_and_evidence(judged):
    text = page.claims_of("mlm", judged, PAGES)
    line = re.search(r'<tr id="mlm-accuracy-test".*?</tr>', text)[0]
    one = one_of(judged, "mlm-accuracy-test")
    for words in (one.claim.claim, one.claim.place, one.verdict.evidence, one.test.tested, 'data-verdict="holds"'):
        assert words in line
    links = [held["href"] for held in Tree(line).having("href")]
    assert links == [
        "#mlm-accuracy-test", "../notebooks/misclassification.html#claim-mlm-accuracy-test",
        f"../rows/{one.files[0][1]}",
        "../code/mistrust/publishing/claim_tests/misclassification/clean.py.txt",
    ]  # fmt: skip
    elsewhere = page.claims_of("farm", judged, PAGES)
    assert "notebooks/" not in elsewhere  # no such page in this book: named, not linked
    assert f"chapter: {CHAPTERS['monitoring'].title}" in elsewhere


def test_text_of_tests_is_escaped_and_marked():
    assert page._prose("a < b, `x` and the *other* one, 2 * 3") == (
        "a &lt; b, <code>x</code> and the <em>other</em> one, 2 * 3"
    )


def test_every_claim_has_a_line_and_counts_add_up(judged):
    lines = [held for name in PAPERS for held in Tree(page.claims_of(name, judged, PAGES)).having("data-claim")]
    assert [held["data-claim"] for held in lines] == [held["id"] for held in lines]
    assert sorted(held["id"] for held in lines) == sorted(one.id for one in claims.claims())
    text = page.counts(judged, PAGES)
    cells = dict(re.findall(r'data-count="([^"]+)">(?:<a [^>]*>)?(\d+)', text))
    for word in WORDS:
        assert int(cells[f"all/{word}"]) == sum(int(cells[f"{name}/{word}"]) for name in PAPERS)
    assert sum(int(cells[f"all/{word}"]) for word in WORDS) == len(judged)
    # What leads somewhere leads to a part of this page, with and without the script.
    anchors = {held["href"] for held in Tree(text).having("href")}
    assert anchors == {"#ledger-filter", *(f"#ledger-{name}" for name in PAPERS)}


def test_claims_of_which_only_parts_fail_are_counted(judged):
    parts = [Verdict("holds", "a", p=0.001), Verdict("does not hold", "b", p=0.001)]
    some, all_ = every(parts), every(parts[1:])
    assert (some.verdict, some.failed, all_.verdict) == ("does not hold", (1, 2), "does not hold")
    own = [replace(judged[0], verdict=one) for one in (some, all_, parts[0])]
    assert "Of those that do not hold, 1 have several parts, of which some fail and others do not." in page.counts(
        own, PAGES
    )


def test_a_claim_that_was_not_run_says_how_far_the_run_is(judged, monkeypatch):
    covered = {
        "monitoring": Coverage(CHAPTERS["monitoring"], False, ("run 0",), ("run 1", "run <2>")),
        "robustness": Coverage(CHAPTERS["robustness"], False, (), ("a",)),
    }
    monkeypatch.setattr(page, "_covered", lambda name: covered.get(name) or Coverage(CHAPTERS[name], True))
    line = re.search(r'<tr id="farm-faults-threaten".*?</tr>', page.claims_of("farm", judged, PAGES))[0]
    assert "<b>Missing.</b> no rows: " in line
    assert '; <a href="#lacking-monitoring">accepted so far: 1 of 3 pieces</a>' in line
    text = page.lacking(judged, PAGES)
    assert re.search(r'<details class="mt-fold" id="lacking-monitoring"><summary>\d+ claims of “When does', text)
    assert "<li>run 1</li><li>run &lt;2&gt;</li>" in text
    assert "no part of the full run has been accepted yet" in text
    assert '<p id="lacking-search">' in text
    assert "the full run is whole, so another kind of run is needed" in text
    assert page.lacking([one for one in judged if one.verdict.verdict != "not run"], PAGES).startswith("<p>Nothing")


def test_coverage_of_a_run_in_pieces(project):
    assert coverage("tiny").words == "no part of the full run has been accepted yet"
    folder = project.root / "data" / "results" / "tiny"
    folder.mkdir(parents=True)
    pieces = CHAPTERS["tiny"].module().pieces(CHAPTERS["tiny"].parameters()(networks=5, rate=0.25, levels=(3, 4, 5)))
    about = {"complete": False, "pieces": [pieces[1]], "versions": {pieces[1]: {}}}
    (folder / "full.json").write_text(json.dumps(about))
    found = coverage("tiny")
    assert found.accepted == (pieces[1],)
    assert found.lacking == (pieces[0], *pieces[2:])
    assert found.words == "accepted so far: 1 of 5 pieces"
    (folder / "full.json").write_text(json.dumps({**about, "complete": True}))
    assert coverage("tiny").whole


def test_an_unknown_part_is_named():
    with pytest.raises(MistrustError, match=r"no part of the ledger 'farn'\. Did you mean 'farm'"):
        ledger.part("farn", ())


def test_code_of_the_tests_goes_into_a_book_with_the_ledger(tmp_path):
    (tmp_path / "other.md").write_text("Nothing of `{ledger}` here.\n")
    assert staging.code(tmp_path) == {}
    (tmp_path / "claims.md").write_text("# Claims\n\n```{ledger} mlm\n```\n")
    found = staging.code(tmp_path)
    linked = {f"code/{test.module.replace('.', '/')}.py.txt" for test in TESTS.values()}
    assert linked <= set(found)
    assert all(path.is_file() for path in found.values())


def test_a_book_that_agrees_has_no_faults(book, judged):
    assert ledger.faults(book, judged) == []


def spoil(book, old, new):
    path = book / "book" / "claims.html"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_verdict_that_the_rows_do_not_give_is_found(book, judged):
    spoil(book, 'id="mlm-accuracy-test" data-claim="mlm-accuracy-test" data-verdict="holds"',
          'id="mlm-accuracy-test" data-claim="mlm-accuracy-test" data-verdict="undecided"')  # fmt: skip
    (fault,) = ledger.faults(book, judged)
    assert fault.startswith("book/claims.html: of 'mlm-accuracy-test' the page says 'undecided', the rows say 'holds'.")


def test_rows_that_changed_since_the_book_was_built_are_found(book, judged):
    old = one_of(judged, "mlm-accuracy-test")
    new = replace(old, verdict=Verdict("does not hold", "accuracy = 0.784"))
    found = ledger.faults(book, [new if one is old else one for one in judged])
    assert any("of 'mlm-accuracy-test' the page says 'holds', the rows say 'does not hold'" in one for one in found)
    assert any(one.startswith("book/claims.html: mlm/holds is counted as 4, the rows give 3") for one in found)
    assert len(found) == 5  # the verdict, and two counts each of the paper and of all


def test_a_word_beside_its_mark_and_a_wrong_count_are_found(book, judged):
    spoil(book, '<span class="mt-verdict" data-word="holds">holds', '<span class="mt-verdict" data-word="holds">fails')
    spoil(book, 'data-verdict="holds">4</a>', 'data-verdict="holds">5</a>')  # three by rows, one as printed
    said = "\n".join(ledger.faults(book, judged))
    assert "the page says 'fails', the rows say 'holds'" in said
    assert "mlm/holds is counted as 5, the rows give 4" in said


def test_claims_that_lack_or_stand_twice_are_found(book, judged):
    spoil(book, 'data-claim="mlm-zero-least"', 'data-claim="mlm-eight-most"')
    said = "\n".join(ledger.faults(book, judged))
    assert "the claim 'mlm-zero-least' stands there 0 times, expected once" in said
    assert "the claim 'mlm-eight-most' stands there 2 times, expected once" in said


def test_a_chapter_of_a_former_run_is_found(book, judged):
    shown = claims.verdicts(results.everything(), "misclassification").replace({"verdict": {"holds": "undecided"}})
    (book / "notebooks").mkdir()
    chapter = book / "notebooks" / "misclassification.html"
    chapter.write_text(claims.html(shown, "Claims"), encoding="utf-8")
    found = ledger.faults(book, judged)
    assert len(found) == 4
    assert all(one.startswith("notebooks/misclassification.html: of 'mlm-") for one in found)
    chapter.write_text('<tr data-claim="mlm-gone" data-verdict="holds">', encoding="utf-8")
    assert ledger.faults(book, judged) == [
        "notebooks/misclassification.html: 'mlm-gone' is no claim of data/published/claims.csv. Build the book again: "
        "`mistrust book`."
    ]  # fmt: skip


def test_a_chapters_table_has_the_anchors_that_the_ledger_links():
    shown = claims.verdicts(results.everything(), "misclassification")
    lines = Tree(claims.html(shown, "Claims")).having("data-claim")
    assert [held["id"] for held in lines] == [f"claim-{name}" for name in shown["id"]]
    assert [held["data-verdict"] for held in lines] == list(shown["verdict"])


def test_no_ledger_and_a_test_without_claim_are_found(tmp_path, judged):
    TESTS.add("tiny-orphan", Test("tiny-orphan", "misclassification", lambda rows: Verdict("holds", "")))
    try:
        found = ledger.faults(tmp_path, judged)
    finally:
        del TESTS._entries["tiny-orphan"]
    assert found[0] == "The test 'tiny-orphan' has no claim in data/published/claims.csv."
    assert re.search(r"There is no ledger in .*: book/claims\.html is missing\. Build the book again", found[1])


@pytest.mark.whole
def test_check_on_the_command_line(book, root, mistrust, monkeypatch):
    (root / "_toc.yml").write_text("")  # what tells a clone from the installed library
    monkeypatch.setenv("MISTRUST_BUILD", str(book.parent))
    status, _, said = mistrust("claims", "--check")
    assert (status, "There is no book in" in said) == (2, True)
    (book / "index.html").write_text("")
    spoil(book, 'data-claim="mlm-zero-least"', 'data-claim="mlm-zero-more"')
    status, said, _ = mistrust("claims", "--check")
    assert status == 1
    assert said.endswith("2 faults\n")
    assert mistrust("claims", "search", "--check")[0] == 2
