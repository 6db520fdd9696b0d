"""Training mode: a module is put out of it, and what that changes is measured; what still seems in it is refused."""

from collections.abc import Callable
from copy import deepcopy

import torch
from torch import Tensor, nn

from mistrust.assess.models.loaded import Loaded, as_tensor, in_short
from mistrust.errors import MistrustError

APART = 1e-3  # share of the largest output by which two passes may differ: rounding differs by far less
BLOCK = 64  # images of one pass, whose statistics a batch norm reads


def evaluated(network: nn.Module) -> tuple[str, ...]:
    """Put a module into evaluation mode; give the names of those of its modules that were not ("" is the whole).

    Examples
    --------
    >>> evaluated(nn.Sequential(nn.Linear(4, 2).eval(), nn.Softmax(1)))
    ('', '1')
    """
    # Frozen TorchScript has no such flag.
    training = tuple(name for name, part in network.named_modules() if getattr(part, "training", False))
    network.eval()
    return training


def told_apart(loaded: Loaded, seen: Tensor, outputs: Tensor) -> tuple[str, ...]:
    """Say so where a model would have given other outputs in the mode that it came in.

    It is asked, for the flag alone says nothing: a wrapper made around a network in evaluation mode has it.
    """
    if not loaded.training:
        return ()
    try:
        other = _as_it_came(loaded, seen)
        if isinstance(other, Tensor) and other.shape == outputs.shape:
            apart = _apart(outputs, other)
            found = apart and f"its answers to {len(seen)} images differ {apart}, as dropout or batch statistics do"
        else:  # as networks with a second output that only training uses
            found = "its answers have another form"
    except Exception as error:  # whatever a module raises that is copied, or trained with these images
        found = f"it could not be looked at ({in_short(error)})"
    if not found:
        return ()
    # The outermost alone: what is below them came along.
    names = [one for one in loaded.training if not any(_below(one, other) for other in loaded.training)]
    told = ", ".join(name or "the whole model" for name in names[:3])
    told += f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (
        f"The model was in training mode ({told}), where {found}. It was put into evaluation mode here; do the same "
        "where you use it (model.eval()).",
    )


def _below(name: str, other: str) -> bool:
    """Whether one module of a network is a part of another, by their names."""
    return name != other and (not other or name.startswith(f"{other}."))


def _as_it_came(loaded: Loaded, seen: Tensor) -> Tensor | None:
    """What a copy answers in the mode that the model came in: a pass in training mode may change what it holds.

    None where its answers are no one tensor.
    """
    assert isinstance(loaded.network, nn.Module)  # nothing else has the flag
    network = deepcopy(loaded.network)
    parts = dict(network.named_modules())
    for name in loaded.training:
        parts[name].training = True  # that part alone, which `train()` would hand on
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        blocks = seen.chunk(-(-len(seen) // BLOCK))  # about equal: of one image there are no batch statistics
        answers = [network(block) for block in blocks]
    try:
        return torch.cat([as_tensor(one).detach().cpu() for one in answers]).float()
    except MistrustError:
        return None


def check_steady(network: Callable[[Tensor], Tensor], seen: Tensor, name: str) -> None:
    """Refuse a model whose answers change from pass to pass, or with the other images of the batch."""
    first = network(seen)
    for other, told in (
        (lambda: network(seen), "from pass to pass, as dropout does"),
        (lambda: _one_by_one(network, seen, name), "with the other images of the batch, as batch statistics do"),
    ):
        apart = _apart(first, other())
        if apart and bool(torch.isfinite(first).all()):
            raise MistrustError(f"The answers of '{name}' change {told} ({apart}): {_TRAINING}")


_TRAINING = "it seems to be in training mode. Put it into evaluation mode (model.eval()) before it is saved or called."


def _one_by_one(network: Callable[[Tensor], Tensor], seen: Tensor, name: str) -> Tensor:
    """What a model answers to each image alone."""
    answers = []
    for one in seen.split(1):
        try:
            answer = network(one)
        except MistrustError:
            raise
        except Exception as error:  # whatever the model raises: batch statistics of one image, for instance
            raise MistrustError(
                f"'{name}' takes {len(seen)} images at once and fails on one alone ({in_short(error)}): {_TRAINING}"
            ) from error
        if answer.ndim != 2 or len(answer) != 1:
            raise MistrustError(
                f"'{name}' gives shape {tuple(answer.shape)} for one image alone, expected (1, classes): does it end "
                "in .squeeze()? Leave it out."
            )
        answers.append(answer)
    return torch.cat(answers)


def _apart(one: Tensor, other: Tensor) -> str:
    """How far answers lie apart, in words; nothing where rounding may have done it."""
    scale = max(float(one.abs().max()), 1e-12)
    apart = float((one - other).abs().max())
    return "" if apart <= APART * scale else f"by up to {apart:.3g}, where the largest is {scale:.3g}"
