"""A fast distance by gradients: DeepFool to the other side of the boundary, then back to it by bisection.

Moosavi-Dezfooli, Fawzi and Frossard, DeepFool, CVPR 2016 (arXiv 1511.04599), algorithm 2, in the Euclidean norm, to
which the boundary attack converges, too. `mistrust.inputs.attacks` has DeepFool for the maximum norm.
"""

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.attacks import gradient
from mistrust.inputs.limits import whole, within
from mistrust.networks import Classifier
from mistrust.search.attack.asking import BLOCK, CHECKED, Network, logits_of, numbers_of, taken
from mistrust.search.attack.found import GRADIENT, NONE, Distances, collected

# Foolbox's: added to each step, to get past the boundary, and to a slope, which may be 0.
PAST, FLAT = 1e-4, 1e-8


def deepfool(
    network: Network,
    images: ImageSet | Float[Tensor, "n c h w"],
    *,
    ids: Int64[Tensor, " n"] | None = None,
    donors: ImageSet | Float[Tensor, "m c h w"] | None = None,
    seed: int = 0,
    steps: int = 50,
    candidates: int = 10,
    overshoot: float = 0.02,
    bisections: int = 20,
    block: int = BLOCK,
) -> Distances:
    """Find an image near each that the network names otherwise, by its gradients.

    Parameters
    ----------
    network : a `Classifier` of a torch module.
    donors, seed : not used; every distance takes them.
    steps : of DeepFool at most; an image is done as soon as it is named otherwise.
    candidates : classes that are considered, those of the highest logits, from 2 on.
    overshoot : the sum of all steps is made longer by this share, and clipped to [0, 1].
    bisections : halvings of the way between the image and where DeepFool ended.

    Returns
    -------
    `queries` counts forward passes; DeepFool's have a backward pass for each candidate besides.

    Raises
    ------
    MistrustError
        A plain callable, which has no gradients; a network in training mode or not differentiable; a parameter, images
        or ids outside what is said here.

    Examples
    --------
    A linear network, of which the nearest image of the other class is known: the mean has to rise from 0.3 to 0.5.

    >>> from mistrust.networks import wrap
    >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 2))
    >>> with torch.no_grad():
    ...     _ = network[1].weight.copy_(torch.stack([-torch.ones(16), torch.ones(16)]) / 16)
    ...     _ = network[1].bias.copy_(torch.tensor([0.5, -0.5]))
    >>> found = deepfool(wrap(network, ["dark", "bright"]), torch.full((1, 1, 4, 4), 0.3))
    >>> found.label.item(), round(found.mae.item(), 3)
    (0, 0.2)
    """
    if not isinstance(network, Classifier):
        raise MistrustError(
            "deepfool follows gradients, and a callable that gives labels has none. Give a Classifier of a torch "
            "module (mistrust.networks.wrap), or take the distance 'boundary', which asks for labels alone."
        )
    _ = network.module
    limit, others = whole("steps", steps, 1), whole("candidates", candidates, 2)
    longer, halvings = 1 + within("overshoot", overshoot, 0), whole("bisections", bisections, 0)
    pixels, numbers = taken(images, ids)
    there = pixels.to(network.device, numbers_of(network))
    if len(there):
        network(there[:CHECKED])  # once with its own checks
    parts = [_nearest(network, some, limit, others, longer, halvings) for some in there.split(whole("block", block, 1))]
    end, label, queries = (torch.cat(column) for column in zip(*parts, strict=True))
    success = (end != there).flatten(1).any(1)
    start = tuple(GRADIENT if each else NONE for each in success.tolist())
    return collected(
        "deepfool", pixels.to(end.device), end, success, ids=numbers, label=label, start=start, queries=queries
    )


def _nearest(
    classifier: Classifier, images: Tensor, steps: int, candidates: int, longer: float, halvings: int
) -> tuple[Tensor, Tensor, Tensor]:
    """One block's images of another class, the image itself where there is none, its labels, and queries."""
    x, total = images.clone(), torch.zeros_like(images)
    active = torch.arange(len(images), device=images.device)
    queries, label = torch.zeros_like(active), torch.zeros_like(active)
    fooled = torch.zeros_like(active, dtype=torch.bool)
    order: Tensor | None = None
    # One look more than steps: where the last of them led.
    for number in range(steps + 1):
        if not len(active):
            break
        with torch.enable_grad():
            here = x[active].requires_grad_()
            out = logits_of(classifier, here)
            queries[active] += 1
            if order is None:
                order = out.detach().topk(min(candidates, out.shape[1]), 1).indices
                label = order[:, 0].clone()
            going = out.argmax(1) == label[active]
            fooled[active[~going]] = True
            if number == steps or not bool(going.any()):
                break
            step = _linear_step(out, here, order[active])[going]
        active = active[going]
        total[active] += step
        x[active] = (images[active] + longer * total[active]).clamp_(0, 1)
    rows = fooled.nonzero()[:, 0]
    end = images.clone()
    end[rows] = _bisected(classifier, images[rows], x[rows], label[rows], halvings)
    queries[rows] += halvings
    return end, label, queries


def _linear_step(out: Tensor, x: Tensor, order: Tensor) -> Tensor:
    """The shortest step, Euclidean, to the boundary with another class of a network taken for linear."""
    shortest = torch.full((len(x), 1, 1, 1), torch.inf, device=x.device, dtype=x.dtype)
    step = torch.zeros_like(x)
    for k in range(1, order.shape[1]):
        lead = (out.gather(1, order[:, k : k + 1]) - out.gather(1, order[:, :1]))[:, 0]
        slope = gradient(lead.sum(), x, last=k == order.shape[1] - 1)
        length = slope.flatten(1).norm(dim=1) + FLAT
        distance = (lead.detach().abs() / length).view(-1, 1, 1, 1)
        this = (distance + PAST) * slope / length.view(-1, 1, 1, 1)
        step = torch.where(distance < shortest, this, step)
        shortest = shortest.minimum(distance)
    return step


@torch.no_grad()
def _bisected(classifier: Classifier, images: Tensor, end: Tensor, label: Tensor, halvings: int) -> Tensor:
    """Halve the way from image to end again and again; the nearer end that is still of another class."""
    if not len(images):
        return end
    low, high = (torch.full((len(images), 1, 1, 1), v, device=images.device, dtype=torch.float64) for v in (0, 1))
    best, way = end, end.double() - images.double()
    for _ in range(halvings):
        middle = (low + high) / 2
        tried = (images.double() + middle * way).to(images.dtype)
        hit = (logits_of(classifier, tried).argmax(1) != label).view(-1, 1, 1, 1)
        low, high = torch.where(hit, low, middle), torch.where(hit, middle, high)
        best = torch.where(hit, tried, best)
    return best
