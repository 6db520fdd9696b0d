"""The path of ImageNet's networks, on two made images, with random weights: run as those of the paper would be."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from PIL import Image

from mistrust import random
from mistrust.data import SOURCES
from mistrust.data.parquet import Parquet
from mistrust.errors import MistrustError
from mistrust.robustness.experiment import Parameters, parts, piece, pieces, subjects
from mistrust.robustness.experiment.parts import PARTS
from mistrust.robustness.experiment.subjects import IMAGENET_SET, Downloaded

pytestmark = pytest.mark.whole

CLASSES = tuple(f"class {number}" for number in range(1000))
P = Parameters(
    data="digits", networks=("resnet8-w8",), region_networks=("resnet8-w8",),
    imagenet=("alexnet",), imagenet_weights="random", imagenet_images=2,
    imagenet_targets=1, noise_seeds=1, audit=0, steps=1, resamples=20,
)  # fmt: skip
RANDOM = "imagenet_sample: alexnet random weights 0"


@pytest.fixture
def photographs():
    return 2


@pytest.fixture
def sample(tmp_path, monkeypatch, photographs):
    """Images in the layout of `imagenet_sample`; random weights get none right."""
    coarse = random.uniform(0, "test/photographs", torch.arange(photographs), (3, 8, 8))
    pixels = torch.nn.functional.interpolate(coarse, (256, 256)).mul(255).to(torch.uint8)
    rows = []
    for one in pixels.permute(0, 2, 3, 1).numpy():
        Image.fromarray(np.ascontiguousarray(one)).save(file := io.BytesIO(), "PNG")
        rows.append({"bytes": file.getvalue(), "path": ""})
    folder = tmp_path / "data" / "imagenet_sample"
    folder.mkdir(parents=True)
    kind = pa.struct({"bytes": pa.binary(), "path": pa.string()})
    table = pa.table({"image": pa.array(rows, kind), "label": list(range(photographs))})
    pq.write_table(table, folder / "test.parquet", write_page_checksum=True)
    (folder / "classes.txt").write_text("".join(f"{one}\n" for one in CLASSES))
    # The entry of the 50 photographs asks for their checksums; all else of it stays.
    reader = Parquet(parts={"test": "test.parquet"}, crop=True)
    monkeypatch.setitem(
        SOURCES._entries, IMAGENET_SET, replace(SOURCES[IMAGENET_SET], reader=reader, counts={"test": photographs})
    )
    monkeypatch.setenv("MISTRUST_DATA", str(tmp_path / "data"))


def test_random_weights_run_the_whole_path_and_say_what_they_are(sample):
    assert pieces(P)[1] == RANDOM
    found = piece(P, RANDOM)
    assert set(found["condition"]) == {"random weights"}
    assert set(found["data"]) == {"imagenet_sample"}
    assert set(found["network"]) == {"alexnet"}
    assert set(found["table"]) <= {"networks", "random", "survival", "targeted"}  # no matrix of a million cells
    assert np.isfinite(found["value"]).all()
    by = found.set_index(["table", "metric"])["value"]
    assert by["networks", "accuracy"] == 1  # their answers are the labels
    assert by["networks", "top-5 error"] == 0
    assert by["networks", "parameters"] == 61_100_840
    assert by["networks", "depth"] == 8
    success = found[(found["table"] == "targeted") & (found["metric"] == "success")]
    assert success["n"].tolist() == [2]  # two images, a target each
    unbroken = found[(found["table"] == "random") & (found["metric"] == "unbroken")]
    assert unbroken["n"].tolist() == [2]


# Of the larger networks only what costs seconds: no search, which is the same code.
@pytest.mark.parametrize("photographs", [1])
@pytest.mark.parametrize(
    ("name", "parameters", "depth"),
    [("vgg16", 138_357_544, 16), ("inception_v3", 23_834_568, 48), ("resnet152", 60_192_808, 152)],
)
def test_larger_networks_take_the_same_path(sample, name, parameters, depth):
    one = Downloaded(replace(P, imagenet=(name,), imagenet_images=1), name)
    found = pd.DataFrame(PARTS["network"].rows(one)).set_index("metric")["value"]
    assert found.to_dict() == {"accuracy": 1, "parameters": parameters, "depth": depth}


def test_its_networks_compute_where_our_own_do_and_fewer_images_at_once(sample, monkeypatch):
    """Of ResNet-152 a block as large as of our own networks would take tens of gigabytes where gradients are asked."""
    one = Downloaded(replace(P, seed=1), "alexnet")
    asked, found = [], parts.targeted
    monkeypatch.setattr(parts, "targeted", lambda *given, **options: asked.append(options) or found(*given, **options))
    list(PARTS["targets"].rows(one))
    assert [options["block"] for options in asked] == [16]
    assert asked[0]["rate"] < 1.6 / 4  # the least change that the paper prints is several steps away
    monkeypatch.setattr(subjects, "find_device", lambda wanted: "elsewhere")
    with pytest.raises(MistrustError, match="There is no device 'elsewhere'"):
        _ = Downloaded(P, "alexnet").classifier


def test_without_weights_at_hand_there_is_no_piece(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    ours = ["digits: resnet8-w8 all 0", "digits: region of 0 in resnet8-w8", "bubbles of one image"]
    assert pieces(replace(P, imagenet_weights="")) == ours
    assert pieces(replace(P, imagenet_weights=str(tmp_path / "no.pth"))) == ours
    file = tmp_path / "hub" / "checkpoints" / "alexnet-owt-7be5be79.pth"
    file.parent.mkdir(parents=True)
    file.touch()
    for weights in ("", str(file)):
        assert pieces(replace(P, imagenet_weights=weights)) == [ours[0], "imagenet_sample: alexnet all 0", *ours[1:]]


def test_a_folder_of_imagenet_goes_before_the_sample(sample, tmp_path):
    (tmp_path / "data" / "imagenet" / "val").mkdir(parents=True)
    assert pieces(P)[1] == RANDOM.replace("imagenet_sample", "imagenet")
