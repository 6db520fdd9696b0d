"""A page of the reference as reStructuredText, from signatures and docstrings.

Docstrings here are prose with `names` between single marks and sections whose items read "name : what it is", which is
neither plain reStructuredText nor quite numpy's form (there a type follows the colon); so they are read here.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from mistrust.errors import MistrustError
from mistrust.publishing.reference import GROUND_PAGE, Name, by_name, comment, names, pages, told
from mistrust.registry import Registry
from mistrust.store import Maker

MARKED = re.compile(r"(?<![`:\w])`([^`]+)`(?![`_\w])")
SPECIAL = re.compile(r"[\\*|]|(?<=\w)_(?!\w)|`")  # what reStructuredText would take for its own
ITEM = re.compile(r"([*\w][\w.*, ()=/\[\]-]*?) : (.*)")
LONGEST = 40  # a default that is longer, or says nothing, is left out
WIDTH = 80
SECTION = re.compile(r"^(\S[^\n]*)\n-{3,}[ ]*$", re.MULTILINE)
KINDS: dict[Any, str] = {classmethod: "classmethod", staticmethod: "staticmethod"}
MARKS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


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


def code(name: str, held: Any, *, bound: bool = False) -> str:
    """How a thing is called, with types and defaults, as code: on one line, or an argument a line; "" where unknown.

    Code, since a signature that Sphinx takes apart costs the builder of the book much more time.
    """
    try:
        found = inspect.signature(held)
    except (TypeError, ValueError):
        return ""
    if isinstance(held, type) and (not found.parameters or getattr(held, "_is_protocol", False)):
        return ""  # nothing to say, or nothing to call
    types, given = _types(held)
    arguments: list[str] = []
    before = None
    for one in list(found.parameters.values())[1 if bound else 0 :]:
        if before == one.POSITIONAL_ONLY != one.kind:
            arguments.append("/")
        if one.kind == one.KEYWORD_ONLY and before not in (one.KEYWORD_ONLY, one.VAR_POSITIONAL):
            arguments.append("*")
        arguments.append(MARKS.get(one.kind, "") + _argument(one, types.get(one.name, "")))
        before = one.kind
    end = f") -> {given}" if given else ")"
    text = f"{name}({', '.join(arguments)}{end}"
    if len(text) > WIDTH:
        text = f"{name}(\n" + "".join(f"    {one},\n" for one in arguments) + end
    return f".. code-block:: python\n\n{textwrap.indent(text, '   ')}\n\n"


def _argument(one: inspect.Parameter, type_: str) -> str:
    said = f"{one.name}: {type_}" if type_ else one.name
    if one.default is one.empty:
        return said
    default = repr(one.default)
    equals = " = " if type_ else "="
    return f"{said}{equals}{default if len(default) <= LONGEST and '<' not in default else '...'}"


def _types(held: Any) -> tuple[dict[str, str], str]:
    """Types of arguments by name, and of what is given, as the source has them: Python makes them long."""
    types: dict[str, str] = {}
    if isinstance(held, type):
        for one in reversed(held.__mro__):
            body = getattr(_nodes(one.__module__).get(one.__qualname__), "body", [])
            fields = (node for node in body if isinstance(node, ast.AnnAssign))
            types |= {
                node.target.id: ast.unparse(node.annotation) for node in fields if isinstance(node.target, ast.Name)
            }
            types |= _types(vars(one).get("__init__"))[0]
        return types, ""
    held = inspect.unwrap(held) if callable(held) else held
    node = _nodes(getattr(held, "__module__", "")).get(getattr(held, "__qualname__", ""))
    if not isinstance(node, ast.FunctionDef):
        return {}, ""
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    types = {one.arg: ast.unparse(one.annotation) for one in every if one is not None and one.annotation is not None}
    return types, ast.unparse(node.returns) if node.returns is not None else ""


@cache
def _nodes(module: str) -> Mapping[str, ast.AST]:
    """Functions and classes of a module of ours, by their names with those of what holds them."""
    if not module.startswith("mistrust"):
        return {}
    found: dict[str, ast.AST] = {}

    def enter(body: Iterable[ast.AST], within: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[within + node.name] = node
                enter(node.body if isinstance(node, ast.ClassDef) else (), f"{within}{node.name}.")

    enter(ast.parse(inspect.getsource(importlib.import_module(module))).body, "")
    return found


def prose(text: str) -> str:
    """A docstring as reStructuredText: sections as fields, their items as definitions, examples as they are."""
    first, *sections = SECTION.split(text)
    parts = [_paragraphs(first), *(_field(*one) for one in zip(sections[::2], sections[1::2], strict=True))]
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def _field(title: str, text: str) -> str:
    """A section: of examples, of items, or of prose."""
    if title.startswith("Example"):
        return f".. rubric:: {title}\n\n{_paragraphs(text)}"
    items = title in ("Raises", "Warns") or any(ITEM.fullmatch(line) for line in text.splitlines())
    parts = [_item(part) for part in re.split(r"\n(?=\S)", text.strip())] if items else [_paragraphs(text)]
    return f":{title}:\n" + textwrap.indent("\n".join(parts), "   ")


def _item(text: str) -> str:
    """One item: "name : what it is", or the name of an error with what it is below."""
    first, _, rest = text.partition("\n")
    found = ITEM.fullmatch(first)
    if found:
        return f"``{found[1]}``\n" + textwrap.indent(_paragraphs(f"{found[2]}\n{textwrap.dedent(rest)}"), "   ")
    head = marked(f"`{first}`" if first.isidentifier() else first)
    return f"{head}\n" + textwrap.indent(_paragraphs(rest), "   ")


def _paragraphs(text: str) -> str:
    """Prose with its lists, tables of Markdown as tables, doctests untouched."""
    blocks = re.split(r"\n\s*\n", textwrap.dedent(text).strip("\n"))
    return "\n\n".join(_block(block) for block in blocks if block.strip())


def _block(block: str) -> str:
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
    home = told().get(said) or told().get(f"mistrust.{said}")
    if home is None and ("_" in said or said[:1].isupper()):  # another word may be an argument of that name
        home = by_name().get(said)
    return f":py:obj:`~{home}`" if home else f"``{said}``"


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
