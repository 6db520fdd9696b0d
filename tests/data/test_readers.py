import gzip
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from mistrust.data import columns, idx, load
from mistrust.data.idx import read
from mistrust.data.parquet import PARTS, Parquet
from mistrust.data.source import Source
from mistrust.errors import MistrustError


def declared(size=(5, 4), channels=1, crop=False, counts=None):
    return Source(
        "tiny", "tiny", (), channels, size, counts or {"train": 3}, Parquet(PARTS, crop=crop), "", "", "", ("tiny",)
    )


@pytest.mark.parametrize("name", ["x.gz", "x"])
@pytest.mark.parametrize("shape", [(7,), (3, 5, 4)])
def test_idx_reads_back(tmp_path, write_idx, noise, name, shape):
    values = noise(*shape)
    assert torch.equal(read(write_idx(tmp_path / name, values)), torch.from_numpy(values))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda raw: raw[:-1], r"truncated or altered: 75 bytes, where its header \(3, 5, 4\) asks for 76"),
        (lambda raw: raw + b"\0", "77 bytes, where its header"),
        (lambda raw: raw[:9], "truncated or altered"),
        (lambda raw: b"\0\0\x0d\x03" + raw[4:], "no idx file of bytes: it begins with 00000d03, expected 000008"),
        (lambda raw: b"", "no idx file of bytes"),
    ],
)
def test_idx_refuses(tmp_path, write_idx, noise, damage, message):
    path = write_idx(tmp_path / "x", noise(3, 5, 4))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(MistrustError, match=message):
        read(path)


def test_idx_gz_truncated_without_a_known_sum(tmp_path, write_idx, noise):
    path = write_idx(tmp_path / "x.gz", noise(3, 5, 4))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(MistrustError, match=r"x\.gz cannot be unpacked"):
        read(path)


def test_idx_with_another_md5_names_both(tmp_path, write_idx, noise):
    path = write_idx(tmp_path / "x.gz", noise(3, 5, 4))
    with pytest.raises(
        MistrustError, match=r"x\.gz is truncated or altered: its md5 checksum is [0-9a-f]{32}, expected abc"
    ):
        read(path, "abc")


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
@pytest.mark.parametrize("channels", [1, 3])
def test_lossless_formats_read_back_exactly(alone, encode, write_parquet, noise, kind, channels):
    # A grey WebP decodes as colour: the declared channels make it grey again, value for value.
    pixels = noise(3, 5, 4) if channels == 1 else noise(3, 5, 4, 3)
    write_parquet(
        alone.data / "tiny" / "train.parquet",
        [encode(one, kind) for one in pixels],
        [1, 0, 1],
        metadata={"channels": str(channels)},
    )
    images = load("tiny", "train")
    expected = pixels[:, None] if channels == 1 else pixels.transpose(0, 3, 1, 2)
    assert torch.equal(images.images, torch.from_numpy(np.ascontiguousarray(expected)))
    assert images.labels.tolist() == [1, 0, 1]
    assert images.ids.tolist() == [0, 1, 2]
    assert images.classes == ("no", "yes")


@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_reads_back_nearly(alone, encode, write_parquet, channels):
    # A smooth ramp, which JPEG keeps within a few grey levels.
    ramp = np.broadcast_to(np.linspace(20, 230, 16).astype(np.uint8), (16, 16))
    pixels = ramp if channels == 1 else np.repeat(ramp[..., None], 3, axis=2)
    write_parquet(
        alone.data / "tiny" / "train.parquet", [encode(np.ascontiguousarray(pixels), "JPEG", quality=95)], [0]
    )
    images = load("tiny", "train").images
    assert images.shape == (1, channels, 16, 16)
    assert int((images[0, 0].int() - torch.from_numpy(ramp.copy()).int()).abs().max()) <= 4


def test_undeclared_channels_are_those_of_the_first_image(own_set):
    assert load("mine", "train").images.shape == (6, 3, 5, 4)


@pytest.mark.parametrize("mode", ["P", "RGBA", "CMYK"])
def test_other_colour_modes_are_colour(alone, encode, write_parquet, mode):
    red = np.zeros((5, 4, 3), np.uint8)
    red[..., 0] = 255
    kind = "TIFF" if mode == "CMYK" else "PNG"
    write_parquet(alone.data / "tiny" / "train.parquet", [encode(red, kind, mode=mode)], [0])
    assert load("tiny", "train").images[0, :, 0, 0].tolist() == [255, 0, 0]


def test_blocks_equal_whole(alone, encode, write_parquet, noise, monkeypatch):
    pixels = noise(7, 5, 4)
    write_parquet(alone.data / "tiny" / "train.parquet", [encode(one) for one in pixels], [0, 1, 0, 1, 0, 1, 0])
    monkeypatch.setattr("mistrust.data.parquet.BLOCK", 3)
    assert torch.equal(load("tiny", "train").images[:, 0], torch.from_numpy(pixels))


def test_crop_takes_the_centre(alone, encode, write_parquet, noise):
    pixels = noise(3, 5, 9)
    path = write_parquet(alone.data / "tiny" / "train.parquet", [encode(one) for one in pixels], [0, 0, 0])
    source = declared(size=(5, 5), crop=True)
    decoded = source.reader.read(path.parent, "train", source)
    assert torch.equal(decoded.images[:, 0], torch.from_numpy(pixels[:, :, 2:7].copy()))


def bad(blobs=None, labels=(0, 1, 0), **kind):
    return lambda encode, noise: (
        blobs(encode, noise) if blobs else [encode(one) for one in noise(3, 5, 4)],
        labels,
        kind,
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (bad(labels=(0, 2, 0)), r"mine \(train\): mine: label 2 of image 1 names no class: expected 0 to 1"),
        (bad(labels=(0, None, 0)), r"train\.parquet: row 1 has no label"),
        (
            bad(lambda e, noise: [e(noise(5, 4)), e(noise(6, 4)), e(noise(5, 4))]),
            r"row 1: the image is 6x4 pixels .*expected 5x4.*resize",
        ),
        (
            bad(lambda e, noise: [e(noise(5, 4)), e(noise(5, 4, 3)), e(noise(5, 4))]),
            "row 1: colour, but the images before are grey",
        ),
        (
            bad(lambda e, noise: [e(noise(5, 4)), e(noise(5, 4))[:-30], e(noise(5, 4))]),
            r"row 1: no complete image \(\d+ bytes\)",
        ),
        (
            bad(lambda e, noise: [b"text", b"", b""]),
            r"train\.parquet: row 0: no complete image \(4 bytes\): it begins like no format",
        ),
        (bad(lambda e, noise: [None, None, None]), "row 0 has no image bytes.*a path alone is not enough"),
        (
            bad(lambda e, noise: [e(noise(5, 4).astype(np.uint16))] * 3),
            "row 0: pixels of mode I;16.*expected 8-bit grey or colour",
        ),
        (bad(metadata={"channels": "2"}), "channels = 2, expected 1 or 3"),
        (bad(classes=()), "expected the name of each class"),
        (bad(lambda e, noise: [], labels=()), "holds no images"),
    ],
)
def test_bad_rows_are_named(alone, encode, write_parquet, noise, rows, message):
    blobs, labels, kind = rows(encode, noise)
    write_parquet(alone.data / "mine" / "train.parquet", blobs, labels, **kind)
    with pytest.raises(MistrustError, match=f"(?s){message}"):
        load("mine", "train")


@pytest.mark.parametrize(
    "table",
    [{"image": ["a.png"], "label": [0]}, {"label": [0]}, {"image": [{"bytes": b"x", "path": ""}], "label": ["cat"]}],
    ids=["path only", "no image", "label is text"],
)
def test_other_columns_are_refused(alone, table):
    folder = alone.data / "mine"
    folder.mkdir()
    (folder / "classes.txt").write_text("cat\n")
    pq.write_table(pa.table(table), folder / "train.parquet")
    with pytest.raises(MistrustError, match=r"has the columns .*expected image: struct<bytes: binary, path: string>"):
        load("mine", "train")


def test_classes_in_another_encoding(own_set):
    (own_set.folder / "classes.txt").write_bytes("süß\nsauer\n".encode("latin-1"))
    with pytest.raises(MistrustError, match=r"classes\.txt is not UTF-8"):
        load("mine", "train")


def test_the_mark_before_the_first_class_is_no_part_of_its_name(own_set):
    (own_set.folder / "classes.txt").write_bytes("no\nyes\n".encode("utf-8-sig"))
    assert load("mine", "train").classes == ("no", "yes")


def test_a_label_that_no_int64_holds_is_named(own_set):
    path = own_set.folder / "train.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(1, "label", pa.array([0, 1, 2**63, 0, 0, 0], pa.uint64())), path)
    with pytest.raises(
        MistrustError, match=r"train\.parquet: row 2 has the label 9223372036854775808, expected the line"
    ):
        load("mine", "train")


def test_truncated_parquet_is_named(own_set):
    path = own_set.folder / "train.parquet"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(MistrustError, match=r"train\.parquet is truncated, altered or no parquet file"):
        load("mine", "train")


def test_no_altered_byte_changes_pixels_silently(own_set):
    # Page checksums: also where an altered byte would have decoded to other pixels without an error. Some bytes of
    # page headers (statistics) mean nothing to the pixels; those may change.
    path = own_set.folder / "train.parquet"
    good, source = path.read_bytes(), declared(size=(0, 0), channels=0, counts={"train": 6})
    whole = Parquet().read(path.parent, "train", source)
    refused = 0
    for place in range(4, len(good), 29):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        try:
            decoded = Parquet().read(path.parent, "train", source)
        except MistrustError as error:
            refused += "train.parquet" in str(error)
        else:
            assert torch.equal(decoded.images, whole.images)
            assert torch.equal(decoded.labels, whole.labels)
    assert refused > len(good) // 29 // 2


def test_columns_are_reachable(own_set):
    frame = columns("mine", "test")
    assert frame["place"].tolist() == ["left", "right"]
    assert frame.index.tolist() == load("mine", "test").ids.tolist() == [6, 7]
    assert columns("mine", "train").shape == (6, 0)


def test_a_known_file_must_be_that_file(own_set):
    reader = Parquet(sums={"train.parquet": "0" * 64})
    for call in (reader.read, reader.columns):
        with pytest.raises(
            MistrustError, match=re.compile("sha256 checksum is [0-9a-f]{64}, expected 0{64}.*another name", re.S)
        ):
            call(own_set.folder, "train", declared())


def test_idx_file_written_by_hand(tmp_path):
    # Two images of 1x2 pixels, byte for byte as the format's description has it.
    path = tmp_path / "two.gz"
    path.write_bytes(gzip.compress(bytes.fromhex("0000080300000002000000010000000200ff0a0b")))
    assert read(path).tolist() == [[[0, 255]], [[10, 11]]]


@pytest.mark.parametrize(
    ("values", "head"),
    [
        (np.arange(24, dtype=np.uint8).reshape(2, 3, 4), "00000803" + "00000002" + "00000003" + "00000004"),
        (np.array([-1, 7], dtype=np.int32), "00000c01" + "00000002" + "ffffffff" + "00000007"),
        (np.array([[0.5], [-2.0]]), "00000e02" + "00000002" + "00000001" + "3fe0000000000000" + "c000000000000000"),
    ],
)
def test_idx_files_are_written_as_the_format_asks(tmp_path, values, head):
    from torchvision.datasets.mnist import read_sn3_pascalvincent_tensor

    idx.write(tmp_path / "a", values)
    assert (tmp_path / "a").read_bytes().hex().startswith(head)
    assert np.array_equal(read_sn3_pascalvincent_tensor(str(tmp_path / "a")).numpy(), values)
    if values.dtype == np.uint8:
        assert np.array_equal(idx.read(tmp_path / "a").numpy(), values)
    with pytest.raises(FileExistsError):
        idx.write(tmp_path / "a", values)
    with pytest.raises(MistrustError, match="an array of float32, expected one of uint8, int32, float64"):
        idx.write(tmp_path / "b", values.astype(np.float32))
