"""Models in the ONNX format, run by onnxruntime, an optional package."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mistrust.assess.models.loaded import Loaded, checksum
from mistrust.errors import MistrustError

PACKAGE = "onnxruntime>=1.20"  # as in pyproject.toml; by its own name, since this project is on no index
FLOATS = ("tensor(float)", "tensor(float16)", "tensor(double)")


def from_onnx(path: Path, trust: bool) -> Loaded:
    """Read an ONNX file: one input of images, and an output of one number per class, the first of several.

    Images are given as (n, c, h, w), and as (n, h, w, c) where the file says that it takes the channels last. What
    stands before the numbers, such as the label that scikit-learn's converter writes first, is passed over.

    Raises
    ------
    MistrustError
        onnxruntime is not installed; the file takes several inputs or none, or gives no numbers.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise MistrustError(
            f"{path} is an ONNX file, and the package onnxruntime, which runs such files, is not installed: pip "
            f"install '{PACKAGE}'."
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.log_severity_level = 3
    session: Any = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    inputs = session.get_inputs()
    if len(inputs) != 1:
        raise MistrustError(
            f"{path} takes {len(inputs)} inputs ({', '.join(one.name for one in inputs)}), expected one, the images. "
            "Call it from a function, and name that: --model FILE.py:NAME."
        )
    [entry] = inputs
    kind = {"tensor(float16)": torch.float16, "tensor(double)": torch.float64}.get(entry.type, torch.float32)
    outputs = session.get_outputs()
    numbers = [one for one in outputs if one.type in FLOATS and len(one.shape or (0, 0)) == 2] or [
        one for one in outputs if one.type in FLOATS
    ]
    if not numbers:
        raise MistrustError(
            f"{path} gives {', '.join(f'{one.name} ({one.type})' for one in outputs)}, expected one tensor of "
            "one number per class. A classifier of scikit-learn: convert it with options={'zipmap': False}."
        )
    shape, read = entry.shape or [], numbers[0].name
    last = len(shape) == 4 and shape[3] in (1, 3) and shape[1] not in (1, 3)
    notices = ("The file takes the channels of images last: they are given so.",) if last else ()
    if read != outputs[0].name:
        notices += (f"Of the file's outputs ({', '.join(one.name for one in outputs)}) '{read}' is read.",)

    def call(images: Tensor) -> Tensor:
        given = (images.permute(0, 2, 3, 1) if last else images).detach().cpu().to(kind).contiguous().numpy()
        return torch.from_numpy(session.run([read], {entry.name: given})[0])

    batch = shape[0] if shape and isinstance(shape[0], int) else 0
    no_layers = "an ONNX file does not let its layers be read (onnxruntime gives its outputs alone)"
    return Loaded(
        call, "ONNX", path.stem, checksum(path), notices, no_layers, batch, no_gradients="an ONNX file has none"
    )  # fmt: skip
