"""Decoded sets on disk: one safetensors file a split, memory-mapped when read, its content verified each time."""

import json
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from mistrust import paths
from mistrust.data.imageset import ImageSet
from mistrust.errors import MistrustError

LOG = logging.getLogger("mistrust.data")


def file(name: str, split: str) -> Path:
    """Where the decoded copy of a split lies, there or not."""
    return paths.cache() / "decoded" / f"{name}.{split}.safetensors"


def write(images: ImageSet, split: str, made_from: list[Any]) -> None:
    """Keep a decoded split: written beside and renamed, so that no half-written file is ever read.

    A folder that cannot be written to costs time at the next load, nothing else; the log says so.
    """
    target = file(images.name, split)
    # One metadata key: safetensors writes several in random order, and equal content should give equal files.
    about = {"checksum": images.checksum, "classes": list(images.classes), "made_from": made_from}
    tensors = {"images": images.images.contiguous(), "labels": images.labels, "ids": images.ids}
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        save_file(tensors, part, metadata={"about": json.dumps(about, sort_keys=True)})
        part.chmod(0o644)  # safetensors writes files that only their owner can read; a cache may be shared
        part.replace(target)
    except (OSError, SafetensorError) as error:
        with suppress(OSError):
            part.unlink()
        LOG.warning("The decoded copy of '%s' was not kept, it will be decoded again: %s", images.name, error)


def read(name: str, split: str, made_from: list[Any] | None, expected: str | None = None) -> ImageSet | None:
    """The decoded copy of a split, or None where there is none that was made from these files.

    Parameters
    ----------
    name, split : which one.
    made_from : what `write` was given, or None where the files themselves are gone.
    expected : the checksum that the content must have, where it is known; a copy that was made with another one
        (by an older version) counts as none.

    Raises
    ------
    MistrustError
        The copy is truncated or altered; the message gives the checksum expected and found.
    """
    path = file(name, split)
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as content:
            about = json.loads(content.metadata()["about"])
            if made_from is not None and about["made_from"] != made_from:
                return None
            if expected is not None and about["checksum"] != expected:
                return None
            tensors = {key: content.get_tensor(key) for key in ("images", "labels", "ids")}
            images = ImageSet(name, **tensors, classes=tuple(about["classes"]))
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise MistrustError(f"{path} is truncated or altered: {error}. Delete it to decode '{name}' again.") from error
    if images.checksum != about["checksum"]:
        raise MistrustError(
            f"{path} is altered: its content has checksum {images.checksum}, expected {about['checksum']}. "
            f"Delete it to decode '{name}' again."
        )
    return images
