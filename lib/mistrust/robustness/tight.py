"""Targeted perturbations that are as small as a better search finds them: projected gradient descent, bisected.

How much of a targeted distance is the network's and how much Adam's? Here the largest change of a pixel is bounded,
steps follow the sign of the gradient (Madry and others, "Towards deep learning models resistant to adversarial
attacks", ICLR 2018, arXiv 1706.06083, section 2.1, without a random start), and the bound is bisected. Still an upper
bound of what is needed, by some ten times the work.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs.limits import whole, within
from mistrust.networks import Classifier
from mistrust.progress import bar
from mistrust.robustness.target_pairs import BLOCK, Targeted, TargetPairs

# 255 grey levels halved nine times: the bound is found to half a grey level.
STEPS, BISECTIONS, REACH = 60, 9, 2.5


def tight(
    classifier: Classifier,
    images: ImageSet,
    targets: Int[Tensor, "n t"] | None = None,
    *,
    probability: float = 0.90,
    steps: int = STEPS,
    bisections: int = BISECTIONS,
    reach: float = REACH,
    eight_bit: bool = True,
    keep: bool = False,
    block: int = BLOCK,
) -> Targeted:
    """Find, for every image and target, the smallest bound on the change within which the target gets its probability.

    Parameters
    ----------
    classifier, images, targets, probability, eight_bit, keep : as for `targeted`. An image rounded to 8 bits may leave
        the bound by half a grey level; what counts is the change that is measured.
    steps : of one attempt, at most; each goes `reach` / `steps` times the bound.
    bisections : attempts, beginning at a bound of half the range.
    reach : how far all steps together could go, in bounds.
    block : pairs at a time.

    Returns
    -------
    The pairs as `targeted` gives them: of all attempts that arrived the one with the smallest largest change, `steps`
    those of this attempt.

    Raises
    ------
    MistrustError
        What `TargetPairs` refuses; steps or bisections below 1, a reach below 1, which could not get to the bound.
    """
    count, halvings = whole("tight: steps", steps, 1), whole("tight: bisections", bisections, 1)
    far = within("tight: reach", reach, 1)
    pairs = TargetPairs(
        classifier, images, targets, probability=probability, eight_bit=eight_bit, keep=keep, block=block
    )  # fmt: skip
    with bar(len(pairs), "tight", "pair") as progress:
        for rows in torch.arange(len(pairs)).split(pairs.block):
            low, high = torch.zeros(2, len(rows), dtype=torch.float64)
            high += 1
            best = torch.full_like(low, torch.inf)
            for attempt in range(halvings):
                progress.say(bisection=f"{attempt + 1}/{halvings}")
                bound = (low + high) / 2
                yes, x, p, taken = _attempt(pairs, rows, bound, count, far)
                high, low = torch.where(yes, bound, high), torch.where(yes, low, bound)
                # A smaller bound need not give a smaller change: an earlier attempt may have stopped short of its own.
                linf = torch.where(yes, pairs.distances(x, rows)[0], torch.inf)
                better = (linf < best) | best.isinf()
                best = best.minimum(linf)
                here = better.to(x.device)
                pairs.write(rows[better], x[here], p[here], taken[better], yes.to(x.device)[here])
            progress.update(len(rows))
    return pairs.found


def _attempt(
    pairs: TargetPairs, rows: Int[Tensor, " b"], bound: Float[Tensor, " b"], steps: int, reach: float
) -> tuple[Bool[Tensor, " b"], Tensor, Tensor, Int[Tensor, " b"]]:
    """Steps along the sign of the gradient within each pair's bound, up to the first image that arrives."""
    clean = pairs.clean(rows)
    x, p = clean.clone(), clean.new_zeros(len(rows))
    yes, taken = torch.zeros(len(rows), dtype=torch.bool), torch.full((len(rows),), steps)
    room = bound.to(clean).view(-1, 1, 1, 1)
    low, high = (clean - room).clamp_(min=0), (clean + room).clamp_(max=1)
    left = torch.arange(len(rows))
    for done in range(steps + 1):
        there = left.to(x.device)
        probability, slope = pairs.slope(x[there], rows[left])
        arrived, image, probability = pairs.reached(x[there], probability, rows[left])
        p[there] = probability
        now = arrived.cpu()
        yes[left[now]], taken[left[now]], x[there[arrived]] = True, done, image[arrived]
        left, there, slope = left[~now], there[~arrived], slope[~arrived]
        if done == steps or not len(left):
            break
        moved = x[there] - room[there] * (reach / steps) * slope.sign()
        x[there] = moved.clamp_(low[there], high[there])
    return yes, x, p, taken
