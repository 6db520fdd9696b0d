"""The nearest row, exactly: found by float32 products, decided by float64 distances.

`supervisors/kth_nearest.py` is for the distance to the k-th nearest, and says why it goes another way.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

QUERIES, ROWS = 2048, 2048  # of a tile of products
GROUP = 16  # products of which the least is looked at first
PAIRS = 2**20  # numbers of a block of exact differences


class Nearest(NamedTuple):
    """Index and Euclidean distance of the nearest row; -1 and +inf where there is no row.

    Examples
    --------
    >>> found = nearest(torch.tensor([[0.0], [9.0]]), torch.tensor([[1.0], [7.0]]))
    >>> found.index, found.distance
    (tensor([0, 1]), tensor([1., 2.], dtype=torch.float64))
    """

    index: Int[Tensor, " n"]
    distance: Float64[Tensor, " n"]


def nearest(
    queries: Float[Tensor, "n d"],
    rows: Float[Tensor, "m d"],
    of: Int[Tensor, " q"] | None = None,
    among: Int[Tensor, " r"] | None = None,
) -> Nearest:
    """Find the nearest of `rows[among]` for each of `queries[of]`.

    Distances come from products in tiles, |t|^2 / 2 - q.t, in float32. Rounding moves one by at most
    e = (d + 16) 2^-24 (|q| |t| + |t|^2 / 2), so every row whose lower bound is not above the least upper bound could
    be the nearest. For these few the distance is computed anew as a sum of squared differences in float64, and the
    least wins. The answer is that of float64 differences throughout; tiles of n and m are of bounded size.

    Parameters
    ----------
    of, among : rows of `queries`, and of `rows` in ascending order, that are meant; all by default.

    Returns
    -------
    Nearest, (q,) each. Indices are into `rows`. Of rows at equal distance the first is taken.

    Examples
    --------
    >>> rows = torch.tensor([[1.0, 0.0], [0.0, 3.0], [8.0, 9.0]])
    >>> found = nearest(torch.tensor([[0.0, 0.0], [5.0, 5.0]]), rows)
    >>> found.index, found.distance
    (tensor([0, 2]), tensor([1., 5.], dtype=torch.float64))
    """
    of = torch.arange(len(queries), device=queries.device) if of is None else of
    among = torch.arange(len(rows), device=rows.device) if among is None else among
    index = torch.full((len(of),), -1, dtype=torch.int64, device=queries.device)
    distance = torch.full((len(of),), float("inf"), dtype=torch.float64, device=queries.device)
    if len(among) and len(of):
        frame = Frame.of(queries, rows[among[:1024]])
        for start in range(0, len(of), QUERIES):
            some = slice(start, start + QUERIES)
            index[some], distance[some] = _block(queries, rows, of[some], among, frame)
    return Nearest(index, distance)


class Frame(NamedTuple):
    """A shift and a scale that make products accurate; any will do for the answer."""

    centre: Tensor
    unit: float
    fast: torch.dtype
    slack: float

    @classmethod
    def of(cls, queries: Tensor, sample: Tensor) -> "Frame":
        """Centre on some of the rows; the unit is a power of two, so scaling is exact."""
        # Of whole numbers torch would make float32, which tells none apart by 1 above 2**24.
        least = torch.float32 if queries.is_floating_point() and sample.is_floating_point() else torch.float64
        kind = torch.promote_types(torch.promote_types(queries.dtype, sample.dtype), least)
        sample = sample.to(kind)
        centre = sample.mean(0)
        _, exponent = torch.frexp((sample - centre).abs().max().double())
        # A machine told to multiply float32 in fewer bits would break the bound.
        plain = torch.get_float32_matmul_precision() == "highest"
        fast = torch.float32 if plain else torch.float64
        slack = (sample.shape[1] + 16) * torch.finfo(fast).eps / 2
        return cls(centre, 2.0 ** int(exponent), fast, slack)

    def __call__(self, rows: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
        """Chosen rows, shifted and scaled, with their length as one more column; and the lengths."""
        moved = rows.index_select(0, chosen).to(self.centre.dtype).sub_(self.centre).mul_(1 / self.unit)
        with_length = torch.empty(len(chosen), rows.shape[1] + 1, dtype=self.fast, device=rows.device)
        with_length[:, :-1] = moved
        with_length[:, -1] = moved.norm(dim=1)
        return with_length, with_length[:, -1].clone()


def _block(queries: Tensor, rows: Tensor, of: Tensor, among: Tensor, frame: Frame) -> tuple[Tensor, Tensor]:
    """Nearest rows of one block of queries."""
    left, size = frame(queries, of)
    left[:, -1] *= frame.slack
    above = torch.full((len(of),), float("inf"), dtype=frame.fast, device=rows.device)
    index = torch.full((len(of),), -1, dtype=torch.int64, device=rows.device)
    square = torch.full((len(of),), float("inf"), dtype=torch.float64, device=rows.device)
    for tile in among.split(ROWS):
        tile = torch.cat((tile, tile[-1:].expand(-len(tile) % GROUP)))  # whole groups: the last row more than once
        right, length = frame(rows, tile)
        half = length.square() / 2
        # One product gives |t|^2 / 2 - q.t less its own possible error.
        low = torch.addmm((1 - frame.slack) * half, left, right.T, alpha=-1)
        groups = low.unflatten(1, (GROUP, -1)).amin(1)
        least, group = groups.min(1)
        at = _columns(group, groups.shape[1])
        at = at.gather(1, low.gather(1, at).argmin(1, keepdim=True))[:, 0]
        error = frame.slack * (size * length[at] + half[at])
        # Squares below float32's range round to 0: the last term is above them.
        above = torch.minimum(above, least + 2 * error + 1e-30)
        # Written so that NaN, after an overflow, counts as near.
        i, group = (~(groups > above[:, None])).nonzero(as_tuple=True)
        j = _columns(group, groups.shape[1])
        near, member = (~(low[i[:, None], j] > above[i, None])).nonzero(as_tuple=True)
        i, j = i[near], j[near, member]
        step = max(1, PAIRS // max(1, rows.shape[1]))
        for some, others in zip(i.split(step), tile[j].split(step), strict=True):
            apart = (queries[of[some]].double() - rows[others].double()) / frame.unit
            _keep_least(index, square, some, others, apart.square().sum(1))
    return index, square.sqrt() * frame.unit


def _columns(group: Tensor, groups: int) -> Tensor:
    """(n, GROUP) columns of the products of which a group holds the least: every so many, for the sake of speed."""
    return group[:, None] + groups * torch.arange(GROUP, device=group.device)


def _keep_least(index: Tensor, square: Tensor, some: Tensor, others: Tensor, found: Tensor) -> None:
    """Take over what is nearer than what was found before, in place; of equals the first row."""
    least = torch.full_like(square, float("inf")).scatter_reduce_(0, some, found, "amin")
    tied = found == least[some]
    first = torch.full_like(index, torch.iinfo(torch.int64).max).scatter_reduce_(0, some[tied], others[tied], "amin")
    better = least < square
    index[better], square[better] = first[better], least[better]
