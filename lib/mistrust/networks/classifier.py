"""`Classifier`: anything that turns images in [0, 1] into logits, with its class names and its own normalisation."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from mistrust.errors import MistrustError
from mistrust.networks.devices import device as find_device
from mistrust.networks.one_line import OF_ONE_NUMBER, of_sklearn, tensor_of
from mistrust.networks.tensors import check_images, check_probabilities, check_tensor, looks_like_probabilities


class _Key:
    """The field `key` of a classifier: read anew each time, since a module's weights may change in place.

    It is what was given as long as the weights are those that it was given with, else, and where nothing was given, a
    hash of name and weights. Nothing cheaper tells: what is written through `.data` leaves a tensor's version as it is.
    """

    def __get__(self, classifier: "Classifier | None", kind: type | None = None) -> str:
        if classifier is None:
            raise AttributeError("key")  # so the field has no default
        given, then = vars(classifier)["key"]
        now = _weights_key(classifier.network, classifier.name)
        if given and now == then:
            return given
        if now is None:
            raise MistrustError(
                f"The weights of classifier '{classifier.name}' cannot be told from others: its module holds more "
                'than plain tensors. Say what identifies them: wrap(..., key="...").'
            )
        return now

    def __set__(self, classifier: "Classifier", given: str) -> None:
        vars(classifier)["key"] = given, _weights_key(classifier.network, classifier.name) if given else None


@dataclass(frozen=True)
class Classifier:
    """A network, its class names, and the normalisation that it applies itself.

    Attributes
    ----------
    network : a torch module or any callable from scaled images (n, c, h, w) to (n, k).
    classes : k class names, in the order of the logits.
    name : what tables call it.
    key : identifies network and weights, as they are now; part of the spec of everything computed from it. Where ""
        was given it is made of the name and a module's weights.
    mean, std : the network sees (image - mean) / std: one number, or one per channel.
    outputs : "logits", or "probabilities" for a callable that gives softmax rows (their logarithm is taken).

    Examples
    --------
    A classifier need be no network. This one reads the first two pixels, and does its own normalisation:

    >>> from mistrust.networks import wrap
    >>> brighter = wrap(lambda images: images.flatten(1)[:, :2], ["left", "right"], mean=0.5, std=0.25)
    >>> brighter(torch.tensor([[[[0.75, 0.0]]]]))
    tensor([[ 1., -2.]])
    >>> brighter(torch.tensor([[[[191, 0]]]], dtype=torch.uint8)).argmax(1)  # grey levels count as 0 to 255
    tensor([0])
    >>> brighter(torch.tensor([[[[191.0, 0.0]]]]))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: Images range from 0 to 191, expected [0, 1]. ...
    """

    network: Callable[[Tensor], Tensor]
    classes: tuple[str, ...]
    name: str
    key: _Key = _Key()
    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)
    outputs: str = "logits"
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @property
    def named(self) -> bool:
        """Whether somebody said what identifies it."""
        return bool(vars(self)["key"][0])

    @property
    def module(self) -> nn.Module:
        """The network as a torch module, for methods that need layers or gradients."""
        if not isinstance(self.network, nn.Module):
            raise MistrustError(
                f"Classifier '{self.name}' wraps a plain callable: it has no layers and no gradients. "
                "Wrap a torch.nn.Module to use this method."
            )
        return self.network

    @property
    def layers(self) -> dict[str, nn.Module]:
        """Those of the module's layers whose outputs can be read, by name; the whole one is "".

        Raises
        ------
        MistrustError
            A plain callable, or a TorchScript module: of what it runs torch shows nothing.
        """
        script = torch.jit.ScriptModule
        if isinstance(self.module, script):
            raise MistrustError(
                f"Classifier '{self.name}' is a TorchScript module, which has no readable layers (nor dropout that can "
                "be left on): wrap the original module to use this method. What reads logits alone works with it."
            )
        return {name: layer for name, layer in self.module.named_modules() if not isinstance(layer, script)}

    def to(self, device: str | torch.device) -> "Classifier":
        """Give the same classifier on another device (the module itself is moved)."""
        there = find_device(str(device))
        if isinstance(self.network, nn.Module):
            self.network.to(there)
        moved = copy(self)
        object.__setattr__(moved, "device", there)
        return moved

    def scaled(self, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c h w"]:
        """Apply the classifier's own normalisation to images in [0, 1]."""
        mean = torch.tensor(self.mean, dtype=images.dtype, device=images.device).view(1, -1, 1, 1)
        std = torch.tensor(self.std, dtype=images.dtype, device=images.device).view(1, -1, 1, 1)
        return (images - mean) / std

    def __call__(self, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
        """Logits of images in [0, 1], differentiable where the network is; uint8 images count as 0 to 255.

        Raises
        ------
        MistrustError
            Images that are no tensor, of another shape than the network takes or outside [0, 1]; an output that is not
            (n, k); probabilities where logits are expected, and rows that are none where probabilities are.
        """
        check_tensor(images)
        floats = images.to(self.device)
        if floats.dtype == torch.uint8:
            floats = floats.to(torch.float32) / 255
        check_images(floats)
        if not floats.is_floating_point():  # 0 and 1 as whole numbers, which no mean could be taken off
            floats = floats.to(torch.float32)
        with failures_named(self, floats):
            logits = self.network(self.scaled(floats))
        if not isinstance(logits, Tensor):
            raise MistrustError(
                f"Classifier '{self.name}' gave a {type(logits).__name__}, expected a tensor (images, classes). "
                f"{tensor_of(logits)}"
            )
        expected = (len(images), len(self.classes))
        if tuple(logits.shape) != expected:
            raise MistrustError(
                f"Classifier '{self.name}' gave an output of shape {tuple(logits.shape)}, expected {expected}: one "
                f"number for each of its {len(self.classes)} classes."
                + (f" {OF_ONE_NUMBER}" if len(self.classes) == 2 and logits.numel() == len(images) else "")
            )
        if not logits.is_floating_point():  # a function that counts votes, say
            logits = logits.to(torch.float32)
        if self.outputs == "probabilities":
            check_probabilities(logits, self.name)
            return logits.clamp_min(torch.finfo(logits.dtype).tiny).log()
        if looks_like_probabilities(logits):
            raise MistrustError(
                f"Classifier '{self.name}' seems to give probabilities (every row is positive and sums to 1), "
                'expected logits. Wrap it with outputs="probabilities".'
            )
        return logits


@contextmanager
def failures_named(classifier: Classifier, images: Tensor) -> Iterator[None]:
    """Make whatever somebody's network raises a MistrustError that says on which images; the memory's end stays it."""
    try:
        yield
    except (MistrustError, torch.OutOfMemoryError, MemoryError):
        raise
    except Exception as error:
        if "can't allocate memory" in str(error):  # torch on a CPU: no image is wrong, there are too many at once
            raise
        way_out = of_sklearn(classifier.network) or (
            "Give it images of the size, the channels and the type that its network takes."
        )
        weights = classifier.network.parameters() if isinstance(classifier.network, nn.Module) else ()
        kinds = {one.dtype for one in weights if one.is_floating_point()}
        if kinds and images.dtype not in kinds:
            kind = ", ".join(sorted(map(str, kinds)))
            way_out = f"Its weights are {kind}, and images are read as torch.float32: wrap(network.float(), ...)."
        raise MistrustError(
            f"Classifier '{classifier.name}' failed on images of shape {tuple(images.shape)} ({images.dtype}): "
            f"{' '.join(str(error).split()) or type(error).__name__}. {way_out}"
        ) from error


def wrap(
    network: Callable[[Tensor], Tensor],
    classes: tuple[str, ...] | list[str],
    *,
    name: str = "yours",
    mean: float | Sequence[float] | Tensor | NDArray[np.floating] = 0.0,
    std: float | Sequence[float] | Tensor | NDArray[np.floating] = 1.0,
    outputs: str = "logits",
    key: str | None = None,
    device: str = "cpu",
) -> Classifier:
    """Make a classifier of your own network or callable.

    Parameters
    ----------
    network : a torch module (put into evaluation mode here) or a callable, from images to logits (n, k).
    classes : names of the k classes, in the order of the logits; at least two, no two alike.
    name : what tables and messages call it.
    mean, std : the normalisation that the network expects of images in [0, 1]: a number, or one per channel, in a
        tensor or an array too.
    outputs : "logits" or "probabilities".
    key : what identifies the weights as they are; taken from a module's weights where you give none, and when they have
        changed since. Of a callable only its name is known: give one where results are kept in the store, and it
        tells a saved monitor's from others.
    device : where the network runs, and is moved to if it is a module: "cpu", "cuda", "mps" or "auto".

    Raises
    ------
    MistrustError
        Fewer than two classes or two with one name, or their number or one text in place of names; a name or a key
        that is no text; a network that cannot be called; weights without values (torch's device "meta"); a mean or a
        std that is no number or not finite, a std that is not above 0; an unknown `outputs`, a device that is not
        there.

    Examples
    --------
    >>> net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> wrap(net, ["cat", "dog"])(torch.zeros(3, 1, 2, 2)).shape
    torch.Size([3, 2])

    What is no torch module, or gives something else, becomes a function in one line. A model of scikit-learn, and a
    network that gives the one logit z of the second class:

    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0] * 4, [1.0] * 4], [0, 1])
    >>> def by_sklearn(x): return torch.as_tensor(model.predict_proba(x.flatten(1).numpy()))
    >>> wrap(by_sklearn, ["cat", "dog"], outputs="probabilities")(torch.ones(3, 1, 2, 2)).argmax(1)
    tensor([1, 1, 1])
    >>> one = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 1))
    >>> both = torch.nn.Linear(1, 2, bias=False)
    >>> both.weight.data = torch.tensor([[-0.5], [0.5]])  # logits -z/2 and z/2, of which the softmax is z's sigmoid
    >>> wrap(torch.nn.Sequential(one, both), ["cat", "dog"])(torch.zeros(3, 1, 2, 2)).shape
    torch.Size([3, 2])
    """
    if not isinstance(classes, Iterable) or isinstance(classes, str):  # a text would be its letters
        raise MistrustError(
            f"classes are {classes!r}, expected their names, one an output of the network: ['cat', 'dog'], or "
            "[str(i) for i in range(10)]."
        )
    names = tuple(map(str, classes))
    if len(names) < 2 or len(set(names)) < len(names):
        raise MistrustError(f"A classifier needs at least two classes with different names, got {names}.")
    if not isinstance(name, str):
        raise MistrustError(f"name is {name!r}, expected a text: what tables call the classifier.")
    if not (key is None or isinstance(key, str)):
        raise MistrustError(f"key is {key!r}, expected a text that identifies the weights, or nothing.")
    if outputs not in ("logits", "probabilities"):
        raise MistrustError(f"outputs is '{outputs}', expected 'logits' or 'probabilities'.")
    if not callable(network):
        raise MistrustError(
            f"The network is a {type(network).__name__}, expected a torch module or a function of images. "
            f"{of_sklearn(network)}".rstrip()
        )
    if isinstance(network, nn.Module) and any(one.is_meta for one in (*network.parameters(), *network.buffers())):
        raise MistrustError(
            "The network's weights have no values yet: they are on torch's device 'meta', which keeps shapes alone. "
            'Load some: network.load_state_dict(weights, assign=True), or network.to_empty(device="cpu") and then load.'
        )
    where, scale = find_device(device), _per_channel("std", std)
    if not all(one > 0 for one in scale):
        raise MistrustError(f"std is {std!r}, expected numbers above 0: the network sees (image - mean) / std.")
    if isinstance(network, nn.Module):
        network.to(where).eval()
    return Classifier(network, names, name, key or "", _per_channel("mean", mean), scale, outputs, where)


def _per_channel(what: str, values: object) -> tuple[float, ...]:
    """Plain numbers, which a saved monitor can be written with; tensors and arrays are taken for what they hold."""
    try:
        found = tuple(float(one) for one in torch.as_tensor(values, dtype=torch.float64).reshape(-1).tolist())
    except (TypeError, ValueError, RuntimeError, OverflowError):
        found = ()
    if not found or not all(map(isfinite, found)):
        raise MistrustError(f"{what} is {values!r}, expected a number, or one per channel, all finite.")
    return found


def _weights_key(network: Callable[[Tensor], Tensor], name: str) -> str | None:
    """Hash of name and weights; None where these are not all plain tensors (quantized ones, other state)."""
    hash = sha256(name.encode())
    if isinstance(network, nn.Module):
        for part, values in sorted(network.state_dict().items()):
            if (
                not isinstance(values, Tensor)
                or values.is_meta
                or values.is_quantized
                or values.layout != torch.strided
            ):
                return None
            hash.update(part.encode())
            hash.update(values.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().data)
    return hash.hexdigest()[:20]
