"""`get`: the one function that uses the network. Downloads a set, checks md5 sums, unpacks, and loads it once."""

import hashlib
import shutil
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from urllib.request import Request, urlopen

from mistrust import paths
from mistrust.data import checksums, places
from mistrust.data.available import Availability, availability
from mistrust.data.loading import entry, load
from mistrust.data.source import Remote, Source
from mistrust.errors import MistrustError
from mistrust.progress import bar

# Seconds without a byte after which an address counts as silent.
SILENCE = 30.0
CHUNK = 1 << 16


def get(name: str) -> Availability:
    """Download a set into `data/cache` where it is not here yet, and check that it loads.

    A set that is here is loaded (which checks it) and left as it is; damaged files in `data/cache` are downloaded
    again.

    Returns
    -------
    Availability
        Its line in `listing`.

    Raises
    ------
    MistrustError
        An unknown name; a set that cannot be downloaded (the message says how to get it); no address answered; a
        file with another md5 sum; files of the user's own that are damaged (they are never replaced).

    Examples
    --------
    >>> get("digits").found  # here already: it is loaded, nothing is downloaded
    True
    >>> get("digit")
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no data set 'digit'. Did you mean 'digits'? ...
    """
    source = entry(name)
    where = {split: places.find(source, split) for split in source.splits}
    try:
        if all(where.values()):
            _load(source)
            return availability(name)
    except MistrustError:
        cache = paths.cache().resolve()
        damaged_elsewhere = [at for at in where.values() if at and not at.folder.resolve().is_relative_to(cache)]
        if source.remotes is None or damaged_elsewhere:
            raise
    if source.remotes is None:
        split = next(split for split, place in where.items() if place is None)
        raise places.absent(source, split)
    fetch_all(source.remotes(), paths.cache())
    _load(source)
    return availability(name)


def fetch_all(remotes: Sequence[Remote], folder: Path) -> None:
    """Download files and unpack archives below `folder`; files that are there with the right md5 sum are kept."""
    for remote in remotes:
        fetch(remote, folder)
    for remote in remotes:  # when all are here: an archive that is unpacked is gone, and would be fetched again
        if remote.unpack:
            unpack(folder / remote.target, folder / remote.unpack)


def fetch(remote: Remote, folder: Path) -> Path:
    """Download one file, trying its addresses in order; whole and with the right md5 sum, or not at all.

    Raises
    ------
    MistrustError
        No address gave the file; the message says what each one gave. Or the folder cannot be written to.
    """
    target = folder / remote.target
    part = target.with_name(target.name + ".part")
    with _writing(target.parent):
        if target.is_file():
            try:
                checksums.verify(target, "md5", remote.md5)
            except MistrustError:
                target.unlink()
            else:
                return target
        target.parent.mkdir(parents=True, exist_ok=True)
        part.open("wb").close()  # before anything is asked for: a shut folder is no fault of the addresses
    failed = []
    for url in remote.urls:
        try:
            found, length = _stream(url, part)
        except (OSError, HTTPException, ValueError) as error:
            failed.append(f"{url}: {error}")
            continue
        if found == remote.md5:
            with _writing(target.parent):
                part.replace(target)
            return target
        failed.append(f"{url}: the md5 checksum is {found}, expected {remote.md5} ({length:,} bytes)")
    part.unlink(missing_ok=True)
    raise MistrustError(
        f"{target.name} could not be downloaded. {'; '.join(failed)}. Try again later, or get the file by other ways "
        f"and put it at {target}."
    )


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip or tar archive into a folder and delete it; each of its folders appears complete or not at all."""
    part = archive.with_name(archive.name + ".unpacked")
    shutil.rmtree(part, ignore_errors=True)
    with _writing(archive.parent):
        part.mkdir()
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as content:
                content.extractall(part)
        else:
            with tarfile.open(archive) as content:
                # Python before 3.11.4 has no filters; the archive is the one whose md5 sum is known.
                content.extraction_filter = getattr(tarfile, "data_filter", None)
                content.extractall(part)
        _move(part, folder)
    except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise MistrustError(f"{archive} could not be unpacked: {error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    archive.unlink()


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Turns the disk's refusals into errors that name the folder and the way out."""
    try:
        yield
    except OSError as error:
        raise MistrustError(
            f"{folder}, where downloads are kept, could not be written to ({error.strerror or error}). Make it "
            "writable, or name another folder with MISTRUST_CACHE."
        ) from error


def _move(source: Path, target: Path) -> None:
    """Move what is in one folder into another: folders that are new there as a whole, others entered."""
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        there = target / path.name
        if path.is_dir() and there.is_dir():
            _move(path, there)
        else:
            path.replace(there)


def _stream(url: str, part: Path) -> tuple[str, int]:
    md5 = hashlib.md5(usedforsecurity=False)
    length = 0
    if not url.startswith(("http://", "https://")):
        raise ValueError("only http and https addresses are downloaded")
    request = Request(url, headers={"User-Agent": "mistrust"})
    with urlopen(request, timeout=SILENCE) as answer, part.open("wb") as file:
        total = int(answer.headers.get("Content-Length") or 0)
        with bar(total, url.rpartition("/")[2], "B") as progress:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
                md5.update(chunk)
                length += len(chunk)
                progress.update(len(chunk))
    return md5.hexdigest(), length


def _load(source: Source) -> None:
    for split in source.splits:
        load(source.name, split)
