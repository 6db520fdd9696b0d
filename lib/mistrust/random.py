"""Keyed random draws: a result depends on its own seed, name and ids, never on the batch it came in.

Nothing in this project reads a global generator. A draw is made block by block: block b holds the draws of the ids
256 b to 256 b + 255, from a Philox generator keyed by a hash of (seed, name, b). Whatever subset or order of ids is
asked for, an id gets the same numbers, on every machine and for every version of torch.
"""

import hashlib
from collections.abc import Callable
from operator import index

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from mistrust.errors import MistrustError

BLOCK = 256


def generator(seed: int, name: str, block: int = 0) -> np.random.Generator:
    """Give the generator that belongs to a seed, a name ("init/fc1.weight") and a block number.

    Examples
    --------
    >>> first, again = generator(0, "noise"), generator(0, "noise")
    >>> bool((first.random(3) == again.random(3)).all())
    True
    >>> generator(0, "noise").random() == generator(1, "noise").random()
    False
    """
    try:
        own = int(seed) if isinstance(seed, float) and float(seed).is_integer() else index(seed)
    except TypeError as error:
        raise MistrustError(f"The seed is {seed!r}, expected a whole number.") from error
    digest = hashlib.sha256(f"{own}\x00{name}\x00{int(block)}".encode()).digest()
    return np.random.Generator(np.random.Philox(key=np.frombuffer(digest[:16], dtype=np.uint64)))


def keyed(
    seed: int,
    name: str,
    ids: Int[Tensor, " n"],
    draw: Callable[[np.random.Generator, int], NDArray[np.generic]],
    *,
    one_by_one: bool = False,
) -> Tensor:
    """One draw for each id.

    Parameters
    ----------
    seed, name : what the draw belongs to; give every independent use a name of its own.
    ids : (n,) int64, not negative, in any order, repeats allowed.
    draw : makes an array (m, ...) of m independent draws from a generator; called once a block with m = 256.
    one_by_one : `draw` fills one array from its beginning, so that fewer draws are the first of more: it is then called
        with no larger m than the ids need, and gives them the same numbers sooner.

    Returns
    -------
    (n, ...) tensor on the CPU, in the dtype that `draw` gives.

    Examples
    --------
    A throw of a die for each id, whatever ids it is asked with:

    >>> def die(generator, m):
    ...     return generator.integers(1, 7, m)
    >>> all_three, last = keyed(0, "die", torch.tensor([5, 6, 7]), die), keyed(0, "die", torch.tensor([7]), die)
    >>> torch.equal(all_three[2:], last), bool((all_three >= 1).all() and (all_three <= 6).all())
    (True, True)
    """
    wanted = ids.detach().cpu().numpy().astype(np.int64)
    if wanted.ndim != 1 or (wanted < 0).any():
        raise MistrustError(f"Draws need ids of shape (n,) that are not negative, got shape {tuple(wanted.shape)}.")
    blocks, inside = np.divmod(wanted, BLOCK)
    result: NDArray[np.generic] | None = None
    ordered = bool((blocks[1:] >= blocks[:-1]).all())
    for block in np.unique(blocks):
        needed = int(inside[blocks == block].max()) + 1 if one_by_one else BLOCK
        made = draw(generator(seed, name, int(block)), needed)
        if result is None:
            result = np.empty((len(wanted), *made.shape[1:]), dtype=made.dtype)
        if ordered:  # one copy; drawing is often most of the work, and copying most of the rest
            here = slice(*np.searchsorted(blocks, (block, block + 1)))
            np.take(made, inside[here], axis=0, out=result[here], mode="clip")
        else:
            result[blocks == block] = made[inside[blocks == block]]
    if result is None:  # no ids: the shape of one draw, none of them
        result = draw(generator(seed, name), 1)[:0]
    return torch.from_numpy(result)


def normal(seed: int, name: str, ids: Int[Tensor, " n"], shape: tuple[int, ...]) -> Float[Tensor, "n ..."]:
    """Draw standard normal float32 numbers, (n, *shape).

    Examples
    --------
    >>> draws = normal(0, "noise", torch.arange(1000), (2,))
    >>> draws.shape, bool(abs(draws.mean()) < 0.1), bool(abs(draws.std() - 1) < 0.1)
    (torch.Size([1000, 2]), True, True)
    """
    return keyed(seed, name, ids, lambda g, m: g.standard_normal((m, *shape), dtype=np.float32), one_by_one=True)


def uniform(seed: int, name: str, ids: Int[Tensor, " n"], shape: tuple[int, ...]) -> Float[Tensor, "n ..."]:
    """Draw float32 numbers uniform in [0, 1), (n, *shape).

    Examples
    --------
    >>> both = uniform(7, "noise", torch.tensor([5, 6]), (2,))
    >>> bool((uniform(7, "noise", torch.tensor([6]), (2,)) == both[1:]).all())  # whatever it is drawn with
    True
    """
    return keyed(seed, name, ids, lambda g, m: g.random((m, *shape), dtype=np.float32), one_by_one=True)


def permutation(seed: int, name: str, n: int) -> Int[Tensor, " n"]:
    """Give a random order of 0 .. n-1.

    Examples
    --------
    >>> order = permutation(0, "order", 5)
    >>> order.sort().values, torch.equal(order, permutation(0, "order", 5))
    (tensor([0, 1, 2, 3, 4]), True)
    """
    return torch.from_numpy(generator(seed, name).permutation(n))
