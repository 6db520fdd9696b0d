"""Perturbations: pure functions from a batch of images in [0, 1] to a batch of images in [0, 1], as table entries.

An entry knows its levels, so that "brightness at level 4" is a name and a number, and may have a continuous form, so
that it can be made as strong as a classifier needs. Random ones draw by image id: the same image gets the same noise
in every batch.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mistrust import random
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.inputs.draws import Draws
from mistrust.inputs.limits import check_made, check_set, whole, whole_numbers, within
from mistrust.networks import check_images
from mistrust.networks.tensors import check_tensor
from mistrust.registry import Registry

# Values at a time: intermediate results stay in a processor's cache. Where something is drawn, whole blocks of draws.
_VALUES = 2**18


@dataclass(frozen=True)
class Continuous:
    """A perturbation that one real number, its severity, makes stronger.

    Attributes
    ----------
    parameter : the parameter of `apply` that is the severity.
    grid : severities in ascending order, from (nearly) harmless to hopeless: where a calibration measures. A severity
        outside the first and the last is refused.
    apply : as in `Perturbation`; where sizes are whole numbers, a form that interpolates between them.
    fixed : its other parameters.

    Examples
    --------
    >>> shape = Continuous("by", (0.0, 0.5, 1.0), lambda images, draws, by: (images * (1 - by)).clamp(0, 1))
    >>> shape.parameter, shape.grid[-1]
    ('by', 1.0)
    >>> shape.apply(torch.ones(1, 1, 1, 2), None, by=0.25).flatten()
    tensor([0.7500, 0.7500])
    """

    parameter: str
    grid: tuple[float, ...]
    apply: Callable[..., Tensor]
    fixed: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Perturbation:
    """One perturbation.

    Attributes
    ----------
    title : what a reader calls it.
    source : paper and section.
    apply : (images (n, c, h, w) float32 in [0, 1], draws, **setting) -> images of the same shape in [0, 1]; it may
        give the images themselves where it changes nothing.
    levels : the settings of level 1, 2, ...: parameters of `apply` by name.
    random : whether it draws.
    continuous : the form with a real severity, for calibration; None where there is none.
    uint8 : whether `apply` takes grey levels, too, and then gives uint8.

    Examples
    --------
    >>> entry = PERTURBATIONS["brightness"]
    >>> entry.title, entry.random, entry.levels[0]
    ('Brightness', False, {'shift': 0.05})
    >>> entry.apply(torch.zeros(1, 1, 2, 2), None, **entry.levels[0]).unique()
    tensor([0.0500])
    """

    title: str
    source: str
    apply: Callable[..., Tensor]
    levels: tuple[Mapping[str, float], ...]
    random: bool = False
    continuous: Continuous | None = None
    uint8: bool = False


@dataclass(frozen=True)
class Corruption(Perturbation):
    """One corruption of a published corrupted test set.

    Attributes
    ----------
    severity : the level with which the published set was made.

    Examples
    --------
    >>> fog = CORRUPTIONS["mnistc/fog"]
    >>> fog.title, len(fog.levels), fog.severity  # the code offers five levels, MNIST-C has the last
    ('Fog', 5, 5)
    """

    severity: int = 1


PERTURBATIONS = Registry[Perturbation]("perturbation", "mistrust list perturbations")
CORRUPTIONS = Registry[Corruption]("corruption", "mistrust list corruptions")


def levels(**columns: tuple[float, ...]) -> tuple[dict[str, float], ...]:
    """Give one mapping a level from one tuple a parameter.

    Examples
    --------
    >>> levels(radius=(1, 2), sigma=(0.5, 0.7))
    ({'radius': 1, 'sigma': 0.5}, {'radius': 2, 'sigma': 0.7})
    """
    return tuple(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def known(name: str) -> Perturbation:
    """Give the entry of either table: names of corruptions begin with those of their set, as in "mnistc/fog"."""
    return CORRUPTIONS[name] if "/" in str(name) else PERTURBATIONS[name]


def perturb(
    images: Float[Tensor, "n c h w"],
    name: str,
    setting: int | Mapping[str, float],
    *,
    ids: Int[Tensor, " n"] | None = None,
    seed: int = 0,
) -> Float[Tensor, "n c h w"]:
    """Apply a perturbation of the table.

    Parameters
    ----------
    images : (n, c, h, w) float32 in [0, 1].
    name : see `mistrust list perturbations` and `mistrust list corruptions`.
    setting : a level (1, 2, ...), parameters by name, for instance {"shift": 0.2}, or {"severity": 0.2}: the
        continuous form at this severity. Draws of a random perturbation are independent between levels and between
        settings, and the same for all severities.
    ids : (n,) ids that random perturbations draw by; 0 .. n-1 when not given.
    seed : of the draws.

    Returns
    -------
    (n, c, h, w) float32 in [0, 1]. An image's result does not depend on the others of its batch.

    Raises
    ------
    MistrustError
        An unknown name, a level that the table does not have, an unknown parameter or one outside its range, images
        that are not float32 in [0, 1], ids that are no whole numbers, one per image, an entry that gives another shape.

    Examples
    --------
    >>> grey = torch.full((2, 1, 28, 28), 0.5)
    >>> perturb(grey, "brightness", 3)[0, 0, 0, 0]
    tensor(0.8250)
    >>> perturb(grey, "gaussian_noise", 3, ids=torch.tensor([7, 8])).shape  # noise belongs to an id
    torch.Size([2, 1, 28, 28])
    """
    if isinstance(images, ImageSet):
        raise MistrustError(f"perturb takes a tensor of images, got {images!r}: perturbed(images, ...) takes a set.")
    if isinstance(images, Tensor) and images.dtype != torch.float32:
        way = "images.to(torch.float32)" if images.is_floating_point() else "images / 255 of bytes"
        raise MistrustError(f"Images are {images.dtype}, expected float32 in [0, 1]: {way}.")
    check_images(images)
    given = torch.arange(len(images)) if ids is None else whole_numbers("Ids", ids)
    if tuple(given.shape) != (len(images),):
        raise MistrustError(f"There are {len(images)} images and ids of shape {tuple(given.shape)}: one id per image.")
    return _blockwise(images, given, name, setting, seed, torch.float32)


def perturbed(images: ImageSet, name: str, setting: int | Mapping[str, float], *, seed: int = 0) -> ImageSet:
    """Give the image set with every image perturbed and stored as uint8; ids and labels stay.

    Raises
    ------
    MistrustError
        Images that are no `ImageSet`, and what `perturb` refuses.

    Examples
    --------
    >>> from mistrust.data import load
    >>> digits = load("digits", "test")
    >>> bright = perturbed(digits, "brightness", 3)
    >>> bool((bright.ids == digits.ids).all()), bright.images.dtype
    (True, torch.uint8)
    """
    check_set("perturbed", images)
    return images.with_images(_blockwise(images.images, images.ids, name, setting, seed, torch.uint8))


def to_uint8(images: Float[Tensor, "n c h w"]) -> Tensor:
    """Truncate images in [0, 1] to grey levels 0 to 255, as the MLM paper's data set was written.

    The small addend makes up for float32 rounding alone: what came from a whole grey level goes back to it, where
    plain truncation would lose a level in a few per cent of the pixels.

    Raises
    ------
    MistrustError
        Images that are no tensor of floats, or leave [0, 1]: their grey levels would begin anew at the other end.

    Examples
    --------
    >>> to_uint8(torch.tensor([[[[0.0, 0.5, 1.0]]]]))
    tensor([[[[  0, 127, 255]]]], dtype=torch.uint8)
    """
    check_tensor(images)
    if not images.is_floating_point():
        raise MistrustError(f"Images to be stored as grey levels are {images.dtype}, expected floats in [0, 1].")
    if images.numel():
        low, high = (float(one) for one in images.aminmax())
        if not (low >= 0 and high <= 1):  # written so that NaN is refused, too
            raise MistrustError(
                f"Images to be stored as grey levels reach from {low:g} to {high:g}, expected [0, 1] and no NaN. End "
                "the formula that made them with .clamp(0, 1)."
            )
    # The conversion truncates. By way of int16 it is vectorized: three times as fast.
    return (images * 255).add_(2.0**-10).to(torch.int16).to(torch.uint8)


def _blockwise(
    images: Tensor,
    ids: Int[Tensor, " n"],
    name: str,
    setting: int | Mapping[str, float],
    seed: int,
    dtype: torch.dtype,
) -> Tensor:
    """Perturb block by block, so that memory beyond the result does not grow with n."""
    entry = known(name)
    apply, key = _chosen(name, entry, setting)
    result = torch.empty(images.shape, dtype=dtype, device=images.device)
    size = max(1, _VALUES // max(1, images[:1].numel()))
    for here in _blocks(ids, size) if entry.random else (slice(i, i + size) for i in range(0, len(ids), size)):
        some, draws = images[here], Draws(seed, key, ids[here])
        if some.dtype == torch.uint8:
            some = some if entry.uint8 and dtype == torch.uint8 else some.to(torch.float32).div_(255)
        made = apply(some, draws)
        check_made(f"{'Corruption' if '/' in name else 'Perturbation'} '{name}'", made, some.shape)
        result[here] = to_uint8(made) if dtype == torch.uint8 and made.dtype != torch.uint8 else made
    return result


def _blocks(ids: Int[Tensor, " n"], size: int) -> Iterator[slice | Tensor]:
    """Positions whose ids share blocks of draws, so that none is drawn twice: slices where the ids are in order.

    As many blocks at once as make about `size` images, at least one.
    """
    home = ids // (random.BLOCK * max(1, round(size / random.BLOCK)))
    ordered = bool((home[1:] >= home[:-1]).all())
    order = None if ordered else home.argsort(stable=True)
    counts = torch.unique_consecutive(home if order is None else home[order], return_counts=True)[1]
    start = 0
    for count in counts.tolist():
        here = slice(start, start + count)
        yield here if order is None else order[here]
        start += count


def _chosen(
    name: str, entry: Perturbation, setting: int | Mapping[str, float]
) -> tuple[Callable[[Tensor, Draws], Tensor], str]:
    """Give the perturbation with its parameters filled in, and the name of its draws."""
    if isinstance(setting, Mapping) and set(setting) == {"severity"}:
        form = continuous(name)
        severity = within(f"Perturbation '{name}': severity", setting["severity"], form.grid[0], form.grid[-1])
        # One name for all severities, common random numbers: a curve of accuracy against severity is then smooth.
        return partial(form.apply, **form.fixed, **{form.parameter: severity}), f"{name}/severity"
    chosen = _setting(name, entry, setting)
    # Draws are keyed by the setting: the noise of two levels is independent, as in a data set made level by level.
    key = f"{name}/" + ",".join(f"{k}={float(v):g}" for k, v in sorted(chosen.items()))
    return partial(entry.apply, **chosen), key


def continuous(name: str) -> Continuous:
    """Give the continuous form of a perturbation.

    Raises
    ------
    MistrustError
        An unknown name, or an entry that has no such form; the error lists those that have.

    Examples
    --------
    >>> continuous("brightness").parameter
    'shift'
    >>> perturb(torch.full((1, 1, 28, 28), 0.5), "brightness", {"severity": 0.25}).unique()
    tensor([0.7500])
    """
    form = known(name).continuous
    if form is None:
        have = ", ".join(n for n, entry in PERTURBATIONS.items() if entry.continuous is not None)
        raise MistrustError(
            f"Perturbation '{name}' has no continuous form, so it takes levels and parameters, no severity. "
            f"Those that have one: {have}."
        )
    return form


def _setting(name: str, entry: Perturbation, setting: int | Mapping[str, float]) -> Mapping[str, float]:
    if isinstance(setting, Mapping):
        known = set(entry.levels[0])
        if set(setting) != known:
            raise MistrustError(f"Perturbation '{name}' takes {sorted(known)}, got {sorted(setting)}.")
        return {key: within(f"Perturbation '{name}': {key}", value, -inf) for key, value in setting.items()}
    try:
        return entry.levels[whole("level", setting, 1, len(entry.levels)) - 1]
    except MistrustError:
        raise MistrustError(f"Perturbation '{name}' has levels 1 to {len(entry.levels)}, got {setting!r}.") from None
