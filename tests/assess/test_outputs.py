"""Files of what a model said: each layout, and each way in which one can be wrong."""

import zipfile

import numpy as np
import pytest
import torch

from mistrust.assess import Asked
from mistrust.assess.outputs import read_outputs
from mistrust.errors import MistrustError

TABLE = "label,logit_0,logit_1,logit_2\n0,1,-2,0\n1,0,2,1\n2,0,1,3\n"


def refused(place, message):
    with pytest.raises(MistrustError, match=message):
        read_outputs(place)


def written(place, text, name="said.csv"):
    (place / name).write_text(text, encoding="utf-8")
    return place / name


def test_a_spreadsheets_semicolons_and_decimal_commas_are_read(tmp_path):
    plain = read_outputs(written(tmp_path, "label,logit_0,logit_1\n0,1.5,-2\n1,0.25,2\n"))
    german = read_outputs(written(tmp_path, "\ufefflabel;logit_0;logit_1\n0;1,5;-2\n1;0,25;2\n", "german.csv"))
    whole = read_outputs(written(tmp_path, "name;label;p_0;p_1\na,b.png;0;1;0\nc;1;0,25;0,75\n", "whole.csv"))
    assert whole.names == ("a,b.png", "c")
    assert whole.record.probabilities[1].tolist() == pytest.approx([0.25, 0.75])
    tabs = read_outputs(written(tmp_path, "label\tlogit_0\tlogit_1\n0\t1.5\t-2\n1\t0.25\t2\n", "tabs.csv"))
    for other in (german, tabs):
        assert torch.equal(other.record.logits, plain.record.logits)
        assert torch.equal(other.record.images.labels, plain.record.images.labels)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("logit_1,logit_2", "logit_2,logit_3", "columns of logits are numbered from 0 to 3, and number 1 is missing"),
        ("logit_0,logit_1,logit_2", "logit_1,logit_2,logit_3", "from 1 to 3, and number 0 is missing: expected each"),
        ("logit_2", "z_1", "numbered from 0 to 1, and two are number 1: expected each of 0 to 2 once"),
        ("logit_2", "Logit_1", "two are number 1"),
    ],
)  # fmt: skip
def test_numbers_of_columns_are_positions_of_classes(old, new, message, tmp_path):
    assert read_outputs(written(tmp_path, TABLE)).record.logits[0].tolist() == [1, -2, 0]
    refused(written(tmp_path, TABLE.replace(old, new)), message)


def test_numbers_of_features_say_nothing(tmp_path):
    boxes = written(tmp_path, "label,logit_0,logit_1,x2,x7\n0,1.5,-2,3,4\n1,0.25,2,5,6\n")
    assert read_outputs(boxes).record.layer("features").tolist() == [[3, 4], [5, 6]]


def test_probabilities_without_one_class_are_no_logits(tmp_path):
    some = np.random.default_rng(0).dirichlet([1, 1, 1], 20)
    np.savez(tmp_path / "said.npz", probabilities=some[:, :2], labels=np.arange(20) % 2)
    refused(tmp_path / "said.npz", "expected \\[0, 1\\] and 1. Is the column of a class missing")


@pytest.mark.parametrize("digits", [2, 3, 6])
@pytest.mark.parametrize("kind", ["probabilities", "log-probabilities"])
def test_rounded_probabilities_are_probabilities(digits, kind, tmp_path):
    draw = np.random.default_rng(digits)
    some = draw.dirichlet(np.ones(10), 50).clip(1e-6)
    values = (np.log(some) if kind == "log-probabilities" else some).round(digits)
    np.savez(tmp_path / "said.npz", logits=values, labels=np.arange(50) % 10)
    assert read_outputs(tmp_path / "said.npz").outputs == kind
    np.savez(tmp_path / "other.npz", logits=draw.normal(size=(50, 10)).clip(0).round(digits), labels=np.arange(50) % 10)
    assert read_outputs(tmp_path / "other.npz").outputs == "logits"


def test_broken_files_are_named_with_the_layout(tmp_path):
    np.savez(tmp_path / "whole.npz", logits=np.eye(3), labels=np.arange(3))
    whole = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "flipped.npz").write_bytes(whole[:60] + bytes(200) + whole[260:])
    (tmp_path / "none.npz").write_bytes(b"")
    np.savez(tmp_path / "objects.npz", logits=np.array([{}, {}], dtype=object), labels=np.arange(2))
    for name in ("half", "flipped", "none", "objects"):
        refused(tmp_path / f"{name}.npz", f"{name}.npz cannot be read .*: expected an .npz file with")
    np.save(tmp_path / "one.npy", np.eye(3))
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    refused(tmp_path / "one.npz", "one.npz holds one array without a name: expected an .npz")
    (tmp_path / "said.parquet").write_bytes(b"PAR1")
    refused(tmp_path / "said.parquet", "said.parquet cannot be read")
    (tmp_path / "latin.csv").write_bytes("label,name,logit_0,logit_1\n0,M\xfcnchen,1,2\n".encode("latin-1"))
    refused(tmp_path / "latin.csv", "latin.csv cannot be read .*utf-8")


def test_archives_that_lock_pack_or_claim_what_cannot_be_read(tmp_path):
    np.savez(tmp_path / "said.npz", logits=np.eye(3), labels=np.arange(3))
    data = (tmp_path / "said.npz").read_bytes()
    entry = data.index(b"PK\1\2")  # of the archive's list
    for name, place, value in (("locked", 8, 1), ("packed", 10, 99)):
        (tmp_path / f"{name}.npz").write_bytes(data[: entry + place] + bytes([value]) + data[entry + place + 1 :])
    claim = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000000), }".ljust(117) + "\n"
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive:
        archive.writestr("logits.npy", b"\x93NUMPY\1\0" + len(claim).to_bytes(2, "little") + claim.encode())
    for name, message in (("locked", "is encrypted"), ("packed", "not supported"), ("huge", "Unable to allocate")):
        refused(tmp_path / f"{name}.npz", rf"{name}\.npz cannot be read \(.*{message}.*\): expected an \.npz file with")


def test_no_part_of_a_number_and_no_second_column_of_a_name_is_left_out_silently(tmp_path):
    np.savez(tmp_path / "waves.npz", logits=np.eye(3) + 1j, labels=np.arange(3))
    refused(tmp_path / "waves.npz", "logits are complex128, expected real numbers")
    twice = "label,logit_0,logit_0,logit_1\n0,1,2,3\n1,3,2,1\n"
    refused(written(tmp_path, twice), "two columns are called 'logit_0'. Give each a name of its own")
    refused(written(tmp_path, twice.replace(",", ";")), "two columns are called 'logit_0'")


def test_as_many_names_as_images(tmp_path):
    np.savez(tmp_path / "said.npz", logits=np.eye(3) * 4, labels=np.arange(3), names=np.array(["a", "b"]))
    refused(tmp_path / "said.npz", "there are 3 images and 2 names: one row per image")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"size": (8, 8)}, "--size"), ({"limit": 100}, "--limit"), ({"layer": "x"}, "--layer"),
        ({"minutes": 9.0, "trust": True}, "--minutes, --trust"), ({"channels": 1}, "--channels"),
    ],
)  # fmt: skip
def test_what_only_a_model_needs_is_refused_beside_outputs(more, told):
    with pytest.raises(MistrustError, match=f"^{told}: of no use with --outputs"):
        Asked(outputs="said.npz", **more)
