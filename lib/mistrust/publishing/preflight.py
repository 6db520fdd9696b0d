"""What is checked before anything runs, so that no piece or cell is the first to find a name, file or machine wrong."""

import os
import secrets
from contextlib import nullcontext, suppress
from pathlib import Path

from mistrust import engine, paths
from mistrust.engine import free
from mistrust.errors import MistrustError, NotHere
from mistrust.networks import devices
from mistrust.publishing import claims, published, results
from mistrust.publishing.job import Job

# Bytes: what one notebook's process and kernel take at their peak with the profile `quick`, with room to spare. They
# compute alone: the workers that make pieces have ended, and the kernel takes the pieces from the store.
NOTEBOOK = 3 * 2**30
MOST = 4  # notebooks at a time


def computing(job: Job, *, at_hand: bool = True) -> None:
    """Refuse parameters that only the experiment itself can judge: data that are not there, more than they hold.

    Without `at_hand`, data that exist and are not on this machine are passed over.
    """
    module = job.chapter.module()
    check = getattr(module, "check", None)  # an experiment may have more to say than its dataclass
    with nullcontext() if at_hand else suppress(NotHere):
        if check is not None:
            check(job.parameters)
        module.inputs(job.parameters)


def reading(job: Job) -> None:
    """Refuse committed files that the chapter's page could not read: printed numbers, claims, accepted rows."""
    name = job.chapter.name
    published.published(name)
    if any(test.chapter == name for test in claims.TESTS.values()):
        claims.claims(name)
    results.accepted(job.chapter)


def machine(engine_name: str | None) -> None:
    """Refuse an engine that does not exist and a device that is not here; makes nothing."""
    engine.named(engine_name)
    devices.device()


def ready(engine_name: str | None) -> None:
    """Refuse an engine, a scheduler, a device or a folder that cannot be used."""
    machine(engine_name)
    writable(paths.build(), "MISTRUST_BUILD")
    writable(paths.store(), "MISTRUST_STORE")
    engine.answers(engine_name)


def writable(folder: Path, variable: str) -> None:
    """Refuse a folder that no file can be made in; `variable` names another one."""
    probe = folder / f".probe-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            probe.write_bytes(bytes(4096))  # an empty file also fits on a full disk
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        raise MistrustError(
            f"The folder {folder} cannot be written to ({error.strerror}): make it writable, or name another one by "
            f"{variable}=folder. Nothing was run."
        ) from error


def side_by_side() -> int:
    """How many notebooks run at a time: as many as cores and free memory allow, at most `MOST`."""
    return max(1, min(engine.cores(), free.memory() // NOTEBOOK, MOST))
