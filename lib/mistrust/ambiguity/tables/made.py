"""Tables "autoencoders", "acceptance", "labels" and "cells": what training gave, and what it leads to."""

from collections.abc import Iterable, Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.ambiguity import gates, labels, sampling
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.labels import LABELS
from mistrust.ambiguity.members import rows_of
from mistrust.ambiguity.pairs import title
from mistrust.ambiguity.sampling import PUBLISHED, Scheme
from mistrust.ambiguity.tables import Row, measured, point
from mistrust.data import ImageSet
from mistrust.evaluation import between_models, share

GATES = {
    "reconstruction error": "error",
    "discrimination": "discrimination",
    "labelling": "labelling",
    "discrimination as published": "discrimination_published",
    "labelling as published": "labelling_published",
}
# Points along the first axis at which the rules are told, and cells an axis of the maps that are kept.
LINE, MAP = torch.linspace(-3, 3, 61, dtype=torch.float64), 25
SCHEMES = {
    "uniform": Scheme(Grid(MAP, 5.0), "uniform"),
    "jacobian": Scheme(Grid(MAP, 5.0), "jacobian"),
    "energy": Scheme(Grid(MAP, 5.0), "energy"),
    "as published": Scheme(Grid(MAP, 5.0), PUBLISHED.weight, PUBLISHED.label, PUBLISHED.transposed),
}


def autoencoders(tried: Autoencoders) -> list[Row]:
    """What the gates read of every autoencoder."""
    return [
        {
            "table": "autoencoders", "at": title(tried.classes, pair), "seed": member.seed, "metric": metric,
            "value": float(values[column]), "n": int(values["images"]),
        }
        for pair, member, values in zip(tried.pairs, tried.members, tried.report.to_dict("records"), strict=True)
        if values["finite"]
        for metric, column in GATES.items()
    ]  # fmt: skip


def codes_between(tried: Autoencoders, images: ImageSet) -> Iterator[Row]:
    """Share of its own training images that every autoencoder encodes between the clusters, where |z0| < 1."""
    flat = images.floats().flatten(1)
    for place, (pair, member) in enumerate(zip(tried.pairs, tried.members, strict=True)):
        with torch.no_grad():
            codes = tried.take([place]).encode(flat[rows_of(images, member)][None])[0, :, 0]
        if bool(codes.isfinite().all()):
            yield {
                "table": "autoencoders", "at": title(tried.classes, pair), "seed": member.seed,
                "metric": "codes between", "value": float((codes.abs() < 1).double().mean()), "n": len(codes),
            }  # fmt: skip


def codes_beyond(codes: Sequence[Float[Tensor, " n"]], bounds: Iterable[float]) -> Iterator[Row]:
    """Share of its own training images that an autoencoder encodes farther out than each bound, means over them.

    Far out nearly every share is 0, and some are one image's: the arcsine's interval would end at the mean itself.

    Parameters
    ----------
    codes : of each autoencoder, |z1| of its own training images.
    """
    for bound in bounds:
        shares = between_models([float((own > bound).double().mean()) for own in codes], scale="share")
        yield measured(shares, table="reach", metric="share of codes beyond", level=bound, over="models")


def acceptance(tried: Autoencoders, models: int) -> list[Row]:
    """Share of autoencoders that pass both gates, by pair and of all, as defined and as coded.

    Only the first `models` of each pair count: further ones are trained where these failed.
    """
    count: dict[tuple[int, int], int] = {}
    first = list[int]()
    for place, pair in enumerate(tried.pairs):
        count[pair] = count.get(pair, 0) + 1
        first += [place] if count[pair] <= models else []
    tried = tried.take(first)
    found: list[Row] = []
    for method in ("default", "as published"):
        table = gates.by_pair(tried, as_published=method == "as published")
        common = {"table": "acceptance", "method": method, "metric": "share accepted", "over": "models"}
        for one, other, members, survivors in table.iloc[:, :4].to_numpy().tolist():
            at = title(tried.classes, (int(one), int(other)))
            found.append(measured(share(int(survivors), int(members)), **common, at=at))
        passed, members = int(table["survivors"].sum()), int(table["members"].sum())
        found.append(measured(share(passed, members), **common, at="all"))
    return found


def left_out(tried: Autoencoders, kept: Sequence[tuple[int, int]]) -> Row:
    """How many pairs have too few good autoencoders to be used, and which."""
    without = [pair for pair in dict.fromkeys(tried.pairs) if pair not in kept]
    return {
        "table": "acceptance", "method": "default", "at": "all", "metric": "pairs left out", "value": len(without),
        "n": len(set(tried.pairs)), "note": ", ".join(title(tried.classes, pair) for pair in without),
    }  # fmt: skip


def label_rules(good: Autoencoders, grid: Grid, deltas: tuple[float, ...]) -> list[Row]:
    """What each rule for p(c|z) says along the line between the classes, and how many cells it finds ambiguous."""
    line = torch.stack([LINE, torch.zeros_like(LINE)], 1).expand(len(good), -1, -1)
    cells = grid.anchors(good.latent).expand(len(good), -1, -1)
    origin = torch.zeros(len(good), 1, good.latent, dtype=torch.float64)
    found: list[Row] = []
    with torch.no_grad():
        logits = {"line": good.logits(line), "cells": good.logits(cells), "middle": good.logits(origin)}
    default = labels.probabilities(logits["cells"], cells)
    near = labels.gap(default) <= max(deltas)
    for rule in LABELS:
        common = {"table": "labels", "method": rule, "over": "models"}
        along = labels.probabilities(logits["line"], line, rule)[..., 0]
        for place, z in enumerate(LINE.tolist()):
            mean = between_models(along[:, place].numpy())
            found.append(measured(mean, **common, at=point([z]), metric="p first"))
        middle = labels.gap(labels.probabilities(logits["middle"], origin, rule))[:, 0] <= min(deltas)
        at_origin = share(int(middle.sum()), len(middle))
        found.append(measured(at_origin, **common, level=min(deltas), metric="ambiguous at the origin"))
        p = labels.probabilities(logits["cells"], cells, rule)
        for delta in deltas:
            shares = (labels.gap(p) <= delta).double().mean(1)
            mean = between_models(shares.numpy())
            found.append(measured(mean, **common, level=delta, metric="share of cells"))
        apart = (p - default)[..., 0].abs() * near
        sizes = {
            "largest difference": apart.amax(1), "mean difference": apart.sum(1) / near.sum(1).clamp(min=1),
        }  # fmt: skip
        found += [measured(between_models(values.numpy()), **common, metric=metric) for metric, values in sizes.items()]
    return found


def cells(one: Autoencoders, delta: float) -> list[Row]:
    """Chance that a point that is kept comes from a cell, for one autoencoder, by the way cells are weighted.

    Transposed weights fall on cells that are not ambiguous, too: what is drawn there is thrown away.
    """
    pair = title(one.classes, one.pairs[0])

    def chances(scheme: Scheme) -> list[float]:
        kept = sampling.chances(one, delta, scheme)[0] * sampling.admissible(one, delta, scheme)[0]
        return (kept / kept.sum()).tolist()

    anchors = Grid(MAP, 5.0).anchors(one.latent).tolist()
    return [
        {
            "table": "cells", "condition": pair, "method": method, "at": point(z),
            "metric": "chance", "value": chance,
        }
        for method, scheme in SCHEMES.items()
        for z, chance in zip(anchors, chances(scheme), strict=True)
    ]  # fmt: skip
