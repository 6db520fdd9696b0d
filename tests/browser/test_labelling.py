"""The labelling page in a real browser on file://: keys, pointer, reload, export, import, two windows."""

import csv
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from mistrust.search.labelling import find, labelling_page, rank, read_answers, read_scores, shown

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
N = 6


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A page of six images, one of them large, one with a name that could break a page."""
    folder = tmp_path_factory.mktemp("labels")
    names = [f"{i}.png" for i in range(N - 1)] + ['a "b" <i>, c.png']
    for i, name in enumerate(names):
        Image.fromarray(np.full((1200, 900) if i == 2 else (8, 8), 40 * i, dtype=np.uint8)).save(folder / name)
    with (folder / "scores.csv").open("w", newline="") as file:
        rows = [(name, "cat & <b>dog</b>" if i == 5 else "cat", 0.7 + i / 20) for i, name in enumerate(names)]
        csv.writer(file).writerows([("id", "predicted", "confidence"), *rows])
    ranked = rank(read_scores(folder / "scores.csv"), N)
    files = find(folder, [query.name for query in ranked.queries])
    page = folder / "label.html"
    page.write_text(labelling_page(ranked, shown(files), files), encoding="utf-8")
    return page.as_uri()


@pytest.fixture
def page(visit, url):
    watch = visit(url)
    yield watch.page
    assert watch.faults() == []


def place(page):
    return page.locator("#place").inner_text()


def counts(page):
    return page.locator("#counts").inner_text()


def said(page):
    return page.locator("#status").inner_text()


def press(page, keys):
    for key in keys:
        page.keyboard.press(key)


def exported(page, folder):
    with page.expect_download() as download:
        page.get_by_role("button", name="Export answers").click()
    assert re.fullmatch(r"answers-low_confidence-[0-9a-f]{6}\.csv", download.value.suggested_filename)
    command = page.locator("code", has_text="mistrust search").inner_text()
    assert command == f"mistrust search --answers {download.value.suggested_filename}"
    path = folder / "answers.csv"
    download.value.save_as(path)
    return path


def imported(page, path):
    page.locator("#import").set_input_files(path)
    page.locator("#imported:not([hidden])").wait_for()
    return page.locator("#imported").inner_text()


def counts_after_reload(page, expected):
    """
    Chromium hands what a page keeps to another process a moment later: nobody reloads within it, a test may, and on a
    machine at work the moment lasts. So a reload that shows no answer is one too early, and is made again.
    """
    for _ in range(10):
        page.wait_for_timeout(1000)
        page.reload()
        if counts(page) == expected:
            break
    return counts(page)


def test_keys_answer_go_back_and_go_on(page):
    assert place(page) == f"Image 1 of {N}"
    press(page, "rw")
    assert counts(page) == f"2 of {N}: 1 right, 1 wrong, 0 unsure"
    assert said(page) == f"Wrong. Image 3 of {N}. The classifier says: cat."
    press(page, "b")
    assert place(page) == f"Image 2 of {N}"
    assert page.get_by_role("button", name="Wrong").get_attribute("aria-pressed") == "true"
    assert said(page).endswith("You answered wrong.")
    press(page, "u")
    assert counts(page) == f"2 of {N}: 1 right, 0 wrong, 1 unsure"
    press(page, ["ArrowRight", "ArrowLeft", "n", "ArrowLeft", "ArrowLeft"])
    assert place(page) == f"Image 2 of {N}"
    page.get_by_role("button", name="Clear answer").click()
    assert counts(page) == f"1 of {N}: 1 right, 0 wrong, 0 unsure"
    assert place(page) == f"Image 2 of {N}"
    assert page.evaluate("document.activeElement.id") == "question"  # not lost with the button that is disabled now


def test_the_pointer_does_the_same(page):
    for name in ("Right", "Wrong", "Unsure"):
        page.get_by_role("button", name=name, exact=False).first.click()
    assert counts(page) == f"3 of {N}: 1 right, 1 wrong, 1 unsure"
    page.get_by_role("button", name="Back").click()
    assert place(page) == f"Image 3 of {N}"
    page.get_by_text("All images", exact=True).click()
    page.get_by_role("button", name="Image 5, no answer").click()
    assert place(page) == f"Image 5 of {N}"
    assert page.get_by_role("button", name="Image 2, wrong").get_attribute("class") == "wrong"


def test_a_reload_loses_nothing(page):
    press(page, "rwu")
    assert place(page) == f"Image 4 of {N}"  # so that a key that was not heard is not taken for an answer that was lost
    expected = f"3 of {N}: 1 right, 1 wrong, 1 unsure"
    assert counts_after_reload(page, expected) == expected
    assert place(page) == f"Image 4 of {N}"


def test_the_end_says_what_is_missing_and_leads_there(page):
    page.get_by_role("button", name="Right").focus()
    press(page, ["r", "n", "w", "r", "r", "r"])
    assert page.get_by_role("heading", name="The last image is behind you; 1 without an answer.").is_visible()
    assert page.evaluate("document.activeElement.id") == "done"
    press(page, "r")  # there is nothing to answer here
    page.get_by_role("button", name="First image without an answer").click()
    assert place(page) == f"Image 2 of {N}"
    press(page, "u")
    press(page, "n" * N)
    assert page.get_by_role("heading", name=f"All {N} images are answered.").is_visible()
    assert page.locator("#told").inner_text() == "1 wrong, 4 right, 1 unsure. Export the answers below."
    assert not page.get_by_role("button", name="First image without an answer").is_visible()


def test_what_is_exported_is_read_by_us_and_taken_by_another_browser(page, visit, url, tmp_path):
    press(page, "rwuwnr")
    path = exported(page, tmp_path)
    answers = read_answers(path)
    assert answers.answers == ("right", "wrong", "unsure", "wrong", "", "right")
    assert answers.names[5] == 'a "b" <i>, c.png'
    assert answers.predicted[5] == "cat & <b>dog</b>"
    np.testing.assert_allclose(answers.confidence, [0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
    assert answers.method == "low_confidence"
    other = visit(url).page
    press(other, "w")
    assert (
        imported(other, path) == "Answers taken from answers.csv: 4. Where they differ from yours, yours are kept: 1."
    )
    assert counts(other) == f"5 of {N}: 1 right, 3 wrong, 1 unsure"
    other.get_by_role("button", name="Take the file's answers there").click()
    expected = f"5 of {N}: 2 right, 2 wrong, 1 unsure"
    assert counts(other) == expected
    assert counts_after_reload(other, expected) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,answer\n8.png,right\n9.png,wrong\n", 'No answer in it fits this page: 2 about images that are not on'),
        ("id,predicted,answer\n0.png,dog,right\n", '1 about another prediction ("0.png": "dog" there, "cat" here).'),
        ("id,answer\n0.png,right\n0.png,wrong\n", '"0.png" stands in it twice'),
        ("id,answer\n0.png,maybe\n", '"0.png" has the answer "maybe"; expected right, wrong or unsure'),
        ("id,said\n0.png,right\n", 'It has no column "answer"'),
        ("", 'It has no column "id"'),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_changes_nothing(page, tmp_path, text, message):
    press(page, "uu")
    (tmp_path / "theirs.csv").write_text(text)
    told = imported(page, tmp_path / "theirs.csv")
    assert told.startswith("theirs.csv was not taken; nothing changed.")
    assert message in told
    assert counts(page) == f"2 of {N}: 0 right, 0 wrong, 2 unsure"
    assert said(page) == told


def test_a_file_that_is_not_utf_8_says_so(page, tmp_path):
    (tmp_path / "latin.csv").write_bytes("id,answer\nkäfer.png,right\n".encode("latin-1"))
    assert "It is not UTF-8 text: save it as 'CSV UTF-8'." in imported(page, tmp_path / "latin.csv")
    (tmp_path / "wide.csv").write_bytes("id,answer\n000.png,right\n".encode("utf-16-le"))
    assert "It is not UTF-8 text: save it as 'CSV UTF-8'." in imported(page, tmp_path / "wide.csv")


def test_zeros_that_a_spreadsheet_dropped_are_recognised(page, tmp_path):
    page.evaluate("() => { window.items = [{ id: '000.png' }, { id: '010' }]; }")
    told = page.evaluate("answersFile.leftOut({ elsewhere: ['10'], differing: [] }, items)")
    assert told.endswith('A spreadsheet drops leading zeros: "010" is here. Import the column id there as text.')
    assert "zeros" not in page.evaluate("answersFile.leftOut({ elsewhere: ['11', 'a'], differing: [] }, items)")


def part(tmp_path, predicted="cat"):
    """Answers to another list, of which three are about images of this page, and one of these about another class."""
    rows = [
        ("0.png", predicted, "wrong"),
        ("1.png", "dog", "wrong"),
        ("3.png", "cat", "right"),
        ("9.png", "cat", "right"),
    ]
    lines = [",".join(row) for row in [("id", "predicted", "answer"), *rows, ("8.png", "cat", "")]]
    (tmp_path / "part.csv").write_text("\n".join(lines))
    return tmp_path / "part.csv"


def test_answers_to_another_list_are_carried_over_where_they_fit(page, tmp_path):
    press(page, "r")  # 0.png
    left = (
        'Left out: 1 about images that are not on this page ("9.png"); 1 about another prediction ("1.png": "dog" '
        'there, "cat" here).'
    )
    told = imported(page, part(tmp_path))
    assert told == f"2 of 4 answers in part.csv fit this page; nothing is taken yet. {left}"
    assert said(page) == told
    before = f"1 of {N}: 1 right, 0 wrong, 0 unsure"
    assert counts(page) == before
    page.get_by_role("button", name="Take none").click()
    assert page.locator("#imported").inner_text() == "Nothing was taken from part.csv."
    assert page.evaluate("document.activeElement.id") == "import"
    assert counts(page) == before
    imported(page, part(tmp_path))
    page.locator("#import").focus()
    for _ in range(9):  # by keyboard: on from the file
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Take these 2 answers":
            break
    page.keyboard.press("Enter")
    told = f"Answers taken from part.csv: 1. {left} Where they differ from yours, yours are kept: 1."
    assert page.locator("#imported").inner_text() == told
    assert page.evaluate("document.activeElement.textContent") == "Take the file's answers there"
    expected = f"2 of {N}: 2 right, 0 wrong, 0 unsure"
    assert counts(page) == expected
    page.keyboard.press("Enter")
    expected = f"2 of {N}: 1 right, 1 wrong, 0 unsure"
    assert counts(page) == expected
    assert counts_after_reload(page, expected) == expected


def test_a_file_that_does_not_tell_what_was_predicted_is_said_to(page, tmp_path):
    (tmp_path / "bare.csv").write_text("id,answer\n0.png,right\n9.png,wrong\n")
    told = imported(page, tmp_path / "bare.csv")
    assert told.endswith("The file does not tell what was predicted: only you know whether it was the same.")
    page.get_by_role("button", name="Take this answer").click()
    assert counts(page) == f"1 of {N}: 1 right, 0 wrong, 0 unsure"


def test_all_answers_are_cleared_after_a_question_and_come_back(page):
    button = page.get_by_role("button", name="Clear all answers")
    assert button.is_disabled()
    press(page, "rwu")
    full = counts(page)
    button.click()
    assert said(page).startswith("Clear all 3 answers on this page, so that somebody else can begin?")
    page.get_by_role("button", name="Keep them").click()
    assert counts(page) == full
    assert page.evaluate("document.activeElement.id") == "renew"
    button.click()
    page.get_by_role("button", name="Clear all 3 answers").click()
    assert counts(page) == f"0 of {N} answered"
    assert place(page) == f"Image 1 of {N}"
    assert page.evaluate("document.activeElement.textContent") == "Undo"
    page.keyboard.press("Enter")
    assert counts(page) == full
    assert place(page) == f"Image 4 of {N}"
    button.click()
    page.get_by_role("button", name="Clear all 3 answers").click()
    press(page, "u")  # the next person has begun
    assert not page.get_by_role("button", name="Undo").is_visible()
    expected = f"1 of {N}: 0 right, 0 wrong, 1 unsure"
    assert counts_after_reload(page, expected) == expected
    assert "Kept here from before: 1. If somebody else gave them" in page.locator("#kept").inner_text()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_an_image_that_is_chosen_far_below_is_shown_whole(page, motion):
    page.emulate_media(reduced_motion=motion)
    page.evaluate("() => { document.body.style.paddingBottom = '2000px'; }")  # as of a list of hundreds
    page.get_by_text("All images", exact=True).click()
    button = page.get_by_role("button", name="Image 5, no answer")
    button.evaluate("e => e.scrollIntoView({ block: 'start' })")
    top = "document.getElementById('card').getBoundingClientRect().top"
    assert page.evaluate(top) < 0
    button.evaluate("e => e.click()")
    if motion == "reduce":
        assert 0 <= page.evaluate(top) < 100
    page.wait_for_timeout(1500)
    assert 0 <= page.evaluate(top) < 100
    assert page.evaluate("document.activeElement.id") == "question"


def test_a_file_that_a_spreadsheet_wrote_is_taken(page, tmp_path):
    text = '\ufeffID;Answer\r\n0.png;Wrong\r\n"a ""b"" <i>, c.png";right\r\n3.png;\r\n'
    (tmp_path / "sheet.csv").write_bytes(text.encode())
    assert imported(page, tmp_path / "sheet.csv") == "Answers taken from sheet.csv: 2."
    assert counts(page) == f"2 of {N}: 1 right, 1 wrong, 0 unsure"


def test_two_windows_do_not_undo_each_other(page, url):
    press(page, "r")
    second = page.context.new_page()
    second.goto(url)
    assert counts_after_reload(second, f"1 of {N}: 1 right, 0 wrong, 0 unsure").startswith("1 of")
    press(second, "w")
    # Not wait_for_function: from its second look on, the page's policy forbids the eval that it looks with.
    page.bring_to_front()  # a window behind another is told late on a busy machine
    expect(page.locator("#counts")).to_have_text(re.compile(f"^2 of {N}"), timeout=20_000)
    press(page, "u")  # image 2 again: the later answer stands, the others stay
    press(second, "nw")  # at once: neither window has seen what the other wrote last
    expected = f"3 of {N}: 1 right, 1 wrong, 1 unsure"
    expect(page.locator("#counts")).to_have_text(expected, timeout=20_000)
    assert counts_after_reload(page, expected) == expected


def test_a_file_taken_in_one_window_is_told_of_once_in_the_other(page, url, tmp_path):
    second = page.context.new_page()
    second.goto(url)
    page.evaluate(
        "() => { window.told = []; new MutationObserver(() => told.push(document.getElementById('status').textContent))"
        ".observe(document.getElementById('status'), { childList: true }); }"
    )
    (tmp_path / "theirs.csv").write_text("id,answer\n" + "".join(f"{i}.png,wrong\n" for i in range(N - 1)))
    imported(second, tmp_path / "theirs.csv")
    page.bring_to_front()
    expect(page.locator("#counts")).to_have_text(re.compile(f"^{N - 1} of {N}"), timeout=20_000)
    told = page.evaluate("told")
    assert 1 <= len(told) < N - 1, told
    assert all(said.startswith("Another window of this page changed the answers. ") for said in told)


def test_what_could_not_be_kept_for_a_while_is_kept_later(page):
    press(page, "r")
    page.evaluate(
        "() => { window.real = Storage.prototype.setItem;"
        " Storage.prototype.setItem = () => { throw new Error('full'); }; }"
    )
    press(page, "w")
    assert page.get_by_role("alert").inner_text().startswith("This browser does not keep answers")
    press(page, "bb")
    page.get_by_role("button", name="Clear answer").click()  # taken back: it does not come again with what is kept
    press(page, "nnu")
    assert counts(page) == f"2 of {N}: 0 right, 1 wrong, 1 unsure"
    page.evaluate("() => { Storage.prototype.setItem = real; }")
    press(page, "w")
    assert not page.get_by_role("alert").is_visible()
    assert page.locator("#kept").inner_text().startswith("Each answer is kept in this browser at once.")
    expected = f"3 of {N}: 0 right, 2 wrong, 1 unsure"
    assert counts(page) == expected
    assert counts_after_reload(page, expected) == expected


def test_a_browser_that_keeps_nothing_is_told_of(visit, url, tmp_path):
    page = visit("about:blank").page
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('shut'); } })")
    page.goto(url)
    press(page, "rw")
    assert page.get_by_role("alert").inner_text().startswith("This browser does not keep answers")
    assert page.locator("#kept").inner_text().startswith("Answers stand in this window alone")
    assert counts(page) == f"2 of {N}: 1 right, 1 wrong, 0 unsure"
    assert read_answers(exported(page, tmp_path)).answers[:2] == ("right", "wrong")


def test_single_keys_can_be_switched_off_and_shortcuts_stay_the_browsers(page):
    page.keyboard.press("Control+r")  # reloads, where the browser has it; answers nothing
    assert counts(page) == f"0 of {N} answered"
    page.get_by_text("How to answer, and settings").click()
    page.get_by_label("Answer by single keys").uncheck()
    press(page, "rwu")
    assert counts(page) == f"0 of {N} answered"


def test_confidence_is_hidden_until_asked_for(page):
    assert not page.locator("#confidence").is_visible()
    page.get_by_text("How to answer, and settings").click()
    page.get_by_label("Show the classifier's confidence").check()
    assert page.locator("#confidence").inner_text() == "confidence 0.7"


def test_big_images_are_scaled_and_every_image_has_a_name(page):
    page.get_by_text("How to answer, and settings").click()
    assert page.get_by_text(f"Scaled down to 800 pixels on the longer side: 1 of {N} images.").is_visible()
    press(page, "nn")
    image = page.get_by_role("img", name="Image 3: 2.png")
    assert image.evaluate("i => [i.naturalWidth, i.naturalHeight]") == [600, 800]
    press(page, "nnn")
    assert page.get_by_role("img", name='Image 6: a "b" <i>, c.png').is_visible()
    assert page.locator("#predicted").inner_text() == "cat & <b>dog</b>"


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_keeps_anybody_out(visit, url, axe, width, mode, size):
    watch = visit(url, size=size, mode=mode)
    page = watch.page
    press(page, "rwu")
    for summary in page.locator("summary").all():
        summary.click()
    page.get_by_role("button", name="Clear all answers").click()  # so that its choices stand there, too
    assert axe(page, "body") == []
    assert width(page) == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) > 380) == (mode == "light")
    press(page, "nnn")  # the end
    assert axe(page, "body") == []
    assert width(page) == []
    assert watch.faults() == []


def test_on_a_phone_image_question_and_answers_are_on_one_screen(visit, url):
    page = visit(url, size=PHONE).page
    bottom = page.locator(".answers").evaluate("e => e.getBoundingClientRect().bottom")
    assert bottom <= PHONE["height"]


def test_the_keyboard_alone_reaches_everything(page):
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "document.activeElement.dataset.answer || document.activeElement.id || document.activeElement.tagName"
            )
        )
    assert reached[:3] == ["right", "wrong", "unsure"]
    assert {"next", "export", "import", "SUMMARY"} <= set(reached)
    page.locator("#export").focus()
    assert page.locator("#export").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"


def test_in_the_list_the_image_that_is_shown_and_the_one_that_keys_reach_look_different(page):
    page.get_by_text("All images", exact=True).click()
    shown = page.get_by_role("button", name="Image 1, no answer")
    other = page.get_by_role("button", name="Image 2, no answer")
    outline, border = "e => getComputedStyle(e).outline", "e => getComputedStyle(e).border"
    assert shown.evaluate(border) != other.evaluate(border)
    apart = shown.evaluate(outline)
    assert apart == other.evaluate(outline)
    page.keyboard.press("Tab")
    assert shown.evaluate("e => e.matches(':focus-visible')")
    assert shown.evaluate(outline) != apart


def test_without_javascript_the_table_is_named(visit, url):
    page = visit(url, script=False).page
    assert 'into the column "answer" of ranked.csv' in " ".join(page.locator("noscript").inner_text().split())


def test_a_longer_list_takes_the_answers_of_the_shorter_one_that_it_begins_with(visit, tmp_path):
    """Only the budget grew; a list in another order, or of another prediction, takes nothing."""
    for i in range(4):
        Image.fromarray(np.full((8, 8), 40 * i, dtype=np.uint8)).save(tmp_path / f"{i}.png")

    def written(name, budget, predicted="cat"):
        rows = [(f"{i}.png", predicted, 0.7 + i / 20) for i in range(4)]
        with (tmp_path / "scores.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("id", "predicted", "confidence"), *rows])
        ranked = rank(read_scores(tmp_path / "scores.csv"), budget)
        files = find(tmp_path, [query.name for query in ranked.queries])
        (tmp_path / name).write_text(labelling_page(ranked, shown(files), files), encoding="utf-8")
        return (tmp_path / name).as_uri()

    page = visit(written("short.html", 2)).page
    press(page, "rw")
    page.wait_for_timeout(1500)  # until the browser has kept them
    page.goto(written("other.html", 4, predicted="dog"))
    assert counts(page) == "0 of 4 answered"
    long = written("long.html", 4)
    page.goto(long)
    assert counts(page) == "2 of 4: 1 right, 1 wrong, 0 unsure"
    assert place(page) == "Image 3 of 4"
    assert "Answers of a shorter list that this one begins with were taken: 2." in said(page)
    press(page, "bb")
    for _ in range(2):
        page.get_by_role("button", name="Clear answer").click()
        press(page, "n")
    assert counts(page) == "0 of 4 answered"
    assert counts_after_reload(page, "0 of 4 answered") == "0 of 4 answered"


def test_ids_that_objects_of_javascript_have_are_ids_as_others(visit, tmp_path):
    names = ["__proto__", "constructor", "toString", "</script><script>document.title = 1</script>"]
    for name in names:
        (tmp_path / f"{name}.png").parent.mkdir(parents=True, exist_ok=True)
        Image.new("L", (8, 8)).save(tmp_path / f"{name}.png")
    with (tmp_path / "scores.csv").open("w", newline="") as file:
        rows = [(name, name, 0.7 + i / 20) for i, name in enumerate(names)]
        csv.writer(file).writerows([("id", "predicted", "confidence"), *rows])
    ranked = rank(read_scores(tmp_path / "scores.csv"), 4)
    files = find(tmp_path, names)
    (tmp_path / "label.html").write_text(labelling_page(ranked, shown(files), files), encoding="utf-8")
    page = visit((tmp_path / "label.html").as_uri()).page
    assert counts(page) == "0 of 4 answered"
    press(page, "wwru")
    assert counts(page) == "4 of 4: 1 right, 2 wrong, 1 unsure"
    path = exported(page, tmp_path)
    answers = read_answers(path)
    assert (answers.names, answers.answers) == (tuple(names), ("wrong", "wrong", "right", "unsure"))
    page.get_by_role("button", name="Clear all answers").click()
    page.get_by_role("button", name="Clear all 4 answers").click()
    assert counts(page) == "0 of 4 answered"
    assert "Answers taken from answers.csv: 4." in imported(page, path)
    assert counts(page) == "4 of 4: 1 right, 2 wrong, 1 unsure"
    assert page.title() == "Right or wrong? 4 images"


def test_single_keys_stay_off(page):
    page.get_by_text("How to answer, and settings").click()
    page.get_by_label("Answer by single keys").uncheck()
    page.wait_for_timeout(1500)
    page.reload()
    assert not page.get_by_label("Answer by single keys", exact=False).is_checked()
    press(page, "r")
    assert counts(page) == f"0 of {N} answered"
