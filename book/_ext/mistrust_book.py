"""What the book needs beyond Jupyter Book: formulas without network, a foot with the rows' date, citing, mends.

The mends are for faults of the theme and its extensions that a browser shows: see `mend`.
"""

import json
import re
from collections.abc import Callable
from html import escape, unescape
from importlib import metadata
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from mistrust.figures.told import MOST, brief, in_full
from mistrust.publishing.building import lay

MATHJAX = "sphinx-mathjax-offline/static/mathjax/"
PARTS = ("tex-mml-chtml.js", "output/chtml/fonts/woff-v2/")  # the one script and its fonts: 1.6 of 24 MB
NOTICE = "MathJax, copyright The MathJax Consortium, under the Apache License, version 2.0.\n"


def lay_mathjax(app: Sphinx) -> None:
    """Copy MathJax's one script and its fonts into the book."""
    if app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "mathjax"
        lay("sphinx-mathjax-offline", "0.0.2", MATHJAX, PARTS, target)
        (target / "NOTICE.txt").write_text(NOTICE, encoding="utf-8")


def set_theme(app: Sphinx) -> None:
    """Theme options that the configuration file has no words for."""
    options = app.config.html_theme_options
    # The theme would put a second search field, in a bar of its own, over the one in the sidebar.
    options["navbar_persistent"] = []
    # Without a repository there is nothing to launch: the one setting turns the buttons on.
    if not options.get("repository_url"):
        options["launch_buttons"] = {}
        options["repository_url"] = ""


def built(app: Sphinx) -> dict[str, str]:
    """What the site builder says of the rows (`build.json` in the source folder), and the version."""
    about = {"version": metadata.version("mistrust")}
    file = Path(app.srcdir) / "build.json"
    if file.is_file():
        about |= {name: str(value) for name, value in json.loads(file.read_text(encoding="utf-8")).items() if value}
    return about


def foot(about: dict[str, str]) -> str:
    """The line at the foot of each page."""
    parts = [f"mistrust {about['version']}"]
    if "profile" in about:
        parts.append(f"run with the profile {about['profile']}")
    if "rows_date" in about:
        parts.append(f"rows of {about['rows_date']}")
    if "handout" in about:
        parts.append(f"to hand out: {about['handout']}")
    return f'<p class="mt-foot">{escape(", ".join(parts))}.</p>'


def citation(title: str, name: str, author: str, book: str, about: dict[str, str], url: str) -> str:
    """A fold with the chapter's reference, as text and as BibTeX."""
    year = about.get("rows_date", "")[:4]
    when = year or "undated"
    plain = f"{author} ({when}). {title}. In: {book}, version {about['version']}." + (f" {url}" if url else "")
    fields = [("author", f"{{{author}}}"), ("title", title), ("booktitle", book), ("year", year)]
    fields += [("note", f"Version {about['version']}"), ("url", url)]
    lines = ",\n".join(f"  {key} = {{{value}}}" for key, value in fields if value)
    bibtex = f"@incollection{{mistrust-{name},\n{lines}\n}}"
    return (
        '<details class="mt-cite"><summary>Cite this chapter</summary>'
        f'<p>{escape(plain)}</p><pre tabindex="0" aria-label="BibTeX entry">{escape(bibtex)}</pre></details>'
    )


def fold(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Make every admonition of class `dropdown` (a solution, above all) a fold that is shut without JavaScript too."""
    if app.builder.format != "html":
        return
    for node in list(doctree.findall(_folds)):
        title, *rest = node.children
        ids = " ".join(f'id="{escape(one)}"' for one in node["ids"][:1])
        others = "".join(f'<span id="{escape(one)}"></span>' for one in node["ids"][1:])
        start = f'<details class="mt-fold" {ids}><summary>{escape(title.astext())}</summary>{others}'
        parent = node.parent
        at = parent.index(node)
        # Not replace_self: it would hand the classes on, and wrap the opening tag in an element of its own.
        parent[at : at + 1] = [nodes.raw("", start, format="html"), *rest, nodes.raw("", "</details>", format="html")]


def _folds(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Admonition) and "dropdown" in node["classes"] and isinstance(node[0], nodes.title)


def tell(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Give each picture a short alternative text, and a figure whose text is longer a fold with all of it.

    A deck's pictures have none: there it is the chapter's figure, which each links to, that says it in full.
    """
    for image in list(doctree.findall(nodes.image)):
        told = image.get("alt", "")
        if len(told) <= MOST:
            continue
        figure, caption = image.parent, next(image.parent.findall(nodes.caption), None)
        if not isinstance(figure, nodes.figure) or caption is None:
            image["alt"] = brief(told, more="")
            continue
        image["alt"] = brief(told)
        words = "".join(part.astext() for part in caption.children if not isinstance(part, nodes.raw))
        fold = nodes.raw("", in_full(told, words.partition(". ")[0].strip().removesuffix(".")), format="html")
        figure.insert(figure.index(caption) + 1, nodes.legend("", fold))


def head_rows(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Make the first column of every table in Markdown heads of its rows; what stands there names the line."""
    for group in doctree.findall(nodes.tgroup):
        columns = [one for one in group.children if isinstance(one, nodes.colspec)]
        if len(columns) > 1:
            columns[0]["stub"] = 1


DASH = re.compile(r"<(t[dh])((?: (?!aria-label)[^\s>=]+(?:=\"[^\"]*\")?)*)>((?:<p>)?–(?:</p>)?)</\1>")


def mend(body: str) -> str:
    """The page without what a screen reader stumbles over.

    A fold's summary must be called what it shows; a list of references holds list items; an empty head heads nothing;
    a head says what it heads; a dash alone in a cell is not spoken. sphinx-thebe's settings name another project's
    repository, and nothing reads them.
    """
    body = re.sub(r'<script type="text/x-thebe-config">.*?</script>', "", body, flags=re.DOTALL)
    body = re.sub(r"<script>kernelName = '[^']*'</script>", "", body)
    body = re.sub(r'(<summary[^>]*?) aria-label="[^"]*"', r"\1", body)
    body = body.replace('role="doc-biblioentry"', 'role="listitem"')
    # Of tables in Markdown. What heads the column of heads is of both classes, and heads its column.
    for kind, scope in (("head", "col"), ("stub", "row")):
        body = re.sub(rf'<th class="{kind}(?=[ "])', f'<th scope="{scope}" class="{kind}', body)
    body = DASH.sub(r'<\1\2 aria-label="none">\3</\1>', body)
    return re.sub(r"<th(?: [^>]*)?>\s*</th>", "<td></td>", body)


TITLE = '<p class="{} admonition-title">{}</p>'
CAPTION = re.compile(
    r'<(caption|figcaption|div class="mt-title")(?=[ >])[^>]*>(.*?)</(?:caption|figcaption|div)>', re.DOTALL
)
NOT_SAID = re.compile(r'<span class="caption-number">.*?</span>|<details\b.*?</details>|<[^>]+>', re.DOTALL)
CELL = re.compile(r'<div class="cell( tag_[^"]*)? docutils')
EXERCISE = re.compile(r'<span class="caption-number">(Exercise [\d.]+) </span>')
HIDDEN = ("source", "output", "content")


def name_folds(body: str) -> str:
    """The page with every fold of a cell called by the caption of what it gives, not "code cell output".

    A solution is called by its exercise. A page has dozens of folds: their names differ for those who hear a list of
    them, and look alike.
    """
    titles = "|".join(re.escape(TITLE.format("collapsed", f"Show code cell {one}")) for one in HIDDEN)
    before, *folds = re.split(f"({titles})", body)
    named = [before]
    asked = EXERCISE.findall(before)
    for title, rest in zip(folds[::2], folds[1::2], strict=True):
        # What comes up to the next fold, or the next cell, is this one's; a later caption is another's.
        own = CELL.split(rest.partition('class="admonition hide')[0])[0]
        found = CAPTION.search(own)
        words = NOT_SAID.sub("", found[2]).partition(". ")[0].strip().removesuffix(".") if found else ""
        tags = (CELL.findall(named[-1]) or [""])[-1]
        if "cell output" in title:
            shown, end = f"Show: {words or 'what the cell gives'}", "Hide"
        elif "tag_solution" in tags:
            shown, end = "Show the solution" + _unseen("".join(asked[-1:])), "Hide the solution"
        else:
            shown, end = "Show code" + _unseen(words), "Hide code"
        opened = re.compile(r'<p class="expanded admonition-title">Hide code cell \w+</p>')
        named += TITLE.format("collapsed", shown), opened.sub(TITLE.format("expanded", end), rest, count=1)
        asked += EXERCISE.findall(rest)
    return "".join(named)


def _unseen(words: str) -> str:
    """Say further words to those alone who hear the page; nothing where there are none."""
    return f'<span class="visually-hidden">: {words}</span>' if words else ""


def finish(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Last hand on each page: after the theme and all other extensions."""
    # sphinx-thebe puts its script in twice, and the second declaration of a constant is an error on every page.
    scripts = [one for one in context.get("script_files", ()) if not _thebe(one)]
    # A page without formulas needs no MathJax, a quarter of what the first page weighs; outputs of notebooks may hold
    # formulas that only the browser finds.
    if not page.startswith("notebooks/") and 'class="math' not in (context.get("body") or ""):
        scripts = [one for one in scripts if "mathjax/" not in str(getattr(one, "filename", one))]
    context["script_files"] = scripts
    about = built(app)
    context["theme_extra_footer"] = foot(about)
    if not context.get("body"):
        return
    context["body"] = name_folds(mend(context["body"]))
    if page.startswith("notebooks/"):
        url = app.config.html_theme_options.get("repository_url", "")
        numbered = re.sub(r'<span class="section-number">.*?</span>', "", str(context.get("title", page)))
        title = unescape(re.sub(r"<[^>]+>", "", numbered))
        name = page.rpartition("/")[2]
        context["body"] += citation(title, name, app.config.author, app.config.html_title, about, url)


def thin(app: Sphinx, error: Exception | None) -> None:
    """Drop what no reader asks for: maps of packed scripts to their sources, and outputs of notebooks to download.

    Together 14 MB of 60. What a notebook gave stands on its page; whoever takes it runs it.
    """
    if error is not None or app.builder.format != "html":
        return
    for path in (Path(app.outdir) / "_static").rglob("*.map"):
        path.unlink()
    for path in (Path(app.outdir) / "_sources").rglob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def titled(text: str) -> str:
    """The page, whose title is not twice the book's: the theme adds it to that of the first page, which is the same."""
    return re.sub(r"<title>\s*(.*?)\s*(?:—|&#8212;)\s*\1\s*</title>", r"<title>\1</title>", text, count=1)


def colour(app: Sphinx, error: Exception | None) -> None:
    """Leave it to the page's script to name the colour theme: without one the theme's own colours then apply.

    They know "light", "dark" and none; where the page itself says "auto", links and the bar at its head have no colour.
    On the same way through all pages, `titled`.
    """
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        named = titled(re.sub(r'(<html[^>]*?) data-theme="auto"', r"\1", text, count=1))
        if named != text:
            path.write_text(named, encoding="utf-8")


def _thebe(script: Any) -> bool:
    held = f"{getattr(script, 'filename', script)} {getattr(script, 'attributes', {}).get('body', '')}"
    return "thebe" in held.lower()


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    early: list[Callable[[Sphinx], None]] = [set_theme, lay_mathjax]
    for one in early:
        app.connect("builder-inited", one)
    app.connect("doctree-resolved", fold, priority=900)
    app.connect("doctree-resolved", head_rows, priority=900)
    app.connect("doctree-resolved", tell, priority=900)  # slides have their figures by then
    app.connect("html-page-context", finish, priority=990)
    app.connect("build-finished", thin)
    app.connect("build-finished", colour)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
