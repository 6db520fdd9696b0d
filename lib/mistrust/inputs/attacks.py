"""Four attacks that change no pixel by more than epsilon, as table entries, and the smallest epsilon that fools.

An attack is prepared once for a batch of images, which may cost gradients, and then gives them at any epsilon: FGSM
needs one gradient for all epsilons, DeepFool runs once and is clipped, the iterative ones run anew. What is computed
equals foolbox 3.3.4 (Rauber et al.), whose attacks the AmbiGuess authors used, but for the source of random numbers.

An image's result does not depend on the others of its batch, but for rounding: a convolution's last digits do, and
where a gradient is that near to zero, its sign may follow.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within
from mistrust.networks import Classifier
from mistrust.registry import Registry

# Images in [0, 1] (n, c, h, w) to logits (n, k), differentiable.
Logits = Callable[[Tensor], Tensor]
# What a prepared attack gives: (rows (m,), epsilon (m, 1, 1, 1)) -> these images, attacked, in [0, 1].
Prepared = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section.
    prepare : (logits, images (n, c, h, w), labels (n,), draws, **parameters) -> `Prepared`.
    parameters : those of `prepare` by name, with their defaults.
    random : whether it draws.
    """

    title: str
    source: str
    prepare: Callable[..., Prepared]
    parameters: Mapping[str, float] = field(default_factory=dict)
    random: bool = False


ATTACKS = Registry[Attack]("attack", "mistrust list attacks")


def logits_of(classifier: Classifier, *, softmax: bool = False) -> Logits:
    """Give what an attack sees of a classifier: its logits, or the softmax of them where `softmax` is set.

    A softmax taken for logits is what the AmbiGuess authors attacked; the loss then contains a softmax of a softmax.

    Raises
    ------
    MistrustError
        A plain callable, which has no gradients, or a network in training mode.
    """
    if classifier.module.training:
        raise MistrustError(
            f"Classifier '{classifier.name}' is in training mode, so that dropout and batch statistics would change "
            "its answers from step to step. Call classifier.module.eval() before an attack."
        )
    return (lambda images: classifier(images).softmax(1)) if softmax else classifier


def ascent_direction(logits: Logits, images: Float[Tensor, "n c h w"], labels: Int[Tensor, " n"]) -> Tensor:
    """Sign of the gradient of each image's cross-entropy, (n, c, h, w) of -1, 0 and 1.

    The cross-entropy is log(1 + exp(m)), m = logsumexp of the other classes' logits - the label's logit, and so
    ascends where m does. Of a confident network its own gradient, softmax - 1 at the label, rounds to 0 in float32
    (from a lead of some 17 on), and the attack fails for that alone; that of m does not.

    Raises
    ------
    MistrustError
        Logits that do not depend on the images by differentiable steps, a gradient that is not finite.
    """
    with torch.enable_grad():
        x = images.detach().requires_grad_()
        out, label = logits(x), labels[:, None]
        lead = out.scatter(1, label, -torch.inf).logsumexp(1) - out.gather(1, label)[:, 0]
        return gradient(lead.sum(), x, last=True).sign()


def fgsm(logits: Logits, images: Float[Tensor, "n c h w"], labels: Int[Tensor, " n"], draws: Draws) -> Prepared:
    """Fast gradient sign method: one step of epsilon along the sign of the gradient; one gradient for all epsilons."""
    direction = ascent_direction(logits, images, labels)
    return lambda rows, epsilon: (images[rows] + epsilon * direction[rows]).clamp_(0, 1)


def iterated(
    logits: Logits,
    images: Float[Tensor, "n c h w"],
    labels: Int[Tensor, " n"],
    draws: Draws,
    *,
    steps: float,
    relative_step: float,
    random_start: float,
) -> Prepared:
    """Steps of `relative_step` times epsilon along the sign of the gradient, each put back into the allowed box.

    Parameters
    ----------
    steps : how many; all are taken, and what counts is the last image.
    relative_step : above 0.
    random_start : 0 begins at the image, 1 at a uniform point of the box. The point's direction belongs to the image's
        id and is the same for all epsilons.
    """
    count, step = whole("iterated: steps", steps, 1), within("iterated: relative_step", relative_step, 1e-9)
    start = None
    if within("iterated: random_start", random_start, 0, 1):
        start = draws.uniform(tuple(images.shape[1:])).mul_(2).sub_(1).mul_(random_start).to(images)

    def at(rows: Tensor, epsilon: Tensor) -> Tensor:
        clean, wanted = images[rows], labels[rows]
        low, high = (clean - epsilon).clamp_(min=0), (clean + epsilon).clamp_(max=1)
        x = clean if start is None else (clean + epsilon * start[rows]).clamp_(0, 1)
        for _ in range(count):
            x = (x + step * epsilon * ascent_direction(logits, x, wanted)).clamp_(low, high)
        return x

    return at


def deepfool(
    logits: Logits,
    images: Float[Tensor, "n c h w"],
    labels: Int[Tensor, " n"],
    draws: Draws,
    *,
    steps: float,
    candidates: float,
    overshoot: float,
) -> Prepared:
    """Run DeepFool for the maximum norm once, and clip what it changed to each epsilon.

    Parameters
    ----------
    steps : at most; an image is done as soon as it fools.
    candidates : classes that are considered: those with the highest logits of the clean image, at least 2.
    overshoot : the sum of all steps is made longer by this share.
    """
    end = nearest_boundary(
        logits, images, labels,
        steps=whole("deepfool: steps", steps, 1),
        candidates=whole("deepfool: candidates", candidates, 2),
        overshoot=within("deepfool: overshoot", overshoot, 0),
    )  # fmt: skip
    change = end - images
    return lambda rows, epsilon: (images[rows] + change[rows].clamp(-epsilon, epsilon)).clamp_(0, 1)


def nearest_boundary(
    logits: Logits,
    images: Float[Tensor, "n c h w"],
    labels: Int[Tensor, " n"],
    *,
    steps: int,
    candidates: int,
    overshoot: float,
) -> Float[Tensor, "n c h w"]:
    """Where DeepFool ends: it takes the network for linear and steps over the nearest boundary, until it is there."""
    x, total = images.clone(), torch.zeros_like(images)
    active = torch.arange(len(images), device=images.device)
    order: Tensor | None = None
    for _ in range(steps):
        with torch.enable_grad():
            here = x[active].requires_grad_()
            out = logits(here)
            if order is None:
                order = out.detach().topk(min(candidates, out.shape[1]), 1).indices
            going = (out.argmax(1) == labels[active]).nonzero()[:, 0]
            if not len(going):
                break
            step = _linear_step(out, here, order[active])[going]
        active = active[going]
        total[active] += step
        x[active] = (images[active] + (1 + overshoot) * total[active]).clamp_(0, 1)
    return x


def _linear_step(out: Tensor, x: Tensor, order: Tensor) -> Tensor:
    """The shortest step, in the maximum norm, to the boundary with another class of a network taken for linear."""
    shortest = torch.full((len(x), 1, 1, 1), torch.inf, device=x.device, dtype=x.dtype)
    step = torch.zeros_like(x)
    for k in range(1, order.shape[1]):
        lead = (out.gather(1, order[:, k : k + 1]) - out.gather(1, order[:, :1]))[:, 0]
        slope = gradient(lead.sum(), x, last=k == order.shape[1] - 1)
        # The two small addends are foolbox's: against a slope of 0, and to step past the boundary.
        distance = lead.detach().abs() / (slope.abs().sum((1, 2, 3)) + 1e-8) + 1e-4
        distance = distance.view(-1, 1, 1, 1)
        step = torch.where(distance < shortest, distance * slope.sign(), step)
        shortest = shortest.minimum(distance)
    return step


def gradient(value: Tensor, x: Tensor, *, last: bool) -> Tensor:
    """Derivative of the number `value` by `x`; the graph is kept where this is not the `last` use of it.

    Raises
    ------
    MistrustError
        `value` does not depend on `x` by differentiable steps, or under inference mode; its gradient is not finite.
    """
    found = torch.autograd.grad(value, x, retain_graph=not last, allow_unused=True)[0] if value.requires_grad else None
    if found is None:
        if torch.is_inference_mode_enabled():
            raise MistrustError(
                "Under torch.inference_mode() there is no gradient to follow. Call this outside of it, or under "
                "torch.inference_mode(False)."
            )
        raise MistrustError(
            "The network's outputs do not depend on its images by differentiable steps, so there is no gradient to "
            "follow. Remove .detach(), torch.no_grad() and conversions to numpy from its forward."
        )
    if not bool(torch.isfinite(found).all()):
        raise MistrustError("The gradient with respect to the images is NaN or infinite. Check the network's weights.")
    return found


ATTACKS.add(
    "fgsm",
    Attack(
        "FGSM",
        "Goodfellow and others, Explaining and harnessing adversarial examples, ICLR 2015 (arXiv 1412.6572), section 4",
        fgsm,
    ),
)
ATTACKS.add(
    "pgd",
    Attack(
        "PGD",
        "Madry and others, Towards deep learning models resistant to adversarial attacks, ICLR 2018 (arXiv "
        "1706.06083), section 2.1; parameters are foolbox's",
        iterated,
        {"steps": 40, "relative_step": 0.01 / 0.3, "random_start": 1},
        random=True,
    ),
)
ATTACKS.add(
    "bim",
    Attack(
        "BIM",
        "Kurakin and others, Adversarial examples in the physical world, 2017 (arXiv 1607.02533), section 2.2; "
        "parameters are foolbox's",
        iterated,
        {"steps": 10, "relative_step": 0.2, "random_start": 0},
    ),
)
ATTACKS.add(
    "deepfool",
    Attack(
        "DeepFool",
        "Moosavi-Dezfooli and others, DeepFool, CVPR 2016 (arXiv 1511.04599), section 3.3; parameters are foolbox's",
        deepfool,
        {"steps": 50, "candidates": 10, "overshoot": 0.02},
    ),
)
