"""How the benchmarks here take times that no other work on the machine stretches, and name where they were taken."""

from collections.abc import Callable
from time import process_time
from typing import Any


def working(threads: int, device: str = "cpu") -> str:
    """Who did the work, as a part of the key of a row: times of other threads or another device stand beside it."""
    return f"{threads} threads" if device == "cpu" else device


def fastest(work: Callable[[], Any], rounds: int) -> float:
    """Seconds of processor time of the best round."""
    times = []
    for _ in range(rounds):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)
