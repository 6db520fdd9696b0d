"""The table of what our runs bear out of the re-reading."""

import pandas as pd

from mistrust import rows as tidy
from mistrust.figures.monitoring import borne_out, borne_out_numbers
from mistrust.monitoring import rereading

NAN = float("nan")
COLUMNS = [f"{name}{end}" for name in ("labelled", "mended", "gain") for end in ("", "_low", "_high")]


def line(data="gtsrb-thin", method="odin/as published", rows="all", n=35, numbers=(0.4, 0.1, 0.6, 0.8, 0.7, 0.9) * 2):
    return {"data": data, "method": method, "rows": rows, "n": n, "faults": 19,
            **dict(zip(COLUMNS, numbers, strict=False))}  # fmt: skip


def test_a_line_has_its_sets_and_three_numbers_with_intervals():
    found = borne_out({"full": pd.DataFrame([line(), line(rows="moved", n=27)])})
    assert found.iloc[1].tolist() == [
        "GTSRB, thinned", "ODIN, as published", "moved", "27", "0.40 (0.10 to 0.60)", "0.80 (0.70 to 0.90)",
        "0.40 (0.10 to 0.60)",
    ]  # fmt: skip
    assert found["printed rows"].tolist() == ["all", "moved"]


def test_what_is_not_defined_is_a_dash_and_nothing_is_below_0_by_rounding():
    found = borne_out({"full": pd.DataFrame([line(numbers=(NAN,) * 3 + (-0.001, -0.2, 0.1) + (NAN,) * 3)])})
    assert found.iloc[0, 4:].tolist() == ["–", "0.00 (-0.20 to 0.10)", "–"]


def test_sentences_have_each_number_with_its_interval_and_alone():
    found = borne_out_numbers("right", pd.DataFrame([line(), line(data="cifar10-jpeg", numbers=(NAN,) * 9)]))
    at = "right-odin-gtsrb-thin-all"
    assert (found[f"{at}-mended"], found[f"{at}-mended-value"]) == ("0.80 (0.70 to 0.90)", "0.80")
    assert found["right-odin-cifar10-jpeg-all-gain"] == "–"
    assert len(found) == 12
    assert borne_out_numbers("right", pd.DataFrame()) == {}


def test_a_run_that_lacks_a_line_says_so_and_one_without_any_is_left_out():
    full, part = pd.DataFrame([line(), line(data="cifar10-jpeg")]), pd.DataFrame([line(n=7)])
    found = borne_out({"full": full, "this": part, "that": pd.DataFrame()})
    assert found["this, sets"].tolist() == ["7", "not run"]
    assert not [name for name in found if name.startswith("that")]


def test_runs_of_other_image_sets_leave_nothing(read_again, all_rows):
    other = all_rows.assign(data="mnist5k")
    for rows in (tidy.empty(), other):
        lines = rereading.borne_out(read_again, rows, {"gtsrb-thin": "gtsrb"}, "farm-lenet")
        assert borne_out({"this run": lines}).empty


def test_made_up_rows_have_their_lines(read_again, both_rows):
    """As the page calls it, end to end."""
    names = {"gtsrb-thin": "gtsrb", "cifar10-jpeg": "cifar10"}
    lines = rereading.borne_out(read_again, both_rows, names, "farm-lenet", ["alooc"], resamples=20)
    found = borne_out({"full": lines, "this": rereading.borne_out(read_again, tidy.empty(), names, "farm-lenet")})
    assert found["data"].tolist() == ["CIFAR-10, JPEG", "GTSRB, thinned"]
    assert found["full, sets"].tolist() == ["6", "6"]  # of the nine sets three are novelties, attacks or rotated
    assert found["full, gain"].tolist() == ["–", "–"]
