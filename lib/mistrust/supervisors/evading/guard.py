"""What an attacker has to pass: the network alone, a supervisor and its limit, or a whole monitor."""

from dataclasses import dataclass
from math import inf, isnan
from typing import Any

import torch
from jaxtyping import Bool, Float, Float64, Int
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.inputs.limits import number
from mistrust.networks import Classifier
from mistrust.networks.fingerprint import fingerprint
from mistrust.supervisors.contract import NotFitted, Supervisor, check_supervisor, some
from mistrust.supervisors.evading.alarms import Alarm, Seen, alarm
from mistrust.supervisors.learnt import check_network
from mistrust.supervisors.monitor import Monitor
from mistrust.supervisors.thresholds import Limits, Threshold


@dataclass(frozen=True, eq=False)
class Guard:
    """An alarm to follow, and when an image passes it.

    Attributes
    ----------
    alarm : what is followed.
    limits : an image passes that is not above its limit.
    infinite : whether an infinite alarm passes an infinite limit.
    monitor : has the last word, where there is one.
    """

    alarm: Alarm
    limits: Limits
    infinite: bool = True
    monitor: Monitor | None = None

    def past(
        self, images: Float[Tensor, "n c h w"], labels: Int[Tensor, " n"], what: Seen, alarms: Float64[Tensor, " n"]
    ) -> Bool[Tensor, " n"]:
        """Tell which images are mistaken and pass."""
        passed = (what.predicted != labels) & (alarms <= self.limits.of(what.predicted))
        if not self.infinite:
            passed &= alarms < inf
        rows = passed.nonzero().flatten()
        if self.monitor is not None and len(rows):  # what is followed is its score up to rounding
            said = self.monitor.watch(images[rows])
            passed[rows] = ~said.alarms & (said.predicted != labels[rows])
        return passed


def guard(classifier: Classifier, given: Supervisor | Monitor | None, limit: float | Threshold | None) -> Guard:
    """Give what guards a classifier, as `evade` is told of it.

    Raises
    ------
    MistrustError
        What is no supervisor, or cannot be followed; a limit that is NaN, lacks or is one too many; another classifier.
    NotFitted
        A supervisor or a threshold before `fit`.
    """
    if isinstance(given, Monitor):
        if limit is not None:
            raise MistrustError(
                "A monitor has its own threshold, and a limit was given, too. Leave the limit out, or give "
                "monitor.supervisor in the monitor's place."
            )
        supervisor, limits = given.supervisor, _limits(given.threshold)
    else:
        supervisor, limits = given, _limits(inf if limit is None else limit)
    if supervisor is None:
        return Guard(Alarm((), _silent), _limits(inf))
    check_supervisor(supervisor)
    followed = alarm(supervisor)
    if given is supervisor and limit is None:
        raise MistrustError(
            f"{supervisor.card.title} has no limit, so that everything would pass it. Give its threshold, "
            "evade(classifier, images, supervisor, threshold), or a monitor: evade(classifier, images, monitor)."
        )
    _check_watched(classifier, supervisor)
    if isinstance(given, Monitor) and fingerprint(given.classifier) != fingerprint(classifier):
        raise MistrustError(
            f"The monitor watches another network than that of classifier '{classifier.name}'. Attack "
            "monitor.classifier."
        )
    whole = given if isinstance(given, Monitor) else None
    return Guard(followed, limits, whole is None and not isinstance(limit, Threshold), whole)


def _limits(limit: Any) -> Limits:
    if isinstance(limit, Threshold):
        if limit.limits is None:
            raise NotFitted(f"{limit} is not fitted yet: call threshold.fit(scores) with scores of nominal images.")
        return limit.limits
    allowed = number("limit", limit)
    if isnan(allowed):
        raise MistrustError("limit is NaN, expected the supervisor's threshold, such as a quantile of nominal scores.")
    none = torch.zeros(0, dtype=torch.int64)
    return Limits(torch.tensor(allowed, dtype=torch.float64), none, none.to(torch.float64))


def _check_watched(classifier: Classifier, supervisor: Supervisor) -> None:
    known = supervisor.fitted
    if known is None:  # as `alarm` has refused
        return
    if known.classes != classifier.classes:
        raise MistrustError(
            f"The supervisor was fitted on a classifier with {len(known.classes)} classes ({some(known.classes)}), "
            f"this one has {len(classifier.classes)} ({some(classifier.classes)}). Attack the one that it watches."
        )
    check_network(supervisor.card, known, fingerprint(classifier), f"classifier '{classifier.name}'")


def _silent(what: Seen) -> Float64[Tensor, " n"]:
    """No alarm, whatever is shown."""
    return torch.full((len(what.logits),), -inf, dtype=torch.float64)
