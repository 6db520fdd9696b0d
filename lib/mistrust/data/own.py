"""A user's own images: any folder in the parquet layout, loaded by its name without an entry in the table."""

from pathlib import Path

from mistrust.data import parquet
from mistrust.data.source import Source
from mistrust.errors import MistrustError


def source(name: str, bases: list[Path]) -> Source | None:
    """The entry for the first folder called `name` that holds parquet files, or None.

    Parameters
    ----------
    name : the folder's name.
    bases : the folders that are searched.

    Raises
    ------
    MistrustError
        The folder is there but without `classes.txt`, or its files cannot be read.
    """
    if not plain(name):
        return None
    for base in bases:
        parts = {split: base / name / file for split, file in parquet.PARTS.items() if (base / name / file).is_file()}
        if parts:
            classes = base / name / parquet.CLASSES
            if not classes.is_file():
                raise MistrustError(f"{base / name} lacks classes.txt: one class per line, in the order of labels.")
            return Source(
                name=name,
                title="your own images",
                classes=parquet.class_names(classes),
                channels=0,
                size=(0, 0),
                counts={split: parquet.open_file(path).metadata.num_rows for split, path in parts.items()},
                reader=parquet.Parquet(),
                terms="yours",
                cite="",
                about="A folder in the parquet layout.",
                folders=(name,),
                get=f"put train.parquet and test.parquet into the folder {name}",
            )
    return None


def plain(name: object) -> bool:
    """Whether a name is that of a folder, not a path or a hidden folder."""
    return isinstance(name, str) and name != "" and name == Path(name).name and not name.startswith(".")


def names(bases: list[Path]) -> list[str]:
    """The folders that look like a user's own images, in order of search."""
    found = [
        folder.name
        for base in bases
        for folder in sorted(base.iterdir())
        if any((folder / file).is_file() for file in parquet.PARTS.values())
    ]
    return list(dict.fromkeys(found))
