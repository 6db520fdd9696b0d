"""Profiles: each chapter's parameters by purpose (smoke, quick, full, paper), read from `notebooks/profiles.toml`.

Everything is checked before anything runs: chapters, profiles and parameter names against their tables, values against
the chapter's dataclass.
"""

import dataclasses
import math
import tomllib
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from mistrust import paths
from mistrust.errors import MistrustError, UnknownName, check_known, nearest
from mistrust.parameters import Checked
from mistrust.publishing.chapters import CHAPTERS, Chapter

PROFILES = ("smoke", "quick", "full", "paper")
CUSTOM = "custom"

_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def read() -> dict[str, dict[str, dict[str, Any]]]:
    """All of `profiles.toml`, chapter -> profile -> values; refuses chapters and profiles that do not exist."""
    path = paths.root() / "notebooks" / "profiles.toml"
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MistrustError(f"The profiles cannot be read: {path}: {error.strerror}.") from error
    except tomllib.TOMLDecodeError as error:
        raise MistrustError(f"{path} is not valid TOML: {error}.") from error
    for chapter, profiles in tables.items():
        if chapter not in CHAPTERS:
            raise MistrustError(f"{path}: {UnknownName('chapter', chapter, CHAPTERS)}")
        if not isinstance(profiles, dict) or not all(isinstance(values, dict) for values in profiles.values()):
            raise MistrustError(f"{path}: [{chapter}] must hold profiles only, as [{chapter}.quick].")
        for name in profiles:
            if name not in PROFILES:
                raise MistrustError(f"{path}, [{chapter}.{name}]: {UnknownName('profile', name, PROFILES)}")
    return tables


def names(chapter: Chapter) -> list[str]:
    """The profiles that a chapter has, in the order of `PROFILES`."""
    own = read().get(chapter.name, {})
    return [name for name in PROFILES if name in own]


def profile(chapter: Chapter, name: str) -> Checked:
    """A chapter's parameters for one profile; what the profile leaves out has the dataclass's default.

    Raises
    ------
    MistrustError
        A profile that does not exist or that the chapter lacks (the nearest name is given), a parameter that does not
        exist, a value of a wrong type or out of range (the file and the profile are named).
    """
    check_known("profile", name, PROFILES, "mistrust list profiles")
    own = read().get(chapter.name, {})
    if name not in own:
        known = ", ".join(names(chapter)) or "none"
        raise MistrustError(
            f"Chapter '{chapter.name}' has no profile '{name}'. It has: {known}. "
            f"Add [{chapter.name}.{name}] to notebooks/profiles.toml."
        )
    try:
        return checked(chapter, own[name])
    except MistrustError as error:
        raise MistrustError(f"notebooks/profiles.toml, [{chapter.name}.{name}]: {error}") from error


def profile_of(chapter: Chapter, parameters: Checked) -> str:
    """The profile whose every parameter equals these, else "custom"."""
    equal = [name for name in names(chapter) if profile(chapter, name) == parameters]
    return equal[0] if equal else CUSTOM


def checked(chapter: Chapter, values: Mapping[str, Any]) -> Checked:
    """The chapter's parameters with these values; a wrong one is refused, and it is said what lists all."""
    kind = chapter.parameters()
    known = [one.name for one in dataclasses.fields(kind)]
    for name, value in values.items():
        if name not in known:
            near = nearest(name, known)
            hint = f" Did you mean '{near}'?" if near else ""
            raise MistrustError(f"Chapter '{chapter.name}' has no parameter '{name}'.{hint}{_all(chapter)}")
        if any(isinstance(item, float) and not math.isfinite(item) for item in _items(value)):
            raise MistrustError(f"Parameter '{name}' is {value!r}, expected a number that is finite.{_all(chapter)}")
    try:
        return kind.of(values)
    except MistrustError as error:
        raise MistrustError(f"{error}{_all(chapter)}") from error


def _all(chapter: Chapter) -> str:
    """Where all parameters stand: thirty lines of them would hide what was wrong."""
    return f" (`mistrust list parameters {chapter.name}` lists all)"


def describe(chapter: Chapter) -> str:
    """Every parameter of a chapter, one per line: name, type, range, default, help, source."""
    lines = [f"Parameters of {chapter.name}:"]
    for one in chapter.parameters().describe():
        span = "" if one["range"] == "any" else f", {one['range']}"
        source = f" [{one['source']}]" if one["source"] else ""
        lines.append(f"  {one['name']} ({one['type']}{span}; {one['default']}): {one['help']}{source}")
    return "\n".join(lines)


def parse(chapter: Chapter, assignments: Sequence[str], among: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Values from `key=value` texts, read as YAML by the declared type of each parameter.

    The type decides, so that `flag=false` is False, `data=no` the text "no", `rate=1e-3` a number, `007` no octal.
    Lists are written `[a, b]` or `a,b`.

    Parameters
    ----------
    among : the other parameters that they must go with; left out, the defaults.

    Raises
    ------
    MistrustError
        No `=`, a name given twice, a name that does not exist, or a value that the dataclass refuses.
    """
    kind = chapter.parameters()
    hints = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, sign, text = assignment.partition("=")
        name = name.strip()
        if not sign or not name:
            raise MistrustError(f"'-p {assignment}' is not of the form name=value, for instance -p networks=2.")
        if name in values:
            raise MistrustError(f"Parameter '{name}' is given twice: give it once.")
        values[name] = _value(text, hints[name]) if name in hints else text
    checked(chapter, {**(among or {}), **values})
    return values


def _value(text: str, kind: Any) -> Any:
    """A text as the declared type reads it; what does not fit stays text, and the dataclass refuses it by name."""
    if typing.get_origin(kind) is tuple:
        listed = text.strip() if text.strip().startswith("[") else f"[{text}]"
        try:
            # BaseLoader keeps every scalar as text: the type of the items decides, not YAML's guess.
            items = yaml.load(listed, Loader=yaml.BaseLoader)
        except yaml.YAMLError:
            return text
        inner = typing.get_args(kind)[0]
        return tuple(_value(item, inner) if isinstance(item, str) else item for item in items)
    try:
        scalar = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        scalar = text
    return _scalar(scalar, kind) if isinstance(scalar, str) else text


def _scalar(text: str, kind: Any) -> Any:
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        readings = [_scalar(text, option) for option in typing.get_args(kind)]
        return next((value for value in readings if not isinstance(value, str)), text)
    if kind is types.NoneType:
        return None if text.lower() in ("", "null", "none", "~") else text
    if kind is bool:
        return _TRUTH.get(text.lower(), text)
    if kind in (int, float):
        for number in (int, float):
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _items(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)
