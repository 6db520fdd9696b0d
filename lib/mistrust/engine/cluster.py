"""Pieces on a Dask cluster: one started on this machine, or the one of a scheduler's address.

Results lie on workers and die with them, so each is taken as it comes and what reads "lost" is asked for again.
"""

import asyncio
import contextlib
import logging
import secrets
import time
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from mistrust.engine import alike
from mistrust.engine.scripts import main_hidden
from mistrust.engine.threads import VARIABLES
from mistrust.engine.work import Outcome, Parcel, Task, died, execute, failed, outcome, pack
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    from distributed import Client

# Seconds for a scheduler to answer, and for its first worker to be there.
ANSWER_WITHIN = 10
WORKERS_WITHIN = 60
LOOK = 5  # seconds between looks at whether there is a worker still
# A piece whose worker died is tried again when all others are done, alone, so often: then it is the piece.
ALONE = 2
# How often a piece is asked for again when its result was lost with a worker that had finished it.
ASKED_AGAIN = 10


def run(tasks: list[Task], address: str | None, workers: int) -> Generator[Outcome, None, None]:
    """The outcomes as they come; no address means a cluster on this machine with so many workers."""
    parcels, refused = pack(tasks)
    yield from refused
    if not parcels:
        return
    with ExitStack() as stack:
        client = stack.enter_context(_local(workers, tasks[0].threads) if address is None else _at(address))
        killed: list[Parcel] = []
        for parcel, answer in _answers(client, parcels):
            if isinstance(answer, Outcome):
                yield answer
            else:
                killed.append(parcel)
        for parcel in killed:
            for _ in range(ALONE):
                ((_, answer),) = _answers(client, [parcel])
                if isinstance(answer, Outcome):
                    yield answer
                    break
            else:
                yield died(parcel.task, f"its worker was killed each time, {_alone(client)} times while it ran alone "
                           f"({answer})")  # fmt: skip


def answers(address: str) -> None:
    """Refuse a scheduler that does not answer, has no worker, or has workers that differ from this process."""
    with _at(address):
        return


def _answers(client: "Client", parcels: list[Parcel]) -> Generator[tuple[Parcel, Outcome | str], None, None]:
    """Each parcel with its outcome or, where its worker died, what the scheduler says of that."""
    from distributed import KilledWorker, as_completed

    run_name = secrets.token_hex(4)
    asked: Counter[int] = Counter()
    underway: dict[str, Parcel] = {}

    def ask(parcel: Parcel) -> Any:
        asked[parcel.task.index] += 1
        key = f"{parcel.task.name}-{run_name}-{asked[parcel.task.index]}"
        underway[key] = parcel
        return client.submit(execute, parcel.data(), key=key, pure=False)

    coming = as_completed([ask(parcel) for parcel in parcels], loop=client.loop)
    for future in _while_there_are_workers(client, coming, underway):
        parcel = underway.pop(future.key)
        task = parcel.task
        try:
            answer: Outcome | str = outcome(task, future.result())
        except KilledWorker as error:
            answer = f"the last was {error.last_worker.address}"
        except Exception as error:
            if future.status == "error":
                answer = failed(task, error)
            elif asked[task.index] <= ASKED_AGAIN and _answers_still(client):
                coming.add(ask(parcel))
                continue
            elif _answers_still(client):
                answer = died(task, f"its result was lost {ASKED_AGAIN} times ({_first_line(error)})")
            else:
                raise MistrustError(
                    f"The Dask scheduler went away while the pieces ran ({_first_line(error)}). What is finished is "
                    "in the store: start a scheduler and run again, or use the engine 'processes'."
                ) from error
        future.release()
        yield parcel, answer


def _while_there_are_workers(client: "Client", coming: Any, underway: Mapping[str, Parcel]) -> Iterator[Any]:
    """Futures as they end, for as long as there is a worker: without one nobody would end the others."""
    seen = looked = time.monotonic()
    while not coming.is_empty():
        if coming.has_ready():
            yield next(coming)
            seen = time.monotonic()
            continue
        time.sleep(0.05)
        now = time.monotonic()
        if now - looked < LOOK:
            continue
        looked = now
        with contextlib.suppress(OSError, RuntimeError):  # a scheduler that is gone ends the futures
            if client.nthreads():
                seen = now
        if now - seen > WORKERS_WITHIN:
            raise MistrustError(
                f"The last Dask worker is gone. Unfinished: {_named(underway)}. What is finished is in the store: "
                "start workers and run again. If it is a piece that ends them, they may have too little memory."
            )


def _named(underway: Mapping[str, Parcel], most: int = 5) -> str:
    names = [parcel.task.name for parcel in underway.values()]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _alone(client: "Client") -> int:
    """How often a piece was tried alone: the scheduler of somebody else tries each a few times itself."""
    try:
        return ALONE * (1 + int(client.run_on_scheduler(_allowed)))
    except Exception:
        return ALONE


def _allowed(dask_scheduler: Any = None) -> int:
    return int(dask_scheduler.allowed_failures)


def _answers_still(client: "Client") -> bool:
    try:
        client.run_on_scheduler(len, "")
    except Exception:
        return False
    return True


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


@contextmanager
def _local(workers: int, threads: int) -> Iterator["Client"]:
    """A cluster of processes on this machine: no dashboard, no memory limit (it would restart workers)."""
    import dask
    from distributed import Client, LocalCluster

    settings = {
        "distributed.scheduler.allowed-failures": 0,  # a death is judged here: see ALONE
        "distributed.scheduler.worker-saturation": 1.0,  # nothing waits on a worker, to be blamed for its death
        "distributed.nanny.pre-spawn-environ": dict.fromkeys((*VARIABLES, "MALLOC_TRIM_THRESHOLD_"), threads),
    }
    settings["distributed.nanny.pre-spawn-environ"]["MALLOC_TRIM_THRESHOLD_"] = 65536
    with (
        main_hidden(),  # all the while, since dead workers are replaced
        dask.config.set(settings),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            # A port of the system's choice for its web server: the usual one may be taken, which warns.
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _spoken(address: str) -> None:
    """Have somebody at the address speak as Dask does: `Client` waits for ever for one who accepts and says nothing."""
    from distributed.comm import connect
    from distributed.security import Security

    async def speak() -> None:
        told = Security().get_connection_args("client")
        comm = await asyncio.wait_for(connect(address, timeout=ANSWER_WITHIN, **told), ANSWER_WITHIN)
        await comm.close()

    if not address.startswith("inproc://"):
        with ThreadPoolExecutor(1) as beside:  # a notebook has a loop of its own in this thread
            beside.submit(asyncio.run, speak()).result()


@contextmanager
def _at(address: str) -> Iterator["Client"]:
    """The cluster of a scheduler that runs already."""
    from distributed import Client

    try:
        _spoken(address)
        client = Client(address, timeout=ANSWER_WITHIN, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        raise MistrustError(
            f"No Dask scheduler answers at {address} ({_first_line(error)}). Start one with `dask scheduler` and "
            f"workers with `dask worker {address} --nthreads 1 --memory-limit 0`, or use the engine 'processes' or "
            "'local'."
        ) from error
    with contextlib.closing(client):
        try:
            client.wait_for_workers(1, timeout=WORKERS_WITHIN)
        except TimeoutError as error:
            raise MistrustError(
                f"The Dask scheduler at {address} has no worker. Start one with `dask worker {address} --nthreads 1 "
                "--memory-limit 0`, or use the engine 'processes' or 'local'."
            ) from error
        alike.check(client)
        yield client
