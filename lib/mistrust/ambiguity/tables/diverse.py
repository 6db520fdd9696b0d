"""Table "diversity": how different images are that one decoder makes, by the way its points are drawn."""

from collections.abc import Iterator
from math import isfinite, isnan, nan

import numpy as np
import torch
from numpy.typing import NDArray

from mistrust import random
from mistrust.ambiguity import diversity, sampling
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.decoders import title
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.jacobian import WEIGHTS
from mistrust.ambiguity.sampling import PUBLISHED, Scheme
from mistrust.ambiguity.tables import Row, measured
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

    Decoders of which a scheme finds too few points are left out of its means, and of gains over it; a row "decoders
    left out" counts and names them.

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
            values[method] = _measured(good, delta, points, scheme, seed)
            found += _rows(method, bound, values[method])
            short = [title(good, place) for place, one in enumerate(values[method]["coverage"]) if isnan(one)]
            if short:
                common = {"table": "diversity", "method": method, "level": bound, "metric": "decoders left out"}
                found.append({**common, "value": len(short), "n": len(good), "note": ", ".join(short)})
        for better, other in GAINS:
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
    """Values of every metric, one a decoder; NaN where a transposed map holds next to no ambiguous point of it."""
    drawn = sampling.draw(good, delta, points, scheme, seed, "diversity", short=True)
    with torch.no_grad():
        images = good.decode(drawn.z.nan_to_num()).clamp(0, 1).double().cpu().numpy()
    reference = _reference(good, delta, points, scheme, seed)
    found: dict[str, list[float]] = {
        metric: [nan] * len(good) for metric in (*METRICS, "deviation of z1", "share kept")
    }
    for place in torch.nonzero(drawn.found == points)[:, 0].tolist():
        if len(reference[place]) < points:
            continue
        draw = random.generator(seed, f"ambiguity/diversity/{place}")
        measures = diversity.measures(images[place], draw, reference=reference[place], resamples=0)
        for metric, name in METRICS.items():
            found[metric][place] = measures[name].value
        found["deviation of z1"][place] = float(drawn.z[place, :, 1].std())
        found["share kept"][place] = points / int(drawn.attempts[place])
    return found


def _reference(good: Autoencoders, delta: float, points: int, scheme: Scheme, seed: int) -> list[NDArray[np.float64]]:
    """Images of points that lie evenly over all ambiguous cells within the same bound: what could have been drawn."""
    even = Scheme(scheme.grid, "uniform", scheme.label)
    drawn = sampling.draw(good, delta, points, even, seed, "reference", short=True)
    with torch.no_grad():
        images = good.decode(drawn.z.nan_to_num()).clamp(0, 1).double().cpu().numpy()
    return [own[:count] for own, count in zip(images, drawn.found.tolist(), strict=True)]


def _rows(method: str, bound: float, values: dict[str, list[float]]) -> list[Row]:
    common = {"table": "diversity", "method": method, "level": bound, "over": "models"}
    signed = " minus " in method
    return [
        measured(
            between_models(one, scale="identity" if signed else SCALES.get(metric, "root")), **common, metric=metric
        )
        for metric, every in values.items()
        if (one := [value for value in every if isfinite(value)])
    ]
