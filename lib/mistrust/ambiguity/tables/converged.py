"""Table "convergence": what plain autoencoders of two classes, and of all, need in order to learn."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from mistrust.ambiguity.convergence import LOOK, Group, parameters, parameters_needed, steps_to_converge
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.tables import Row, measured
from mistrust.evaluation import between_models

WHOLE = "all classes"  # how rows and groups call the autoencoder of all


def converged(shares: Mapping[int, Float[Tensor, "g looks"]], groups: Sequence[Group], design: Design) -> Iterator[Row]:
    """Steps and parameters of each autoencoder; and, as means, what is rebuilt by step and by width.

    Parameters
    ----------
    shares : by width, what each group's autoencoder rebuilds at each look; see `convergence.learn`.
    groups : whose; that of all classes is called `WHOLE`.
    design : the paper's; its width is among those of `shares`.
    """
    widths = sorted(shares)
    last = torch.stack([shares[width][:, -1] for width in widths], 1)
    needed = {
        "steps to converge": steps_to_converge(shares[design.hidden]),
        "parameters": parameters_needed(last, design, widths),
    }
    for metric, values in needed.items():
        for group, value in zip(groups, values, strict=True):
            condition = WHOLE if group.name == WHOLE else "two classes"
            common = {"table": "convergence", "condition": condition, "metric": metric}
            yield {**common, "at": group.name, "seed": group.seed, "value": value, "n": len(group.rows)}
    whole = torch.tensor([group.name == WHOLE for group in groups])
    for condition, chosen in (("two classes", ~whole), (WHOLE, whole)):
        common = {"table": "convergence", "condition": condition, "over": "models"}
        for look, values in enumerate(shares[design.hidden][chosen].unbind(1)):
            yield measured(between_models(values.numpy()), **common, metric="rebuilt by step", level=look * LOOK)
        for width, values in zip(widths, last[chosen].unbind(1), strict=True):
            size = parameters(replace(design, hidden=width))
            yield measured(between_models(values.numpy()), **common, metric="rebuilt by size", level=size)
