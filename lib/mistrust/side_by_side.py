"""Calls in threads of this process, each computing with one: for long work whose parts share nothing.

An operation split over two threads waits for the slower of them each time; two calls on a thread each wait once, at the
end. Nothing is sent to other processes, so that short work pays nothing for it.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from itertools import count
from threading import Event, Lock
from time import process_time, thread_time
from typing import TypeVar

T = TypeVar("T")

# Seconds. A signal that comes just before a thread begins to wait does not wake it: it is seen when the wait is over.
SEEN_WITHIN = 0.2

# Set where this thread is one of several: another has failed, or the user wants to stop.
_stopping: ContextVar[Event | None] = ContextVar("stopping", default=None)


class Stopped(Exception):
    """Another call has failed, or the user wants to stop: nobody waits for this one."""


def side_by_side(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Give the results of all calls, in their order: as many at once as torch computes with threads.

    With one thread, or one call, they are made one after the other, as they would be without this.

    Parameters
    ----------
    calls : each should call `go_on` now and then, so that it can be stopped.

    Raises
    ------
    The error of the first call that fails, once the others have stopped.

    Examples
    --------
    >>> side_by_side([lambda: 1, lambda: 2, lambda: 3])
    [1, 2, 3]
    """
    import torch

    threads = torch.get_num_threads()
    if min(threads, len(calls)) < 2 or _stopping.get() is not None:
        return [call() for call in calls]
    stopping, ended, all_ended = Event(), count(1), Lock()
    all_ended.acquire()

    def alone(call: Callable[[], T]) -> T:
        try:
            go_on()
            return call()
        except BaseException:
            stopping.set()
            raise
        finally:
            if next(ended) == len(calls):
                all_ended.release()

    def begin() -> None:
        torch.set_num_threads(1)  # of this thread, and of threads that begin from now on
        _stopping.set(stopping)

    try:
        with ThreadPoolExecutor(min(threads, len(calls)), "side by side", begin) as pool:
            try:  # from the first call on: it may run, and the user interrupt, before the last one is handed over
                results = [pool.submit(alone, call) for call in calls]
                # A plain lock: what an interrupt leaves of one that others take as well, these would wait for.
                while not all_ended.acquire(timeout=SEEN_WITHIN):
                    pass
            except BaseException as error:  # an interrupt from the keyboard reaches this thread alone
                stopping.set()
                if isinstance(error.__context__, KeyboardInterrupt):  # in the middle of `submit`, which fails by it
                    raise KeyboardInterrupt from error
                raise
    finally:
        torch.set_num_threads(threads)
    for one in results:
        error = one.exception()
        if error is not None and not isinstance(error, Stopped):
            raise error
    return [one.result() for one in results]


def go_on() -> None:
    """Return, unless the call that this thread makes is no longer wanted.

    Raises
    ------
    Stopped
        It is not.
    """
    stopping = _stopping.get()
    if stopping is not None and stopping.is_set():
        raise Stopped


def clock() -> float:
    """Core seconds so far, of this process; of this thread, where others beside it do other work."""
    return process_time() if _stopping.get() is None else thread_time()
