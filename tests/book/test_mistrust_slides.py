"""The Sphinx extension that makes decks, with the real Sphinx on a project of one deck and one chapter."""

import shutil
from pathlib import Path

import pytest

from mistrust.publishing.slides import CHAPTERS

ROOT = Path(__file__).resolve().parents[2]
CONF = """
project = "Tiny"
extensions = ["myst_parser", "mistrust_slides"]
myst_enable_extensions = ["dollarmath"]
html_static_path = ["book/_static"]
html_theme = "basic"
exclude_patterns = ["book/slides/a.md"]
"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"/>'
CHAPTER = """# Search

```{figure} a.svg
:name: fig-search-rank
:alt: A picture of nothing, four by three.

Nothing is ranked.
```
"""


@pytest.fixture
def sphinx(tmp_path, monkeypatch):
    """Build a deck's text in a small project: gives the page and the warnings."""
    source = tmp_path / "source"
    shutil.copytree(ROOT / "book" / "_ext", source / "book" / "_ext", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "book" / "_static", source / "book" / "_static")
    for folder in ("slides", "../notebooks"):
        (source / "book" / folder).mkdir()
    (source / "conf.py").write_text(CONF)
    (source / "index.md").write_text("# Tiny\n\n```{toctree}\nbook/course\nnotebooks/search\n```\n")
    (source / "book" / "course.md").write_text("# The course\n")
    (source / "notebooks" / "a.svg").write_text(SVG)
    (source / "notebooks" / "search.md").write_text(CHAPTER)
    monkeypatch.syspath_prepend(str(source / "book" / "_ext"))

    def build(text):
        from sphinx.cmd.build import build_main

        (source / "book" / "slides" / "a.md").write_text(text)
        said = tmp_path / "said.txt"
        build_main(["-q", "-E", "-b", "html", "-w", str(said), str(source), str(tmp_path / "out")])
        return (tmp_path / "out" / "book" / "slides" / "a.html").read_text(), said.read_text()

    build.out = tmp_path / "out"
    return build


DECK = """---
orphan: true
chapters: search, nothing
---
# Which?

$d$

## A figure

```{slide-figure} fig-search-rank
```

```{slide-notes}
Say *this*.
```

## An exercise

```{slide-exercise} search/sdr
```
"""


@pytest.mark.whole
def test_a_deck_is_made_of_the_chapters_figures(sphinx):
    page, said = sphinx(DECK)
    assert said == ""
    assert page.count("<section") == page.count("</section>") == 3
    assert 'alt="A picture of nothing, four by three."' in page
    assert 'src="../../_images/a.svg"' in page
    assert '<a href="../../notebooks/search.html#fig-search-rank">In the chapter</a>' in page
    assert '<aside class="notes">' in page
    assert "<em>this</em>" in page
    assert "mistrust check sdr SDR MEAN-OF-RATIOS RATIO-OF-MEANS" in page
    # Back to the course and to the chapter that is there; formulas where there are some.
    assert f'<a href="../../notebooks/search.html">{CHAPTERS["search"].title}</a>' in page
    assert '<a href="../course.html">' in page
    assert "mathjax/tex-mml-chtml.js" in page
    reveal = sphinx.out / "_static" / "reveal"
    laid = {path.relative_to(reveal).as_posix() for path in reveal.rglob("*") if path.is_file()}
    assert laid == {"dist/reveal.js", "dist/reveal.css", "LICENSE"}


WRONG = """---
orphan: true
---
# Which?

```{slide-figure} fig-search
```

```{slide-exercise} search/none
```

```{slide-claims}
```
"""


@pytest.mark.whole
def test_wrong_names_are_warned_of_where_they_stand(sphinx):
    page, said = sphinx(WRONG)
    lines = sorted(said.splitlines())
    assert len(lines) == 3
    for line, words in zip(
        lines,
        ("a.md:12: ERROR: A slide of claims names none", "a.md:6: WARNING: 'fig-search' is no", "a.md:9: ERROR: "),
        strict=True,
    ):
        assert words in line
    assert "'search/none'" in lines[2]
    assert "tex-mml-chtml.js" not in page
