"""Fault and law: a real Dask cluster, its workers killed, its scheduler gone."""

import contextlib
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import engine_pieces as pieces
import killing
import pandas as pd
import pytest
import scipy
from distributed import Client

from mistrust import engine
from mistrust.engine import alike, cluster
from mistrust.errors import MistrustError, MistrustWarning, UnknownName
from mistrust.pieces import gather

pytestmark = pytest.mark.whole


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def dask(*arguments, first=""):
    command = [sys.executable, "-m", "dask", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
    environment = {
        **os.environ,
        # The library of this process, which an environment may have from another checkout, comes along.
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(first), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        ),
    }
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment, start_new_session=True)


def end(parts):
    """End these and the workers that they have started, without the seconds that they would take to part."""
    for part in parts:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(part.pid, signal.SIGKILL)
        part.wait()


@pytest.fixture(scope="module")
def address():
    """A scheduler with two workers, started as a user would start them."""
    address = f"tcp://127.0.0.1:{free_port()}"
    parts = [dask("scheduler", "--port", address.rpartition(":")[2])]
    parts.append(dask("worker", address, "--nworkers", "2", "--nthreads", "1", "--memory-limit", "0"))
    yield address
    end(parts)


def test_a_cluster_with_an_address_gives_what_this_process_gives(address, house):
    at = {"engine": address.replace("tcp://", "dask://")}
    assert engine.map(pieces.squared, range(12), **at) == [x * x for x in range(12)]
    assert engine.map(pieces.summed, [1], **at) == engine.map(pieces.summed, [1], engine="inline")
    assert os.getpid() not in engine.map(pieces.where, range(4), **at)
    (seen, _), _ = engine.map(pieces.settings, ["a", "b"], **at)
    assert seen["MISTRUST_STORE"] == str(house / "store")
    for pid, inner, _ in engine.map(pieces.nested, [1, 2], **at):
        assert inner == [pid] * 3
    with pytest.raises(engine.PiecesFailed, match=r"(?s)2 of 6 digits failed.*c: There is.*e: KeyError") as caught:
        engine.map(pieces.fails_at_three, range(1, 7), names=list("abcdef"), label="digits", **at)
    assert caught.value.results == [-1, -2, None, -4, None, -6]
    assert isinstance(caught.value.__cause__, UnknownName)
    with pytest.warns(MistrustWarning, match="piece 1 was altered"):
        engine.map(pieces.warned, [1], **at)


def test_a_killed_worker_costs_its_piece_only(address, tmp_path):
    def kill():
        killing.until(lambda: list(tmp_path.glob("2-*")), 60)
        os.kill(int(next(tmp_path.glob("2-*")).name.partition("-")[2]), signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    assert engine.map(functools.partial(pieces.told, tmp_path), range(8), engine=address) == [*range(8)]
    killer.join()
    assert len(list(tmp_path.glob("2-*"))) >= 2


def test_a_worker_of_several_threads_gives_what_one_thread_gives(lonely):
    """Pieces of one process would share torch's generator."""
    address, parts = lonely
    killing.until(lambda: answers(address), 60)
    parts.append(dask("worker", address, "--nthreads", "4", "--no-nanny"))
    assert engine.map(pieces.drawn, range(8), engine=address) == engine.map(pieces.drawn, range(8), engine="inline")


def test_when_the_last_worker_goes_it_is_said_what_is_unfinished(lonely, monkeypatch, tmp_path):
    address, parts = lonely
    killing.until(lambda: answers(address), 60)
    parts.append(dask("worker", address, "--nthreads", "1", "--no-nanny"))
    monkeypatch.setattr(cluster, "LOOK", 0.2)

    def leave():
        killing.until(lambda: list(tmp_path.iterdir()), 60)
        monkeypatch.setattr(cluster, "WORKERS_WITHIN", 1)
        parts[1].kill()

    killer = threading.Thread(target=leave, daemon=True)
    killer.start()
    with pytest.raises(
        MistrustError, match=r"last Dask worker is gone\. Unfinished: piece .* and \d+ more\. .*in the store"
    ):
        engine.map(functools.partial(pieces.told, tmp_path), range(50), engine=address)
    killer.join()


def test_what_workers_made_elsewhere_is_refused_and_not_made_again(address):
    """They have other code, other images or a store of their own: the asker's store still lacks it."""
    there = set[str]()

    def missing(parameters, name):
        return [] if name in there else ["maker version 7 -> 6"]

    def piece(parameters, name):
        return pd.DataFrame({"value": [parameters]})

    with pytest.raises(
        MistrustError, match=r"made 2 of 2 pieces.* lacks them: a \(maker version 7 -> 6\).*MISTRUST_STORE"
    ):
        gather(piece, missing, 1, ["a", "b"], engine_name=address)
    assert len(gather(piece, missing, 1, ["a", "b"], engine_name="inline")) == 2


def test_workers_that_differ_are_named_before_anything_is_made(lonely, house, tmp_path):
    """One without mistrust, and one with another version of a package, beside a good one."""
    address, parts = lonely
    killing.until(lambda: answers(address), 60)
    bare, other = tmp_path / "bare", tmp_path / "other"
    (bare / "mistrust").mkdir(parents=True)
    (bare / "mistrust" / "__init__.py").write_text("raise ModuleNotFoundError('No module named mistrust')")
    (other / "scipy-0.0.7.dist-info").mkdir(parents=True)
    (other / "scipy-0.0.7.dist-info" / "METADATA").write_text("Name: scipy\nVersion: 0.0.7\n")
    parts.append(dask("worker", address, "--nthreads", "1", "--no-nanny"))
    assert engine.map(pieces.squared, range(3), engine=address) == [0, 1, 4]
    for first in (bare, other):
        parts.append(dask("worker", address, "--nthreads", "1", "--no-nanny", first=first))
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(3, timeout=60)
    with pytest.raises(MistrustError) as caught:
        engine.map(functools.partial(pieces.told, tmp_path), range(3), engine=address)
    said = str(caught.value)
    assert said.startswith("2 of 3 Dask workers cannot make what this process would: tcp://127.0.0.1:")
    for words in ("has no mistrust that answers (", "No module named mistrust", "start them anew"):
        assert words in said
    assert f"has scipy 0.0.7 (here {scipy.__version__})" in said
    assert said.count(" has ") == 2
    assert not list(tmp_path.glob("*-*"))
    with pytest.raises(MistrustError, match="2 of 3 Dask workers"):
        engine.answers(address)
    assert not list((house / "store").glob(".seen-*"))


def test_a_worker_that_sees_other_folders(tmp_path):
    here = alike.seen(str(tmp_path), str(tmp_path))
    assert alike.seen(str(tmp_path), str(tmp_path)) == here
    assert len(here["code of mistrust"]) == 12
    there = alike.seen(str(tmp_path / "none" / ".seen-1"), str(tmp_path / "gone"))
    assert {name for name in here if here[name] != there[name]} == {"the store", "images"}
    assert there["images"] == f"no folder {tmp_path / 'gone'}"


def test_a_store_that_cannot_be_written_to_is_said_before_workers_are_asked(address, house, monkeypatch):
    monkeypatch.setenv("MISTRUST_STORE", "/proc/nowhere")
    with pytest.raises(MistrustError, match=r"/proc/nowhere cannot be written to .*MISTRUST_STORE"):
        engine.map(pieces.squared, [1], engine=address)


def test_a_cluster_of_its_own_and_a_piece_that_always_kills(recwarn):
    with pytest.raises(engine.PiecesFailed) as caught:
        engine.map(pieces.kills_itself_at_four, range(9), engine="local", workers=2, names=list("abcdefghi"))
    assert caught.value.results == [0, 1, 2, 3, None, 5, 6, 7, 8]
    (failure,) = caught.value.failures
    assert str(failure).startswith("e: its worker was killed each time, 2 times while it ran alone")
    assert [str(one.message) for one in recwarn] == []


def test_an_address_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER_WITHIN", 0.2)
    nobody = f"tcp://127.0.0.1:{free_port()}"
    start = time.monotonic()
    with pytest.raises(MistrustError) as caught:
        engine.map(pieces.squared, [1, 2], engine=nobody)
    assert time.monotonic() - start < 20
    for words in (
        f"No Dask scheduler answers at {nobody}",
        "`dask scheduler`",
        f"`dask worker {nobody} --nthreads 1 --memory-limit 0`",
        "'processes'",
    ):
        assert words in str(caught.value)


def test_a_port_that_answers_no_word_is_no_scheduler(monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER_WITHIN", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        with pytest.raises(MistrustError, match=f"No Dask scheduler answers at {address}"):
            engine.answers(address)
        assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    "address", ["tcp://nowhere:port", "tcp://localhost", "tls://:8786", "tcp://host:0", "tcp://[::1]"]
)
def test_an_address_that_is_none(address):
    with pytest.raises(MistrustError, match=r"is no address of a Dask scheduler, expected t..://HOST:PORT"):
        engine.map(pieces.squared, [1, 2], engine=address)
    with pytest.raises(MistrustError, match="is no address"):
        engine.answers(address)


def test_addresses_that_are_some():
    for address in ("tcp://[::1]:8786", "ws://a-host.org:80/path", "inproc://10.0.0.1/1/2", "ucx://10.0.0.1:1"):
        assert engine.named(address) == address


@pytest.fixture
def lonely():
    """A scheduler without workers, and the list of what is to be ended with it."""
    address = f"tcp://127.0.0.1:{free_port()}"
    parts = [dask("scheduler", "--port", address.rpartition(":")[2])]
    yield address, parts
    end(parts)


def answers(address):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(address.rpartition(":")[2]))) == 0


def test_a_scheduler_without_workers_and_one_that_goes_away(lonely, monkeypatch, tmp_path):
    address, parts = lonely
    killing.until(lambda: answers(address), 60)
    with monkeypatch.context() as patch:
        patch.setattr(cluster, "WORKERS_WITHIN", 0.2)
        with pytest.raises(MistrustError, match=rf"{address} has no worker.*dask worker {address}"):
            engine.map(pieces.squared, [1, 2], engine=address)
    parts.append(dask("worker", address, "--nthreads", "1", "--no-nanny"))
    monkeypatch.setattr(cluster, "ANSWER_WITHIN", 6)

    def leave():
        killing.until(lambda: list(tmp_path.iterdir()), 60)
        parts[0].kill()

    killer = threading.Thread(target=leave, daemon=True)
    killer.start()
    with pytest.raises(MistrustError, match=r"scheduler went away.*in the store.*'processes'"):
        engine.map(functools.partial(pieces.told, tmp_path), range(50), engine=address)
    killer.join()
