"""Interactive figures as text: what they refuse, what they carry, that they are the same every time."""

import base64
import io
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from mistrust.errors import MistrustError
from mistrust.figures.interactive import (
    Interactive,
    Option,
    Step,
    Strip,
    choice,
    grid,
    histogram,
    histograms,
    plane,
    polar,
    sprite,
    stepper,
    table,
)
from mistrust.figures.interactive.frame import check_alt, inline
from mistrust.figures.interactive.sprites import LIMIT

ALT = "Matrix of two classes with a value in each cell."
TWO = ["a", "b"]


def images(count, size=4, channels=None):
    shape = (count, size, size) if channels is None else (count, size, size, channels)
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


def held(figure):
    """The inline JSON of a figure's HTML."""
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', figure.html(), re.DOTALL)[1])


# ---- the text alternative ----


@pytest.mark.parametrize(
    "alt",
    ["", "   ", "matrix", "a small matrix", "figure1.png", "_images/matrix.svg", "notebooks/figure",
     "3f2a9c0d1e4b5a6978c0d1e2f3a4b5c6", "picture 3f2a9c0d1e4b5a6978c0d1e2f3a4b5c6 of the thing"],
)  # fmt: skip
def test_an_alt_text_that_says_nothing_is_refused(alt):
    with pytest.raises(MistrustError, match="alt text"):
        grid(np.ones((2, 2)), TWO, TWO, title="Mix-ups", alt=alt)


@pytest.mark.parametrize("alt", [ALT, "Line plot: accuracy falls from 0.98 to 0.49 (see data/results)."])
def test_an_alt_text_in_words_is_taken(alt):
    check_alt(alt)


def test_a_figure_needs_a_title():
    with pytest.raises(MistrustError, match="needs a title"):
        grid(np.ones((2, 2)), TWO, TWO, title=" ", alt=ALT)


# ---- inline data ----


@pytest.mark.whole
@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_inline_json_reads_back_and_cannot_end_its_script(data):
    text = inline(data)
    assert json.loads(text) == data
    assert not set("<>&\u2028\u2029") & set(text)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), object()])
def test_what_json_has_no_form_for_is_refused(bad):
    with pytest.raises(MistrustError, match="cannot be written as JSON"):
        inline({"value": bad})


def test_hostile_words_are_escaped_everywhere():
    nasty = '</script><b onclick="x">&'
    steps = [Step(nasty, nasty), Step("two", "words")]
    alt = f"four words and {nasty}"
    for figure in (
        grid(np.ones((1, 1)), [nasty], [nasty], title=nasty, alt=alt, caption=nasty, links={nasty: nasty}),
        table({nasty: [nasty]}, title=nasty, alt=alt),
        polar([nasty] * 3, np.ones(3), title=nasty, alt=alt),
        plane(images(1), [[1.0]], [nasty], columns=1, title=nasty, alt=alt, row_title=nasty),
        stepper(steps, title=nasty, alt=alt),
        choice(
            [Option(nasty, nasty, nasty, strips=[Strip(nasty, [0], [nasty])]), Option("two", nasty, nasty)],
            title=nasty,
            alt=alt,
            label=nasty,
            note=nasty,
            images=images(1),
            labels=[nasty],
        ),
    ):
        text = figure.html()
        assert "<b onclick" not in text, figure.kind
        assert text.count("</script>") == 1, figure.kind


# ---- equal content, equal bytes ----


def make(value=0.5):
    return grid(
        [[value, 1.0], [0.0, np.nan]], TWO, TWO, title="Mix-ups", alt=ALT,
        images=images(3), labels=["one", "two", "three"], pictures={(0, 1): [2, 0]},
    )  # fmt: skip


def test_equal_figures_have_equal_bytes_and_others_another_name():
    assert make().html() == make().html()
    assert re.fullmatch(r"mt-[0-9a-f]{12}", make().id)
    assert make().id != make(0.6).id
    other = Interactive("grid", "Mix-ups", ALT, make().body, make().data, make().sheet, caption="More.")
    assert other.id != make().id


def test_a_notebook_shows_the_html_and_a_terminal_the_words():
    assert make()._repr_html_() == make().html()
    assert repr(make()) == f"Interactive grid: Mix-ups. {ALT}"


# ---- sprites ----


@pytest.mark.parametrize("channels", [None, 1, 3])
def test_a_sprite_holds_the_pixels_as_they_are(channels):
    given_images = images(5, channels=channels)
    sheet = sprite(given_images, columns=2)
    assert (sheet.count, sheet.columns, sheet.rows, sheet.height, sheet.width) == (5, 2, 3, 4, 4)
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(sheet.uri.partition(",")[2]))))
    for i in range(5):
        row, column = divmod(i, 2)
        tile = picture[row * 4 : row * 4 + 4, column * 4 : column * 4 + 4]
        np.testing.assert_array_equal(tile, given_images[i].squeeze() if channels == 1 else given_images[i])


def test_a_sprite_over_the_limit_says_how_many_images_fit():
    with pytest.raises(MistrustError, match=r"allowed are 300,000. About (\d+) such images fit") as caught:
        sprite(images(600, 28))
    fit = int(re.search(r"About (\d+)", str(caught.value))[1])
    assert LIMIT * 0.85 < len(sprite(images(fit, 28)).uri) <= LIMIT


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.zeros((2, 3, 4, 4), np.uint8), "Channels first"),
        (np.zeros((4, 4), np.uint8), "shape"),
        (np.zeros((0, 4, 4), np.uint8), "shape"),
        (np.zeros((2, 4, 4), np.float32), r"\* 255"),
    ],
)
def test_what_is_no_stack_of_images_is_refused(bad, message):
    with pytest.raises(MistrustError, match=message):
        sprite(bad)


# ---- the kinds ----


def test_a_grid_carries_words_for_each_cell():
    low, high = np.full((2, 2), 0.25), np.full((2, 2), 0.75)
    low[0, 1] = np.nan
    figure = grid(
        [[0.5, 1.0], [0.0, np.nan]], TWO, ["c", "d"], title="Mix-ups", alt=ALT, row_title="true", column_title="near",
        value_title="share", intervals=(low, high), interval_title="95% interval", notes={(1, 0): "Rare."},
        images=images(3), labels=["one", "two", "three"], pictures={(0, 1): [2, 0]},
    )  # fmt: skip
    cells = held(figure)["cells"]
    assert [cell["say"] for cell in cells] == [
        "True a, near c: share 0.500, 95% interval 0.250 to 0.750.",
        "True a, near d: share 1.000.",
        "True b, near c: share 0.000, 95% interval 0.250 to 0.750. Rare.",
        "True b, near d: no value.",
    ]
    assert [cell["images"] for cell in cells] == [[], [2, 0], [], []]
    shades = re.findall(r'<td(?: class="mt-empty")?(?: style="--v:([\d.]+)")?>([^<]+)</td>', figure.html())
    assert shades == [("0.500", "0.50"), ("1.000", "1.00"), ("0.000", "0.00"), ("", "–")]


def test_the_colours_ends_can_be_given():
    text = grid([[2.0, 30.0]], ["a"], TWO, title="Mix-ups", alt=ALT, low=0, high=10).html()
    assert re.findall(r"--v:([\d.]+)", text) == ["0.200", "1.000"]


def test_a_grid_of_equal_or_no_values_stands():
    assert "--v:0.000" in grid([[3.0]], ["a"], ["b"], title="Mix-ups", alt=ALT).html()
    assert "mt-empty" in grid([[np.nan]], ["a"], ["b"], title="Mix-ups", alt=ALT).html()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"values": np.ones((2, 3))}, r"shape \(2, 3\), expected \(2, 2\)"),
        ({"values": [[1, np.inf], [1, 1]]}, "infinite"),
        ({"intervals": (np.ones((2, 2)), np.ones((3, 2)))}, "`intervals` has shape"),
        ({"pictures": {(0, 0): [0]}}, "give the images too"),
        ({"pictures": {(2, 0): [0]}}, r"no cell \(2, 0\)"),
        ({"notes": {(0, -1): "x"}}, r"no cell \(0, -1\)"),
        ({"images": images(2), "labels": ["one", "two"], "pictures": {(0, 0): [2]}}, "no image 2 in a sprite of 2"),
        ({"images": images(2), "labels": ["one"]}, "2 images need 2 labels"),
        ({"images": images(2), "labels": ["one", " "]}, "2 images need 2 labels"),
        ({"static": b"GIF89a"}, "must be a PNG"),
    ],
)
def test_a_grid_that_does_not_fit_is_refused(changed, message):
    arguments = {"values": np.ones((2, 2)), "rows": TWO, "columns": TWO, "title": "Mix-ups", "alt": ALT, **changed}
    with pytest.raises(MistrustError, match=message):
        grid(**arguments).html()


def test_a_plane_names_the_most_probable_classes_first():
    shares = [[0.1, 0.7, 0.2], [0.5, 0.5, 0.0]]
    figure = plane(images(2), shares, ["ant", "bee", "cat"], columns=2, title="Plane", alt=ALT, named=2)
    assert [cell["say"] for cell in held(figure)["cells"]] == [
        "Row 1, column 1: bee with 0.70, cat with 0.20.",
        "Row 1, column 2: ant with 0.50, bee with 0.50.",
    ]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"columns": 2}, "do not fill it"),
        ({"probabilities": np.full((3, 2), 1.5)}, "softmax"),
        ({"probabilities": np.ones((3, 3))}, "shape"),
        ({"row_values": ["1", "2"]}, "`row_values` has 2 entries, expected 1"),
    ],
)
def test_a_plane_that_does_not_fit_is_refused(changed, message):
    arguments = {"images": images(3), "probabilities": np.full((3, 2), 0.5), "classes": TWO, "columns": 3, **changed}
    with pytest.raises(MistrustError, match=message):
        plane(**arguments, title="Plane", alt=ALT)


def test_a_table_keeps_its_order_beside_what_it_shows():
    text = table(
        {"name": ["x", "y"], "score": [0.5, None]},
        texts={"score": ["0.50 (0.4 to 0.6)", "not run"]},
        title="T",
        alt=ALT,
    ).html()
    assert '<td class="mt-number" data-key="0.5">0.50 (0.4 to 0.6)</td>' in text
    assert '<td class="mt-number">not run</td>' in text
    assert '<th scope="row" data-key="x">x</th>' in text


def test_a_number_and_its_unit_stay_on_one_line():
    texts = {"time": ["262 µs", "5% (3 to 6)"], "size": ["1,024.5 MB", "5 images"]}
    columns = {"name": ["x", "y"], "time": [1.0, 2.0], "size": [1.0, 2.0]}
    text = table(columns, texts=texts, title="T", alt=ALT).html()
    for cell in ("262\u00a0µs", "5% (3 to 6)", "1,024.5\u00a0MB", "5 images"):
        assert f">{cell}</td>" in text


def test_a_shaded_column_is_a_heat_map_within_its_ends():
    columns = {"name": ["x", "y", "z", "w"], "score": [0.75, 2.0, -1.0, None]}
    text = table(columns, shades={"score": (0.5, 1.0)}, title="T", alt=ALT).html()
    for shade in ("0.500", "1.000", "0.000"):
        assert f'<td class="mt-number mt-shaded" style="--v:{shade}"' in text
    assert '<td class="mt-number">not run</td>' in text


@pytest.mark.parametrize(
    ("shades", "message"),
    [
        ({"scor": (0, 1)}, "Did you mean 'score'"),
        ({"name": (0, 1)}, "cannot be shaded"),
        ({"score": (1, 1)}, "cannot be shaded from 1 to 1"),
    ],
)
def test_a_shade_that_means_nothing_is_refused(shades, message):
    with pytest.raises(MistrustError, match=message):
        table({"name": ["x"], "score": [0.5]}, shades=shades, title="T", alt=ALT)


@pytest.mark.parametrize(
    ("columns", "texts", "message"),
    [
        ({}, None, "at least one column"),
        ({"a": [1], "b": [1, 2]}, None, "'b' has 2 entries, 'a' has 1"),
        ({"a": [1, "x"]}, None, "mixes numbers and texts"),
        ({"score": [1]}, {"scor": ["1"]}, "Did you mean 'score'"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(columns, texts, message):
    with pytest.raises(MistrustError, match=message):
        table(columns, texts=texts, title="T", alt=ALT)


def test_spokes_are_as_long_as_their_values():
    text = polar(["n", "e", "s", "w"], [10, 5, np.nan, 20], title="P", alt=ALT, high=20).html()
    ends = re.findall(r'class="mt-bar" x1="0" y1="0" x2="([-\d.]+)" y2="([-\d.]+)"', text)
    assert [(float(x), float(y)) for x, y in ends] == [(0, -70), (35, 0), (-140, 0)]
    assert text.count('data-empty="true"') == 1


@pytest.mark.parametrize(
    ("names", "values", "more", "message"),
    [
        (TWO, [1, 2], {}, "at least three"),
        (["a", "b", "c"], [1, 2], {}, "at least three names and one value each"),
        (["a", "b", "c"], [1, -2, 1], {}, "0 and more"),
        (["a", "b", "c"], [1, np.inf, 1], {}, "none infinite"),
        (["a", "b", "c"], [1, 2, 3], {"texts": ["1"]}, "`texts` has 1 entries, expected 3"),
        (["a", "b", "c"], [1, 2, 3], {"images": images(2), "labels": TWO}, "3 spokes need 3 images"),
    ],
)
def test_a_polar_plot_that_does_not_fit_is_refused(names, values, more, message):
    with pytest.raises(MistrustError, match=message):
        polar(names, values, title="P", alt=ALT, **more)


@pytest.mark.parametrize(
    ("steps", "more", "message"),
    [
        ([Step("a", "b")], {}, "at least two steps"),
        ([Step("a", "b", bars=[("x", 1.5)]), Step("c", "d")], {}, "a bar of 1.5 for 'x'"),
        ([Step("a", "b", bars=[("x", float("nan"))]), Step("c", "d")], {}, "a bar of nan"),
        ([Step("a", "b"), Step(" ", "b")], {}, "Step 2 has no title"),
        ([Step("a", "b", [0]), Step("a", "b")], {}, "give the images too"),
        ([Step("a", "b", [1]), Step("a", "b")], {"images": images(1), "labels": ["one"]}, "no image 1"),
        ([Step("a", "b"), Step("c", "d")], {"label": " "}, "needs a label and a name"),
        ([Step("a", "b"), Step("c", "d")], {"name": ""}, "needs a label and a name"),
        ([Step("a", "b"), Step("c", "d", series="x")], {}, "several series, one of them without a name"),
        ([Step("a", "b", series=one) for one in "xyx"], {}, "series 'x' do not stand side by side"),
        ([Step("a", "b", series="x"), Step(" ", "b", series="y")], {}, "Step 2 has no title"),
    ],
)
def test_a_stepper_that_does_not_fit_is_refused(steps, more, message):
    with pytest.raises(MistrustError, match=message):
        stepper(steps, title="S", alt=ALT, **more)


def test_steps_of_several_series_count_each_from_one():
    members = [Step(f"{head} {i}", "words", series=head) for head in ("near", "<far>") for i in (1, 2, 3)]
    made = stepper(members, title="S", alt=ALT, label="Search", name="Query")
    assert held(made) == {"series": ["near", "<far>"], "label": "Search", "name": "Query"}
    assert re.findall(r'<li value="(\d)">', made.body) == ["1", "2", "3"] * 2
    assert made.body.count("<ol") == 2
    assert made.body.index("<strong>near</strong>") < made.body.index("<ol") < made.body.index("&lt;far&gt;")
    assert held(stepper(members[:3], title="S", alt=ALT, label="Search")) == {}  # nothing to choose from


@pytest.mark.parametrize(
    ("share", "text"), [(0.5, "0.50"), (0.994, "0.99"), (0.996, "0.996"), (0.99996, "0.999"), (1.0, "1.00")]
)
def test_a_share_just_below_one_is_not_told_as_one(share, text):
    steps = [Step("one", "words", bars=[("x", share)]), Step("two", "words")]
    assert f'aria-label="x {text}"' in stepper(steps, title="S", alt=ALT).body


def test_bars_of_a_step_are_drawn_and_told():
    steps = [Step("one", "words", bars=[("<5", 0.75), ("6", 0.25)]), Step("two", "words")]
    body = stepper(steps, title="S", alt=ALT).body
    assert body.count('class="mt-bars"') == 1
    assert 'role="img" aria-label="&lt;5 0.75, 6 0.25"' in body
    assert 'style="--v:0.7500"' in body


TWO_OPTIONS = [Option("one", "Words of one.", "first"), Option("two", "Words of two.", "second")]


def test_every_option_stands_and_the_first_is_open():
    strips = [Strip("near", [2, 0], ["0.1", "0.2"])]
    made = choice(
        [Option("one", "Words of one.", strips=strips), Option("two", "Words of two.", drawing="<b>drawn</b>")],
        title="C", alt=ALT, label="Thing", note="How to read.", images=images(3), labels=["x", "y", "z"],
    )  # fmt: skip
    assert held(made) == {"label": "Thing", "groups": ["", ""]}
    assert made.body.count("<details") == 2
    assert made.body.count(" open>") == 1
    assert made.body.index(" open>") < made.body.index("<summary>one</summary>")
    assert re.findall(r'aria-label="(\w)"', made.body) == ["z", "x"]
    assert "<b>drawn</b>" in made.body
    assert made.body.endswith('<p class="mt-axes">How to read.</p>')


@pytest.mark.parametrize(
    ("options", "more", "message"),
    [
        ([], {}, "at least one option"),
        (TWO_OPTIONS, {"label": " "}, "needs a label"),
        ([*TWO_OPTIONS, Option(" ", "x")], {}, "Option 3 of a choice has no title"),
        ([*TWO_OPTIONS, Option("x", " ")], {}, "Option 3 of a choice has no text"),
        ([*TWO_OPTIONS, Option("one", "x")], {}, "Two options of a choice are called 'one'"),
        ([*TWO_OPTIONS, Option("three", "x", "first")], {}, "group 'first' do not stand side by side"),
        ([*TWO_OPTIONS, Option("three", "x", strips=[Strip("s", [0], [""])])], {}, "give the images too"),
        (
            [*TWO_OPTIONS, Option("three", "x", strips=[Strip("s", [1], [""])])],
            {"images": images(1), "labels": ["one"]},
            "no image 1",
        ),
        (
            [*TWO_OPTIONS, Option("three", "x", strips=[Strip("s", [0], [])])],
            {"images": images(1), "labels": ["one"]},
            "Strip 's' has 1 images and 0 texts",
        ),
        (TWO_OPTIONS, {"images": images(2), "labels": ["one"]}, "2 images need 2 labels"),
    ],
)
def test_a_choice_that_does_not_fit_is_refused(options, more, message):
    with pytest.raises(MistrustError, match=message):
        choice(options, title="C", alt=ALT, **more)


def test_a_histogram_is_as_high_as_the_root_of_its_shares():
    text = histogram("Four bins", [0, 0.25, 0, 0.75], [0.25] * 4)
    paths = dict(re.findall(r'<path class="(mt-low|mt-top|mt-usual)" d="([^"]+)"', text))
    heights = {name: [float(y) for y in re.findall(r"V([\d.]+)h", path)] for name, path in paths.items()}
    base = float(re.search(r"^M[\d.]+ ([\d.]+)V", paths["mt-low"])[1])
    full = base - 8
    assert heights["mt-low"] == [base, base - full / 2, base]
    assert heights["mt-usual"] == [base - full / 2] * 4
    assert heights["mt-top"] == [pytest.approx(base - full * 0.75**0.5, abs=0.05)]
    assert 'role="img" aria-label="Four bins"' in text
    assert histograms([text, text]).count("<svg") == 2


@pytest.mark.parametrize(
    ("shares", "usual", "marked", "message"),
    [
        ([0.5, 0.5], [1.0], 1, "equal bins"),
        ([], [], 0, "equal bins"),
        ([0.5, 0.5], [0.5, 0.5], 3, "equal bins"),
        ([1.5, 0.5], [0.5, 0.5], 1, r"lie in \[0, 1\]"),
        ([0.5, np.nan], [0.5, 0.5], 1, r"lie in \[0, 1\]"),
    ],
)
def test_a_histogram_of_no_shares_is_refused(shares, usual, marked, message):
    with pytest.raises(MistrustError, match=message):
        histogram("x", shares, usual, marked)
