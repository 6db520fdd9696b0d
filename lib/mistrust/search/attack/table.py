"""The table of distances, and the one call that takes any of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter, signature
from typing import Any

from jaxtyping import Float, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import check_known
from mistrust.registry import Registry
from mistrust.search.attack.asking import Network
from mistrust.search.attack.boundary import boundary
from mistrust.search.attack.fast import deepfool
from mistrust.search.attack.found import Distances
from mistrust.search.attack.hopskip import hopskip
from mistrust.search.attack.peer import foolbox

COMMON = ("ids", "donors", "seed")


@dataclass(frozen=True)
class Distance:
    """One way to measure how far an image is from another class.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section.
    find : (network, images, ids=, donors=, seed=, **parameters) -> `Distances`.
    gradients : whether it needs a differentiable `Classifier`; without, any callable that gives labels will do.
    random : whether it draws.

    Examples
    --------
    >>> DISTANCES["boundary"].gradients, DISTANCES["deepfool"].gradients  # labels alone will do for the first
    (False, True)
    """

    title: str
    source: str
    find: Callable[..., Distances]
    gradients: bool
    random: bool

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of its own, with their defaults."""
        given = signature(self.find).parameters.values()
        return {p.name: p.default for p in given if p.kind is Parameter.KEYWORD_ONLY and p.name not in COMMON}


DISTANCES = Registry[Distance]("distance")
DISTANCES.add(
    "boundary",
    Distance(
        "Boundary attack",
        "Brendel and others, Decision-based adversarial attacks, ICLR 2018 (arXiv 1712.04248), section 2, as foolbox "
        "2.0.0 does it; Bennette and others, Harnessing Adversarial Distances to Discover High-Confidence Errors, 2020 "
        "(arXiv 2006.16055), section IV",
        boundary,
        gradients=False,
        random=True,
    ),
)
_QUICK: dict[str, Any] = {
    "spherical_step": 0.05, "source_step": 0.05, "check_every": 2, "queues": (20, 10), "blends": 50
}  # fmt: skip
DISTANCES.add(
    "boundary-quick",
    Distance(
        "Boundary attack with larger, sooner adapted steps",
        "ours: the boundary attack with other numbers; 50 blends, as in foolbox 3",
        partial(boundary, **_QUICK),
        gradients=False,
        random=True,
    ),
)
DISTANCES.add(
    "boundary-smooth",
    Distance(
        "The quick boundary attack with smooth directions",
        "Guo, Frank and Weinberger, Low Frequency Adversarial Perturbation, UAI 2019 (arXiv 1809.08758); the other "
        "numbers ours",
        partial(boundary, **_QUICK, frequencies=0.5),
        gradients=False,
        random=True,
    ),
)
_HOPSKIP = "Chen, Jordan and Wainwright, HopSkipJumpAttack, IEEE S&P 2020 (arXiv 1904.02144), algorithm 2"
DISTANCES.add(
    "hopskip",
    Distance("HopSkipJump", f"{_HOPSKIP}; starts as for the boundary attack", hopskip, gradients=False, random=True),
)
DISTANCES.add(
    "hopskip-smooth",
    Distance(
        "HopSkipJump with smooth directions",
        f"{_HOPSKIP}; Guo, Frank and Weinberger, UAI 2019 (arXiv 1809.08758); Li and others, QEBA, CVPR 2020 (arXiv "
        "2005.14137)",
        partial(hopskip, blends=50, frequencies=0.5),
        gradients=False,
        random=True,
    ),
)
DISTANCES.add(
    "foolbox",
    Distance(
        "Boundary attack of foolbox 3",
        "Rauber and others, Foolbox, 3.3.4, attacks/boundary_attack.py",
        foolbox,
        gradients=False,
        random=True,
    ),
)
DISTANCES.add(
    "deepfool",
    Distance(
        "DeepFool and bisection",
        "Moosavi-Dezfooli and others, DeepFool, CVPR 2016 (arXiv 1511.04599), algorithm 2",
        deepfool,
        gradients=True,
        random=False,
    ),
)


def distances(
    network: Network,
    images: ImageSet | Float[Tensor, "n c h w"],
    method: str = "boundary",
    *,
    ids: Int64[Tensor, " n"] | None = None,
    donors: ImageSet | Float[Tensor, "m c h w"] | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Distances:
    """How far images are from another class of a network, by a method of `DISTANCES`.

    Parameters
    ----------
    network : a `Classifier`; for the methods without gradients any callable from images in [0, 1] to labels.
    images : an `ImageSet`, or floats in [0, 1] with `ids` of their own (0 to n - 1 when not given).
    donors : the evaluation set that the images come from: see `boundary`.
    seed : of everything that is drawn.
    parameters : the method's own, by name.

    Notes
    -----
    A search that is stopped keeps nothing. Where queries are dear, search some images at a time with `ids` of their
    own: an image's random numbers are its id's, so that (but in "foolbox") its distance does not depend on the others.

    Raises
    ------
    MistrustError
        An unknown method or parameter, and what the method refuses. An image that has no start is no error: its
        distance is infinite, and a `MistrustWarning` says so.

    Examples
    --------
    >>> import torch
    >>> bright = lambda images: (images.flatten(1).mean(1) > 0.5).long()
    >>> found = distances(bright, torch.full((1, 1, 8, 8), 0.4), steps=100)
    >>> found.start, round(found.mae.item(), 2)  # from above towards 0.1, which it has after 300 steps
    (('noise',), 0.14)
    """
    entry = DISTANCES[method]
    for name in parameters:
        check_known(f"parameter of the distance '{method}'", name, entry.parameters)
    found = entry.find(network, images, ids=ids, donors=donors, seed=seed, **parameters)
    return replace(found, method=method)
