"""The book's own Sphinx extension: its mends, its foot, its citations, its setting for launch buttons."""

import importlib.util
import json
import re
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree

FILE = Path(__file__).resolve().parents[2] / "book" / "_ext" / "mistrust_book.py"
specification = importlib.util.spec_from_file_location("mistrust_book", FILE)
book = importlib.util.module_from_spec(specification)
specification.loader.exec_module(book)


@pytest.mark.parametrize(
    ("found", "mended"),
    [
        ('<summary aria-label="Toggle hidden content">Show</summary>', "<summary>Show</summary>"),
        ('<summary class="x" aria-label="Toggle">Show</summary>', '<summary class="x">Show</summary>'),
        ('<div class="citation" role="doc-biblioentry">', '<div class="citation" role="listitem">'),
        ("<tr><th></th><th>a</th></tr>", "<tr><td></td><th>a</th></tr>"),
        ('<th class="head"><p>a</p></th>', '<th scope="col" class="head"><p>a</p></th>'),
        ('<th class="head stub"><p>a</p></th>', '<th scope="col" class="head stub"><p>a</p></th>'),
        ('<th class="stub"><p>a</p></th>', '<th scope="row" class="stub"><p>a</p></th>'),
        ('<th class="stub"></th><td>–</td>', '<td></td><td aria-label="none">–</td>'),
        ('<td class="mt-number"><p>–</p></td>', '<td class="mt-number" aria-label="none"><p>–</p></td>'),
        ('<td aria-label="not run">–</td>', '<td aria-label="not run">–</td>'),
        ("<td>3 – 4</td>", "<td>3 – 4</td>"),
        ('<th class="blank level0" > </th>', "<td></td>"),
        ('a<script type="text/x-thebe-config">\n{}\n</script>b', "ab"),
        ('<button aria-label="Close">x</button>', '<button aria-label="Close">x</button>'),
    ],
)
def test_mends(found, mended):
    assert book.mend(found) == mended


def test_the_first_column_of_a_table_heads_its_rows():
    """As docutils itself writes it, whose heads of columns and rows are told apart by their classes."""
    table = "===== =====\nset   n\n===== =====\nMNIST 3\n===== =====\n\n+---+\n|one|\n+---+\n"
    tree = publish_doctree(table)
    book.head_rows(application(Path()), tree, "book/x")
    body = book.mend(publish_from_doctree(tree, writer_name="html5").decode())
    cells = re.findall(r"<(t[hd])([^>]*)><p>(.*?)</p></t", body)
    assert [(tag, re.findall(r'scope="(\w+)"', about), text) for tag, about, text in cells] == [
        ("th", ["col"], "set"), ("th", ["col"], "n"), ("th", ["row"], "MNIST"), ("td", [], "3"), ("td", [], "one"),
    ]  # fmt: skip


def test_the_first_page_is_called_by_its_name_once():
    told = "<head>\n<title>When not to trust &#8212; When not to trust</title>"
    assert book.titled(told) == "<head>\n<title>When not to trust</title>"
    other = "<title>Setup &#8212; When not to trust</title>"
    assert book.titled(other) == other


FOLD = (
    '<details class="admonition hide below-input"><summary>'
    '<p class="collapsed admonition-title">Show code cell output</p>'
    '<p class="expanded admonition-title">Hide code cell output</p></summary>{}</details>'
)
SOURCE = FOLD.replace("output", "source").replace("below", "above")


def shown(body):
    return re.findall(r'<p class="collapsed admonition-title">(.*?)</p>', body)


def test_a_fold_is_called_by_the_caption_of_what_it_hides():
    """Its own, never the next one's; a figure's without its number; of both the first sentence."""
    number, text = '<span class="caption-number">Figure 2.1 </span>', '<span class="caption-text">Lift. Our run.</span>'
    hidden = [
        "<table><caption>AUROC at 0.5, <b>all</b>. Our full run.</caption></table>", "<pre>said</pre>",
        f"<figure><figcaption>{number}{text}</figcaption></figure>", '<figcaption class="x">Curves.</figcaption>',
    ]  # fmt: skip
    body = "<p>a</p>" + "<p>b</p>".join(SOURCE.format("x") + FOLD.format(one) for one in hidden)
    named = book.name_folds(body)
    assert shown(named)[::2] == ["Show code"] * 4  # what follows is hidden: another fold's
    assert shown(named)[1::2] == ["Show: AUROC at 0.5, all", "Show: what the cell gives", "Show: Lift", "Show: Curves"]
    assert "code cell output" not in named
    assert re.sub(r"<p class=.*?</p>", "", named) == re.sub(r"<p class=.*?</p>", "", body)


def test_a_fold_of_code_is_called_by_what_its_cell_shows_and_a_solution_by_what_it_is():
    """Its own cell's caption, never the next one's; the words are for those who hear a list of folds."""
    cell, end = '<div class="cell{} docutils container">', "</div>"
    caption = "<figcaption><p>{}</p><details class='x'>1. 2.</details></figcaption>"
    title = '<figure class="mistrust mt-grid"><div class="mt-title" id="a">Mix-ups</div></figure>'
    solution = SOURCE.replace("source", "content").format("print(1)")
    body = "".join(
        [
            cell.format(" tag_hide-input"), SOURCE.format("draw()"), caption.format("Lift. Our run."), end,
            cell.format(""), SOURCE.format("import"), end,
            cell.format(""), SOURCE.format("grid()"), title, end,
            cell.format(" tag_solution tag_hide-cell"), solution, end,
        ]
    )  # fmt: skip
    named = book.name_folds(body)
    hidden = '<span class="visually-hidden">: {}</span>'
    assert shown(named) == [
        "Show code" + hidden.format("Lift"), "Show code", "Show code" + hidden.format("Mix-ups"), "Show the solution",
    ]  # fmt: skip
    assert re.findall(r'<p class="expanded admonition-title">(.*?)</p>', named) == ["Hide code"] * 3 + [
        "Hide the solution"
    ]


def test_a_solution_is_called_by_the_exercise_before_it():
    number = '<span class="caption-number">Exercise 3.{} </span>'
    solution = SOURCE.replace("source", "content").format("print(1)")
    cell = f'<div class="cell tag_solution tag_hide-cell docutils container">{solution}</div>'
    named = book.name_folds("".join(number.format(one) + cell for one in (1, 2)))
    said = 'Show the solution<span class="visually-hidden">: Exercise 3.{}</span>'
    assert shown(named) == [said.format(1), said.format(2)]


def test_a_page_without_folds_is_as_it_was():
    assert book.name_folds("<p>Show code cell source</p>") == "<p>Show code cell source</p>"


def test_long_alternative_texts_become_short_and_the_figure_says_them_in_full():
    """With a caption in a fold beneath it; where there is none, what fits stands."""
    long = "Dot plot. " + "; ".join(f"scorer {n} 0.{n}" for n in range(60)) + "."
    link = nodes.raw("", "<a>rows</a>", format="html")
    caption = nodes.caption("", "", nodes.Text("AUROC at 0.5, all. Our full run. "), link)
    figure = nodes.figure("", nodes.image(alt=long), caption)
    short = nodes.figure("", nodes.image(alt="A short one."), nodes.caption("", "Short"))
    tree = nodes.section("", figure, short, nodes.image(alt=long))
    book.tell(application(Path()), tree, "notebooks/x")
    assert [one["alt"] for one in tree.findall(nodes.image)] == [
        "Dot plot. All of it in words below.", "A short one.", "Dot plot.",
    ]  # fmt: skip
    [legend] = tree.findall(nodes.legend)
    assert legend.parent is figure
    assert ": AUROC at 0.5, all</span></summary>" in legend.astext()
    assert "scorer 59 0.59" in legend.astext()


def test_the_words_of_a_folds_name_are_not_those_of_its_picture():
    told = book.in_full("Dot plot. " + "MNIST 0.9. " * 60, "AUROC")
    body = FOLD.format(f"<figure><figcaption><p>Curves. Full.</p><div>{told}</div></figcaption></figure>")
    assert shown(book.name_folds(body)) == ["Show: Curves"]


def application(folder, **options):
    config = SimpleNamespace(html_theme_options=dict(options), author="Us", html_title="The book")
    return SimpleNamespace(srcdir=folder, config=config, builder=SimpleNamespace(format="html"))


def test_launch_buttons_are_off_while_the_one_setting_is_empty(tmp_path):
    binder = {"binderhub_url": "https://somewhere"}
    without = application(tmp_path, launch_buttons=binder, repository_url="")
    book.set_theme(without)
    assert without.config.html_theme_options["launch_buttons"] == {}
    having = application(tmp_path, launch_buttons=binder, repository_url="https://code/us/book")
    book.set_theme(having)
    assert having.config.html_theme_options["launch_buttons"] == binder


def test_the_foot_says_version_profile_and_date_as_far_as_they_are_known(tmp_path):
    version = metadata.version("mistrust")
    app = application(tmp_path)
    assert book.foot(book.built(app)) == f'<p class="mt-foot">mistrust {version}.</p>'
    about = {"version": "9.9", "profile": "full", "rows_date": "2026-03-01"}
    (tmp_path / "build.json").write_text(json.dumps(about), encoding="utf-8")
    assert book.foot(book.built(app)) == (
        '<p class="mt-foot">mistrust 9.9, run with the profile full, rows of 2026-03-01.</p>'
    )
    (tmp_path / "build.json").write_text(
        json.dumps({"version": "9.9", "profile": None, "rows_date": ""}), encoding="utf-8"
    )
    assert book.foot(book.built(app)) == '<p class="mt-foot">mistrust 9.9.</p>'


def page(app, name, **more):
    context = {
        "body": "<p>Text</p>",
        "title": '<span class="section-number">1. </span>A &amp; B',
        "script_files": [],
        **more,
    }
    book.finish(app, name, "page.html", context, None)
    return context


def test_chapters_are_cited_with_title_version_and_year(tmp_path):
    about = {"version": "9.9", "profile": "full", "rows_date": "2026-03-01"}
    (tmp_path / "build.json").write_text(json.dumps(about), encoding="utf-8")
    body = page(application(tmp_path, repository_url="https://code/us/book"), "notebooks/things")["body"]
    assert "<p>Us (2026). A &amp; B. In: The book, version 9.9. https://code/us/book</p>" in body
    for line in (
        "@incollection{mistrust-things,",
        "title = {A &amp; B},",
        "year = {2026},",
        "url = {https://code/us/book}",
    ):
        assert line in body
    assert "mt-cite" not in page(application(tmp_path), "book/guide")["body"]


def test_a_citation_without_date_says_undated():
    text = book.citation("T", "t", "Us", "The book", {"version": "1"}, "")
    assert "Us (undated). T. In: The book, version 1.</p>" in text
    assert "year" not in text


def test_thebes_scripts_are_dropped_and_others_kept(tmp_path):
    scripts = [
        SimpleNamespace(filename="_static/mistrust.js", attributes={}),
        SimpleNamespace(filename="_static/sphinx-thebe.js", attributes={}),
        SimpleNamespace(filename=None, attributes={"body": 'const THEBE_JS_URL = "x"'}),
        "_static/doctools.js",
    ]
    kept = page(application(tmp_path), "book/guide", script_files=scripts)["script_files"]
    assert kept == [scripts[0], scripts[3]]


@pytest.mark.parametrize(
    ("name", "body", "kept"),
    [
        ("book/intro", "<p>words</p>", False), ("book/notation", '<span class="math notranslate">x</span>', True),
        ("notebooks/search", "<p>words</p>", True),
    ],
)  # fmt: skip
def test_a_page_without_formulas_asks_for_no_mathjax(name, body, kept, tmp_path):
    scripts = [SimpleNamespace(filename="_static/mathjax/tex-mml-chtml.js", attributes={}), "_static/doctools.js"]
    found = page(application(tmp_path), name, script_files=scripts, body=body)["script_files"]
    assert found == (scripts if kept else scripts[1:])


def test_a_dropdown_becomes_a_fold_around_its_content():
    text = nodes.paragraph("", "the answer")
    solution = nodes.admonition(
        "", nodes.title("", "Solution to one"), text, classes=["dropdown"], ids=["here", "there"]
    )
    plain = nodes.admonition("", nodes.title("", "Note"), nodes.paragraph("", "stays"))
    tree = nodes.section("", nodes.paragraph("", "before"), solution, plain, nodes.paragraph("", "after"))
    book.fold(application(Path()), tree, "notebooks/x")
    assert [child.astext() for child in tree.children] == [
        "before",
        '<details class="mt-fold" id="here"><summary>Solution to one</summary><span id="there"></span>',
        "the answer",
        "</details>",
        "Note\n\nstays",
        "after",
    ]
    assert all(not child["classes"] for child in tree.findall(nodes.raw))


def test_mathjax_is_laid_out_of_the_package(tmp_path):
    app = application(tmp_path)
    app.outdir = tmp_path / "html"
    book.lay_mathjax(app)
    laid = app.outdir / "_static" / "mathjax"
    assert (laid / "tex-mml-chtml.js").stat().st_size > 1_000_000
    assert len(list((laid / "output" / "chtml" / "fonts" / "woff-v2").glob("*.woff"))) > 15
    assert sum(file.stat().st_size for file in laid.rglob("*") if file.is_file()) < 2_000_000


def test_maps_to_sources_are_dropped_when_all_went_well(tmp_path):
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    scripts = tmp_path / "_static" / "scripts"
    scripts.mkdir(parents=True)
    (scripts / "theme.js").write_text("1")
    (scripts / "theme.js.map").write_text("2")
    book.thin(app, ValueError())
    assert (scripts / "theme.js.map").is_file()
    book.thin(app, None)
    assert [path.name for path in scripts.iterdir()] == ["theme.js"]


def test_a_notebook_to_download_holds_no_outputs(tmp_path):
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    source = tmp_path / "_sources" / "notebooks" / "things.ipynb"
    source.parent.mkdir(parents=True)
    cell = nbformat.v4.new_code_cell("1 + 1", execution_count=3)
    cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=3)]
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("é"), cell]), source)
    book.thin(app, None)
    held = nbformat.read(source, 4)
    nbformat.validate(held)
    assert [one.source for one in held.cells] == ["é", "1 + 1"]
    assert (held.cells[1].outputs, held.cells[1].execution_count) == ([], None)
