"""Where networks run: `auto` takes CUDA, else the CPU.

Apple's MPS has no float64, in which some trainings sum up, and nobody has tried it here: it is taken only by name.
"""

import os

import torch

from mistrust.errors import MistrustError, UnknownName

DEVICES = ("auto", "cpu", "cuda", "mps")


def device(name: str | None = None) -> torch.device:
    """Give the device of that name; None reads the environment's MISTRUST_DEVICE, else `auto`.

    Raises
    ------
    MistrustError
        An unknown name, what is none, or a device that this machine does not have.

    Examples
    --------
    >>> device("cpu")
    device(type='cpu')
    >>> device("gpu")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: There is no device 'gpu': say 'cuda' (NVIDIA), 'mps' (Apple, untried), or 'auto'.
    """
    if not (name is None or isinstance(name, str)):
        raise MistrustError(
            f"The device is {name!r}, expected its name: {', '.join(DEVICES)}; of a torch.device, str(device)."
        )
    wanted = name or os.environ.get("MISTRUST_DEVICE", "auto")
    kind = wanted.split(":")[0]
    if kind == "gpu":
        raise MistrustError("There is no device 'gpu': say 'cuda' (NVIDIA), 'mps' (Apple, untried), or 'auto'.")
    if kind not in DEVICES:
        raise UnknownName("device", wanted, DEVICES)
    have = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if kind == "auto":
        return torch.device(next(k for k in ("cuda", "cpu") if have[k]))
    if not have[kind]:
        there = ", ".join(k for k, there in have.items() if there)
        raise MistrustError(
            f"Device '{wanted}' is not on this machine, which has: {there}. Take what is there: "
            'device="auto" in Python, --device auto on a command line.'
        )
    try:
        return torch.device(wanted)
    except RuntimeError:  # what follows the colon is no number
        raise UnknownName("device", wanted, DEVICES) from None
