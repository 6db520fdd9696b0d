"""Targeted perturbations as the paper makes them: Adam on the image, until the target has its probability.

Section 1.1 (after equation 3): Adam with no bound on the change; section 3.1: stop when the target class has a
probability of at least .90. The paper tells neither rate nor limit of steps; its equation 3 has x at t + 1 on both
sides, and y where the target is meant. What comes out is close to rate times steps, whatever the rate: it measures
how many steps of one size Adam takes, and shrinks and grows with the rate. `tight` says how much of it is needed.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs.limits import whole, within
from mistrust.networks import Classifier
from mistrust.progress import bar
from mistrust.robustness.noise import GREY
from mistrust.robustness.target_pairs import BLOCK, Targeted, TargetPairs

# Adam's own (Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1).
BETAS, EPSILON = (0.9, 0.999), 1e-8
# At the default rate of 2 grey levels a step, black is white after 128 steps in one direction: who has not arrived
# after four times that goes round in circles.
STEPS = 512


@dataclass
class _Active:
    """The pairs that are under way: their images, Adam's two moments, and how many steps each has taken."""

    rows: Int[Tensor, " a"]
    x: Float[Tensor, "a c h w"]
    first: Float[Tensor, "a c h w"]
    second: Float[Tensor, "a c h w"]
    taken: Int[Tensor, " a"]

    @classmethod
    def begin(cls, pairs: TargetPairs, rows: Tensor) -> "_Active":
        x = pairs.clean(rows)
        return cls(rows, x, torch.zeros_like(x), torch.zeros_like(x), torch.zeros(len(x), dtype=torch.int64))

    def join(self, other: "_Active") -> "_Active":
        mine, theirs = vars(self), vars(other)
        return _Active(**{name: torch.cat([mine[name], theirs[name]]) for name in mine})

    def only(self, left: Tensor) -> "_Active":
        return _Active(**{name: part[left.to(part.device)] for name, part in vars(self).items()})

    def step(self, slope: Tensor, rate: float) -> None:
        """One step of Adam for each pair, of its own count, then back into [0, 1]."""
        self.taken += 1
        self.first.lerp_(slope, 1 - BETAS[0])
        self.second.lerp_(slope.square(), 1 - BETAS[1])
        one, two = (1 - torch.tensor(beta, dtype=torch.float64) ** self.taken for beta in BETAS)
        one, two = (part.to(self.x).view(-1, 1, 1, 1) for part in (one, two))
        self.x = (self.x - rate * (self.first / one) / ((self.second / two).sqrt_() + EPSILON)).clamp_(0, 1)


def targeted(
    classifier: Classifier,
    images: ImageSet,
    targets: Int[Tensor, "n t"] | None = None,
    *,
    rate: float = 2.0,
    probability: float = 0.90,
    steps: int = STEPS,
    eight_bit: bool = True,
    keep: bool = False,
    block: int = BLOCK,
) -> Targeted:
    """Move every image to every target by Adam, all pairs in one batch.

    Parameters
    ----------
    classifier : wraps a torch module in evaluation mode. The search runs in its number type. A pair's result does not
        depend on the others of its batch: in float64 but for the last digits (bytes exactly), in float32 bit for bit on
        CPUs as measured (`TILE`); on a GPU single pairs in float32 may differ by a step or some.
    images : n images with true labels; those that are misclassified as they are, are kept apart.
    targets : (n, t) classes, t an image; None for all but the source.
    rate : Adam's, in grey levels of 0..255.
    probability : of the target, at which a pair is done. Looked at before each step, and after the last.
    steps : the most that a pair takes; one that has not arrived is kept as a failure.
    eight_bit : a pair is done only if its image, rounded to 8 bits, still has the probability, and else goes on; the
        distances are those of the rounded image.
    keep : keep the images found.
    block : pairs under way at once, whatever their number: one that is done makes room for the next.

    Returns
    -------
    The pairs, image by image, targets in the order given (ascending for None). With float images and `eight_bit`,
        distances hold what rounding itself does, half a grey level at most.

    Raises
    ------
    MistrustError
        What `TargetPairs` refuses; a rate that is not above 0, a limit of steps below 1, outputs without gradient.
    """
    size, limit = within("targeted: rate", rate, 1e-9) / GREY, whole("targeted: steps", steps, 1)
    pairs = TargetPairs(
        classifier, images, targets, probability=probability, eight_bit=eight_bit, keep=keep, block=block
    )  # fmt: skip
    waiting = torch.arange(len(pairs))
    active = _Active.begin(pairs, waiting[:0])
    with bar(len(pairs), "targeted", "pair") as progress:
        while len(active.rows) or len(waiting):
            room = pairs.block - len(active.rows)
            if room and len(waiting):
                active, waiting = active.join(_Active.begin(pairs, waiting[:room])), waiting[room:]
            progress.say(step=f"{int(active.taken.max())}/{limit}")  # all pairs may be done at about the same step
            p, slope = pairs.slope(active.x, active.rows)
            yes, x, p = pairs.reached(active.x, p, active.rows)
            over = yes.cpu() | (active.taken == limit)
            if bool(over.any()):
                here = over.to(x.device)
                pairs.write(active.rows[over], x[here], p[here], active.taken[over], yes[here])
                active, slope = active.only(~over), slope[~here]
                progress.update(int(over.sum()))
            active.step(slope, size)
    return pairs.found
