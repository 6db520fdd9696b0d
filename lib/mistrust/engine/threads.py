"""How many threads a piece computes with: the same number wherever it runs, since the order of sums depends on it."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from mistrust.variables import variables

# Read by OpenMP, MKL, OpenBLAS and Accelerate when they are loaded.
VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@contextmanager
def limited(threads: int) -> Iterator[None]:
    """Compute with so many threads in this process, and afterwards with as many as before."""
    import torch
    from threadpoolctl import threadpool_limits

    before = torch.get_num_threads()
    with threadpool_limits(threads, "blas"):
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def pin(threads: int) -> None:
    """Compute with so many threads in this worker from now on, also with what it loads later."""
    os.environ.update(dict.fromkeys(VARIABLES, str(threads)))
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(threads)
    if "numpy" in sys.modules:
        from threadpoolctl import threadpool_limits

        threadpool_limits(threads, "blas")


@contextmanager
def pinned(threads: int) -> Iterator[None]:
    """The same as `limited` within a worker, which is pinned already and may do without torch."""
    before = int(os.environ[VARIABLES[0]])
    pin(threads)
    try:
        yield
    finally:
        pin(before)


def environment(threads: int) -> AbstractContextManager[None]:
    """Processes started within compute with so many threads."""
    return variables(dict.fromkeys(VARIABLES, str(threads)))
