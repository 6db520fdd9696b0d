"""The images of a folder, found by the names that a scores file gives them, and made small enough for one page."""

import base64
import io
import unicodedata
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from mistrust.data.image_files import DRAWN, SUFFIXES, image_files
from mistrust.errors import MistrustError, nearest
from mistrust.search.labelling.columns import dropped_zeros

LONGEST = 800  # pixels on the longer side of an image on the page, unless told otherwise
PAGE_MB = 60  # of all images of a page together: what a phone's browser opens without trouble
LOSSLESS = 160  # images up to this size keep every pixel
SHOWN = 5  # wrong names that a message gives


@dataclass(frozen=True)
class Shown:
    """One image as the page holds it: a data URI, the size it has there, and the size it had."""

    uri: str
    size: tuple[int, int]
    original: tuple[int, int]


def find(folder: str | Path, names: Sequence[str]) -> list[Path]:
    """Give the file of each name: a path below the folder or a file's name, with or without its suffix.

    The folder's own path may stand before it, and Windows' backslashes count as slashes. A path out of the folder is
    that of no image.

    Raises
    ------
    MistrustError
        No folder, no image in it, names without a file (names the nearest), names that fit several files.

    Examples
    --------
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> Path("images/cats").mkdir(parents=True)
    >>> Image.new("L", (4, 4)).save("images/cats/tom.png")
    >>> [path.as_posix() for path in find("images", ["tom"])]
    ['images/cats/tom.png']
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise MistrustError(f"{folder}: there is no such folder of images: name it by --images.")
    files = image_files(folder)
    if not files:
        raise MistrustError(f"{folder}: no image in this folder or below; expected files {', '.join(SUFFIXES)}.")
    # A fuller name goes first: 'cats/1.png' is one file even where 'dogs/1.png' is there, too.
    below = [path.relative_to(folder) for path in files]
    levels = [
        _by([path.as_posix() for path in below], files), _by([path.name for path in below], files),
        _by([path.with_suffix("").as_posix() for path in below], files), _by([path.stem for path in below], files),
    ]  # fmt: skip
    found, missing, several = list[Path](), list[str](), list[str]()
    for name in names:
        spelt = _below(name, folder)
        fitting = _whole(folder, spelt[0]) or next(
            (level[one] for one in map(_composed, spelt) for level in levels if one in level), []
        )  # fmt: skip
        if not fitting:
            missing.append(name)
        elif len(fitting) > 1:
            several.append(f"'{name}' fits {' and '.join(str(path.relative_to(folder)) for path in fitting[:3])}")
        else:
            found.append(fitting[0])
    if missing:
        near = nearest(missing[0], levels[1])
        hint = f" Nearest to '{missing[0]}': '{near}'." if near else ""
        zeros = next(filter(None, (dropped_zeros(name, levels[3]) for name in missing)), "")
        hint = f" {zeros}" if zeros else hint
        raise MistrustError(
            f"{folder}: {len(missing):,} of {len(names):,} ids without an image: {_some(missing)}.{hint} An id is a "
            f"file's name, or its path below the folder, with or without the suffix."
        )
    if several:
        raise MistrustError(f"{folder}: {_some(several, quote=False)}. Name the file whole in the scores.")
    return found


def below(files: Iterable[Path], folder: str | Path | None) -> list[str]:
    """Give what a list calls each file: its path below the folder, with slashes; without a folder its name.

    Two images of one name in two folders are told apart. A file that lies elsewhere is called by its name.

    Examples
    --------
    >>> from pathlib import Path
    >>> files = [Path("images/cats/1.png"), Path("images/dogs/1.png")]
    >>> below(files, "images"), below(files, None)
    (['cats/1.png', 'dogs/1.png'], ['1.png', '1.png'])
    """
    return [path.name if folder is None else _called(path, Path(folder)) for path in files]


def _called(path: Path, folder: Path) -> str:
    # A name may have given the file's whole path where the folder's is a short one.
    for file, whole in ((path, folder), (path.resolve(), folder.resolve())):
        if file.is_relative_to(whole):
            return file.relative_to(whole).as_posix()
    return path.name


def refuse_twice(names: Sequence[str], files: Sequence[Path]) -> None:
    """Refuse two names of one image, which a person would be asked about twice.

    Parameters
    ----------
    names, files : n names, and the n files that `find` gave for them.

    Raises
    ------
    MistrustError
        A file that stands twice; both its names are told.

    Examples
    --------
    >>> from pathlib import Path
    >>> refuse_twice(["tom", "tom.png"], [Path("tom.png"), Path("tom.png")])
    Traceback (most recent call last):
    mistrust.errors.MistrustError: tom.png: 'tom' and 'tom.png' are both this image, ...
    """
    first = dict[Path, str]()
    for name, path in zip(names, files, strict=True):
        if path in first:
            raise MistrustError(
                f"{path}: '{first[path]}' and '{name}' are both this image, which would be asked for and counted "
                "twice: keep one line of it in the scores."
            )
        first[path] = name


def shown(paths: Iterable[Path], longest: int = LONGEST, page_mb: float = PAGE_MB) -> list[Shown]:
    """Read images and make each a data URI, scaled down where its longer side has more than `longest` pixels.

    Small images keep every pixel (PNG); larger ones become JPEG of quality 90. Rotated as their EXIF says; the first
    picture of several; what is transparent stands on white.

    Raises
    ------
    MistrustError
        Files that are no image, broken, or of more pixels than Pillow reads (some 179 million), all named at once; all
        together larger than `page_mb` megabytes.

    Examples
    --------
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> Image.new("L", (4, 2)).save("small.png")
    >>> Image.new("L", (400, 200)).save("large.png")
    >>> for one in shown([Path("small.png"), Path("large.png")], longest=100):
    ...     one.original, one.size, one.uri[:15]
    ((4, 2), (4, 2), 'data:image/png;')
    ((400, 200), (100, 50), 'data:image/jpeg')
    """
    if not 16 <= longest <= 4096:
        raise MistrustError(f"--pixels is {longest}, expected 16 to 4096 on an image's longer side.")
    made, broken = list[Shown](), list[str]()
    for path in paths:
        try:
            made.append(_one(path, longest))
        except Exception as error:  # Pillow's readers raise what they like, struct.error and TypeError too
            broken.append(f"{path} ({_reason(error)})")
    if broken:
        raise MistrustError(
            f"{len(broken):,} image{'s' if len(broken) > 1 else ''} cannot be read: {_some(broken, quote=False)}. Mend "
            f"them, or drop their lines from the scores; nothing was written."
        )
    total = sum(len(one.uri) for one in made) / 1e6
    if total > page_mb:
        raise MistrustError(
            f"The page would hold {total:,.3g} MB of images, expected at most {page_mb:g}: make them smaller by "
            f"--pixels (now {longest}), or ask for fewer by --budget."
        )
    return made


def _reason(error: Exception) -> str:
    if isinstance(error, Image.UnidentifiedImageError):
        return "no image, or broken"
    if isinstance(error, Image.DecompressionBombError):
        most = 2 * (Image.MAX_IMAGE_PIXELS or 0) / 1e6  # where Pillow refuses
        return f"more than {most:,.3g} million pixels: scale it down first"
    return str(error)


def _one(path: Path, longest: int) -> Shown:
    with warnings.catch_warnings():
        # Pillow warns of files that may be made to fill the memory; these are the user's own, and become small here.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        with Image.open(path) as opened:
            if opened.format in DRAWN:
                raise ValueError(f"a drawing ({opened.format}): save it as PNG before")
            opened.seek(0)
            image = ImageOps.exif_transpose(opened)
            image = _plain(image)
    return held(image, longest)


def held(image: Image.Image, longest: int = LONGEST) -> Shown:
    """Make a data URI of an 8-bit grey or RGB image: as `shown` does of files."""
    original = image.size
    if max(original) > longest:
        image = image.copy()
        image.thumbnail((longest, longest), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    if max(original) <= LOSSLESS:
        kind = "png"
        image.save(file, "PNG", optimize=True)
    else:
        kind = "jpeg"
        image.save(file, "JPEG", quality=90, optimize=True)
    uri = f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
    return Shown(uri, image.size, original)


def _plain(image: Image.Image) -> Image.Image:
    """Grey or RGB of 8 bits; deeper greys from their darkest to their lightest, where Pillow would cut them off."""
    if image.mode.startswith("I") or image.mode == "F":
        x = np.asarray(image, dtype=np.float64)
        span = x.max() - x.min()
        return Image.fromarray(((x - x.min()) * (255 / (span if span > 0 else 1))).astype(np.uint8))
    if image.has_transparency_data:
        above = image.convert("RGBA")
        below = Image.new("RGBA", above.size, "white")
        below.alpha_composite(above)
        return below.convert("RGB")
    return image if image.mode in ("L", "RGB") else image.convert("RGB")


def _by(keys: Iterable[str], files: Iterable[Path]) -> dict[str, list[Path]]:
    table = defaultdict[str, list[Path]](list)
    for key, path in zip(keys, files, strict=True):
        table[_composed(key)].append(path)
    return dict(table)


def _composed(name: str) -> str:
    """One spelling of the letters with marks, which some systems' files have in two parts."""
    return unicodedata.normalize("NFC", name)


def _below(name: str, folder: Path) -> tuple[str, ...]:
    """A name as it stands, with slashes, and without the folder's path before it."""
    slashed = name.replace("\\", "/").removeprefix("./")
    places = {folder.as_posix(), folder.resolve().as_posix(), folder.name}
    cut = [slashed.removeprefix(f"{place}/") for place in places if slashed.startswith(f"{place}/")]
    return tuple(dict.fromkeys((name, slashed, *sorted(cut, key=len))))


def _whole(folder: Path, name: str) -> list[Path]:
    """The file of a path, whatever its suffix; none where it leads out of the folder: a page is handed on."""
    path = folder / name
    try:
        if not path.is_file():
            return []
    except OSError:  # longer than a name may be
        return []
    if not Path(name).is_absolute() and ".." not in Path(name).parts:
        return [path]
    real, home = path.resolve(), folder.resolve()
    return [folder / real.relative_to(home)] if real.is_relative_to(home) else []


def _some(names: Sequence[str], quote: bool = True) -> str:
    said = ", ".join(f"'{name}'" if quote else name for name in names[:SHOWN])
    return said + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")
