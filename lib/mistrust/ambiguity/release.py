"""Writing a set for others: one folder, whole or not at all, never over anything that is there."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.cards import card, copies, made
from mistrust.ambiguity.formats import FORMATS, checked
from mistrust.ambiguity.origin import Origin
from mistrust.errors import MistrustError
from mistrust.store.files import FULL, beside

CARD, MADE = "README.md", "made.json"
KEPT = "Nothing was left there, and what was trained is kept: the same command goes on from it."


def release(
    train: AmbiguousSet,
    test: AmbiguousSet,
    folder: Path | str,
    origin: Origin,
    formats: tuple[str, ...] = ("npz", "idx", "parquet"),
) -> Path:
    """Write a train and a test set into a new folder, with a data card and all options of their making.

    The files are written beside the folder under a hidden name, put on the disk, then moved to their place in one step.

    Parameters
    ----------
    train, test : the two parts, of the same classes and size of images.
    folder : that does not exist yet; the folders above it are made.
    origin : what the images were made of, and the licence.
    formats : entries of `FORMATS`.

    Returns
    -------
    The folder.

    Raises
    ------
    MistrustError
        A folder that exists or cannot be written to, a full disk, an unknown format, parts that do not fit together or
        are the same images twice.

    Examples
    --------
    >>> release(train, test, "ambiguous-digits", origin("digits"))  # doctest: +SKIP
    """
    formats = checked(tuple(formats))
    _fit(train, test)
    parts = {"train": train, "test": test}
    with whole(ready(folder)) as place:
        for name in formats:
            FORMATS[name].write(parts, place)
        (place / MADE).write_text(made(parts, origin, formats), encoding="utf-8", newline="\n")
        (place / CARD).write_text(card(parts, origin, formats), encoding="utf-8", newline="\n")
    return ready_name(folder)


def ready_name(folder: Path | str) -> Path:
    """The folder's full name."""
    return Path(folder).expanduser().absolute()


def ready(folder: Path | str) -> Path:
    """Give the folder's full name where it can be made; asked before hours of training as well as after.

    Raises
    ------
    MistrustError
        There is something of this name, or the folder above it cannot be written to.
    """
    place = ready_name(folder)
    if os.path.lexists(place):
        raise MistrustError(
            f"{place} exists already, and nothing is ever written over: name another folder (--out), or move this one "
            "out of the way."
        )
    above = next(one for one in place.parents if os.path.lexists(one))
    try:
        # Asking for rights is not enough: a disk can be read-only, and root has every right.
        Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=above)).rmdir()
    except OSError as error:
        raise _shut(place, above, error, "Nothing was made.") from error
    return place


@contextmanager
def whole(folder: Path) -> Iterator[Path]:
    """A hidden folder to write into, which becomes `folder` when all went well and disappears otherwise."""
    new = [one for one in folder.parents if not os.path.lexists(one)]  # innermost first
    part = beside(folder, "part")
    try:
        part.mkdir(parents=True)
        yield part
        for path in sorted(part.rglob("*")):
            if path.is_file():
                with path.open("rb+") as file:  # Windows settles only what may be written to
                    os.fsync(file.fileno())
        if os.path.lexists(folder):  # a rename would take an empty folder's place
            raise FileExistsError(errno.EEXIST, "it came to exist meanwhile", str(folder))
        part.rename(folder)
    except BaseException as error:
        shutil.rmtree(part, ignore_errors=True)
        with suppress(OSError):  # the first that holds something ends it
            for one in new:
                one.rmdir()
        if isinstance(error, OSError):
            raise _shut(folder, folder.parent, error, KEPT) from error
        raise


def _shut(folder: Path, above: Path, error: OSError, left: str) -> MistrustError:
    reason = error.strerror or str(error)
    if error.errno in FULL:
        return MistrustError(f"No space left for {folder} ({reason}). Free some, or name a folder elsewhere. {left}")
    return MistrustError(
        f"{folder} cannot be written: {above} refuses ({reason}). Name a folder elsewhere (--out), or make that one "
        f"writable. {left}"
    )


def _fit(train: AmbiguousSet, test: AmbiguousSet) -> None:
    shapes = [tuple(one.images.shape[1:]) for one in (train, test)]
    if shapes[0] != shapes[1] or train.classes != test.classes:
        raise MistrustError(
            f"Train and test do not fit together: images of {shapes[0]} and {shapes[1]}, {len(train.classes)} and "
            f"{len(test.classes)} classes. Release sets that were made of the same images."
        )
    for what, one in (("train", train), ("test", test)):
        if not len(one):
            raise MistrustError(f"The {what} set holds no images: there is nothing to release.")
    # The published loaders gave the same file for train and test; this cannot happen here unseen.
    if copies(test, train) == len(test):
        raise MistrustError(
            f"All {len(test):,} test images are train images, too: make the test set with draws of its own."
        )
