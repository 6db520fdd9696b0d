"""The merge tree of samples as the level falls: who is born when, and who is joined to whom.

Sample i is born at its own margin, and two samples are in one component of {margin >= level} as soon as some path
between them keeps above it, at their bottleneck. The tree of greatest bottlenecks (Kruskal's, the maximum spanning
tree; the same as single linkage) holds all that is needed: components at a level are samples born minus tree edges
that have joined them.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float64, Int64
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree
from torch import Tensor

from mistrust.errors import MistrustError


@dataclass(frozen=True, eq=False)
class MergeTree:
    """Births of n samples and the n - 1 edges that join them, highest first.

    Attributes
    ----------
    births : (n,) margin of each sample.
    first, second : (n - 1,) the samples that an edge joins, the lower number first.
    levels : (n - 1,) the level at which it does.

    Examples
    --------
    >>> between = torch.tensor([[2.0, 1.0, -1.0], [1.0, 1.5, -1.0], [-1.0, -1.0, 3.0]])
    >>> tree = merge_tree(torch.tensor([2.0, 1.5, 3.0]), between)
    >>> [int(tree.at_most(level)) for level in (-1.0, 0.0, 1.2, 2.5)]  # of three, one is born above 2.5
    [1, 2, 3, 1]
    """

    births: Float64[Tensor, " n"]
    first: Int64[Tensor, " e"]
    second: Int64[Tensor, " e"]
    levels: Float64[Tensor, " e"]

    def at_most(self, level: float | Float[Tensor, "..."]) -> Int64[Tensor, "..."]:
        """Number of bubbles that hold these samples at a level, or at each of several: an upper bound.

        Bottlenecks of paths that were found are lower bounds: a path that was overlooked may join more. With the
        bottlenecks of a known world it is the number itself.
        """
        asked = torch.as_tensor(level, dtype=torch.float64)[..., None]
        return (self.births >= asked).sum(-1) - (self.levels >= asked).sum(-1)


def merge_tree(births: Float[Tensor, " n"], bottlenecks: Float[Tensor, "n n"]) -> MergeTree:
    """Join samples by their bottlenecks.

    Parameters
    ----------
    births : (n,) margins of the samples.
    bottlenecks : (n, n) symmetric; what exceeds the lower birth of the two (by rounding) is cut to it, the diagonal is
        not read.

    Raises
    ------
    MistrustError
        Other shapes, NaN, a matrix that is not symmetric, no sample.

    Examples
    --------
    The first two samples are joined by a path of level 1, the third by none above -1. At level 0 that makes two
    bubbles:

    >>> between = torch.tensor([[2.0, 1.0, -1.0], [1.0, 1.5, -1.0], [-1.0, -1.0, 3.0]])
    >>> tree = merge_tree(torch.tensor([2.0, 1.5, 3.0]), between)
    >>> tree.levels, tree.at_most(0.0)
    (tensor([ 1., -1.], dtype=torch.float64), tensor(2))
    """
    born, between = births.detach().cpu().double(), bottlenecks.detach().cpu().double()
    n = len(born)
    if born.ndim != 1 or not n or tuple(between.shape) != (n, n):
        raise MistrustError(
            f"Births have shape {tuple(births.shape)} and bottlenecks {tuple(bottlenecks.shape)}, expected (n,) and "
            "(n, n) of at least one sample."
        )
    if bool(between.isnan().any() | born.isnan().any()) or not torch.equal(between, between.T):
        raise MistrustError("Bottlenecks or births hold NaN, or bottlenecks are not symmetric: one value per pair.")
    between = between.minimum(born).minimum(born[:, None])
    i, j = torch.triu_indices(n, n, 1)
    values = between[i, j]
    # Ranks in place of values: the order is the same, and none is 0, which scipy takes for "no edge".
    _, rank = values.unique(return_inverse=True)
    weights = (values.numel() - rank).double().numpy()
    tree = coo_array(minimum_spanning_tree(coo_array((weights, (i.numpy(), j.numpy())), shape=(n, n)).tocsr()))
    ends = torch.from_numpy(np.sort(np.stack(tree.coords).astype(np.int64), axis=0))
    levels, order = between[ends[0], ends[1]].sort(descending=True, stable=True)
    return MergeTree(born, ends[0][order], ends[1][order], levels)
