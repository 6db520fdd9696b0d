"""What holds of every claim that printed numbers decide; what each shows stands beside its chapter's others."""

from functools import cache

import ambiguity_rows
import mlm_rows
import monitoring_rows
import pytest
import robustness_rows
import search_rows
import supervisors_rows
from for_readers import NOT_FOR_READERS

from mistrust.publishing.published import published
from mistrust.publishing.shelf import Shelf
from mistrust.publishing.verdicts import TESTS

ROWS = {
    "misclassification": mlm_rows, "ambiguity": ambiguity_rows, "supervisors": supervisors_rows,
    "monitoring": monitoring_rows, "robustness": robustness_rows, "search": search_rows,
}  # fmt: skip
EITHER_WAY = [(chapter, claim) for chapter, module in ROWS.items() for claim in module.OTHERWISE]
# What is proved reads printed numbers, too; whether one is of COCO, all of them, whichever there are.
PROVED = [("search", claim) for claim in search_rows.PROVED]
NEEDING = [one for one in (*EITHER_WAY, *PROVED) if one[1] != "urem-coco"]


@cache
def numbers(chapter):
    return published(chapter)


@cache
def ours(chapter):
    module = ROWS[chapter]
    return Shelf(module.with_means(module.as_printed()) if chapter == "misclassification" else module.as_said())


@pytest.mark.parametrize(("chapter", "claim"), EITHER_WAY)
def test_printed_numbers_decide_and_could_have_decided_otherwise(chapter, claim):
    """They alone, in words for readers."""
    module = ROWS[chapter]
    verdict, other = TESTS[claim](numbers(chapter)), TESTS[claim](module.OTHERWISE[claim](numbers(chapter).copy()))
    words = ("holds", "does not hold") if claim in module.PRINTED_HOLDS else ("does not hold", "holds")
    assert (verdict.verdict, other.verdict) == words, (verdict, other)
    assert verdict.p is None
    assert set(verdict.rows["profile"]) == {"published"}
    for one in (verdict, other):
        assert not NOT_FOR_READERS.search(one.evidence), one.evidence


@pytest.mark.parametrize(("chapter", "claim"), NEEDING)
def test_without_printed_numbers_a_claim_is_not_run(chapter, claim):
    """Rows of ours are none, and each that it read it needs."""
    found, test = numbers(chapter), TESTS[claim]
    for rows in (found[:0], ours(chapter)):
        assert test(rows).verdict == "not run"
    read = test(found).rows
    for table, metric in read[["table", "metric"]].drop_duplicates().itertuples(index=False):
        gone = found["table"].eq(table) & found["metric"].eq(metric)
        assert test(found[~gone]).verdict == "not run", (table, metric)
