"""Fitted supervisors as files: a folder with a readable card and one file of tensors, whole or not at all.

`supervisor.json` names the file of tensors, whose own name is part of its checksum, so saving over an older one is
one rename: whoever reads finds the old or the new, at any moment, also after a kill. Nothing is pickled.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from torch import Tensor

from mistrust import __version__
from mistrust.errors import MistrustError
from mistrust.store.content import decode_tensors, encode_tensors
from mistrust.store.files import write_whole
from mistrust.supervisors.contract import (
    SUPERVISORS,
    Fitted,
    NotFitted,
    Supervisor,
    check_supervisor,
    make_supervisor,
)

CARD = "supervisor.json"
FORMAT = 1
# What a card says, and of which type: of every one the first two, of a monitor's the others, too.
ENTRIES: Mapping[str, Mapping[str, type]] = {
    "supervisor": {"name": str, "parameters": dict, "classes": list, "layers": list},
    "state": {"file": str, "sha256": str, "bytes": int},
    "threshold": {"name": str, "parameters": dict},
    "monitor": {"classifier": dict, "members": list, "samples": int, "seed": int, "block": int},
}
ALWAYS = ("supervisor", "state")
STATE = re.compile(r"state-[0-9a-f]{12}\.safetensors")  # no path: what a card names is removed when it is saved over
AGAIN = "Save it again, or copy the whole folder again."


def save_supervisor(supervisor: Supervisor, folder: str | Path) -> Path:
    """Write a fitted supervisor into a folder, over an older one if there is one; gives the folder.

    Raises
    ------
    NotFitted
        It was not fitted.
    MistrustError
        It is none, but its name, say; it stands in no table, or has a parameter that a text file cannot keep; the
        folder cannot be written to.

    Examples
    --------
    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> gini = make_supervisor("deep_gini").fit(observe(it.classifier, it.training))
    >>> novel = observe(it.classifier, it.novel)
    >>> torch.equal(load_supervisor(save_supervisor(gini, "my_gini")).score(novel), gini.score(novel))
    True
    """
    card, tensors = described(supervisor)
    return write(folder, {"supervisor": card}, {f"supervisor/{name}": values for name, values in tensors.items()})


def load_supervisor(folder: str | Path) -> Supervisor:
    """Read what `save_supervisor` wrote, or the supervisor of a saved monitor; it scores as it did.

    Raises
    ------
    MistrustError
        There is no such folder, a file of it is truncated or altered, its supervisor stands in no table, or another
        version wrote it, whose card or parameters this one does not know.

    Examples
    --------
    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> folder = save_supervisor(make_supervisor("deep_gini").fit(observe(it.classifier, it.training)), "my_gini")
    >>> load_supervisor(folder).card.title
    'DeepGini'
    >>> load_supervisor("nowhere")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: There is no saved supervisor in nowhere: ...
    """
    card, tensors = read(folder)
    return from_card(card["supervisor"], part(tensors, "supervisor"), Path(folder))


def described(supervisor: Supervisor) -> tuple[dict[str, Any], Mapping[str, Tensor]]:
    """What a card says of a fitted supervisor, and its tensors."""
    check_supervisor(supervisor)
    learnt = supervisor.fitted
    if learnt is None:
        raise NotFitted(f"{supervisor.card.title} is not fitted yet, so there is nothing to save: fit it first.")
    name = supervisor.name
    if name not in SUPERVISORS or SUPERVISORS[name] is not type(supervisor):
        raise MistrustError(
            f"{type(supervisor).__name__} stands in no table of supervisors, so it could not be loaded again. "
            f'Decorate the class with @supervisor("a_name").'
        )
    card = {
        "name": name,
        "parameters": plain(supervisor.parameters(), f"supervisor '{name}'"),
        "classes": list(learnt.classes),
        "layers": list(learnt.layers),
        "network": learnt.network,
    }
    return card, learnt.state


def from_card(card: Mapping[str, Any], tensors: Mapping[str, Tensor], folder: Path) -> Supervisor:
    """The supervisor that `described` told of."""
    name, parameters = card["name"], restored(card["parameters"])
    if name not in SUPERVISORS:
        try:
            SUPERVISORS[name]
        except MistrustError as error:
            raise MistrustError(
                f"{folder} holds a supervisor that is not here. {error} If it is one of your own, import the module "
                "that defines it first."
            ) from None
    with made_again(folder):
        found = make_supervisor(name, **parameters)
    state = _Learnt(tensors, folder=str(folder))
    # A card of before does not say of which network.
    found.fitted = Fitted(tuple(card["classes"]), tuple(card["layers"]), state, str(card.get("network", "")))
    return found


class _Learnt(dict[str, Tensor]):
    """What was learnt, from a folder: a tensor that another version did not keep is missed with a way out."""

    def __init__(self, tensors: Mapping[str, Tensor], folder: str) -> None:
        super().__init__(tensors)
        self.folder = folder

    def __missing__(self, name: str) -> Tensor:
        raise MistrustError(
            f"{self.folder} holds no tensor '{name}' ({', '.join(sorted(self)) or 'none at all'}), which this version "
            f"reads. {CARD} there names the version that wrote it: load it with that one, or fit it again and save it."
        )


@contextmanager
def made_again(folder: Path) -> Iterator[None]:
    """What a card tells of is made within; a name or parameters that this version refuses are told with the folder."""
    try:
        yield
    except MistrustError as error:
        raise MistrustError(
            f"{folder} holds what this version cannot make. {error} {CARD} there names the version that wrote it: load "
            "it with that one, or fit it again and save it."
        ) from None


def plain(parameters: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Parameters as JSON holds them: numbers, truth values, text, and lists of those."""

    def kept(value: Any, name: str) -> Any:
        if isinstance(value, (list, tuple)):
            return [kept(one, name) for one in value]
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise MistrustError(
            f"Parameter '{name}' of {what} is {value!r} ({type(value).__name__}), which a file cannot keep: expected a "
            "number, a truth value, text, or a tuple of those."
        )

    return {name: kept(value, name) for name, value in parameters.items()}


def restored(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as `plain` was given them: lists are tuples again."""

    def given(value: Any) -> Any:
        return tuple(given(one) for one in value) if isinstance(value, list) else value

    return {name: given(value) for name, value in parameters.items()}


def part(tensors: Mapping[str, Tensor], name: str) -> dict[str, Tensor]:
    """The tensors below a name."""
    return {key.removeprefix(f"{name}/"): values for key, values in tensors.items() if key.startswith(f"{name}/")}


def write(folder: str | Path, card: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Path:
    """Write tensors, then the card that names them, then remove what an older card named."""
    place = _place(folder)
    data = encode_tensors(dict(tensors), "What the supervisor has learnt")
    sha256 = hashlib.sha256(data).hexdigest()
    file = f"state-{sha256[:12]}.safetensors"
    about = {"file": file, "sha256": sha256, "bytes": len(data)}
    body = {**card, "format": FORMAT, "mistrust": __version__, "state": about}
    try:
        place.mkdir(parents=True, exist_ok=True)
        before = _named(place)
        write_whole(place / file, data)
        write_whole(place / CARD, _text(body))
        if before is not None and before != file:
            (place / before).unlink(missing_ok=True)
    except OSError as error:
        raise MistrustError(
            f"{place} cannot be written to ({error.strerror or error}). Name a folder that can; what was saved there "
            "before is as it was."
        ) from error
    return place


def read(folder: str | Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The card and the tensors of a folder, their checksums compared."""
    place = _place(folder)
    body = _card(place)
    state = body["state"]
    path = place / state["file"]
    data = _bytes(path)
    found = hashlib.sha256(data).hexdigest()
    if len(data) != state["bytes"] or found != state["sha256"]:
        raise MistrustError(
            f"{path} is truncated or altered: {len(data):,} bytes with checksum {found[:12]}, expected "
            f"{state['bytes']:,} with {state['sha256'][:12]}. {AGAIN}"
        )
    try:
        tensors = decode_tensors(data)
    except SafetensorError as error:
        raise MistrustError(f"{path} is no file of tensors ({error}). {AGAIN}") from error
    # Copied: a tensor that begins anywhere in a file may be summed in another order than one of its own memory.
    return body, {name: values.clone() for name, values in tensors.items()}


def _place(folder: Any) -> Path:
    if not isinstance(folder, (str, PathLike)):
        raise MistrustError(f"The folder is a {type(folder).__name__}, expected its path: as text, or a pathlib.Path.")
    return Path(folder)


def _card(place: Path) -> dict[str, Any]:
    if not (place / CARD).is_file():
        raise MistrustError(
            f"There is no saved supervisor in {place}: it holds no {CARD}. save_supervisor(supervisor, folder) and "
            "monitor.save(folder) write one."
        )
    text = _bytes(place / CARD)
    body: Any = None
    whole = False
    try:
        body = json.loads(text)
        whole = isinstance(body, dict) and _text({key: value for key, value in body.items() if key != "check"}) == text
    except (ValueError, RecursionError):
        pass  # told below
    if isinstance(body, dict) and body.get("format", FORMAT) != FORMAT:
        raise MistrustError(
            f"{place / CARD} has format {body['format']}, this version reads {FORMAT}. It was written by mistrust "
            f"{body.get('mistrust', '?')}: load it with that version."
        )
    if not whole:
        raise MistrustError(f"{place / CARD} is truncated or altered: its checksum does not fit its text. {AGAIN}")
    lacking, odd = _amiss(body)
    if odd:
        raise MistrustError(f"{place / CARD} holds {', '.join(odd)}, which no version has written. {AGAIN}")
    if lacking:
        raise MistrustError(
            f"{place / CARD} lacks {', '.join(lacking)}, which this version reads. It was written by mistrust "
            f"{body.get('mistrust', '?')}: load it with that version, or fit it again and save it."
        )
    return body


def _amiss(body: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Entries that a card lacks, and those that are not what any version writes there."""
    lacking, odd = list[str](), list[str]()
    for part, kinds in ENTRIES.items():
        held = body.get(part, {})
        if not isinstance(held, dict):
            odd.append(f"{part} = {held!r:.40}")
        elif part in body or part in ALWAYS:
            for name, kind in kinds.items():
                if name not in held:
                    lacking.append(f"{part}: {name}")
                elif type(held[name]) is not kind or (name == "file" and not STATE.fullmatch(held[name])):
                    odd.append(f"{part}: {name} = {held[name]!r:.40}")
    return lacking, odd


def _named(place: Path) -> str | None:
    """The file that a card names, if there is a good card."""
    try:
        return str(_card(place)["state"]["file"])
    except MistrustError:
        return None


def _text(body: Mapping[str, Any]) -> bytes:
    check = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return (json.dumps({**body, "check": check}, sort_keys=True, indent=1) + "\n").encode()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise MistrustError(f"{path} cannot be read ({error.strerror or error}). {AGAIN}") from error
