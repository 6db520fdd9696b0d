"""Probabilities of the two classes at a latent point, p(c | z), by three rules."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import logsigmoid

from mistrust.ambiguity import prior
from mistrust.errors import MistrustError
from mistrust.inputs.limits import as_tensor
from mistrust.registry import Registry


@dataclass(frozen=True)
class Label:
    """One rule.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section, or the reference's code.
    scores : (discriminator logits (..., 2), latent points (..., L)), both float64 -> logarithms (..., 2) of numbers
        that stand to each other as the two probabilities.
    """

    title: str
    source: str
    scores: Callable[[Tensor, Tensor], Tensor]


LABELS = Registry[Label]("rule for labels")


def probabilities(
    logits: Float[Tensor, "*n 2"], z: Float[Tensor, "*n L"], rule: str = "normalised"
) -> Float[Tensor, "*n 2"]:
    """Probabilities of the first and the second class at latent points (paper, section V-B2).

    An optimal discriminator outputs p(z | c) / (p(z | c) + q(z | c)) with q the law of encoded images. Between the
    clusters, where hardly any image lies, it extrapolates: the rules differ most where ambiguous images come from.

    Parameters
    ----------
    logits : (..., 2) the discriminator's logits of z with the one-hot of the first and of the second class.
    z : (..., L) the points themselves, which the rule "prior" reads instead.
    rule : "normalised": both outputs divided by their sum, as the paper has it; "softmax": softmax of the two logits,
        as the reference's code has it; "prior": the exact p(c | z) of the two normal laws.

    Returns
    -------
    (..., 2) float64, each row adds up to 1; NaN where a logit is NaN.

    Raises
    ------
    MistrustError
        An unknown rule; logits and points of different number.

    Examples
    --------
    Where the discriminator finds a point likely for the second class and unlikely for the first, the rules differ:

    >>> logits, z = torch.tensor([[-1.0, 3.0]]), torch.zeros(1, 2)
    >>> for rule in ("normalised", "softmax", "prior"):
    ...     rule, probabilities(logits, z, rule).round(decimals=2).tolist()
    ('normalised', [[0.22, 0.78]])
    ('softmax', [[0.02, 0.98]])
    ('prior', [[0.5, 0.5]])
    """
    entry = LABELS[rule]
    logits, z = as_tensor("Logits", logits), as_tensor("Latent points", z)
    if logits.shape[-1:] != (2,) or logits.shape[:-1] != z.shape[:-1]:
        raise MistrustError(
            f"Logits have shape {tuple(logits.shape)} and latent points {tuple(z.shape)}: expected (..., 2) and "
            "(..., L), as many of one as of the other."
        )
    return torch.softmax(entry.scores(logits.double(), z.double()), dim=-1)


def gap(p: Float[Tensor, "*n 2"]) -> Float[Tensor, "*n"]:
    """Give |p1 - p2|: 0 where both classes are equally likely, 1 where one is certain.

    Raises
    ------
    MistrustError
        Probabilities of another number of classes.

    Examples
    --------
    >>> gap(torch.tensor([[0.5, 0.5], [0.75, 0.25], [0.0, 1.0]]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    p = as_tensor("Probabilities", p)
    if p.ndim < 1 or p.shape[-1] != 2:
        raise MistrustError(f"Probabilities have shape {tuple(p.shape)}, expected (..., 2): two classes.")
    return (p[..., 0] - p[..., 1]).abs()


def _prior(logits: Tensor, z: Tensor) -> Tensor:
    """Logarithms of two normal densities with the identity as covariance, up to what both have in common."""
    means = prior.means(z.shape[-1]).to(z.device)
    return z @ means.T - (means**2).sum(1) / 2


# Through logarithms, since sigmoids of -800 are both 0 and their quotient is not: a softmax of log-sigmoids is s1 and
# s2 divided by s1 + s2.
LABELS.add(
    "normalised",
    Label("discriminator outputs, normalised", "Weiss et al., section V-B2", lambda logits, z: logsigmoid(logits)),
)
LABELS.add("softmax", Label("softmax of the two logits", "the reference's code", lambda logits, z: logits))
LABELS.add("prior", Label("exact under the prior", "the prior of section V-B1, by Bayes' theorem", _prior))
