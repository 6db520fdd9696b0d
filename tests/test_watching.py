"""How benchmarks look at memory: what was measured before changes no peak."""

import importlib.util
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from mistrust.comparison.experiment import Parameters
from mistrust.comparison.experiment.readouts import Readings
from mistrust.comparison.experiment.subjects import Subject
from mistrust.networks import observe

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "watching.py"
specification = importlib.util.spec_from_file_location("watching", FILE)
watching = importlib.util.module_from_spec(specification)
sys.modules["watching"] = watching  # where its dataclass looks for its own names
specification.loader.exec_module(watching)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of a peak")
MB = 2**20


@pytest.fixture
def kept():
    return {}


def taken(kept, megabytes):
    """Takes memory for a moment; and, whoever comes first, 40 MB that stay."""
    if "cache" not in kept:
        kept["cache"] = np.ones(40 * MB, dtype=np.uint8)
    return int(np.ones(megabytes * MB, dtype=np.uint8).sum())


def test_a_peak_is_what_the_call_takes_and_not_what_stays_from_the_first(kept):
    first, second = partial(taken, kept, 10), partial(taken, kept, 20)
    found = {megabytes: watching.grown_apart(work, 2) for megabytes, work in ((10, first), (20, second))}
    assert found == {10: pytest.approx(10, abs=2), 20: pytest.approx(20, abs=2)}
    assert kept == {}  # this process called nothing


PLAIN = """
import numpy as np
import watching
kept = []
for _ in range(2):
    growth = watching.Growth()
    kept = kept or [np.ones(40 * 2**20, np.uint8)]
    np.ones(10 * 2**20, np.uint8)
    print(growth.megabytes())
"""


def test_without_a_copy_what_stays_is_the_first_calls():
    """In a process of its own: in this one, tests before may have left 40 MB that are free."""
    told = subprocess.run([sys.executable, "-c", PLAIN], cwd=FILE.parent, capture_output=True, text=True, check=True)
    first, second = map(float, told.stdout.split())
    assert first > 36 > 20 > second


HELD = """
import ctypes, mmap
from functools import partial
import numpy as np
import watching
from mistrust.engine.memory import keep_freed_memory
keep_freed_memory()
libc = ctypes.CDLL(None)
libc.sbrk.restype = ctypes.c_void_p
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
end = -(-libc.sbrk(0) // mmap.PAGESIZE) * mmap.PAGESIZE
assert libc.mmap(end, mmap.PAGESIZE, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x10, -1, 0) == end  # fixed
np.ones(25 * 2**20, np.uint8)
print(watching.grown_apart(partial(np.ones, 10 * 2**20, np.uint8), 2))
"""


def test_memory_that_was_freed_and_cannot_be_given_back_hides_no_peak():
    """With a page in the way malloc's memory is in two pieces, and keeps what is free at the end of the second."""
    command = [sys.executable, "-c", HELD]
    told = subprocess.run(command, cwd=FILE.parent, capture_output=True, text=True, check=True).stdout
    assert float(told) == pytest.approx(10, abs=2)


def test_what_fails_in_the_copy_is_said():
    with pytest.raises(SystemExit, match="What was to be looked at failed, see above"):
        watching.grown_apart(lambda: 1 / 0, 1)


@pytest.mark.whole
def test_peaks_of_scorers_are_the_same_in_both_orders():
    """A search and what reads one softmax: in one process the first of them takes what the others find taken."""
    torch.set_num_threads(1)
    names = ("max_softmax", "boundary_distance", "deep_gini", "dsa")
    asked = Parameters(
        data=("digits",), architectures=("ambiguess-fc-relu",), trained_on=400, network_epochs=1, scorers=names
    )
    subject = Subject(asked, "digits", 0)
    readings = Readings.of(subject).by

    def work(one):
        return one.score(observe(subject.classifier, subject.test.take(slice(0, 200)), **one.asks, seed=0))

    orders = [[*readings.items()], [*readings.items()][::-1]]
    one, other = ({name: watching.grown_apart(partial(work, it), 2) for name, it in order} for order in orders)
    assert {name: pytest.approx(peak, abs=3) for name, peak in one.items()} == other
    assert one["max_softmax"] == pytest.approx(one["deep_gini"], abs=3)
