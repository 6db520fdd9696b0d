"""KNN: how far the k-th nearest training image is, by the direction of its features."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float32, Float64
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole
from mistrust.networks import Record
from mistrust.supervisors.blocks import blocks, check_width, checked, of_one_layer
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, Supervisor, supervisor
from mistrust.supervisors.kth_nearest import kth_distance, squared_norms


def unit(features: Float[Tensor, "n d"]) -> Float32[Tensor, "n d"]:
    """Rows divided by their length, in float32; a row of zeros stays one."""
    return torch.cat([_unit(features[rows]) for rows in blocks(len(features))])


def _unit(features: Tensor) -> Tensor:
    # In float64, where no float32 number's square is lost.
    wide = features.to(torch.float64)
    length = wide.norm(dim=1, keepdim=True)
    return (wide / torch.where(length > 0, length, 1.0)).to(torch.float32)


def knn(train: Float[Tensor, "m d"], features: Float[Tensor, "n d"], neighbours: int = 50) -> Float64[Tensor, " n"]:
    """Euclidean distance between unit vectors to the `neighbours`-th nearest training row, in [0, 2].

    Sun et al. 2022, section 3. With fewer training rows than `neighbours`, the farthest row counts: one training row
    gives the distance to it. A row of zeros has no direction: it is 1 from every other row and 0 from zeros. The unit
    vectors are rounded to float32, so equal directions are at distance 0 to about 1e-7.

    Raises
    ------
    MistrustError
        `neighbours` that is no whole number of at least 1; no training row; what is no rows of numbers, or of two
        lengths; a number that is not finite.
    """
    train, features = of_one_layer(train, features)
    if not len(train):
        raise MistrustError("KNN compares with training rows, and there are none: give it one or more.")
    return kth_distance(unit(train), unit(features), whole("KNN: neighbours", neighbours, 1))


@supervisor("knn")
@dataclass(eq=False)
class Knn(Supervisor):
    """Distance to the k-th nearest training image.

    Attributes
    ----------
    layer : the layer read, flat; the paper reads the one before the last linear layer.
    neighbours : k >= 1; the paper takes 50 for CIFAR-10. Beyond the number of training rows it counts as that number.
    """

    card = Card(
        "KNN", "surprise",
        "Sun, Ming, Zhu and Li, Out-of-distribution detection with deep nearest neighbors, ICML 2022",
        "section 3", "https://arxiv.org/abs/2204.06507", ("layer",),
        "Keeps all m training rows in float32; an image costs m x d multiply-adds.",
        limits="Images between two classes lie near training images of both.",
    )  # fmt: skip
    layer: str = ""
    neighbours: int = 50

    def __post_init__(self) -> None:
        self.neighbours = whole("KNN: neighbours", self.neighbours, 1)

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        train = unit(checked(record, layers[0], self.card.title))
        return {"train": train, "squares": squared_norms(train)}

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        features = checked(record, learnt.layers[0], self.card.title)
        check_width(features, learnt.state["train"].shape[1], learnt, self.card.title)
        squares = learnt.state.get("squares")  # one that was saved before they were kept has none
        return kth_distance(learnt.state["train"], unit(features), self.neighbours, squares=squares)
