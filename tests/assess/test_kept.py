"""What pieces of a report are kept under, and what a new report does not write over."""

import pytest
import torch

from mistrust.assess.kept import Failed, Kept
from mistrust.assess.writing import check_folder
from mistrust.errors import MistrustError, StoreError


def test_what_a_piece_adds_takes_the_place_of_nothing_that_all_depend_on(tmp_path, monkeypatch):
    """Two image sets of the same pixels and other labels: a piece that adds a count of images knows them apart."""
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path))
    first, second = (Kept({"model": "a", "images": checksum, "seed": 0}) for checksum in ("right", "wrong"))
    assert first("perturbations", "noise", lambda: {"n": torch.tensor([1])}, images=100)["n"].item() == 1
    assert second("perturbations", "noise", lambda: {"n": torch.tensor([2])}, images=100)["n"].item() == 2
    assert first("perturbations", "noise", lambda: {"n": torch.tensor([3])}, images=100)["n"].item() == 1


def test_a_disk_that_fills_within_a_piece_ends_the_run_and_is_no_part_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("MISTRUST_STORE", str(tmp_path))
    kept = Kept({"model": "a"})

    def raising(error):
        raise error

    with pytest.raises(Failed, match="no image"):
        kept("one", "piece", lambda: raising(MistrustError("no image")))
    with pytest.raises(StoreError, match="No space"):
        kept("one", "other", lambda: raising(StoreError("No space left for the store")))


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_report_is_not_written_over_answers(tmp_path, separator):
    (tmp_path / "report.json").write_text("{}")
    (tmp_path / "label").mkdir()
    listed = tmp_path / "label" / "ranked.csv"
    head = separator.join(("rank", "id", "answer"))
    listed.write_bytes(f"{head}\n1{separator}caf\xe9.png{separator}\n".encode("latin-1"))
    check_folder(tmp_path)  # no answer yet
    listed.write_bytes(f"{head}\n1{separator}caf\xe9.png{separator}wrong\n".encode("latin-1"))
    with pytest.raises(MistrustError, match=r"ranked.csv holds 1 answers, which a new report would write over"):
        check_folder(tmp_path)


def test_answers_of_any_spelling_are_seen_and_a_list_that_nobody_can_read_is_kept(tmp_path):
    (tmp_path / "report.json").write_text("{}")
    (tmp_path / "label").mkdir()
    listed = tmp_path / "label" / "ranked.csv"
    for text in ("rank,id,Answer\n1,a,wrong\n", "rank,id,ANSWER \r1,a,wrong\r"):
        listed.write_bytes(text.encode())
        with pytest.raises(MistrustError, match="holds 1 answers"):
            check_folder(tmp_path)
    listed.write_bytes("rank,id,answer\n1,a,wrong\n".encode("utf-16"))
    with pytest.raises(MistrustError, match="cannot be read, so that answers in it would be lost"):
        check_folder(tmp_path)
