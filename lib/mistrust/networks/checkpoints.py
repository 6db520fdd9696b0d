"""A network in the middle of its training, as tensors: its state, and its optimiser's."""

import torch
from torch import Tensor, nn

from mistrust.store import Scratch

# What a checkpoint calls what torch's optimisers keep for each parameter.
SLOTS = {"momentum": "momentum_buffer", "mean": "exp_avg", "square": "exp_avg_sq", "step": "step"}


def checkpoint(network: nn.Module, optimiser: torch.optim.Optimizer, epoch: int) -> dict[str, Tensor]:
    """Copy all that training goes on from, `epoch` epochs being done."""
    kept = {f"network/{name}": v.detach().cpu().clone() for name, v in network.state_dict().items()}
    for index, state in optimiser.state_dict()["state"].items():
        for slot, name in SLOTS.items():
            if state.get(name) is not None:
                kept[f"{slot}/{index}"] = state[name].detach().cpu().clone()
    kept["epoch"] = torch.tensor(epoch)
    return kept


def restore(network: nn.Module, optimiser: torch.optim.Optimizer, scratch: Scratch | None) -> int:
    """Put back the last checkpoint; gives the number of epochs that are done."""
    kept = scratch.load() if scratch is not None else None
    if kept is None:
        return 0
    network.load_state_dict({n.removeprefix("network/"): v for n, v in kept.items() if n.startswith("network/")})
    parameters = list(network.parameters())
    states: dict[int, dict[str, Tensor]] = {}
    for name, values in kept.items():
        slot, _, index = name.partition("/")
        if slot not in SLOTS:
            continue
        whole = parameters[int(index)]
        # Laid out in memory as its parameter is (channels last): a fused step walks through both side by side.
        laid = values if values.shape != whole.shape else torch.empty_like(whole).copy_(values).detach()
        states.setdefault(int(index), {})[SLOTS[slot]] = laid
    state = optimiser.state_dict()
    state["state"] = states
    optimiser.load_state_dict(state)
    return int(kept["epoch"])
