"""Table "looks": does a search tell more than the margin, or than one look at the gradient?"""

from collections.abc import Iterator

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


def looks(
    classifier: Classifier, images: ImageSet, sigma: Float64[Tensor, " n"], measure: str, steps: int
) -> Iterator[Row]:
    """Rank correlations over images of what a look tells with what a search found.

    Parameters
    ----------
    images : n images that the classifier gets right.
    sigma : (n,) what the search found of each.
    measure : "random" or "targeted".
    steps : of DDN.
    """
    candidates = min(CANDIDATES, len(classifier.classes) - 1)
    linear = linear_estimate(classifier, images, candidates=candidates)
    seen = {
        "margin": linear.margin,
        "linear estimate": linear.nearest_l2,
        "ddn": ddn(classifier, images, steps=steps).l2,
    }
    for method, values in seen.items():
        found = rank_correlation(values.numpy(), sigma.numpy())
        yield {"table": "looks", "method": method, "metric": f"spearman with {measure}", **estimated(found)}


def nearest(found: Targeted, images: ImageSet) -> Float64[Tensor, " n"]:
    """Distance of each image to the target that it reaches first; infinite where it reaches none."""
    reached = found.linf.double().where(found.success, float("inf"))
    of = {int(id): reached[found.ids == id].min() for id in found.ids.unique()}
    return reached.new_tensor([float(of[int(id)]) for id in images.ids])
