"""What a model said, from a file, for those who cannot hand the model over: logits, labels and optional features."""

import csv
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from mistrust.assess.models.loaded import checksum
from mistrust.assess.models.outputs import TWO_COLUMNS, kind_of
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import Classifier, Record, wrap

FEATURES = "features"
COLUMNS = {
    "logits": re.compile(r"(?:logits?|z)_?(\d+)"),
    "probabilities": re.compile(r"(?:prob|probabilit(?:y|ies)|p)_?(\d+)"),
    "features": re.compile(r"(?:features?|x)_?(\d+)"),
}
LAYOUT = (
    "expected an .npz file with `logits` (n, k) or `probabilities` (n, k), `labels` (n,) and, if you have them, "
    "`features` (n, d), `names` (n,) and `classes` (k,); or a .csv or .parquet table with columns label, logit_0, "
    "logit_1, ... and, if you have them, feature_0, ..., name"
)


@dataclass(frozen=True, eq=False)
class Given:
    """Outputs of n images.

    Attributes
    ----------
    record : logits, and activations of a layer called "features" where the file has some; its images are one black
        pixel each.
    names : what each image is called.
    outputs : "logits", "probabilities" or "log-probabilities".
    checksum : of the file.
    """

    record: Record
    names: tuple[str, ...]
    outputs: str
    checksum: str


def read_outputs(path: str | Path, classes: tuple[str, ...] = (), first_id: int = 0) -> Given:
    """Read a file of outputs.

    Parameters
    ----------
    classes : their names; none: those in the file, else 0, 1, ...

    Raises
    ------
    MistrustError
        No such file or no such columns, one number per image, shapes that do not fit, NaN, labels outside 0 to k - 1,
        probabilities that are none.
    """
    place = Path(path).expanduser()
    if not place.is_file():
        raise MistrustError(f"There is no file of outputs {place}: {LAYOUT}.")
    found = _read(place)
    kind = "logits" if "logits" in found else "probabilities"
    if kind not in found or "labels" not in found:
        raise MistrustError(f"{place} has {', '.join(found) or 'nothing'}: {LAYOUT}.")
    shape = np.shape(found[kind])
    if len(shape) == 1 or shape[1:] == (1,):
        raise MistrustError(
            f"{place}: {kind} have shape {shape}: one number per image, as a two-class model's. Give {TWO_COLUMNS}; "
            "labels are 0 for the first and 1 for the second."
        )
    values, labels = _numbers(place, kind, found[kind]), _labels(place, found["labels"])
    n, k = values.shape
    if len(labels) != n or n == 0 or k < 2:
        raise MistrustError(
            f"{place}: {kind} have shape {(n, k)} and there are {len(labels)} labels: one row per image."
        )
    names = tuple(map(str, np.ravel(found["classes"]))) if "classes" in found and not classes else classes
    names = names or tuple(map(str, range(k)))
    if len(names) != k:
        raise MistrustError(f"{place}: {kind} are of {k} classes, and {len(names)} are named: {', '.join(names[:12])}.")
    if int(labels.min()) < 0 or int(labels.max()) >= k:
        raise MistrustError(
            f"{place}: labels run from {int(labels.min())} to {int(labels.max())}, expected 0 to {k - 1}: the "
            f"position of each image's class among the {k} {kind}."
        )
    outputs = _kind(place, kind, values)
    logits = values.clamp_min(torch.finfo(torch.float32).tiny).log() if outputs == "probabilities" else values
    if n > 1 and bool((logits == logits[:1]).all()):
        raise MistrustError(f"{place}: {kind} are the same for all of {n} images: no model that answers to them.")
    features = found.get("features")
    held: dict[str, Tensor] = {} if features is None else {FEATURES: _numbers(place, "features", features)}
    if held and len(held[FEATURES]) != n:
        raise MistrustError(f"{place}: there are {n} images and features of {len(held[FEATURES])}: one row per image.")
    known = np.ravel(found.get("names", [f"row {i}" for i in range(n)]))
    if len(known) != n:
        raise MistrustError(f"{place}: there are {n} images and {len(known)} names: one row per image.")
    row: dict[str, int] = {}
    for i, name in enumerate(map(str, known), start=1):
        if row.setdefault(name, i) < i:
            raise MistrustError(
                f"{place}: the name '{name}' stands in rows {row[name]} and {i}: give each image a name of its own, "
                "with its folder for instance."
            )
    pixels, ids = torch.zeros(n, 1, 1, 1, dtype=torch.uint8), torch.arange(first_id, first_id + n)
    images = ImageSet(place.stem, pixels, labels, ids, names)
    record = Record(images, _classifier(place, names), logits.float(), held)
    return Given(record, tuple(map(str, known)), outputs, checksum(place))


def _classifier(place: Path, names: tuple[str, ...]) -> Classifier:
    def absent(images: Tensor) -> Tensor:
        raise MistrustError(f"{place} holds what a model said; the model itself is not here: give it by --model.")

    return wrap(absent, names, name=place.stem, key=checksum(place))


def _read(place: Path) -> Mapping[str, np.ndarray]:
    suffix = place.suffix.lower()
    try:
        if suffix == ".npz":
            archive = np.load(place, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise MistrustError(f"{place} holds one array without a name: {LAYOUT}.")
            with archive:
                return {name: np.asarray(archive[name]) for name in archive.files}
        if suffix in (".csv", ".parquet"):
            return _from_table(place, _comma_separated(place) if suffix == ".csv" else pd.read_parquet(place))
    except MistrustError:
        raise
    except Exception as error:  # readers of other libraries raise what they like; a header may ask for any memory
        raise MistrustError(f"{place} cannot be read ({' '.join(str(error).split())}): {LAYOUT}.") from error
    raise MistrustError(f"{place} is a {place.suffix or 'file without suffix'}: {LAYOUT}.")


def _comma_separated(place: Path) -> pd.DataFrame:
    """A table in text; a spreadsheet may have written semicolons or tabs, and decimal commas with semicolons."""
    with place.open(encoding="utf-8-sig") as file:
        head = file.readline()
    separator = max(",;\t", key=head.count)
    table = pd.read_csv(place, sep=separator, encoding="utf-8-sig")
    if twice := [name for name, count in Counter(next(csv.reader([head], delimiter=separator))).items() if count > 1]:
        raise MistrustError(f"{place}: two columns are called '{twice[0]}'. Give each a name of its own.")
    if separator == ";":
        for name in table.columns:
            if any(pattern.fullmatch(str(name).strip().lower()) for pattern in COLUMNS.values()):
                table[name] = [str(one).replace(",", ".") for one in table[name]]
    return table


def _from_table(place: Path, table: pd.DataFrame) -> Mapping[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    names = [str(name).strip().lower() for name in table.columns]
    for key, pattern in COLUMNS.items():
        numbered = sorted((int(match[1]), i) for i, name in enumerate(names) if (match := pattern.fullmatch(name)))
        numbers = [number for number, _ in numbered]
        if key == FEATURES and len(set(numbers)) == len(numbers):
            pass  # a feature's number says nothing
        elif numbers != list(range(len(numbers))):
            first = next((i for i, number in enumerate(numbers) if number != i), 0)
            told = f"two are number {numbers[first]}" if numbers[first] < first else f"number {first} is missing"
            raise MistrustError(
                f"{place}: columns of {key} are numbered from {numbers[0]} to {numbers[-1]}, and {told}: expected each "
                f"of 0 to {len(numbers) - 1} once, since the number is the position of the class."
            )
        if numbered:
            found[key] = np.asarray(table.iloc[:, [i for _, i in numbered]])
    for key, also in (("labels", ("label", "labels", "y")), ("names", ("name", "names", "file", "id"))):
        column = next((names.index(name) for name in also if name in names), None)
        if column is not None:
            found[key] = np.asarray(table.iloc[:, column])
    return found


def _numbers(place: Path, what: str, values: np.ndarray) -> Tensor:
    if values.dtype.kind in "cmM":  # of which numpy would take a part for the number
        raise MistrustError(f"{place}: {what} are {values.dtype}, expected real numbers.")
    try:
        numbers = torch.from_numpy(np.array(values, dtype=np.float32))
    except (TypeError, ValueError) as error:
        raise MistrustError(f"{place}: {what} are no numbers ({error}).") from error
    if numbers.ndim != 2:
        raise MistrustError(
            f"{place}: {what} have shape {tuple(numbers.shape)}, expected two dimensions: one row per image."
        )
    if not bool(torch.isfinite(numbers).all()):
        broken = int((~torch.isfinite(numbers)).any(1).sum())
        raise MistrustError(
            f"{place}: {what} of {broken} of {len(numbers)} images are NaN or infinite: drop or mend them."
        )
    return numbers


def _labels(place: Path, values: np.ndarray) -> Tensor:
    given = np.asarray(values)
    if given.ndim != 1 or given.dtype.kind not in "iuf" or not np.array_equal(given, np.round(given)):
        raise MistrustError(
            f"{place}: labels have shape {given.shape} and type {given.dtype}, expected whole numbers (n,)."
        )
    return torch.from_numpy(given.astype(np.int64))


def _kind(place: Path, named: str, values: Tensor) -> str:
    found = kind_of(values)
    if named == "probabilities" and found != named:
        sums, inside = values.sum(1), bool(((values >= 0) & (values <= 1)).all())
        if bool((values >= 0).all()) and bool((abs(sums - 100) <= 1).all()):
            raise MistrustError(f"{place}: rows of probabilities sum to 100: per cent? Divide them by 100.")
        raise MistrustError(
            f"{place}: probabilities reach from {float(values.min()):.4g} to {float(values.max()):.4g}, and rows sum "
            f"to {float(sums.min()):.4g} to {float(sums.max()):.4g}, expected [0, 1] and 1. "
            + ("Is the column of a class missing?" if inside else "Are they logits? Call them so.")
        )
    return found
