"""The ledger: the committed claims, the reader's errors, and the verdicts on rows made to have one."""

from pathlib import Path

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing.claims import COLUMNS, LEDGER, TESTS, claims, counts, html, verdicts
from mistrust.publishing.verdicts import WORDS

FILE = Path(__file__).parents[2] / "data" / "published" / "claims.csv"
HEAD = ",".join(COLUMNS)
DIGITS = "0123456789"


@pytest.fixture(autouse=True)
def checkout(monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(FILE.parents[2]))


def test_every_claim_has_a_test_and_every_test_a_claim():
    listed = claims()
    assert {one.test for one in listed} == set(TESTS)
    assert len(listed) >= 19


def test_claims_of_a_paper_and_of_a_chapter():
    assert claims("misclassification") == claims(paper="mlm")
    with pytest.raises(MistrustError, match=r"no paper with claims 'mml'\. Did you mean 'mlm'"):
        claims(paper="mml")
    with pytest.raises(MistrustError, match=r"no chapter 'misclasification'\. Did you mean 'misclassification'"):
        claims("misclasification")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEAD},verdit\n", r"claims\.csv, line 1: unknown column 'verdit'\. Columns: id, paper"),
        ("id,paper,plce,claim,test\n", r"line 1: unknown column 'plce'\. Did you mean 'place'\?"),
        ("id,paper,claim,test\n", r"line 1: the column 'place' is missing"),
        ("id,id,paper,place,claim,test\n", r"line 1: the column 'id' stands there twice"),
        (f"{HEAD}\na,mlm,1,,mlm-zero-least\n", r"line 2: 'claim' is empty\. Every row needs id, paper"),
        (f"{HEAD}\na,mlm,1, ,mlm-zero-least\n", "line 2: 'claim' is empty"),
        (
            f"{HEAD}\na,mlm,1,x,mlm-zero-least\n\na,mlm,1,y,mlm-zero-least\n",
            r"line 4: the id 'a' stands in line 2 already",
        ),
        (
            f"{HEAD}\na,mlm,1,x,mlm-zero-last\n",
            r"line 2, claim 'a': There is no claim test 'mlm-zero-last'\. Did you mean 'mlm-zero-least'\?.*Register",
        ),
        (f"{HEAD}\na,mlm,1,x, y,mlm-zero-least\n", r"line 2: 6 cells, expected 5 .* needs quotation marks"),
        (f'{HEAD}\na,mlm,1,"x,mlm-zero-least\n', r"claims\.csv: unexpected end of data\. Are its quotation marks"),
        ("", r"line 1: the column 'id', 'paper', 'place', 'claim', 'test' is missing"),
    ],
)
def test_reader_names_file_line_and_the_way_out(tmp_path, text, message):
    path = tmp_path / "claims.csv"
    path.write_text(text)
    with pytest.raises(MistrustError, match=message):
        claims(path=path)


def test_reader_of_no_file_and_of_no_text(tmp_path):
    with pytest.raises(MistrustError, match="does not exist"):
        claims(path=tmp_path / "claims.csv")
    (tmp_path / "claims.csv").write_bytes(b"id,paper\xff\n")
    with pytest.raises(MistrustError, match="is not UTF-8"):
        claims(path=tmp_path / "claims.csv")


def test_without_rows_nothing_was_run():
    ledger = verdicts(tidy.empty())
    assert tuple(ledger.columns) == LEDGER
    assert counts(ledger) == {"holds": 0, "does not hold": 0, "undecided": 0, "not run": len(claims())}


def test_rows_of_two_profiles_are_refused():
    rows = tidy.table([{"profile": p, "table": "t", "metric": "m", "value": 1} for p in ("full", "quick")])
    with pytest.raises(MistrustError, match="rows of one profile, these are of full, quick"):
        verdicts(rows)


def wobble(seed, name):
    """Small differences between networks, the same every time."""
    return ((seed * 7919 + sum(map(ord, name)) * 104729) % 1000 / 1000 - 0.5) * 2e-4


def as_printed(seeds=range(6), perturbations=("brightness", "gaussian_noise"), **changes):
    """Rows of networks of which (nearly) all that the paper says is true."""
    records = []
    misses = dict.fromkeys((f"{y}>{c}" for y in DIGITS for c in DIGITS if y != c), 6.0)
    misses |= {f"0>{c}": 1.0 for c in DIGITS[1:]} | {f"1>{c}": 2.0 for c in DIGITS if c != "1"}
    misses |= {f"5>{c}": 3.0 for c in DIGITS if c != "5"} | {f"8>{c}": 20.0 for c in DIGITS if c != "8"}
    misses |= {"8>0": 50, "8>6": 50, "8>9": 50, "3>5": 12, "3>7": 12, "9>7": 90, "7>2": 20}
    misses |= {f"{y}>{c}": 0.0 for y in "012" for c in "89"} | changes.get("misses", {})
    matrix = dict.fromkeys(misses, 0.1) | {"7>2": 0.3} | {f"{y}>{c}": 0.02 for y in "012" for c in "89"}
    accuracy = {("clean", None, "train"): 0.9838, ("clean", None, "test"): 0.9846} | changes.get("accuracy", {})
    for name in perturbations:
        accuracy |= {(f"perturbed/{name}", level, ""): 0.99 - 0.49 * (level - 1) / 9 for level in range(1, 11)}
    for seed in seeds:
        for (condition, level, at), value in accuracy.items():
            where = {"condition": condition, "level": level, "at": at, "metric": "accuracy"}
            value += wobble(seed, f"{condition}{level}{at}")
            records.append({"table": "accuracy", "method": "network", "seed": seed, "value": value, **where})
        for at, value in misses.items():
            where = {"condition": "clean", "at": at, "metric": "count", "method": "network"}
            records.append({"table": "misses", "seed": seed, "value": value, **where})
        for at, value in matrix.items():
            where = {"condition": "perturbed/all", "at": at, "metric": "likelihood", "method": "minimum"}
            records.append({"table": "matrix", "seed": seed, "value": value + wobble(seed, at), **where})
        for metric, value in (("spearman", 0.7), ("top-1 share", 0.8)):
            where = {"condition": "perturbed/all", "metric": metric, "method": "minimum"}
            records.append({"table": "agreement", "seed": seed, "value": value + wobble(seed, metric), **where})
    return tidy.table(records, chapter="misclassification", profile="full", data="mnist", network="mlm-cnn")


def words(rows):
    ledger = verdicts(rows)
    return dict(zip(ledger["id"], ledger["verdict"], strict=True))


OF_ALL = {
    "mlm-accuracy-falls",
    "mlm-accuracy-falls-linearly",
    "mlm-nine-as-seven-low",
    "mlm-seven-as-two",
    "mlm-corner-low",
}


def test_the_papers_own_numbers_make_its_claims_hold():
    found = words(as_printed())
    assert {name for name, word in found.items() if word == "undecided"} == OF_ALL  # two of twelve perturbations
    assert {word for name, word in found.items() if name not in OF_ALL} == {"holds"}
    twelve = words(as_printed(perturbations=["brightness", *(f"p{i}" for i in range(11))]))
    assert set(twelve.values()) == {"holds"}


@pytest.mark.parametrize(
    ("claim", "changes"),
    [
        ("mlm-accuracy-train", {"accuracy": {("clean", None, "train"): 0.95}}),
        ("mlm-accuracy-test", {"accuracy": {("clean", None, "test"): 0.995}}),
        ("mlm-test-above-train", {"accuracy": {("clean", None, "train"): 0.9866}}),
        ("mlm-zero-least", {"misses": {"0>1": 400}}),
        ("mlm-eight-most", {"misses": {"4>1": 900}}),
        ("mlm-one-five-seldom", {"misses": {"5>1": 300}}),
        ("mlm-eight-as-zero-six-nine", {"misses": {"8>6": 2}}),
        ("mlm-three-as-five-seven", {"misses": {"3>7": 0}}),
        ("mlm-nine-as-seven-top", {"misses": {"4>9": 120}}),
        ("mlm-seven-as-two", {"misses": {"7>1": 60}}),
        ("mlm-corner-zeros", {"misses": {"2>8": 9}}),
    ],
)
def test_a_claim_that_rows_contradict_does_not_hold(claim, changes):
    assert TESTS[claim](as_printed(**changes)).verdict == "does not hold"


def altered(rows, change, **where):
    found = tidy.select(rows, **where).index
    assert len(found)
    rows.loc[found, "value"] = [change(value) for value in rows.loc[found, "value"]]
    return rows


@pytest.mark.parametrize(
    ("claim", "change", "where"),
    [
        ("mlm-accuracy-falls", lambda v: v + 0.2, {"condition": "perturbed/gaussian_noise", "level": 7}),
        ("mlm-accuracy-falls-linearly", lambda v: v - 0.2, {"condition": "perturbed/gaussian_noise", "level": 10}),
        ("mlm-brightness-ends", lambda v: v - 0.2, {"condition": "perturbed/brightness", "level": 10}),
        ("mlm-orders-confusions", lambda v: -v, {"table": "agreement", "metric": "spearman"}),
        ("mlm-finds-top-confusion", lambda v: v - 0.6, {"table": "agreement", "metric": "top-1 share"}),
    ],
)
def test_perturbed_rows_can_contradict_too(claim, change, where):
    assert TESTS[claim](altered(as_printed(), change, **where)).verdict == "does not hold"


def test_two_perturbations_do_not_refute_what_is_said_of_twelve_together():
    rows = altered(as_printed(), lambda v: v + 0.5, table="matrix", at="9>7")
    assert TESTS["mlm-nine-as-seven-low"](rows).verdict == "undecided"


def test_chance_decides_nothing():
    ledger = verdicts(as_printed(seeds=[0]))
    assert set(ledger["verdict"]) <= {"undecided", "not run"}


def test_levels_that_were_left_out_are_not_run():
    rows = as_printed()
    rows = rows[rows["level"] != 4].reset_index(drop=True)
    assert TESTS["mlm-accuracy-falls"](rows).verdict == "not run"
    assert TESTS["mlm-brightness-ends"](rows).verdict == "holds"


def test_a_verdict_does_not_depend_on_what_is_listed_beside_it():
    rows = as_printed()
    pd.testing.assert_frame_equal(verdicts(rows, paper="mlm"), verdicts(rows))


def test_ledger_as_html():
    ledger = verdicts(as_printed())
    assert set(ledger["verdict"]) <= set(WORDS)
    text = html(ledger, "Claims & verdicts", columns=["claim", "verdict", "p"])
    assert "<caption>Claims &amp; verdicts</caption>" in text
    assert text.count('<th scope="col">') == 3
    assert text.count('<th scope="row">') == len(ledger)
    assert "nan" not in html(verdicts(tidy.empty()), "none", columns=["claim", "p"])
