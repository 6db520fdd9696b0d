"""Pieces of work for the engine's tests; light to import, since every worker does."""

import os
import signal
import sys
import time
import warnings
from pathlib import Path

from mistrust import engine
from mistrust.errors import MistrustError, MistrustWarning, UnknownName

# The first lines of a process whose pieces want no libraries: its server of workers loads none, which takes seconds.
BARE = "from mistrust.engine import processes\nprocesses.LOADED.clear()"


class Stubborn(Exception):
    """Refuses to be pickled."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")

    def __reduce__(self):
        raise TypeError("no")


def squared(x):
    time.sleep(0.02 * (x % 3))
    return x * x


def where(_):
    return os.getpid()


def settings(name):
    return {key: value for key, value in os.environ.items() if key.startswith("MISTRUST_")}, str(Path.cwd())


def for_two_askers():
    """What two askers' pieces see in one process, and what it has afterwards."""
    from mistrust.engine import work

    task = work.Task(0, "one", settings, "one", 1)
    ((parcel,), _) = work.pack([task])
    own = settings(None)[0]
    os.environ.update(MISTRUST_NOVEL="x", MISTRUST_STORE="/theirs")
    first = parcel.data()
    del os.environ["MISTRUST_NOVEL"], os.environ["MISTRUST_STORE"]
    second = parcel.data()
    os.environ.update(own)  # the worker's
    seen = [work.outcome(task, work.execute(data)).value[0] for data in (first, second)]
    return *seen, settings(None)[0]


def environment(name):
    return os.environ.get(name)


def faults(megabytes):
    """How often the system had to find a page for twenty blocks, each filled and freed before the next."""
    import resource

    import numpy as np

    def fill():
        np.empty(megabytes << 20, dtype=np.uint8).fill(1)

    fill()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        fill()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def loaded(module):
    return module in sys.modules


def summed(seed):
    """A number that depends on the number of threads in its last digits, and that number itself."""
    import torch

    x = torch.rand(300_000, generator=torch.Generator().manual_seed(seed)) - 0.5
    return float((x * x).sum()), float(x @ x), torch.get_num_threads()


def fails_at_three(x):
    if x == 3:
        raise UnknownName("digit", "threee", ["three", "four"])
    if x == 5:
        raise KeyError("five")
    return -x


def fails_in_every_way(way):
    if way == "stubborn":
        raise Stubborn("one", "two")
    if way == "exit":
        raise SystemExit(3)
    if way == "os":
        raise OSError(28, "No space left on device", "somewhere")
    if way == "result":
        return (x for x in "generators do not travel")
    return way


def kills_itself_at_four(x):
    time.sleep(0.05)
    if x == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def leaves_at_two(x):
    if x == 2:
        os._exit(7)
    return x


def told(note_folder, x):
    """Says who does which piece, then takes its time."""
    note = Path(note_folder) / f"{x}-{os.getpid()}"
    note.touch()
    time.sleep(0.3)
    return x


def nested(x):
    return os.getpid(), engine.map(where, [1, 2, 3], engine="processes", label="inner"), x


def nested_failing(x):
    return engine.map(fails_at_three, [x, 3], label="inner")


def warned(x):
    warnings.warn(f"piece {x} was altered", MistrustWarning, stacklevel=1)
    return x


def needs_input(x):
    raise MistrustError(f"There is no data for {x}.")


def slow(folder, x):
    (Path(folder) / f"{os.getpid()}").touch()
    time.sleep(60)
    return x


def fails_at_two(piece):
    if piece == 2:
        raise ValueError("two")
    return piece


def drawn(seed):
    """Numbers of torch's own generator, with time for another thread between them."""
    import torch

    torch.manual_seed(seed)
    found = []
    for _ in range(4):
        found.append(float(torch.rand(())))
        time.sleep(0.02)
    return found
