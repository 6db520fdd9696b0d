"""Dissector: do linear classifiers of the hidden layers support what the network says in the end?

Wang, Xu, Xu, Ma and Lu, "Dissector: input validation for deep learning applications by crossing-layer dissection",
ICSE 2020. Layers, training and the linear weights as in AmbiGuess (Weiss and others, section VII B) and its authors'
code; the other growths of the weights are those of Dissector's authors' code.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import exp, log

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor
from torch.nn import functional

from mistrust import random
from mistrust.errors import MistrustError, check_known
from mistrust.inputs.limits import number
from mistrust.networks import Record
from mistrust.networks.record import as_layers
from mistrust.store import Scratch, digest, made, maker
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, Supervisor, supervisor
from mistrust.supervisors.streaming import BLOCK, LayerRows
from mistrust.supervisors.submodels import SubRecipe, train_submodels

# Weight of a layer by its number: how much more the later ones count.
GROWTHS: dict[str, Callable[[int], float]] = {
    "linear": float,
    "logarithmic": lambda x: log(x) if x > 0 else float("nan"),
    "exponential": lambda x: exp(x),
}


def support(logits: Float64[Tensor, "*l n k"], predicted: Int[Tensor, " n"]) -> Float64[Tensor, "*l n"]:
    """Support value SV, in [0, 1]: how far a sub-model is for the class that the network predicted.

    With q the softmax of `logits` and y the predicted class, the paper has q_y / (q_y + second largest q) where y is
    the sub-model's own first class, and 1 - q_max / (q_max + q_y) where it is not. Both are q_y / (q_y + largest q of
    another class), a logistic function of the difference of two logits, which cannot divide zero by zero.
    """
    index = predicted.view(*(1,) * (logits.ndim - 2), -1, 1).expand(*logits.shape[:-1], 1)
    own = logits.gather(-1, index)
    rival = logits.scatter(-1, index, -torch.inf).amax(-1)
    return (own.squeeze(-1) - rival).sigmoid()


def validity(supports: Float64[Tensor, "l n"], weights: Float64[Tensor, " l"]) -> Float64[Tensor, " n"]:
    """Validity PV, in [0, 1]: the mean of the layers' support values by their weights."""
    return weights @ supports / weights.sum()


def layer_weights(count: int, growth: str = "linear", first: int = 1) -> Float64[Tensor, " l"]:
    """Weights of `count` layers that are numbered from `first` on, by an entry of `GROWTHS`: x, ln x or e^x.

    Raises
    ------
    MistrustError
        A growth that is in no table; numbers below 0, or that leave every layer without weight (one layer whose number
        is 0, or 1 with logarithmic growth).

    Examples
    --------
    >>> layer_weights(4)
    tensor([1., 2., 3., 4.], dtype=torch.float64)
    """
    check_known("growth of Dissector's weights", growth, GROWTHS)
    if number("Dissector: first", first) % 1:
        raise MistrustError(f"Dissector: first is {first}, expected the whole number of the first layer, such as 1.")
    weights = torch.tensor([GROWTHS[growth](first + i) for i in range(count)], dtype=torch.float64)
    if first < 0 or not bool(torch.isfinite(weights).all()) or not float(weights.sum()) > 0:
        raise MistrustError(
            f"Dissector: {growth} growth over {count} layers numbered from {first} gives the weights "
            f"{weights.tolist()}, expected some above 0 and none below. Number from 1, or name more layers."
        )
    return weights


@supervisor("dissector")
@dataclass(eq=False)
class Dissector(Supervisor):
    """Minus the validity of the prediction, in [-1, 0], by linear classifiers of hidden layers.

    Layers that the record does not hold are computed from its images, a block at a time, in fitting once an epoch:
    recording large layers of many images would take more memory than there is. What has been trained is kept in the
    store, and a fit that was killed goes on after its last whole epoch.

    Attributes
    ----------
    layers : names, first to last; none: all that the record holds.
    growth, first : of the layers' weights, see `layer_weights`; AmbiGuess's authors number from 0, so that the first
        layer never counts.
    epochs, batch, rate, patience, held_out : see `SubRecipe`.
    seed : of first weights and of the order of images.
    memory : bytes; layers that the record does not hold are computed once if all of them fit in here, else every epoch.

    Raises
    ------
    MistrustError
        A parameter out of its range or in no table.
    """

    card = Card(
        "Dissector", "layers",
        "Wang, Xu, Xu, Ma and Lu, Dissector: input validation for deep learning applications by crossing-layer "
        "dissection, ICSE 2020",
        "sub-models, support values (SV) and validity (PV)", "https://doi.org/10.1145/3377811.3380379",
        ("logits", "layers"),
        "Fitting passes all training images through the network up to 30 times, ten minutes for 80,000 small ones; "
        "scoring costs little more than the network. Memory: k numbers for each number of each layer.",
        fits=("labels",),
        limits="An ambiguous input may be supported from the first layer on.",
    )  # fmt: skip

    layers: tuple[str, ...] = ()
    growth: str = "linear"
    first: int = 1
    epochs: int = 30
    batch: int = 32
    rate: float = 1e-3
    patience: int = 2
    held_out: float = 0.0
    seed: int = 0
    memory: int = 2**30

    def __post_init__(self) -> None:
        self.layers = as_layers(self.layers)
        _ = self.recipe
        number("Dissector: memory", self.memory)
        layer_weights(max(len(self.layers), 2), self.growth, self.first)

    @property
    def recipe(self) -> SubRecipe:
        """How the sub-models are trained."""
        return SubRecipe(self.epochs, self.batch, self.rate, self.patience, self.held_out)

    def _layers(self, record: Record) -> tuple[str, ...]:
        layers = tuple(dict.fromkeys(self.layers)) or tuple(record.activations)
        if not layers:
            raise MistrustError(
                "Dissector reads hidden layers; this record holds none, and none are named. Name them: "
                'layers=("FIRST", "SECOND"), which computes them from the images; or record them with '
                'observe(classifier, images, layers=["FIRST", "SECOND"]).'
            )
        layer_weights(len(layers), self.growth, self.first)
        return layers

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        source = LayerRows(record, layers, "Dissector")
        sizes, recipe, classifier = source.sizes, self.recipe, record.classifier
        held = {name: record.activations[name] for name in layers if name in record.activations}
        spec = {
            "data": {"name": record.images.name, "checksum": record.images.checksum},
            # Of held activations nobody knows what made them: they stand for themselves.
            "layers": [[name, sizes[name], digest({name: held[name]}) if name in held else None] for name in layers],
            "classifier": classifier.key if source.streamed else None,
            "recipe": asdict(recipe),
            "seed": self.seed,
        }

        def make(scratch: Scratch) -> dict[str, Tensor]:
            source.keep(self.memory)
            return train_submodels(
                source, sizes, record.labels, len(classifier.classes), recipe, self.seed,
                device=classifier.device, scratch=scratch,
            )  # fmt: skip

        return made(DISSECTOR, spec, make)

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        source = LayerRows(record, learnt.layers, "Dissector")
        weights = layer_weights(len(learnt.layers), self.growth, self.first)
        scores, predicted = torch.empty(len(record), dtype=torch.float64), record.predicted
        for rows in torch.arange(len(record)).split(BLOCK):
            supports = [
                support(_logits(values, name, index, learnt.state), predicted[rows])
                for index, (name, values) in enumerate(source(rows).items())
            ]
            scores[rows] = -validity(torch.stack(supports), weights)
        return scores


def _logits(x: Float[Tensor, "n d"], layer: str, index: int, state: Mapping[str, Tensor]) -> Float64[Tensor, "n k"]:
    """Sub-model's logits, float64 on the CPU: an image's do not depend on how many are computed at once."""
    weight, bias = state[f"{index}/weight"], state[f"{index}/bias"]
    if x.shape[1] != weight.shape[1]:
        raise MistrustError(
            f"Dissector: layer '{layer}' gives {x.shape[1]:,} numbers per image, and its sub-model was fitted on "
            f"{weight.shape[1]:,}. Score images of the size that it was fitted on, with the same classifier."
        )
    return functional.linear(*(values.to("cpu", torch.float64) for values in (x, weight, bias)))


def _smoke() -> dict[str, Tensor]:
    """Train on a few rows of two layers; sums rounded, since machines differ in the last digits."""
    n = torch.arange(12)
    layers = {"a": random.uniform(0, "smoke/a", n, (5,)), "b": random.uniform(0, "smoke/b", n, (3,))}
    found = train_submodels(
        lambda rows, names: {name: layers[name][rows] for name in names},
        {"a": 5, "b": 3}, n % 3, 3, SubRecipe(epochs=4, batch=4, rate=0.1, patience=1, held_out=0.1),
    )  # fmt: skip
    return {name: values.double().abs().sum().round(decimals=3) for name, values in found.items()}


DISSECTOR = maker("dissector", version=1, content="tensors", smoke=_smoke)
