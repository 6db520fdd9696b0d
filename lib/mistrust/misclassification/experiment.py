"""The MLM experiment: parameters, pieces (one a network), and the rows they yield."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from mistrust import engine, random
from mistrust import rows as tidy
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.evaluation import between_models, percentile_interval, share
from mistrust.inputs import PERTURBATIONS, perturbed
from mistrust.misclassification.confusion import agreement, confusion, error_shares
from mistrust.misclassification.matrix import Statistic, bootstrap, centroids, class_distances, distances, likelihood
from mistrust.networks import ARCHITECTURES, NETWORK, Classifier, Recipe, network_spec, observe, trained
from mistrust.parameters import Checked, parameter
from mistrust.store import key, made, maker

CHAPTER = "misclassification"


@dataclass(frozen=True)
class Parameters(Checked):
    """Parameters of the MLM chapter; the defaults are the `quick` profile."""

    data: str = parameter("mnist5k", "image set with a train and a test part (mistrust list data)")
    train_images: int = parameter(0, "training images, chosen at random; 0 takes all", low=0)
    test_images: int = parameter(0, "test images, chosen at random; 0 takes all", low=0)
    architecture: str = parameter("mlm-cnn", "network (mistrust list architectures)", source="section 3.1")
    networks: int = parameter(2, "networks, trained from different seeds", low=1, high=100)
    epochs: int = parameter(10, "passes over the training images", low=1, high=1000, source="section 3.1")
    batch: int = parameter(64, "images a step", low=1, source="section 3.1")
    rate: float = parameter(0.01, "learning rate", low=1e-6, high=10.0, source="section 3.1")
    momentum: float = parameter(0.9, "momentum; the paper has 0, too slow for a small set", low=0.0, high=0.999)
    perturbations: tuple[str, ...] = parameter(
        ("brightness", "gaussian_noise"), "perturbations (mistrust list perturbations)", source="section 3.2"
    )
    levels: tuple[int, ...] = parameter(
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10), "levels of each perturbation", low=1, high=10, source="section 3.2"
    )
    quantile: float = parameter(0.05, "quantile that stands beside the paper's minimum", low=0.0, high=1.0)
    resamples: int = parameter(200, "bootstrap resamples of base images", low=20, high=10000)
    seed: int = parameter(0, "seed of networks, noise and resampling", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        ARCHITECTURES[self.architecture]
        for name in self.perturbations:
            PERTURBATIONS[name]
        if not self.perturbations or not self.levels:
            raise MistrustError("The chapter needs at least one perturbation and one level.")

    @property
    def recipe(self) -> Recipe:
        """How the networks are trained."""
        return Recipe(self.epochs, self.batch, self.rate, self.momentum)

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """The paper's minimum, and what stands beside it."""
        return Statistic(), Statistic("quantile", self.quantile), Statistic("mean")


def _smoke_logits() -> dict[str, Tensor]:
    pixels = random.uniform(0, "smoke", torch.arange(3), (1, 4, 4))
    images = ImageSet("smoke", pixels, torch.tensor([0, 1, 0]), torch.arange(3), ("a", "b"))
    return {name: perturbed(images, name, 4).images for name in PERTURBATIONS}


def _smoke_rows() -> dict[str, Tensor]:
    p = random.uniform(1, "smoke", torch.arange(60), (3,)).to(torch.float64)
    p, y = p / p.sum(1, keepdim=True), torch.arange(60) % 3
    d = distances(p, centroids(p, y, ("a", "b", "c")))
    return {s.name: likelihood(class_distances(d, y, s)) for s in Parameters().statistics}


LOGITS = maker("logits", version=1, content="tensors", smoke=_smoke_logits)
ROWS = maker("misclassification-rows", version=1, content="table", smoke=_smoke_rows)
MAKERS = (NETWORK, LOGITS, ROWS)


def image_sets(parameters: Parameters) -> tuple[ImageSet, ImageSet]:
    """Give the training and the test images."""
    chosen = []
    for split, count in (("train", parameters.train_images), ("test", parameters.test_images)):
        whole = load(parameters.data, split)
        if count > len(whole):
            raise MistrustError(
                f"Parameter '{split}_images' is {count}, but '{parameters.data}' has {len(whole)} {split} images. "
                "Ask for fewer, or 0 for all."
            )
        order = random.permutation(parameters.seed, f"choose/{split}", len(whole))[:count]
        chosen.append(whole if count in (0, len(whole)) else whole.take(order.sort().values))
    return chosen[0], chosen[1]


def inputs(parameters: Parameters) -> dict[str, str]:
    """Give what the experiment reads: each image set's checksum."""
    return {f"{parameters.data}/{split}": load(parameters.data, split).checksum for split in ("train", "test")}


def pieces(parameters: Parameters) -> list[str]:
    """Name the pieces: one a network."""
    return [f"network {i}" for i in range(parameters.networks)]


def piece(parameters: Parameters, name: str) -> pd.DataFrame:
    """Give the rows of one network, from the store where they are made."""
    index = pieces(parameters).index(name)
    train, test = image_sets(parameters)
    seed = parameters.seed + index
    spec = _spec(parameters, train, test, seed)
    found = _network_rows(parameters, train, test, seed)
    # What could not be computed (a class that is never wrong has no error shares) has no row.
    frame = made(ROWS, spec, lambda _: tidy.table(row for row in found if not isnan(row["value"])))
    return frame.assign(chapter=CHAPTER, data=parameters.data, network=parameters.architecture, made=key(ROWS, spec))


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: those of every network, and the means over networks."""
    names = pieces(parameters)
    frames = engine.map(partial(piece, parameters), names, names=names, label="networks")
    single = pd.concat(frames, ignore_index=True)
    return tidy.check(pd.concat([single, tidy.table(_means(single))], ignore_index=True))


def _spec(parameters: Parameters, train: ImageSet, test: ImageSet, seed: int) -> dict[str, Any]:
    return {
        "network": network_spec(parameters.architecture, train, parameters.recipe, seed),
        "network version": NETWORK.version,
        "logits version": LOGITS.version,
        "test": {"name": test.name, "checksum": test.checksum},
        "perturbations": list(parameters.perturbations),
        "levels": list(parameters.levels),
        "quantile": parameters.quantile,
        "resamples": parameters.resamples,
        "seed": parameters.seed,
    }


def outputs(classifier: Classifier, images: ImageSet, condition: str, level: int, seed: int) -> Tensor:
    """Logits (n, k) of a network for clean or perturbed images, from the store where they are made."""
    spec = {
        "network": classifier.key,
        "data": {"name": images.name, "checksum": images.checksum},
        "condition": condition,
        "level": level,
        "seed": seed,
    }

    def make(_: object) -> dict[str, Tensor]:
        seen = images if condition == "clean" else perturbed(images, condition, level, seed=seed)
        return {"logits": observe(classifier, seen).logits}

    content = made(LOGITS, spec, make)
    return content["logits"]


def _network_rows(parameters: Parameters, train: ImageSet, test: ImageSet, seed: int) -> Iterator[Mapping[str, Any]]:
    """All rows of one network, without chapter, data and network."""
    classifier = trained(parameters.architecture, train, parameters.recipe, seed)
    k = len(train.classes)
    clean = {}
    for split, images in (("train", train), ("test", test)):
        clean[split] = outputs(classifier, images, "clean", 0, parameters.seed)
        hits = clean[split].argmax(1) == images.labels
        yield _accuracy(hits, seed, "clean", at=split)
    yield from _misses(confusion(test.labels, clean["test"].argmax(1), k), test.classes, seed)
    settings = [(name, level) for name in parameters.perturbations for level in parameters.levels]
    logits = []
    for name, level in settings:
        logits.append(outputs(classifier, test, name, level, parameters.seed))
        yield _accuracy(logits[-1].argmax(1) == test.labels, seed, f"perturbed/{name}", level=level)
    centres = centroids(clean["train"].to(torch.float64).softmax(1), train.labels, train.classes)
    p = torch.cat(logits).to(torch.float64).softmax(1)
    labels, base = test.labels.repeat(len(settings)), test.ids.repeat(len(settings))
    d = distances(p, centres)
    yield from _matrices(parameters, d, labels, base, p.argmax(1), train.classes, seed)
    yield from _nearest(d, labels, base, settings, train.classes, seed)


def _accuracy(hits: Tensor, seed: int, condition: str, **where: Any) -> Mapping[str, Any]:
    found = share(int(hits.sum()), len(hits))
    return {
        "table": "accuracy", "method": "network", "condition": condition, "seed": seed, "metric": "accuracy",
        "value": found.value, "low": found.low, "high": found.high, "over": "images", "n": found.n, **where,
    }  # fmt: skip


def _misses(counts: Tensor, classes: tuple[str, ...], seed: int) -> Iterator[Mapping[str, Any]]:
    common = {"table": "misses", "method": "network", "condition": "clean", "seed": seed, "metric": "count"}
    for y, c in _cells(len(classes)):
        yield {**common, "at": f"{classes[y]}>{classes[c]}", "value": int(counts[y, c]), "n": int(counts[y].sum())}


def _matrices(
    parameters: Parameters,
    d: Tensor,
    labels: Tensor,
    base: Tensor,
    predicted: Tensor,
    classes: tuple[str, ...],
    seed: int,
) -> Iterator[Mapping[str, Any]]:
    """The matrix by each statistic and the true confusion, all inputs; their agreement, half against half."""
    k = len(classes)
    common = {"condition": "perturbed/all", "seed": seed, "n": len(labels)}
    truth = error_shares(confusion(labels, predicted, k))
    ids = torch.unique(base)
    half = ids[random.permutation(parameters.seed, "halves", len(ids))[: len(ids) // 2]]
    first = torch.isin(base, half)
    other = error_shares(confusion(labels[~first], predicted[~first], k))
    for statistic in parameters.statistics:
        L = likelihood(class_distances(d, labels, statistic))
        again = likelihood(bootstrap(d, labels, base, statistic, parameters.resamples, parameters.seed))
        low, high = percentile_interval(again.numpy())
        for y, c in _cells(k):
            yield {
                **common, "table": "matrix", "method": statistic.name, "metric": "likelihood",
                "at": f"{classes[y]}>{classes[c]}", "value": float(L[y, c]),
                "low": float(low[y, c]), "high": float(high[y, c]), "over": "images",
            }  # fmt: skip
        found = agreement(likelihood(class_distances(d[first], labels[first], statistic)), other)
        for metric, value in (("spearman", found.cells), ("spearman within rows", found.rows), ("top-1", found.top1)):
            yield {**common, "table": "agreement", "method": statistic.name, "metric": metric, "value": value}
    for y, c in _cells(k):
        yield {
            **common, "table": "matrix", "method": "confusion", "metric": "share",
            "at": f"{classes[y]}>{classes[c]}", "value": float(truth[y, c]),
        }  # fmt: skip


def _nearest(
    d: Tensor, labels: Tensor, base: Tensor, settings: list[tuple[str, int]], classes: tuple[str, ...], seed: int
) -> Iterator[Mapping[str, Any]]:
    """For each cell the three base images of class y whose nearest version lies nearest to centroid c."""
    per = len(labels) // len(settings)
    for y, c in _cells(len(classes)):
        seen: set[int] = set()
        for row in torch.where(labels == y, d[:, c], torch.inf).argsort().tolist():
            if int(base[row]) in seen:
                continue
            seen.add(int(base[row]))
            name, level = settings[row // per]
            yield {
                "table": "nearest", "method": f"nearest {len(seen)}", "condition": f"perturbed/{name}", "level": level,
                "at": f"{classes[y]}>{classes[c]}", "seed": seed, "metric": "distance", "value": float(d[row, c]),
                "n": 1, "note": f"id {int(base[row])}",
            }  # fmt: skip
            if len(seen) == 3:
                break


def _cells(k: int) -> list[tuple[int, int]]:
    return [(y, c) for y in range(k) for c in range(k) if y != c]


def _means(single: pd.DataFrame) -> Iterator[Mapping[str, Any]]:
    """Means over networks with Student's t interval: accuracy (on the logit scale), agreement and the matrix."""
    wanted = single[single["table"].isin(["accuracy", "agreement", "matrix"])]
    by = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]
    for names, group in wanted.groupby(by, dropna=False, sort=False):
        found = between_models(group["value"], scale="logit" if group["metric"].iloc[0] == "accuracy" else "identity")
        yield {
            **dict(zip(by, names, strict=True)), "value": found.value, "low": found.low, "high": found.high,
            "over": "models", "n": found.n,
        }  # fmt: skip
