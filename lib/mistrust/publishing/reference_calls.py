"""How a function or class of ours is called, as code, for a page of the reference."""

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

LONGEST = 40  # a default that is longer, or says nothing, is left out
WIDTH = 68  # what fits the column of a page
MARKS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def code(name: str, held: Any, *, bound: bool = False) -> str:
    """How a thing is called, with types and defaults, as code: on one line, or one argument per line; "" where unknown.

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
