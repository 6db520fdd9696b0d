"""Table "looks": does a search tell more than the margin, or than one look at the gradient?"""

from collections.abc import Iterator, Mapping

import torch
from jaxtyping import Float64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.evaluation import rank_correlation
from mistrust.networks import Classifier
from mistrust.robustness.ddn import ddn
from mistrust.robustness.gradient import linear_estimate
from mistrust.robustness.tables import Row, estimated
from mistrust.robustness.target_pairs import Targeted

# The other classes with the highest logits: the nearest is nearly always among them.
CANDIDATES = 3
DDN = "ddn"
# What is seen of n images, by method: (n,) the margin in logits, the linear estimate and DDN's distance in grey levels
# (Euclidean; NaN where DDN finds none).
Seen = Mapping[str, Float64[Tensor, " n"]]


def seen(classifier: Classifier, images: ImageSet, steps: int) -> Seen:
    """Look at n images that the classifier gets right: margin, linear estimate, and `steps` of DDN."""
    candidates = min(CANDIDATES, len(classifier.classes) - 1)
    linear = linear_estimate(classifier, images, candidates=candidates)
    return {
        "margin": linear.margin,
        "linear estimate": linear.nearest_l2,
        DDN: ddn(classifier, images, steps=steps).l2,
    }


def looks(of: Seen, sigma: Float64[Tensor, " n"], measure: str) -> Iterator[Row]:
    """Rank correlations over images of what a look tells with what a search found.

    Parameters
    ----------
    of : what was seen of n images.
    sigma : (n,) what the search found of each.
    measure : "random" or "targeted".
    """
    for method, values in of.items():
        found = rank_correlation(values.numpy(), sigma.numpy())
        yield {"table": "looks", "method": method, "metric": f"spearman with {measure}", **estimated(found)}


def sights(of: Seen) -> Iterator[Row]:
    """What a look tells of a network: its mean over the images of which it tells something finite."""
    for method, values in of.items():
        yield _mean(method, "mean", values)


def beside_ddn(of: Seen, l2: Mapping[str, Float64[Tensor, " n"]]) -> Iterator[Row]:
    """Mean Euclidean distances of the same images, by DDN and by targeted searches, where all of them arrive.

    Parameters
    ----------
    of : what was seen of n images.
    l2 : by search, (n,) what it needs to the target that is nearest so, in grey levels; infinite where none.
    """
    found = {DDN: of[DDN], **l2}
    every = torch.stack(list(found.values())).isfinite().all(0)
    for name, values in found.items():
        yield _mean(name, "nearest l2", values[every])


def _mean(method: str, metric: str, values: Tensor) -> Row:
    kept = values[values.isfinite()]
    return {"table": "looks", "method": method, "metric": metric, "value": float(kept.mean()), "n": len(kept)}


def nearest(found: Targeted, images: ImageSet, distance: str = "linf") -> Float64[Tensor, " n"]:
    """Distance of each image to the target that it reaches first; infinite where it reaches none.

    Parameters
    ----------
    distance : "linf" or "l2", in grey levels.
    """
    reached = getattr(found, distance).double().where(found.success, float("inf"))
    of = {int(id): reached[found.ids == id].min() for id in found.ids.unique()}
    return reached.new_tensor([float(of[int(id)]) for id in images.ids])
