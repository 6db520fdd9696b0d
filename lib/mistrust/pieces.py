"""All pieces of an experiment through the engine; those that lie in the store are read where the caller is."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import pandas as pd

from mistrust import engine
from mistrust.errors import MistrustError, UnknownName
from mistrust.store import Maker, why

# What one piece does on the way: so many networks of an ensemble, so many passes of ALOOC. More, which take even a GPU
# minutes each or in all, are pieces that prepare it.
FEW, LONG = 4, 50

# What the store keeps rows by: who makes them, and from what.
Kept = tuple[Maker[pd.DataFrame], Mapping[str, Any]]
P = TypeVar("P")
T = TypeVar("T")


def known(table: Mapping[str, T], name: str, names: Iterable[str] | None = None) -> T:
    """Give the piece of that name.

    Parameters
    ----------
    names : of all pieces, for the message, where the table does not hold every one.

    Raises
    ------
    UnknownName
        There is no such piece; the nearest one is named.
    """
    if name not in table:
        raise UnknownName("piece", name, table if names is None else names)
    return table[name]


def lacking(parts: Iterable[Kept]) -> list[str]:
    """Say why the store does not hold all parts of a piece; nothing when it does."""
    return [reason for maker, spec in parts for reason in why(maker, spec)]


def gather(
    piece: Callable[[P, str], pd.DataFrame],
    missing: Callable[[P, str], list[str]],
    parameters: P,
    names: Sequence[str],
    *,
    label: str = "pieces",
    engine_name: str | None = None,
) -> pd.DataFrame:
    """Give the rows of every piece as one frame, in the order of the names.

    Parameters
    ----------
    piece : gives the rows of one.
    missing : says why the store does not hold one; nothing where it does, and no process is started for it.
    label : of the progress bar.
    engine_name : see `mistrust.engine.map`.

    Raises
    ------
    PiecesFailed
        Some pieces failed; the rows of the others are in the store.
    MistrustError
        Workers of a cluster made pieces that this store lacks still: with other code or data, or in a store of theirs.
    """

    def ready(name: str) -> bool:
        return not missing(parameters, name)

    frames = engine.map(
        partial(piece, parameters), list(names), names=list(names), engine=engine_name, label=label, ready=ready
    )
    if engine.named(engine_name) not in engine.ENGINES:  # an address
        _same_store(missing, parameters, names)
    return pd.concat(frames, ignore_index=True)


def _same_store(missing: Callable[[P, str], list[str]], parameters: P, names: Sequence[str]) -> None:
    """Refuse what workers made of other code or data, or put elsewhere: it is not what it would be called."""
    lost = {name: reasons for name in names if (reasons := missing(parameters, name))}
    if lost:
        told = "; ".join(f"{name} ({', '.join(reasons)})" for name, reasons in list(lost.items())[:3])
        raise MistrustError(
            f"The workers made {len(lost)} of {len(names)} pieces, and this store still lacks them: {told}"
            f"{'; ...' if len(lost) > 3 else ''}. They have other code, other images or another store. Start workers "
            "anew with this code, these images and MISTRUST_STORE on a folder that all share (book: On a cluster)."
        )
