"""FGSM as the paper means it, and what its code does under that name."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust.inputs.attacks import fgsm, logits_of
from mistrust.inputs.draws import Draws
from mistrust.networks import Classifier

EPSILON = 0.05


def fast_gradient_sign(
    classifier: Classifier, images: Float[Tensor, "n c h w"], labels: Int[Tensor, " n"], draws: Draws
) -> Float[Tensor, "n c h w"]:
    """clip(x + 0.05 sign of the gradient of the cross-entropy with the true label)."""
    here, there = images.to(classifier.device), labels.to(classifier.device)
    at = fgsm(logits_of(classifier), here, there, draws)
    epsilon = torch.full((len(here), 1, 1, 1), EPSILON, device=here.device)
    return at(torch.arange(len(here), device=here.device), epsilon).to(images.device)


def fast_gradient_sign_as_coded(
    classifier: Classifier, images: Float[Tensor, "n c h w"], labels: Int[Tensor, " n"], draws: Draws
) -> Float[Tensor, "n c h w"]:
    """clip(x + 0.05 sign of the gradient of what the authors' code took for a loss). The code does not clip."""
    return (images + EPSILON * label_free_direction(classifier, images)).clamp_(0, 1)


def label_free_direction(classifier: Classifier, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c h w"]:
    """Sign of the gradient of mean over classes of (y - p_k)^2, y the label as a number, p the softmax: -1, 0 or 1.

    All p sum to 1, so the part with y has no gradient: it is that of the mean of p^2, equal for every label, and
    raises the confidence of the largest p. No attack.
    """
    logits = logits_of(classifier)
    with torch.enable_grad():
        x = images.detach().to(classifier.device).requires_grad_()
        softmax = logits(x).double().softmax(1)
        found = torch.autograd.grad(softmax.square().mean(1).sum(), x)[0]
    return found.sign().to(images)
