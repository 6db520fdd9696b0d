"""Ensembles: networks that differ in their seed alone.

Lakshminarayanan, Pritzel and Blundell, Simple and scalable predictive uncertainty estimation using deep ensembles,
NeurIPS 2017, section 2.4: random first weights and random order of all images, no bagging.

Members are trained one by one, each as `trained` would: a member and a single network of the same seed are one entry of
the store. Stacked as one network they gain about a tenth at best where they are fully connected, since their steps are
arithmetic already, and lose where they are convolutional (`benchmarks/ensembles.py`).
"""

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks.classifier import Classifier
from mistrust.networks.recipe import Recipe
from mistrust.networks.training import trained


def trained_members(
    architecture: str,
    images: ImageSet,
    recipe: Recipe,
    seeds: Sequence[int],
    *,
    targets: Float[Tensor, "n k"] | None = None,
    device: str | None = None,
) -> list[Classifier]:
    """Give an ensemble's members from the store, one a seed in the order of the seeds, or train those not there.

    Stopped, it goes on where it was. To spread members over processes, train them by `trained` in pieces of
    `engine.map` and gather them here.

    Parameters
    ----------
    architecture, images, recipe, targets, device : as for `trained`.
    seeds : of the members, no two alike.

    Raises
    ------
    MistrustError
        No seed, or one twice; what `trained` refuses.

    Examples
    --------
    >>> from mistrust.data import load
    >>> from mistrust.networks import observe
    >>> first, *others = trained_members("mlm-cnn", load("mnist5k", "train"), Recipe(), range(5))  # doctest: +SKIP
    >>> record = observe(first, load("mnist5k", "test"), members=others)  # doctest: +SKIP
    """
    wanted = [int(seed) for seed in seeds]
    if not wanted:
        raise MistrustError("An ensemble of no members: give their seeds, such as range(5).")
    twice = sorted({seed for seed in wanted if wanted.count(seed) > 1})
    if twice:
        raise MistrustError(
            f"Seed {twice[0]} stands {wanted.count(twice[0])} times among {wanted}: members of one seed are the same "
            "network. Give each its own, such as range(5)."
        )
    return [trained(architecture, images, recipe, seed, targets=targets, device=device) for seed in wanted]
