"""MC-Dropout: many passes with dropout on, of which only what follows the first dropout layer is repeated.

Gal and Ghahramani, Dropout as a Bayesian approximation, ICML 2016, section 4: the dropout of training, left on.
Alpha dropout: Klambauer and others, Self-normalizing neural networks, NeurIPS 2017, as torch computes it.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

import numpy as np
import torch
from jaxtyping import Float, Int, UInt8
from torch import Tensor, nn

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.networks.classifier import Classifier

# Of networks that normalise themselves (SELU): what is dropped takes SELU's lowest value, not 0.
ALPHA = (nn.AlphaDropout, nn.FeatureAlphaDropout)
LOWEST = -1.7580993408473766
CHANNELWISE = (nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.FeatureAlphaDropout)
DROPOUTS = (nn.Dropout, *CHANNELWISE, nn.AlphaDropout)
# Samples that one generator draws masks for, and so the most that one image has in one pass.
CHUNK = 128
# A rate is a whole number of these: 16 random bits decide on a number, and a single bit where the rate is a half.
STEPS = 2**16


def has_active_dropout(network: nn.Module) -> bool:
    """Whether two passes with dropout on can differ: some dropout layer has a rate between 0 and 1.

    Examples
    --------
    >>> [has_active_dropout(torch.nn.Sequential(torch.nn.Dropout(rate))) for rate in (0.0, 0.5, 1.0)]
    [False, True, False]
    """
    return any(isinstance(part, DROPOUTS) and 0 < part.p < 1 for part in network.modules())


def parts(network: nn.Module) -> list[nn.Module]:
    """Modules that, called one after another, are the network: the leaves of nested `nn.Sequential`s.

    Anything else, a subclass included, is one part: what its `forward` does between its modules cannot be known. So is
    a `Sequential` with hooks of its own.
    """
    if type(network) is not nn.Sequential or network._forward_hooks or network._forward_pre_hooks:
        return [network]
    return [part for child in network for part in parts(child)]


class Sampler:
    """Draws S samples of an image's logits with dropout on.

    What comes before the first part with dropout is the same in all samples: its output is kept from the plain forward
    pass, and the rest runs on images x samples at once. A network that is no `nn.Sequential` is repeated whole.

    Masks belong to (seed, layer, sample) and image id: neither the other images, their order, nor the number of samples
    changes them. Where one layer is called several times in a pass, each call has masks of its own.

    Parameters
    ----------
    classifier : its module holds a dropout layer that is a module. What calls `functional.dropout` is not seen: in a
        network that has both, the modules alone drop.
    samples : S.
    seed : of the masks.
    rows : images x samples of one pass, about.

    Raises
    ------
    MistrustError
        The classifier has no dropout layer with a rate between 0 and 1, or is a plain callable; in `draw`, none that
        runs when images are classified, or one that does not get one row per image.

    Examples
    --------
    What `observe(..., samples=...)` uses. With more samples the first ones stay as they are:

    >>> from mistrust.data import load
    >>> few = load("digits", "test").take(slice(0, 3))
    >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Dropout(0.5), torch.nn.Linear(64, 10))
    >>> classifier = wrap(network, few.classes)
    >>> two, four = (observe(classifier, few, samples=count).samples for count in (2, 4))
    >>> four.shape, torch.allclose(two, four[:2])
    (torch.Size([4, 3, 10]), True)
    >>> torch.allclose(four[0], four[1])  # other masks
    False
    """

    def __init__(self, classifier: Classifier, samples: int, seed: int, rows: int) -> None:
        names = [(name, m) for name, m in classifier.layers.items() if isinstance(m, DROPOUTS)]
        if not names:
            raise MistrustError(
                f"Classifier '{classifier.name}' has no dropout layer, so `samples` cannot be drawn. "
                "Use an architecture with dropout, or an ensemble: observe(..., members=[...])."
            )
        if not has_active_dropout(classifier.module):
            rates = ", ".join(f"'{name}' has p={layer.p:g}" for name, layer in names[:3])
            raise MistrustError(
                f"No dropout layer of classifier '{classifier.name}' has a rate between 0 and 1 ({rates}"
                f"{', ...' if len(names) > 3 else ''}), so all samples would be alike. Use an architecture with "
                "dropout, or an ensemble: observe(..., members=[...])."
            )
        whole = parts(classifier.module)
        first = next(i for i, part in enumerate(whole) if any(isinstance(m, DROPOUTS) for m in part.modules()))
        self.repeated = whole[first:]
        self._classifier, self._samples, self._seed, self._rows = classifier, samples, seed, rows
        self._dropouts = names
        self._features: Tensor | None = None
        # Of the pass that runs: ids of its images, number and size of its chunk of samples, calls of each layer so far.
        self._ids: list[int] = []
        self._chunk, self._size = 0, 0
        self._calls = Counter[str]()
        self._dropped = False  # whether any layer was called

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Keep what reaches the repeated part while a block of images passes through the classifier."""
        self._features = None

        def keep(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            if self._features is None:
                self._features = inputs[0].clone()  # a later module may write into it

        handle = self.repeated[0].register_forward_pre_hook(keep)
        try:
            yield
        finally:
            handle.remove()

    def draw(self, ids: Int[Tensor, " n"]) -> Float[Tensor, "s n k"]:
        """Logits of the images that were watched last, on the CPU."""
        if self._features is None:
            raise MistrustError("Nothing was watched: call the classifier inside `with sampler.watching():` first.")
        self._one_row_an_image(self._dropouts[0][0], len(self._features), len(ids))
        drawn = torch.empty(self._samples, len(ids), len(self._classifier.classes))
        with self._dropping():
            for start in range(0, self._samples, CHUNK):
                self._chunk, self._size = start // CHUNK, min(CHUNK, self._samples - start)
                step, end = max(1, self._rows // self._size), start + self._size
                for some in (slice(i, i + step) for i in range(0, len(ids), step)):
                    self._ids = ids[some].tolist()
                    self._calls.clear()
                    logits = self._repeat(self._features[some]).cpu()
                    drawn[start:end, some] = logits.unflatten(0, (-1, self._size)).transpose(0, 1)
        if len(ids) and not self._dropped:
            raise MistrustError(
                f"No dropout layer of classifier '{self._classifier.name}' runs when images are classified (it has "
                f"'{self._dropouts[0][0]}'), so all samples would be alike. Call the layer itself in `forward`, not "
                "torch.nn.functional.dropout, or use an ensemble: observe(..., members=[...])."
            )
        return drawn

    def _repeat(self, features: Tensor) -> Tensor:
        """Logits (m S, k) of m images, an image's samples side by side."""
        rest = self.repeated
        if isinstance(rest[0], DROPOUTS):  # by broadcasting: S copies of the features need not be written first
            name = next(name for name, layer in self._dropouts if layer is rest[0])
            hidden, rest = self._drop(name, rest[0], features.unsqueeze(1)).flatten(0, 1), rest[1:]
        else:
            hidden = features.repeat_interleave(self._size, 0)
        for part in rest:
            hidden = part(hidden)
        if self._classifier.outputs == "probabilities":
            return hidden.clamp_min(torch.finfo(hidden.dtype).tiny).log()
        return hidden

    @contextmanager
    def _dropping(self) -> Iterator[None]:
        """Let every dropout layer drop, by our masks, in the calls inside."""
        handles = []
        for name, layer in self._dropouts:

            def drop(layer: nn.Module, _: object, output: Tensor, name: str = name) -> Tensor:
                self._one_row_an_image(name, len(output), len(self._ids) * self._size)
                return self._drop(name, layer, output.unflatten(0, (-1, self._size))).flatten(0, 1)

            handles.append(layer.register_forward_hook(drop))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _one_row_an_image(self, name: str, rows: int, images: int) -> None:
        if rows != images:
            raise MistrustError(
                f"Dropout layer '{name}' of '{self._classifier.name}' gets {rows} rows of {images} images, expected "
                "one row per image on axis 0, or masks would go to other images. Use an ensemble: observe(..., "
                "members=[...])."
            )

    def _drop(self, name: str, layer: nn.Module, x: Tensor) -> Tensor:
        """Zero numbers (whole channels for Dropout1d to 3d) of x, (m, S, ...) or (m, 1, ...), and scale up the rest.

        Of `ALPHA` they become `LOWEST`, and all are scaled and moved so that mean 0 and variance 1 stay.
        """
        call = self._calls[name]
        self._calls[name] += 1
        self._dropped = True
        whole = (len(x), self._size, *x.shape[2:])
        steps = round(float(getattr(layer, "p")) * STEPS)  # noqa: B009 (nn.Module types its attributes)
        if steps <= 0:
            return x.expand(whole)
        if steps >= STEPS:
            return x.new_zeros(whole)
        shape = whole[:3] if isinstance(layer, CHANNELWISE) else whole
        key = f"dropout/{name}/{self._chunk}" + (f"/call {call}" if call else "")
        kept = keep(self._seed, key, self._ids, self._size, prod(shape[2:]), steps).to(x.device)
        kept = kept.view(*shape, *(1 for _ in whole[len(shape) :]))
        if isinstance(layer, ALPHA):
            rate = steps / STEPS
            factor = ((1 - rate) * (1 + rate * LOWEST**2)) ** -0.5
            return factor * (torch.where(kept == 1, x, LOWEST) - rate * LOWEST)
        return x * (STEPS / (STEPS - steps)) * kept


def keep(seed: int, name: str, ids: list[int], samples: int, numbers: int, steps: int) -> UInt8[Tensor, "m s d"]:
    """Draw 0 with chance steps / 65,536, else 1, from a generator of each image's own.

    `random.keyed` draws for 256 ids at once, of which the images of one pass are few: that would cost many times more.
    The first samples of an image are the same whatever `samples` is.
    """
    half = 2 * steps == STEPS
    width = -(-numbers // 8) if half else 2 * numbers  # bytes a sample
    words = -(-samples * width // 8)
    raw = np.empty((len(ids), words), dtype="<u8")
    for row, id in enumerate(ids):
        raw[row] = random.generator(seed, name, id).bit_generator.random_raw(words)
    octets = raw.view(np.uint8)[:, : samples * width].reshape(len(ids), samples, width)
    if half:
        return torch.from_numpy(np.unpackbits(octets, axis=2, count=numbers))
    return torch.from_numpy((octets.view("<u2") >= steps).view(np.uint8))
