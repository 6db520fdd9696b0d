"""The page of all claims in the built book: its filter by pointer and keys, without JavaScript, on a phone; its truth.

The folder is `_build/html`, or the one that MISTRUST_BOOK names.
"""

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from mistrust.publishing import ledger

BOOK = Path(os.environ.get("MISTRUST_BOOK") or Path(__file__).resolve().parents[2] / "_build" / "html").resolve()
PAGE = BOOK / "book" / "claims.html"
PHONE = {"width": 390, "height": 844}
ROWS = "table.mt-ledger tbody tr"
FILTER = "#ledger-filter"


@pytest.fixture
def opened(visit):
    """Open the ledger: opened(query_and_hash) -> the page, which must not complain until the test ends."""
    watches = []

    def go(more="", **options):
        watches.append(visit(PAGE.as_uri() + more, **options))
        return watches[-1].page

    yield go
    assert [fault for watch in watches for fault in watch.faults()] == []


def shown(page):
    """The marks of the claims that are seen."""
    return page.eval_on_selector_all(
        ROWS, "rows => rows.filter(r => r.checkVisibility()).map(r => [r.id, r.dataset.paper, r.dataset.verdict])"
    )


def everything(page):
    return page.eval_on_selector_all(ROWS, "rows => rows.map(r => [r.id, r.dataset.paper, r.dataset.verdict])")


def says(page, text):
    page.wait_for_function("text => document.querySelector('#ledger-filter .mt-said').textContent === text", arg=text)


def test_the_book_says_what_the_rows_say():
    assert ledger.faults(BOOK) == []


def test_in_a_readers_own_colours_shares_and_their_key_are_seen(opened):
    page = opened()
    page.emulate_media(forced_colors="active")
    colours = """([bar, key]) => [
      getComputedStyle(document.querySelector(bar)).backgroundColor,
      getComputedStyle(document.querySelector(key), "::after").backgroundColor,
      getComputedStyle(document.body).backgroundColor,
    ]"""
    holds = '[data-word="holds"]'
    bar, key, ground = page.evaluate(colours, [f".mt-bars span{holds}", f".mt-key{holds}"])
    assert bar == key != ground


def test_paper_and_verdict_choose(opened):
    page = opened()
    all_of = everything(page)
    assert len(shown(page)) == len(all_of) > 100
    says(page, f"{len(all_of)} claims")
    page.select_option("#ledger-paper", "farm")
    page.select_option("#ledger-verdict", "holds")
    left = [one for one in all_of if one[1:] == ["farm", "holds"]]
    assert shown(page) == left
    says(page, f"{len(left)} of {len(all_of)} claims")
    # Papers without a claim left go with their heads; the one that stays says how many of how many.
    heads = page.locator("section:has(> table.mt-ledger) > h3, section:has(> div > table.mt-ledger) > h3")
    assert heads.filter(visible=True).count() == 1
    own = sum(one[1] == "farm" for one in all_of)
    assert page.locator("table.mt-ledger caption").filter(visible=True).inner_text().endswith(
        f"{len(left)} of {own} claims"
    )  # fmt: skip


def test_options_say_how_many_claims_they_would_leave(opened):
    page = opened()
    by_word = Counter(one[2] for one in everything(page) if one[1] == "mlm")
    page.select_option("#ledger-paper", "mlm")
    options = page.locator("#ledger-verdict option").all_text_contents()
    numbers = {text.rpartition(" (")[0]: int(text.rpartition(" (")[2][:-1]) for text in options}
    assert numbers.pop("all verdicts") == sum(by_word.values())
    assert {word: n for word, n in numbers.items() if n} == by_word


def test_words_are_looked_for_by_keys_alone(opened):
    page = opened()
    total = len(everything(page))
    page.locator("#ledger-paper").focus()
    for field in ("ledger-verdict", "ledger-words"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == field
    page.keyboard.type("CENTROID kmeans")
    found = shown(page)
    assert 0 < len(found) < total
    for name, _, _ in found:
        text = page.locator(f"[id='{name}']").inner_text().lower()
        assert "centroid" in text
        assert "kmeans" in text
    says(page, f"{len(found)} of {total} claims")
    page.keyboard.press("ArrowRight")  # the theme turns pages with it, but not in a field
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.hash") == f"#{found[0][0]}"
    page.locator("#ledger-words").focus()
    page.keyboard.press("Escape")
    assert page.input_value("#ledger-words") == ""
    assert len(shown(page)) == total
    page.keyboard.type("no such words anywhere")
    says(page, "No claim fits. Show all, or take fewer words.")
    assert shown(page) == []
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # "Show all"
    assert len(shown(page)) == total
    assert page.evaluate("document.activeElement.id") == "ledger-words"


def test_an_id_finds_its_claim(opened):
    page = opened()
    page.fill("#ledger-words", "mlm-two-sixes")
    assert [one[0] for one in shown(page)] == ["mlm-two-sixes"]


def test_a_number_of_the_counts_shows_its_claims(opened):
    page = opened()
    link = page.locator('.mt-tally a[data-paper="ambiguess"][data-verdict="undecided"]')
    count = int(link.inner_text())
    link.click()
    assert [one[1:] for one in shown(page)] == [["ambiguess", "undecided"]] * count
    page.locator('.mt-tally a[data-paper="urem"]:not([data-verdict])').click()
    assert {one[1] for one in shown(page)} == {"urem"}


def test_an_address_may_choose_and_a_link_to_a_hidden_claim_shows_it(opened):
    page = opened("?paper=farm&verdict=holds&words=alarms")
    assert page.input_value("#ledger-words") == "alarms"
    assert {tuple(one[1:]) for one in shown(page)} <= {("farm", "holds")}
    assert len(shown(opened("?paper=nobody&verdict=maybe"))) == len(everything(page))
    page = opened("?paper=farm#mlm-two-sixes")
    assert page.locator("#mlm-two-sixes").is_visible()
    page.select_option("#ledger-paper", "farm")
    assert not page.locator("#mlm-zero-least").is_visible()
    page.evaluate("location.hash = 'mlm-zero-least'")
    page.wait_for_function("document.getElementById('mlm-zero-least').checkVisibility()")


def test_without_javascript_the_table_is_whole(opened):
    page = opened(script=False)
    assert not page.locator(FILTER).is_visible()
    lines = page.locator(ROWS)
    assert lines.count() > 100
    assert lines.filter(visible=True).count() == lines.count()
    assert page.locator(".mt-tally a").first.get_attribute("href") == "#ledger-mlm"


@pytest.mark.parametrize("size", [{"width": 1280, "height": 900}, PHONE], ids=["desktop", "phone"])
def test_a_screen_reader_finds_tables_also_where_cells_are_stacked(opened, size):
    page = opened("?paper=farm", size=size)
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    roles = Counter(one["role"]["value"] for one in tree if not one.get("ignored") and "role" in one)
    own = len(shown(page))
    counts, words = 7, 4  # lines of the table of counts, and of the table that explains the words
    assert roles["rowheader"] >= own
    assert roles["row"] >= own + 1
    assert roles["row"] <= own + 1 + counts + words + 1
    assert roles["table"] == 3
    assert roles["status"] == 1
    assert roles["search"] >= 1


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_phone_shows_what_was_chosen_and_nothing_sticks_out(opened, width, axe, mode):
    page = opened("?verdict=not%20run#ledger-filter", size=PHONE, mode=mode)
    assert shown(page)
    assert width(page) == []
    assert axe(page, "article.bd-article") == []
    box = page.locator(".mt-tally table").bounding_box()
    assert box["width"] <= PHONE["width"] - 30, "the counts have to be pushed aside to be read"


def test_each_chapter_links_its_claims_in_the_ledger(opened):
    page = opened()
    links = page.eval_on_selector_all("table.mt-ledger a[href*='/notebooks/']", "all => all.map(a => a.href)")
    chapters = [path for path in (BOOK / "notebooks").glob("*.html") if "data-claim=" in path.read_text("utf-8")]
    for path in chapters:
        text = path.read_text(encoding="utf-8")
        assert re.search(r'href="\.\./book/claims\.html#ledger-[\w-]+"', text), path.name
        anchors = re.findall(r'id="(claim-[\w-]+)"', text)
        assert sorted(f"{path.as_uri()}#{one}" for one in anchors) == sorted(
            link for link in links if link.startswith(path.as_uri())
        )
