"""What the reference tells of: every name that a package exports, on which page, and where it is told once."""

import ast
import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from mistrust import paths

FOLDER = "book/reference/"  # one file a page, which the builder of the book fills
# Modules that stand under no package: what all others rest on.
GROUND = ("errors", "registry", "rows", "random", "parameters", "exchange", "over_models", "exercises")
GROUND_PAGE = "ground"
EXPORTS = "\n__all__ = ["


@dataclass(frozen=True)
class Name:
    """A name that a package exports.

    Attributes
    ----------
    package : the package, with dots.
    name : in that package.
    kind : "class", "function", "module" or "data".
    held : what it names.
    """

    package: str
    name: str
    kind: str
    held: Any

    @property
    def path(self) -> str:
        """The name with its package."""
        return f"{self.package}.{self.name}"


@cache
def pages() -> dict[str, tuple[str, ...]]:
    """Pages by name, each with the packages that it tells of."""
    found: dict[str, list[str]] = {}
    for package in _packages():
        found.setdefault(package.split(".")[1], []).append(package)
    return {page: tuple(held) for page, held in found.items()} | {
        GROUND_PAGE: tuple(f"mistrust.{name}" for name in GROUND)
    }


@cache
def names(package: str) -> tuple[Name, ...]:
    """What a package exports, or what a module without `__all__` defines, in alphabetical order."""
    module = importlib.import_module(package)
    found = getattr(module, "__all__", None) or _defined(module)
    return tuple(Name(package, one, _kind(getattr(module, one)), getattr(module, one)) for one in sorted(found))


@cache
def told() -> Mapping[str, str]:
    """Where each exported name is told: its path, by every path that leads to the same thing, its own module's too."""
    homes: dict[int, str] = {}
    found: dict[str, str] = {}
    every = [one for packages in pages().values() for package in packages for one in names(package)]
    for one in sorted(every, key=lambda one: (one.package.count("."), one.package)):
        plain = type(one.held) in (str, int, float, tuple)  # equal values may be one object
        home = one.path if plain else homes.setdefault(id(one.held), one.path)
        found[one.path] = home
        if one.kind in ("class", "function"):
            found.setdefault(f"{one.held.__module__}.{one.held.__qualname__}", home)
    return found


@cache
def by_name() -> Mapping[str, str]:
    """Paths of exported classes, functions and constants whose name means one thing only."""
    homes: dict[str, set[str]] = {}
    for path, home in told().items():
        if path == home:
            homes.setdefault(path.rpartition(".")[2], set()).add(home)
    return {name: min(found) for name, found in homes.items() if len(found) == 1}


def page_of(home: str) -> str:
    """The page that tells what stands under a path."""
    part = home.split(".")[1]
    return GROUND_PAGE if part in GROUND else part


def _packages() -> list[str]:
    """Packages and modules that export names, outermost first, and the packages that hold such."""
    full = set()
    for path in paths.PACKAGE.rglob("*.py"):
        inside = path.relative_to(paths.PACKAGE).with_suffix("").parts
        within = inside[:-1] if inside[-1] == "__init__" else inside
        if len(inside) > 1 and EXPORTS in path.read_text(encoding="utf-8"):
            full.add(".".join(("mistrust", *within)))
    outer = {f"mistrust.{one.split('.')[1]}" for one in full}
    return sorted(full | outer, key=lambda one: one.split("."))


def _defined(module: ModuleType) -> list[str]:
    """Classes and functions that a module without `__all__` defines for others."""
    if hasattr(module, "__path__"):
        return []
    return [
        name
        for name, held in vars(module).items()
        if not name.startswith("_") and _kind(held) in ("class", "function") and held.__module__ == module.__name__
    ]


def _kind(held: Any) -> str:
    if isinstance(held, ModuleType):
        return "module"
    if isinstance(held, type) and held.__module__.startswith("mistrust"):
        return "class"
    return "function" if inspect.isfunction(inspect.unwrap(held)) else "data"


def comment(one: Name) -> str:
    """The comment on a constant in its source: above it, or at the end of its line; "" where there is none."""
    found = _assignment(one.package, one.name)
    if found is None:
        return ""
    lines, at = found
    above: list[str] = []
    while at - 2 - len(above) >= 0 and lines[at - 2 - len(above)].startswith("# "):
        above.insert(0, lines[at - 2 - len(above)][2:])
    if above:
        return " ".join(above)
    _, mark, beside = lines[at - 1].partition("  # ")
    return beside.strip() if mark and not beside.startswith(("noqa", "pyrefly", "fmt")) else ""


def _assignment(package: str, name: str) -> tuple[list[str], int] | None:
    """The lines of the module that assigns a name, and the line's number from 1; imports are followed."""
    module = importlib.import_module(package)
    lines = inspect.getsource(module).splitlines()
    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name and str(node.module).startswith("mistrust"):
                    return _assignment(str(node.module), alias.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return lines, node.lineno
    return None
