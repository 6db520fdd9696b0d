"""The rest of a network behind one of its layers, so that what lies before is computed once for all noise.

A network is taken apart by `torch.fx`: only the modules that hold the layer are traced, all others stay as they are.
What the layer's output decides is the tail; whatever else the tail reads (the other way around a shortcut, the other
branches of a block) is computed once with the layer and kept. Where a module cannot be traced, or computes something
else when it is, the whole network runs each time and a hook puts the changed output in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, fx, nn

from mistrust.errors import MistrustError, UnknownName
from mistrust.networks import Classifier, layer_names
from mistrust.networks.checks import check_rows
from mistrust.robustness.checks import forward

INPUT, SCALED_INPUT = "input", "input/scaled"
CACHED, WHOLE = "cached tail", "whole pass"
# A tail whose logits differ by more than this from those of the network, relative to the largest, is not used.
TOLERANCE = 1e-4


# (rows (r,), factors (r, ...)) -> logits (r, k) of those images, the layer's output times the factors.
Rest = Callable[[Int[Tensor, " r"], Tensor], Float[Tensor, "r k"]]
Cut = Callable[[Float[Tensor, "n c h w"]], Rest]


@dataclass(frozen=True, eq=False)
class Tail:
    """What follows a layer.

    Attributes
    ----------
    layer : its name.
    shape : of its output for one image.
    path : "cached tail" or "whole pass".
    cut : from pixels (n, c, h, w) in [0, 1] to the rest of a pass over them, which is asked with rows of these n images
        and factors that the layer's output is multiplied by.
    """

    layer: str
    shape: tuple[int, ...]
    path: str
    cut: Cut


@torch.no_grad()
def find_tail(classifier: Classifier, layer: str, pixels: Float[Tensor, "n c h w"]) -> Tail:
    """Find what follows a layer, cached where the network can be taken apart there.

    Parameters
    ----------
    layer : a name of `layer_names`; "input" for images in [0, 1], "input/scaled" for what the network sees of them.
        A layer that runs several times in a pass counts the last time, whose output `observe` records.
    pixels : one or more images, on which cached tail and network must agree.

    Raises
    ------
    MistrustError
        No such layer; one that does not run, gives no tensor with one row per image, or whose output nothing reads.
    """
    shape = tuple(pixels.shape[1:])
    if layer == INPUT:
        return Tail(layer, shape, WHOLE, lambda x: lambda rows, by: forward(classifier, x[rows] * by))
    if layer == SCALED_INPUT:
        return Tail(layer, shape, WHOLE, lambda x: _behind(classifier, classifier.network, [classifier.scaled(x)]))
    known = layer_names(classifier)
    if layer not in known:
        raise UnknownName(f"layer of '{classifier.name}'", layer, [INPUT, SCALED_INPUT, *known])
    shapes = _shapes(classifier, layer, pixels)
    whole = Tail(layer, shapes[-1], WHOLE, lambda x: _hooked(classifier, layer, len(shapes), x))
    halves = _taken_apart(classifier.module, layer)
    if halves is None:
        _check_read(classifier, whole, pixels)
        return whole
    head, rest = halves
    if any(not isinstance(one, Tensor) or len(one) != len(pixels) for one in head(classifier.scaled(pixels))):
        return whole  # the tail reads what is no row of an image, such as how many images there are
    cached = Tail(layer, shapes[-1], CACHED, lambda x: _behind(classifier, rest, head(classifier.scaled(x))))
    return cached if _agree(cached, whole, pixels) else whole


def _check_read(classifier: Classifier, whole: Tail, pixels: Tensor) -> None:
    """Refuse a layer in whose output's place NaN may stand: it only writes into its input, or nothing follows it."""
    clean = forward(classifier, pixels)
    try:
        spoilt = whole.cut(pixels)(torch.arange(len(pixels), device=pixels.device), pixels.new_tensor(torch.nan))
    except Exception:  # whatever a module's own code says to NaN, it has read it
        return
    if bool((spoilt - clean).abs().amax() <= TOLERANCE * clean.abs().amax()):
        raise MistrustError(
            f"Nothing reads what layer '{whole.layer}' of '{classifier.name}' returns (does it write into its input, "
            "as nn.ReLU(inplace=True)?): noise there changes nothing. Take the layer before it, or one around it."
        )


def _agree(cached: Tail, whole: Tail, pixels: Tensor) -> bool:
    """Whether both give the same logits for a changed layer, with more rows than there were images."""
    rows = torch.arange(len(pixels), device=pixels.device).repeat(2)
    half = torch.full((len(rows), *whole.shape), 0.5, dtype=pixels.dtype, device=pixels.device)
    wanted, found = (tail.cut(pixels)(rows, half) for tail in (whole, cached))
    return bool((found - wanted).abs().amax() <= TOLERANCE * wanted.abs().amax())


def _behind(classifier: Classifier, rest: Callable[..., Tensor], kept: Sequence[Tensor]) -> Rest:
    """What a function makes of the layer's output, the first of `kept`, and of all else that it reads."""

    def logits(rows: Tensor, by: Tensor) -> Tensor:
        # Rows are copies, so that what the function writes in place stays its own.
        output, *others = (one[rows] for one in kept)
        outputs = rest(output * by, *others)
        if classifier.outputs == "probabilities":
            return outputs.clamp_min(torch.finfo(outputs.dtype).tiny).log()
        return outputs

    return logits


def _hooked(classifier: Classifier, layer: str, times: int, pixels: Tensor) -> Rest:
    def logits(rows: Tensor, by: Tensor) -> Tensor:
        calls = 0

        def change(_: nn.Module, __: object, output: Tensor) -> Tensor | None:
            nonlocal calls
            calls += 1
            return output * by if calls == times else None

        return _with_hook(classifier, layer, change, pixels[rows])

    return logits


def _shapes(classifier: Classifier, layer: str, pixels: Tensor) -> list[tuple[int, ...]]:
    """Shape of the layer's output for one image, each time that it runs."""
    shapes = list[tuple[int, ...]]()

    def see(_: nn.Module, __: object, output: Tensor) -> None:
        check_rows(output, layer, classifier, len(pixels))
        shapes.append(tuple(output.shape[1:]))

    _with_hook(classifier, layer, see, pixels)
    if not shapes:
        raise MistrustError(
            f"Layer '{layer}' of '{classifier.name}' does not run when images are classified (a part that only "
            "training uses?): noise there changes nothing. Take another."
        )
    return shapes


def _with_hook(classifier: Classifier, layer: str, hook: Callable[..., Any], pixels: Tensor) -> Tensor:
    handle = classifier.module.get_submodule(layer).register_forward_hook(hook)
    try:
        return forward(classifier, pixels)
    finally:
        handle.remove()


class _Opened(fx.Tracer):
    """Traces the modules that hold a layer, and no others."""

    def __init__(self, network: nn.Module, layer: str) -> None:
        super().__init__()
        names = layer.split(".")
        self._opened = {id(network.get_submodule(".".join(names[:depth]))) for depth in range(len(names))}

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return id(m) not in self._opened


def _taken_apart(network: nn.Module, layer: str) -> tuple[nn.Module, nn.Module] | None:
    """Two modules: from images to the layer's output and what else the tail reads; from these to the network's output.

    None where the network cannot be traced, or what is traced has no use for the layer's output.
    """
    try:
        graph = _Opened(network, layer).trace(network)
    except Exception:  # whatever a module's own code does when it meets a tracer in place of a tensor
        return None
    module = network.get_submodule(layer)
    calls = [n for n in graph.nodes if n.op == "call_module" and network.get_submodule(str(n.target)) is module]
    if not calls:
        return None
    after = _decided_by([calls[-1]])
    if not any(node.op == "output" for node in after):
        return None
    images = [n for n in graph.nodes if n.op == "placeholder"]
    # What no image decides, such as weights that belong to no layer, both halves make for themselves.
    of_images = {*images, *_decided_by(images)}
    read = [n for n in graph.nodes if n in of_images - after and any(user in after for user in n.users)]
    kept = [calls[-1], *(n for n in read if n is not calls[-1])]
    head, held = fx.Graph(), dict[fx.Node, fx.Node]()
    for node in graph.nodes:
        if node not in after and node.op != "output":
            held[node] = head.node_copy(node, held.__getitem__)
    head.output(tuple(held[node] for node in kept))
    tail, held = fx.Graph(), dict[fx.Node, fx.Node]()
    for node in kept:
        held[node] = tail.placeholder(node.name)
    for node in graph.nodes:
        if node in after or node not in of_images:
            held[node] = tail.node_copy(node, held.__getitem__)
    return fx.GraphModule(network, head), fx.GraphModule(network, tail)


def _decided_by(nodes: Sequence[fx.Node]) -> set[fx.Node]:
    """All nodes that read the value of one of these, or of one that does."""
    found, waiting = set[fx.Node](), [user for node in nodes for user in node.users]
    while waiting:
        user = waiting.pop()
        if user not in found:
            found.add(user)
            waiting.extend(user.users)
    return found
