"""What a stored thing holds: named tensors or a table, as bytes, back again, and their digest.

torch and pandas are imported where they are used: naming and listing stored things needs neither.
"""

import hashlib
import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd
    import torch

    Tensors = dict[str, torch.Tensor]
    Content = dict[str, torch.Tensor] | pd.DataFrame
else:  # names for annotations; what they stand for would load torch and pandas
    Tensors = Content = object

FILES = {"tensors": "content.safetensors", "table": "content.parquet"}
TEXT_TYPES = ("str", "string", "object")


def encode(content: Any, form: str, what: str) -> tuple[bytes, list[str]]:
    """The bytes of a thing and, for a table, its columns' types; `what` names the thing in messages.

    Raises
    ------
    MistrustError
        Content of another form than its maker says, or that a file cannot keep exactly.
    """
    if form == "tensors":
        return encode_tensors(content, what), []
    frame = _checked_table(content, what)
    types = [str(kind) for kind in frame.dtypes]
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(frame), buffer, compression="zstd")
    return buffer.getvalue(), types


def decode(data: bytes, form: str, types: list[str]) -> Any:
    """The thing that `encode` made these bytes of."""
    if form == "tensors":
        return decode_tensors(data)
    import numpy as np
    import pyarrow.parquet as pq

    frame = pq.read_table(io.BytesIO(data)).to_pandas()
    for column, kind in zip(frame.columns, types, strict=True):
        if str(frame[column].dtype) != kind:
            frame[column] = frame[column].astype(kind)
        if kind == "object":
            frame[column] = frame[column].where(frame[column].notna(), np.nan)
    return frame


def encode_tensors(tensors: Any, what: str) -> bytes:
    """Named tensors as safetensors bytes, equal for equal tensors."""
    import torch
    from safetensors.torch import save

    if not isinstance(tensors, Mapping):
        raise MistrustError(f"{what} is a {type(tensors).__name__}, expected a dict of named tensors.")
    ready: dict[str, torch.Tensor] = {}
    seen: set[int] = set()
    for name, tensor in tensors.items():
        if not isinstance(name, str) or not isinstance(tensor, torch.Tensor):
            kind = type(tensor).__name__
            raise MistrustError(f"{what} holds {name!r} ({kind}), expected tensors with names that are text.")
        if tensor.layout != torch.strided or tensor.is_quantized:
            raise MistrustError(f"{what} holds '{name}' with layout {tensor.layout}: use .to_dense().")
        dense = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
        # Two names for one memory, or a window of a larger one: safetensors refuses the first.
        memory = dense.untyped_storage()
        if memory.data_ptr() in seen or memory.nbytes() != dense.nbytes:
            dense = dense.clone()
        seen.add(dense.untyped_storage().data_ptr())
        ready[name] = dense
    # One metadata key at most: safetensors writes several in random order.
    return save(ready, metadata={"mistrust": json.dumps({"format": 1})})


def decode_tensors(data: bytes) -> "dict[str, torch.Tensor]":
    """The tensors of safetensors bytes, by name, sorted."""
    from safetensors.torch import load

    loaded = load(data)
    return {name: loaded[name] for name in sorted(loaded)}


def _checked_table(frame: Any, what: str) -> "pd.DataFrame":
    """The frame with plain row numbers; refuses what parquet would change."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise MistrustError(f"{what} is a {type(frame).__name__}, expected a data frame.")
    names = list(frame.columns)
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise MistrustError(f"{what} has the columns {names}, expected text, each once.")
    if frame.index.name is not None or not pd.api.types.is_integer_dtype(frame.index.dtype):
        raise MistrustError(f"{what} has an index that says something ({frame.index.name}): use .reset_index().")
    for name in names:
        _checked_column(frame[name], f"{what}, column '{name}',")
    return frame.reset_index(drop=True)


def _checked_column(column: "pd.Series[Any]", what: str) -> None:
    kind = str(column.dtype)
    if kind in TEXT_TYPES:
        for value in column.tolist() if kind == "object" else ():
            if not isinstance(value, str) and not (isinstance(value, float) and value != value):
                raise MistrustError(f"{what} holds {value!r} ({type(value).__name__}) among text: use text or NaN.")
    elif getattr(column.dtype, "kind", "") not in "biuf" or not hasattr(column.dtype, "byteorder"):
        raise MistrustError(f"{what} has type {kind}, expected numbers, truth values or text.")


def digest(content: Any) -> str:
    """A hash of a thing's names, types, shapes and values: 20 hexadecimal digits.

    It does not depend on how a file holds them, nor on the order of tensors; the order of a table's columns and rows
    counts. Text counts as text, whichever of its types pandas uses.

    Examples
    --------
    >>> here, there = {"a": torch.ones(2), "b": torch.zeros(1)}, {"b": torch.zeros(1), "a": torch.ones(2)}
    >>> digest(here) == digest(there), digest(here) == digest({"a": torch.ones(2)})
    (True, False)
    """
    total = hashlib.sha256()

    def add(part: bytes) -> None:
        total.update(len(part).to_bytes(8, "little"))
        total.update(part)

    if isinstance(content, Mapping):
        import torch

        for name in sorted(content):
            tensor = content[name].detach().cpu().resolve_conj().resolve_neg().contiguous()
            add(f"{name}|{tensor.dtype}|{tuple(tensor.shape)}".encode())
            add(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
        return total.hexdigest()[:20]
    import numpy as np

    frame = _checked_table(content, "The table")
    for name in frame.columns:
        column = frame[name]
        kind = "text" if str(column.dtype) in TEXT_TYPES else str(column.dtype)
        add(f"{name}|{kind}|{len(column)}".encode())
        if kind == "text":
            for value in column.tolist():
                add(b"=" + value.encode() if isinstance(value, str) else b"-")
        else:
            values = column.to_numpy()
            if values.dtype.kind == "f":
                values = np.where(np.isnan(values), np.array(np.nan, values.dtype), values)
            add(values.tobytes())
    return total.hexdigest()[:20]
