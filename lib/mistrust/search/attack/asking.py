"""What an attack that knows labels alone sees of a network: images in, labels out, every image counted."""

from collections.abc import Callable
from reprlib import repr as shortened

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from mistrust.data import ImageSet
from mistrust.engine.memory import keep_freed_memory
from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole
from mistrust.networks import Classifier

# Images (m, c, h, w) in [0, 1] to m whole numbers, as a tensor, an array or a list.
Labels = Callable[[Tensor], object]
Network = Classifier | Labels

BLOCK = 512  # images in one pass at most
GPU_BLOCK = 4096  # on a GPU, which has done with a few before the next are launched
# On a CPU, pixel values in one pass, of 32 images at least: what a network makes of more is slow to lay down in memory.
VALUES, FEWEST = 256 * 28 * 28, 32
CHECKED = 32  # images that a classifier is shown by its own call, before any search


class Asked:
    """A network that is asked for labels.

    Parameters
    ----------
    network : a `Classifier`, or any callable from images in [0, 1] to one whole number per image.
    images : the images of the search, which say what numbers a plain callable is given (float32 or float64).
    block : images that it is shown at a time at most; None: 512 on a CPU, 4,096 elsewhere.
    dtype : of the images that it is shown: a classifier's weights' where not given, a callable gets that of `images`.

    Attributes
    ----------
    count : how many images it has been shown.
    most : how many it is shown in one pass: `block`, or fewer of large images on a CPU. There the C library is made to
        keep what passes free, for the whole process (`keep_freed_memory`).
    dtype, device : of the images that it is shown.
    """

    def __init__(
        self,
        network: Network,
        images: Float[Tensor, "n c h w"],
        block: int | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        self.network, self.count = network, 0
        self.shape, self.device = tuple(images.shape[1:]), images.device
        self.numbers = images.dtype
        if isinstance(network, Classifier):
            self.device, self.numbers = network.device, numbers_of(network, images.dtype)
            if len(images):
                network(images[:CHECKED].to(self.device, self.numbers))  # once with its own checks
        elif not callable(network):
            raise MistrustError(
                f"The network is a {type(network).__name__}, expected a Classifier (mistrust.networks.wrap) or a "
                "callable from images (m, c, h, w) in [0, 1] to m labels."
            )
        self.dtype = dtype or self.numbers
        usual = BLOCK if self.device.type == "cpu" else GPU_BLOCK
        self.most = self.block = usual if block is None else whole("block", block, 1)
        if self.device.type == "cpu":
            self.most = min(self.block, max(FEWEST, VALUES // max(1, images[:1].numel()) // FEWEST * FEWEST))
            keep_freed_memory()

    @torch.no_grad()
    def __call__(self, rows: Float[Tensor, "m d"]) -> Int64[Tensor, " m"]:
        """Labels of flattened images.

        Raises
        ------
        MistrustError
            An answer that is not one whole number per image; logits of a classifier that are not finite.
        """
        if not len(rows):
            return torch.zeros(0, dtype=torch.int64, device=self.device)
        self.count += len(rows)
        if len(rows) <= self.most:
            return self._labels(rows)
        return torch.cat([self._labels(some) for some in rows.split(self.most)])

    def _labels(self, rows: Tensor) -> Tensor:
        images = rows.reshape(-1, *self.shape).to(self.numbers)
        if isinstance(self.network, Classifier):
            return logits_of(self.network, images).argmax(1)
        labels = self._answer(images)
        if labels.shape != (len(images),) or labels.is_floating_point() or labels.is_complex():
            raise MistrustError(
                f"The network answered {len(images)} images with {str(labels.dtype).removeprefix('torch.')} of shape "
                f"{tuple(labels.shape)}, expected one whole number per image. Give logits.argmax(1), or wrap the "
                "network as a Classifier: mistrust.networks.wrap(network, classes)."
            )
        return labels.to(self.device, torch.int64)

    def _answer(self, images: Tensor) -> Tensor:
        """What a plain callable says of images; where it fails, its own error with a note on how to lose less."""
        assert callable(self.network)
        try:
            answer = self.network(images)
        except BaseException as stop:  # an interrupt, too: hours may be lost
            stop.add_note(
                "The network was being asked for labels, and what it had answered before is lost with this search. "
                "Searched some at a time, distances(network, images[i:j], ids=ids[i:j], ...), those that were found "
                "are yours to keep, and the same: an image's random numbers are its id's own (but in foolbox)."
            )
            raise
        try:
            return torch.as_tensor(answer)
        except (TypeError, ValueError, RuntimeError):
            given = f"{type(answer).__name__} such as {shortened(answer)}"
            raise MistrustError(
                f"The network answered {len(images)} images with {given}, expected one whole number per image. Number "
                "the classes: names.index(label)."
            ) from None


def logits_of(classifier: Classifier, images: Float[Tensor, "m c h w"]) -> Float[Tensor, "m k"]:
    """Logits of images that have been checked, differentiable where the network is.

    Not by the classifier's own call: among a million queries the logits of one image happen to sum to 1, and would be
    taken for probabilities.

    Raises
    ------
    MistrustError
        Logits that are NaN or infinite.
    """
    outputs = classifier.network(classifier.scaled(images))
    if classifier.outputs == "probabilities":
        outputs = outputs.clamp_min(torch.finfo(outputs.dtype).tiny).log()
    if not bool(torch.isfinite(outputs).all()):
        raise MistrustError(f"Classifier '{classifier.name}' gave outputs that are NaN or infinite: check its weights.")
    return outputs


def numbers_of(classifier: Classifier, otherwise: torch.dtype = torch.float32) -> torch.dtype:
    """The floating-point type of a network's weights, or another where it has none.

    Raises
    ------
    MistrustError
        A network in training mode, whose answers would change from query to query.
    """
    if not isinstance(classifier.network, nn.Module):
        return otherwise
    if classifier.module.training:
        raise MistrustError(
            f"Classifier '{classifier.name}' is in training mode, so that its answers would change from query to "
            "query. Call classifier.module.eval() before an attack."
        )
    return next((p.dtype for p in classifier.network.parameters() if p.is_floating_point()), otherwise)


def taken(
    images: ImageSet | Float[Tensor, "n c h w"], ids: Int64[Tensor, " n"] | None
) -> tuple[Float[Tensor, "n c h w"], Int64[Tensor, " n"]]:
    """Images in [0, 1] and their ids: those of an `ImageSet`, or those given, or 0 to n - 1.

    Raises
    ------
    MistrustError
        Pixels that are no floats in [0, 1] of shape (n, c, h, w), ids of another length or an id that occurs twice.
    """
    if isinstance(images, ImageSet):
        return images.floats(), images.ids if ids is None else checked_ids(ids, len(images))
    if not isinstance(images, Tensor) or images.ndim != 4 or not images.is_floating_point():
        given = f"{images.dtype} {tuple(images.shape)}" if isinstance(images, Tensor) else type(images).__name__
        raise MistrustError(
            f"Images are {given}, expected an ImageSet or a tensor of floats in [0, 1], (n, channels, height, width). "
            "Divide bytes by 255."
        )
    if len(images):
        low, high = (float(end) for end in images.aminmax())
        if not (low >= 0 and high <= 1):  # written so that NaN is refused too
            raise MistrustError(f"Images range from {low:.4g} to {high:.4g}, expected [0, 1]. Divide bytes by 255.")
    return images.detach(), torch.arange(len(images)) if ids is None else checked_ids(ids, len(images))


def checked_ids(ids: Int64[Tensor, " n"], n: int) -> Int64[Tensor, " n"]:
    """Refuse ids that are not n different whole numbers: an id is what an image's random numbers are keyed by."""
    given = torch.as_tensor(ids)
    if given.shape != (n,) or given.is_floating_point():
        raise MistrustError(f"Ids are {given.dtype} of shape {tuple(given.shape)}, expected {n} whole numbers.")
    values, often = given.unique(return_counts=True)
    if len(values) < n:
        raise MistrustError(f"Id {int(values[often > 1][0])} occurs twice: two searches would draw the same numbers.")
    return given.long().cpu()


def lent(
    donors: ImageSet | Float[Tensor, "m c h w"] | None, images: Float[Tensor, "n c h w"]
) -> Float[Tensor, "m d"] | None:
    """Donors as rows of pixels, checked; images of another shape than those searched are refused."""
    if donors is None:
        return None
    pixels = taken(donors, None)[0]
    if pixels.shape[1:] != images.shape[1:]:
        raise MistrustError(
            f"Donors are of shape {tuple(pixels.shape[1:])}, the images of {tuple(images.shape[1:])}, expected the "
            "same: give the evaluation set that the images come from."
        )
    return pixels.flatten(1)
