"""A page of the reference as reStructuredText, from signatures and docstrings.

Docstrings here are prose with `names` between single marks and sections whose items read "name : what it is", which is
neither plain reStructuredText nor quite numpy's form (there a type follows the colon); so they are read here.
"""

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from mistrust.errors import MistrustError
from mistrust.publishing.reference import GROUND_PAGE, Name, by_name, comment, names, page_of, pages, told
from mistrust.publishing.reference_calls import code
from mistrust.registry import Registry
from mistrust.store import Maker

MARKED = re.compile(r"(?<![`:\w])`([^`]+)`(?![`_\w])")
SPECIAL = re.compile(r"[\\*|]|(?<=\w)_(?!\w)|`")  # what reStructuredText would take for its own
ITEM = re.compile(r"([*\w][\w.*, ()=/\[\]-]*?) : (.*)")
SECTION = re.compile(r"^(\S[^\n]*)\n-{3,}[ ]*$", re.MULTILINE)
KINDS: dict[Any, str] = {classmethod: "classmethod", staticmethod: "staticmethod"}


def page(name: str) -> str:
    """The text of a page.

    Raises
    ------
    MistrustError
        There is no page of that name.
    """
    if name not in pages():
        raise MistrustError(f"The reference has no page '{name}'. It has: {', '.join(sorted(pages()))}.")
    title = "The ground" if name == GROUND_PAGE else f"mistrust.{name}"
    parts = [_heading(title, "=")]
    if name == GROUND_PAGE:
        parts.append("Modules that stand in no package; all others rest on them.\n")
    for package in pages()[name]:
        parts.extend(_section(package, alone=package == title))
    return "\n".join(parts)


def _heading(title: str, mark: str) -> str:
    return f"{title}\n{mark * len(title)}\n"


def _section(package: str, *, alone: bool) -> Iterator[str]:
    """A package: what it is for, each of its names that is not told elsewhere, where the others are, its modules."""
    if not alone:
        yield _heading(package, "-")
    yield f".. py:module:: {package}\n"
    yield prose(inspect.getdoc(importlib.import_module(package)) or "")
    again = []
    for one in names(package):
        if one.kind != "module" and told()[one.path] == one.path:
            yield entry(one)
        elif one.kind != "module":
            again.append(f":py:obj:`{one.name} <{told()[one.path]}>`")
    if again:
        yield f"Told elsewhere: {', '.join(again)}.\n"
    modules = [one for one in names(package) if one.kind == "module"]
    if modules:
        yield "Its modules:\n"
    for one in modules:
        first = " ".join((inspect.getdoc(one.held) or "").split("\n\n")[0].split())
        yield f"``{one.name}``\n   {marked(first)}"
    yield ""


def entry(one: Name) -> str:
    """All that is told of a class, a function or a constant."""
    if one.kind == "data":
        said = [part for part in (marked(comment(one)), value(one.held)) if part]
        return _directive("data", one.name, "\n\n".join(said))
    said = _said(one.held, one.name)
    if one.kind == "function":
        return _directive("function", one.name, code(one.name, one.held) + prose(said))
    members = [_member(name, held) for name, held in vars(one.held).items() if not name.startswith("_")]
    body = "\n".join([prose(said), *(text for text in members if text)])
    return _directive("class", one.name, code(one.name, one.held) + body)


def _member(name: str, held: Any) -> str:
    """A method or property of a class that has something said of it."""
    kind = KINDS.get(type(held), "method")
    plain = held if kind == "method" else held.__func__
    if not (inspect.isroutine(plain) or isinstance(plain, property) or hasattr(plain, "func")):
        return ""
    said = _said(plain, name)
    if not said:
        return ""
    if not inspect.isroutine(plain):
        return _directive("property", name, prose(said))
    return _directive(kind, name, code(name, plain, bound=kind != "staticmethod") + prose(said))


def _directive(kind: str, head: str, body: str) -> str:
    return f".. py:{kind}:: {head}\n\n{textwrap.indent(body.strip(), '   ')}\n"


def _said(held: Any, name: str) -> str:
    """A docstring, but for what `dataclass` writes where nobody wrote anything."""
    said = inspect.getdoc(held) or ""
    return "" if said.startswith(f"{name}(") else said


def prose(text: str) -> str:
    """A docstring as reStructuredText: sections as fields, their items as definitions, examples as they are."""
    first, *sections = SECTION.split(text)
    parts = [_paragraphs(first), *(_field(*one) for one in zip(sections[::2], sections[1::2], strict=True))]
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def _field(title: str, text: str) -> str:
    """A section: of examples, or of items or prose as HTML, since the builder walks over every node seventy times."""
    if title.startswith("Example"):
        return f".. rubric:: {title}\n\n{_paragraphs(text)}"
    items = title in ("Raises", "Warns") or any(ITEM.fullmatch(line) for line in text.splitlines())
    parts = [_item(part) for part in re.split(r"\n(?=\S)", text.strip())] if items else [_html(text)]
    held = f'<dl class="simple">{"".join(parts)}</dl>' if items else "".join(parts)
    made = f'<dl class="field-list simple"><dt>{title}<span class="colon">:</span></dt><dd>{held}</dd></dl>'
    return f".. raw:: html\n\n{textwrap.indent(made, '   ')}"


def _item(text: str) -> str:
    """One item: "name : what it is", or the name of an error with what it is below."""
    first, _, rest = text.partition("\n")
    found = ITEM.fullmatch(first)
    if found:
        return f"<dt>{_code(found[1])}</dt><dd>{_html(found[2] + chr(10) + textwrap.dedent(rest))}</dd>"
    return f"<dt>{_linked_html(first) if first.isidentifier() else _inline(first)}</dt><dd>{_html(rest)}</dd>"


def _html(text: str) -> str:
    """Prose as HTML, a paragraph each."""
    blocks = re.split(r"\n\s*\n", textwrap.dedent(text).strip("\n"))
    return "".join(f"<p>{_inline(block)}</p>" for block in blocks if block.strip())


def _inline(text: str) -> str:
    """What `marked` gives, as HTML."""
    out: list[str] = []
    end = 0
    for found in MARKED.finditer(text):
        out += [escape(text[end : found.start()], quote=False), _linked_html(found[1])]
        end = found.end()
    return "".join([*out, escape(text[end:], quote=False)])


def _linked_html(name: str) -> str:
    said = " ".join(name.split())
    home = _home(said)
    if home is None:
        return _code(said)
    return f'<a class="reference internal" href="{page_of(home)}.html#{home}">{_code(home.rpartition(".")[2])}</a>'


def _code(text: str) -> str:
    return f'<code class="docutils literal notranslate"><span class="pre">{escape(text, quote=False)}</span></code>'


def _paragraphs(text: str) -> str:
    """Prose with its lists, tables of Markdown as tables, doctests untouched."""
    blocks = re.split(r"\n\s*\n", textwrap.dedent(text).strip("\n"))
    return "\n\n".join(_block(block) for block in blocks if block.strip() not in ("", "::"))


def _block(block: str) -> str:
    """One paragraph, table, doctest, or indented code."""
    first = block.lstrip()
    if all(line.startswith("    ") for line in block.splitlines()):
        return f".. code-block:: python\n\n{block}"
    if first.startswith(">>>"):
        return textwrap.dedent(block)
    if first.startswith("|") and first.rstrip().endswith("|"):
        return _table(first)
    return marked(block)


def _table(block: str) -> str:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]
    shown = [row for row in rows if not set("".join(row)) <= set("-: ")]
    lines = [f"   {'*' if i == 0 else ' '} - {marked(cell)}" for row in shown for i, cell in enumerate(row)]
    return ".. list-table::\n   :header-rows: 1\n\n" + "\n".join(lines)


def marked(text: str) -> str:
    """A text whose names between single marks are code, or a link where a name is told; nothing else is markup."""
    out: list[str] = []
    end = 0
    for found in MARKED.finditer(text):
        out += [_plain(text[end : found.start()]), _linked(found)]
        end = found.end()
    return "".join([*out, _plain(text[end:])])


def _plain(text: str) -> str:
    return SPECIAL.sub(lambda found: "\\" + found[0], text)


def _linked(found: re.Match[str]) -> str:
    said = " ".join(found[1].split())
    home = _home(said)
    return f":py:obj:`~{home}`" if home else f"``{said}``"


def _home(said: str) -> str | None:
    """Where the name that a text marks is told, if it is."""
    home = told().get(said) or told().get(f"mistrust.{said}")
    if home is None and ("_" in said or said[:1].isupper()):  # another word may be an argument of that name
        home = by_name().get(said)
    return home


def value(held: Any) -> str:
    """What a constant holds, in words; "" where that would be no help."""
    if isinstance(held, Registry):
        return f"A table with an entry for each {held.what}: {_listed(held)}."
    if isinstance(held, Maker):
        return f"The maker of things of kind ``{held.kind}``, version {held.version}."
    if isinstance(held, Mapping):
        return f"By name: {_listed(held)}."
    if isinstance(held, tuple) and held and all(isinstance(one, Maker) for one in held):
        return f"Makers of kind {_listed(one.kind for one in held)}."
    if isinstance(held, tuple) and held and all(isinstance(one, str | int | float) for one in held):
        return f"{_listed(repr(one) for one in held)}."
    return f"``{held!r}``" if isinstance(held, str | int | float) else ""


def _listed(held: Any) -> str:
    return ", ".join(f"``{one}``" for one in held)
