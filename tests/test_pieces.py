"""All pieces of an experiment: only what is missing goes to another process."""

import os

import pandas as pd

from mistrust.pieces import gather


def test_what_is_kept_is_read_here_and_the_rest_elsewhere_in_order():
    def piece(where: str, name: str) -> pd.DataFrame:
        return pd.DataFrame({"name": [name], "where": [where], "process": [os.getpid()]})

    def missing(where: str, name: str) -> list[str]:
        return [] if name == "kept" else ["it is new"]

    names = ["new", "kept", "newer"]
    found = pd.concat(gather(piece, missing, "given", names, engine_name="processes"))
    assert found["name"].tolist() == names
    assert set(found["where"]) == {"given"}
    here = found.set_index("name")["process"] == os.getpid()
    assert here.to_dict() == {"new": False, "kept": True, "newer": False}
