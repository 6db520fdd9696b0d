"""Replacing several files together: all of them, or none."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from mistrust.errors import MistrustError

WAY_OUT = "Is the folder writable, and is there space on the disk?"


def exchange(files: Mapping[Path, str], remove: Iterable[Path] = (), *, way_out: str = WAY_OUT) -> None:
    """Write these texts to these files, then remove the others; on any failure everything is as it was before.

    All texts are on the disk under other names before the first file is touched, so that a full disk changes nothing.
    Files are replaced in the order given: put the one that vouches for the others (their checksums) last, and a
    process killed between two of them leaves a state that a reader can tell.

    Parameters
    ----------
    files : text by file; folders are made.
    remove : files that go once the others stand.
    way_out : the message's last sentence: what the caller's user can do.

    Raises
    ------
    MistrustError
        A folder or file that cannot be written; the message says which and that nothing was changed.

    Examples
    --------
    >>> from pathlib import Path
    >>> Path("old.txt").touch()
    >>> exchange({Path("new/a.txt"): "one", Path("new/b.txt"): "two"}, remove=[Path("old.txt")])
    >>> Path("new/b.txt").read_text(), Path("old.txt").exists()
    ('two', False)
    """
    staged: dict[Path, Path] = {}
    before: dict[Path, bytes | None] = {}
    at = next(iter(files), Path())
    try:
        for at, text in files.items():
            at.parent.mkdir(parents=True, exist_ok=True)
            staged[at] = at.with_name(f".{at.name}.part-{os.getpid()}")
            staged[at].write_text(text, encoding="utf-8", newline="\n")
        for at, temporary in staged.items():
            kept = at.read_bytes() if at.exists() else None
            temporary.replace(at)
            before[at] = kept
        for at in remove:
            kept = at.read_bytes()
            at.unlink()
            before[at] = kept
    except OSError as error:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(content)
        raise MistrustError(
            f"{at} cannot be written ({error.strerror or error}). Nothing was changed. {way_out}"
        ) from error
    finally:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)
