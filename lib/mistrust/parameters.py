"""Parameters of an experiment: a frozen dataclass whose fields know their type, range, help and source.

One such class a chapter. The command line, the notebook's parameter cell and the profiles are all checked against it.
"""

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar

from mistrust.errors import MistrustError, UnknownName

P = TypeVar("P", bound="Checked")


def parameter(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[Any, ...] | None = None,
    source: str = "",
) -> Any:
    """A dataclass field with its help text, closed range or choices, and where it comes from (paper, section).

    Lists are given as tuples; `low`, `high` and `choices` hold for each of their items.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Parameters(Checked):
    ...     data: str = parameter("mnist", "which images", choices=("mnist", "fmnist"), source="section 4")
    >>> Parameters().data
    'mnist'
    >>> Parameters(data="cifar10")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: ...
    """
    about = {"help": help, "low": low, "high": high, "choices": choices, "source": source}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Checked:
    """Base of all parameter classes: checks every value when made.

    Raises
    ------
    MistrustError
        A value of another type or outside its range; the message gives name, value, what was expected, and help.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Parameters(Checked):
    ...     networks: int = parameter(3, "how many networks", low=1, high=20)
    >>> Parameters.of({"networks": 5}).networks
    5
    >>> Parameters(networks=0)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: ...
    >>> Parameters.of({"network": 5})
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no parameter 'network'. Did you mean 'networks'? Known: networks.
    """

    def __post_init__(self) -> None:
        hints = typing.get_type_hints(type(self))
        for one in fields(self):
            value = getattr(self, one.name)
            kind = hints[one.name]
            value = _converted(value, kind)
            object.__setattr__(self, one.name, value)
            _check(one, kind, value)

    @classmethod
    def of(cls: type[P], values: Mapping[str, Any]) -> P:
        """Make one from names and values; an unknown name is refused with the nearest known one."""
        known = [one.name for one in fields(cls)]
        for name in values:
            if name not in known:
                raise UnknownName("parameter", name, known)
        return cls(**values)

    @classmethod
    def describe(cls) -> list[dict[str, str]]:
        """One mapping a parameter: name, type, default, range, help, source, all as text."""
        hints = typing.get_type_hints(cls)
        return [
            {
                "name": one.name,
                "type": type_text(hints[one.name]),
                "default": repr(one.default) if one.default is not MISSING else "",
                "range": _range_text(one),
                "help": str(one.metadata["help"]),
                "source": str(one.metadata["source"]),
            }
            for one in fields(cls)
        ]


def _converted(value: Any, kind: Any) -> Any:
    """Lists become tuples and whole numbers floats, where that is what the type asks for; nothing else changes."""
    if typing.get_origin(kind) is tuple and isinstance(value, (list, tuple)):
        inner = typing.get_args(kind)[0]
        return tuple(_converted(v, inner) for v in value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _check(one: "Field[Any]", kind: Any, value: Any) -> None:
    about = one.metadata
    if not _fits(value, kind):
        raise MistrustError(
            f"Parameter '{one.name}' is {value!r} ({type(value).__name__}), expected {type_text(kind)}: {about['help']}"
        )
    if isinstance(value, tuple) and len(set(value)) < len(value):
        twice = next(item for item in value if value.count(item) > 1)
        raise MistrustError(f"Parameter '{one.name}' names {twice!r} twice: {about['help']}")
    for item in value if isinstance(value, tuple) else (value,):
        # Written so that NaN, which compares with nothing, is outside of every range.
        outside = (about["low"] is not None and not item >= about["low"]) or (
            about["high"] is not None and not item <= about["high"]
        )
        if outside or (about["choices"] is not None and item not in about["choices"]):
            raise MistrustError(f"Parameter '{one.name}' is {item!r}, expected {_range_text(one)}: {about['help']}")


def _fits(value: Any, kind: Any) -> bool:
    origin = typing.get_origin(kind)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(v, typing.get_args(kind)[0]) for v in value)
    if origin in (types.UnionType, typing.Union):
        return any(_fits(value, k) for k in typing.get_args(kind))
    if kind is types.NoneType:
        return value is None
    if kind in (int, float):  # True is an int to Python, but never what was meant
        return isinstance(value, kind) and not isinstance(value, bool)
    return isinstance(value, kind)


def type_text(kind: Any) -> str:
    """The type as a reader would say it: int, number, text, true or false, list of int.

    Examples
    --------
    >>> type_text(int), type_text(bool), type_text(tuple[int, ...])
    ('int', 'true or false', 'list of int')
    """
    if typing.get_origin(kind) is tuple:
        return f"list of {type_text(typing.get_args(kind)[0])}"
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return " or ".join(type_text(k) for k in typing.get_args(kind))
    return {int: "int", float: "number", str: "text", bool: "true or false", types.NoneType: "null"}.get(
        kind, str(kind)
    )


def _range_text(one: "Field[Any]") -> str:
    about = one.metadata
    if about["choices"] is not None:
        return "one of " + ", ".join(map(str, about["choices"]))
    low, high = about["low"], about["high"]
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"at least {low}"
    return f"at most {high}" if high is not None else "any"
