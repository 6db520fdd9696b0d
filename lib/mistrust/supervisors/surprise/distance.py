"""Distance-based surprise adequacy (DSA): how far to the own class, against how far from there to another."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.inputs.limits import number
from mistrust.networks import Record
from mistrust.supervisors.blocks import check_width, checked
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, supervisor
from mistrust.supervisors.surprise.groups import OfClasses, checked_rows, members
from mistrust.supervisors.surprise.neighbours import nearest


def dsa(
    train: Float[Tensor, "m d"], groups: Int[Tensor, " m"], queries: Float[Tensor, "n d"], predicted: Int[Tensor, " n"]
) -> Float64[Tensor, " n"]:
    """Give the distance to the nearest row of the own class, over that row's distance to the nearest of another class.

    Kim, Feldt and Yoo, ICSE 2019, section III. Distances are Euclidean, exact in float64. The second is computed
    once for each training row that is nearest to some query; a fitted supervisor keeps it for later calls. Of rows at
    equal distance the first is taken.

    Parameters
    ----------
    train, queries : activations, one row per input.
    groups, predicted : the class that the network predicts for each row.

    Returns
    -------
    Scores in [0, inf]. +inf where no training row, or every training row, has the query's predicted class. Where the
    nearest row has a twin in another class (second distance 0): 1 for a query that equals it, else +inf.

    Raises
    ------
    MistrustError
        What is no numbers; shapes that do not belong together; a number that is not finite.

    Examples
    --------
    On a line, class 0 at 0 and 1, class 1 at 5 and 6. What lies at 3 is 2 away from its class, whose nearest row
    is 4 away from the other class; what lies at 9 is 3 away from a row that is 5 away from the other class:

    >>> train, groups = torch.tensor([[0.0], [1.0], [5.0], [6.0]]), torch.tensor([0, 0, 1, 1])
    >>> dsa(train, groups, torch.tensor([[1.0], [3.0], [9.0]]), torch.tensor([0, 0, 1]))
    tensor([0.0000, 0.5000, 0.6000], dtype=torch.float64)
    """
    train, groups, queries, predicted = checked_rows(train, groups, queries, predicted)
    return Judges(train, groups).scores(queries, predicted)


class Judges:
    """Training rows by class, which remember how far each is from the nearest of another class; 16 bytes a row in all.

    That distance hangs on no query. It is computed when its row is first nearest to one, and has the same bits
    whichever rows it is computed with, so that calls one after the other give what one call gives.

    Parameters
    ----------
    train, groups : as for `dsa`, checked.
    """

    def __init__(self, train: Float[Tensor, "m d"], groups: Int[Tensor, " m"]) -> None:
        self.train, self.groups, self.known = train, groups, members(groups)
        self.second = torch.full((len(train),), float("nan"), dtype=torch.float64, device=train.device)

    def scores(self, queries: Float[Tensor, "n d"], predicted: Int[Tensor, " n"]) -> Float64[Tensor, " n"]:
        """Give what `dsa` gives."""
        index = torch.full((len(queries),), -1, dtype=torch.int64, device=queries.device)
        own = torch.full((len(queries),), float("inf"), dtype=torch.float64, device=queries.device)
        for group, rows in members(predicted).items():
            if group in self.known and len(self.known) > 1:
                index[rows], own[rows] = nearest(queries, self.train, rows, self.known[group])
        judged = index >= 0
        scores = torch.full_like(own, float("inf"))
        scores[judged] = _ratio(own[judged], self.seconds(index[judged]))
        return scores

    def seconds(self, index: Int[Tensor, " r"]) -> Float64[Tensor, " r"]:
        """Give the distances of training rows to the nearest of another class; those that are new are computed."""
        distinct = index.unique()
        new = distinct[self.second[distinct].isnan()]
        self.second[new] = self._to_another_class(new)
        return self.second[index]

    def _to_another_class(self, chosen: Int[Tensor, " r"]) -> Float64[Tensor, " r"]:
        """Distance of chosen rows to the nearest of another class; class by class, so that each row is read once.

        All rows but those of the own class, for each class in turn, would be read once a class.
        """
        found = torch.full((len(chosen),), float("inf"), dtype=torch.float64, device=self.train.device)
        for group, rows in self.known.items():
            strangers = (self.groups[chosen] != group).nonzero().flatten()
            there = nearest(self.train, self.train, chosen[strangers], rows).distance
            found[strangers] = torch.minimum(found[strangers], there)
        return found


# Of what was fitted, as long as it lives: what is saved, copied or sent to another process does not take them along.
_JUDGES: MutableMapping[Fitted, Judges] = WeakIdKeyDictionary()


def forget() -> None:
    """Drop distances of training rows that are kept: the next score takes as long as the first (for benchmarks)."""
    _JUDGES.clear()


def _ratio(own: Float64[Tensor, " n"], other: Float64[Tensor, " n"]) -> Float64[Tensor, " n"]:
    return torch.where((own == 0) & (other == 0), 1.0, own / other)


def part_of(
    groups: Int[Tensor, " m"], ids: Int[Tensor, " m"], fraction: float, seed: int = 0, stratified: bool = True
) -> Int[Tensor, " r"]:
    """Choose a random part of the rows, ascending.

    Whether a row is chosen depends on the seed, on its id and on the rows that it is drawn from, not on their order.

    Parameters
    ----------
    fraction : in (0, 1]; of r rows round(fraction * r) are kept, at least one.
    stratified : draw from each group by itself; otherwise from all rows at once, and floor(fraction * r) are kept.

    Raises
    ------
    MistrustError
        A fraction outside (0, 1].

    Examples
    --------
    Half of each group of a skewed set, then half of the set as a whole:

    >>> groups = torch.tensor([0] * 8 + [1] * 2)
    >>> kept = part_of(groups, torch.arange(10), 0.5)
    >>> groups[kept].bincount()
    tensor([4, 1])
    >>> len(part_of(groups, torch.arange(10), 0.5, stratified=False))
    5
    """
    if not 0 < number("part_of: fraction", fraction) <= 1:
        raise MistrustError(f"part_of keeps a fraction of the rows in (0, 1], got {fraction:g}: 0.1 keeps a tenth.")
    draws = random.keyed(seed, "supervisors/dsa/rows", ids, lambda source, count: source.random(count)).to(ids.device)
    chosen = []
    for rows in members(groups if stratified else torch.zeros_like(groups)).values():
        # The small addition keeps a third of 6 rows at two.
        count = round(fraction * len(rows)) if stratified else int(fraction * len(rows) + 1e-9)
        chosen.append(rows[draws[rows].argsort(stable=True)[: max(1, count)]])
    return torch.cat(chosen).sort().values


@supervisor("dsa")
@dataclass(eq=False)
class DSA(OfClasses):
    """Distance-based surprise adequacy.

    Attributes
    ----------
    layer : the layer to read; empty: the one that the record holds.
    fraction : part of the training rows of each predicted class to keep, at random, in (0, 1].
    as_published : keep a third of all training rows at random, whatever their class, as AmbiGuess's code does.
    seed : of the random part.

    Raises
    ------
    MistrustError
        A fraction outside (0, 1], or one beside `as_published`.

    Examples
    --------
    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> dsa = DSA(layer="hidden").fit(observe(it.classifier, it.training, layers=["hidden"]))
    >>> near, far = (dsa.score(observe(it.classifier, some, layers=["hidden"])) for some in (it.nominal, it.novel))
    >>> bool(near.max() < 0.1), bool(far.min() > 0.9)
    (True, True)
    """

    layer: str = ""
    fraction: float = 1.0
    as_published: bool = False
    seed: int = 0

    card = Card(
        "Distance-based Surprise Adequacy", "surprise",
        "Kim, Feldt and Yoo, Guiding deep learning system testing using surprise adequacy, ICSE 2019",
        "section III", "https://arxiv.org/abs/1808.08444", ("logits", "layer"),
        "Fitting keeps the training activations; scoring n inputs against m rows of d features takes up to 2 n m d "
        "products in float32.",
        limits="An input between two classes is no surprise when near twins of it were among the training images.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if not 0 < number("DSA: fraction", self.fraction) <= 1:
            raise MistrustError(f"DSA keeps a fraction of the training rows in (0, 1], got {self.fraction:g}.")
        if self.as_published and self.fraction != 1:
            raise MistrustError(
                f"DSA as published keeps a third of the rows, so fraction={self.fraction:g} has no place beside "
                "as_published=True: give one of the two."
            )

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        train, groups = checked(record, layers[0], self.card.title), record.predicted
        if self.as_published:
            chosen = part_of(groups, record.ids, 1 / 3, self.seed, stratified=False)
            train, groups = train[chosen], groups[chosen]
        elif self.fraction < 1:
            chosen = part_of(groups, record.ids, self.fraction, self.seed)
            train, groups = train[chosen], groups[chosen]
        counts = torch.bincount(groups, minlength=len(record.classifier.classes))
        return {"train": train, "groups": groups, "judged": (counts > 0) & (counts < len(groups))}

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        queries = checked(record, learnt.layers[0], self.card.title)
        check_width(queries, learnt.state["train"].shape[1], learnt, self.card.title)
        if learnt not in _JUDGES:
            _JUDGES[learnt] = Judges(learnt.state["train"], learnt.state["groups"])
        return _JUDGES[learnt].scores(queries, record.predicted)
