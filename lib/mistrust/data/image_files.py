"""Which files of somebody's folder are images: told by the suffix, and not what other programs have left there."""

from collections import Counter
from pathlib import Path

from mistrust.errors import MistrustError

SUFFIXES = (
    ".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".ppm", ".pgm", ".pbm", ".pnm",
)  # fmt: skip
DRAWN = ("EPS",)  # Pillow's formats, whatever the suffix, that it hands to another program (Ghostscript) to be drawn
ARCHIVED = "__MACOSX"  # what a Mac's archive holds beside the files, each of them once more


def shown(path: Path) -> bool:
    """Whether a file or folder is somebody's own, not a hidden one (`.ipynb_checkpoints`, `._1.png`, `.DS_Store`).

    Examples
    --------
    >>> shown(Path("cats/1.png")), shown(Path("cats/._1.png")), shown(Path("__MACOSX/cats/1.png"))
    (True, False, False)
    """
    return not any(part.startswith(".") or part == ARCHIVED for part in path.parts if part not in (".", ".."))


def image_files(folder: Path) -> list[Path]:
    """Give all image files in a folder and below, sorted; hidden ones are left out.

    Raises
    ------
    MistrustError
        A path that is no text, as those of an archive from a system with another encoding: no list could name it.
    """
    found = [path for path in _files(folder) if path.suffix.lower() in SUFFIXES]
    strange = [spelt for path in found if (spelt := _spelt(str(path))) != str(path)]
    if strange:
        raise MistrustError(
            f"The names of {len(strange):,} of {len(found):,} images are not UTF-8, such as {strange[0]}: rename the "
            "files or their folders (`convmv` does many at once)."
        )
    return found


def other_files(folder: Path) -> str:
    """Say which other files there are, by suffix: "3 .heic, 1 .txt"; "" where there is none."""
    counts = Counter(_spelt(path.suffix.lower()) or "without suffix" for path in _files(folder))
    return ", ".join(f"{n} {suffix}" for suffix, n in sorted(counts.items()) if suffix not in SUFFIXES)


def _spelt(name: str) -> str:
    """A name as text; bytes of it that are none as escapes."""
    return name.encode(errors="backslashreplace").decode()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if shown(path.relative_to(folder)) and path.is_file())
