"""An attack by someone who knows the supervisor: images that the network gets wrong and the supervisor lets pass.

Carlini and Wagner (Adversarial examples are not easily detected, AISec 2017) ask for it of every detector. Here it is
the selective projected gradient descent of Bryniarski, Hingun, Pachuca, Wang and Carlini (Evading adversarial example
detection defenses with orthogonal projected gradient descent, ICLR 2022): each step serves one of the two
aims, the network's mistake until it is made, the supervisor's silence from then on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.attacks import gradient
from mistrust.inputs.limits import check_set, whole, within
from mistrust.networks import Classifier
from mistrust.networks.checks import check_classifier, check_evaluated, check_pair
from mistrust.progress import Progress, bar
from mistrust.supervisors.contract import Supervisor
from mistrust.supervisors.evading.alarms import Seen, seen
from mistrust.supervisors.evading.guard import Guard, guard
from mistrust.supervisors.monitor import Monitor
from mistrust.supervisors.thresholds import Threshold

BLOCK = 100  # images that are changed at once


@dataclass(frozen=True, eq=False)
class Evaded:
    """What an attack found, image by image.

    Attributes
    ----------
    epsilon : (n,) the first of the given ones within which it got past; infinite where it got past within none.
    images : what got past; the image itself where nothing did.

    Examples
    --------
    >>> found = Evaded(torch.tensor([0.1, torch.inf]), torch.zeros(2, 1, 4, 4))
    >>> float((found.epsilon <= 0.2).double().mean())  # half of them got past within 0.2
    0.5
    """

    epsilon: Float64[Tensor, " n"]
    images: Float[Tensor, "n c h w"]


def evade(
    classifier: Classifier,
    images: ImageSet,
    supervisor: Supervisor | Monitor | None = None,
    limit: float | Threshold | None = None,
    *,
    epsilons: float | Sequence[float],
    steps: int = 40,
    relative_step: float = 0.1,
) -> Evaded:
    """Change images by at most epsilon a pixel, so that their class is mistaken and the supervisor lets them pass.

    Within each epsilon the search goes on from where the one before ended. It finds what it finds: a better attack may
    get past within less, and none can be shown to need more.

    Parameters
    ----------
    images : with labels; what the network gets wrong already has epsilon 0 where it passes.
    supervisor : a monitor of the classifier: what gets past gives no alarm. Or a fitted supervisor, and its `limit`.
        None: the attacker knows the network alone.
    limit : of a supervisor: its fitted threshold, by predicted class where it was fitted so, or a number. What is not
        above it passes.
    epsilons : one, or several that rise, in (0, 1].
    steps : within each epsilon.
    relative_step : of a pixel in a step, as a share of epsilon.

    Raises
    ------
    MistrustError
        What is no classifier, no `ImageSet` or no supervisor; images of other classes; a network in training mode or
        without gradients; epsilons that are none or do not rise, parameters out of their range; a supervisor that is in
        no line of `ALARMS`, was fitted on other classes or another network, or has no limit; a monitor of another.
    NotFitted
        A supervisor or a threshold before `fit`.

    Examples
    --------
    A supervisor that reads the largest softmax is passed by whoever goes a little further:

    >>> from mistrust.supervisors import Monitor, make_supervisor
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> monitor = Monitor.fit(it.classifier, make_supervisor("max_softmax"), it.training, it.nominal)
    >>> epsilons = [0.05 * step for step in range(1, 16)]
    >>> wrong = evade(it.classifier, it.nominal, epsilons=epsilons).epsilon
    >>> unnoticed = evade(it.classifier, it.nominal, monitor, epsilons=epsilons).epsilon
    >>> bool((wrong <= unnoticed).all()), bool(unnoticed.isfinite().all())
    (True, True)
    """
    check_classifier(classifier)
    check_set("evade", images)
    check_evaluated(classifier)
    given = _rising(epsilons)
    count, step = whole("steps", steps, 1), within("relative_step", relative_step, 1e-9)
    watch = guard(classifier, supervisor, limit)
    check_pair(classifier, images)
    found = torch.full((len(images),), torch.inf, dtype=torch.float64)
    best = images.floats().clone()
    with bar(len(images) * len(given), "evading", "image within an epsilon") as progress:
        for rows in torch.arange(len(images)).split(BLOCK) if len(images) else ():
            part = images.take(rows)
            attack = _Attack(classifier, part.floats(), part.labels, watch, progress)
            found[rows], best[rows] = attack.run(given, count, step)
    return Evaded(found, best)


def _rising(epsilons: Any) -> list[float]:
    """One epsilon, or several, as plain numbers."""
    # A tensor without an axis is one number, too; text is none, whatever its letters are.
    if isinstance(epsilons, (str, SupportsFloat)) and getattr(epsilons, "ndim", 0) == 0:
        given: list[Any] = [epsilons]
    else:
        given = list(epsilons) if isinstance(epsilons, Iterable) else []
    found = [within("epsilon", each, 0, 1) for each in given]
    if not found or found[0] == 0 or sorted(set(found)) != found:
        told = found or epsilons
        raise MistrustError(f"epsilons are {told}, expected rising numbers in (0, 1], such as [0.05, 0.1].")
    return found


@dataclass(frozen=True, eq=False)
class _Attack:
    """One block of images."""

    classifier: Classifier
    clean: Tensor
    labels: Tensor
    guard: Guard
    progress: Progress

    def run(self, epsilons: Sequence[float], steps: int, relative: float) -> tuple[Tensor, Tensor]:
        x, found = self.clean.clone(), torch.full((len(self.clean),), torch.inf, dtype=torch.float64)
        ascent, passed = self.look(x)
        found[passed] = 0.0
        open_ = (~passed).nonzero().flatten()
        ascent = ascent[~passed]
        for epsilon in epsilons:
            low, high = (self.clean - epsilon).clamp_(min=0), (self.clean + epsilon).clamp_(max=1)
            for _ in range(steps if len(open_) else 0):
                x[open_] = (x[open_] + relative * epsilon * ascent).clamp(low[open_], high[open_])
                ascent, passed = self.look(x[open_], open_)
                found[open_[passed]] = epsilon
                open_, ascent = open_[~passed], ascent[~passed]
                if not len(open_):
                    break
            self.progress.update(len(found))
        x[open_] = self.clean[open_]
        return found, x

    def look(self, images: Tensor, rows: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Where to go from here, by the sign of a gradient, and which images have got past."""
        labels = self.labels if rows is None else self.labels[rows]
        with torch.enable_grad():
            pixels = images.detach().requires_grad_()
            what = seen(self.classifier, pixels, self.guard.alarm.layers)
            alarms = self.guard.alarm.score(what)
            passed = self.guard.past(pixels.detach(), labels, what, alarms.detach())
            aim = torch.where(what.predicted != labels, _finite(-alarms), _lead(what, labels))
            return gradient(aim.sum(), pixels, last=True).sign(), passed


def _lead(what: Seen, labels: Int[Tensor, " n"]) -> Float64[Tensor, " n"]:
    """How far the nearest other class is ahead of the label, in logits."""
    logits, label = what.logits.double(), labels[:, None]
    return logits.scatter(1, label, -torch.inf).amax(1) - logits.gather(1, label)[:, 0]


def _finite(alarms: Tensor) -> Tensor:
    """Alarms with 0 in place of what is infinite: there is nothing to follow there."""
    return torch.where(alarms.isfinite(), alarms, 0.0)
