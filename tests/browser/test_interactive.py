"""Every interactive kind, driven in a real browser on file://, by pointer and by keys; no built book is needed."""

import base64
import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mistrust.figures.interactive import (
    Option,
    Step,
    Strip,
    choice,
    grid,
    histogram,
    histograms,
    plane,
    polar,
    stepper,
    table,
)

STATIC = Path(__file__).resolve().parents[2] / "book" / "_static"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
DIGITS = [str(i) for i in range(10)]


def pictures(count, size=14):
    """Images that differ: a grey ramp with one white square each, at another place."""
    images = np.tile(np.linspace(0, 120, size).astype(np.uint8), (count, size, 1))
    for i in range(count):
        images[i, i % size, (i * 3) % size] = 255
    return images


def figures():
    values = np.linspace(0, 1, 100).reshape(10, 10)
    np.fill_diagonal(values, np.nan)
    shares = np.tile([0.6, 0.3, 0.1], (12, 1))
    lengths = np.arange(10.0)
    lengths[4] = np.nan
    drawn = histograms([histogram(name, np.full(20, 0.05), np.full(20, 0.05)) for name in ("Ambiguous", "Invalid")])
    return {
        "grid": grid(
            values, DIGITS, DIGITS, title="Grid of mix-ups", alt="Matrix of ten classes with a value in each cell.",
            row_title="true class", column_title="nearest class", value_title="share",
            intervals=(values * 0.9, values * 1.1), interval_title="95% interval",
            images=pictures(20), labels=[f"digit number {i}" for i in range(20)],
            pictures={(2, 3): [5, 6, 7], (2, 4): [8]}, links={"rows of this figure": "#here"},
        ),
        "plane": plane(
            pictures(12), shares, ["ant", "bee", "cat"], columns=4, title="Plane of images",
            alt="Three rows of four images each.", row_title="first", column_title="second",
        ),
        "table": table(
            {"supervisor": ["softmax", "energy", "distance"], "AUROC": [0.9, float("nan"), 0.95], "n": [10, 200, 3]},
            title="Table to sort", alt="Table of three supervisors with their AUROC.",
        ),
        "polar": polar(
            DIGITS, lengths, title="Polar plot", alt="Ten spokes as long as a distance.", name_title="to class",
            value_title="distance", images=pictures(10), labels=[f"changed into {i}" for i in range(10)],
        ),
        "stepper": stepper(
            [Step("First", "One thing.", [0]), Step("Second", "Another thing."), Step("Third", "The end.")],
            title="Three steps", alt="Three steps of an explanation.", images=pictures(2), labels=["a ramp", "a dot"],
        ),
        "choice": choice(
            [
                Option("DSA", "Half of the bad inputs alarm.", "surprise", drawn, [Strip("Worst", [0, 1], ["0", "1"])]),
                Option("LSA", "A third of the bad inputs alarm.", "surprise", drawn),
                Option("Max Softmax", "None of the bad inputs alarms.", "softmax", strips=[Strip("Worst", [1], ["0"])]),
            ],
            title="One of three", alt="Histograms and images of three supervisors.", label="Supervisor",
            note="Across: place. Up: share.", images=pictures(2), labels=["a ramp", "a dot"],
        ),
    }  # fmt: skip


def write(folder, body, mode="light"):
    for name in ("mistrust.css", "mistrust.js"):
        (folder / name).write_bytes((STATIC / name).read_bytes())
    colours = "background:#121212;color:#eee" if mode == "dark" else "background:#fff;color:#111"
    page = folder / f"{mode}.html"
    page.write_text(
        f'<!doctype html><html lang="en" data-theme="{mode}"><head><meta charset="utf-8"><title>Figures</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="mistrust.css"><script src="mistrust.js"></script></head>'
        f'<body style="{colours};font:16px sans-serif;margin:12px"><main><h1>Figures</h1>'
        f"<article>{body}</article></main></body></html>",
        encoding="utf-8",
    )
    return page.as_uri()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    body = "\n".join(one.html() for one in figures().values())
    return {mode: write(folder, body, mode) for mode in ("light", "dark")}


@pytest.fixture
def page(visit, pages):
    watch = visit(pages["light"])
    yield watch.page
    assert watch.faults() == []


def figure(page, kind):
    return page.locator(f'figure[data-mistrust="{kind}"][data-ready]')


def said(page, kind):
    return figure(page, kind).locator('[role="status"]').inner_text()


def thumbs(page, kind):
    shown = figure(page, kind).locator(".mt-panel .mt-images .mt-thumb")
    return [one.get_attribute("aria-label") for one in shown.all()]


def tab_stops(page, kind):
    return figure(page, kind).locator('[tabindex="0"]').count()


@pytest.mark.parametrize("kind", ["grid", "plane", "polar", "table", "stepper", "choice"])
def test_what_is_shown_is_announced_politely(page, kind):
    status = figure(page, kind).locator('[role="status"]')
    assert status.count() == 1
    assert status.get_attribute("aria-live") == "polite"
    assert len(status.inner_text().split()) > 3


def test_pointing_at_a_cell_shows_value_interval_and_images(page):
    figure(page, "grid").locator("tbody tr").nth(2).locator("td").nth(3).hover()
    assert said(page, "grid") == "True class 2, nearest class 3: share 0.232, 95% interval 0.209 to 0.256."
    assert thumbs(page, "grid") == ["digit number 5", "digit number 6", "digit number 7"]


def test_keys_move_through_the_grid_from_one_tab_stop(page):
    assert tab_stops(page, "grid") == 1
    page.keyboard.press("Tab")
    assert said(page, "grid").startswith("True class 0, nearest class 1:")  # (0, 0) holds no value
    for key, where in [
        ("ArrowDown", (1, 1)), ("ArrowDown", (2, 1)), ("ArrowRight", (2, 2)), ("ArrowRight", (2, 3)),
        ("End", (2, 9)), ("ArrowRight", (2, 9)), ("Home", (2, 0)), ("ArrowLeft", (2, 0)), ("ArrowUp", (1, 0)),
        ("Control+End", (9, 9)), ("ArrowDown", (9, 9)), ("Control+Home", (0, 0)), ("ArrowUp", (0, 0)),
    ]:  # fmt: skip
        page.keyboard.press(key)
        assert said(page, "grid").startswith(f"True class {where[0]}, nearest class {where[1]}:"), key
        assert tab_stops(page, "grid") == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "rows of this figure"


def test_a_cell_without_a_value_says_so(page):
    figure(page, "grid").locator("tbody tr").nth(5).locator("td").nth(5).hover()
    assert said(page, "grid") == "True class 5, nearest class 5: no value."
    assert thumbs(page, "grid") == []


def test_a_finger_reaches_a_cell(chromium, pages):
    context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(pages["light"])
    figure(page, "grid").locator("tbody tr").nth(2).locator("td").nth(4).tap()
    assert thumbs(page, "grid") == ["digit number 8"]
    spoke = figure(page, "polar").locator(".mt-spoke").nth(3).locator(".mt-name")
    spoke.tap()
    assert said(page, "polar") == "To class 3: distance 3.0."
    context.close()


def test_the_plane_tells_probabilities_by_pointer_and_keys(page):
    tiles = figure(page, "plane").locator(".mt-row .mt-thumb")
    tiles.nth(6).hover()
    assert said(page, "plane") == "First 2, second 3: ant with 0.60, bee with 0.30, cat with 0.10."
    tiles.nth(6).click()
    page.keyboard.press("ArrowDown")
    assert said(page, "plane").startswith("First 3, second 3:")
    page.keyboard.press("ArrowDown")
    assert said(page, "plane").startswith("First 3, second 3:")
    page.keyboard.press("Home")
    assert said(page, "plane").startswith("First 3, second 1:")
    assert figure(page, "plane").locator(".mt-bars span").all_inner_texts() == (
        ["ant", "", "0.60", "bee", "", "0.30", "cat", "", "0.10"]
    )
    assert tab_stops(page, "plane") == 1


def column(page, index):
    rows = figure(page, "table").locator("tbody tr").all()
    return [row.locator("th, td").nth(index).inner_text() for row in rows]


def test_heads_sort_by_pointer_and_keys_and_empty_cells_stay_last(page):
    heads = figure(page, "table").get_by_role("columnheader")
    heads.nth(1).get_by_role("button").click()
    assert column(page, 1) == ["0.950", "0.900", "not run"]
    assert heads.nth(1).get_attribute("aria-sort") == "descending"
    assert said(page, "table") == "Sorted by AUROC, largest first. First row: distance."
    page.keyboard.press("Enter")
    assert column(page, 1) == ["0.900", "0.950", "not run"]
    assert heads.nth(1).get_attribute("aria-sort") == "ascending"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert column(page, 2) == ["200", "10", "3"]
    assert [head.get_attribute("aria-sort") for head in heads.all()] == [None, None, "descending"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert column(page, 0) == ["distance", "energy", "softmax"]
    assert said(page, "table").startswith("Sorted by supervisor, A to Z.")


def test_spokes_answer_to_pointer_and_keys_round_and_round(page):
    spokes = figure(page, "polar").get_by_role("radio")
    spokes.nth(0).focus()
    page.keyboard.press("ArrowLeft")
    assert said(page, "polar") == "To class 9: distance 9.0."
    assert thumbs(page, "polar") == ["changed into 9"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert said(page, "polar") == "To class 1: distance 1.0."
    assert [i for i, one in enumerate(spokes.all()) if one.get_attribute("aria-checked") == "true"] == [1]
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    assert said(page, "polar") == "To class 8: distance 8.0."
    spokes.nth(4).locator(".mt-name").hover()
    assert said(page, "polar") == "To class 4: distance no value."
    assert tab_stops(page, "polar") == 1


def visible_steps(page):
    return [one.inner_text().split("\n")[0] for one in figure(page, "stepper").locator("li:visible").all()]


def test_steps_go_on_and_back_and_stop_at_the_ends(page):
    assert visible_steps(page) == ["First"]
    on = figure(page, "stepper").get_by_role("button", name="Next")
    on.click()
    assert visible_steps(page) == ["Second"]
    assert said(page, "stepper") == "Step 2 of 3: Second"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert visible_steps(page) == ["Third"]
    assert on.get_attribute("aria-disabled") == "true"
    assert page.evaluate("document.activeElement.textContent") == "Next"
    page.keyboard.press("ArrowLeft")
    assert visible_steps(page) == ["Second"]
    page.keyboard.press("Home")
    assert visible_steps(page) == ["First"]


@pytest.fixture
def series(tmp_path):
    """A page with one stepper of two series, the second of them shorter."""
    steps = [Step(f"near {i}", "Words.", [i % 2], [("share", 0.1 * i)], "Near") for i in (1, 2, 3)]
    steps += [Step(f"far {i}", "Words.", [1], series="Far") for i in (1, 2)]
    made = stepper(
        steps, title="Two series", alt="Steps of two series, with images.", label="Search", name="Query",
        images=pictures(2), labels=["a ramp", "a dot"],
    )  # fmt: skip
    return write(tmp_path, made.html())


def test_a_list_chooses_the_series_and_keeps_the_number_of_the_step(visit, series):
    watch = visit(series)
    page = watch.page
    chosen = page.get_by_label("Search", exact=True)
    assert visible_steps(page) == ["near 1"]
    assert said(page, "stepper") == "Query 1 of 3"
    figure(page, "stepper").get_by_role("button", name="Next").click()
    page.evaluate("window.turned = 0; document.addEventListener('keydown', () => { window.turned += 1; })")
    chosen.focus()
    page.keyboard.press("ArrowDown")
    assert visible_steps(page) == ["far 2"]
    assert said(page, "stepper") == "Query 2 of 2: far 2"
    page.keyboard.press("ArrowLeft")
    assert visible_steps(page) == ["near 2"]
    assert page.evaluate("window.turned") == 0  # the theme turns pages by arrows that reach the page
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert visible_steps(page) == ["near 3"]
    chosen.select_option("Far")  # has no third one
    assert visible_steps(page) == ["far 2"]
    assert said(page, "stepper") == "Query 2 of 2: far 2"
    assert watch.faults() == []


def test_a_finger_steps_through_a_series(chromium, series):
    context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(series)
    figure(page, "stepper").get_by_role("button", name="Next").tap()
    page.get_by_label("Search", exact=True).select_option("Far")
    figure(page, "stepper").get_by_role("button", name="Previous").tap()
    assert visible_steps(page) == ["far 1"]
    context.close()


def test_without_javascript_every_series_stands_under_its_name(visit, series):
    watch = visit(series, script=False)
    still = watch.page.locator('figure[data-mistrust="stepper"]')
    assert still.locator(".mt-words:visible").all_inner_texts() == ["Near", "Far"]
    assert still.locator("li:visible").count() == 5
    assert watch.faults() == []


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_axe_finds_nothing_in_series_on_a_phone(visit, axe, width, series, mode):
    watch = visit(series, PHONE, mode)
    watch.page.get_by_label("Search", exact=True).select_option("Far")
    assert axe(watch.page, "article") == []
    assert width(watch.page) == []
    assert small_texts(watch.page) == []
    assert watch.faults() == []


def option_shown(page):
    """Words, drawings and images that are to be seen, of whatever option."""
    here = figure(page, "choice")
    return (
        said(page, "choice"),
        here.locator(".mt-histogram svg:visible").count(),
        [one.get_attribute("aria-label") for one in here.locator(".mt-thumb:visible").all()],
    )


def test_a_list_chooses_what_is_shown_by_pointer_and_keys(page):
    here = figure(page, "choice")
    chosen = here.get_by_label("Supervisor")
    assert here.locator("optgroup").evaluate_all("all => all.map(e => e.label)") == ["surprise", "softmax"]
    assert option_shown(page) == ("Half of the bad inputs alarm.", 2, ["a ramp", "a dot"])
    chosen.select_option("Max Softmax")
    assert option_shown(page) == ("None of the bad inputs alarms.", 0, ["a dot"])
    page.evaluate("window.turned = 0; document.addEventListener('keydown', () => { window.turned += 1; })")
    chosen.focus()
    page.keyboard.press("ArrowUp")
    assert option_shown(page) == ("A third of the bad inputs alarm.", 2, [])
    page.keyboard.press("ArrowLeft")
    assert option_shown(page) == ("Half of the bad inputs alarm.", 2, ["a ramp", "a dot"])
    assert page.evaluate("window.turned") == 0  # the theme turns pages by arrows that reach the page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") != "SUMMARY"


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_too_wide_or_too_small(visit, axe, width, pages, mode, size):
    watch = visit(pages[mode], size, mode)
    page = watch.page
    figure(page, "grid").locator("tbody tr").nth(2).locator("td").nth(3).click()
    figure(page, "plane").locator(".mt-row .mt-thumb").nth(1).click()
    figure(page, "polar").locator(".mt-spoke").nth(1).locator(".mt-name").click()
    figure(page, "table").get_by_role("button").first.click()
    figure(page, "stepper").get_by_role("button", name="Next").click()
    figure(page, "choice").get_by_label("Supervisor").select_option("LSA")
    assert axe(page, "article") == []
    assert width(page) == []
    assert small_texts(page) == []
    assert watch.faults() == []


def small_texts(page):
    """Texts under 9 points (12 CSS pixels) at the size shown; text in a drawing shrinks with it."""
    return page.evaluate(
        """() => [...document.querySelectorAll("figure *")].filter(e => {
          const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
          if (!own || ["STYLE", "SCRIPT"].includes(e.tagName) || !e.getClientRects().length) return false;
          const matrix = e instanceof SVGElement ? e.getScreenCTM() : null;
          return parseFloat(getComputedStyle(e).fontSize) * (matrix ? matrix.a : 1) < 12;
        }).map(e => e.outerHTML.slice(0, 80))"""
    )


def test_grey_levels_are_kept_in_the_dark(visit, pages):
    shown = {}
    for mode in ("light", "dark"):
        page = visit(pages[mode], DESKTOP, mode).page
        figure(page, "grid").locator("tbody tr").nth(2).locator("td").nth(3).hover()
        one = figure(page, "grid").locator(".mt-panel .mt-thumb").first
        # At a whole pixel, so that nothing is blended at the edges.
        one.evaluate("e => Object.assign(e.style, {position: 'fixed', left: 0, top: 0, zIndex: 9})")
        picture = Image.open(io.BytesIO(page.screenshot(clip={"x": 0, "y": 0, "width": 56, "height": 56})))
        shown[mode] = np.asarray(picture.convert("L")).astype(int)
    expected = np.kron(pictures(20)[5], np.ones((4, 4), np.uint8))  # 14 pixels shown as 56, each a square of four
    for mode, picture in shown.items():
        assert np.abs(picture - expected).max() <= 1, mode


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_without_javascript_the_static_form_is_all_there(visit, pages, mode):
    watch = visit(pages[mode], script=False)
    page = watch.page
    assert page.locator("figure[data-ready]").count() == 0
    assert page.locator('figure[data-mistrust="grid"] tbody td:visible').count() == 100
    assert page.locator('figure[data-mistrust="plane"] .mt-thumb:visible').count() == 12
    assert page.locator('figure[data-mistrust="table"] tbody tr:visible').count() == 3
    assert page.locator('figure[data-mistrust="polar"] .mt-spoke .mt-name:visible').count() == 10
    assert page.locator('figure[data-mistrust="stepper"] li:visible').count() == 3
    still = page.locator('figure[data-mistrust="choice"]')
    assert still.locator("summary:visible").all_inner_texts() == ["DSA", "LSA", "Max Softmax"]
    assert still.locator(".mt-words:visible").all_inner_texts() == ["Half of the bad inputs alarm."]
    still.locator("summary").nth(2).click()
    assert still.locator(".mt-words:visible").count() == 2
    assert watch.faults() == []


def test_a_static_picture_stands_in_without_javascript_and_gives_way_with_it(visit, tmp_path):
    buffer = io.BytesIO()
    Image.fromarray(pictures(1)[0]).save(buffer, "PNG")
    values = np.eye(2) + 0.5
    alt = "Matrix of two classes, large on the diagonal."
    stands = {
        "svg": '<?xml version="1.0"?><svg viewBox="0 0 9 9" width="90"><circle r="4" cx="4" cy="4"/></svg>',
        "png": buffer.getvalue(),
    }
    body = "".join(
        grid(values, ["a", "b"], ["a", "b"], title=name, alt=alt, static=static).html()
        for name, static in stands.items()
    )
    url = write(tmp_path, body)
    still = visit(url, script=False).page
    assert still.locator(".mt-static svg:visible").get_attribute("aria-label") == alt
    assert still.locator(".mt-static img:visible").get_attribute("alt") == alt
    assert still.locator(".mt-body:visible").count() == 0
    live = visit(url).page
    assert live.locator(".mt-static:visible").count() == 0
    assert live.locator('[role="gridcell"]:visible').count() == 8


def test_a_head_that_the_keys_reach_lies_beneath_no_column(visit, tmp_path):
    """A wide table on a phone, walked backwards: its first column stays in its place."""
    wide = {"supervisor": ["a long name"]} | {f"measured {i}": [i / 10] for i in range(10)}
    one = table(wide, title="Wide table", alt="Table of a supervisor with ten numbers.")
    page = visit(write(tmp_path, one.html()), {"width": 320, "height": 640}).page
    page.wait_for_function("document.querySelector('.mt-more')")
    heads = page.locator(".mt-sort")
    heads.last.focus()
    seen = """one => {
      const box = one.getBoundingClientRect();
      return one.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
    }"""
    for head in reversed(heads.all()):
        assert head.evaluate("one => one === document.activeElement")
        assert head.evaluate(seen), head.inner_text()
        page.keyboard.press("Shift+Tab")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_in_a_readers_own_colours_bars_and_what_is_reached_are_seen(visit, pages, mode):
    page = visit(pages[mode], mode=mode).page
    page.emulate_media(forced_colors="active")
    reached = figure(page, "plane").locator('[role="gridcell"]').nth(2)
    reached.hover()
    outline = "one => getComputedStyle(one).outlineColor"
    others = figure(page, "plane").locator('[role="gridcell"]:not(.mt-now)')
    assert reached.evaluate(outline) not in others.evaluate_all(f"all => all.map({outline})")
    bar = figure(page, "plane").locator(".mt-share").first
    drawn = "one => [getComputedStyle(one, '::before').backgroundColor, getComputedStyle(document.body).color]"
    assert len(set(bar.evaluate(drawn))) == 1


def test_a_figure_with_broken_data_stays_and_the_others_work(visit, tmp_path):
    made = figures()
    broken = re.sub(r'(<script type="application/json">)', r"\1{", made["grid"].html())
    watch = visit(write(tmp_path, broken + made["stepper"].html()))
    assert watch.page.locator('figure[data-mistrust="grid"] tbody td:visible').count() == 100
    assert visible_steps(watch.page) == ["First"]
    assert [text for text in watch.said if "stays as it is" in text]


def test_hostile_text_stays_text(visit, tmp_path):
    nasty = "</script><script>document.title='gone'</script><img src=x onerror=\"document.title='gone'\">"
    one = grid(
        np.ones((1, 1)), [nasty], [nasty], title=nasty, alt=f"A cell with {nasty} in it", notes={(0, 0): nasty},
        images=pictures(1), labels=[nasty], pictures={(0, 0): [0]}, caption=nasty, links={nasty: "#"},
    )  # fmt: skip
    watch = visit(write(tmp_path, one.html()))
    watch.page.locator("tbody td").hover()
    assert nasty in said(watch.page, "grid")
    assert thumbs(watch.page, "grid") == [nasty]
    assert watch.page.title() == "Figures"
    assert watch.faults() == []


def test_the_sprite_is_carried_once(pages):
    for kind, one in figures().items():
        uris = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", one.html())
        assert len(uris) == (0 if kind == "table" else 1), kind
        for uri in uris:
            assert Image.open(io.BytesIO(base64.b64decode(uri))).format == "PNG"
