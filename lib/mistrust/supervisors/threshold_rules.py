"""The rules of `Threshold`: a quantile, class means, the training extreme, and a limit that is known beforehand."""

from dataclasses import dataclass
from math import ceil, inf, isnan
from typing import Self

import torch
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import number, within
from mistrust.supervisors.thresholds import Limits, Threshold, threshold


class OfFinite(Threshold):
    """A rule that reads finite scores alone: infinite ones alarm anyway."""

    _what = "finite scores"

    def _read(self, scores: Tensor) -> Tensor:
        return scores[torch.isfinite(scores)]


@threshold("quantile")
@dataclass(eq=False)
class Quantile(Threshold):
    """The limit that nominal images pass at most at a given rate.

    The limit is the k-th smallest of n nominal scores, k = ceil((n + 1)(1 - rate)): the finite-sample choice of split
    conformal prediction (Vovk, Gammerman and Shafer, Algorithmic learning in a random world, 2005). For one more
    nominal image, exchangeable with those, the probability of an alarm is then at most `rate`, averaged over the draw
    of the n images; without ties it is at least rate - 1/(n + 1). Where scores are coarse, it may be far less: a score
    on the limit is no alarm, however many share it. The plain quantile of the n scores lets a little more than `rate`
    pass. It takes n >= 1/rate - 1 images. Infinite scores always alarm, so where more of the nominal ones than `rate`
    are infinite the promise cannot be kept.

    The supervisor must not have been fitted on these n images: it knows them, and their scores are lower than others'.

    Attributes
    ----------
    rate : share of nominal images that may alarm, in (0, 1).

    Examples
    --------
    >>> limit = Quantile(0.25).fit(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    >>> limit.alarms(torch.tensor([2.0, 5.0]))
    tensor([False,  True])
    """

    rate: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < number("The alarm rate", self.rate) < 1:
            raise MistrustError(f"The alarm rate is {self.rate}, expected a share between 0 and 1 such as 0.05.")

    def least(self) -> int:
        """Give n >= 1/rate - 1: with fewer, not even the largest nominal score keeps the promise."""
        return ceil(1 / self.rate - 1 - 1e-9)

    def _limit(self, scores: Tensor) -> float:
        n = len(scores)
        rank = ceil((n + 1) * (1 - self.rate) - 1e-9)  # 20 * (1 - 0.05) is 19, not 19.000000000000004
        return float(scores.sort().values[min(rank, n) - 1])

    def broken_promise(self, scores: Tensor) -> str:
        """Tell of more infinite scores than may alarm: they always do."""
        infinite = int((scores == inf).sum())
        if infinite <= self.rate * len(scores):
            return ""
        return (
            f"{infinite / len(scores):.1%} of the nominal images alarm, where {self.rate:.1%} were asked for: "
            f"{infinite} of {len(scores)} have an infinite score"
        )


@threshold("class_mean")
@dataclass(eq=False)
class ClassMean(OfFinite):
    """The mean nominal score of the class, times a factor.

    As the ALOOC monitor of Ferreira and others (Benchmarking safety monitors for image classifiers with machine
    learning, PRDC 2021) has it, on training scores with factor 1: about half of all nominal images alarm, by
    construction. Infinite scores alarm anyway and are left out of the mean.

    Attributes
    ----------
    factor : above 1 for fewer alarms where scores are positive, such as reconstruction errors.

    Examples
    --------
    Class 0 has a mean of 2, class 1 of 20: a score of 5 is odd for the one and usual for the other.

    >>> classes = torch.tensor([0, 0, 1, 1])
    >>> limit = ClassMean().fit(torch.tensor([1.0, 3.0, 10.0, 30.0]), classes)
    >>> limit.alarms(torch.tensor([5.0, 5.0]), torch.tensor([0, 1]))
    tensor([ True, False])
    """

    by_class = True
    any_images = True
    factor: float = 1.0

    def __post_init__(self) -> None:
        within("The factor of the class mean", self.factor, -inf)

    def _limit(self, scores: Tensor) -> float:
        return self.factor * float(scores.mean())


@threshold("training_extreme")
@dataclass(eq=False)
class TrainingExtreme(OfFinite):
    """The highest nominal score, so that none of the images that it was fitted on alarms unless its score is infinite.

    As the ODIN monitor of Ferreira and others (PRDC 2021) has it, on training scores. One odd training image
    decides, and the rate of alarms on new nominal images is not controlled: about 1/(n + 1) where the n images are
    like new ones.

    Examples
    --------
    >>> TrainingExtreme().fit(torch.tensor([0.1, 0.9, 0.4])).alarms(torch.tensor([0.5, 0.9, 1.0]))
    tensor([False, False,  True])
    """

    any_images = True

    def _limit(self, scores: Tensor) -> float:
        return float(scores.max())


@threshold("fixed")
@dataclass(eq=False)
class Fixed(Threshold):
    """A limit that is known beforehand; there is nothing to fit.

    Attributes
    ----------
    value : the limit, in the unit of the scores. A box monitor's enlargement is one (0.1 for a tenth).

    Examples
    --------
    >>> Fixed(0.5).alarms(torch.tensor([0.2, 0.7]))
    tensor([False,  True])
    """

    any_images = True
    value: float

    def __post_init__(self) -> None:
        if isnan(number("The fixed limit", self.value)):
            raise MistrustError("The fixed limit is NaN, expected a number in the unit of the scores.")
        none = torch.zeros(0, dtype=torch.int64)
        self.limits = Limits(torch.tensor(self.value, dtype=torch.float64), none, none.to(torch.float64))

    def fit(self, scores: Tensor | None = None, groups: Tensor | None = None) -> Self:
        """Give the threshold itself."""
        return self

    def _limit(self, scores: Tensor) -> float:
        return self.value
