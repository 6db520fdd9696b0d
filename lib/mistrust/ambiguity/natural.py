"""Naturally ambiguous images, found by a rule where the paper chose by hand (Weiss et al., section III, Fig. 1).

The paper takes the 3 % of MNIST's test images of highest entropy and shows the 18 that its authors think ambiguous. An
entropy alone cannot tell these from the rest: it is as high where a network does not know what it sees. Several
networks can. On an image that they do not know, each goes its own way, and only their mean is undecided; where the
image itself is divided, each of them is divided, in the same way. Disagreement is ignorance, agreement on a split is
ambiguity.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64, Int64
from torch import Tensor

from mistrust.ambiguity.performance import distributions, entropy
from mistrust.errors import MistrustError

# The paper's 300 of 10,000.
SHARE = 0.03
# What each of the two classes, and both together, must have in the judges' mean.
EACH, TOGETHER = 0.2, 0.8
# How much of the mean's entropy may be disagreement.
DISAGREEMENT = 0.25
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Natural:
    """Images that the judges find ambiguous, the most evenly divided first.

    Attributes
    ----------
    candidates : how many images were looked at, those of highest entropy.
    indices : (i,) positions of the images that passed.
    pairs : (i, 2) the two classes of each, the lower first.
    entropy : (i,) of the judges' mean, bits.
    balance : (i,) twice the smaller of the two classes' mean probabilities, in [0.4, 1]; 1 is an even split.
    """

    candidates: int
    indices: Int64[np.ndarray, " i"]
    pairs: Int64[np.ndarray, "i 2"]
    entropy: Float64[np.ndarray, " i"]
    balance: Float64[np.ndarray, " i"]

    def __len__(self) -> int:
        return len(self.indices)


def natural(softmax: Float[Tensor, "m n k"]) -> Natural:
    """Find naturally ambiguous images.

    Candidates are the 3 % (rounded down, at least one) of highest entropy of the judges' mean softmax. Of these an
    image is ambiguous where

    - two classes share it: the two largest of the mean have at least 0.2 each and at least 0.8 together;
    - the judges see the same two: in more than half of them these are the two largest;
    - the judges are divided themselves: the mutual information of prediction and judge, that is the mean's entropy
      minus the mean of their entropies (Houlsby and others, 2011), is at most a quarter of the mean's entropy. On an
      even split between two classes the judges' own entropy is then at least 0.75 bits, that of 0.21 against 0.79:
      what the first rule asks of the mean, this one asks of the judges.

    Parameters
    ----------
    softmax : (m, n, k) probabilities by m judges of the same n images. One judge cannot disagree: with m = 1 the last
        two rules hold of themselves, and what is found may be this network's ignorance.

    Raises
    ------
    MistrustError
        Another shape, no judge, no image, fewer than two classes; rows that are no probabilities.
    """
    p = distributions("The judges' outputs", softmax)
    if p.ndim != 3 or 0 in p.shape or p.shape[2] < 2:
        raise MistrustError(
            f"The judges' outputs have shape {p.shape}, expected (m, n, k): m judges, n images, at least two classes. "
            "For one judge give softmax[None]."
        )
    mean = p.mean(axis=0)
    bits = entropy(mean)
    candidates = max(1, int(SHARE * len(mean) + ROUNDING))
    chosen = np.argsort(-bits, kind="stable")[:candidates]
    two = _largest(mean)
    held = np.take_along_axis(mean, two, axis=1)
    disagreement = np.maximum(bits - entropy(p).mean(axis=0), 0.0)
    passed = (
        (held.min(axis=1) >= EACH - ROUNDING)
        & (held.sum(axis=1) >= TOGETHER - ROUNDING)
        & ((_largest(p) == two).all(axis=2).sum(axis=0) * 2 > len(p))
        & (disagreement <= DISAGREEMENT * bits + ROUNDING)
    )
    found = chosen[passed[chosen]]
    balance = 2 * held.min(axis=1)
    # By balance, then by entropy, then by position.
    found = found[np.lexsort((found, -bits[found], -balance[found]))]
    return Natural(candidates, found, two[found], bits[found], balance[found])


def _largest(p: Float64[np.ndarray, "*n k"]) -> Int64[np.ndarray, "*n 2"]:
    """Give the two largest classes, the lower first; of equal ones those of lower position."""
    return np.sort(np.argsort(-p, axis=-1, kind="stable")[..., :2], axis=-1)
