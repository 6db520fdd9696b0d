"""What looks at a page for people who see little finds what is wrong with one text among many of its kind."""

import pytest

GOOD = "".join(f'<tr><td class="cell">value {i}</td></tr>' for i in range(200))
POOR = "color: #ccc"


def page_of(visit, tmp_path, inside, style=""):
    path = tmp_path / "page.html"
    text = f"<style>body {{ color: #000; background: #fff }} {style}</style><main><h1>Title</h1>{inside}</main>"
    path.write_text(f'<!doctype html><html lang="en"><title>Page</title>{text}</html>', encoding="utf-8")
    return visit(path.as_uri()).page


def test_of_many_alike_one_is_looked_at_and_nothing_is_wrong(visit, axe, tmp_path):
    page = page_of(visit, tmp_path, f"<table>{GOOD}</table>")
    assert axe(page, "main", "colours") == []
    assert page.locator("[data-looked-at]").count() == 2
    assert page.locator("[data-looked-at]").all_inner_texts() == ["Title", "value 0"]


CELL = '<tr><td class="cell">last</td></tr>'
INLINE = CELL.replace("td ", f'td style="{POOR}" ')
DARK = "p { background: #222; color: #fff } p:last-child { color: #444 }"


@pytest.mark.parametrize(
    ("inside", "style"),
    [
        pytest.param(f"<table>{GOOD}{INLINE}</table>", "", id="inline"),
        pytest.param(f'<table>{GOOD}<tbody style="background: #222">{CELL}</tbody></table>', "", id="behind it"),
        pytest.param(f"<table>{GOOD}{CELL}</table>", f"tr:last-child {{ {POOR} }}", id="by place"),
        pytest.param("<p hidden class=a>unseen</p><p class=a>seen</p>", f".a {{ {POOR} }}", id="after a hidden one"),
        pytest.param(
            "<details><summary>More</summary><p>unseen</p></details><details open><summary>More</summary><p>seen</p>",
            f"p {{ {POOR} }}",
            id="after a folded one",
        ),
        pytest.param("<p>light on dark</p><p>at last</p>", DARK, id="on dark"),
        pytest.param("<label>Name <input value=yours></label>", f"input {{ {POOR} }}", id="field"),
    ],
)
def test_one_that_can_hardly_be_read_is_found(visit, axe, tmp_path, inside, style):
    page = page_of(visit, tmp_path, inside, style)
    for rules in ("colours", "all"):
        found = axe(page, "main", rules)
        assert len(found) == 1, found
        assert "color-contrast (serious)" in found[0]
    assert axe(page, "main", "all but colours") == []
