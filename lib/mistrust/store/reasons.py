"""Why a thing would be made, or made again."""

from collections.abc import Iterator, Mapping
from typing import Any

from mistrust import paths
from mistrust.store.files import Absent, Altered, Card, modified, place, read, read_card, scratch_folder
from mistrust.store.specs import Maker, key, leaves, plain


def why(maker: Maker[Any], spec: Mapping[str, Any]) -> list[str]:
    """Why `made` would make this thing: [] when it is there and good.

    Else what differs from the most similar thing of its kind in the store ("recipe.epochs: 8 -> 10", "maker version
    1 -> 2"), "not made yet" where there is none, "begun, not finished" where a killed run left a checkpoint,
    "content altered: ..." where its file is not as it was written.

    Examples
    --------
    >>> squares = Maker("squares", 1, "tensors")
    >>> why(squares, {"up to": 3})
    ['not made yet']
    >>> kept = made(squares, {"up to": 3}, lambda scratch: {"x": torch.arange(3) ** 2})
    >>> why(squares, {"up to": 3}), why(squares, {"up to": 4})
    ([], ['up to: 3 -> 4'])
    """
    folder = place(maker.kind, key(maker, spec))
    try:
        read(folder)
        return []
    except Altered as error:
        return [f"content altered: {error}"]
    except Absent:
        pass
    if scratch_folder(folder).is_dir():
        return ["begun, not finished"]
    wanted = leaves(plain(spec))
    nearest = min((_differences(maker, wanted, card) for card in _cards(maker.kind)), key=len, default=None)
    return nearest or ["not made yet"]


def _differences(maker: Maker[Any], wanted: dict[str, str], card: Card) -> list[str]:
    stored = leaves(card.spec)
    either = [*stored, *(path for path in wanted if path not in stored)]
    found = [
        f"{path}: {stored.get(path, 'absent')} -> {wanted.get(path, 'absent')}"
        for path in either
        if stored.get(path) != wanted.get(path)
    ]
    return [*found, f"maker version {card.version} -> {maker.version}"] if card.version != maker.version else found


def _cards(kind: str) -> Iterator[Card]:
    """The readable cards of a kind, newest first, so that of equally similar things the newest is named."""
    folders = [path for path in (paths.store() / kind).glob("[!.]*") if path.is_dir()]
    for folder in sorted(folders, key=modified, reverse=True):
        try:
            yield read_card(folder)
        except (Absent, Altered):
            continue
