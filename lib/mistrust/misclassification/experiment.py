"""The MLM experiment: parameters, pieces (one a network), and the rows they yield."""

from collections.abc import Iterable, Iterator, Mapping
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
from mistrust.evaluation import between_models
from mistrust.inputs import PERTURBATIONS, perturbed
from mistrust.misclassification import tables
from mistrust.misclassification.confusion import confusion
from mistrust.misclassification.matrix import Statistic, centroids, distances
from mistrust.networks import ARCHITECTURES, NETWORK, Classifier, Recipe, network_spec, observe, trained
from mistrust.parameters import Checked, parameter
from mistrust.store import key, made, maker, why

CHAPTER = "misclassification"


@dataclass(frozen=True)
class Parameters(Checked):
    """Parameters of the MLM chapter; the defaults are the `quick` profile."""

    data: str = parameter("mnist5k", "image set with a train and a test part (mistrust list data)")
    train_images: int = parameter(0, "training images, chosen at random; 0 takes all", low=0)
    test_images: int = parameter(0, "test images, chosen at random; 0 takes all", low=0)
    architecture: str = parameter("mlm-cnn", "network (mistrust list architectures)", source="section 3.1")
    networks: int = parameter(3, "networks, trained from different seeds", low=1, high=100)
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


def _smoke_images() -> ImageSet:
    pixels = random.uniform(0, "smoke", torch.arange(60), (1, 4, 4))
    return ImageSet("smoke", pixels, torch.arange(60) % 3, torch.arange(60), ("a", "b", "c"))


def _smoke_logits() -> dict[str, Tensor]:
    """Perturb as the chapter does: grey levels are whole numbers, the same on every machine."""
    return {name: perturbed(_smoke_images(), name, 4).images for name in Parameters().perturbations}


def _smoke_rows() -> pd.DataFrame:
    """Make every table from softmax rows that are drawn; rounded, since machines differ in the last digits."""
    images = _smoke_images()
    p = images.floats().flatten(1)[:, :3].to(torch.float64)
    p = p / p.sum(1, keepdim=True)
    d = distances(p, centroids(p, images.labels, images.classes))
    sweep = tables.Sweep(d, images.labels, images.ids % 30, p.argmax(1), images.classes)
    statistics = Parameters().statistics
    found = [*tables.matrices(sweep, statistics, 20, 0), *tables.agreements(sweep, statistics, 0)]
    frame = _measured([*found, *tables.nearest(sweep, [("brightness", 1), ("brightness", 2)])])
    return frame.round({"value": 4, "low": 4, "high": 4})


LOGITS = maker("logits", version=1, content="tensors", smoke=_smoke_logits)
ROWS = maker("misclassification-rows", version=2, content="table", smoke=_smoke_rows)
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


def check(parameters: Parameters) -> None:
    """Refuse what only the data can tell: an image set that is not at hand, more images than it has."""
    image_sets(parameters)


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
    frame = made(ROWS, spec, lambda _: _network_rows(parameters, train, test, seed))
    return frame.assign(chapter=CHAPTER, data=parameters.data, network=parameters.architecture, made=key(ROWS, spec))


def missing(parameters: Parameters, name: str) -> list[str]:
    """Say why the store does not hold a piece yet; nothing when it does."""
    train, test = image_sets(parameters)
    return why(ROWS, _spec(parameters, train, test, parameters.seed + pieces(parameters).index(name)))


def rows(parameters: Parameters) -> pd.DataFrame:
    """Give all rows: those of every network, the means over networks, and what one statistic gains over another."""
    names = pieces(parameters)
    frames = engine.map(partial(piece, parameters), names, names=names, label="networks")
    single = pd.concat(frames, ignore_index=True)
    return tidy.check(pd.concat([single, tidy.table([*_means(single), *_gains(single)])], ignore_index=True))


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


def _network_rows(parameters: Parameters, train: ImageSet, test: ImageSet, seed: int) -> pd.DataFrame:
    """All rows of one network, without chapter, data and network."""
    classifier = trained(parameters.architecture, train, parameters.recipe, seed)
    settings = [(name, level) for name in parameters.perturbations for level in parameters.levels]
    clean = {s: outputs(classifier, x, "clean", 0, parameters.seed) for s, x in (("train", train), ("test", test))}
    logits = [outputs(classifier, test, name, level, parameters.seed) for name, level in settings]

    found = [
        tables.accuracy(clean[s].argmax(1) == x.labels, "clean", at=s) for s, x in (("train", train), ("test", test))
    ]
    for (name, level), out in zip(settings, logits, strict=True):
        found.append(tables.accuracy(out.argmax(1) == test.labels, f"perturbed/{name}", level=level))
    found += tables.misses(confusion(test.labels, clean["test"].argmax(1), len(test.classes)), test.classes)

    centres = centroids(clean["train"].to(torch.float64).softmax(1), train.labels, train.classes)
    p = torch.cat(logits).to(torch.float64).softmax(1)
    d = distances(p, centres)
    labels, base = test.labels.repeat(len(settings)), test.ids.repeat(len(settings))
    sweep = tables.Sweep(d, labels, base, p.argmax(1), test.classes)
    found += tables.matrices(sweep, parameters.statistics, parameters.resamples, parameters.seed)
    found += tables.agreements(sweep, parameters.statistics, parameters.seed)
    found += tables.nearest(sweep, settings)
    return _measured(found, seed=seed)


def _measured(found: Iterable[Mapping[str, Any]], **common: Any) -> pd.DataFrame:
    """Rows of what could be computed: a class that is never wrong, for instance, has no error shares and no row."""
    return tidy.table((row for row in found if not isnan(row["value"])), **common)


# Where numbers of several networks are close to normal, by metric.
SCALE = {
    "accuracy": "logit",
    "likelihood": "arcsine",
    "share": "arcsine",
    "top-1 share": "arcsine",
    "count": "root",
    "spearman": "fisher",
    "spearman within rows": "fisher",
}
BY = ["chapter", "data", "network", "table", "method", "condition", "level", "at", "metric"]


def _means(single: pd.DataFrame) -> Iterator[Mapping[str, Any]]:
    """Means over networks with Student's t interval; one network alone keeps the interval over its images."""
    wanted = single[single["table"].isin(["accuracy", "agreement", "matrix", "misses"])]
    for names, group in wanted.groupby(BY, dropna=False, sort=False):
        row = dict(zip(BY, names, strict=True))
        if len(group) == 1:
            yield row | group.iloc[0][["value", "low", "high", "over", "n"]].to_dict()
            continue
        found = between_models(group["value"], scale=SCALE[row["metric"]])
        yield row | {"value": found.value, "low": found.low, "high": found.high, "over": "models", "n": found.n}


def _gains(single: pd.DataFrame) -> Iterator[Mapping[str, Any]]:
    """What each statistic gains over the paper's minimum, paired by network."""
    found = tidy.select(single, table="agreement")
    minimum = found[found["method"] == Statistic().name].set_index(["metric", "seed"])["value"]
    for (method, metric), group in found.groupby(["method", "metric"], sort=False):
        gain = group.set_index(["metric", "seed"])["value"].sub(minimum).dropna()
        if method != Statistic().name and len(gain):
            mean = between_models(gain)
            yield {
                **group.iloc[0][["chapter", "data", "network", "condition"]].to_dict(), "table": "gain",
                "method": f"{method} minus minimum", "metric": metric, "over": "models",
                "value": mean.value, "low": mean.low, "high": mean.high, "n": mean.n,
            }  # fmt: skip
