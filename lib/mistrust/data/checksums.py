"""Checksums of files, and the error when one is not the expected one."""

import hashlib
from pathlib import Path

from mistrust.errors import MistrustError


def verify(path: Path, kind: str, expected: str, advice: str = "Delete it and get it again.") -> None:
    """Refuse a file with another checksum.

    Parameters
    ----------
    path : the file.
    kind : "md5" or "sha256".
    expected : the checksum that it must have, in hex digits.
    advice : what to do, at the end of the message.

    Raises
    ------
    MistrustError
        The file is truncated or altered; the message names it with both checksums and its length.
    """
    with path.open("rb") as content:
        # md5 serves to recognise published files here, not to keep out an adversary.
        found = hashlib.file_digest(content, lambda: hashlib.new(kind, usedforsecurity=False)).hexdigest()
    if found != expected:
        raise MistrustError(
            f"{path} is truncated or altered: its {kind} checksum is {found}, expected {expected} "
            f"({path.stat().st_size:,} bytes). {advice}"
        )
