import base64
import io
import zlib

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from mistrust.errors import MistrustError
from mistrust.pictures import pack, unpack

sides = st.integers(1, 9)
shapes = st.one_of(st.tuples(sides, sides), st.tuples(sides, sides, st.just(3)))


def chunks(text):
    """Names and contents of a PNG's parts, read by the format's own rules (RFC 2083, section 3)."""
    data, at, found = base64.b64decode(text.removeprefix("png:")), 8, []
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        found.append((data[at + 4 : at + 8].decode(), data[at + 8 : at + 8 + size]))
        at += size + 12
    return found


@pytest.mark.whole
@given(pixels=shapes.flatmap(lambda shape: arrays(np.uint8, shape)))
def test_round_trip_keeps_every_pixel(pixels):
    back = unpack(pack(pixels))
    assert back.dtype == np.uint8
    np.testing.assert_array_equal(back, pixels)
    assert pack(back) == pack(torch.from_numpy(pixels)) == pack(np.asfortranarray(pixels))
    back[...] = 0  # the reader's own, not a read-only view


def test_is_a_plain_png_and_holds_nothing_else():
    pixels = np.array([[0, 1], [128, 255], [7, 9]], np.uint8)
    text = pack(pixels)
    assert text.startswith("png:")
    assert text.isascii()
    found = dict(chunks(text))
    assert list(found) == ["IHDR", "IDAT", "IEND"]
    # Width 2, height 3, eight bits, grey (0).
    assert found["IHDR"] == bytes([0, 0, 0, 2, 0, 0, 0, 3, 8, 0, 0, 0, 0])
    assert len(zlib.decompress(found["IDAT"])) == 3 * (1 + 2)


def test_channels_may_stand_first():
    colour = torch.arange(3 * 4 * 5, dtype=torch.uint8).view(3, 4, 5)
    assert pack(colour) == pack(colour.permute(1, 2, 0))
    np.testing.assert_array_equal(unpack(pack(colour))[..., 2], colour[2])
    assert pack(colour[:1]) == pack(colour[0])
    assert unpack(pack(colour[:1])).shape == (4, 5)


def test_one_pixel_makes_another_text():
    pixels = np.zeros((28, 28), np.uint8)
    other = pixels.copy()
    other[3, 4] = 1
    assert pack(pixels) != pack(other)
    # Grey as colour is another picture: nothing is joined or dropped.
    assert unpack(pack(np.repeat(pixels[..., None], 3, 2))).shape == (28, 28, 3)


@pytest.mark.parametrize("shape", [(5,), (2, 5, 5), (5, 5, 4), (1, 1, 5, 5), (0, 5), (5, 0, 3)])
def test_refuses_other_shapes(shape):
    with pytest.raises(MistrustError, match=r"expected one image: \(h, w\)"):
        pack(np.zeros(shape, np.uint8))


def test_refuses_other_types():
    with pytest.raises(MistrustError, match=r"type float32, expected uint8 .* `mistrust.ambiguity.to_bytes`"):
        pack(torch.rand(4, 4))


def test_refuses_other_text():
    whole = pack(np.arange(100, dtype=np.uint8).reshape(10, 10))
    for wrong in ("", "jpg:AAAA", whole.removeprefix("png:"), float("nan")):
        with pytest.raises(MistrustError, match=r"not a picture, expected text that begins with 'png:'"):
            unpack(wrong)
    for wrong in (whole[:-40], "png:", "png:%%%", "png:AAAA"):
        with pytest.raises(MistrustError, match=r"broken or was cut short"):
            unpack(wrong)
    assert len(whole) > 100
    with pytest.raises(MistrustError, match=r"^'png:.*\.\.\. \(\d+ characters\)") as refused:
        unpack(whole[:-40])
    assert whole[60:] not in str(refused.value)


def test_refuses_a_png_of_another_kind():
    file = io.BytesIO()
    Image.new("RGBA", (2, 2)).save(file, "PNG")
    with pytest.raises(MistrustError, match=r"of kind 'RGBA', expected L or RGB"):
        unpack("png:" + base64.b64encode(file.getvalue()).decode())
