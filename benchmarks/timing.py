"""How the benchmarks here take times that no other work on the machine stretches."""

from collections.abc import Callable
from time import process_time
from typing import Any


def fastest(work: Callable[[], Any], rounds: int) -> float:
    """Seconds of processor time of the best round."""
    times = []
    for _ in range(rounds):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)
