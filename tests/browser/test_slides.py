"""The decks of the built book in a real browser: they open from a folder, keys move them, nothing sticks out.

The folder is `_build/html`, or the one that MISTRUST_BOOK names.
"""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOOK = Path(os.environ.get("MISTRUST_BOOK") or ROOT / "_build" / "html").resolve()
ROOM, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
DECKS = [path.stem for path in sorted((BOOK / "book" / "slides").glob("*.html"))]
SHOWN = ".slides > section.present"


def opened(visit, deck, size=ROOM, more="", **how):
    return visit((BOOK / "book" / "slides" / f"{deck}.html").as_uri() + more, size, **how)


def ready(page):
    page.wait_for_function("window.Reveal && Reveal.isReady()")


# Parts of a slide that reach beyond the stage or into the links at its foot, and formulas that are not drawn.
OUTSIDE = """() => {
  const box = (where) => document.querySelector(where).getBoundingClientRect(), found = [];
  const stage = box(".slides"), floor = Math.min(stage.bottom, box(".slides-back").top);
  Reveal.getSlides().forEach((slide, i) => {
    Reveal.slide(i);
    for (const part of slide.querySelectorAll(":scope *")) {
      if (part.closest("aside, mjx-container, svg")) continue;
      const own = part.getBoundingClientRect();
      if (own.width && (own.bottom > floor + 1 || own.right > stage.right + 1 || own.top < stage.top - 1))
        found.push(`slide ${i + 1}: ${part.tagName} ${part.textContent.trim().slice(0, 40)}`);
    }
    for (const formula of slide.querySelectorAll(".math"))
      if (!formula.querySelector("mjx-container") || formula.querySelector("mjx-merror"))
        found.push(`slide ${i + 1}: formula`);
  });
  return found;
}"""


@pytest.mark.parametrize("deck", DECKS)
def test_a_deck_is_complete_and_nothing_sticks_out(deck, visit):
    watch = opened(visit, deck)
    page = watch.page
    ready(page)
    assert page.evaluate(OUTSIDE) == []
    assert page.locator(".slide-absent").all_inner_texts() == []
    pictures = page.eval_on_selector_all(
        ".slides img", "all => all.map(i => [i.alt, i.complete && i.naturalWidth > 0, i.src])"
    )
    assert [src for alt, drawn, src in pictures if not drawn or len(alt.split()) < 5] == []
    assert len(pictures) >= 4
    assert watch.faults() == []


def test_there_is_a_deck_for_each_session():
    assert len(DECKS) == 6, f"There are {len(DECKS)} decks in {BOOK}: build the book by `make book`, or name another."


def test_keys_move_and_an_address_names_a_slide(visit):
    watch = opened(visit, "misclassification")
    page = watch.page
    ready(page)
    heading = page.locator(f"{SHOWN} :is(h1, h2)")
    assert heading.inner_text() == "Which classes are mistaken for which"
    page.keyboard.press("ArrowRight")
    assert heading.inner_text() == "The question"
    page.keyboard.press("Escape")
    page.wait_for_function("Reveal.isOverview()")
    page.keyboard.press("Escape")
    page.wait_for_function("!Reveal.isOverview()")
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement")
    page.evaluate("document.exitFullscreen()")
    page.keyboard.press("End")
    assert heading.inner_text() == "Take away"
    assert page.locator(".slides aside").first.is_hidden()
    page.wait_for_function("location.hash === '#/take-away'")  # reveal.js writes it a moment later
    page.reload()
    ready(page)
    assert heading.inner_text() == "Take away"
    page.locator(".slides-back a").first.click()
    page.wait_for_url("**/book/course.html")
    assert watch.faults() == []


def test_an_address_shows_the_speakers_notes(visit):
    watch = opened(visit, "misclassification", more="?showNotes=true#/the-idea-landmarks-of-sure-and-right-answers")
    page = watch.page
    ready(page)
    own = page.locator(f"{SHOWN} aside.notes").text_content().strip()
    shown = page.locator(".reveal > .speaker-notes")
    assert shown.is_visible()
    assert len(own.split()) > 10
    assert " ".join(shown.inner_text().split()).endswith(" ".join(own.split()))
    box, stage = shown.bounding_box(), page.viewport_size
    assert box["width"] > 100
    assert 0 <= box["x"] < box["x"] + box["width"] <= stage["width"] + 1
    assert 0 <= box["y"] < stage["height"]
    assert watch.faults() == []


def test_an_address_lays_a_deck_out_for_printing(visit):
    watch = opened(visit, "misclassification", more="?print-pdf")
    page = watch.page
    ready(page)
    page.wait_for_selector(".pdf-page")
    slides = page.evaluate("Reveal.getTotalSlides()")
    assert slides == page.locator(".slides section").count() > 8
    tops = page.eval_on_selector_all(".pdf-page", "all => all.map(e => e.getBoundingClientRect().top)")
    assert tops == sorted(set(tops))
    assert len(tops) == slides
    assert printed(page) == slides
    assert watch.faults() == []


def printed(page):
    """How many pages a printer would get."""
    paper = page.pdf(prefer_css_page_size=True, print_background=True)
    return len(re.findall(rb"/Type\s*/Page\b", paper))


@pytest.mark.parametrize("script", [True, False])
def test_a_phone_shows_the_slides_one_below_another(script, visit, width):
    watch = opened(visit, "robustness", PHONE, script=script)
    page = watch.page
    tops = page.eval_on_selector_all(".slides > section", "all => all.map(e => e.getBoundingClientRect().top)")
    assert len(tops) == page.locator(".slides :is(h1, h2):visible").count() > 8
    assert tops == sorted(set(tops))
    assert width(page) == []
    assert watch.faults() == []


@pytest.mark.parametrize(("mode", "rules"), [("light", "all"), ("dark", "colours")])
def test_a_deck_can_be_read_by_all(mode, rules, visit, axe):
    # Where the slides stand one below another all of them are seen at once; colours are those of the stage.
    page = opened(visit, "misclassification", PHONE, mode=mode).page
    assert axe(page, "body", rules) == []


def test_an_address_keeps_the_slides_one_below_another_where_letters_grow_with_the_browsers(visit):
    page = opened(visit, "search").page
    ready(page)
    assert page.locator("main").count() == 1
    page.get_by_role("link", name="All slides on one page").click()
    page.wait_for_url("**?plain")
    assert page.locator("html.slides-plain").count() == 1
    assert page.locator(".slides :is(h1, h2):visible").count() > 8


def test_focus_on_the_arrows_of_a_deck_is_seen(visit):
    page = opened(visit, "search").page
    ready(page)
    page.keyboard.press("Tab")
    page.locator(".controls .navigate-right").focus()
    assert page.locator(".controls .navigate-right").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
