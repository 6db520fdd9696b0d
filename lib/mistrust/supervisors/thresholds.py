"""`Threshold`: the score above which a monitor raises an alarm, learnt from scores of nominal images alone."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import torch
from jaxtyping import Bool, Float, Float64, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import as_tensor
from mistrust.registry import Registry
from mistrust.supervisors.contract import NotFitted


@dataclass(frozen=True, eq=False)
class Limits:
    """What a threshold has learnt: a limit of all rows, and one for each group.

    Attributes
    ----------
    overall : limit of rows whose group was not fitted, and of all rows where there are no groups; float64 ().
    groups : the groups that have a limit of their own, in rising order; int64 (g,), empty where none were given.
    each : their limits, float64 (g,).
    """

    overall: Float64[Tensor, ""]
    groups: Int[Tensor, " g"]
    each: Float64[Tensor, " g"]

    def of(self, groups: Int[Tensor, " n"]) -> Float64[Tensor, " n"]:
        """Give the limit of each row by its group."""
        if len(self.groups) == 0:
            return self.overall.expand(len(groups))
        at = torch.searchsorted(self.groups, groups).clamp_max(len(self.groups) - 1)
        return torch.where(self.groups[at] == groups, self.each[at], self.overall)


class Threshold(ABC):
    """A rule that turns scores into alarms.

    A row alarms where its score lies above its limit, or where the score is +inf, whatever the limit is.
    A subclass is a dataclass whose fields are its parameters; it writes `_limit` and registers with `@threshold(name)`.

    With groups (predicted classes, mostly) each has a limit of its own. A group that was not fitted, or that has
    fewer rows than the rule needs, gets the limit of all fitted rows together.

    Examples
    --------
    Three nominal scores, and a rule of one's own: twice the median.

    >>> from dataclasses import dataclass
    >>> @dataclass(eq=False)
    ... class TwiceTheMedian(Threshold):
    ...     def _limit(self, scores):
    ...         return 2 * float(scores.median())
    >>> TwiceTheMedian().fit(torch.tensor([1.0, 2.0, 9.0])).alarms(torch.tensor([3.0, 4.0, 5.0, torch.inf]))
    tensor([False, False,  True,  True])
    """

    name: ClassVar[str] = ""
    by_class: ClassVar[bool] = False  # whether a monitor fits it for each predicted class, unless told
    any_images: ClassVar[bool] = False  # whether training images may set it: it was published so, or no image does
    limits: Limits | None = None

    def fit(self, scores: Float[Tensor, " n"], groups: Int[Tensor, " n"] | None = None) -> Self:
        """Learn the limits from scores of nominal images, and give the threshold itself.

        Parameters
        ----------
        scores : (n,), higher is more suspicious; +inf and -inf are scores, NaN is not.
        groups : (n,) int64, for a limit each.

        Raises
        ------
        MistrustError
            No row, NaN, another shape, too few rows for the rule.
        """
        values = _scores(scores)
        if len(values) == 0:
            raise MistrustError(f"{self} cannot be fitted on no scores: give it those of nominal images.")
        if not self.enough(values):
            raise MistrustError(
                f"{self} needs at least {self.least()} {self._what} of nominal images, got {len(self._read(values))} "
                f"among {len(values)} scores. Give it more images, or take another rule: {', '.join(THRESHOLDS)}."
            )
        overall = self._limit(self._read(values))
        found: dict[int, float] = {}
        if groups is not None:
            of = _groups(groups, len(values))
            for group in of.unique().tolist():
                rows = self._read(values[of == group])
                found[group] = self._limit(rows) if self.enough(values[of == group]) else overall
        self.limits = Limits(
            torch.tensor(overall, dtype=torch.float64),
            torch.tensor(list(found), dtype=torch.int64),
            torch.tensor(list(found.values()), dtype=torch.float64),
        )
        return self

    def alarms(self, scores: Float[Tensor, " n"], groups: Int[Tensor, " n"] | None = None) -> Bool[Tensor, " n"]:
        """Tell which rows alarm, (n,) bool.

        Raises
        ------
        NotFitted
            Before `fit`.
        MistrustError
            NaN, another shape; no groups where the threshold was fitted with groups.
        """
        learnt = self.limits
        if learnt is None:
            raise NotFitted(f"{self} is not fitted yet: call threshold.fit(scores) with scores of nominal images.")
        values = _scores(scores)
        if groups is None and len(learnt.groups):
            raise MistrustError(
                f"{self} was fitted with {len(learnt.groups)} groups: call alarms(scores, groups), with the predicted "
                "classes (record.predicted) if it was fitted with those."
            )
        of = torch.zeros(len(values), dtype=torch.int64) if groups is None else _groups(groups, len(values))
        return (values > learnt.of(of)) | (values == torch.inf)

    def parameters(self) -> dict[str, Any]:
        """Parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # pyrefly: ignore[bad-argument-type]

    def state(self) -> dict[str, Tensor]:
        """What was learnt, as tensors by name; nothing before `fit`."""
        return {} if self.limits is None else dict(vars(self.limits))

    def restore(self, state: Mapping[str, Tensor]) -> Self:
        """Put back what `state` gave, and give the threshold itself."""
        self.limits = Limits(state["overall"], state["groups"], state["each"])
        return self

    @abstractmethod
    def _limit(self, scores: Float64[Tensor, " n"]) -> float:
        """Give the limit of some rows, at least `least()` of those that the rule reads."""

    def broken_promise(self, scores: Float64[Tensor, " n"]) -> str:
        """Tell why scores of nominal images keep the rule from what it promises; nothing where they do not."""
        return ""

    _what: ClassVar[str] = "scores"

    def least(self) -> int:
        """Give how many scores of nominal images it takes at least to set the limit."""
        return 1

    def enough(self, scores: Float64[Tensor, " n"]) -> bool:
        """Tell whether these suffice to set a limit."""
        return len(self._read(scores)) >= self.least()

    def _read(self, scores: Float64[Tensor, " n"]) -> Float64[Tensor, " m"]:
        return scores


THRESHOLDS = Registry[type[Threshold]]("threshold")


def threshold(name: str) -> Callable[[type[Threshold]], type[Threshold]]:
    """Put a class into the table, under the name that saved monitors know it by.

    Examples
    --------
    `Threshold` shows a whole one. A name that is taken is refused:

    >>> from dataclasses import dataclass
    >>> @threshold("quantile")
    ... @dataclass(eq=False)
    ... class Mine(Threshold):
    ...     pass
    Traceback (most recent call last):
    mistrust.errors.MistrustError: There is a threshold 'quantile' already: give the new one another name.
    """
    return THRESHOLDS.parameterised(name)


def make_threshold(name: str, **parameters: Any) -> Threshold:
    """Give a new threshold of the table, with parameters by name.

    Raises
    ------
    MistrustError
        A name or a parameter that is not there; the nearest is named.

    Examples
    --------
    >>> make_threshold("quantile", rate=0.1)
    Quantile(rate=0.1)
    """
    made: Threshold = THRESHOLDS.made(name, parameters)
    return made


def check_threshold(given: Any) -> None:
    """Refuse what is no threshold: the name of one, its class, or a mere number."""
    THRESHOLDS.check_made(given, Threshold, "Fixed(value) one of a number")


def _scores(scores: Tensor) -> Float64[Tensor, " n"]:
    values = as_tensor("Scores", scores).detach().to("cpu", torch.float64)
    if values.ndim != 1:
        raise MistrustError(f"Scores have shape {tuple(values.shape)}, expected (n,), one for each image.")
    if bool(values.isnan().any()):
        raise MistrustError(f"{int(values.isnan().sum())} of {len(values)} scores are NaN, expected numbers.")
    return values


def _groups(groups: Tensor, n: int) -> Int[Tensor, " n"]:
    found = as_tensor("Groups", groups)
    if tuple(found.shape) != (n,) or (n and (found.is_floating_point() or found.dtype == torch.bool)):
        raise MistrustError(
            f"Groups have shape {tuple(found.shape)} and type {found.dtype}, expected ({n},) whole numbers, one for "
            "each score: record.predicted."
        )
    return found.detach().to("cpu", torch.int64)
