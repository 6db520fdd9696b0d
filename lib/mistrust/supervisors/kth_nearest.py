"""Distance to the k-th nearest row, exactly: float32 products find candidates, float64 differences decide.

`surprise/neighbours.py` is for the one nearest of some rows, and tells which it is: there a bound on rounding leaves so
few candidates that all are compared. For the 50th nearest that bound would have to be one on the 50th smallest, tile by
tile; here a fixed number of candidates is found, and proven to be enough afterwards. Of these, only those that rounding
could have put on the wrong side of the k-th are compared.
"""

import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor

from mistrust.supervisors.blocks import blocks

# Queries whose candidates are found at once, numbers in one product (64 MiB), candidates that are gathered at once.
QUERIES, PRODUCT, GATHERED = 512, 2**24, 1024
# Numbers of which the least is looked at first.
GROUP = 16


def kth_distance(
    train: Float[Tensor, "m d"],
    queries: Float[Tensor, "n d"],
    k: int,
    *,
    block: int = 2**17,
    squares: Tensor | None = None,
) -> Float64[Tensor, " n"]:
    """Euclidean distance of each query to its k-th nearest training row, k at least 1, to the farthest where m < k.

    Squared distances as |t|^2 - 2 q.t cost one product of matrices, but lose digits. So they choose k + 32
    candidates. Those that are nearer beyond doubt are counted; where rounding leaves a doubt, distances are taken from
    differences in float64. Where it could have kept the k-th nearest out of the candidates, the query is done again
    with a product in float64; so the squared distance is right to about d 1e-16 of the squared norms.

    Parameters
    ----------
    train : m >= 1 rows.
    squares : (m,) what `squared_norms(train)` gives, where it is known: most of the work for a single query.
    block : training rows in one product; memory is 2^24 numbers, and 16 (k + 32) candidates for each of 512 queries.
    """
    k = min(k, len(train))
    kept = min(len(train), k + 32)
    squares = squared_norms(train) if squares is None else squares
    # A machine told to multiply float32 in fewer bits would break the bound on its rounding.
    fast = torch.float32 if torch.get_float32_matmul_precision() == "highest" else torch.float64
    width = min(len(train), block)
    at_once = max(1, min(QUERIES, PRODUCT // width))
    space = torch.empty(at_once * width, dtype=fast)  # made once: fresh memory costs a third of the product in it
    found = []
    for rows in blocks(len(queries), at_once):
        some = queries[rows]
        exact, proven = _kth(train, squares, some, k, kept, block, space)
        doubtful = (~proven).nonzero()[:, 0]
        if len(doubtful) and fast != torch.float64:
            again = torch.empty(len(doubtful) * width, dtype=torch.float64)
            exact[doubtful] = _kth(train, squares, some[doubtful], k, kept, block, again)[0]
        found.append(exact)
    return torch.cat(found).sqrt()


def squared_norms(train: Float[Tensor, "m d"]) -> Float64[Tensor, " m"]:
    """Squared length of each row."""
    return torch.cat([train[rows].to(torch.float64).square().sum(1) for rows in blocks(len(train))])


def _kth(
    train: Tensor, squares: Tensor, queries: Tensor, k: int, kept: int, block: int, space: Tensor
) -> tuple[Float64[Tensor, " b"], Tensor]:
    """Squared distances to the k-th nearest of the candidates, and whether no other row can be nearer than that."""
    near, index = _candidates(train, squares, queries, kept, block, space)
    # A sum of d products is off by at most d roundings of the product of norms, whatever the order of summation.
    square = queries.to(torch.float64).square().sum(1, keepdim=True)
    largest, norm = squares.max().sqrt(), square.sqrt()
    rounding = torch.finfo(space.dtype).eps * ((train.shape[1] + 3) * norm * largest + largest.square())
    about = near.to(torch.float64) + square
    # The k-th distance is within one rounding of the k-th of these, and so is each of them within one of its own.
    nearer = about < about[:, k - 1 : k] - 2 * rounding
    open_ = ~nearer & ~(about > about[:, k - 1 : k] + 2 * rounding)  # what is not finite stays open
    exact = torch.full_like(about, torch.inf)
    query, place = open_.nonzero(as_tuple=True)
    for some in blocks(len(query), GATHERED):
        q, p = query[some], place[some]
        exact[q, p] = (train[index[q, p]].to(torch.float64) - queries[q].to(torch.float64)).square().sum(1)
    found = exact.sort(1).values.gather(1, k - 1 - nearer.sum(1, keepdim=True))
    if kept == len(train):
        return found[:, 0], torch.ones(len(found), dtype=torch.bool)
    return found[:, 0], (found <= about[:, -1:] - rounding)[:, 0]


def _candidates(
    train: Tensor, squares: Tensor, queries: Tensor, kept: int, block: int, space: Tensor
) -> tuple[Float[Tensor, "b kept"], Int64[Tensor, "b kept"]]:
    """The smallest |t|^2 - 2 q.t of each query, ascending, and the rows t; products stand in `space`."""
    dtype = space.dtype
    rows_q = queries.to(dtype)
    best = torch.empty(len(queries), 0, dtype=dtype)
    index = torch.empty(len(queries), 0, dtype=torch.int64)
    for rows in blocks(len(train), block):
        some = train[rows].to(dtype)
        near = space[: len(queries) * len(some)].view(len(queries), len(some))
        torch.addmm(squares[rows].to(dtype), rows_q, some.T, alpha=-2, out=near)
        value, place = _smallest(near, kept)
        best, index = torch.cat((best, value), 1), torch.cat((index, place + rows.start), 1)
        best, chosen = best.topk(min(kept, best.shape[1]), 1, largest=False)
        index = index.gather(1, chosen)
    return best, index


def _smallest(numbers: Float[Tensor, "b w"], kept: int) -> tuple[Float[Tensor, "b kept"], Int64[Tensor, "b kept"]]:
    """The smallest numbers of each row, ascending, and their columns, as `topk` gives them, in a third of its time.

    They lie in those groups of columns whose least number is among the smallest of all groups'.
    """
    groups = numbers.shape[1] // GROUP
    if groups < 2 * kept:
        return numbers.topk(min(kept, numbers.shape[1]), 1, largest=False)
    # A group is every so many columns, so that minima are taken of rows of neighbours in memory.
    whole = numbers[:, : groups * GROUP].unflatten(1, (GROUP, groups))
    chosen = _smallest(whole.amin(1), kept)[1]
    members = (chosen[:, None] + groups * torch.arange(GROUP)[:, None]).flatten(1)
    left_over = torch.arange(groups * GROUP, numbers.shape[1]).expand(len(numbers), -1)
    columns = torch.cat((members, left_over), 1)
    value, place = numbers.gather(1, columns).topk(kept, 1, largest=False)
    return value, columns.gather(1, place)
