"""A network as steps that are affine, or piecewise linear with known kinks; any other step is refused by name.

The network's own forward is traced (torch.fx), so residual sums, concatenations and functions are steps like layers.
What a step may be stands in tables: add to them what is affine or has kinks.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, fx, nn
from torch.nn import functional

from mistrust.errors import MistrustError
from mistrust.networks.architectures.resnet import Tripled
from mistrust.robustness.regions.kinks import Kinks, at_thresholds, at_turns

# In evaluation mode each of these is a matrix and an addend.
AFFINE: frozenset[type[nn.Module]] = frozenset(
    (
        nn.Linear, nn.Conv1d, nn.Conv2d, nn.AvgPool1d, nn.AvgPool2d, nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d,
        nn.BatchNorm1d, nn.BatchNorm2d, nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Flatten, nn.Unflatten, nn.Identity,
        nn.ZeroPad2d, Tripled,
    )
)  # fmt: skip
KINKED: dict[type[nn.Module], Callable[[Any], Kinks]] = {
    nn.ReLU: lambda layer: at_thresholds(0.0),
    nn.LeakyReLU: lambda layer: at_thresholds(0.0),
    nn.PReLU: lambda layer: at_thresholds(0.0),
    nn.ReLU6: lambda layer: at_thresholds(0.0, 6.0),
    nn.Hardtanh: lambda layer: at_thresholds(layer.min_val, layer.max_val),
    nn.MaxPool2d: at_turns,
}


def _max_pool(
    kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> nn.Module:  # fmt: skip
    """The layer that the function is: the order of their arguments differs."""
    return nn.MaxPool2d(kernel_size, stride, padding, dilation, return_indices, ceil_mode)


# Functions and methods that do what a layer of KINKED does, and how that is made of what follows their first argument.
KINKED_CALLS: dict[Any, Callable[..., nn.Module]] = {
    functional.relu: lambda inplace=False: nn.ReLU(),
    functional.leaky_relu: lambda negative_slope=0.01, inplace=False: nn.LeakyReLU(negative_slope),
    functional.relu6: lambda inplace=False: nn.ReLU6(),
    functional.max_pool2d: _max_pool,
    torch.relu: nn.ReLU,
    "relu": nn.ReLU,
}  # fmt: skip
# Affine in all arguments together: any of them may move along the segment.
JOINING: frozenset[Any] = frozenset(
    (operator.add, operator.iadd, operator.sub, operator.isub, torch.add, torch.sub, torch.cat, torch.concat, "add",
     "add_", "sub")
)  # fmt: skip
# Affine in one argument while the others stand still.
SCALING: frozenset[Any] = frozenset((operator.mul, operator.imul, torch.mul, "mul", "mul_"))
# Affine in the first argument while the others stand still.
LEADING: frozenset[Any] = frozenset(
    (
        operator.neg, operator.truediv, operator.getitem, torch.div, torch.neg, torch.flatten, torch.reshape,
        torch.mean, torch.sum, torch.squeeze, torch.unsqueeze, torch.permute, torch.transpose, functional.linear,
        functional.conv2d, functional.avg_pool2d, functional.adaptive_avg_pool2d, functional.pad, functional.dropout,
        "view", "reshape", "flatten", "mean", "sum", "squeeze", "unsqueeze", "permute", "transpose", "contiguous",
        "expand", "clone", "div", "detach",
    )
)  # fmt: skip
# What tells of a tensor without its values stands still.
SHAPES: frozenset[str] = frozenset(("size", "dim", "shape", "ndim", "dtype", "device"))


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a network.

    Attributes
    ----------
    node : what is computed.
    kinks : where it bends, of the values of its first argument; None where it is affine.
    size : numbers that one point takes while this step runs.
    moving : whether what it gives depends on the point.
    done : the steps whose values nobody asks for afterwards.
    """

    node: fx.Node
    kinks: Kinks | None
    size: int
    moving: bool
    done: tuple[fx.Node, ...]

    @property
    def source(self) -> fx.Node:
        """What it is given first."""
        return self.node.all_input_nodes[0]


@dataclass(frozen=True, eq=False)
class Plan:
    """The steps of a network, the first of which is its input, the last its output."""

    modules: dict[str, nn.Module]
    steps: tuple[Step, ...]

    def run(self, step: Step, values: dict[fx.Node, Any]) -> Any:
        """What a step gives, of the values that steps before it gave."""
        node = step.node
        args: Any = fx.node.map_arg(node.args, lambda n: values[n])
        kwargs: Any = fx.node.map_arg(node.kwargs, lambda n: values[n])
        if node.op == "output":
            return args[0]
        if node.op == "get_attr":
            return operator.attrgetter(str(node.target))(self.modules[""])
        if node.op == "call_module":
            return self.modules[str(node.target)](*args, **kwargs)
        if node.op == "call_method":
            return getattr(args[0], str(node.target))(*args[1:], **kwargs)
        function: Any = node.target
        return function(*args, **kwargs)


class _Tracer(fx.Tracer):
    """Does not look into layers that the tables know."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return type(m) in AFFINE or type(m) in KINKED or super().is_leaf_module(m, module_qualified_name)


@torch.no_grad()
def plan(network: nn.Module, example: Float[Tensor, "1 ..."]) -> Plan:
    """Take a network in evaluation mode apart.

    Raises
    ------
    MistrustError
        A step that is in no table, named; a forward that cannot be traced, since its way depends on what it is given.
    """
    try:
        graph = _Tracer().trace(network)
    except Exception as error:  # whatever a forward raises when it is given a stand-in for a tensor
        raise MistrustError(
            f"The forward of {type(network).__name__} cannot be followed step by step ({error}). The exact segment "
            "test needs one whose way does not depend on its input; write it without `if` on tensors and their shapes, "
            "or use the grid: lowest_on_grid(...)."
        ) from None
    modules = dict(network.named_modules())
    _pool_first(graph, modules)
    moving: set[fx.Node] = set()
    kinks: dict[fx.Node, Kinks] = {}
    for node in graph.nodes:
        moved = [one for one in node.all_input_nodes if one in moving]
        if node.op == "placeholder":
            moving.add(node)
        if not moved or _is_shape(node):
            continue
        moving.add(node)
        bent = None if node.op == "output" else _checked(node, modules, moved)
        if bent is not None:
            kinks[node] = bent
    for pool in [node for node in kinks if _is(node, nn.MaxPool2d, modules) and len(node.users) == 1]:
        (relu,) = pool.users
        if _is(relu, nn.ReLU, modules):  # where both are below 0, nobody sees how the pool turns
            layer: Any = modules[str(pool.target)]
            kinks[pool] = at_turns(layer, 0.0)
            del kinks[relu]
    last = {one: node for node in graph.nodes for one in node.all_input_nodes}
    done = {node: tuple(one for one in node.all_input_nodes if last[one] is node) for node in graph.nodes}
    steps = tuple(Step(node, kinks.get(node), 0, node in moving, done[node]) for node in graph.nodes)
    return Plan(modules, _sized(Plan(modules, steps), example))


def _sized(plan: Plan, example: Tensor) -> tuple[Step, ...]:
    """The steps with their sizes, measured on one point."""
    values: dict[fx.Node, Any] = {}
    found = []
    for step in plan.steps:
        values[step.node] = example if step.node.op == "placeholder" else plan.run(step, values)
        size = sum(v.numel() for v in values.values() if isinstance(v, Tensor) and v.ndim and len(v) == 1)
        layer = plan.modules.get(str(step.node.target)) if step.node.op == "call_module" else None
        if isinstance(layer, nn.MaxPool2d):
            size += 2 * _members(layer) * values[step.node].numel()
        found.append(Step(step.node, step.kinks, max(1, size), step.moving, step.done))
        for one in step.done:
            del values[one]
    return tuple(found)


def _members(pool: nn.MaxPool2d) -> int:
    """Of a window."""
    k = pool.kernel_size
    return k * k if isinstance(k, int) else k[0] * k[1]


def _checked(node: fx.Node, modules: dict[str, nn.Module], moved: list[fx.Node]) -> Kinks | None:
    """The kinks of a step, None for an affine one; refuses others."""
    first = bool(node.args) and node.args[0] in moved
    if node.op == "call_module":
        layer = modules[str(node.target)]
        if type(layer) in KINKED:
            return KINKED[type(layer)](layer)
        if type(layer) in AFFINE:
            return None
        raise _refused(f"Layer '{node.target}'", type(layer).__name__)
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))
    asked: list[fx.Node] = []  # with repeats: x * x has one input node, and is no scaling
    fx.node.map_arg((node.args, node.kwargs), asked.append)
    times = sum(one in moved for one in asked)
    alone = first and times == 1
    if node.target in KINKED_CALLS and alone:
        layer = KINKED_CALLS[node.target](*node.args[1:], **node.kwargs)
        return KINKED[type(layer)](layer)
    if node.target in JOINING or (node.target in SCALING and times == 1) or (node.target in LEADING and alone):
        return None
    raise _refused(f"Step '{node.name}'", "max_pool2d" if node.target is functional.max_pool2d else str(name))


def _refused(where: str, what: str) -> MistrustError:
    known = sorted(one.__name__ for one in (*AFFINE, *KINKED))
    return MistrustError(
        f"{where} of the network is {what}, which is not piecewise linear, or not known to be. The exact segment test "
        f"knows {', '.join(known)}, sums and concatenations of them. For other networks use the grid: "
        "class_region(classifier, label, exact=False) and lowest_on_grid(...)."
    )


def _pool_first(graph: fx.Graph, modules: dict[str, nn.Module]) -> None:
    """Let max pooling precede the ReLU that feeds it alone: they commute, and fewer numbers are left to bend."""
    for relu in graph.nodes:
        if not _is(relu, nn.ReLU, modules) or len(relu.users) != 1:
            continue
        (pool,), before = relu.users, relu.args[0]
        alone = isinstance(before, fx.Node) and len(before.users) == 1  # a ReLU in place changes what others read
        if alone and _is(pool, nn.MaxPool2d, modules):
            relu.target, pool.target = pool.target, relu.target


def _is(node: fx.Node, kind: type[nn.Module], modules: dict[str, nn.Module]) -> bool:
    return node.op == "call_module" and type(modules[str(node.target)]) is kind


def _is_shape(node: fx.Node) -> bool:
    asked = node.args[1] if node.target is getattr else node.target
    return node.op in ("call_function", "call_method") and asked in SHAPES
