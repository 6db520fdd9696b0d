"""Table "diversity": how different images are that one decoder makes, by the way its points are drawn."""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from mistrust import random
from mistrust.ambiguity import diversity, sampling
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.jacobian import WEIGHTS
from mistrust.ambiguity.sampling import PUBLISHED, Scheme
from mistrust.ambiguity.tables import Row, measured
from mistrust.errors import MistrustError
from mistrust.evaluation import between_models

BOUNDS = (2.0, 3.0, 5.0)
METRICS = {
    "pair distance": "pair_distance",
    "pair distance, 10% quantile": "pair_distance_q10",
    "nearest neighbour": "nearest_neighbour",
    "coverage": "coverage",
}
SCALES = {"coverage": "arcsine", "share kept": "arcsine"}  # the others are distances
GAINS = (("jacobian", "uniform"), ("energy", "energy transposed"), ("jacobian", "as published"))


def diverse(good: Autoencoders, delta: float, points: int, label: str, seed: int) -> list[Row]:
    """Diversity by scheme and by how far the grid reaches, means over decoders; and gains, paired by decoder.

    A scheme that finds too few points of some decoder has one row, "images" 0, whose note says which.

    Parameters
    ----------
    good : decoders, of different pairs.
    delta : largest |p1 - p2|.
    points : images of each decoder and scheme.
    label : rule for p(c|z).
    """
    found: list[Row] = []
    for bound in BOUNDS:
        values: dict[str, dict[str, list[float]]] = {}
        for method, scheme in _schemes(bound, label):
            try:
                values[method] = _measured(good, delta, points, scheme, seed)
            except MistrustError as error:  # a transposed map may hold next to no admissible point
                refused = {"table": "diversity", "method": method, "level": bound, "metric": "images"}
                found.append({**refused, "value": 0, "n": points, "note": str(error)})
            else:
                found += _rows(method, bound, values[method])
        for better, other in GAINS:
            if better in values and other in values:
                gains = {
                    metric: [a - b for a, b in zip(own, values[other][metric], strict=True)]
                    for metric, own in values[better].items()
                }
                found += _rows(f"{better} minus {other}", bound, gains)
    return found


def _schemes(bound: float, label: str) -> Iterator[tuple[str, Scheme]]:
    for weight in WEIGHTS:
        yield weight, Scheme(Grid(bound=bound), weight, label)
        yield f"{weight} transposed", Scheme(Grid(bound=bound), weight, label, transposed=True)
    yield "as published", Scheme(Grid(bound=bound), PUBLISHED.weight, PUBLISHED.label, PUBLISHED.transposed)


def _measured(good: Autoencoders, delta: float, points: int, scheme: Scheme, seed: int) -> dict[str, list[float]]:
    """Values of every metric, one a decoder."""
    drawn = sampling.draw(good, delta, points, scheme, seed, "diversity")
    with torch.no_grad():
        images = good.decode(drawn.z).clamp(0, 1).double().cpu().numpy()
    reference = _reference(good, delta, points, scheme, seed)
    found: dict[str, list[float]] = {metric: [] for metric in (*METRICS, "deviation of z1", "share kept")}
    for place, own in enumerate(images):
        draw = random.generator(seed, f"ambiguity/diversity/{place}")
        measures = diversity.measures(own, draw, reference=reference[place], resamples=0)
        for metric, name in METRICS.items():
            found[metric].append(measures[name].value)
        found["deviation of z1"].append(float(drawn.z[place, :, 1].std()))
        found["share kept"].append(points / int(drawn.attempts[place]))
    return found


def _reference(good: Autoencoders, delta: float, points: int, scheme: Scheme, seed: int) -> list[NDArray[np.float64]]:
    """Images of points that lie evenly over all ambiguous cells within the same bound: what could have been drawn."""
    even = Scheme(scheme.grid, "uniform", scheme.label)
    drawn = sampling.draw(good, delta, points, even, seed, "reference")
    with torch.no_grad():
        return list(good.decode(drawn.z).clamp(0, 1).double().cpu().numpy())


def _rows(method: str, bound: float, values: dict[str, list[float]]) -> list[Row]:
    common = {"table": "diversity", "method": method, "level": bound, "over": "models"}
    signed = " minus " in method
    return [
        measured(
            between_models(one, scale="identity" if signed else SCALES.get(metric, "root")), **common, metric=metric
        )
        for metric, one in values.items()
    ]
