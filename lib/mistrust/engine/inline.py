"""Pieces in this process, one after the other."""

from collections.abc import Generator

from mistrust.engine.memory import keep_freed_memory
from mistrust.engine.threads import limited, pinned
from mistrust.engine.work import CAUGHT, Outcome, Task, failed, inside


def run(tasks: list[Task]) -> Generator[Outcome, None, None]:
    """The outcomes, in order."""
    keep_freed_memory()
    for task in tasks:
        with pinned(task.threads) if inside() else limited(task.threads):
            try:
                outcome = Outcome(task.index, task.function(task.piece))
            except CAUGHT as error:
                outcome = failed(task, error)
        yield outcome
