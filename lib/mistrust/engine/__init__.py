"""Work spread over cores or machines: `engine.map(function, pieces)` gives the same results in the same order anywhere.

| engine | where the pieces run |
|---|---|
| `inline` | in this process, one after the other |
| `processes` | on processes of this machine |
| `local` | on a Dask cluster started on this machine |
| `tcp://HOST:PORT` or `dask://HOST:PORT` | on the Dask cluster of that scheduler |
| `auto` | one piece inline, more on processes |

A piece that fails, or whose process is killed, costs itself only. Inside a piece, `map` runs inline.
"""

import os
import re
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, TypeVar

from mistrust.engine import free
from mistrust.engine.failures import Failure, PiecesFailed
from mistrust.engine.work import Outcome, Task, inside
from mistrust.errors import MistrustError, MistrustWarning, nearest
from mistrust.progress import bar

__all__ = ["ENGINES", "Failure", "PiecesFailed", "answers", "cores", "map", "named", "warm"]

P = TypeVar("P")
R = TypeVar("R")

ENGINES = ("auto", "inline", "processes", "local")
SCHEMES = ("tcp://", "tls://", "ws://", "wss://", "ucx://", "dask://", "inproc://")
# Bytes that a worker may take. Measured: 0.5 to 1.2 GB with the profile `quick`, 0.8 to 2 with `full`.
WORKER = 3 * 2**29
PLACE = re.compile(r"(\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]]+):(\d{1,5})(/\S*)?")  # HOST:PORT


def map(
    function: Callable[[P], R],
    pieces: Sequence[P],
    *,
    names: Sequence[str] | None = None,
    engine: str | None = None,
    workers: int | None = None,
    threads: int = 1,
    label: str = "pieces",
    ready: Callable[[P], bool] | None = None,
) -> list[R]:
    """Call `function` on each piece; the results stand in the order of the pieces.

    Parameters
    ----------
    function : anything callable; it may stand in a module, a script or a notebook.
    pieces : its arguments, one per call.
    names : what the pieces are called in messages; by default the pieces themselves where they are text, else
        "piece 1", "piece 2", ...
    engine : "inline", "processes", "local", the address of a Dask scheduler, or "auto"; by default `MISTRUST_ENGINE`,
        else "auto".
    workers : how many run at once; by default `MISTRUST_WORKERS`, else one per core, or fewer where memory is short:
        one per 1.5 GiB that are free. A cluster with an address has its own number.
    threads : threads of torch and of linear algebra for each piece, the same in every engine, since sums depend on it.
    label : what the pieces are, in the plural, for the progress bar and messages.
    ready : whether a piece is made already, so that it is only fetched: in this process, before all others.

    Raises
    ------
    PiecesFailed
        When all pieces that could be finished are finished, and some failed: names each and says why; `.results`
        holds what the others gave.
    MistrustError
        An engine that does not exist, a scheduler that does not answer.

    Examples
    --------
    >>> map(abs, [-1, 2], engine="inline")
    [1, 2]
    """
    todo = list(pieces)
    called = _names(todo, names, label)
    chosen = named(engine)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise MistrustError(f"threads is {threads!r}, expected a whole number from 1 on.")
    tasks = [Task(i, name, function, piece, threads) for i, (name, piece) in enumerate(zip(called, todo, strict=True))]
    here = {task.index for task in tasks if ready is not None and ready(task.piece)}
    fetched, made = [t for t in tasks if t.index in here], [t for t in tasks if t.index not in here]
    team = _workers(workers, len(made))
    if inside() or (chosen == "auto" and len(made) == 1):
        chosen = "inline"
    results: list[Any] = [None] * len(tasks)
    failures: dict[int, Failure] = {}
    if tasks:
        known, others = _outcomes(fetched, "inline", 1), _outcomes(made, chosen, team)
        said: dict[str, Any] = {"at once": f"{team}, memory is short"} if _short(workers, team, len(made)) else {}
        with bar(len(tasks), label, "piece") as progress, closing(known), closing(others):
            progress.say(**said)
            for outcome in chain(known, others):
                for text in outcome.warnings:
                    warnings.warn(text, MistrustWarning, stacklevel=2)
                if outcome.failure is None:
                    results[outcome.index] = outcome.value
                else:
                    failures[outcome.index] = outcome.failure
                    progress.say(**said, failed=len(failures))
                progress.update()
    if failures:
        found = [failures[i] for i in sorted(failures)]
        raise PiecesFailed(label, found, results) from found[0].error
    return results


def answers(asked: str | None = None) -> None:
    """Refuse an engine that does not exist, a number of workers that is none, a scheduler that does not answer.

    Examples
    --------
    >>> answers("inline")  # it does: nothing is said
    >>> answers("inlne")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: There is no engine 'inlne'. Did you mean 'inline'? ...
    """
    name = named(asked)
    _workers(None, 1)
    if name not in ENGINES:
        from mistrust.engine import cluster

        cluster.answers(name)


def warm(engine: str | None = None) -> None:
    """Get ready, beside what the caller does meanwhile, for pieces on processes; nothing where none are wanted.

    Parameters
    ----------
    engine : as in `map`.

    Examples
    --------
    >>> warm()  # the first worker of a later `map` starts at once
    """
    if named(engine) in ("auto", "processes") and _workers(None, cores()) > 1:
        from mistrust.engine import processes

        processes.warm()


def cores() -> int:
    """How many cores this process may use.

    Examples
    --------
    >>> import os
    >>> 1 <= cores() <= os.cpu_count()
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _outcomes(tasks: list[Task], engine: str, workers: int) -> Generator[Outcome, None, None]:
    """The outcomes as they come, by the engine's own module, loaded only when it is asked for."""
    if not tasks:
        return
    if engine == "inline":
        from mistrust.engine import inline

        yield from inline.run(tasks)
    elif engine in ("auto", "processes"):
        from mistrust.engine import processes

        yield from processes.run(tasks, workers)
    else:
        from mistrust.engine import cluster

        yield from cluster.run(tasks, None if engine == "local" else engine, workers)


def named(asked: str | None = None) -> str:
    """The engine of that name or address, else `MISTRUST_ENGINE`'s, else "auto".

    Raises
    ------
    MistrustError
        There is no such engine, or an address that is none.

    Examples
    --------
    >>> named("dask://localhost:8786")
    'tcp://localhost:8786'
    """
    name = asked or os.environ.get("MISTRUST_ENGINE") or "auto"
    if name in ENGINES:
        return name
    if name.startswith(SCHEMES):
        scheme, _, place = name.partition("://")
        found = PLACE.fullmatch(place)
        if scheme != "inproc" and not (found and 1 <= int(found[2]) <= 65535):
            raise MistrustError(
                f"'{name}' is no address of a Dask scheduler, expected {scheme}://HOST:PORT with a port from 1 to "
                f"65535, for instance {scheme}://localhost:8786."
            )
        return name.replace("dask://", "tcp://", 1)
    near = nearest(name, ENGINES)
    hint = f" Did you mean '{near}'?" if near else ""
    raise MistrustError(
        f"There is no engine '{name}'.{hint} Known: {', '.join(ENGINES)}, "
        "or the address of a Dask scheduler (tcp://HOST:PORT or dask://HOST:PORT)."
    )


def _workers(asked: int | None, pieces: int) -> int:
    given: Any = asked if asked is not None else os.environ.get("MISTRUST_WORKERS") or _usual()
    try:
        count = int(given)
    except ValueError:
        count = 0
    if count < 1 or isinstance(asked, (bool, float)):
        raise MistrustError(f"The number of workers is {given!r}, expected a whole number from 1 on.")
    return max(1, min(count, pieces))


def _usual() -> int:
    """How many workers where nobody says: one per core, or as many as free memory holds."""
    return max(1, min(cores(), free.memory() // WORKER))


def _short(asked: int | None, team: int, pieces: int) -> bool:
    """Whether it is for want of memory that so few workers are at work."""
    return asked is None and not os.environ.get("MISTRUST_WORKERS") and team < min(cores(), pieces)


def _names(pieces: list[Any], names: Sequence[str] | None, label: str) -> list[str]:
    if names is None:
        called = [piece if isinstance(piece, str) else f"piece {i + 1}" for i, piece in enumerate(pieces)]
        names = called if len(set(called)) == len(called) else [f"piece {i + 1}" for i in range(len(pieces))]
    if len(names) != len(pieces):
        raise MistrustError(f"There are {len(pieces)} {label} and {len(names)} names: give each its name.")
    twice = sorted({name for name in names if list(names).count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise MistrustError(f"Two {label} have the same name: {', '.join(twice)}. Give each its own.")
    return list(names)
