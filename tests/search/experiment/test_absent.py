"""Mechanisms whose images are not on this machine: refused by name, or left out by name."""

import pytest

from mistrust.errors import NotHere
from mistrust.search.experiment import Parameters, check, inputs, left_out, pieces
from mistrust.search.mechanisms import MECHANISMS

ASKED = {"mechanisms": ("celeba", "few_digits", "zappos", "biased_training"), "models": 1, "authors": "none"}


@pytest.fixture(autouse=True)
def nothing_here(tmp_path, monkeypatch, house):
    """A machine that has only what comes with the libraries, and no decoded copies of other tests."""
    monkeypatch.setenv("MISTRUST_DATA", str(tmp_path))
    monkeypatch.setenv("MISTRUST_CACHE", str(tmp_path / "cache"))
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path / "project"))


def asked(**changed):
    return Parameters.of({**ASKED, "doses": (), "absent": "left out", **changed})


def test_left_out_they_have_no_pieces_and_are_read_by_nothing():
    alone = asked(mechanisms=("few_digits",))
    assert pieces(asked()) == pieces(alone)
    assert len(pieces(alone)) == 8  # three doses, both attacks, controls, refit and insight
    assert inputs(asked()) == inputs(alone)
    check(asked())


def test_the_controls_are_those_of_the_first_that_is_run():
    assert "controls: digits/100 0" in pieces(asked())


def test_each_is_named_with_what_it_would_read():
    assert left_out(asked()) == [
        "celeba, which reads a folder of one's own", "zappos, which reads a folder of one's own",
        "biased_training, which reads cats_dogs",
    ]  # fmt: skip
    assert left_out(asked(mechanisms=("few_digits",))) == []


@pytest.mark.parametrize("mechanism", ["celeba", "zappos", "biased_training", "shift_to_gray", "overfitting"])
def test_refused_and_where_nothing_else_is_left_the_way_to_get_them_is_told(mechanism):
    assert MECHANISMS[mechanism].lacking()
    for one in (asked(absent="refused"), asked(mechanisms=(mechanism,))):
        assert left_out(one) == []
    with pytest.raises(NotHere, match="is not here"):
        check(asked(mechanisms=(mechanism,)))
    with pytest.raises(NotHere, match="is not here"):
        check(asked(mechanisms=("few_digits", mechanism), absent="refused"))


def test_a_folder_that_is_here_is_not_left_out(tmp_path):
    (tmp_path / "zappos50k").mkdir()
    assert MECHANISMS["zappos"].lacking() == ()
    assert "zappos" not in str(left_out(asked()))
