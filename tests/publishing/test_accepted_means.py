"""Accepted rows: what follows from pieces is what the experiment makes of them today; what is whole has all pieces."""

from types import SimpleNamespace

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.publishing import acceptance, profiles, rowfiles
from mistrust.publishing.chapters import CHAPTERS, Chapter

pytestmark = pytest.mark.whole

PIECEWISE = [name for name, chapter in CHAPTERS.items() if hasattr(chapter.module(), "together")]
# Chapters whose accepted files hold means of single rows that they left out, and the tables of these.
THIN = {name: set(CHAPTERS[name].module().MEANS_ONLY) for name in ("supervisors",)}


def test_these_chapters_take_pieces_one_by_one():
    assert {"ambiguity", "comparison", "misclassification", "robustness", "search", "supervisors"} <= set(PIECEWISE)


def test_these_chapters_have_accepted_rows(committed):
    """Where there are none the tests below have nothing to look at, and pass."""
    with_rows = {name for name in CHAPTERS if committed(name) is not None}
    assert with_rows >= {
        "ambiguity", "comparison", "misclassification", "monitoring", "robustness", "search", "supervisors",
    }  # fmt: skip


@pytest.mark.parametrize("name", PIECEWISE)
def test_accepted_means_are_those_of_the_accepted_pieces(name, committed):
    chapter = CHAPTERS[name]
    accepted = committed(name)
    if accepted is None:  # a chapter whose full run nobody made yet has nothing to disagree with
        return
    before = accepted[1]
    pieces = before[before["made"] != ""]
    again = rowfiles.labelled(chapter.module().together(pieces, profiles.profile(chapter, "full")), name, "full")
    order = list(tidy.IDENTITY)
    if name in THIN:
        lost = before.merge(again[order], on=order, how="left", indicator=True)["_merge"].to_numpy() != "both"
        assert (before[lost]["made"] == "").all()
        assert set(before[lost]["table"]) <= THIN[name]
        before = before[~lost]
    ours, theirs = (frame.sort_values(order).reset_index(drop=True) for frame in (again, before))
    # Files keep nine digits, so what is computed from them again differs after that.
    pd.testing.assert_frame_equal(ours[theirs.columns], theirs, check_dtype=False, rtol=1e-6)


@pytest.mark.parametrize("name", list(CHAPTERS))
def test_accepted_intervals_of_shares_are_shares(name, committed):
    accepted = committed(name)
    if accepted is None:
        return
    rows = accepted[1]
    named = rows["metric"].str.match(r"(share|accuracy|auroc)\b") & ~rows["metric"].str.contains("difference")
    shares = rows[named & ~rows["method"].str.contains(" minus ") & rows["value"].between(0, 1)]
    wrong = shares[(shares["low"] < 0) | (shares["high"] > 1)]
    assert wrong[["table", "metric", "level", "low", "high"]].to_numpy().tolist() == []


@pytest.mark.parametrize("name", PIECEWISE)
def test_pieces_accepted_one_by_one_end_as_a_whole_run(name, committed, monkeypatch, tmp_path):
    """Of a quarter of the accepted keys, dealt out to three pieces; what making them takes is no matter here."""
    chapter, together = CHAPTERS[name], CHAPTERS[name].module().together
    parameters, accepted = profiles.profile(chapter, "full"), committed(name)[1]
    keys = sorted(set(accepted["made"]) - {""})
    keys = keys[:: 4 if len(keys) > 12 else 1]
    single = accepted[accepted["made"].isin(keys)].reset_index(drop=True)
    dealt = {f"piece {i}": single[single["made"].isin(keys[i::3])].assign(profile="") for i in range(3)}
    module = SimpleNamespace(
        pieces=lambda parameters: list(dealt), missing=lambda parameters, name: [], together=together,
        piece=lambda parameters, name: dealt[name],
    )  # fmt: skip
    about = {"parameters": {}, "makers": {}, "inputs": {}, "versions": {}}
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path))
    monkeypatch.setattr(Chapter, "module", lambda self: module)
    monkeypatch.setattr(profiles, "profile", lambda chapter, name: parameters)
    monkeypatch.setattr(acceptance, "manifest", lambda chapter, parameters: about)
    monkeypatch.setattr(acceptance, "parameter_differences", lambda *given: [])
    for count, piece in enumerate(("piece 1", "piece 2", "piece 0"), 1):
        acceptance.accept(name, "full", pieces=[piece])
        found, by_pieces = acceptance.read_accepted(chapter, "full")
        assert found["complete"] is (count == 3)
    whole = rowfiles.labelled(together(single.assign(profile=""), parameters), name, "full")
    order = list(tidy.IDENTITY)
    ours, theirs = (frame.sort_values(order).reset_index(drop=True) for frame in (by_pieces, whole))
    pd.testing.assert_frame_equal(ours[theirs.columns], theirs, check_dtype=False, rtol=1e-6)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_run_is_called_whole_only_with_every_piece_that_counts_in_the_profile_today(name, committed):
    chapter = CHAPTERS[name]
    about, _ = committed(name)
    lacking = set(chapter.counted(profiles.profile(chapter, "full"))) - set(about["pieces"])
    # Not the other way round: a profile has fewer pieces where an image set is not at hand.
    assert not (about["complete"] and lacking), lacking
