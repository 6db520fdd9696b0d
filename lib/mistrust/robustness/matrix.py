"""Perturbation matrices: how far each class is from each other one, over several images a class.

UREM, section 4 ("Targeted Perturbation Matrix Results", figures 8 to 10): one image per class, taken to every other
class. Here several images a class, failures counted and never averaged in; a bubble (figure 6) is one row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from mistrust.errors import MistrustError, UnknownName
from mistrust.robustness.target_pairs import Targeted

DISTANCES = ("linf", "l2", "steps")


@dataclass(frozen=True, eq=False)
class PerturbationMatrix:
    """Rows are sources, columns targets.

    Attributes
    ----------
    mean : (k, k) mean distance of the pairs that arrived; NaN where none did, and on the diagonal.
    count : (k, k) pairs that arrived.
    failures : (k, k) pairs that did not. Where there are some, the mean says too little: those that are farthest are
        not in it.
    """

    mean: Float64[Tensor, "k k"]
    count: Int64[Tensor, "k k"]
    failures: Int64[Tensor, "k k"]


def perturbation_matrix(found: Targeted | Sequence[Targeted], k: int, distance: str = "linf") -> PerturbationMatrix:
    """Average what a targeted search found over the images of each pair of classes.

    Parameters
    ----------
    found : of one network or search, or several, whose pairs then count alike (networks from several seeds).
    k : number of classes.
    distance : "linf", "l2" (grey levels) or "steps".

    Raises
    ------
    MistrustError
        An unknown distance, a class beyond k - 1, nothing to average.
    """
    if distance not in DISTANCES:
        raise UnknownName("distance", distance, DISTANCES)
    every = (found,) if isinstance(found, Targeted) else tuple(found)
    if not every:
        raise MistrustError("A perturbation matrix needs the result of at least one targeted search, got none.")
    source, target, values, yes = (
        torch.cat([getattr(one, name) for one in every]) for name in ("source", "target", distance, "success")
    )
    last = int(torch.cat([source, target]).max()) if len(source) else -1
    if last >= k:
        raise MistrustError(f"k is {k}, but the pairs reach class {last}: expected at least {last + 1} classes.")
    cell = source * k + target
    count, failures = (torch.bincount(cell[some], minlength=k * k) for some in (yes, ~yes))
    total = torch.zeros(k * k, dtype=torch.float64).index_add_(0, cell[yes], values[yes].double())
    return PerturbationMatrix((total / count).view(k, k), count.view(k, k), failures.view(k, k))


def bubble(found: Targeted, source: str | int, classes: Sequence[str], distance: str = "linf") -> Float64[Tensor, " k"]:
    """Lengths of a bubble's k spokes: how far the source is from each class, in class order.

    The source's own spoke is NaN, so that its place stays empty: the paper divides 360 degrees by k classes for
    k - 1 targets. A target that no image reached is NaN, too; `perturbation_matrix` counts such failures.

    Parameters
    ----------
    found : one image's pairs give its bubble (`found.take(found.ids == id)`), those of more images the class's mean.
    source : the class to start from, by name or position.
    classes : names of all classes.
    distance : "linf", "l2" or "steps".

    Raises
    ------
    MistrustError
        An unknown class or distance, no pair that starts from this class.
    """
    names = tuple(classes)
    if source not in (names if isinstance(source, str) else range(len(names))):
        raise UnknownName("class", source, names)
    row = names.index(source) if isinstance(source, str) else source
    matrix = perturbation_matrix(found, len(names), distance)
    if not int(matrix.count[row].sum() + matrix.failures[row].sum()):
        held = ", ".join(names[c] for c in found.source.unique().tolist()) or "none"
        raise MistrustError(f"No pair starts from class '{names[row]}', so it has no bubble. Pairs start from: {held}.")
    return matrix.mean[row]
