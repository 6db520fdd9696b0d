"""Which inputs the matrix is made from, and as which class each of them counts.

The paper takes every input of a class (eq. 3). One may as well ask how near only the misclassified ones come, or
sort the inputs by the class that was predicted, which is all that is known when there are no labels.
"""

from dataclasses import dataclass
from typing import NamedTuple

from jaxtyping import Int
from torch import Tensor

from mistrust.errors import UnknownName
from mistrust.misclassification.checks import check_lengths


class Selected(NamedTuple):
    """The inputs chosen, as `index` (m,) into all of them, and the class `labels` (m,) that each counts as.

    Examples
    --------
    >>> chosen = Selection("predicted", only_wrong=True).of(torch.tensor([0, 1, 2]), torch.tensor([0, 2, 2]))
    >>> chosen.index, chosen.labels  # the second input, as the class that it was taken for
    (tensor([1]), tensor([2]))
    """

    index: Int[Tensor, " m"]
    labels: Int[Tensor, " m"]


@dataclass(frozen=True)
class Selection:
    """Which inputs count, and as what.

    Attributes
    ----------
    by : "true" (the paper) or "predicted", the class that an input counts as.
    only_wrong : leave out what is classified correctly.

    Examples
    --------
    >>> labels, predicted = torch.tensor([0, 1, 2]), torch.tensor([0, 2, 2])
    >>> Selection("true").of(labels, predicted).labels, Selection("predicted").of(labels, predicted).labels
    (tensor([0, 1, 2]), tensor([0, 2, 2]))
    >>> Selection("true", only_wrong=True).name
    'true, wrong only'
    """

    by: str = "true"
    only_wrong: bool = False

    def __post_init__(self) -> None:
        if self.by not in ("true", "predicted"):
            raise UnknownName("label to select by", self.by, ("true", "predicted"))

    @property
    def name(self) -> str:
        """What rows call it: "true", "predicted", "true, wrong only"."""
        return self.by + (", wrong only" if self.only_wrong else "")

    def of(self, labels: Int[Tensor, " n"], predicted: Int[Tensor, " n"]) -> Selected:
        """Choose: `class_distances(d[chosen.index], chosen.labels, statistic)` is the matrix of what was chosen.

        A class of which nothing is chosen has a row of NaN there.
        """
        check_lengths(labels=labels, predicted=predicted)
        keep = labels != predicted if self.only_wrong else labels == labels
        index = keep.nonzero().flatten()
        return Selected(index, (labels if self.by == "true" else predicted)[index])
