"""Rows as files: a csv a table, and one json file that says what they were made from and vouches for each.

Equal rows give equal files: sorted, ten digits, no time of day. A table of more than `LARGEST` rows is several files,
"searches.full.csv", "searches.2.full.csv": none is larger than a repository should hold. Chapter, table and profile are
said by a file's folder and name, not again in each of its rows; and a row has the first digits of what it was made
from, whose whole key the json file lists.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing.manifests import Manifest

LARGEST = 6_500  # of about 140 bytes each at most
DIGITS = 6  # of a key, at least: keys of twenty were an eighth of all files
NAMED = ["chapter", "table", "profile"]  # columns that a file leaves out; where one has them, they are as good


def read(folder: Path, vouching: str, way_out: str) -> tuple[Manifest, pd.DataFrame] | None:
    """Read the tables that a json file vouches for, and check each against its checksum.

    Returns
    -------
    The json file's content and all rows; None when there is no such file.
    """
    about = vouched(folder, vouching, way_out)
    if about is None:
        return None
    named = {"chapter": folder.name, "profile": about["profile"]}
    whole = {short: key for key, short in shortened(about.get("made", [])).items()}
    frames = [tidy.empty()]
    for table in about["tables"]:
        file = folder / f"{table}.{about['profile']}.csv"
        part = tidy.cells(file).assign(**named, table=table.partition(".")[0])
        frames.append(part.assign(made=[whole.get(key, key) for key in part["made"]]))
    try:
        return about, tidy.check(pd.concat(frames, ignore_index=True))
    except (MistrustError, ValueError) as error:
        raise MistrustError(f"{folder / vouching} vouches for rows that cannot be: {error} {way_out}") from error


def vouched(folder: Path, vouching: str, way_out: str) -> Manifest | None:
    """Give the content of a json file, once each table that it vouches for has its checksum; no row is parsed.

    Raises
    ------
    MistrustError
        The json file is damaged; a table is missing, or was changed since it was written.
    """
    path = folder / vouching
    if not path.exists():
        return None
    try:
        about: Manifest = json.loads(path.read_text(encoding="utf-8"))
        tables: Mapping[str, Any] = about["tables"]
        profile = about["profile"]
    except (ValueError, KeyError, TypeError) as error:
        raise MistrustError(f"{path} is damaged ({error}). {way_out}") from error
    for table, facts in tables.items():
        file = folder / f"{table}.{profile}.csv"
        if not file.exists():
            raise MistrustError(f"{file} is missing, although {path.name} lists it. {way_out}")
        found = checksum(file.read_text(encoding="utf-8"))
        if found != facts["sha256"]:
            raise MistrustError(
                f"{file} was changed since it was written (checksum {found}, expected {facts['sha256']}). {way_out}"
            )
    return about


def texts(folder: Path, rows: pd.DataFrame, about: Manifest, profile: str, vouching: str) -> dict[Path, str]:
    """Give the files, in the order of writing, that hold these rows and the json file that vouches for them."""
    files: dict[Path, str] = {}
    tables: dict[str, Any] = {}
    keys = shortened(rows["made"])
    for table in sorted(set(rows["table"])):
        own = tidy.ordered(rows[rows["table"] == table])
        for number, first in enumerate(range(0, len(own), LARGEST), 1):
            part = own.iloc[first : first + LARGEST]
            name = table if number == 1 else f"{table}.{number}"
            text = tidy.text(part.assign(made=part["made"].map(keys)), without=NAMED)
            files[folder / f"{name}.{profile}.csv"] = text
            tables[name] = {"rows": len(part), "sha256": checksum(text)}
    whole = {**about, "profile": profile, "tables": tables, "made": sorted(filter(None, keys))}
    files[folder / vouching] = json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return files


def shortened(keys: Iterable[str]) -> dict[str, str]:
    """The first digits of each key: six, or as many more as tell all of them apart."""
    different = set(keys)
    longest = max(map(len, different), default=DIGITS)
    enough = (n for n in range(DIGITS, longest) if len({key[:n] for key in different}) == len(different))
    digits = next(enough, longest)
    return {key: key[:digits] for key in different}


def checksum(text: str) -> str:
    """Checksum of a text with Unix line ends, so that a checkout with others reads as unchanged."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def labelled(rows: pd.DataFrame, chapter: str, profile: str) -> pd.DataFrame:
    """The rows, checked, with this profile and, where it is empty, this chapter."""
    full = tidy.check(rows)
    others = sorted(set(full["chapter"]) - {"", chapter})
    if others:
        raise MistrustError(f"Rows of {', '.join(others)} given as rows of chapter '{chapter}'.")
    return full.assign(chapter=chapter, profile=profile)


def names(folder: Path, table: str, profile: str) -> list[str]:
    """Names of a table's files in a folder, without their profile: the table's own, and its further parts'."""
    further = len(list(folder.glob(f"{table}.*.{profile}.csv")))
    return [table, *(f"{table}.{number}" for number in range(2, further + 2))]


def stale_tables(folder: Path, written: Sequence[Path], pattern: str) -> list[Path]:
    """Tables in a folder that a new set of tables no longer has."""
    return sorted(set(folder.glob(pattern)) - set(written))
