"""Words about pairs that were trained longer: who passed, who did not, and what nobody ran."""

from mistrust import rows as tidy
from mistrust.figures.ambiguity import longer


def made():
    share = {"metric": "share accepted"}
    found = [{**share, "at": "all", "value": 0.25, "n": 4}]
    for at, value, first, second in (("4/9", 1.0, 0.55, 0.99), ("1/7", 0.0, 0.78, 0.44), ("2/3", 0.0, 0.62, 0.95)):
        found += [
            {**share, "at": at, "value": value}, {"metric": "discrimination", "at": at, "value": first},
            {"metric": "labelling", "at": at, "value": second},
        ]  # fmt: skip
    return tidy.table(found, table="longer", data="mnist")


def test_pairs_are_told_by_what_became_of_them():
    assert longer(made(), "mnist") == {
        "accepted": "1 of 4", "passed": "4/9", "failed": "1/7, 2/3", "gate": "0.62 to 0.78",
        "first gate": "0.62 to 0.78", "second gate": "1/7",
    }  # fmt: skip


def test_what_was_not_run_says_so_and_no_pair_is_none():
    assert set(longer(made(), "fmnist").values()) == {"not run"}
    rows = made()
    rows.loc[rows["metric"] == "labelling", "value"] = 0.95
    assert longer(rows, "mnist")["second gate"] == "none"
