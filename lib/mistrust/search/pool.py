"""`Pool`: the instances that a search may ask about, and what is known of each before any answer.

Bennette, Maurer and Sisti (2020): a pool holds the instances that the classifier puts into one critical class, with a
calibrated confidence strictly above 0.65 (section V-B).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import combinations
from reprlib import repr as shortened
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float64, Int64
from numpy.typing import ArrayLike, NDArray

from mistrust.errors import MistrustError, check_known
from mistrust.evaluation.given import numbers
from mistrust.inputs.limits import within

THRESHOLD = 0.65
# How near a confidence may come to 1 where 1 / (1 - c) or its logarithm is taken: 1 itself would be worth infinity.
CLOSEST = 1e-9
WIDEST = 2**63 - 1  # of an id or a cluster
UNREACHED = " Leave out the instances that an attack could not reach: `np.isfinite(distance)` says which it did."

Floats = NDArray[np.float64]


def confidence_limit(threshold: float) -> float:
    """Give the threshold when it is a confidence in [0, 1); otherwise a MistrustError names it."""
    number = within("The threshold", threshold, 0.0, 1.0)
    if number == 1:
        raise MistrustError("The threshold is 1, expected a confidence in [0, 1): none is above 1.")
    return number


class Lacking(MistrustError):
    """A search reads what its pool does not have.

    Attributes
    ----------
    what, name : who needs which field.
    """

    def __init__(self, what: str, name: str) -> None:
        self.what, self.name = what, name
        super().__init__(f"{what} needs the pool's {name}: Pool(ids, confidence, {name}=...).")


@dataclass(frozen=True, eq=False)
class Pool:
    """What is known of n instances. Arrays are copied, checked, and cannot be written to.

    Parameters
    ----------
    ids : (n,) whole numbers from 0 to 2**63 - 1, each once. Draws are keyed by them; ties go to the lowest row, not to
        the lowest id.
    confidence : (n,) the classifier's, calibrated, in (0, 1].
    features : (n, p) where distances between instances are measured; for the coverage, bandit and facility searches.
    distance : (n,) adversarial distance before the trend is taken off (MAE), larger than 0.
    clusters : (n,) whole numbers; when not given, searches that need them make them (`clusters.kmeans_both`).
    scores : further numbers by name, (n,) each: what the search "score" takes in place of the distance.
    residual : (n,) log distance less its trend on confidence, lower being more suspicious; when not given, it is
        computed from the distance (`residual.residual`).

    Raises
    ------
    MistrustError
        No instances; another length than that of the ids, lists of several lengths, a tensor with its gradient; ids
        that are negative, not whole or twice there; confidences outside (0, 1]; NaN or infinite numbers; distances that
        are not above 0; scores without names; Series of one index in two orders, since rows belong together by their
        place.

    Examples
    --------
    >>> pool = Pool(ids=[3, 4], confidence=[0.9, 0.7], distance=[0.02, 0.01])
    >>> len(pool), pool.above(0.8).ids
    (2, array([3]))
    """

    ids: Int64[np.ndarray, " n"]
    confidence: Float64[np.ndarray, " n"]
    features: Float64[np.ndarray, "n p"] | None = None
    distance: Float64[np.ndarray, " n"] | None = None
    clusters: Int64[np.ndarray, " n"] | None = None
    scores: Mapping[str, Float64[np.ndarray, " n"]] = field(default_factory=dict)
    residual: Float64[np.ndarray, " n"] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.scores, Mapping):
            raise MistrustError(
                f"scores are {shortened(self.scores)}, expected numbers by name, one per instance: "
                'scores={"name": numbers}; leave them out where there are none.'
            )
        _in_one_order({one.name: getattr(self, one.name) for one in fields(self)} | dict(self.scores))
        ids = _whole("ids", self.ids)
        if len(ids) == 0:
            raise MistrustError("A pool needs at least one instance, got none.")
        if (ids < 0).any():
            raise MistrustError(f"Ids must be whole numbers from 0 on, got {ids[ids < 0][0]}.")
        known, often = np.unique(ids, return_counts=True)
        if len(known) < len(ids):
            twice = known[often > 1]
            raise MistrustError(
                f"Ids must be unique: {twice[0]} stands {often[often > 1][0]} times"
                + (f", and {len(twice) - 1} more are there more than once." if len(twice) > 1 else ".")
            )
        new: dict[str, Any] = {"ids": ids, "confidence": self._numbers("confidence", ids)}
        outside = ~((new["confidence"] > 0) & (new["confidence"] <= 1))
        if outside.any():
            raise MistrustError(
                f"The confidence of id {ids[outside][0]} is {new['confidence'][outside][0]:g}, expected a number in "
                f"(0, 1] ({outside.sum()} of {len(ids)} are outside)."
            )
        for name in ("features", "distance", "residual"):
            new[name] = None if getattr(self, name) is None else self._numbers(name, ids)
        if new["distance"] is not None and (new["distance"] <= 0).any():
            low = new["distance"] <= 0
            raise MistrustError(
                f"The distance of id {ids[low][0]} is {new['distance'][low][0]:g}, expected a number above 0: the "
                "search reads its logarithm."
            )
        new["clusters"] = None if self.clusters is None else _whole("clusters", self.clusters, ids)
        new["scores"] = MappingProxyType({name: self._numbers(name, ids, one) for name, one in self.scores.items()})
        for name, value in new.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def _numbers(self, name: str, ids: NDArray[np.int64], given: ArrayLike | None = None) -> Floats:
        """The array of that name as finite float64 of the right length."""
        dimensions = 2 if name == "features" and given is None else 1
        try:
            values = numbers(name, getattr(self, name) if given is None else given).copy()
        except MistrustError:
            raise MistrustError(f"{name} must be numbers, one per instance (of a tensor: .detach()).") from None
        if values.ndim != dimensions or len(values) != len(ids) or (dimensions == 2 and values.shape[1] == 0):
            expected = f"({len(ids)},)" if dimensions == 1 else f"({len(ids)}, p) with p of at least 1"
            raise MistrustError(f"{name} has shape {values.shape}, expected {expected}: one row per id.")
        bad = ~np.isfinite(values) if dimensions == 1 else ~np.isfinite(values).all(1)
        if bad.any():
            value = values[bad][0] if dimensions == 1 else "NaN or infinite"
            hint = UNREACHED if name == "distance" else ""
            raise MistrustError(
                f"{name} of id {ids[bad][0]} is {value}, expected a finite number ({bad.sum()} of {len(ids)} are not)."
                + hint
            )
        values.setflags(write=False)
        return values

    def __len__(self) -> int:
        return len(self.ids)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it changes

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only view of a dict does not travel between processes; the dict does.
        values = tuple(getattr(self, one.name) for one in fields(self))
        return type(self), tuple(dict(one) if isinstance(one, Mapping) else one for one in values)

    def take(self, rows: ArrayLike | slice) -> Self:
        """Give the instances of these rows, in this order: a slice, (m,) positions, or (n,) bool.

        Raises
        ------
        MistrustError
            Rows that the pool does not have, a row twice, none at all; what is no row of positions.
        """
        try:
            chosen = np.arange(len(self))[rows if isinstance(rows, slice) else np.asarray(rows)]
        except (IndexError, ValueError, RuntimeError) as error:  # ragged lists; a tensor that still has its gradient
            raise MistrustError(f"The pool has {len(self)} rows: {error}.") from None
        if chosen.ndim != 1:
            raise MistrustError(f"Rows have shape {chosen.shape}, expected (m,) positions, (n,) bool, or a slice.")
        parts: dict[str, Any] = {
            one.name: None if getattr(self, one.name) is None else getattr(self, one.name)[chosen]
            for one in fields(self)
            if one.name != "scores"
        }
        return type(self)(**parts, scores={name: one[chosen] for name, one in self.scores.items()})

    def above(self, threshold: float = THRESHOLD) -> Self:
        """Give the instances whose confidence is strictly above the threshold (0.65 in the paper; 0 keeps all).

        Raises
        ------
        MistrustError
            A threshold outside [0, 1), or none is above it.
        """
        threshold = confidence_limit(threshold)
        keep: Bool[np.ndarray, " n"] = self.confidence > threshold
        if not keep.any():
            raise MistrustError(
                f"None of the pool's {len(self)} instances has a confidence above the threshold {threshold:g}: the "
                f"largest is {self.confidence.max():g}. Give a lower `threshold` (0 keeps all)."
            )
        return self if keep.all() else self.take(keep)

    def with_(self, **values: Any) -> Self:
        """Give the pool with other values of some fields: `pool.with_(clusters=labels)`.

        Raises
        ------
        UnknownName
            A field that no pool has.
        MistrustError
            Values that no pool can hold.
        """
        old = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in values:
            check_known("pool field", name, old)
        new = type(self)(**(old | values))
        if "features" not in values:
            # Neither can be written to: no need of another copy, and what was measured of the one is of the other.
            object.__setattr__(new, "features", self.features)
        return new

    def need(self, name: str, what: str) -> Floats:
        """Give the array of a field that may be None.

        Raises
        ------
        MistrustError
            It is None; `what` says who needs it.
        """
        value = getattr(self, name)
        if value is None:
            raise Lacking(what, name)
        return value

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> Self:
        """Read a table with the columns i, x1, x2, ..., c, MAE, cluster, residual; see `columns.read`.

        Raises
        ------
        MistrustError
            What `columns.read` refuses; a column that no pool can hold.
        """
        from mistrust.search.columns import read

        table = read(frame)
        for name in ("distance", "clusters", "residual", "features"):
            if name in table.unusable:
                raise MistrustError(table.unusable[name])
        return cls(**table.pool)


def _in_one_order(given: Mapping[str, Any]) -> None:
    """Refuse pandas objects that have the same labels in another order: they would be paired by place, silently."""
    indexes = {
        name: one if isinstance(one, pd.Index) else one.index
        for name, one in given.items()
        if isinstance(one, pd.Index | pd.Series | pd.DataFrame)
    }
    for (name, one), (other, two) in combinations(indexes.items(), 2):
        if len(one) == len(two) and not one.equals(two) and one.sort_values().equals(two.sort_values()):
            raise MistrustError(
                f"{name} and {other} have the same index in another order, and a pool pairs rows by place. Bring them "
                "into one order (`.reindex`), or give `.to_numpy()` of both if their rows are paired already."
            )


def _whole(name: str, values: ArrayLike, ids: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Whole numbers, one an id where there are ids."""
    try:
        given = np.array(values)
    except (ValueError, RuntimeError):  # lists of several lengths; a tensor that still has its gradient
        raise MistrustError(
            f"{name} are {shortened(values)}, expected whole numbers, one per instance (of a tensor: .detach())."
        ) from None
    text = next((one for one in given if isinstance(one, str)), None) if given.ndim == 1 and name == "ids" else None
    if text is not None:
        raise MistrustError(
            f"ids must be whole numbers, got text ('{text}'): number the instances, ids=range(n), and look their names "
            "up by `found.order`; a table may leave its column of ids out."
        )
    # No int64 can hold it, and numpy would make another number of it without a word: hashes of 64 bits and more.
    wide = given.tolist() if given.ndim == 1 and given.dtype.kind in "ufO" else []
    beyond = next((one for one in wide if isinstance(one, int | float) and WIDEST < abs(one) < math.inf), None)
    if beyond is not None:
        raise MistrustError(f"{name} must be at most 2**63 - 1, got {beyond}: number them from 0 on.")
    if given.ndim != 1 or given.dtype.kind not in "iuf":
        raise MistrustError(f"{name} must be whole numbers of shape (n,), got {given.dtype} of shape {given.shape}.")
    if ids is not None and len(given) != len(ids):
        raise MistrustError(f"There are {len(ids)} ids and {len(given)} {name}, expected as many.")
    broken = ~np.isfinite(given) | (np.floor(given) != given)
    if broken.any():
        where = "" if ids is None else f" for id {ids[broken][0]}"
        raise MistrustError(
            f"{name} must be whole numbers, got {given[broken][0]:g}{where} ({broken.sum()} of {len(given)} are none)."
        )
    return given.astype(np.int64)
