"""Answering "not known": thresholds on the distance to the predicted centroid (Sikar et al., the follow-up papers).

arXiv 2407.07821 and 2502.00456, with the definitions of their code. An answer stands where its softmax lies nearer to
the centroid of the predicted class than the threshold.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.misclassification.checks import check_distances, check_labels, check_lengths, check_tensor


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of each class, infinite where nothing is wrong.

    Attributes
    ----------
    t1 : (k,) smallest distance to the class's centroid among inputs of the class that were misclassified. Such an
        input gives another class at least as much mass, so with centroids near the corners t1 is about 0.7 in every
        network: it says nothing of errors.
    t2 : (k,) smallest distance to the class's centroid among inputs wrongly predicted as the class: below it no
        error of the inputs it was taken from is left.

    Examples
    --------
    >>> distance = torch.tensor([[0.1, 0.9], [0.8, 0.4], [0.3, 0.7]])
    >>> found = thresholds(distance, labels=torch.tensor([0, 1, 1]), predicted=torch.tensor([0, 1, 0]))
    >>> found.t1  # the third input is a 1 that was taken for a 0; its distance to the centroid of 1 is 0.7
    tensor([   inf, 0.7000], dtype=torch.float64)
    """

    t1: Float[Tensor, " k"]
    t2: Float[Tensor, " k"]


@dataclass(frozen=True)
class Retention:
    """What is left at each threshold; g thresholds.

    Attributes
    ----------
    kept : (g,) share of inputs that are answered.
    accuracy : (g,) share of right answers among those answered; NaN where none is.
    errors : (g,) wrong answers left.
    n : number of inputs.

    Examples
    --------
    >>> distance = torch.tensor([[0.1, 0.9], [0.8, 0.4], [0.3, 0.7]])
    >>> labels, predicted = torch.tensor([0, 1, 1]), torch.tensor([0, 1, 0])
    >>> found = retention(distance, labels, predicted, torch.tensor([[0.5], [0.2]]))
    >>> found.accuracy, found.accuracy_as_published  # of those answered, and of all
    (tensor([0.6667, 1.0000], dtype=torch.float64), tensor([0.6667, 0.3333], dtype=torch.float64))
    """

    kept: Float[Tensor, " g"]
    accuracy: Float[Tensor, " g"]
    errors: Int[Tensor, " g"]
    n: int

    @property
    def accuracy_as_published(self) -> Float[Tensor, " g"]:
        """Right answers over all inputs, as the earlier follow-up counts: it falls as fewer are answered."""
        return self.kept - self.errors / self.n


def thresholds(distance: Float[Tensor, "n k"], labels: Int[Tensor, " n"], predicted: Int[Tensor, " n"]) -> Thresholds:
    """Take T1 and T2 of every class from inputs and their distances to the centroids.

    Raises
    ------
    MistrustError
        Arrays of different lengths; distances that are NaN; labels or predictions out of range.

    Examples
    --------
    >>> distance = torch.tensor([[0.1, 0.9], [0.8, 0.4], [0.3, 0.7]])
    >>> found = thresholds(distance, labels=torch.tensor([0, 1, 1]), predicted=torch.tensor([0, 1, 0]))
    >>> found.t2  # the third input was wrongly taken for class 0, 0.3 from its centroid; nothing was for class 1
    tensor([0.3000,    inf], dtype=torch.float64)
    """
    _check(distance, labels=labels, predicted=predicted)
    wrong = labels != predicted

    def smallest(classes: Tensor) -> Tensor:
        own = _own(distance, classes)
        start = torch.full((distance.shape[1],), torch.inf, dtype=torch.float64)
        return start.scatter_reduce(0, classes[wrong], own[wrong], "amin")

    return Thresholds(smallest(labels), smallest(predicted))


def answered(
    distance: Float[Tensor, "n k"], predicted: Int[Tensor, " n"], limits: Float[Tensor, "g #k"]
) -> Bool[Tensor, "g n"]:
    """Tell which inputs are answered: nearer to the predicted class's centroid than the limit, never at it.

    Parameters
    ----------
    limits : (g, k) a row of thresholds each, one per class (`thresholds(...).t2[None]` is one such row); (g, 1) for
        thresholds common to all classes.

    Raises
    ------
    MistrustError
        Arrays of different lengths; distances or limits that are NaN; predictions out of range; limits that are neither
        (g, k) nor (g, 1).

    Examples
    --------
    >>> distance = torch.tensor([[0.1, 0.9], [0.8, 0.4]])
    >>> answered(distance, torch.tensor([0, 1]), torch.tensor([[0.5], [0.3]]))  # a row a limit
    tensor([[ True,  True],
            [ True, False]])
    """
    _check(distance, predicted=predicted)
    own, k = _own(distance, predicted), distance.shape[1]
    check_tensor("Limits", limits)
    if limits.ndim != 2 or not len(limits) or limits.shape[1] not in (1, k):
        raise MistrustError(
            f"Limits have shape {tuple(limits.shape)}, expected (g, 1) or (g, {k}): one row per setting."
        )
    if bool(torch.isnan(limits).any()):
        raise MistrustError("Limits hold NaN.")
    return torch.stack([own < one.to(torch.float64).expand(k)[predicted] for one in limits])


def retention(
    distance: Float[Tensor, "n k"],
    labels: Int[Tensor, " n"],
    predicted: Int[Tensor, " n"],
    limits: Float[Tensor, "g #k"],
) -> Retention:
    """Count what is kept, and what of it is right, at each limit (as for `answered`).

    The follow-ups' limits: .8 to .1 by .1 and .05 for all classes; and T2 less 0, 10, ... 90 %, `t2 * (1 - share)`.

    Raises
    ------
    MistrustError
        No inputs; what `thresholds` and `answered` refuse.

    Examples
    --------
    Three inputs, of which the third is wrong. A limit of 0.5 keeps all, one of 0.2 the first only:

    >>> distance = torch.tensor([[0.1, 0.9], [0.8, 0.4], [0.3, 0.7]])
    >>> labels, predicted = torch.tensor([0, 1, 1]), torch.tensor([0, 1, 0])
    >>> found = retention(distance, labels, predicted, torch.tensor([[0.5], [0.2]]))
    >>> found.kept, found.errors
    (tensor([1.0000, 0.3333], dtype=torch.float64), tensor([1, 0]))
    """
    _check(distance, labels=labels, predicted=predicted)
    n = len(labels)
    if n == 0:
        raise MistrustError("Retention is a share of inputs, and there are none.")
    keep = answered(distance, predicted, limits)
    count = keep.sum(1)
    errors = (keep & (labels != predicted)).sum(1)
    return Retention(count.double() / n, (count - errors).double() / count, errors, n)


def kept_by_class(
    distance: Float[Tensor, "n k"],
    labels: Int[Tensor, " n"],
    predicted: Int[Tensor, " n"],
    limits: Float[Tensor, " k"],
) -> Float[Tensor, " k"]:
    """Share of the inputs of each class that are classified correctly and answered; NaN where a class is absent.

    Raises
    ------
    MistrustError
        Limits that are not one per class; what `thresholds` and `answered` refuse.

    Examples
    --------
    >>> distance = torch.tensor([[0.1, 0.9], [0.6, 0.5], [0.9, 0.1]])
    >>> both = torch.tensor([0, 0, 1])
    >>> kept_by_class(distance, both, both, limits=torch.tensor([0.5, 0.5]))  # one of two cats is not answered
    tensor([0.5000, 1.0000], dtype=torch.float64)
    """
    _check(distance, labels=labels, predicted=predicted)
    k = distance.shape[1]
    check_tensor("Limits", limits)
    if limits.shape != (k,):
        raise MistrustError(f"Limits have shape {tuple(limits.shape)}, expected ({k},): one per class.")
    keep = answered(distance, predicted, limits[None])[0] & (labels == predicted)
    counts = torch.bincount(labels, minlength=k).double()
    return torch.bincount(labels[keep], minlength=k).double() / counts


def _own(distance: Tensor, classes: Tensor) -> Tensor:
    """Distance (n,) of each input to the centroid of a class of its own."""
    return distance.to(torch.float64).gather(1, classes[:, None]).squeeze(1)


def _check(distance: Tensor, **classes: Tensor) -> None:
    check_lengths(distances=distance, **classes)
    check_distances(distance)
    for name, given in classes.items():
        check_labels(given, distance.shape[1], {"labels": "Labels", "predicted": "Predictions"}[name])
