"""What people hand over by mistake, and what they are told."""

import base64
import io
import pickle
import re
import sys
import warnings
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.ensemble import RandomForestClassifier
from torch import nn

from mistrust.assess import SCALINGS
from mistrust.assess.images import Wanted, _chosen, read_images
from mistrust.assess.models import Loaded, examine, read_model
from mistrust.assess.models.callables import from_module
from mistrust.assess.models.torch_files import from_pickle
from mistrust.assess.models.training_mode import check_steady
from mistrust.assess.outputs import read_outputs
from mistrust.assess.parts import labelling
from mistrust.assess.plan import sizes
from mistrust.data import ImageSet
from mistrust.errors import MistrustError, MistrustWarning
from mistrust.networks import wrap
from mistrust.search.labelling import rank, read_scores

SEEN = torch.rand(8, 1, 4, 4, generator=torch.Generator().manual_seed(0))


@pytest.fixture(autouse=True)
def without_gradients():
    with torch.no_grad():
        yield


def test_batch_statistics_that_one_image_has_not_are_no_traceback():
    network = nn.Sequential(nn.Flatten(), nn.Linear(16, 5), nn.BatchNorm1d(5), nn.Linear(5, 3)).train()
    with pytest.raises(MistrustError, match=r"(?s)takes 8 images at once and fails on one alone .*model\.eval\(\)"):
        check_steady(network, SEEN, "mine")


def test_dropout_is_found_before_anything_else():
    network = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(16, 3)).train()
    with pytest.raises(MistrustError, match="from pass to pass, as dropout does"):
        check_steady(network, SEEN, "mine")


def test_an_answer_without_its_first_axis_is_named():
    network = nn.Sequential(nn.Flatten(), nn.Linear(16, 3))
    with pytest.raises(
        MistrustError, match=r"gives shape \(3,\) for one image alone, expected \(1, classes\).*squeeze"
    ):
        check_steady(lambda images: network(images).squeeze(), SEEN, "mine")
    check_steady(network, SEEN, "mine")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"names": np.array(["a.png", "b.png", "a.png", "c.png"])}, "'a.png' stands in rows 1 and 3"),
        (
            {"probabilities": np.array([[90.0, 10], [20, 80], [55, 45], [99, 1]])},
            "sum to 100: per cent\\? Divide them by",
        ),
    ],
)
def test_outputs_that_would_be_taken_for_others_are_refused(tmp_path, more, message):
    given = {"probabilities": np.array([[0.9, 0.1], [0.2, 0.8], [0.55, 0.45], [0.99, 0.01]])} | more
    np.savez(tmp_path / "given.npz", labels=np.array([0, 1, 0, 1]), **given)
    with pytest.raises(MistrustError, match=message):
        read_outputs(tmp_path / "given.npz")


def drawn(labels, limit, seed=0):
    rows = _chosen(np.array(labels), Wanted(limit=limit, seed=seed))
    assert len(set(rows.tolist())) == len(rows) == min(limit, len(labels))
    return np.bincount(np.array(labels)[rows], minlength=max(labels) + 1).tolist()


def test_law_a_limit_keeps_the_shares_of_classes_and_a_few_of_each():
    assert drawn([0] * 30 + [1] * 10, 20) == [15, 5]
    assert drawn([0] * 600 + [1] * 300 + [2] * 100, 100) == [60, 30, 10]
    assert drawn([0] * 960 + [1] * 37 + [2] * 3, 100) == [92, 5, 3]
    assert drawn(list(range(40)) * 5, 80) == [2] * 40  # no room for more
    assert drawn([*([0] * 500), *range(1, 41)], 41) == [1] * 41
    rows = [_chosen(np.zeros(50, dtype=int), Wanted(limit=9, seed=seed)).tolist() for seed in (0, 0, 1)]
    assert rows[0] == rows[1] != rows[2]


def test_a_limit_that_changes_the_shares_of_classes_is_told_of(tmp_path):
    for name, n in (("common", 96), ("rare", 4)):
        (tmp_path / name).mkdir()
        for i in range(n):
            Image.fromarray(np.full((4, 4), i, dtype=np.uint8)).save(tmp_path / name / f"{i}.png")
    whole, most, some = (read_images(tmp_path, Wanted(limit=limit)) for limit in (0, 99, 20))
    assert not any("were read" in told for told in (*whole.notices, *most.notices))
    (told,) = some.notices
    assert f"Of 100 images in {tmp_path} 20 were read, 5 of each class at least where it has them" in told
    assert "a class that is 4% of the images is 20% of those read" in told
    assert "--limit 100 reads all" in told


def test_code_beside_a_file_is_found_when_a_model_is_made_or_unpickled(tmp_path, monkeypatch):
    (tmp_path / "neighbour_net.py").write_text("from torch import nn\nclass Net(nn.Flatten):\n    pass\n")
    (tmp_path / "factory.py").write_text("def make():\n    from neighbour_net import Net\n    return Net()\n")
    assert isinstance(from_module(str(tmp_path / "factory.py"), "make").network, nn.Flatten)
    torch.save(sys.modules["neighbour_net"].Net(), tmp_path / "net.pt")
    monkeypatch.delitem(sys.modules, "neighbour_net")
    assert isinstance(from_pickle(tmp_path / "net.pt", trust=True).network, nn.Flatten)
    assert str(tmp_path) not in sys.path


def test_whoever_labels_sees_large_images_and_not_the_reports_small_ones(tmp_path):
    (tmp_path / "scores.csv").write_text("id,predicted,confidence\na.png,cat,0.9\nb.png,cat,0.8\n")
    ranked = rank(read_scores(tmp_path / "scores.csv"), 2)
    pixels = torch.randint(0, 256, (2, 3, 320, 240), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    images = ImageSet("large", pixels, torch.tensor([0, 1]), torch.arange(2), ("cat", "dog"))
    page = labelling._page(SimpleNamespace(images=images), ranked, [0, 1])
    assert "Each image stands here in its full size" in page
    for found in re.findall(r'data:image/jpeg;base64,([^"]+)"', page):
        assert Image.open(io.BytesIO(base64.b64decode(found))).size == (240, 320)
    assert page.count("data:image/jpeg") == 2


def test_code_beside_a_file_is_found_when_a_function_imports_as_it_runs(tmp_path):
    (tmp_path / "neighbour_late.py").write_text("def halved(images):\n    return images.flatten(1)[:, :3] / 2\n")
    (tmp_path / "late.py").write_text(
        "def model(images):\n    from neighbour_late import halved\n    return halved(images)\n"
    )
    loaded = from_module(str(tmp_path / "late.py"), "model")
    assert torch.equal(loaded.network(SEEN), SEEN.flatten(1)[:, :3] / 2)
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize("name", ["forest.pkl", "forest.joblib", "old.pickle", "forest.joblib.gz", "model"])
@pytest.mark.parametrize("trust", [False, True])
def test_a_pickle_that_torch_did_not_write_is_named_as_one(tmp_path, name, trust, recwarn):
    path, forest = tmp_path / name, RandomForestClassifier(2).fit(np.eye(4), [0, 1, 0, 1])
    if "joblib" in name:
        joblib.dump(forest, path)
    else:
        path.write_bytes(pickle.dumps(forest, protocol=0 if name == "old.pickle" else None))
    with pytest.raises(
        MistrustError, match=rf"{name} is a pickle that torch did not write .*FILE.py:NAME.* it.predict_proba"
    ):
        read_model(str(path), trust=trust)
    assert not recwarn


@pytest.mark.parametrize("old", [False, True])
def test_what_torch_pickled_is_read_whatever_its_name_and_age(tmp_path, old, recwarn):
    path = tmp_path / "net.pkl"
    torch.save(nn.Flatten(), path, _use_new_zipfile_serialization=not old)
    assert isinstance(read_model(str(path), trust=True).network, nn.Flatten)
    with pytest.raises(MistrustError, match="is pickled: reading it runs whatever code it holds"):
        read_model(str(path))
    assert not recwarn


def test_a_size_is_advised_only_where_a_size_helps():
    images = ImageSet("mine", SEEN, torch.arange(8) % 3, torch.arange(8), ("a", "b", "c"))

    def refused(network):
        with pytest.raises(MistrustError) as told:
            examine(Loaded(network, "Python callable", "mine", "0" * 20), images, SCALINGS[0], given=True)
        return str(told.value)

    assert "--size HEIGHTxWIDTH" in refused(nn.Sequential(nn.Flatten(), nn.Linear(9, 3)))
    double = refused(nn.Sequential(nn.Flatten(), nn.Linear(16, 3).double()))
    assert "--size" not in double
    assert "4x4 pixels of 1 channel, of type torch.float32, scaled by --mean and --std" in double


def test_a_report_that_cannot_be_had_in_the_time_says_how_long_it_takes():
    def measured(part, piece, make):
        assert {one: one_.shape for one, one_ in make().items()} == {"passing": (), "making": ()}
        return {"passing": torch.tensor(0.06), "making": torch.tensor(0.006)}

    images = ImageSet("mine", SEEN, torch.arange(8) % 3, torch.arange(8), ("a", "b", "c"))
    network = wrap(nn.Sequential(nn.Flatten(), nn.Linear(16, 3)), images.classes)
    with pytest.warns(MistrustWarning, match=r"about 16 minutes, not 5: 0\.06 s a forward pass and image, 0\.006 s to"):
        assert sizes(network, images, 5, measured).perturbed == 40
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sizes(network, images, 30, measured).perturbed > 40
