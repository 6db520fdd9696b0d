"""Parquet files as Hugging Face's `datasets` reads them, and as this library reads users' own images."""

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt8

from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.data import parquet

# Images encoded at a time, and rows in a group of a file: bounds the memory, whatever the size of the set.
BLOCK = 1000


def channels_last(images: AmbiguousSet) -> UInt8[np.ndarray, "n h w *c"]:
    """The bytes as most readers expect them: (n, height, width) for grey, (n, height, width, channels) for colour."""
    pixels = images.images.numpy()
    return pixels[:, 0] if pixels.shape[1] == 1 else np.ascontiguousarray(pixels.transpose(0, 2, 3, 1))


def write(parts: Mapping[str, AmbiguousSet], folder: Path) -> None:
    """Write a file for each part, every image encoded and every column beside it, and the class names."""
    from pyarrow import parquet as pq

    for split, one in parts.items():
        schema = _schema(one)
        with pq.ParquetWriter(folder / parquet.PARTS[split], schema, write_page_checksum=True) as file:
            for block in _rows(one, schema):
                file.write_table(block)
        (folder / parquet.CLASSES).write_text(
            "".join(f"{name}\n" for name in one.classes), encoding="utf-8", newline="\n"
        )


def _features(one: AmbiguousSet) -> dict[str, Any]:
    """The columns in the words of `datasets`."""

    def several(length: int) -> dict[str, Any]:
        # "Sequence" is what old and new versions of `datasets` both know.
        return {"feature": {"dtype": "float64", "_type": "Value"}, "length": length, "_type": "Sequence"}

    a_class = {"names": list(one.classes), "_type": "ClassLabel"}
    number = {"dtype": "float64", "_type": "Value"}
    whole = {"dtype": "int64", "_type": "Value"}
    return {
        "image": {"_type": "Image"},
        "label": a_class,
        "first": a_class,
        "second": a_class,
        "p_first": number,
        "p_second": number,
        "probabilities": several(len(one.classes)),
        "decoder": whole,
        "latent": several(one.latent.shape[1]),
        "id": whole,
        "seed": whole,
    }


def _schema(one: AmbiguousSet) -> Any:
    import pyarrow as pa

    features = _features(one)
    types = {"Image": pa.struct({"bytes": pa.binary(), "path": pa.string()}), "ClassLabel": pa.int64()}
    fields = []
    for name, about in features.items():
        kind = about["_type"]
        if kind == "Sequence":
            fields.append((name, pa.list_(pa.float64(), about["length"])))
        else:
            fields.append((name, types[kind] if kind in types else pa.type_for_alias(about["dtype"])))
    # What `datasets` reads, and what our own reader does: a grey image stays grey.
    metadata = {"huggingface": json.dumps({"info": {"features": features}}), "channels": str(one.images.shape[1])}
    return pa.schema(fields, metadata=metadata)


def _rows(one: AmbiguousSet, schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    pixels, soft, latent = channels_last(one), one.soft.numpy(), one.latent.numpy()
    for start in range(0, len(pixels), BLOCK):
        here = slice(start, start + BLOCK)
        columns = [
            [{"bytes": _png(image), "path": f"{start + k:06d}.png"} for k, image in enumerate(pixels[here])],
            one.labels[here].numpy(),
            one.pairs[here, 0].numpy(),
            one.pairs[here, 1].numpy(),
            one.probabilities[here, 0].numpy(),
            one.probabilities[here, 1].numpy(),
            list(soft[here]),
            one.decoder[here].numpy(),
            list(latent[here]),
            one.ids[here].numpy(),
            np.full(len(pixels[here]), one.seed, dtype=np.int64),
        ]
        arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
        yield pa.Table.from_arrays(arrays, schema=schema)


def _png(pixels: np.ndarray) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()
