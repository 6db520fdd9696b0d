"""Processes that a test starts with its own settings, watches, and kills."""

import multiprocessing
import os
import time
from contextlib import contextmanager

import torch

from mistrust.engine.scripts import main_hidden

# Forked from a server that has loaded torch: a start costs milliseconds, and kills hit work instead of imports. Where
# another test of this process has started the server, it holds what that one asked for.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["torch._dynamo", "pandas", "safetensors.torch", "pyarrow.parquet", "scipy.stats", "mistrust.store"]
)


def start(function, *args):
    """Call a function in a new process that has this one's store and other settings: the server has older ones."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("MISTRUST_")}
    process = CONTEXT.Process(target=_do, args=(settings, function, args))
    with main_hidden():
        process.start()
    return process


def _do(settings, function, args):
    os.environ.update(settings)
    torch.set_num_threads(1)
    function(*args)


@contextmanager
def running(function, *args):
    """The same, killed at the end if it still runs."""
    process = start(function, *args)
    try:
        yield process
    finally:
        process.kill()
        process.join()


def until(condition, seconds=30.0):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.002)
