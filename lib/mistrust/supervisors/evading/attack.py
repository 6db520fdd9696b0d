"""An attack by someone who knows the supervisor: images that the network gets wrong and the supervisor lets pass.

Carlini and Wagner (Adversarial examples are not easily detected, AISec 2017) ask for it of every detector. Here it is
the selective projected gradient descent of Bryniarski, Hingun, Pachuca, Wang and Carlini (Evading adversarial example
detection defenses with orthogonal projected gradient descent, ICLR 2022): each step serves one of the two
aims, the network's mistake until it is made, the supervisor's silence from then on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.attacks import gradient
from mistrust.inputs.limits import number, whole, within
from mistrust.networks import Classifier
from mistrust.progress import Progress, bar
from mistrust.supervisors.contract import Supervisor, some
from mistrust.supervisors.evading.alarms import Alarm, Seen, alarm, seen

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
    supervisor: Supervisor | None = None,
    limit: float = float("inf"),
    *,
    epsilons: Sequence[float],
    steps: int = 40,
    relative_step: float = 0.1,
) -> Evaded:
    """Change images by at most epsilon a pixel, so that their class is mistaken and the supervisor lets them pass.

    Within each epsilon the search goes on from where the one before ended. It finds what it finds: a better attack may
    get past within less, and none can be shown to need more.

    Parameters
    ----------
    images : with labels; what the network gets wrong already has epsilon 0 where it passes.
    supervisor, limit : a fitted one, and its threshold: what is not above it passes. None: the attacker knows the
        network alone.
    epsilons : rising, in (0, 1].
    steps : within each epsilon.
    relative_step : of a pixel in a step, as a share of epsilon.

    Raises
    ------
    MistrustError
        Epsilons that are none or do not rise, parameters out of their range, a network without gradients, a supervisor
        that is in no line of `ALARMS` or was fitted on other classes.
    NotFitted
        A supervisor before `fit`.

    Examples
    --------
    A supervisor that reads the largest softmax is passed by whoever goes a little further:

    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors import make_supervisor
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> softmax = make_supervisor("max_softmax").fit(observe(it.classifier, it.training))
    >>> limit = float(softmax.score(observe(it.classifier, it.nominal)).quantile(0.95))
    >>> epsilons = [0.05 * step for step in range(1, 16)]
    >>> wrong = evade(it.classifier, it.nominal, epsilons=epsilons).epsilon
    >>> unnoticed = evade(it.classifier, it.nominal, softmax, limit, epsilons=epsilons).epsilon
    >>> bool((wrong <= unnoticed).all()), bool(unnoticed.isfinite().all())
    (True, True)
    """
    given = [within("epsilon", one, 0, 1) for one in epsilons]
    if not given or given[0] == 0 or sorted(set(given)) != given:
        raise MistrustError(f"epsilons are {list(epsilons)}, expected rising numbers in (0, 1], such as [0.05, 0.1].")
    count, step = whole("steps", steps, 1), within("relative_step", relative_step, 1e-9)
    allowed = number("limit", limit)
    if isnan(allowed):
        raise MistrustError("limit is NaN, expected the supervisor's threshold, such as a quantile of nominal scores.")
    watch = Alarm((), _silent) if supervisor is None else alarm(supervisor)
    known = None if supervisor is None else supervisor.fitted
    if known is not None and known.classes != classifier.classes:
        raise MistrustError(
            f"The supervisor was fitted on a classifier with {len(known.classes)} classes ({some(known.classes)}), "
            f"this one has {len(classifier.classes)} ({some(classifier.classes)}). Attack the one that it watches."
        )
    found = torch.full((len(images),), torch.inf, dtype=torch.float64)
    best = images.floats().clone()
    with bar(len(images) * len(given), "evading", "image within an epsilon") as progress:
        for rows in torch.arange(len(images)).split(BLOCK) if len(images) else ():
            part = images.take(rows)
            attack = _Attack(classifier, part.floats(), part.labels, watch, allowed, progress)
            found[rows], best[rows] = attack.run(given, count, step)
    return Evaded(found, best)


@dataclass(frozen=True, eq=False)
class _Attack:
    """One block of images."""

    classifier: Classifier
    clean: Tensor
    labels: Tensor
    alarm: Alarm
    limit: float
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
            what = seen(self.classifier, pixels, self.alarm.layers)
            wrong = what.predicted != labels
            alarms = self.alarm.score(what)
            passed = wrong & (alarms.detach() <= self.limit)
            aim = torch.where(wrong, _finite(-alarms), _lead(what, labels))
            return gradient(aim.sum(), pixels, last=True).sign(), passed


def _silent(what: Seen) -> Float64[Tensor, " n"]:
    """No alarm, whatever is shown."""
    return torch.full((len(what.logits),), -torch.inf, dtype=torch.float64)


def _lead(what: Seen, labels: Int[Tensor, " n"]) -> Float64[Tensor, " n"]:
    """How far the nearest other class is ahead of the label, in logits."""
    logits, label = what.logits.double(), labels[:, None]
    return logits.scatter(1, label, -torch.inf).amax(1) - logits.gather(1, label)[:, 0]


def _finite(alarms: Tensor) -> Tensor:
    """Alarms with 0 in place of what is infinite: there is nothing to follow there."""
    return torch.where(alarms.isfinite(), alarms, 0.0)
