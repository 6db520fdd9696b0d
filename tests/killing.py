"""Processes that a test starts with its own settings, watches, and kills."""

import multiprocessing
import os
import runpy
import sys
import time
from contextlib import contextmanager

import torch

from mistrust.engine.scripts import main_hidden

# Forked from a server that has loaded torch: a start costs milliseconds, and kills hit work instead of imports. Where
# another test of this process has started the server, it holds what that one asked for.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    [
        "torch._dynamo",
        "pandas",
        "safetensors.torch",
        "pyarrow.parquet",
        "scipy.stats",
        "mistrust.store",
        "mistrust.assess",
        "mistrust.publishing.runner",
    ]
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


def command(said, environment, *arguments):
    """What `mistrust` does when it is called so, its words into a file; for `start`."""
    written_into(said)
    os.environ.update(environment)
    from mistrust.cli import main

    sys.exit(main(list(arguments)))


def script(said, path):
    """Run a file as a user would, its words into another one; for `start`."""
    written_into(said)
    runpy.run_path(str(path), run_name="__main__")


def library(said, folder, code):
    """Run code by the library in a folder, which is imported anew: only others' are at hand; for `start`."""
    written_into(said)
    for name in [one for one in sys.modules if one.partition(".")[0] == "mistrust"]:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    exec(code, {})
    assert sys.modules["mistrust"].__file__ == str(folder / "mistrust" / "__init__.py")


def written_into(said):
    """Let all that this process and those below it write go into a file."""
    sink = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(sink, 1)
    os.dup2(sink, 2)


@contextmanager
def running(function, *args):
    """A process that `start` starts, killed at the end if it still runs."""
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
