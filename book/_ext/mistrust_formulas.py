"""Formulas for readers without JavaScript: MathML beside each, which browsers draw by themselves.

With JavaScript nobody sees it: MathJax draws the formula from its TeX, as before.
"""

import re
from html import unescape
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
STYLE = (  # a number stands behind its formula, never on it: on a phone both scroll
    ".math.notranslate{display:none} .mt-formula{display:flex;align-items:center;margin-block:1em;overflow-x:auto} "
    ".mt-formula math{flex:1 0 auto} .mt-formula .eqno{order:1;padding-left:1em}"
)
HIDDEN = f"<noscript><style>{STYLE}</style></noscript>"
# As Sphinx writes it; a number that an equation has stands before its TeX.
FORMULA = re.compile(r'<(span|div) class="math notranslate nohighlight"[^>]*>(.*?)</\1>', re.DOTALL)
TEX = re.compile(r"\\([(\[])(.*)\\[)\]]\s*$|(\\begin\{.*)", re.DOTALL)
NUMBER = re.compile(r'<span class="eqno">\([^<]*\)')
# What TeX sets as a function and the library does not know.
FUNCTIONS = re.compile(r"\\arg(?![a-z])")
# A function stands apart from a letter or a number that follows it, but not from a sign or a bracket.
NAMES = ("log", "exp", "sin", "cos", "max", "min", "arg")
XML = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", XML)


def mathml(tex: str, block: bool = False) -> str:
    """A formula as MathML.

    Raises
    ------
    ValueError
        A command that is not known.
    """
    found = convert(FUNCTIONS.sub(r"\\operatorname{arg}", tex.strip()), display="block" if block else "inline")
    unknown = re.findall(r">\s*(\\[a-zA-Z]+)", found)
    if unknown:
        raise ValueError(f"unknown to latex2mathml: {', '.join(unknown)}")
    tree = ElementTree.fromstring(found)
    for row in tree.iter(f"{{{XML}}}mrow"):
        _part(row)
    return ElementTree.tostring(tree, encoding="unicode")


def _part(row: ElementTree.Element) -> None:
    """Set functions of a row apart from what they are taken of."""
    for place, (one, following) in reversed(list(enumerate(pairwise(row)))):
        name = one if one.text else next(iter(one), one)  # with an index, it is the first of two
        begins = next((leaf for leaf in following.iter() if leaf.text), following)
        if name.text in NAMES and (not begins.tag.endswith("}mo") or begins.text in NAMES):
            row.insert(place + 1, ElementTree.Element(f"{{{XML}}}mspace", width="0.17em"))


def beside(body: str, location: str) -> str:
    """The page, each formula followed by what is shown in its place without JavaScript."""

    def both(found: re.Match[str]) -> str:
        tex = TEX.search(unescape(found[2]))
        if tex is None:
            return found[0]
        block = tex[1] != "("
        try:
            drawn = mathml(tex[2] if tex[1] else tex[3], block)
        except Exception as error:  # whatever it raises: the page shows the source then
            LOG.warning(f"without JavaScript a formula stays TeX: {error}", location=location)
            return found[0]
        # A phone scrolls what is wider than its page; what is hidden hides the equation's number with it.
        number = NUMBER.search(found[2])
        counted = f"{number[0]}</span>{drawn}" if number else drawn
        held = f'<div class="mt-formula" tabindex="0">{counted}</div>' if block else drawn
        return f"{found[0]}<noscript>{held}</noscript>"

    return FORMULA.sub(both, body)


def draw(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Put MathML beside the formulas of a page; a deck needs JavaScript anyway."""
    body = context.get("body") or ""
    if 'class="math' not in body or page.startswith("book/slides/"):
        return
    context["body"] = beside(body, page)
    context["metatags"] = context.get("metatags", "") + HIDDEN


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("html-page-context", draw, priority=980)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
