"""What happens on a disk that fills and one that is read-only: run as a script in a mount namespace of its own.

It writes one JSON object. `python store_disk.py FOLDER mount` mounts a small file system on FOLDER; with `limit`
instead, where mounting is not allowed, a limit on the size of files stands in for the full disk.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import torch

from mistrust import store
from mistrust.errors import MistrustError

MAKER = store.maker("test-disk", 1, "tensors")


def numbers(kilobytes):
    return {"x": torch.arange(kilobytes * 256, dtype=torch.int32)}


def want(kilobytes, made=None):
    """Digest of the thing, or the error's text."""

    def make(scratch):
        if made is not None:
            made.append(kilobytes)
        return numbers(kilobytes)

    try:
        return store.digest(store.made(MAKER, {"kilobytes": kilobytes}, make))
    except MistrustError as error:
        return str(error)


def checkpointed(scratch):
    """Keeps a small checkpoint, then fails to keep a large one."""
    scratch.save(numbers(1))
    scratch.save(numbers(4000))
    return numbers(1)


def found(scratch):
    kept = scratch.load()
    assert kept is not None
    return kept


def main(folder, how):
    folder.mkdir(parents=True)
    if how == "mount":
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], check=True)
    else:
        import resource  # not on Windows

        sys.dont_write_bytecode = True  # else the bytecode of a large module would be cut short
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**21, resource.RLIM_INFINITY))
    os.environ["MISTRUST_STORE"] = str(folder)
    good = {size: store.digest(numbers(size)) for size in (50, 300, 4000)}
    answers = {"small": want(50) == good[50], "full": want(4000)}
    answers["nothing half-written"] = not list(folder.rglob("*.part"))
    made = []
    answers["small is still good"] = want(50, made) == good[50] and made == []
    try:
        store.made(MAKER, {"checkpoints": 1}, checkpointed)
    except MistrustError as error:
        answers["full at a checkpoint"] = str(error)
    answers["checkpoint"] = store.digest(store.made(MAKER, {"checkpoints": 1}, found)) == store.digest(numbers(1))
    # The disk as full as can be, at many fillings: each thing is either whole or not there.
    whole, refused = 0, 0
    for left in range(40) if how == "mount" else ():
        filling = folder / "filling"
        filling.write_bytes(b"")
        room = os.statvfs(folder)
        filling.write_bytes(bytes(max(0, room.f_bavail * room.f_bsize - 4096 * left)))
        answer = want(60 + left)
        filling.unlink()
        if answer == store.digest(numbers(60 + left)):
            whole += 1
            store.prune(states=["good"])
        else:
            refused += "No space left" in answer
            assert not list(folder.rglob("*.part")), answer
    answers["whole"], answers["refused"] = whole, refused
    answers["after freeing"] = want(300) == good[300]
    if how == "mount":
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        made = []
        answers["read-only, there"] = want(300, made) == good[300] and made == []
        answers["read-only, missing"] = want(70, made)
        answers["made in vain"] = made
        answers["listed"] = [entry.state for entry in store.entries()]
        try:
            store.prune(states=["good"])
        except MistrustError as error:
            answers["read-only, pruned"] = str(error)
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
