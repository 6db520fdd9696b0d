"""Table "performance": how well a classifier does on a set (Table I), and "cost", paired over classifiers elsewhere."""

from jaxtyping import Float, Float64, Int
from torch import Tensor

from mistrust.ambiguity.performance import performance
from mistrust.ambiguity.tables import Row, measured
from mistrust.evaluation import between_models, share

SHARES = ("top-1", "top-2", "top-pair")


def performed(
    method: str,
    condition: str,
    logits: Float[Tensor, "n k"],
    soft: Float64[Tensor, "n k"],
    labels: Int[Tensor, " n"],
) -> list[Row]:
    """Rows of one classifier on one set.

    Parameters
    ----------
    method : what the classifier was trained on: "mixed" or "clean".
    condition : "nominal", or "ambiguous/" and the way the set was made.
    logits : of its images.
    soft, labels : the probabilistic labels, and the hard ones.
    """
    common = {"table": "performance", "method": method, "condition": condition, "over": "images"}
    return [
        measured(
            share(int(values.sum()), len(values)) if metric in SHARES else between_models(values),
            **common,
            metric=metric,
        )
        for metric, values in performance(logits, soft, labels).items()
    ]
