"""`observe` and `Record`: one forward pass over a set of images, kept for all methods that read it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import combinations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, UnknownName, check_known
from mistrust.networks.checks import (
    check_block,
    check_classifier,
    check_evaluated,
    check_finite,
    check_pair,
    check_rows,
    is_whole,
)
from mistrust.networks.classifier import Classifier
from mistrust.networks.fingerprint import fingerprint
from mistrust.networks.sampling import Sampler


def as_members(members: Iterable[Classifier], first: Classifier | None = None) -> tuple[Classifier, ...]:
    """Give the further classifiers of an ensemble, from a list or anything that gives one after the other.

    Parameters
    ----------
    first : the classifier that they stand beside.

    Raises
    ------
    MistrustError
        A classifier alone, what is none, or one twice, be it as a copy: members that are the same never differ.
    """
    if first is not None:
        check_classifier(first)
    if isinstance(members, Classifier):
        raise MistrustError(f"members is the classifier '{members.name}', expected a list: members=[{members.name}].")
    found = tuple(members) if isinstance(members, Iterable) else (members,)
    if strange := [one for one in found if not isinstance(one, Classifier)]:
        raise MistrustError(
            f"members hold a {type(strange[0]).__name__}, expected classifiers: wrap(network, classes) makes one."
        )
    ensemble = found if first is None else (first, *found)
    if len(ensemble) < 2:  # as for each image that a monitor sees alone: nothing to compare
        return found
    if (networks := len({id(one.network) for one in ensemble})) < len(ensemble):
        raise MistrustError(
            f"The {len(ensemble)} classifiers of the ensemble share {networks} "
            f"network{'s' if networks > 1 else ''}, and a network never disagrees with itself: give members that were "
            "trained apart, each from a seed of its own."
        )
    weights = [one.network.state_dict() if isinstance(one.network, nn.Module) else {} for one in ensemble]
    for (one, first_weights), (other, others) in combinations(zip(ensemble, weights, strict=True), 2):
        if _same(first_weights, others) and _read_alike(one, other):
            raise MistrustError(
                f"The classifiers '{one.name}' and '{other.name}' of the ensemble have the same weights, and so never "
                "disagree: give members that were trained apart, each from a seed of its own."
            )
    return found


def _same(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> bool:
    """Whether weights are those of a copy; most differ in the first tensor, and the rest is read of copies alone."""
    return bool(one) and one.keys() == other.keys() and all(torch.equal(one[k].cpu(), other[k].cpu()) for k in one)


def _read_alike(one: Classifier, other: Classifier) -> bool:
    """Whether two networks with the same weights answer alike: of the same layers, on images scaled alike."""
    return (one.mean, one.std, repr(one.network)) == (other.mean, other.std, repr(other.network))


def as_layers(layers: Iterable[str]) -> tuple[str, ...]:
    """Give layers' names, each once, since two methods may ask for one; a name alone is one, and not its letters.

    Raises
    ------
    MistrustError
        What is no name.
    """
    found = [layers] if isinstance(layers, str) else list(layers) if isinstance(layers, Iterable) else [layers]
    if strange := [one for one in found if not isinstance(one, str)]:
        raise MistrustError(
            f"layers hold {strange[0]!r}, expected names of layers, as layer_names(classifier) gives them; leave "
            "`layers` out for none."
        )
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Record:
    """What one pass of a classifier over n images yields.

    Attributes
    ----------
    logits : (n, k) float32.
    activations : for each chosen layer its output, (n, ...).
    samples : (S, n, k) logits with dropout on, one mask per image and sample; None where not asked for.
    members : (M, n, k) logits of an ensemble's members; None where not asked for.
    images, classifier : what was observed, for the few methods that need pixels or gradients.
    network : what told the network from others when it was observed (`fingerprint`); "" where nobody looked.

    Examples
    --------
    >>> from mistrust.data import ImageSet
    >>> pixels = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.2, 0.1]]).view(3, 1, 1, 2)
    >>> images = ImageSet("three", pixels, torch.tensor([0, 1, 1]), torch.arange(3), ("left", "right"))
    >>> record = observe(wrap(lambda x: 10 * x.flatten(1), images.classes), images)
    >>> record.predicted, record.correct
    (tensor([0, 1, 0]), tensor([ True,  True, False]))
    >>> record.probabilities.round(decimals=2)[2]
    tensor([0.7300, 0.2700], dtype=torch.float64)
    >>> record.take(~record.correct).ids
    tensor([2])
    """

    images: ImageSet
    classifier: Classifier
    logits: Float[Tensor, "n k"]
    activations: dict[str, Tensor] = field(default_factory=dict)
    samples: Float[Tensor, "s n k"] | None = None
    members: Float[Tensor, "m n k"] | None = None
    network: str = ""

    def __len__(self) -> int:
        return len(self.logits)

    @property
    def labels(self) -> Int[Tensor, " n"]:
        """True labels (n,)."""
        return self.images.labels

    @property
    def ids(self) -> Int[Tensor, " n"]:
        """Ids of the images (n,)."""
        return self.images.ids

    @property
    def probabilities(self) -> Float[Tensor, "n k"]:
        """Softmax of the logits, float64: sums of many rows stay exact to 1e-12."""
        return self.logits.to(torch.float64).softmax(1)

    @property
    def predicted(self) -> Int[Tensor, " n"]:
        """Predicted class (n,)."""
        return self.logits.argmax(1)

    @property
    def correct(self) -> Tensor:
        """Whether the prediction is the label, (n,) bool."""
        return self.predicted == self.labels

    def layer(self, name: str) -> Tensor:
        """The output of a layer; where it was not recorded, the error names the call that records it.

        A name that no layer of the network has is told the nearest that one has: no call would record it.
        """
        if name not in self.activations:
            network = self.classifier.network
            known = [one for one, _ in network.named_modules() if one] if isinstance(network, nn.Module) else []
            if known and name not in known:
                raise UnknownName(f"layer of '{self.classifier.name}'", name, {*known, *self.activations})
            held = ", ".join(self.activations) or "none"
            raise MistrustError(
                f"This record holds no activations of layer '{name}' (it holds: {held}). "
                f'Record them with observe(classifier, images, layers=["{name}"]).'
            )
        return self.activations[name]

    def need(self, what: str) -> Tensor:
        """Give `samples` or `members`; where they were not recorded, the error names the call that records them."""
        calls = {
            "samples": "observe(classifier, images, samples=32)",
            "members": "observe(classifier, images, members=[second, third])",
        }
        check_known("part of a record", what, calls)
        value: Tensor | None = getattr(self, what)
        if value is None:
            raise MistrustError(f"This record holds no {what}. Record them with {calls[what]}.")
        return value

    def take(self, indices: Tensor) -> "Record":
        """Give the record of some of the images."""
        return Record(
            self.images.take(indices),
            self.classifier,
            self.logits[indices],
            {name: values[indices] for name, values in self.activations.items()},
            None if self.samples is None else self.samples[:, indices],
            None if self.members is None else self.members[:, indices],
            self.network,
        )


def layer_names(classifier: Classifier) -> list[str]:
    """Names of all layers that `observe` can record, as torch names them ("0", "layer1.0.conv1").

    Examples
    --------
    >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 2))
    >>> layer_names(wrap(network, ["cat", "dog"]))
    ['0', '1']
    """
    check_classifier(classifier)
    return [name for name in classifier.layers if name]


@torch.no_grad()  # and no inference mode: of its tensors nothing can be learnt, such as a temperature
def observe(
    classifier: Classifier,
    images: ImageSet,
    *,
    layers: Sequence[str] = (),
    samples: int = 0,
    members: Sequence[Classifier] = (),
    seed: int = 0,
    block: int = 128,
) -> Record:
    """Pass images through a classifier once and keep what methods ask for.

    A layer's output is kept as the layer gave it, whatever a later one writes into it (`nn.ReLU(inplace=True)`). Memory
    is bounded by `block`, whatever n is. The dropout masks of `samples` are keyed by image id, so neither the
    block nor the order of the images changes them; where the network is an `nn.Sequential`, only what follows its first
    dropout layer is repeated (`mistrust.networks.sampling`).

    Parameters
    ----------
    layers : names of layers whose outputs to keep (see `layer_names`); one named twice is kept once.
    samples : number of passes with dropout on: of layers that are modules (`nn.Dropout` and its kin). A call of
        `functional.dropout` in a `forward` is not seen, and stays off.
    members : further classifiers of the same classes; member 0 of the record is `classifier` itself.
    seed : of the dropout masks.
    block : images in one forward pass; with dropout on, four times as many images x samples.

    Raises
    ------
    MistrustError
        Images that are no `ImageSet`, or have other class names; a network in training mode; layers that are no names;
        an unknown layer, one that does not run or gives no tensor with one row per image; no dropout layer to sample
        from; samples or a block that are no such number; members that are no list of classifiers, or the same network
        twice; an output of the classifier or a member that is not finite.

    Examples
    --------
    >>> from mistrust.data import load
    >>> digits = load("digits", "test")
    >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))
    >>> record = observe(wrap(network, digits.classes), digits, layers=["0"])
    >>> record.logits.shape, record.layer("0").shape
    (torch.Size([500, 10]), torch.Size([500, 64]))
    """
    check_block(block)
    members = as_members(members, classifier)
    if not is_whole(samples, 0):
        raise MistrustError(f"samples is {samples!r}, expected the number of passes with dropout on, 0 for none.")
    for one in (classifier, *members):
        check_pair(one, images)
        check_evaluated(one)
    layers = as_layers(layers)
    sampler = Sampler(classifier, samples, seed, 4 * block) if samples else None
    kept: dict[str, list[Tensor]] = {"logits": []}
    for start in range(0, max(len(images), 1), block):
        part = images if len(images) <= block else images.take(slice(start, start + block))
        with _recording(classifier, layers, len(part)) as found, sampler.watching() if sampler else nullcontext():
            logits = classifier(part.images)
        check_finite(logits, classifier)
        kept["logits"].append(logits.cpu())
        for name in layers:
            kept.setdefault(f"layer/{name}", []).append(found[name])
        if sampler:
            kept.setdefault("samples", []).append(sampler.draw(part.ids))
        if members:
            outputs = [member(part.images) for member in members]
            for member, output in zip(members, outputs, strict=True):
                check_finite(output, member)
            kept.setdefault("members", []).append(torch.stack([one.cpu() for one in (logits, *outputs)]))
    return Record(
        images,
        classifier,
        torch.cat(kept["logits"]).to(torch.float32),
        {name: torch.cat(kept[f"layer/{name}"]) for name in layers},
        torch.cat(kept["samples"], 1) if samples else None,
        torch.cat(kept["members"], 1) if members else None,
        fingerprint(classifier),
    )


@contextmanager
def _recording(classifier: Classifier, layers: Sequence[str], images: int) -> Iterator[dict[str, Tensor]]:
    """Keep the outputs of the named layers during a pass of so many images inside, on the CPU."""
    found: dict[str, Tensor] = {}
    handles = []
    if layers:
        modules = classifier.layers
        for name in layers:
            if name not in modules:
                raise UnknownName(f"layer of '{classifier.name}'", name, layer_names(classifier))

            def keep(_: nn.Module, __: object, output: Tensor, name: str = name) -> None:
                check_rows(output, name, classifier, images)
                found[name] = output.to("cpu", copy=True)  # at once: a later module may write into it

            handles.append(modules[name].register_forward_hook(keep))
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()
    for name in layers:
        if name not in found:
            raise MistrustError(
                f"Layer '{name}' of '{classifier.name}' does not run when images are classified (a part that only "
                "training uses?): there is nothing to record. Take another."
            )
