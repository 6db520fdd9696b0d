"""The box monitor of a hidden layer, class by class and cluster by cluster."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float64, Int
from threadpoolctl import threadpool_limits
from torch import Tensor

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole
from mistrust.networks import Record
from mistrust.supervisors.blocks import blocks, check_width, checked
from mistrust.supervisors.boxes.distance import Boxes, outside
from mistrust.supervisors.boxes.projections import PROJECTIONS, ROUNDING
from mistrust.supervisors.card import Card
from mistrust.supervisors.contract import Fitted, Supervisor, supervisor
from mistrust.supervisors.saving import part

# K-means starts, of which the best counts: scikit-learn's for random starts.
STARTS = 10


def clustered(points: Float[Tensor, "m p"], clusters: int, seed: int, name: str) -> Int[Tensor, " m"]:
    """Give each of m >= 1 points its cluster of K-means (scikit-learn's), 0 to at most `clusters` - 1.

    There are never more clusters than different points.

    Parameters
    ----------
    seed, name : the first centres are drawn from both.

    Examples
    --------
    >>> found = clustered(torch.tensor([[0.0], [0.1], [9.0], [9.1]]), 2, seed=0, name="two heaps")
    >>> bool(found[0] == found[1]), bool(found[2] == found[3]), bool(found[0] == found[2])
    (True, True, False)
    """
    count = min(clusters, len(points.unique(dim=0))) if whole("clusters", clusters, 0) > 1 else 1
    if count == 1:
        return torch.zeros(len(points), dtype=torch.int64)
    from sklearn.cluster import KMeans  # here: it takes a second to import, and few need it

    start = int(random.generator(seed, name).integers(2**31))
    # One thread: the order of sums, and with it the last digits, would depend on the machine's.
    with threadpool_limits(1):
        fit = KMeans(count, n_init=STARTS, random_state=start).fit(points.to(torch.float64).numpy())
    return torch.from_numpy(np.asarray(fit.labels_, dtype=np.int64))


@supervisor("outside_the_box")
@dataclass(eq=False)
class OutsideTheBox(Supervisor):
    """By how much the nearest box of the predicted class must grow to hold the layer's output, from -1 on.

    Boxes are laid around the training images of a class that were classified correctly, one around each cluster, in the
    projection of that cluster. The monitor's enlargement gamma is a threshold: `Fixed(0.1)`. A class without such
    images has no box, and what is predicted as that class scores +inf; nor has a cluster whose different images are no
    more than the `components` of "pca" or "isomap".

    Attributes
    ----------
    layer : the last hidden one, in both papers.
    clusters : of K-means in each class, at least 1 (the PRDC paper's 0); a class with fewer different images gets
        that many.
    projection : an entry of `PROJECTIONS`: "none" as in the original, "simple", "pca" or "isomap".
    components : of "pca" and "isomap".
    neighbours : of "isomap"; fewer where a cluster has no more images than that.
    seed : of the clusters.
    as_published : as the PRDC paper's code has it: a box's boundary is outside, a flat box alarms always, and a class's
        points are projected as its last cluster was, whichever cluster a box is of.

    Raises
    ------
    MistrustError
        A parameter out of its range or in no table; no training image at all is classified correctly.

    Examples
    --------
    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> boxes = OutsideTheBox(layer="hidden", clusters=1)
    >>> boxes = boxes.fit(observe(it.classifier, it.training, layers=["hidden"]))
    >>> novel = boxes.score(observe(it.classifier, it.novel, layers=["hidden"]))
    >>> bool((novel > 0.1).all())  # even a box enlarged by a tenth holds none of them
    True
    >>> nominal = boxes.score(observe(it.classifier, it.nominal, layers=["hidden"]))
    >>> bool(nominal.median() < 0)  # most others lie within
    True
    """

    card = Card(
        "Outside the box", "surprise",
        "Henzinger, Lukina and Schilling, Outside the box: abstraction-based monitoring of neural networks, ECAI 2020; "
        "Ferreira, Guiochet, Arlat and Waeselynck, Benchmarking safety monitors for image classifiers with machine "
        "learning, PRDC 2021",
        "section 3", "https://arxiv.org/abs/1911.09032", ("logits", "layer"),
        "Fitting clusters each class; scoring compares an image with the boxes of one class. Memory: two numbers a "
        "neuron and box; Isomap keeps its training images' outputs and all distances among them.",
        fits=("labels",),
        limits="Where nothing is projected, a neuron never active in training alarms at the slightest activity.",
    )  # fmt: skip
    layer: str = ""
    clusters: int = 3
    projection: str = "none"
    components: int = 2
    neighbours: int = 5
    seed: int = 0
    as_published: bool = False

    def __post_init__(self) -> None:
        PROJECTIONS[self.projection]
        for name in ("clusters", "components", "neighbours"):
            setattr(self, name, whole(f"Outside the box: {name}", getattr(self, name), 1))

    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        values, right = checked(record, layers[0], "Outside the box"), record.correct
        if not bool(right.any()):
            raise MistrustError(
                f"Outside the box: of {len(record)} training images none is classified correctly, so there is nothing "
                "to lay a box around. Is the network trained, and are these its labels?"
            )
        classes: list[int] = []
        lows: list[Boxes] = []
        state = {"width": torch.tensor(values.shape[1])}
        projection = PROJECTIONS[self.projection]
        for c in record.labels[right].unique().tolist():
            rows = (right & (record.labels == c)).nonzero()[:, 0]
            rows = rows[record.ids[rows].argsort(stable=True)]  # clusters do not hang on the order of the images
            points = values[rows].to(torch.float64)
            cluster = clustered(points, self.clusters, self.seed, f"boxes/{record.classifier.classes[c]}")
            for k in cluster.unique().tolist():
                own = points[cluster == k]
                if not projection.exact and len(own.unique(dim=0)) <= self.components:
                    continue  # its projection would be flat, and what is off it would be seen by nothing
                learnt = projection.fit(own, self.components, self.neighbours)
                extent = 0.0 if projection.exact else ROUNDING * float((own - own.mean(0)).norm(dim=1).amax())
                tiny = torch.finfo(torch.float64).eps * float(own.abs().amax()) * own.shape[1]
                slack = 0.0 if projection.exact else max(extent, tiny)
                lows.append(Boxes.around(projection.transform(own, learnt), slack))
                state |= {f"{len(classes)}/{name}": tensor for name, tensor in learnt.items()}
                classes.append(c)
        if not lows:
            raise MistrustError(
                f"Outside the box: no cluster has more than {self.components} different training images that are "
                f"classified correctly, and {projection.title} of {self.components} numbers needs that. Give it more "
                f"images, fewer clusters than {self.clusters}, or take projection='none'."
            )
        boxes = {name: torch.stack([getattr(box, name) for box in lows]) for name in ("low", "high", "slack")}
        return {**state, **boxes, "classes": torch.tensor(classes)}

    def _score(self, record: Record, learnt: Fitted) -> Tensor:
        state, classes = learnt.state, learnt.state["classes"]
        values = checked(record, learnt.layers[0], "Outside the box")
        check_width(values, int(state["width"]), learnt, "Outside the box")
        scores = torch.full((len(record),), torch.inf, dtype=torch.float64)
        predicted = record.predicted
        for c in predicted.unique().tolist():
            all_rows = (predicted == c).nonzero()[:, 0]
            mine = (classes == c).nonzero()[:, 0].tolist()
            for block in blocks(len(all_rows)) if mine else ():
                rows = all_rows[block]
                scores[rows] = self._nearest(values[rows].to(torch.float64), mine, state)
        return scores

    def _nearest(self, points: Float64[Tensor, "m p"], boxes: list[int], state: Mapping[str, Tensor]) -> Tensor:
        """Least enlargement over some boxes."""
        projection, found = PROJECTIONS[self.projection], list[Tensor]()
        for box in boxes:
            space = boxes[-1] if self.as_published else box
            there = projection.transform(points, part(state, str(space)))
            one = Boxes(state["low"][box], state["high"][box], state["slack"][box])
            found.append(outside(there, one, self.as_published))
        return torch.stack(found).amin(0)
