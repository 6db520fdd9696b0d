"""The report's folder: every file whole, or what was there before."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mistrust import rows as tidy
from mistrust.assess.page import page
from mistrust.assess.running import Report
from mistrust.errors import MistrustError

PAGE, JSON, ROWS = "index.html", "report.json", "rows.csv"


def files(report: Report) -> dict[str, str]:
    """All files of a report by their path in its folder; equal reports give equal text."""
    more = {path: text for told in report.told.values() for path, text in told.files.items()}
    content = json.dumps(report.content, indent=1, ensure_ascii=False, allow_nan=False)
    return {PAGE: page(report), JSON: content + "\n", ROWS: tidy.text(report.rows), **more}


def write(report: Report, folder: str | Path) -> list[Path]:
    """Write a report.

    Raises
    ------
    MistrustError
        The folder cannot be written to, or the disk is full: what was there before is there still, and so is all that
        was computed.
    """
    return write_all(Path(folder).expanduser(), files(report))


def check_folder(folder: str | Path) -> None:
    """Refuse, before anything is computed, a folder that cannot be made or holds something else.

    Raises
    ------
    MistrustError
        A file is in the way; the folder holds files, and no report; it cannot be written to.
    """
    place = Path(folder).expanduser()
    if place.exists() and not place.is_dir():
        raise MistrustError(f"--out {place} is a file: name a folder.")
    if place.is_dir() and any(place.iterdir()) and not (place / JSON).is_file():
        raise MistrustError(f"--out {place} holds files that are no report of ours: name another folder, or empty it.")
    write_all(place, {})


def write_all(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write all files beside their places first, then move them there: a full disk leaves what there was."""
    parts = {folder / name: (folder / name).with_name(f".{Path(name).name}.part") for name in texts}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for part, text in zip(parts.values(), texts.values(), strict=True):
            part.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(text.encode("utf-8"))
        for target, part in parts.items():
            part.replace(target)
    except OSError as error:
        with suppress(OSError):
            for part in parts.values():
                part.unlink(missing_ok=True)
        raise MistrustError(
            f"{error.filename or folder} cannot be written ({error.strerror or error}). Free some space, or name "
            "another folder by --out; what was computed is kept, and the same command goes on from there."
        ) from error
    return list(parts)
