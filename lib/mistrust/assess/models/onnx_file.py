"""Models in the ONNX format, run by onnxruntime, an optional package."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mistrust.assess.models.loaded import Loaded, checksum
from mistrust.errors import MistrustError


def from_onnx(path: Path, trust: bool) -> Loaded:
    """Read an ONNX file: one input of images (n, c, h, w), and as its first output the logits.

    Raises
    ------
    MistrustError
        onnxruntime is not installed; the file takes several inputs or none.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise MistrustError(
            f"{path} is an ONNX file, and the package onnxruntime, which runs such files, is not installed: pip "
            "install 'mistrust[assess]', or pip install onnxruntime."
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
    first = session.get_outputs()[0].name

    def call(images: Tensor) -> Tensor:
        given = images.detach().cpu().to(kind).contiguous().numpy()
        return torch.from_numpy(session.run([first], {entry.name: given})[0])

    batch = entry.shape[0] if entry.shape and isinstance(entry.shape[0], int) else 0
    return Loaded(call, "ONNX", path.stem, checksum(path), batch=batch)
