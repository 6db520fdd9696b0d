"""Every claim of the MLM chapter on rows that make it hold, fail, undecided and not run."""

from pathlib import Path

import pandas as pd
import pytest
from mlm_rows import FAILS, HOLDS, IMAGES, RISE, as_printed, changed, put

from mistrust import rows as tidy
from mistrust.inputs import PERTURBATIONS
from mistrust.publishing.claim_tests.misclassification.reading import TWELVE
from mistrust.publishing.claims import TESTS, claims, verdicts
from mistrust.publishing.verdicts import holm


@pytest.fixture(autouse=True)
def checkout(monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(Path(__file__).parents[3]))


def words(rows):
    ledger = verdicts(rows)
    return dict(zip(ledger["id"], ledger["verdict"], strict=True))


@pytest.fixture(scope="module")
def printed():
    """Made once; tests take a copy, as changes are made in place."""
    return as_printed()


def few(rows, *names):
    """Only these perturbations were run."""
    kept = [f"perturbed/{name}" for name in (*names, "all")]
    return rows[rows["condition"].isin(kept) | ~rows["condition"].str.startswith("perturbed/")].reset_index(drop=True)


def test_every_claim_is_tried_here():
    assert set(FAILS) == {one.id for one in claims("misclassification")}


@pytest.mark.parametrize("claim", FAILS)
def test_a_claim_holds_where_rows_say_so(claim, printed):
    rows = HOLDS.get(claim, lambda rows: rows)(printed.copy())
    assert TESTS[claim](rows).verdict == "holds"


@pytest.mark.parametrize("claim", FAILS)
def test_a_claim_that_rows_contradict_does_not_hold(claim, printed):
    assert TESTS[claim](FAILS[claim](printed.copy())).verdict == "does not hold"


@pytest.mark.parametrize("claim", FAILS)
def test_two_networks_that_disagree_decide_nothing(claim, printed):
    for_it = HOLDS.get(claim, lambda rows: rows)(printed.copy())
    against = FAILS[claim](printed.copy())
    rows = pd.concat([for_it[for_it["seed"] == 0], against[against["seed"] == 1]], ignore_index=True)
    assert TESTS[claim](rows).verdict == "undecided"


@pytest.mark.parametrize("claim", FAILS)
def test_without_any_of_the_tables_it_reads_a_claim_is_not_run(claim, printed):
    read = set(TESTS[claim](printed).rows["table"])
    assert read
    for table in read:
        verdict = TESTS[claim](printed[printed["table"] != table].reset_index(drop=True))
        assert (table, verdict.verdict) == (table, "not run")
        assert "no rows: " in verdict.evidence


def test_one_network_decides_nothing(printed):
    ledger = verdicts(printed[printed["seed"] == 0].reset_index(drop=True))
    assert set(ledger["verdict"]) <= {"undecided", "not run"}


def test_the_papers_own_numbers_make_its_claims_hold_after_holm(printed):
    found = words(printed)
    assert {name for name, word in found.items() if word != "holds"} == {"mlm-snow-impulse-rise"}
    # The paper says that accuracy falls under all twelve, and that it rises under two: not both can be.
    risen = words(RISE(printed.copy()))
    assert {name for name, word in risen.items() if word == "does not hold"} == {"mlm-accuracy-falls"}


OF_ALL = {
    "mlm-accuracy-falls", "mlm-accuracy-falls-linearly", "mlm-each-ends-lower", "mlm-mean-accuracy-ends",
    "mlm-accuracy-extremes", "mlm-five-stays-five", "mlm-nine-as-seven-low", "mlm-seven-as-two", "mlm-corner-low",
}  # fmt: skip
OF_SOME = {
    "mlm-gradual", "mlm-snow-impulse-rise", "mlm-most-resilient", "mlm-three-below-sixty", "mlm-three-harm-more",
}  # fmt: skip


def test_two_perturbations_confirm_nothing_that_is_said_of_twelve():
    rows = as_printed(perturbations=("brightness", "gaussian_noise"))
    found = words(rows)
    assert {name for name, word in found.items() if word == "undecided"} == OF_ALL
    assert {name for name, word in found.items() if word == "not run"} == OF_SOME  # they name others
    assert {word for name, word in found.items() if name not in OF_ALL | OF_SOME} == {"holds"}
    # The rows of all together are no perturbation of their own.
    assert TESTS["mlm-accuracy-falls"](rows).evidence.startswith("2 of the paper's 12 perturbations run: ")


REFUTED_BY_FEW = {"mlm-accuracy-falls", "mlm-accuracy-falls-linearly", "mlm-each-ends-lower", "mlm-seven-as-two"}


@pytest.mark.parametrize("claim", sorted(OF_ALL))
def test_what_two_perturbations_can_refute(claim, printed):
    rows = few(FAILS[claim](printed.copy()), "gaussian_noise", "frost")
    expected = "does not hold" if claim in REFUTED_BY_FEW else "undecided"
    assert TESTS[claim](rows).verdict == expected


def test_a_resilient_one_that_another_beats_is_refuted_by_few(printed):
    rows = few(FAILS["mlm-most-resilient"](printed.copy()), "brightness", "contrast", "fog", "motion_blur")
    assert TESTS["mlm-most-resilient"](rows).verdict == "does not hold"
    assert TESTS["mlm-most-resilient"](few(printed, "brightness", "contrast", "fog", "snow")).verdict == "undecided"


def test_levels_that_were_left_out_are_not_run(printed):
    rows = printed[printed["level"] != 4].reset_index(drop=True)
    for claim in ("mlm-accuracy-falls", "mlm-snow-impulse-rise", "mlm-five-stays-five"):
        assert TESTS[claim](rows).verdict == "not run"
    assert TESTS["mlm-brightness-ends"](rows).verdict == "holds"


def test_a_likelihood_of_nothing_refutes_low_but_not_zero(printed):
    found = TESTS["mlm-corner-low"](changed(lambda _: 0.0, table="matrix", at="0>9", seed=0)(printed.copy()))
    assert (found.verdict, "smallest 0>9 0" in found.evidence) == ("does not hold", True)


def test_where_no_image_is_misclustered_nothing_is_said_of_such_images(printed):
    rows = put(0, table="misclustered", method="KMeans", metric="count")(printed.copy())
    rows = put(1e-14, table="drift")(rows)
    rows = rows[~rows["method"].isin(IMAGES["method"])].reset_index(drop=True)
    for claim in ("mlm-misclustered-two-tops", "mlm-drift-explains-misclustering", "mlm-inverse-relation"):
        found = TESTS[claim](rows)
        assert (found.verdict, found.evidence) == ("not run", "no rows: a misclustered image")
    assert TESTS["mlm-two-sixes"](rows).verdict == "does not hold"
    assert TESTS["mlm-drift-by-ambiguous"](rows).verdict == "holds"  # nothing moves, and nothing could move it
    moved = put(1e-4, table="drift", at="7")(rows.copy())
    assert TESTS["mlm-drift-by-ambiguous"](moved).verdict == "does not hold"


def test_misclustered_images_of_some_networks_are_enough(printed):
    without = printed["seed"] == 3
    rows = printed[~(without & printed["method"].isin(IMAGES["method"]))].reset_index(drop=True)
    assert TESTS["mlm-inverse-relation"](rows).verdict == "not run"  # its count says that there are two
    rows = put(0, table="misclustered", metric="count", method="KMeans", seed=3)(rows)
    assert TESTS["mlm-inverse-relation"](rows).verdict == "holds"


def test_an_image_that_rows_do_not_name_may_have_moved_two_centroids(printed):
    rows = put(1e-4, table="drift", at=["0", "1"])(printed.copy())
    assert TESTS["mlm-drift-by-ambiguous"](rows).verdict == "does not hold"
    rows = put(3, table="misclustered", metric="count", method="KMeans")(rows)
    assert TESTS["mlm-drift-by-ambiguous"](rows).verdict == "not run"  # of three, rows must name three
    for metric in ("softmax", "distance"):
        for name in ("image 3", "image 4"):
            more = tidy.select(rows, method="image 2", metric=metric).assign(method=name)
            rows = pd.concat([rows, more], ignore_index=True)
    rows = put(5, table="misclustered", metric="count", method="KMeans")(rows)
    assert TESTS["mlm-drift-by-ambiguous"](rows).verdict == "holds"
    assert TESTS["mlm-two-sixes"](rows).verdict == "does not hold"  # five sixes


def test_the_twelve_can_be_run():
    assert set(TWELVE) <= set(PERTURBATIONS)


def test_sections_are_corrected_apart(printed):
    clustering = ["drift", "misclustered"]
    alone = verdicts(printed[printed["table"].isin(clustering)].reset_index(drop=True))
    among = verdicts(printed)
    of_them = among["place"].str.contains("section 4.2|section 4.3", regex=True)
    pd.testing.assert_frame_equal(alone[of_them], among[of_them])
    four = [TESTS[one.test](printed) for one in claims() if one.family == ("mlm", "4.2")]
    assert len(four) == 4
    assert among.loc[among["place"].str.startswith("section 4.2"), "p"].to_list() == [one.p for one in holm(four)]
