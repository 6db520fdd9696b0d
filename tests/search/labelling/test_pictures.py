"""Images: found by their names, scaled to a limit, small ones kept to the pixel, broken ones named."""

import base64
import io
import os
import unicodedata

import numpy as np
import pytest
from PIL import Image

from mistrust.data.pixels import Fit, decode
from mistrust.errors import MistrustError
from mistrust.search.labelling import find, shown


def opened(one):
    return Image.open(io.BytesIO(base64.b64decode(one.uri.partition(",")[2])))


def save(path, pixels, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.asarray(pixels, dtype=np.uint8)).save(path, **how)
    return path


def test_names_stems_and_paths_are_found(tmp_path):
    for name in ("cats/1.png", "dogs/1.png", "dogs/2.png", "3.v2.png"):
        save(tmp_path / name, np.zeros((2, 2)))
    names = ["cats/1.png", "dogs/1", "2", "2.png", "3.v2"]
    assert [path.relative_to(tmp_path).as_posix() for path in find(tmp_path, names)] == [
        "cats/1.png", "dogs/1.png", "dogs/2.png", "dogs/2.png", "3.v2.png",
    ]  # fmt: skip
    with pytest.raises(MistrustError, match=r"'1' fits cats/1\.png and dogs/1\.png\. Name the file whole"):
        find(tmp_path, ["1"])
    with pytest.raises(MistrustError, match=r"1 of 2 ids without an image: '22\.png'\. Nearest to '22\.png': '2\.png'"):
        find(tmp_path, ["2", "22.png"])


def test_paths_from_elsewhere_are_found_and_hidden_files_are_not(tmp_path):
    folder = tmp_path / "photos"
    for name in ("cats/1.png", "dogs/1.png", "cats/._1.png", ".ipynb_checkpoints/1.png", "__MACOSX/cats/2.png"):
        save(folder / name, np.zeros((2, 2)))
    names = ["photos/cats/1.png", "cats\\1.png", "./cats/1.png", str(folder / "cats" / "1.png"), "photos\\cats\\1"]
    assert {path.relative_to(folder).as_posix() for path in find(folder, names)} == {"cats/1.png"}
    with pytest.raises(MistrustError, match=r"'1\.png' fits cats/1\.png and dogs/1\.png\. Name"):
        find(folder, ["1.png"])
    with pytest.raises(MistrustError, match="1 of 1 ids without an image"):
        find(folder, ["2.png"])


@pytest.mark.parametrize(("there", "asked"), [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
def test_letters_with_marks_are_found_however_they_are_spelt(tmp_path, there, asked):
    name = "k\u00e4tzchen/caf\u00e9.png"
    path = save(tmp_path / unicodedata.normalize(there, name), np.zeros((2, 2)))
    spelt = unicodedata.normalize(asked, name)
    assert find(tmp_path, [spelt]) == [path]
    assert find(tmp_path, [spelt.partition("/")[2].removesuffix(".png")]) == [path]


def test_paths_out_of_the_folder_are_of_no_image(tmp_path):
    inner = save(tmp_path / "photos" / "1.png", np.zeros((2, 2)))
    outer = save(tmp_path / "mine.png", np.zeros((2, 2)))
    (tmp_path / "photos" / "linked").symlink_to(save(tmp_path / "more" / "2.png", np.zeros((2, 2))).parent)
    for name in ("../mine.png", str(outer), "photos/../../mine.png", "x" * 300, "x/" * 3000):
        with pytest.raises(MistrustError, match="1 of 1 ids without an image"):
            find(tmp_path / "photos", [name])
    assert find(tmp_path / "photos", ["../photos/1.png", "1"]) == [inner, inner]  # one image, which is seen
    assert [path.name for path in find(tmp_path / "photos", ["linked/2.png"])] == ["2.png"]


def test_files_that_no_list_could_name_are_refused(tmp_path):
    save(tmp_path / "good.png", np.zeros((8, 8)))
    (tmp_path / os.fsdecode(b"caf\xe9.png")).write_bytes((tmp_path / "good.png").read_bytes())
    with pytest.raises(
        MistrustError, match=r"1 of 2 images are not UTF-8, such as .*/caf\\udce9\.png: rename the files"
    ):
        find(tmp_path, ["good"])


def test_folders_without_images_are_explained(tmp_path):
    with pytest.raises(MistrustError, match="there is no such folder of images"):
        find(tmp_path / "none", ["1"])
    with pytest.raises(MistrustError, match=r"no image in this folder or below; expected files \.png"):
        find(tmp_path, ["1"])


def test_small_images_keep_every_pixel(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (28, 20, 3))
    (one,) = shown([save(tmp_path / "a.png", pixels)])
    assert one.size == one.original == (20, 28)
    np.testing.assert_array_equal(np.asarray(opened(one)), pixels)


def test_big_images_are_scaled_to_the_limit_and_stay_what_they_are(tmp_path):
    ramp = np.tile(np.linspace(0, 255, 1200), (600, 1))
    (one,) = shown([save(tmp_path / "a.png", ramp)], longest=300)
    assert (one.size, one.original) == ((300, 150), (1200, 600))
    assert one.uri.startswith("data:image/jpeg;base64,")
    kept = np.asarray(opened(one), dtype=float)
    assert np.abs(kept - np.linspace(0, 255, 300)).max() < 6


def test_images_stand_upright_and_deep_or_clear_ones_are_seen(tmp_path):
    turned = Image.Exif()
    turned[0x0112] = 6  # lies on its side
    save(tmp_path / "turned.jpg", np.zeros((10, 30)), exif=turned)
    deep = np.linspace(1000, 3000, 16).reshape(4, 4).astype(np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.png")
    Image.new("RGBA", (4, 4), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    upright, grey, white = shown([tmp_path / "turned.jpg", tmp_path / "deep.png", tmp_path / "clear.png"])
    assert upright.size == (10, 30)
    pixels = np.asarray(opened(grey))
    assert (pixels.min(), pixels.max(), pixels.dtype) == (0, 255, np.uint8)
    assert (np.asarray(opened(white)) == 255).all()


def test_all_broken_images_are_named_at_once(tmp_path):
    good = save(tmp_path / "good.png", np.random.default_rng(0).integers(0, 256, (40, 40)))
    (tmp_path / "text.png").write_text("no image")
    (tmp_path / "cut.png").write_bytes(good.read_bytes()[:500])
    with pytest.raises(MistrustError) as error:
        shown([tmp_path / "text.png", good, tmp_path / "cut.png"])
    message = str(error.value)
    assert message.startswith("2 images cannot be read")
    assert "text.png (no image, or broken)" in message
    assert "cut.png" in message
    assert "good.png" not in message
    assert "nothing was written" in message


@pytest.mark.parametrize("kind", [b"\2", b"\7"])  # text, bytes: Pillow fails to write such a tag again
def test_an_image_whose_tags_cannot_be_followed_is_named(tmp_path, kind):
    turned, width = b"\x01\x12\0\3\0\0\0\1\0\6\0\0", b"\x01\0\0" + kind + b"\0\0\0\1\0\0\0\0"
    tags = b"MM\0*\0\0\0\x08\0\2" + width + turned + b"\0\0\0\0"
    path = save(tmp_path / "odd.png", np.zeros((8, 6)), exif=tags)
    with pytest.raises(
        MistrustError, match=r"1 image cannot be read.*odd\.png \(required argument is not an integer\)"
    ):
        shown([path])


def test_no_other_program_is_started_for_a_drawing_whatever_its_suffix(tmp_path, monkeypatch):
    monkeypatch.setattr("PIL.EpsImagePlugin.Ghostscript", lambda *given, **more: pytest.fail("Ghostscript was called"))
    path = save(tmp_path / "a.png", np.zeros((8, 8)), format="EPS")
    with pytest.raises(MistrustError, match=r"a\.png \(a drawing \(EPS\): save it as PNG before\)"):
        shown([path])
    with pytest.raises(MistrustError, match=r"a\.png: a drawing \(EPS\), expected pixels"):
        decode(path.read_bytes(), Fit(), "a.png")


def test_an_image_that_is_too_large_is_named_and_a_large_one_is_scaled_without_a_word(tmp_path, monkeypatch, recwarn):
    path = save(tmp_path / "large.png", np.zeros((100, 100)))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 6000)  # Pillow warns from there on, and refuses from twice as many
    (one,) = shown([path], longest=50)
    assert one.size == (50, 50)
    assert not recwarn.list
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 4000)
    with pytest.raises(MistrustError, match=r"large\.png \(more than 0\.008 million pixels: scale it down first\)"):
        shown([path])


def test_a_page_has_a_limit(tmp_path):
    path = save(tmp_path / "a.png", np.random.default_rng(0).integers(0, 256, (100, 100)))
    with pytest.raises(MistrustError, match=r"expected at most 0\.02: make them smaller by --pixels \(now 800\)"):
        shown([path, path], page_mb=0.02)
    assert len(shown([path], page_mb=0.02)) == 1
    with pytest.raises(MistrustError, match="--pixels is 8, expected 16 to 4096"):
        shown([path], longest=8)
