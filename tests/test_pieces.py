"""All pieces of an experiment: only what is missing goes to another process."""

import os
import re

import pandas as pd
import pytest

from mistrust.errors import UnknownName
from mistrust.pieces import gather
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.profiles import profile


def test_what_is_kept_is_read_here_and_the_rest_elsewhere_in_order():
    def piece(where: str, name: str) -> pd.DataFrame:
        return pd.DataFrame({"name": [name], "where": [where], "process": [os.getpid()]})

    def missing(where: str, name: str) -> list[str]:
        return [] if name == "kept" else ["it is new"]

    names = ["new", "kept", "newer"]
    found = gather(piece, missing, "given", names, engine_name="processes")
    assert found.index.tolist() == [0, 1, 2]
    assert found["name"].tolist() == names
    assert set(found["where"]) == {"given"}
    here = found.set_index("name")["process"] == os.getpid()
    assert here.to_dict() == {"new": False, "kept": True, "newer": False}


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_piece_that_no_chapter_has_is_named_with_the_nearest(name):
    module, parameters = CHAPTERS[name].module(), profile(CHAPTERS[name], "quick")
    there = module.pieces(parameters)[0]
    for ask in (module.piece, module.missing):
        with pytest.raises(UnknownName, match=re.escape(f"'{there}x'. Did you mean '{there}'?")):
            ask(parameters, f"{there}x")
