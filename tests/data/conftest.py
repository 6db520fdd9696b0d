import gzip
import io
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image


@pytest.fixture(autouse=True)
def own_cache(house, monkeypatch):
    """A cache of the test's own."""
    folder = house / "cache"
    monkeypatch.setenv("MISTRUST_CACHE", str(folder))
    return folder


@pytest.fixture
def alone(tmp_path, monkeypatch, own_cache):
    """A project of the test's own: its data folder, cache and shared folder, all empty, nothing else found."""
    folders = SimpleNamespace(
        data=tmp_path / "data", cache=own_cache, shared=tmp_path / "shared" / "data", root=tmp_path / "project"
    )
    for folder in vars(folders).values():
        folder.mkdir(parents=True)
    monkeypatch.setenv("MISTRUST_DATA", str(folders.data))
    monkeypatch.setenv("MISTRUST_ROOT", str(folders.root))
    return folders


@pytest.fixture
def encode():
    """uint8 (height, width) or (height, width, 3) to a PNG, lossless WebP or JPEG file in memory."""

    def encoded(pixels, kind="PNG", mode=None, **options):
        file = io.BytesIO()
        lossless = {"lossless": True, "exact": True} if kind == "WEBP" else {}
        image = Image.fromarray(pixels)
        (image.convert(mode) if mode else image).save(file, kind, **lossless, **options)
        return file.getvalue()

    return encoded


@pytest.fixture
def write_parquet():
    """Write rows of (image bytes, label, further columns) in the parquet layout."""

    def write(path: Path, blobs, labels, classes=("no", "yes"), metadata=None, **columns):
        path.parent.mkdir(parents=True, exist_ok=True)
        images = pa.array(
            [{"bytes": blob, "path": f"{k}.png"} for k, blob in enumerate(blobs)],
            pa.struct({"bytes": pa.binary(), "path": pa.string()}),
        )
        table = pa.table({"image": images, "label": pa.array(labels, pa.int64()), **columns})
        pq.write_table(table.replace_schema_metadata(metadata), path, write_page_checksum=True)
        (path.parent / "classes.txt").write_text("".join(f"{one}\n" for one in classes))
        return path

    return write


@pytest.fixture
def write_idx():
    """Write an array of bytes as an idx file, gzipped where the name says so."""

    def write(path: Path, values: np.ndarray):
        path.parent.mkdir(parents=True, exist_ok=True)
        head = bytes([0, 0, 8, values.ndim]) + np.array(values.shape, ">i4").tobytes()
        raw = head + values.astype(np.uint8).tobytes()
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
        return path

    return write


@pytest.fixture
def noise():
    """Seeded uint8 noise of a shape."""
    return lambda *shape, seed=0: np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


@pytest.fixture
def own_set(alone, encode, write_parquet, noise):
    """A set of the user's own, `mine`: six 5x4 colour images for training, two for testing."""
    pixels = noise(8, 5, 4, 3)
    blobs = [encode(one) for one in pixels]
    folder = alone.data / "mine"
    write_parquet(folder / "train.parquet", blobs[:6], [0, 1, 0, 1, 1, 1])
    write_parquet(folder / "test.parquet", blobs[6:], [1, 0], place=["left", "right"])
    return SimpleNamespace(folder=folder, pixels=pixels)
