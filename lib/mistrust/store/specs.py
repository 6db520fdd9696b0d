"""What a stored thing is called: makers, the canonical form of a spec, and the key made from both."""

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from mistrust.errors import MistrustError
from mistrust.registry import Registry
from mistrust.store.content import Content

if TYPE_CHECKING:
    import pandas as pd
    import torch

C = TypeVar("C", bound=Content)
KIND = re.compile(r"[a-z][a-z0-9_.-]*")


@dataclass(frozen=True)
class Maker(Generic[C]):
    """A kind of stored thing.

    Parameters
    ----------
    kind : its name, also its folder's: small letters, digits, `_`, `.` and `-`.
    version : raised whenever the same spec would give something else.
    content : "tensors" (a dict of named tensors) or "table" (a data frame).
    smoke : makes a tiny thing of this kind; a test compares its digest with the committed one of this version.

    Examples
    --------
    What a new version makes is another thing, whatever the spec:

    >>> key(Maker("squares", 1, "tensors"), {"up to": 3}) == key(Maker("squares", 2, "tensors"), {"up to": 3})
    False
    """

    kind: str
    version: int
    content: Literal["tensors", "table"]
    smoke: Callable[[], C] | None = None

    def __post_init__(self) -> None:
        if not KIND.fullmatch(self.kind):
            raise MistrustError(f"A maker's kind is {self.kind!r}, expected small letters, digits, '_', '.' and '-'.")
        if self.content not in ("tensors", "table"):
            raise MistrustError(f"Maker '{self.kind}' makes {self.content!r}, expected 'tensors' or 'table'.")
        if isinstance(self.version, bool) or not isinstance(self.version, int) or self.version < 1:
            raise MistrustError(f"Maker '{self.kind}' has version {self.version!r}, expected a whole number from 1 on.")


MAKERS: Registry[Maker[Any]] = Registry("maker", "mistrust store list")


@overload
def maker(
    kind: str, version: int, content: Literal["tensors"], smoke: "Callable[[], dict[str, torch.Tensor]] | None" = None
) -> "Maker[dict[str, torch.Tensor]]": ...


@overload
def maker(
    kind: str, version: int, content: Literal["table"], smoke: "Callable[[], pd.DataFrame] | None" = None
) -> "Maker[pd.DataFrame]": ...


def maker(
    kind: str, version: int, content: Literal["tensors", "table"], smoke: Callable[[], Any] | None = None
) -> Maker[Any]:
    """Make a `Maker` and enter it in `MAKERS`; the same kind, version and content again gives the one that is there.

    Examples
    --------
    >>> from mistrust.networks import NETWORK
    >>> maker("network", NETWORK.version, "tensors") is NETWORK  # the one that is there
    True
    >>> maker("network", NETWORK.version + 1, "tensors")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: There is a maker 'network' already: give the new one another name.
    """
    new = Maker[Any](kind, version, content, smoke)
    if kind in MAKERS:  # a module loaded again, or a notebook's cell run twice
        old = MAKERS[kind]
        if (old.version, old.content) == (version, content):
            return old
    return MAKERS.add(kind, new)


def canonical(spec: Any) -> str:
    """The one text of a spec: JSON with sorted names, equal for equal specs and different for different ones.

    Mappings and dataclasses become objects, lists and tuples become lists; 1, 1.0 and true differ.

    Raises
    ------
    MistrustError
        Anything else in it, NaN, or a name that is no text; the message gives the path to it.

    Examples
    --------
    >>> canonical({"b": 1, "a": (1, 2)})
    '{"a":[1,2],"b":1}'
    """
    return json.dumps(plain(spec), sort_keys=True, separators=(",", ":"))


def plain(value: Any, path: str = "") -> Any:
    """The same spec as plain dicts, lists, text, numbers, true, false and null; refuses what `canonical` refuses."""
    where = f"at '{path}'" if path else "at the top"
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            raise MistrustError(f"A spec holds NaN {where}: it equals nothing, itself included. Use None.")
        return float(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise MistrustError(f"A spec has the name {name!r} ({type(name).__name__}) {where}, expected text.")
        return {str(name): plain(inner, f"{path}.{name}" if path else name) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner, f"{path}[{i}]") for i, inner in enumerate(value)]
    hint = " Use its checksum." if hasattr(value, "shape") and getattr(value, "shape", ()) != () else ""
    hint = " Use .item()." if not hint and hasattr(value, "item") else hint
    raise MistrustError(
        f"A spec holds a {type(value).__module__}.{type(value).__name__} {where}, "
        f"expected text, numbers, true, false, None, lists, mappings or dataclasses.{hint}"
    )


def key(maker: Maker[Any], spec: Mapping[str, Any]) -> str:
    """The name of the thing that `spec` describes: 20 hexadecimal digits.

    Examples
    --------
    >>> squares = Maker("squares", 1, "tensors")
    >>> key(squares, {"up to": 3, "power": 2}) == key(squares, {"power": 2, "up to": 3})
    True
    >>> len(key(squares, {"up to": 3}))
    20
    """
    return key_of(maker.kind, maker.version, spec)


def key_of(kind: str, version: int, spec: Any) -> str:
    """The same from a kind and a version."""
    whole = canonical({"kind": kind, "version": version, "spec": spec})
    return hashlib.sha256(whole.encode()).hexdigest()[:20]


def leaves(spec: Any, path: str = "") -> dict[str, str]:
    """A plain spec's leaves by path ("recipe.epochs"), as JSON text; a list of scalars is one leaf."""
    if isinstance(spec, dict) and spec:
        inner = [(f"{path}.{name}" if path else name, value) for name, value in spec.items()]
    elif isinstance(spec, list) and any(isinstance(value, (dict, list)) for value in spec):
        inner = [(f"{path}[{i}]", value) for i, value in enumerate(spec)]
    else:
        return {path: json.dumps(spec)}
    return {name: text for where, value in inner for name, text in leaves(value, where).items()}
