"""`assess`: every part of a report, piece by piece; what cannot be had is left out by name."""

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

import pandas as pd

from mistrust import __version__
from mistrust import rows as tidy
from mistrust.assess.asked import Asked
from mistrust.assess.kept import Failed, Tensors
from mistrust.assess.parts import PARTS, Part, Told
from mistrust.assess.preparing import Prepared, prepare
from mistrust.assess.subject import Subject
from mistrust.progress import Progress, bar

PACKAGES = ("torch", "torchvision", "numpy", "scipy", "scikit-learn", "pandas", "pillow", "onnxruntime")


@dataclass(frozen=True)
class Report:
    """An assessment.

    Attributes
    ----------
    prepared : model and images.
    told : what each part says, by name, in the order of the page.
    left : what was left out: name and reason.
    settings : what was asked, and the sizes that followed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 3, 200)
    >>> np.savez("outputs.npz", logits=rng.normal(size=(200, 3)) + 2 * np.eye(3)[labels], labels=labels)
    >>> report = assess(Asked(outputs="outputs.npz"))
    >>> list(report.told)  # what can be said without the model itself
    ['accuracy', 'matrix', 'supervisors', 'labelling']
    >>> next(iter(report.reasons.items()))[1]
    ['How it copes with spoilt images', 'How much noise changes its answer']
    >>> report.rows[report.rows["table"] == "accuracy"]["value"].round(2).tolist()[:1]
    [0.87]
    """

    prepared: Prepared
    told: Mapping[str, Told]
    left: tuple[tuple[str, str], ...]
    settings: Mapping[str, Any]

    @property
    def reasons(self) -> dict[str, list[str]]:
        """What was left out, by reason."""
        found: dict[str, list[str]] = {}
        for name, reason in self.left:
            found.setdefault(reason.rstrip("."), []).append(name)
        return found

    @property
    def rows(self) -> pd.DataFrame:
        """All numbers, tidy."""
        about = self.prepared.about
        common = {
            "chapter": "assess", "data": about["images"]["name"], "network": self.prepared.subject.classifier.name,
            "seed": self.settings["seed"], "made": about["model"]["key"],
        }  # fmt: skip
        found = [row for told in self.told.values() for row in told.rows if row["value"] == row["value"]]
        return tidy.table(found, **common)

    @property
    def content(self) -> dict[str, Any]:
        """What `report.json` holds: nothing that changes from run to run."""
        return {
            "mistrust": __version__, "versions": versions(), **self.prepared.about, "settings": dict(self.settings),
            "notices": list(self.prepared.notices),
            "headlines": {name: told.headline for name, told in self.told.items()},
            "images_read": {name: told.read for name, told in self.told.items() if told.read is not None},
            "left_out": [{"name": name, "reason": reason} for name, reason in self.left],
            "rows": [_filled(row) for row in tidy.ordered(self.rows).to_dict("records")],
        }  # fmt: skip


def _filled(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row without its empty cells; JSON has no infinity, so an interval that is open ends in the word."""
    filled = {str(name): value for name, value in row.items() if value != "" and value == value}
    return {name: "infinity" if value == float("inf") else value for name, value in filled.items()}


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that numbers depend on."""
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def assess(asked: Asked) -> Report:
    """Assess a model.

    Everything that takes long is made in pieces that the store keeps: called again after a kill, or with more minutes,
    it makes what is missing.

    Raises
    ------
    MistrustError
        What `prepare` refuses; a store that cannot be written to (what is made before stays).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 3, 200)
    >>> np.savez("outputs.npz", logits=rng.normal(size=(200, 3)) + 2 * np.eye(3)[labels], labels=labels)
    >>> report = assess(Asked(outputs="outputs.npz"))  # or Asked(model="model.onnx", images="photos")
    >>> report.told["accuracy"].headline[:29]
    'Correct for 87% of 200 images'
    """
    prepared = prepare(asked)
    subject = prepared.subject
    parts = {name: part for name, part in PARTS.items() if not subject.abilities.missing(part.needs)}
    left = [(part.title, subject.abilities.missing(part.needs)) for name, part in PARTS.items() if name not in parts]
    told: dict[str, Told] = {}
    with bar(sum(len(part.pieces(subject)) + 1 for part in parts.values()), "assess", "piece") as progress:
        for name, part in parts.items():
            try:
                told[name] = _told(subject, name, part, progress)
            except Failed as error:
                left.append((part.title, str(error)))
    inner = [one for section in told.values() for one in section.left]
    settings = {
        "seed": asked.seed, "minutes": asked.minutes, "limit": asked.limit, "budget": asked.budget,
        "sizes": asdict(subject.sizes),
    }  # fmt: skip
    return Report(prepared, told, tuple(left + inner), settings)


def _told(subject: Subject, name: str, part: Part, progress: Progress) -> Told:
    progress.say(part=name)
    found: dict[str, Tensors] = {}
    for piece in part.pieces(subject):
        progress.say(part=name, piece=piece.name)
        found[piece.name] = subject.kept(piece.of or name, piece.name, piece.make, **piece.spec)
        progress.update()
    told = part.tell(subject, found)
    progress.update()
    return told
