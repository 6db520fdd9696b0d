"""What the functions of this folder ask of their input, and how they say what was wrong."""

import torch
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.networks import looks_like_probabilities


def check_classes(k: int) -> None:
    """Refuse fewer classes than two."""
    if k < 2:
        raise MistrustError(f"The matrix needs at least two classes, got {k}.")


def check_tensor(what: str, values: object) -> None:
    """Refuse what is no tensor, an array or a list for instance; `what` names it, in the plural ("Labels")."""
    if not isinstance(values, Tensor):
        raise MistrustError(f"{what} are a {type(values).__name__}, expected a tensor: torch.as_tensor makes one.")


def check_counts(counts: Tensor) -> None:
    """Refuse what is no square matrix: a row a true class, a column a predicted one."""
    check_tensor("Counts", counts)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise MistrustError(
            f"Counts have shape {tuple(counts.shape)}, expected (k, k), as confusion(labels, predicted, k) gives them."
        )


def check_probabilities(probabilities: Tensor, n: int, k: int) -> None:
    """Refuse what is not n softmax rows of k classes; no rows at all are well."""
    check_tensor("Probabilities", probabilities)
    if probabilities.ndim != 2 or tuple(probabilities.shape) != (n, k):
        raise MistrustError(
            f"Probabilities have shape {tuple(probabilities.shape)}, expected ({n}, {k}): one row per input, a "
            "column a class."
        )
    if not bool(torch.isfinite(probabilities).all()):
        raise MistrustError("Probabilities hold NaN or infinite values.")
    if n and not looks_like_probabilities(probabilities):
        raise MistrustError(
            "Rows are not probabilities: each must be at least 0 and sum to 1 within 1e-4. Logits? Take "
            "record.probabilities, or logits.softmax(1)."
        )


def check_distances(distance: Tensor) -> None:
    """Refuse what is no row of distances an input, or holds NaN, which no minimum and no quantile would show."""
    check_tensor("Distances", distance)
    if distance.ndim != 2:
        raise MistrustError(
            f"Distances have shape {tuple(distance.shape)}, expected (n, k): one row per input, one column per class. "
            "They come from distances(probabilities, centroids)."
        )
    without = distance.isnan().all(0).nonzero().flatten().tolist() if len(distance) else []
    if without:
        raise MistrustError(
            f"Distances to the centroids of classes {', '.join(map(str, without))} are NaN for every input: these "
            "classes have no centroid. Leave them out."
        )
    missing = int(distance.isnan().any(1).sum())
    if missing:
        raise MistrustError(
            f"Distances of {missing} of {len(distance)} inputs hold NaN: leave these inputs out, or see what made them."
        )


def check_labels(labels: Tensor, k: int, what: str = "Labels") -> None:
    """Refuse what is not one whole number per input, and classes outside 0 to k - 1."""
    check_tensor(what, labels)
    if labels.ndim != 1 or labels.is_floating_point() or labels.dtype == torch.bool:
        raise MistrustError(
            f"{what} have shape {tuple(labels.shape)} and type {labels.dtype}, expected whole numbers (n,) such as "
            "int64: the class of each input."
        )
    if len(labels) and not 0 <= int(labels.min()) <= int(labels.max()) < k:
        raise MistrustError(f"{what} run from {int(labels.min())} to {int(labels.max())}, expected 0 to {k - 1}.")


def check_lengths(**arrays: Tensor) -> None:
    """Refuse arrays of different lengths, naming each, and what has no length."""
    for name, one in arrays.items():
        check_tensor(f"{name[:1].upper()}{name[1:]}", one)
        if not one.ndim:
            raise MistrustError(f"One entry an input is needed in each, and '{name}' is a single number.")
    if len({len(one) for one in arrays.values()}) > 1:
        told = ", ".join(f"{name} {len(one)}" for name, one in arrays.items())
        raise MistrustError(f"One entry an input is needed in each, got {told}.")
