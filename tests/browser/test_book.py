"""The built book, page by page, as a reader's browser sees it from a folder.

The folder is `_build/html`, or the one that MISTRUST_BOOK names.
"""

import gzip
import io
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from PIL import Image

from mistrust.figures.told import MORE, MOST

ROOT = Path(__file__).resolve().parents[2]
BOOK = Path(os.environ.get("MISTRUST_BOOK") or ROOT / "_build" / "html").resolve()
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
SIZES = {"desktop": DESKTOP, "phone": PHONE}
# Pages that Sphinx makes without text of ours; index.html only leads on to the first page.
MADE = ("genindex.html", "index.html", "search.html")
SLIDES = "book/slides/"  # decks are pages of another kind: see test_slides
ARTICLE = "article.bd-article"
# Tags without an end, so that the reader of elements keeps count.
VOID = {"img", "br", "hr", "meta", "link", "input", "source", "wbr", "area", "base", "col", "embed", "track"}


def pages():
    if not BOOK.is_dir():
        return []
    inside = (path.relative_to(BOOK) for path in sorted(BOOK.rglob("*.html")))
    return [path.as_posix() for path in inside if not path.parts[0].startswith("_")]


PAGES = pages()
TEXTS = [page for page in PAGES if page not in MADE and not page.startswith(SLIDES)]
REFERENCE = "book/reference/"  # many pages of one make, from docstrings
ALIKE = [page for page in TEXTS if page.startswith(REFERENCE)]
SEEN = [page for page in TEXTS if page not in ALIKE] + ALIKE[-1:]  # looked at in every way


def test_there_is_a_book():
    assert (BOOK / "index.html").is_file(), f"There is no book in {BOOK}: build it by `make book`, or name another."
    assert len(TEXTS) >= 5


class Reader(HTMLParser):
    """Links, anchors and pictures of a page."""

    def __init__(self):
        super().__init__()
        self.links, self.anchors, self.pictures = [], set(), []
        self.article = 0

    def handle_starttag(self, tag, attributes):
        held = dict(attributes)
        if self.article:
            self.article += tag not in VOID
        elif tag == "article" and "bd-article" in (held.get("class") or ""):
            self.article = 1
        for name in ("id", "name"):
            if held.get(name):
                self.anchors.add(held[name])
        for name in ("href", "src"):
            if held.get(name) and tag not in ("base",):
                self.links.append(held[name])
        if self.article and tag == "img":
            self.pictures.append((held.get("alt"), 5))
        if self.article and held.get("role") == "img":
            # Thumbnails are many and small: two words do ("a 4"); what is larger has more to say.
            self.pictures.append((held.get("aria-label"), 2 if "mt-thumb" in (held.get("class") or "") else 5))

    def handle_endtag(self, tag):
        if self.article:
            self.article -= 1


READ: dict[str, Reader] = {}


def read(page):
    if page not in READ:
        READ[page] = Reader()
        READ[page].feed((BOOK / page).read_text(encoding="utf-8"))
    return READ[page]


@pytest.mark.parametrize("page", PAGES)
def test_links_and_anchors_lead_somewhere(page):
    broken = []
    for link in read(page).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (BOOK / page).parent / unquote(parts.path) if parts.path else BOOK / page
        target = target.resolve()
        if target.is_dir():
            target = target / "index.html"
        anchor = unquote(parts.fragment)
        if not target.is_file():
            broken.append(link)
        elif anchor and target.suffix == ".html" and target.is_relative_to(BOOK):
            known = read(target.relative_to(BOOK).as_posix()).anchors
            # A link to "#" is the theme's for "stay here".
            if anchor not in known:
                broken.append(f"{link}: no such anchor")
    assert broken == []


@pytest.mark.parametrize("page", TEXTS)
def test_every_picture_says_what_it_shows(page):
    poor = []
    for alt, words in read(page).pictures:
        text = (alt or "").strip()
        path = re.search(r"\.(png|svg|jpe?g|gif|webp)\b|_images|[0-9a-f]{16,}", text)
        if path or len(text.split()) < words or len(text) > MOST:
            poor.append(alt)
    assert poor == []


def test_what_a_picture_says_in_full_stands_in_a_fold_of_its_own_name(visit):
    """Where its alternative text says that there is more, the figure has it; the keys pass no formula."""
    page = visit((BOOK / "notebooks/robustness.html").as_uri()).page
    more = page.locator(f'img[alt$="{MORE}"]').count()
    assert more > 5
    assert page.locator(f'figure:has(img[alt$="{MORE}"]):has(details.mt-words:not([open]))').count() == more
    names = page.locator("details.mt-words > summary").evaluate_all("all => all.map(one => one.textContent)")
    assert len(set(names)) == len(names)
    tall = "all => all.every(one => one.getBoundingClientRect().height >= 24)"
    assert page.locator("details.mt-words > summary:visible").evaluate_all(tall), "hard to hit"
    page.wait_for_function("document.querySelectorAll('mjx-container').length > 5")
    stops = page.locator("mjx-container[tabindex]")
    assert stops.evaluate_all("all => all.every(one => one.scrollWidth > one.clientWidth)")  # what scrolls has to be
    assert stops.count() < page.locator("mjx-container").count() / 4
    assert page.locator("mjx-container").count() == page.locator("mjx-assistive-mml").count()


def test_a_wide_table_fades_where_there_is_more(visit):
    """Until it is moved to its end; one that is whole does not."""
    page = visit((BOOK / "notebooks/supervisors.html").as_uri()).page
    wide = "all => all.filter(one => one.scrollWidth - one.clientWidth - one.scrollLeft > 1)"
    tables = page.locator(".mt-scroll, .mistrust-scroll")
    assert 0 < tables.evaluate_all(f"all => ({wide})(all).length") < tables.count()
    assert tables.evaluate_all(f"all => ({wide})(all).every(one => getComputedStyle(one).maskImage !== 'none')")
    faded = page.locator(".mt-more")
    assert faded.count() == tables.evaluate_all(f"all => ({wide})(all).length")
    before = faded.count()
    faded.first.evaluate("one => { one.scrollLeft = one.scrollWidth; }")
    page.wait_for_function(f"document.querySelectorAll('.mt-more').length === {before - 1}")


def test_heads_stand_upright_where_a_heat_table_would_be_too_wide(visit):
    page = visit((BOOK / "notebooks/supervisors.html").as_uri()).page
    table = page.locator(".mt-sortable.mt-upright").first
    assert table.evaluate("one => one.scrollWidth <= one.parentElement.clientWidth")
    head = table.locator("th.mt-number button").first
    box = head.bounding_box()
    assert box["height"] > 2 * box["width"] >= 2 * 24, "hard to hit"
    head.click()
    assert table.locator("th.mt-number").first.get_attribute("aria-sort") in {"ascending", "descending"}
    assert table.evaluate("one => one.classList.contains('mt-upright')")  # it stays so
    assert page.locator(".mt-sortable:not(.mt-upright)").count()  # what fits lies
    # Folds open by dozens while a page loads: all tables are looked at once a frame.
    changes = table.evaluate(
        """async one => {
          let found = 0;
          new MutationObserver(records => { found += records.length; }).observe(one, { attributes: true });
          for (let i = 0; i < 50; i++) document.dispatchEvent(new Event("toggle"));
          for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
          return found;
        }"""
    )
    assert 0 < changes <= 4


def formulas(page):
    """How many formulas there are, how many are drawn, and what went wrong."""
    return page.evaluate(
        """() => {
          const all = [...document.querySelectorAll(".math")];
          return [all.length, all.filter(e => e.querySelector("mjx-container")).length,
                  [...document.querySelectorAll("mjx-merror, [data-mjx-error]")].map(e => e.textContent)];
        }"""
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("page", ["notebooks/monitoring.html", "notebooks/misclassification.html"])
def test_no_formula_is_cut_at_its_top_or_foot(page, size, visit):
    shown = visit((BOOK / page).as_uri(), SIZES[size]).page
    shown.wait_for_function("window.MathJax && MathJax.startup && MathJax.startup.promise")
    shown.evaluate("() => MathJax.startup.promise.then(() => null)")
    boxes = shown.locator("div.math mjx-container")
    assert boxes.count() >= 2
    for box in boxes.all():
        seen = np.asarray(Image.open(io.BytesIO(box.screenshot())).convert("L"))
        assert seen.min() < 128, "no formula"
        assert (seen[[0, -1]] > 200).all(), "ink up to the edge of its box"


def broken_pictures(page):
    return page.evaluate(
        """() => [...document.images]
          .filter(i => i.loading !== "lazy" && !(i.complete && i.naturalWidth)).map(i => i.src)"""
    )


def test_with_wider_letters_a_page_still_fits_its_window(visit, width):
    """WCAG 1.4.12, at 400 %: a heading is as long as its longest word."""
    page = visit((BOOK / "book/claims.html").as_uri(), {"width": 320, "height": 640}).page
    page.add_style_tag(
        content="* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }"
    )
    assert width(page) == []


# What axe has not seen yet: every mode's colours once, everything else at every width once.
RULES = {("light", "desktop"): "all", ("dark", "desktop"): "colours", ("light", "phone"): "all but colours"}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("page", SEEN)
def test_a_page_with_javascript(page, size, visit, axe, width):
    watch = visit((BOOK / page).as_uri(), SIZES[size])
    shown = watch.page
    if shown.locator(".math").count():
        shown.wait_for_function("window.MathJax && MathJax.startup && MathJax.startup.promise")
        shown.evaluate("() => MathJax.startup.promise.then(() => null)")
    count, drawn, wrong = formulas(shown)
    assert (drawn, wrong) == (count, [])
    waiting = shown.locator("figure[data-mistrust]:not([data-ready])").count()
    assert waiting == 0, "an interactive figure was not taken up by its script"
    assert shown.locator(".mt-foot").count() == 1
    for mode in ("light", "dark"):  # a reader's system turns dark in the evening, and the page with it
        shown.emulate_media(color_scheme=mode)
        shown.wait_for_selector(f"html[data-theme={mode}]", state="attached")
        assert broken_pictures(shown) == []
        assert width(shown) == []
        if (mode, size) in RULES:
            assert axe(shown, ARTICLE, RULES[mode, size]) == []
    assert watch.faults() == []


@pytest.mark.parametrize("page", [page for page in ALIKE if page not in SEEN])
def test_a_page_of_the_reference_fits_a_phone(page, visit, width):
    watch = visit((BOOK / page).as_uri(), PHONE)
    assert width(watch.page) == []
    assert watch.faults() == []


def test_a_page_opened_in_the_dark_is_dark(visit):
    shown = visit((BOOK / "book/intro.html").as_uri(), mode="dark").page
    assert shown.locator("html").get_attribute("data-theme") == "dark"


@pytest.mark.parametrize("page", SEEN)
def test_a_page_without_javascript(page, visit, width):
    watch = visit((BOOK / page).as_uri(), script=False)
    shown = watch.page
    # The browser draws formulas, and their source is not to be seen.
    assert shown.locator("noscript math").count() == shown.locator(".math").count()
    assert shown.locator(".math:visible").count() == 0
    drawn = "all => all.filter(one => !one.closest('details:not([open])') && one.clientHeight < 5).length"
    assert shown.eval_on_selector_all("noscript math", drawn) == 0
    assert [
        one.get_attribute("open") for one in shown.locator("details.mt-fold").all() if one.get_attribute("open")
    ] == []
    assert shown.locator(".admonition.dropdown").count() == 0, "this fold stands open without JavaScript"
    for fold in shown.locator("details:has(figure[data-mistrust]) > summary").all():
        fold.click()  # the browser's own folds open without JavaScript, too
    for size in SIZES.values():
        shown.set_viewport_size(size)
        standing = "figure[data-mistrust]:has(.mt-static:visible, .mt-body:visible)"
        assert shown.locator(standing).count() == shown.locator("figure[data-mistrust]").count()
        assert shown.locator(f"{ARTICLE} h1").is_visible()
        assert width(shown) == []
        on_it = """all => all.filter(one => {
          const ink = [...one.querySelectorAll("*")].map(part => part.getBoundingClientRect().right);
          return one.previousElementSibling.getBoundingClientRect().left < Math.max(...ink) - 1;
        }).length"""
        assert shown.eval_on_selector_all(".mt-formula .eqno + math", on_it) == 0, "a number stands on its equation"
        cut = "e => e.filter(one => one.clientWidth > one.closest('.mistrust-scroll').clientWidth + 1).length"
        assert shown.eval_on_selector_all(".mistrust-scroll caption", cut) == 0, "a caption is wider than the page"
    bold = "e => e.filter(one => getComputedStyle(one).fontWeight > 500).map(one => one.textContent)"
    assert shown.eval_on_selector_all("p > .pasted-text", bold) == [], "a sentence from rows shouts"
    bar = shown.locator(".bd-header-article")
    assert bar.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)", "text shows through it"
    assert broken_pictures(shown) == []
    assert watch.faults() == []


@pytest.mark.parametrize("page", [page for page in TEXTS if page.startswith("notebooks/")])
def test_a_chapter_can_be_cited_and_its_source_taken(page, visit):
    watch = visit((BOOK / page).as_uri())
    shown = watch.page
    cite = shown.locator("details.mt-cite")
    cite.locator("summary").click()
    assert "@incollection{mistrust-" in cite.locator("pre").inner_text()
    source = BOOK / "_sources" / Path(page).with_suffix(".ipynb")
    assert source.is_file()
    links = shown.eval_on_selector_all("a[href*='_sources']", "e => e.map(a => a.href)")
    assert source.as_uri() in links
    assert watch.faults() == []


def test_the_book_is_small():
    assert sum(path.stat().st_size for path in BOOK.rglob("*") if path.is_file()) < 60e6


def test_the_first_page_is_light(visit):
    """What a browser asks for, all of it, packed as servers send it."""
    watch = visit((BOOK / "book/intro.html").as_uri())
    files = set()
    watch.page.on("request", lambda request: files.add(request.url.partition("?")[0].partition("#")[0]))
    watch.page.reload()
    before = -1  # a page with nothing more to ask for: not "networkidle", which a slow machine can miss after a reload
    while len(files) > before:
        before = len(files)
        watch.page.wait_for_timeout(1000)
    here = [Path(unquote(urlsplit(url).path)) for url in files if url.startswith("file:")]
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 6)) for path in here}
    assert len(sizes) > 3
    assert sum(sizes.values()) < 1e6, sorted(sizes.items(), key=lambda one: -one[1])[:5]


def test_the_first_page_is_reached_from_the_index(visit):
    watch = visit((BOOK / "index.html").as_uri())
    watch.page.wait_for_url("**/book/intro.html")
    assert watch.page.locator(f"{ARTICLE} h1").inner_text().startswith("When not to trust")


def test_the_search_finds_a_page_from_a_folder(visit):
    watch = visit(f"{(BOOK / 'search.html').as_uri()}?q=centroid")
    watch.page.wait_for_selector("#search-results ul.search li a")
    found = watch.page.eval_on_selector_all("#search-results ul.search li a", "e => e.map(a => a.textContent)")
    assert any("Glossary" in title or "Notation" in title for title in found), found
    assert watch.faults() == []


@pytest.mark.parametrize("page", [page for page in TEXTS if page.startswith("notebooks/")])
def test_a_chapters_matrix_answers_to_pointer_and_keys(page, visit):
    watch = visit((BOOK / page).as_uri())
    shown = watch.page
    grids = shown.locator('figure[data-mistrust="grid"][data-ready]')
    if not grids.count():
        return  # a chapter need not have one
    one = grids.first
    cell = one.locator('[role="gridcell"]:not(.mt-empty)').first
    cell.hover()
    first = one.locator('[role="status"]').inner_text()
    assert re.search(r"\d", first), first
    cell.click()
    shown.keyboard.press("End")
    assert one.locator('[role="status"]').inner_text() != first
    assert watch.faults() == []


def test_paper_shows_what_is_folded_and_hidden_and_is_light(visit):
    shown = visit((BOOK / "notebooks/supervisors.html").as_uri(), mode="dark").page
    code = "document.querySelectorAll('article details.above-input[open]').length"
    shut = "document.querySelectorAll('article details.below-input:not([open]), article .mt-option[hidden]').length"
    state = f"[{shut}, {code}, document.documentElement.dataset.theme]"
    before = shown.evaluate(state)
    assert before[0] > 10
    shown.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert shown.evaluate(state) == [0, 0, "light"]  # code and solutions stay shut
    shown.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert shown.evaluate(state) == before
