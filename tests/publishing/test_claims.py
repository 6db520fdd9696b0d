"""The ledger: the committed claims, the reader's errors, and the verdicts on rows made to have one."""

from pathlib import Path

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.publishing.claims import COLUMNS, LEDGER, TESTS, claims, counts, html, judge, verdicts
from mistrust.publishing.verdicts import WORDS

FILE = Path(__file__).parents[2] / "data" / "published" / "claims.csv"
HEAD = ",".join(COLUMNS)


@pytest.fixture(autouse=True)
def checkout(monkeypatch):
    monkeypatch.setenv("MISTRUST_ROOT", str(FILE.parents[2]))


def test_every_claim_has_a_test_and_every_test_a_claim():
    listed = claims()
    assert {one.test for one in listed} == set(TESTS)
    assert len(listed) >= 42


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
        (f"{HEAD}\na,mlm,section 1,,mlm-zero-least\n", r"line 2: 'claim' is empty\. Every row needs id, paper"),
        (f"{HEAD}\na,mlm,section 1, ,mlm-zero-least\n", "line 2: 'claim' is empty"),
        (
            f"{HEAD}\na,mlm,section 1,x,mlm-zero-least\n\na,mlm,section 1,y,mlm-zero-least\n",
            r"line 4: the id 'a' stands in line 2 already",
        ),
        (
            f"{HEAD}\na,mlm,section 1,x,mlm-zero-last\n",
            r"line 2, claim 'a': There is no claim test 'mlm-zero-last'\. Did you mean 'mlm-zero-least'\?.*Register",
        ),
        (
            f"{HEAD}\na,mlm,abstract,x,mlm-zero-least\n",
            r"line 2, claim 'a': the place 'abstract' names no section.*4\.1",
        ),
        (f"{HEAD}\na,mlm,section 1,x, y,mlm-zero-least\n", r"line 2: 6 cells, expected 5 .* needs quotation marks"),
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


@pytest.mark.whole
def test_without_rows_nothing_was_run():
    ledger = verdicts(tidy.empty())
    assert tuple(ledger.columns) == LEDGER
    printed = ledger["test"].map(lambda name: TESTS[name].printed)
    assert counts(ledger[~printed]) == {"holds": 0, "does not hold": 0, "undecided": 0, "not run": (~printed).sum()}


@pytest.mark.whole
def test_printed_numbers_decide_without_rows():
    ledger = verdicts(tidy.empty())
    printed = ledger[ledger["test"].map(lambda name: TESTS[name].printed)]
    assert len(printed) > 0
    assert set(printed["verdict"]) <= {"holds", "does not hold"}
    assert (printed["rows"] > 0).all()
    assert printed["p"].isna().all()  # nothing was tested: no part in Holm's correction


def test_rows_of_two_profiles_are_refused():
    rows = tidy.table([{"profile": p, "table": "t", "metric": "m", "value": 1} for p in ("full", "quick")])
    with pytest.raises(MistrustError, match="rows of one profile, these are of full, quick"):
        verdicts(rows)


def few_rows():
    """Accuracy of three networks on training and test images: enough for three claims."""
    where = {"table": "accuracy", "condition": "clean", "method": "network", "metric": "accuracy"}
    values = [(at, seed, value) for at, value in (("train", 0.983), ("test", 0.984)) for seed in range(3)]
    records = [{"at": at, "seed": seed, "value": value + seed / 1e4, **where} for at, seed, value in values]
    return tidy.table(records, chapter="misclassification", profile="full")


@pytest.mark.whole
def test_a_verdict_does_not_depend_on_what_is_listed_beside_it():
    rows = few_rows()
    ledger = verdicts(rows)
    assert counts(ledger[ledger["paper"] == "mlm"])["holds"] == 4  # three by these rows, one as printed
    pd.testing.assert_frame_equal(verdicts(rows, paper="mlm"), ledger[ledger["paper"] == "mlm"].reset_index(drop=True))
    pd.testing.assert_frame_equal(
        verdicts(rows, "misclassification"), ledger[ledger["paper"] == "mlm"].reset_index(drop=True)
    )


def test_whoever_waits_is_told_of_each_claim_that_was_asked_for():
    told = []
    found = judge(tidy.empty(), asked := claims(paper="mlm")[:3], judged=told.append)
    assert told == [1, 1, 1]
    assert set(found) > {one.id for one in asked}  # with the rest of their sections


@pytest.mark.whole
def test_ledger_as_html():
    ledger = verdicts(few_rows())
    assert set(ledger["verdict"]) <= set(WORDS)
    text = html(ledger, "Claims & verdicts", columns=["claim", "verdict", "p"])
    assert "<caption>Claims &amp; verdicts</caption>" in text
    assert text.count('<th scope="col" ') == 3
    assert text.count('<th scope="row">') == len(ledger)
    assert "nan" not in html(verdicts(tidy.empty()), "none", columns=["claim", "p"])
