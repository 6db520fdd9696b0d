"""The smallest epsilon of a grid at which an attack fools a classifier, image by image."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import torch
from jaxtyping import Bool, Float32, Float64, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, check_known
from mistrust.inputs.attacks import ATTACKS, Prepared, logits_of
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import whole, within
from mistrust.networks import Classifier
from mistrust.networks.checks import check_pair
from mistrust.progress import bar

# The AmbiGuess authors' grid without its leading 0. From .01 to .1 is a factor of ten, where most of MNIST lies.
PUBLISHED = (0.0002, 0.0005, 0.0008, 0.001, 0.0015, 0.002, 0.003, 0.01, 0.1, 0.3, 0.5, 1.0)
# Two decades in tenths of a decade: what an image gets is at most 26 per cent more than it needs, whether the network
# gives way at .02, as a linear one does on MNIST, or at .09, as a convolutional one. .003 is less than one grey level,
# .3 the bound that is customary on MNIST (Madry and others).
GRID = tuple(float(e) for e in np.geomspace(0.003, 0.3, 21).round(5))
SEARCHES = ("ascending", "bisection")
OUTCOMES = ("fooled", "failure", "natural error")
FOOLED, FAILURE, NATURAL_ERROR = range(3)

# Images at a time: on a CPU more gain nothing.
BLOCK = 256


@dataclass(frozen=True, eq=False)
class Attacked:
    """What an attack did to n images.

    Attributes
    ----------
    outcome : (n,) position in `OUTCOMES`. An image that the classifier names wrongly as it is, a natural error, is
        not attacked.
    epsilon : (n,) of the grid; NaN where the attack did not fool.
    distance : (n,) largest change of a pixel, at most epsilon: DeepFool often needs less. NaN where it did not fool.
    images : (n, c, h, w) in [0, 1], those that fool; the clean image elsewhere.
    """

    outcome: Int64[Tensor, " n"]
    epsilon: Float64[Tensor, " n"]
    distance: Float64[Tensor, " n"]
    images: Float32[Tensor, "n c h w"]


def attacked(
    classifier: Classifier,
    images: ImageSet,
    name: str,
    epsilons: Sequence[float] = GRID,
    *,
    seed: int = 0,
    search: str = "ascending",
    softmax: bool = False,
    parameters: Mapping[str, float] | None = None,
    block: int = BLOCK,
) -> Attacked:
    """Attack every image that the classifier gets right, with the smallest epsilon of a grid that fools it.

    Parameters
    ----------
    classifier : wraps a torch module in evaluation mode; the attack runs on its device.
    images : (n, ...) with true labels.
    name : see `ATTACKS`.
    epsilons : ascending, above 0 and at most 1: the most that a pixel may change, images being in [0, 1].
    seed : of random starts, which belong to the images' ids.
    search : "ascending" tries every epsilon in turn up to the first that fools. "bisection" takes it that what fools at
        one epsilon fools at all larger ones, which is nearly true, and tries about log2 of their number: it gives an
        epsilon that fools where the one before it does not, not necessarily the first.
    softmax : the attack takes the classifier's softmax for its logits, as the AmbiGuess authors' did.
    parameters : of the attack, in place of its defaults.
    block : images at a time; memory grows with it and with nothing else but the result.

    Raises
    ------
    MistrustError
        A plain callable or a network in training mode, an unknown attack, parameter or search, epsilons that do not
        ascend within (0, 1], other classes than the images have, outputs that are not finite.
    """
    grid = checked(epsilons)
    prepare = _with_parameters(name, parameters or {})
    check_known("search", search, SEARCHES)
    check_pair(classifier, images)
    logits, where = logits_of(classifier, softmax=softmax), classifier.device
    levels = torch.tensor(grid, dtype=torch.float32, device=where)
    clean = images.floats()
    out, position = clean.clone(), torch.full((len(images),), -1)
    natural = torch.zeros(len(images), dtype=torch.bool)
    with bar(len(images), ATTACKS[name].title, "image") as progress:
        for here in torch.arange(len(images)).split(whole("attacked: block", block, 1)):
            x, labels = clean[here].to(where), images.labels[here].to(where)
            wrong = _predicted(classifier, x) != labels
            natural[here] = wrong.cpu()
            rows = here[~wrong.cpu()]
            if len(rows):
                x, labels = x[~wrong], labels[~wrong]
                prepared = prepare(logits, x, labels, Draws(seed, f"attack/{name}", images.ids[rows]))
                searched = _Search(classifier, prepared, labels, levels, x)
                found = searched.ascending() if search == "ascending" else searched.bisection()
                out[rows], position[rows] = searched.result.cpu(), found.cpu()
            progress.update(len(here))
    fooled = position >= 0
    outcome = torch.where(natural, NATURAL_ERROR, torch.where(fooled, FOOLED, FAILURE))
    epsilon = torch.tensor([*grid, torch.nan], dtype=torch.float64)[position]
    distance = (out - clean).abs().flatten(1).amax(1).double()
    return Attacked(outcome, epsilon, torch.where(fooled, distance, torch.nan), out)


def _with_parameters(name: str, given: Mapping[str, float]) -> Callable[..., Prepared]:
    entry = ATTACKS[name]
    for one in given:
        check_known(f"parameter of attack '{name}'", one, entry.parameters)
    return partial(entry.prepare, **{**entry.parameters, **given})


class _Search:
    """The search for the smallest epsilon in one block."""

    def __init__(
        self, classifier: Classifier, prepared: Prepared, labels: Tensor, levels: Tensor, clean: Tensor
    ) -> None:
        self.classifier, self.prepared, self.labels, self.levels = classifier, prepared, labels, levels
        self.result = clean.clone()
        self.n, self.k = len(labels), len(levels)

    def fools(self, rows: Tensor, positions: Tensor) -> Bool[Tensor, " m"]:
        """Attack these rows at these positions of the grid, keep what fools, and tell which."""
        made = self.prepared(rows, self.levels[positions].view(-1, 1, 1, 1))
        yes = _predicted(self.classifier, made) != self.labels[rows]
        self.result[rows[yes]] = made[yes]
        return yes

    def ascending(self) -> Int64[Tensor, " n"]:
        """Position of the first epsilon that fools, -1 where none does."""
        found = self.labels.new_full((self.n,), -1)
        left = torch.arange(self.n, device=found.device)
        for position in range(self.k):
            if not len(left):
                break
            yes = self.fools(left, left.new_full((len(left),), position))
            found[left[yes]] = position
            left = left[~yes]
        return found

    def bisection(self) -> Int64[Tensor, " n"]:
        """Position of an epsilon that fools, the one before it not; -1 where the last does not."""
        low, high = self.labels.new_full((self.n,), -1), self.labels.new_full((self.n,), self.k)
        while len(left := (high - low > 1).nonzero()[:, 0]):
            middle = (low[left] + high[left]) // 2
            yes = self.fools(left, middle)
            high[left[yes]], low[left[~yes]] = middle[yes], middle[~yes]
        return torch.where(high < self.k, high, -1)


@torch.no_grad()
def _predicted(classifier: Classifier, images: Tensor) -> Int64[Tensor, " n"]:
    logits = classifier(images)
    if not bool(torch.isfinite(logits).all()):
        raise MistrustError(
            f"Classifier '{classifier.name}' gave NaN or infinite outputs. Check its weights and its mean and std."
        )
    return logits.argmax(1)


def checked(epsilons: Sequence[float]) -> tuple[float, ...]:
    """Give a grid of epsilons, or say what is wrong with it."""
    grid = tuple(within("An epsilon", e, 0, 1) for e in epsilons)
    if not grid or grid[0] == 0 or any(b <= a for a, b in pairwise(grid)):
        raise MistrustError(
            f"Epsilons are {[float(f'{e:g}') for e in grid]}, expected one or more, ascending, above 0: at 0 nothing "
            "is attacked, and images named wrongly as they are count as natural errors anyway."
        )
    return grid
