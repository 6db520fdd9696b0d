"""Calls in threads: really at once, with a thread each, stopped together, their core seconds their own."""

import _thread
import signal
import subprocess
import sys
import threading
import time

import pytest
import torch

from mistrust import store
from mistrust.side_by_side import Stopped, clock, go_on, side_by_side
from mistrust.store import Maker

KEPT = Maker("side-by-side", 1, "tensors")


@pytest.fixture(autouse=True)
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


def _work(seconds):
    """Keep this thread busy for so many core seconds."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        go_on()


def test_two_are_under_way_at_once_and_each_computes_with_one_thread():
    both = threading.Barrier(2, timeout=30)

    def call(number):
        both.wait()  # nobody passes alone
        return number, torch.get_num_threads()

    assert side_by_side([lambda: call(1), lambda: call(2)]) == [(1, 1), (2, 1)]


def test_results_stay_in_order_and_there_are_no_more_threads_than_torch_has():
    under_way, most, lock = 0, 0, threading.Lock()

    def call(number):
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.02 * (5 - number))
        with lock:
            under_way -= 1
        return number

    assert side_by_side([lambda n=n: call(n) for n in range(5)]) == list(range(5))
    assert most == 2


@pytest.mark.parametrize("calls", [[], [threading.current_thread]])
def test_few_calls_need_no_threads(calls):
    assert side_by_side(calls) == [threading.current_thread()] * len(calls)


def test_with_one_thread_calls_follow_each_other():
    torch.set_num_threads(1)
    try:
        assert side_by_side([threading.current_thread] * 3) == [threading.current_thread()] * 3
    finally:
        torch.set_num_threads(2)


def test_calls_within_calls_follow_each_other():
    within = side_by_side([lambda: side_by_side([threading.current_thread] * 2)] * 2)
    assert all(len(set(threads)) == 1 for threads in within)


def test_one_error_stops_all_and_is_the_one_that_is_raised():
    ended = []

    def endless():
        try:
            while True:
                go_on()
                time.sleep(0.001)
        except Stopped:
            ended.append("stopped")
            raise

    def failing():
        time.sleep(0.05)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        side_by_side([endless, failing, lambda: ended.append("begun after the error")])
    assert ended == ["stopped"]


@pytest.mark.whole
def test_core_seconds_of_what_is_made_are_its_own():
    def call(number, seconds):
        def make(_):
            _work(seconds)
            return {"x": torch.tensor(number)}

        return store.made(KEPT, {"number": number}, make)

    side_by_side([lambda: call(0, 0.2), lambda: call(1, 0.8)])
    took = [store.seconds(store.key(KEPT, {"number": number})) for number in range(2)]
    assert took[0] == pytest.approx(0.2, abs=0.1)
    assert took[1] == pytest.approx(0.8, abs=0.1)
    start = clock()
    _work(0.05)
    assert clock() - start >= 0.05


ENDLESS = """
import time, torch
from mistrust.side_by_side import go_on, side_by_side

def call():
    print("begun\\n", end="", flush=True)  # in one write: threads share the buffer
    while True:
        go_on()
        time.sleep(0.001)

torch.set_num_threads(2)
side_by_side([call, call])
"""


def test_an_interrupt_between_two_calls_that_are_handed_over_stops_the_first():
    def call():
        while True:
            go_on()
            time.sleep(0.001)

    class Interrupted(list):
        """Two calls, of which the second never comes."""

        def __iter__(self):
            yield self[0]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side(Interrupted([call, call]))


def test_an_interrupt_that_wakes_nobody_is_seen_all_the_same():
    """As one that comes just before this thread begins to wait: it is noted, and no system call is broken off."""
    begun = time.monotonic()

    def call():
        while time.monotonic() < begun + 30:
            go_on()
            time.sleep(0.001)

    def interrupting():
        time.sleep(0.1)  # by now the other thread waits
        _thread.interrupt_main()
        call()

    with pytest.raises(KeyboardInterrupt):
        side_by_side([call, interrupting])
    assert time.monotonic() < begun + 15


@pytest.mark.whole
def test_an_interrupt_stops_them():
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert [process.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGINT
    assert said.rstrip().endswith("KeyboardInterrupt")
