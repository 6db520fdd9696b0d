"""Whether a cluster's workers are what the caller takes them for: with its packages, its code, its store and images.

Rows say which packages they were made with, and say it of the caller's; keys tell nothing of code. A worker that
differs would make other numbers under the same name, or fail on one piece after the other, faster than good ones work.
"""

import hashlib
import importlib.metadata
import os
import platform
import secrets
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mistrust import paths
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    from distributed import Client

# On which numbers depend, or whether pieces arrive at all.
PACKAGES = ("torch", "torchvision", "numpy", "scipy", "pandas", "scikit-learn", "statsmodels", "cloudpickle")
SHOWN = 3  # workers that a message names


def check(client: "Client") -> None:
    """Refuse workers that differ from this process.

    Raises
    ------
    MistrustError
        Some workers have no mistrust, other versions or code, or do not see the store or the images: the first few are
        named, with what differs.
    """
    store, images = paths.store(), os.environ.get("MISTRUST_DATA")
    images = str(Path(images).expanduser().resolve()) if images else None
    token = store / f".seen-{secrets.token_hex(8)}"
    try:
        store.mkdir(parents=True, exist_ok=True)
        token.touch()
    except OSError as error:
        raise MistrustError(
            f"The store's folder {store} cannot be written to ({error.strerror}). Set MISTRUST_STORE to one that can."
        ) from error
    try:
        here = seen(str(token), images)
        # Not through `execute`: a worker answers this beside a piece that it is at.
        there = client.run(seen, str(token), images, on_error="return")
    finally:
        token.unlink(missing_ok=True)
    odd = {worker: found for worker, answer in there.items() if (found := _differences(here, answer))}
    if odd:
        told = "; ".join(f"{worker} has {', '.join(found)}" for worker, found in list(odd.items())[:SHOWN])
        raise MistrustError(
            f"{len(odd)} of {len(there)} Dask workers cannot make what this process would: {told}"
            f"{'; ...' if len(odd) > SHOWN else ''}. Install the same packages and code for them, let them see the "
            "same MISTRUST_STORE and MISTRUST_DATA, and start them anew (book: On a cluster)."
        )


def seen(token: str, images: str | None) -> dict[str, str]:
    """What this process has: {thing: what it is}, as text.

    Parameters
    ----------
    token : a file in the asker's store.
    images : the asker's folder of images, if it has one.
    """
    found = {"Python": ".".join(platform.python_version_tuple()[:2])} | {name: _version(name) for name in PACKAGES}
    found["code of mistrust"] = code()
    found["the store"] = str(Path(token).parent) if Path(token).exists() else f"another {Path(token).parent}, or none"
    if images:
        found["images"] = images if Path(images).is_dir() else f"no folder {images}"
    return found


@cache
def code() -> str:
    """A checksum of the library's modules as they were when this process was first asked: 12 hexadecimal digits."""
    total = hashlib.sha256()
    for path in sorted(paths.PACKAGE.rglob("*.py")):
        total.update(f"{path.relative_to(paths.PACKAGE).as_posix()}|".encode() + path.read_bytes())
    return total.hexdigest()[:12]


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _differences(here: Mapping[str, str], answer: Mapping[str, str] | BaseException) -> list[str]:
    """What a worker has otherwise, as text; nothing where it is alike."""
    if isinstance(answer, BaseException):
        return [f"no mistrust that answers ({type(answer).__name__}: {answer})"]
    return [
        f"{name} {answer.get(name, 'none')} (here {ours})" for name, ours in here.items() if answer.get(name) != ours
    ]
