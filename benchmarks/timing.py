"""How the benchmarks here take times that no other work on the machine stretches, and name where they were taken."""

import os
from collections.abc import Callable
from pathlib import Path
from platform import machine
from statistics import median
from time import process_time
from typing import Any

import torch

from mistrust import rows


def working(threads: int, device: str = "cpu") -> str:
    """Who did the work, as a part of the key of a row: times of other threads or another device stand beside it."""
    return f"{threads} threads" if device == "cpu" else device


def taken_on(threads: int | None = None, device: str = "cpu") -> str:
    """The note of a row: the processor and its vector instructions, or the GPU, with cores, threads and torch."""
    chip = f"{machine()} {torch.backends.cpu.get_cpu_capability()}"
    parts = [chip if device == "cpu" else torch.cuda.get_device_name(), f"{os.cpu_count()} cores"]
    if threads is not None:
        parts.append(f"{threads} threads" if threads != 1 else "1 thread")
    return ", ".join([*parts, f"torch {torch.__version__}"])


def fastest(work: Callable[[], Any], rounds: int) -> float:
    """Seconds of processor time of the best round."""
    times = []
    for _ in range(rounds):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)


def beside(base: Callable[[], Any], work: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Seconds of processor time of the base, and how many times as much the work takes, medians of all rounds.

    Each round times one right after the other: a shared machine may run twice as fast a minute later, and the best of
    many rounds then says who had the better minute.
    """
    pairs = [(fastest(base, 1), fastest(work, 1)) for _ in range(rounds)]
    return median(first for first, _ in pairs), median(second / first for first, second in pairs)


def beside_the_others(found: list[dict], path: Path) -> list[dict]:
    """Give what was measured with the file's rows of all other settings: what sums up all must not sum up a few."""
    columns = ["condition", "at", "level", "metric", "value"]
    kept = rows.read(path) if path.exists() else rows.empty()
    kept = kept[~kept["at"].str.startswith("all")]
    lines = [*kept[columns].to_dict("records"), *found]
    return [*{tuple(str(float(one[name]) if name == "level" else one[name]) for name in columns[:4]): one
              for one in lines}.values()]  # fmt: skip
