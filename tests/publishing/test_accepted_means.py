"""Accepted rows: what follows from pieces is what the experiment makes of them today; what is whole has all pieces."""

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.publishing import profiles, rowfiles
from mistrust.publishing.chapters import CHAPTERS

PIECEWISE = [name for name, chapter in CHAPTERS.items() if hasattr(chapter.module(), "together")]


def test_these_chapters_take_pieces_one_by_one():
    assert {"ambiguity", "robustness", "search"} <= set(PIECEWISE)


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
    ours, theirs = (frame.sort_values(order).reset_index(drop=True) for frame in (again, before))
    # Files keep nine digits, so what is computed from them again differs after that.
    pd.testing.assert_frame_equal(ours[theirs.columns], theirs, check_dtype=False, rtol=1e-6)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_run_is_called_whole_only_with_every_piece_that_counts_in_the_profile_today(name, committed):
    chapter = CHAPTERS[name]
    about, _ = committed(name)
    lacking = set(chapter.counted(profiles.profile(chapter, "full"))) - set(about["pieces"])
    # Not the other way round: a profile has fewer pieces where an image set is not at hand.
    assert not (about["complete"] and lacking), lacking
