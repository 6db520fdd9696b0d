"""Formulas without JavaScript: MathML as a browser draws it, of every formula of the book."""

import importlib.util
import json
import logging
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
specification = importlib.util.spec_from_file_location("formulas", ROOT / "book" / "_ext" / "mistrust_formulas.py")
formulas = importlib.util.module_from_spec(specification)
specification.loader.exec_module(formulas)
mathml, beside = formulas.mathml, formulas.beside


def words(drawn):
    """Its parts in order, "·" for a space that was put in."""
    leaves = [one for one in ElementTree.fromstring(drawn).iter() if not len(one)]
    return "".join("·" if one.tag.endswith("mspace") else one.text or "" for one in leaves)


@pytest.mark.parametrize(
    ("tex", "read"),
    [
        (r"1 - c", "1−c"),
        (r"\log d", "log·d"),
        (r"\log_2 p_c", "log2·pc"),
        (r"\log(p / s)", "log(p/s)"),
        (r"\log \left(p\right)", "log(p)"),
        (r"\log \mathrm{MAE} - F(c)", "log·MAE−F(c)"),
        (r"\arg\max_c s_c(x)", "arg·maxc·sc(x)"),
        (r"\frac{1}{\log n}", "1log·n"),
    ],
)
def test_a_formula_reads_as_it_is_set(tex, read):
    assert words(mathml(tex)) == read


def test_an_index_has_one_base_and_one_index():
    (index,) = ElementTree.fromstring(mathml(r"\max_c p")).iter(f"{{{formulas.XML}}}msub")
    assert [one.text for one in index] == ["max", "c"]


def test_a_formula_of_its_own_is_a_block():
    assert 'display="block"' in mathml("a = b", block=True)
    assert 'display="inline"' in mathml("a = b")


def test_a_command_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match=r"unknown to latex2mathml: \\nosuch"):
        mathml(r"a + \nosuch b")


def test_each_formula_of_a_page_has_its_stand_in():
    inline = r'<p>If <span class="math notranslate nohighlight">\(p &lt; q\)</span> then</p>'
    block = '<div class="math notranslate nohighlight" id="one">\n\\[a = b\n\\]</div>'
    page = beside(inline + block, "page")
    assert page.count("<noscript>") == 2
    assert page.startswith(inline.partition("</p>")[0][:-5])
    first, second = re.findall("<noscript>.*?(<math.*?</math>).*?</noscript>", page)
    assert (words(first), words(second)) == ("p<q", "a=b")
    assert 'display="block"' in second


def test_an_equation_keeps_its_number():
    number = '<span class="eqno">(3.1)<a class="headerlink" href="#one">#</a></span>'
    page = beside(f'<div class="math notranslate nohighlight" id="one">\n{number}\\[a = b\\]</div>', "page")
    assert '<span class="eqno">(3.1)</span><math' in page.partition("<noscript>")[2]


def test_a_formula_that_cannot_be_drawn_is_told_and_stays(caplog):
    page = r'<span class="math notranslate nohighlight">\(\nosuch\)</span>'
    with caplog.at_level(logging.WARNING):
        assert beside(page, "page") == page
    assert "stays TeX" in caplog.text


def sources():
    notebooks = {
        file: [cell["source"] for cell in json.loads(file.read_text())["cells"] if cell["cell_type"] == "markdown"]
        for file in (ROOT / "notebooks").glob("*.ipynb")
    }
    pages = {file: [file.read_text()] for file in (ROOT / "book").rglob("*.md")}
    return {file: "\n\n".join("".join(one) for one in parts) for file, parts in (notebooks | pages).items()}


def test_every_formula_of_the_book_is_known():
    found = [
        (block or inline, bool(block))
        for text in sources().values()
        for block, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.sub(r"(?s)```bash.*?```", "", text), re.S)
    ]
    assert len(found) > 200
    for tex, block in found:
        assert "\\" not in words(mathml(tex, block)), tex
