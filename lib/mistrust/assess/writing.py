"""The report's folder: every file whole, or what was there before."""

import csv
import json
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path

from mistrust import rows as tidy
from mistrust.assess.page import page
from mistrust.assess.running import Report
from mistrust.data import parquet
from mistrust.errors import MistrustError
from mistrust.exchange import exchange

PAGE, JSON, ROWS = "index.html", "report.json", "rows.csv"
LIST = "label/ranked.csv"  # of images to label, which has a column for answers
LISTED = (LIST, "label/label.html")
_WAY_OUT = (
    "Free some space, or name another folder by --out; what was computed is kept, and the same command goes on from "
    "there."
)


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

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 3, 200)
    >>> np.savez("outputs.npz", logits=rng.normal(size=(200, 3)) + 2 * np.eye(3)[labels], labels=labels)
    >>> [path.name for path in write(assess(Asked(outputs="outputs.npz")), "report")]
    ['index.html', 'report.json', 'rows.csv', 'ranked.csv']
    """
    texts = {Path(folder).expanduser() / name: text for name, text in files(report).items()}
    # What a former report of this model listed, and this one does not, would be taken for this one's.
    former = (Path(folder).expanduser() / name for name in LISTED)
    exchange(texts, [path for path in former if path.is_file() and path not in texts], way_out=_WAY_OUT)
    return list(texts)


def check_folder(folder: str | Path, named: str = "", apart: Sequence[str | Path] = ()) -> None:
    """Refuse, before anything is computed, a folder that cannot be made or holds something else; make nothing.

    Parameters
    ----------
    named : the model or file of outputs that the report will be on; "" for any.
    apart : folders of images, which are not to be mixed with a report.

    Raises
    ------
    MistrustError
        A file is in the way; the folder holds files, and no report, or one on another model, or answers that somebody
        has given; it lies among the images; it cannot be written to.

    Examples
    --------
    >>> from pathlib import Path
    >>> check_folder("report")  # it can be made: nothing is said
    >>> Path("thesis").mkdir()
    >>> Path("thesis/chapter1.tex").touch()
    >>> check_folder("thesis")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: --out thesis holds files that are no report of ours: ...
    """
    place = Path(folder).expanduser()
    if place.exists() and not place.is_dir():
        raise MistrustError(f"--out {place} is a file: name a folder.")
    if place.is_dir() and any(place.iterdir()) and not (place / JSON).is_file():
        raise MistrustError(f"--out {place} holds files that are no report of ours: name another folder, or empty it.")
    for images in apart:
        within = Path(images).expanduser().resolve()
        as_rows = any((within / file).is_file() for file in parquet.PARTS.values())  # folders are no classes there
        if not as_rows and place.resolve().is_relative_to(within):
            raise MistrustError(
                f"--out {place} lies in the folder of images {images}, where it would be taken for a class: name a "
                "folder elsewhere."
            )
    former = _named(place / JSON)
    if named and former and Path(former).name != Path(named).name:
        raise MistrustError(
            f"--out {place} holds a report on {former}, and this one is on {named}: name another folder, or remove it."
        )
    answered = place / LIST
    if answered.is_file() and _answers(answered):
        raise MistrustError(
            f"{answered} holds {_answers(answered)} answers, which a new report would write over. Give them to "
            f"`mistrust search --answers {answered} ...`, or name another folder."
        )
    mark = place / JSON
    if not mark.is_file():  # made and taken away again: a folder that refuses says so now, not after the work
        lacking = [one for one in (place, *place.parents) if not one.exists()]
        exchange({mark: ""}, way_out=_WAY_OUT)
        mark.unlink()
        with suppress(OSError):  # another report has been put beside meanwhile
            for one in lacking:
                one.rmdir()


def _named(path: Path) -> str:
    """On what a report is; "" where there is none, or none that can be read."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["model"]["named"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _answers(path: Path) -> int:
    """How many rows of a list of images to label have an answer."""
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    separator = max(",;\t", key=next(iter(text.splitlines()), "").count)  # a spreadsheet may have written it
    try:
        rows = list(csv.reader(StringIO(text, newline=""), delimiter=separator))
    except csv.Error:
        rows = list[list[str]]()
    place = next((i for i, head in enumerate(rows[0] if rows else []) if head.strip().lower() == "answer"), None)
    if place is None:
        raise MistrustError(
            f"{path} cannot be read, so that answers in it would be lost: name another folder, or remove it."
        )
    return sum(len(row) > place and bool(row[place].strip()) for row in rows[1:])
