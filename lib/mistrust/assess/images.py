"""Labelled images of a user: one folder per class, or the parquet layout, as `ImageSet` with the name of each file."""

import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from mistrust import random
from mistrust.assess.shares import LEAST, in_shares
from mistrust.data import ImageSet, parquet
from mistrust.data.image_files import SUFFIXES, image_files, other_files, shown
from mistrust.data.own import source
from mistrust.data.pixels import Fit, decode
from mistrust.errors import MistrustError
from mistrust.progress import bar

PARTS = {
    "train",
    "training",
    "test",
    "testing",
    "val",
    "valid",
    "validation",
    "dev",
}  # folders of parts, not of classes
NAMED = 3  # broken files that a message names
ORIENTATION = 0x0112  # the EXIF tag
EVENED = 0.02  # a class's share of the images less its share of those read, from which on it is told of
LAYOUTS = "one folder per class (FOLDER/cat/1.png, FOLDER/dog/2.png), or test.parquet and classes.txt (data/README.md)"


@dataclass(frozen=True)
class Wanted:
    """What the user said of the images.

    Attributes
    ----------
    classes : names of the model's classes in the order of its outputs; none: those of the folder, sorted.
    size : height and width to which images are resized; None: they must all have one size, which is kept.
    channels : 1 or 3; 0: grey only where all images are grey.
    limit : at most so many images, in the shares that the classes have, but a few of each; drawn by the seed.
    seed : of that draw.
    named_by : the option that `classes` come from.
    """

    classes: tuple[str, ...] = ()
    size: tuple[int, int] | None = None
    channels: int = 0
    limit: int = 0
    seed: int = 0
    named_by: str = "--classes"


@dataclass(frozen=True, eq=False)
class Named:
    """Images, and what each is called: its path below the folder, or its row; `notices` say what was not read."""

    images: ImageSet
    names: tuple[str, ...]
    layout: str
    found: int
    notices: tuple[str, ...] = ()

    def take(self, rows: Sequence[int]) -> "Named":
        """Give some of them."""
        return replace(self, images=self.images.take(list(rows)), names=tuple(self.names[i] for i in rows))


def read_images(folder: str | Path, wanted: Wanted, split: str = "test", first_id: int = 0) -> Named:
    """Read labelled images.

    Parameters
    ----------
    folder : in one of the two layouts.
    split : which parquet file is meant where the folder has both.
    first_id : id of the first image.

    Raises
    ------
    MistrustError
        No folder, neither layout, a folder of parts ("train", "test") in place of classes, a class without images, two
        classes with one name, a folder that no class is called by, images of several sizes, files that are no image.
    """
    place = Path(folder).expanduser()
    if not place.is_dir():
        what = "is a file" if place.exists() else "does not exist"
        raise MistrustError(f"The folder of images {place} {what}: expected {LAYOUTS}.")
    if any((place / file).is_file() for file in parquet.PARTS.values()):
        return _from_parquet(place, wanted, split, first_id)
    return _from_folders(place, wanted, first_id)


def _from_folders(place: Path, wanted: Wanted, first_id: int) -> Named:
    folders = sorted(one for one in place.iterdir() if one.is_dir() and shown(one.relative_to(place)))
    if not folders:
        loose = sum(one.suffix.lower() in SUFFIXES for one in place.iterdir())
        beside = f" {loose} images lie in it without a class." if loose else ""
        raise MistrustError(f"{place} holds no folders.{beside} Expected {LAYOUTS}.")
    if not {_plain(one.name) for one in folders} <= set(wanted.classes):
        _check_level(place, folders)
    classes = _classes([one.name for one in folders], wanted, place)
    files: list[tuple[Path, int]] = []
    for one in folders:
        mine = image_files(one)
        if not mine:
            other = other_files(one)
            raise MistrustError(
                f"The class folder {one} holds no image ({', '.join(SUFFIXES[:4])}, ...)"
                f"{f', but {other}' if other else ''}: put images of '{one.name}' "
                "into it, or remove it; where the model knows more classes than you have images of, name them all "
                "by --classes."
            )
        files += [(file, classes.index(_plain(one.name))) for file in mine]
    other = other_files(place)
    labels = np.array([label for _, label in files])
    rows = _chosen(labels, wanted)
    chosen = [files[row][0] for row in rows]
    pixels = _decoded(chosen, wanted, place)
    images = ImageSet(
        place.name or "images", pixels, torch.from_numpy(labels[rows]), torch.from_numpy(rows) + first_id, classes
    )
    return Named(
        images, tuple(files[row][0].relative_to(place).as_posix() for row in rows), "one folder per class", len(files),
        tuple(filter(None, (
            f"Not read, since no image by the suffix: {other}, in {place}." if other else "", _turned(chosen, place),
            _evened(labels, rows, place), _alike(classes, place),
        ))),
    )  # fmt: skip


def _evened(labels: np.ndarray, rows: np.ndarray, place: Path) -> str:
    """Say that classes were read in other shares than they have, for every rate is of what was read; "" where not."""
    had = np.bincount(labels) / len(labels)
    read = np.bincount(labels[rows], minlength=len(had)) / len(rows)
    if float(np.abs(had - read).max()) < EVENED:
        return ""
    most = int(np.abs(had - read).argmax())
    return (
        f"Of {len(labels)} images in {place} {len(rows)} were read, {LEAST} of each class at least where it has them: "
        f"a class that is {100 * had[most]:.0f}% of the images is {100 * read[most]:.0f}% of those read. "
        f"Accuracy and other rates are of what was read; --limit {len(labels)} reads all."
    )


def _turned(files: Sequence[Path], place: Path) -> str:
    """Say how many files a viewer would turn, for their pixels are taken as they are stored; "" where none."""
    count = 0
    for file in files:
        with Image.open(file) as image, suppress(Exception):  # of broken tags, which nobody follows, Pillow raises many
            count += image.getexif().get(ORIENTATION, 1) not in (0, 1)
    if not count:
        return ""
    return (
        f"{count} of {len(files)} images in {place} carry an orientation tag, which viewers follow and this does not, "
        "nor do torchvision's loaders: if the model was shown them upright, store them so."
    )


def _check_level(place: Path, folders: Sequence[Path]) -> None:
    """Refuse a folder that is one too high: of parts, or with one folder that holds the classes."""
    names = [one.name for one in folders]
    parts = [name for name in names if name.lower() in PARTS]
    if len(parts) == len(names):
        tested = next((name for name in parts if "train" not in name.lower()), parts[0])
        trained = next((name for name in parts if "train" in name.lower() and name != tested), "")
        raise MistrustError(
            f"{place} holds {', '.join(names)}: parts of a set, it seems, not classes. Name one of them: --images "
            f"{place / tested}{f' --train {place / trained}' if trained else ''}. If they are classes, name them by "
            "--classes."
        )
    if len(names) == 1:
        inner = [one for one in folders[0].iterdir() if one.is_dir() and shown(one.relative_to(place))]
        if len(inner) > 1:
            raise MistrustError(
                f"{place} holds one folder, {names[0]}, which holds {len(inner)}: name that one, {folders[0]}. The "
                f"layout that is expected: {LAYOUTS}."
            )


def _from_parquet(place: Path, wanted: Wanted, split: str, first_id: int) -> Named:
    found = source(place.name, [place.parent])
    if found is None:
        raise MistrustError(f"{place}: hidden folders are not read; expected {LAYOUTS}.")
    part = split if split in found.counts else next(iter(found.counts))
    decoded = found.reader.read(place, part, found)
    classes = _classes(list(found.classes), wanted, place)
    labels = decoded.labels
    if len(labels) and not 0 <= int(labels.min()) <= int(labels.max()) < len(found.classes):
        raise MistrustError(
            f"{place / parquet.PARTS[part]}: labels run from {int(labels.min())} to {int(labels.max())}, and "
            f"{parquet.CLASSES} names {len(found.classes)} classes: expected labels from 0 on, each with a name."
        )
    place_of = torch.tensor([classes.index(_plain(name)) for name in found.classes])
    rows = _chosen(place_of[labels].numpy(), wanted)
    pixels = decoded.images[torch.from_numpy(rows)]
    if wanted.channels and wanted.channels != pixels.shape[1]:
        pixels = pixels.expand(-1, 3, -1, -1).clone() if wanted.channels == 3 else _grey(pixels)
    if wanted.size and tuple(pixels.shape[2:]) != wanted.size:
        pixels = torch.stack([_resized(one, wanted.size) for one in pixels])
    images = ImageSet(place.name, pixels, place_of[labels][rows], torch.from_numpy(rows) + first_id, classes)
    return Named(
        images, tuple(f"row {row} of {parquet.PARTS[part]}" for row in rows), f"parquet ({part})", len(labels),
        tuple(filter(None, (_evened(place_of[labels].numpy(), rows, place), _alike(classes, place)))),
    )  # fmt: skip


def _classes(there: Sequence[str], wanted: Wanted, place: Path) -> tuple[str, ...]:
    """Class names in the order of the model's outputs; every name that is there is among them."""
    for names, where in ((there, str(place)), (wanted.classes, wanted.named_by)):
        plain = [_plain(name) for name in names]
        twice = next((name for name in plain if plain.count(name) > 1), None)
        if twice is not None:
            spelt = " and ".join(repr(name) for name in names if _plain(name) == twice)
            raise MistrustError(
                f"{where}: two classes have one name, '{twice}' ({spelt}): give each class a name of its own, or put "
                "their images together."
            )
    classes = tuple(_plain(name) for name in wanted.classes or there)
    stray = [name for name in there if _plain(name) not in classes]
    if stray:
        told = wanted.named_by == Wanted.named_by
        raise MistrustError(
            f"{place} has the class '{stray[0]}', which is not among the {len(classes)} of "
            f"{'the model' if told else f'the images in {wanted.named_by}'}: {', '.join(classes[:12])}"
            f"{', ...' if len(classes) > 12 else ''}. Rename it, or "
            + ("add it where it belongs." if told else "name all classes of the model, in its order: --classes FILE.")
        )
    if len(classes) < 2:
        raise MistrustError(
            f"{place} has one class, '{classes[0]}': a classifier tells at least two. Expected {LAYOUTS}."
        )
    return classes


def _alike(classes: Sequence[str], place: Path) -> str:
    """Say which names differ by capitals alone; "" where none do."""
    plain = [name.casefold() for name in classes]
    alike = [repr(name) for name, one in zip(classes, plain, strict=True) if plain.count(one) > 1]
    return f"{place}: {', '.join(alike)} differ by capitals alone, and count as classes of their own." if alike else ""


def _plain(name: str) -> str:
    """A name without what cannot be seen: blanks around it, another spelling of the same letters."""
    return unicodedata.normalize("NFC", name).strip()


def _chosen(labels: np.ndarray, wanted: Wanted) -> np.ndarray:
    """Rows, ascending: all, or the limit."""
    order = random.permutation(wanted.seed, "assess/limit", len(labels)).numpy()
    return in_shares(labels, order, wanted.limit or len(labels))


def _decoded(files: Sequence[Path], wanted: Wanted, place: Path) -> torch.Tensor:
    """Pixels of all files, uint8 (n, c, h, w); another size ends it at once, broken files are named together."""
    pixels: list[torch.Tensor] = []
    broken: list[str] = []
    first: tuple[tuple[int, ...], Path] | None = None
    with bar(len(files), "reading images", "image") as progress:
        for file in files:
            try:
                one = torch.from_numpy(np.array(decode(file.read_bytes(), Fit(wanted.channels), str(file))))
            except (MistrustError, OSError) as error:
                broken.append(str(error).rstrip("."))
                continue
            pixels.append(_resized(one, wanted.size) if wanted.size else one)
            size = tuple(pixels[-1].shape[1:])
            first = first or (size, file)
            if size != first[0]:
                (h, w), (rows, columns) = first[0], size
                raise MistrustError(
                    f"{file} is {rows}x{columns} pixels (height x width), {first[1].relative_to(place)} is {h}x{w}: "
                    "all images must have one size. Name the model's by --size HEIGHTxWIDTH, and they are resized."
                    + (f" Besides, {len(broken)} cannot be read: {'; '.join(broken[:NAMED])}." if broken else "")
                )
            progress.update()
    if broken:
        more = f"; and {len(broken) - NAMED} more" if len(broken) > NAMED else ""
        raise MistrustError(
            f"{len(broken)} of {len(files)} images cannot be read: {'; '.join(broken[:NAMED])}{more}. Mend or remove "
            "them."
        )
    if not wanted.channels and len({len(one) for one in pixels}) > 1:
        pixels = [one.expand(3, -1, -1) if len(one) == 1 else one for one in pixels]
    return torch.stack(pixels)


def _resized(image: torch.Tensor, size: tuple[int, int]) -> torch.Tensor:
    """One image (c, h, w) of that size, bilinear, antialiased where it shrinks (Pillow's way)."""
    if tuple(image.shape[1:]) == size:
        return image
    planes = [Image.fromarray(plane.numpy()).resize((size[1], size[0]), Image.Resampling.BILINEAR) for plane in image]
    return torch.from_numpy(np.stack([np.asarray(plane) for plane in planes]))


def _grey(pixels: torch.Tensor) -> torch.Tensor:
    """Luminance as Pillow has it."""
    planes = [np.asarray(Image.fromarray(one.permute(1, 2, 0).numpy()).convert("L")) for one in pixels]
    return torch.from_numpy(np.stack(planes)[:, None])


def class_file(path: str | Path) -> tuple[str, ...]:
    """Class names from a file, one per line.

    Raises
    ------
    MistrustError
        No such file, or not UTF-8.
    """
    place = Path(path).expanduser()
    if not place.is_file():
        raise MistrustError(f"There is no file of class names {place}: one name per line, in the order of the outputs.")
    return parquet.class_names(place)
