"""Table "layers": noise at the output of single layers, each element or each channel with a draw of its own."""

from collections.abc import Iterator

from mistrust.data import ImageSet
from mistrust.evaluation import clustered_share
from mistrust.networks import Classifier, layer_names
from mistrust.robustness.censored import censored
from mistrust.robustness.layers import MODES, layer_breaking
from mistrust.robustness.tables import Row, estimated
from mistrust.robustness.tails import INPUT

GRID = 0.16


def layers(classifier: Classifier, images: ImageSet, seeds: int, resamples: int, seed: int) -> Iterator[Row]:
    """Rows of the input and every top-level layer; `level` is its place, 0 for the input and 1 for the logits."""
    names = [INPUT, *(name for name in layer_names(classifier) if "." not in name)]
    for mode in MODES:
        for place, name in enumerate(names):
            found = layer_breaking(classifier, images, name, mode=mode, seeds=range(seeds), grid=GRID)
            common = {"table": "layers", "method": mode, "at": name, "level": place / (len(names) - 1)}
            broken = clustered_share(found.broken.ravel(), found.ids.repeat_interleave(found.broken.shape[1]))
            yield {**common, "metric": "broken", **estimated(broken)}
            told = censored(found.sigma, found.broken, found.ids, resamples=resamples, seed=seed)
            yield {**common, "metric": "median", **estimated(told.median)}
            if bool(found.broken.any()):
                likely = found.probability[found.broken]
                yield {**common, "metric": "new probability", "value": float(likely.mean()), "n": len(likely)}
