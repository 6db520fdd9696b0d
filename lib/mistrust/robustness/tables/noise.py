"""Tables "random" and "survival": breaking standard deviations, and the share of labels that survive noise."""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.evaluation import Estimate, cluster_bootstrap, clustered_share, percentile_interval, share
from mistrust.networks import Classifier
from mistrust.robustness.bracket import Bracketed, bracketed
from mistrust.robustness.breaking import Breaking, breaking
from mistrust.robustness.censored import censored, survival
from mistrust.robustness.half import FIELDS, half
from mistrust.robustness.noise import VARIANTS
from mistrust.robustness.tables import Row, estimated

# Where the share that survives is written down, in grey levels.
LEVELS = range(0, 511, 15)


def found_by(
    classifier: Classifier, images: ImageSet, variant: str, seeds: int, audit: float, block: int = 512
) -> Bracketed | Breaking:
    """Search by bisection with an audit where noise is fixed, else step by step."""
    chosen = tuple(range(seeds))
    if VARIANTS[variant].fresh:
        return breaking(classifier, images, variant=variant, seeds=chosen, block=block)
    return bracketed(classifier, images, variant=variant, seeds=chosen, audit=audit, block=block)


def noise(found: Bracketed | Breaking, resamples: int, seed: int) -> Iterator[Row]:
    """Rows of one variant: summaries that name what is censored, and the curve of survival."""
    one = found.breaking if isinstance(found, Bracketed) else found
    common = {"table": "random", "method": one.variant}
    told = censored(one.sigma, one.broken, one.ids, resamples=resamples, seed=seed)
    for metric, estimate in (
        ("mean", told.mean_of_broken), ("capped mean", told.capped_mean), ("median", told.median),
        ("unbroken", told.unbroken),
    ):  # fmt: skip
        yield {**common, "metric": metric, **estimated(estimate)}
    for metric, values in (("new probability", one.probability), ("effective", one.effective)):
        kept = one.broken
        yield {
            **common, "metric": metric, **estimated(_mean(values[kept], _ids(one)[kept], resamples, seed)),
        }  # fmt: skip
    if isinstance(found, Bracketed) and found.audit.mismatched.numel():
        wrong = found.audit.mismatched
        audited = _ids(one)[found.audit.position]
        yield {**common, "metric": "re-entry", **estimated(clustered_share(wrong.ravel(), audited.ravel()))}
    yield {**common, "metric": "passes", "value": float(one.passes.double().mean()), "n": one.passes.numel()}
    curve = survival(one.sigma, one.broken)
    places = np.searchsorted(curve.sigma, LEVELS, side="right")
    surviving = np.concatenate([[1.0], curve.surviving])[places]
    for level, value in zip(LEVELS, surviving.tolist(), strict=True):
        yield {
            "table": "survival", "method": one.variant, "level": level, "metric": "surviving", "value": value,
            "n": one.sigma.numel(),
        }  # fmt: skip


def sigma_50(classifier: Classifier, images: ImageSet, variant: str, fields: int) -> Iterator[Row]:
    """Median over images of the sigma at which half of many noise fields change the label, and who has none."""
    found = half(classifier, images, variant=variant, seeds=FIELDS[:fields])
    reached = found.sigma.isfinite()
    common = {"table": "random", "method": variant}
    middle = float(found.sigma.quantile(0.5, interpolation="higher"))
    yield {**common, "metric": "sigma50", "value": middle, "n": len(reached)}
    yield {**common, "metric": "sigma50 unreached", **estimated(share(int((~reached).sum()), len(reached)))}


def _ids(one: Breaking) -> Int64[Tensor, "m s"]:
    return one.ids[:, None].expand_as(one.sigma)


def _mean(values: Float64[Tensor, " p"], ids: Int64[Tensor, " p"], resamples: int, seed: int) -> Estimate:
    """Mean with an interval over images."""
    if not len(values):
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    numbers = values.double().numpy()
    draw = random.generator(seed, "bootstrap/noise")

    def statistic(weights: np.ndarray) -> list[float]:
        total = weights.sum()
        return [float(weights @ numbers / total) if total else float("nan")]

    low, high = percentile_interval(cluster_bootstrap(ids.numpy(), statistic, resamples, draw))
    return Estimate(float(torch.mean(values.double())), float(low[0]), float(high[0]), len(values))
