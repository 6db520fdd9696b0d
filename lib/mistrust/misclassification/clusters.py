"""Centroids moved by KMeans, as the paper has them (Sikar et al., section 3.3 a; Table 1, Figures 3 and 4).

KMeans starts at the mean softmax of each class's correct training inputs, so cluster c keeps the name of class c. It
moves only because some inputs, correctly classified, lie nearer to another class's centroid than to their own: the
misclustered ones. They are few, and the centroids hardly move.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from threadpoolctl import threadpool_limits
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.misclassification.matrix import centroids, distances

STEPS = 300  # scikit-learn's own limit


@dataclass(frozen=True)
class Clusters:
    """What KMeans made of the correctly classified inputs.

    Attributes
    ----------
    means : (k, k) mean softmax of each class (eq. 1), where KMeans began.
    centres : (k, k) where it ended, the centroids of eq. 2 and 3; row c is what the mean of class c became.
    index : (m,) the correctly classified inputs, as positions among all inputs.
    labels : (m,) their class.
    assigned : (m,) their cluster, named by class.
    iterations : passes that KMeans made.

    Examples
    --------
    >>> softmax = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.51, 0.49], [0.45, 0.55], [0.4, 0.6], [0.3, 0.7]])
    >>> found = kmeans(softmax, torch.tensor([0, 0, 0, 1, 1, 1]), ("cat", "dog"))
    >>> found.labels, found.assigned  # the third went over to the dogs
    (tensor([0, 0, 0, 1, 1, 1]), tensor([0, 0, 1, 1, 1, 1]))
    >>> round(found.means[0, 0].item(), 3), round(found.centres[0, 0].item(), 3)  # the cats' centre then and now
    (0.837, 1.0)
    """

    means: Float[Tensor, "k k"]
    centres: Float[Tensor, "k k"]
    index: Int[Tensor, " m"]
    labels: Int[Tensor, " m"]
    assigned: Int[Tensor, " m"]
    iterations: int

    @property
    def drift(self) -> Float[Tensor, " k"]:
        """Distance from each mean to what it became (the paper's Table 1), float64.

        A cluster that no input entered or left drifts by the rounding of sums alone, about 1e-14.
        """
        return torch.linalg.vector_norm(self.centres - self.means, dim=1)


@dataclass(frozen=True)
class Misclustered:
    """Inputs classified correctly that ended in the cluster of another class.

    Attributes
    ----------
    index : (j,) positions among all inputs, ascending.
    labels, clusters : (j,) the class of each, and the class of its cluster.
    probabilities : (j, k) softmax of each.
    distances : (j, k) its distances to the KMeans centroids.

    Examples
    --------
    >>> softmax = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.51, 0.49], [0.45, 0.55], [0.4, 0.6], [0.3, 0.7]])
    >>> found = misclustered(softmax, kmeans(softmax, torch.tensor([0, 0, 0, 1, 1, 1]), ("cat", "dog")))
    >>> found.probabilities.round(decimals=2), bool(found.distances[0, 0] > found.distances[0, 1])
    (tensor([[0.5100, 0.4900]], dtype=torch.float64), True)
    """

    index: Int[Tensor, " j"]
    labels: Int[Tensor, " j"]
    clusters: Int[Tensor, " j"]
    probabilities: Float[Tensor, "j k"]
    distances: Float[Tensor, "j k"]


def kmeans(probabilities: Float[Tensor, "n k"], labels: Int[Tensor, " n"], classes: tuple[str, ...]) -> Clusters:
    """Let scikit-learn's KMeans move the mean softmax of each class, over the correctly classified inputs.

    Parameters
    ----------
    probabilities : (n, k) softmax rows of the training inputs; taken as float64, since float32 sums alone drift 1e-5.
    labels : (n,) true classes.
    classes : the k class names.

    Raises
    ------
    MistrustError
        As `centroids`; and where the mean of a class is nearest to none of the inputs, so that KMeans would start its
        cluster afresh and the order of classes would be lost.

    Examples
    --------
    >>> softmax = torch.tensor([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.3, 0.7]])
    >>> found = kmeans(softmax, torch.tensor([0, 0, 1, 1]), ("cat", "dog"))
    >>> found.centres.round(decimals=2)
    tensor([[0.8500, 0.1500],
            [0.2000, 0.8000]], dtype=torch.float64)
    """
    from sklearn.cluster import KMeans

    means = centroids(probabilities, labels, classes)
    index = (probabilities.argmax(1) == labels).nonzero().flatten()
    points = probabilities[index].to(torch.float64)
    first = torch.bincount(distances(points, means).argmin(1), minlength=len(classes))
    if bool((first == 0).any()):
        lost = ", ".join(classes[int(c)] for c in (first == 0).nonzero().flatten())
        raise MistrustError(
            f"The mean softmax of class {lost} is nearest to no input, so KMeans would lose the order of classes. Take "
            "the means: centroids(...)."
        )
    fit = KMeans(len(classes), init=means.numpy(), n_init=1, max_iter=STEPS, algorithm="lloyd")
    # One thread: the order of sums, and with it the last digits, would depend on the machine's.
    with threadpool_limits(1):
        fit.fit(points.numpy())
    centres = torch.from_numpy(np.asarray(fit.cluster_centers_, dtype=np.float64))
    assigned = torch.from_numpy(np.asarray(fit.labels_, dtype=np.int64))
    return Clusters(means, centres, index, labels[index], assigned, int(fit.n_iter_))


def misclustered(probabilities: Float[Tensor, "n k"], clusters: Clusters) -> Misclustered:
    """Find the inputs of the paper's Figures 3 and 4 by rule: correctly classified, in another class's cluster.

    Parameters
    ----------
    probabilities : (n, k) the rows that `kmeans` was given.

    Examples
    --------
    A cat whose softmax is near those of dogs is a cat still, and yet falls into their cluster:

    >>> softmax = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.51, 0.49], [0.45, 0.55], [0.4, 0.6], [0.3, 0.7]])
    >>> labels = torch.tensor([0, 0, 0, 1, 1, 1])
    >>> found = misclustered(softmax, kmeans(softmax, labels, ("cat", "dog")))
    >>> found.index, found.labels, found.clusters
    (tensor([2]), tensor([0]), tensor([1]))
    """
    moved = (clusters.assigned != clusters.labels).nonzero().flatten()
    index = clusters.index[moved]
    p = probabilities[index].to(torch.float64)
    return Misclustered(index, clusters.labels[moved], clusters.assigned[moved], p, distances(p, clusters.centres))
