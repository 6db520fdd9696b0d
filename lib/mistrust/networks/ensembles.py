"""Ensembles: networks that differ in their seed alone.

Lakshminarayanan, Pritzel and Blundell, Simple and scalable predictive uncertainty estimation using deep ensembles,
NeurIPS 2017, section 2.4: random first weights and random order of all images, no bagging.

A member and a single network of the same seed are one entry of the store, which `trained` or a stack of members may
have made: they take the same steps and differ by rounding, which long training magnifies, as another device does.
Stacked as one network, members share the launches of their steps, which is what a GPU waits for where networks are
small. On a CPU, where steps are arithmetic already, a stack mostly loses (`benchmarks/ensembles.py` has by how much).
So what asks for several networks asks `trained_members`, which stacks on a GPU and nowhere else.
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks.architectures import ARCHITECTURES
from mistrust.networks.checks import check_set
from mistrust.networks.classifier import Classifier
from mistrust.networks.devices import device as find_device
from mistrust.networks.recipe import Recipe
from mistrust.networks.stacked import unstackable
from mistrust.networks.stacked_training import Result, train_stacked
from mistrust.networks.training import NETWORK, network_spec, trained
from mistrust.networks.weights import Plan
from mistrust.store import Scratch, key, made

# The most members of one stack: each holds a file open while it waits for the others.
MOST = 100

Spec = dict[str, object]
Train = Callable[[dict[int, Scratch]], list[Result]]


def trained_members(
    architecture: str,
    images: ImageSet,
    recipe: Recipe,
    seeds: Sequence[int],
    *,
    targets: Float[Tensor, "n k"] | None = None,
    device: str | None = None,
    stacked: bool | None = None,
    at_once: int = 20,
) -> list[Classifier]:
    """Give an ensemble's members from the store, one per seed in the order of the seeds, or train those not there.

    Stopped, it goes on where it was. To spread members over processes, train them by `trained` in pieces of
    `engine.map` and gather them here.

    Parameters
    ----------
    architecture, images, recipe, targets, device : as for `trained`.
    seeds : of the members, no two alike.
    stacked : train those not there as one stacked network. True does or says why it cannot, False trains one after
        another, None stacks where the architecture allows and the device is no CPU.
    at_once : members of one stack, 1 to 100: they and their batches are in memory together.

    Raises
    ------
    MistrustError
        No seed, or one twice; an architecture that cannot be stacked, where `stacked` is True; `at_once` out of range;
        what `trained` refuses. Where the loss of one member of a stack is no longer finite, the others are kept first.

    Examples
    --------
    >>> from mistrust.data import load
    >>> from mistrust.networks import observe
    >>> first, *others = trained_members("mlm-cnn", load("mnist5k", "train"), Recipe(), range(5))  # doctest: +SKIP
    >>> record = observe(first, load("mnist5k", "test"), members=others)  # doctest: +SKIP
    """
    check_set(images)
    wanted = [int(seed) for seed in seeds]
    if not wanted:
        raise MistrustError("An ensemble of no members: give their seeds, such as range(5).")
    twice = sorted({seed for seed in wanted if wanted.count(seed) > 1})
    if twice:
        raise MistrustError(
            f"Seed {twice[0]} stands {wanted.count(twice[0])} times among {wanted}: members of one seed are the same "
            "network. Give each its own, such as range(5)."
        )
    if not 1 <= at_once <= MOST:
        raise MistrustError(f"at_once is {at_once}, expected 1 to {MOST} members of one stack, such as 20.")
    channels, height, width = images.images.shape[1:]
    plan = Plan(architecture, (channels, height, width), images.classes)
    if _to_stack(plan, stacked, find_device(device)):
        specs = {seed: network_spec(architecture, images, recipe, seed, targets) for seed in wanted}
        for start in range(0, len(wanted), at_once):
            _keep({seed: specs[seed] for seed in wanted[start : start + at_once]}, lambda held: train_stacked(
                plan, images, recipe, list(held), targets=targets, device=device, scratches=list(held.values())
            ))  # fmt: skip
    return [trained(architecture, images, recipe, seed, targets=targets, device=device) for seed in wanted]


def _to_stack(plan: Plan, stacked: bool | None, device: torch.device) -> bool:
    ARCHITECTURES[plan.architecture]  # an unknown name fails here
    if stacked is False or (stacked is None and device.type == "cpu"):
        return False
    reasons = _reasons(plan)
    if reasons and stacked:
        able = [name for name in ARCHITECTURES if _able(Plan(name, plan.shape, plan.classes))]
        raise MistrustError(
            f"Architecture '{plan.architecture}' cannot be trained stacked, for its {', '.join(reasons[:3])}"
            f"{' and others' if len(reasons) > 3 else ''}. Those that can: {', '.join(able)}. Leave `stacked` out to "
            "stack only where that is possible."
        )
    return not reasons


def _reasons(plan: Plan) -> list[str]:
    with torch.device("meta"):  # sizes without numbers
        return unstackable(plan.build())


def _able(plan: Plan) -> bool:
    try:
        return not _reasons(plan)
    except MistrustError:  # not made for such images
        return False


def _keep(specs: dict[int, Spec], train: Train) -> None:
    """Train those of the seeds whose networks are not in the store, as one stack, and keep each by itself.

    Raises
    ------
    MistrustError
        Of the first member in the order of the seeds that came to no weights, when the others are kept.
    """
    # In the order of their keys: two processes that wait for each other's networks would wait for ever.
    found = _held(sorted(specs.items(), key=lambda one: key(NETWORK, one[1])), {}, train)
    for seed in specs:
        error = found.get(seed)
        if isinstance(error, MistrustError):
            raise MistrustError(f"Seed {seed} of the ensemble: {error} The members without this error are kept.")


def _held(waiting: list[tuple[int, Spec]], held: dict[int, Scratch], train: Train) -> dict[int, Result]:
    """Take the networks that wait, if not in the store, to those that this process holds; train when all are held.

    `made` holds one network while it is being made, so a stack is made inside one `made` after another.
    """
    if not waiting:
        return dict(zip(held, train(held), strict=True)) if held else {}
    (seed, spec), *others = waiting
    found: dict[int, Result] | None = None

    def make(scratch: Scratch) -> dict[str, Tensor]:
        nonlocal found
        found = _held(others, held | {seed: scratch}, train)
        weights = found[seed]
        if isinstance(weights, MistrustError):
            raise weights
        return weights

    try:
        made(NETWORK, spec, make)
    except MistrustError as error:
        if found is None or error is not found[seed]:
            raise
    return _held(others, held, train) if found is None else found
