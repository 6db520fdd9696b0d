"""Fault: workers of the process engine that are killed, and the asker that is."""

import contextlib
import functools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import engine_pieces as pieces
import pytest
from killing import until

from mistrust import engine
from mistrust.engine import processes

pytestmark = pytest.mark.whole


def alive(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_killed_worker_costs_its_piece_only(tmp_path):
    """Whoever is at piece 2 is killed from outside, once."""

    def kill():
        until(lambda: list(tmp_path.glob("2-*")))
        os.kill(int(next(tmp_path.glob("2-*")).name.partition("-")[2]), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    assert engine.map(functools.partial(pieces.told, tmp_path), range(5), engine="processes", workers=2) == [*range(5)]
    killer.join()
    tries = {x: len(list(tmp_path.glob(f"{x}-*"))) for x in range(5)}
    assert tries == {0: 1, 1: 1, 2: 2, 3: 1, 4: 1}


def test_a_piece_that_always_kills_is_named_and_the_others_survive():
    with pytest.raises(engine.PiecesFailed) as caught:
        engine.map(pieces.kills_itself_at_four, range(7), engine="processes", workers=3, names=list("abcdefg"))
    assert caught.value.results == [0, 1, 2, 3, None, 5, 6]
    (failure,) = caught.value.failures
    assert failure.name == "e"
    assert str(failure) == "e: its process was killed by SIGKILL, 3 times, 2 of them while it ran alone"


def test_a_piece_that_leaves_is_named_with_its_exit_code():
    with pytest.raises(engine.PiecesFailed, match="piece 3: its process ended with exit code 7, 3 times") as caught:
        engine.map(pieces.leaves_at_two, range(4), engine="processes", workers=2)
    assert caught.value.results == [0, 1, None, 3]


ASKER = """
{begin}
import functools, sys
sys.path.insert(0, {tests!r})
import engine_pieces
from mistrust import engine
try:
    engine.map(functools.partial(engine_pieces.slow, {folder!r}), range(4), engine="processes", workers=2)
except KeyboardInterrupt:
    print("stopped")
"""


def asking(folder):
    """A process whose two workers are at work, and these."""
    script = ASKER.format(begin=pieces.BARE, tests=str(Path(__file__).parent), folder=str(folder))
    asker = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until(lambda: len(list(folder.iterdir())) == 2)
    workers = [int(path.name) for path in folder.iterdir()]
    assert all(map(alive, workers))
    return asker, workers


def test_interrupted_again_while_it_ends_its_workers_the_asker_ends_all_the_same(tmp_path):
    asker, workers = asking(tmp_path)
    for _ in range(2):
        os.killpg(asker.pid, signal.SIGINT)
        time.sleep(0.2)  # less than it gives a worker to end
    asker.communicate(timeout=20)
    until(lambda: not any(map(alive, workers)), 10)


@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL", "SIGTERM"])
def test_when_the_asker_ends_so_do_its_workers(how, tmp_path):
    asker, workers = asking(tmp_path)
    if how == "SIGINT":  # as a terminal does it: to the whole group
        os.killpg(asker.pid, signal.SIGINT)
    else:
        asker.send_signal(signal.Signals[how])
    out, err = asker.communicate(timeout=20)
    until(lambda: not any(map(alive, workers)), 10)
    if how == "SIGINT":
        assert (out, err, asker.returncode) == ("stopped\n", "", 0)


WARMED = """
{begin}
import functools, sys, time
sys.path.insert(0, {tests!r})
import engine_pieces, psutil
from mistrust import engine
engine.warm({engine})
print(*(child.pid for child in psutil.Process().children()), flush=True)
if {work}:
    print(engine.map(engine_pieces.squared, range(3), engine="processes", workers=2), flush=True)
"""


def warmed(engine, work):
    script = WARMED.format(begin=pieces.BARE, tests=str(Path(__file__).parent), engine=engine, work=work)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MISTRUST_")}
    clean["MISTRUST_PROGRESS"] = "0"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=clean, timeout=120)
    assert (done.stderr, done.returncode) == ("", 0)
    first, *rest = done.stdout.splitlines()
    return [int(word) for word in first.split()], rest


def test_the_server_of_workers_can_be_started_early_and_ends_with_its_asker():
    servers, answer = warmed(None, work=True)
    assert bool(servers) == (processes.START == "forkserver")  # elsewhere every worker is started anew
    assert answer == ["[0, 1, 4]"]
    idle, _ = warmed("'processes'", work=False)
    until(lambda: not any(map(alive, [*servers, *idle])), 20)
    assert warmed("'inline'", work=False)[0] == []
