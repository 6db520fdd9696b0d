"""What many softmax vectors of one image say together: of samples with dropout on, or of an ensemble's members.

All take (S, n, k), S vectors of each of n images, and give (n,), higher is more suspicious; one function serves samples
and members alike. An image's value has the same bits whatever other images stand beside it.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.supervisors.finite import finite
from mistrust.supervisors.softmax import entropy, max_softmax

# Numbers of one block of softmax vectors in float64: 32 MB.
BLOCK = 2**22

Quantifier = Callable[[Float64[Tensor, "s n k"]], Float64[Tensor, " n"]]


def variation_ratio(p: Float64[Tensor, "s n k"]) -> Float64[Tensor, " n"]:
    """Share of the S votes that the most voted class does not get, in [0, 1 - 1/min(S, k)]; 0 where S is 1.

    Each vector votes for its largest entry, for the lowest class where several are largest. It takes at most S values,
    so ties between images are many.
    """
    _at_least_one(p)
    votes = p.argmax(-1)  # the first of equal ones, as torch promises
    counts = torch.zeros(p.shape[1:], dtype=torch.int64, device=p.device)
    counts.scatter_add_(1, votes.T, torch.ones_like(votes.T))
    return 1 - counts.amax(-1) / torch.tensor(len(p), dtype=torch.float64, device=p.device)


def mean_softmax(p: Float64[Tensor, "s n k"]) -> Float64[Tensor, " n"]:
    """Minus the largest entry of the mean vector, in [-1, -1/k]."""
    return max_softmax(_mean(p))


def predictive_entropy(p: Float64[Tensor, "s n k"]) -> Float64[Tensor, " n"]:
    """Entropy of the mean vector in bits, in [0, log2 k]."""
    return entropy(_mean(p))


def mutual_information(p: Float64[Tensor, "s n k"]) -> Float64[Tensor, " n"]:
    """Entropy of the mean vector less the mean entropy, in bits, in [0, log2 min(S, k)]; 0 where S is 1.

    What rounding leaves below 0 is 0.
    """
    return (entropy(_mean(p)) - _mean(entropy(p))).clamp_min(0)


def of_logits(quantifier: Quantifier, logits: Float[Tensor, "s n k"], block: int = BLOCK) -> Float64[Tensor, " n"]:
    """Apply a quantifier to the softmax of logits, taken in float64, some images at a time.

    Parameters
    ----------
    quantifier : one of this module, or any function of samples of softmax.
    logits : (S, n, k).
    block : about how many numbers are held in float64 at once.

    Raises
    ------
    MistrustError
        No samples; a number that is not finite, which a vote would take for a class.
    """
    samples, _, classes = logits.shape
    _at_least_one(logits)
    finite(logits, "logits of samples")
    parts = logits.split(max(1, block // (samples * classes)), 1)
    return torch.cat([quantifier(part.to(torch.float64).softmax(-1)) for part in parts])


def _mean(p: Float64[Tensor, "s *n"]) -> Float64[Tensor, "*n"]:
    """Mean over S. Laid out so that S comes last: sums down columns round otherwise at the edge of a block."""
    _at_least_one(p)
    return p.movedim(0, -1).contiguous().mean(-1)


def _at_least_one(p: Tensor) -> None:
    if len(p) == 0:
        raise MistrustError(
            f"There are no samples: their shape is {tuple(p.shape)}, expected (S, n, k) with S at least 1. Record some "
            "with observe(classifier, images, samples=32), or members=[second, third]."
        )
