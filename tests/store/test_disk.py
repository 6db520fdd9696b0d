"""Fault: a disk that is full, a folder that cannot be written to. Both are real."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import killing
import pytest
import store_workshop
import torch

from mistrust import store
from mistrust.errors import MistrustError

MAKER = store.maker("test-disk", 1, "tensors")


def namespace():
    """The command that gives a process mounts of its own, or None where the system does not allow it."""
    for command in (["unshare", "-m"], ["unshare", "-rm"]):
        probe = [*command, "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt && mount -o remount,ro /mnt"]
        try:
            if subprocess.run(probe, capture_output=True).returncode == 0:
                return command
        except FileNotFoundError:
            return None
    return None


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    """What a process saw on a small disk; with `mounted`, whether it was a file system or a limit on files."""
    command = namespace()
    if command is None:
        pytest.importorskip("resource", reason="neither a file system nor a limit on files can be had")
    folder = tmp_path_factory.mktemp("disk") / "store"
    script = [sys.executable, str(Path(__file__).with_name("store_disk.py")), str(folder)]
    done = subprocess.run([*(command or []), *script, "mount" if command else "limit"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "mounted": command is not None, "folder": str(folder)}


@pytest.mark.whole
def test_a_full_disk_is_named_with_the_way_out(disk):
    for error in (disk["full"], disk["full at a checkpoint"]):
        assert "No space left" in error
        assert disk["folder"] in error
        assert "Free some space" in error
        assert "MISTRUST_STORE" in error


@pytest.mark.whole
def test_a_full_disk_leaves_what_is_made_good(disk):
    assert disk["small"]
    assert disk["nothing half-written"]
    assert disk["small is still good"]
    assert disk["checkpoint"]
    assert disk["after freeing"]


@pytest.mark.whole
def test_at_every_filling_a_thing_is_whole_or_refused(disk):
    if disk["mounted"]:
        assert disk["whole"] + disk["refused"] == 40
        assert disk["whole"] > 0
        assert disk["refused"] > 0


@pytest.mark.whole
def test_a_read_only_disk_gives_what_is_there_and_names_what_it_refuses(disk):
    if disk["mounted"]:
        assert disk["read-only, there"]
        assert disk["made in vain"] == []  # refused before the work, not after it
        assert set(disk["listed"]) == {"good"}
        for error in (disk["read-only, missing"], disk["read-only, pruned"]):
            assert "cannot be written to" in error
            assert disk["folder"] in error
            assert "MISTRUST_STORE" in error


def test_a_file_where_the_folder_should_be(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "store"):
        monkeypatch.setenv("MISTRUST_STORE", str(place))
        with pytest.raises(MistrustError, match="cannot be written to") as caught:
            store.made(MAKER, {"a": 1}, lambda _: {"x": torch.ones(1)})
        assert str(place) in str(caught.value)
        assert "MISTRUST_STORE" in str(caught.value)
        assert store.entries() == []
        assert store.why(MAKER, {"a": 1}) == ["not made yet"]


@pytest.mark.whole
def test_a_folder_without_permission(monkeypatch):
    # Not below the test's own folder, which other users may not enter; the process is nobody when we are root.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        monkeypatch.setenv("MISTRUST_STORE", str(folder / "store"))
        store.made(MAKER, {"a": 1}, lambda _: {"x": torch.ones(1)})
        for path in [*folder.rglob("*"), folder]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        answer, theirs = killing.CONTEXT.Pipe()
        with killing.running(store_workshop.as_nobody, theirs) as process:
            there, error = answer.recv() if answer.poll(60) else (None, "")
            process.join(10)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755)
    assert there == [1.0]
    assert "cannot be written to (Permission denied)" in error
    assert str(folder / "store") in error
    assert os.environ["MISTRUST_STORE"] in error
