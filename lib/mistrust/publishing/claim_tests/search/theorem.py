"""Theorem 3.1 and what is said of it (section III): by exact expectations of worked examples.

Read: the printed numbers' file `search-theorem.csv`, table "theorem": examples (`condition`) of pools whose confidences
have a few `level`s, at each of which there are groups (`at`); metrics "share" (of the pool) and "error rate". They are
ours: the paper has none.

The proof that holds. Given the confidences of all instances, let each err with probability 1 - p(c) of its own, as
where instances are independent of each other. Of queries chosen by confidence alone, E[SDR | confidences] is then the
sum of 1 - p(c) over the sum of 1 - c, at most 1 where p(c) is at least c everywhere; the mean over confidences is at
most 1, too. Neither independent queries nor a large query set are needed. The paper's proof takes the expectation of a
ratio for the ratio of expectations, which it is in the limit of many queries: the theorem asks for "sufficiently" many.
How many these are depends on the confidences: where nearly all are close to 1, fifty are not enough.
"""

from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
from scipy import stats

from mistrust.publishing.claim_tests.search.reading import CHAPTER
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, claim_test

SIZES = (1, 2, 3)  # of query sets
MANY = 50  # the paper's: "sufficiently" many?
NEARLY = 0.01  # of the ratio: what two expectations may lie apart and be called one
TINY = 1e-9
NEAREST = "near"  # the group that a search by distance takes


@claim_test("adversarial-distance-theorem", CHAPTER, printed=True)
def theorem(rows: Reader) -> Verdict:
    """By proof; and no example without overconfidence has an expected SDR above one."""
    calm = [one for one in examples(rows).values() if not overconfident(one)]
    if not calm:
        raise NotRun("a worked example without overconfidence at any level")
    most = max(expected(by_level(one), size) for one in calm for size in SIZES)
    told = f"by proof, given the confidences; in {len(calm)} worked examples the largest expected SDR without "
    return _decided(most <= 1 + TINY, f"{told}overconfidence is {number(most)}")


@claim_test("adversarial-distance-theorem-step", CHAPTER, printed=True)
def theorem_step(rows: Reader) -> Verdict:
    """The step of the printed proof, on every example, for query sets of the paper's size, and of one beside it."""
    found = [(by_level(one), of_expectations(one)) for one in examples(rows).values()]
    one, mean, ratio = max(
        ((expected(groups, 1), expected(groups, MANY), ratio) for groups, ratio in found),
        key=lambda case: abs(case[1] / case[2] - 1),
    )
    told = (
        f"in the worked example that is furthest off the expected SDR of {MANY} queries is {number(mean)} (of one "
        f"query {number(one)}), the ratio of the two expectations {number(ratio)}"
    )
    return _decided(abs(mean / ratio - 1) <= NEARLY, told)


@claim_test("adversarial-distance-theorem-iid", CHAPTER, printed=True)
def theorem_iid(rows: Reader) -> Verdict:
    """Not drawn of the whole set, but among small distances: near. Beside it a search that may: lowest first."""
    calm = [one for one in examples(rows).values() if not overconfident(one)]
    close = [one[one["at"] == NEAREST] for one in calm if (one["at"] == NEAREST).any()]
    if not close:
        raise NotRun("a worked example without overconfidence at any level, where distance tells more")
    near = max(expected(one, 1) for one in close)
    lowest = max(lowest_first(one) for one in calm)
    told = (
        f"without overconfidence an image drawn among small distances has an expected SDR of up to {number(near)}; not "
        f"every search needs the assumption: the lowest confidences have at most {number(lowest)}, since confidence "
        "alone selects them"
    )
    return _decided(near > 1 + TINY, told)


def examples(rows: Reader) -> dict[str, pd.DataFrame]:
    """Each example with columns level (confidence), at, share, error rate; shares sum to 1."""
    found = rows.find(table="theorem", metric=["share", "error rate"])
    wide = found.pivot(index=["condition", "level", "at"], columns="metric", values="value")
    wide = wide.reindex(columns=["share", "error rate"]).dropna().reset_index()
    if wide.empty:
        raise NotRun("worked examples of theorem 3.1")
    return {str(name): one.reset_index(drop=True) for name, one in wide.groupby("condition")}


def by_level(example: pd.DataFrame) -> pd.DataFrame:
    """Groups of one confidence taken together."""
    errors = (example["share"] * example["error rate"]).groupby(example["level"]).sum()
    shares = example["share"].groupby(example["level"]).sum()
    return pd.DataFrame({"share": shares, "error rate": errors / shares}).reset_index()


def overconfident(example: pd.DataFrame) -> bool:
    """Whether errors are more frequent at some confidence than it says."""
    whole = by_level(example)
    return bool((whole["error rate"] > 1 - whole["level"] + TINY).any())


def expected(groups: pd.DataFrame, size: int) -> float:
    """Exact expectation of SDR over query sets of this size, drawn independently with the groups' shares."""
    shares = (groups["share"] / groups["share"].sum()).to_numpy()
    errors, doubts = groups["error rate"].to_numpy(), 1 - groups["level"].to_numpy()
    drawn = combinations_with_replacement(range(len(groups)), size)
    counts = np.array([np.bincount(one, minlength=len(groups)) for one in drawn])
    return float(stats.multinomial.pmf(counts, size, shares) @ (counts @ errors / (counts @ doubts)))


def of_expectations(example: pd.DataFrame) -> float:
    """Expected errors over expected doubt of one draw; the same for any number of draws."""
    share = example["share"]
    return float((share * example["error rate"]).sum() / (share * (1 - example["level"])).sum())


def lowest_first(example: pd.DataFrame) -> float:
    """Expected SDR of a query set that holds only the lowest confidence."""
    whole = by_level(example)
    lowest = whole.loc[whole["level"].idxmin()]
    return float(lowest["error rate"] / (1 - lowest["level"]))


def _decided(right: bool, told: str) -> Verdict:
    return Verdict("holds" if right else "does not hold", f"without any run: {told}")
