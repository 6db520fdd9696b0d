"""The chapter's exercises: what each asks, how an answer is judged, a hint that gives nothing away, and why.

>>> check("by-chance", (0.5, 0.5))
'Not yet. Multiply out who errs and who does not, for every way to get as many errors or more; against the pool each \
chance is larger by the same factor. Expected: two numbers, probabilities in [0, 1] to three digits.'
"""

import math
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from mistrust.errors import MistrustError
from mistrust.exercises import Exercise, judge, near
from mistrust.random import generator
from mistrust.registry import Registry
from mistrust.search import measures
from mistrust.search.lift import lift
from mistrust.search.methods import SEARCHES
from mistrust.search.pool import Pool
from mistrust.search.searching import Searching

Array = NDArray[np.float64]
YOURS = "yours"
RIVALS = ("adversarial_distance", "low_confidence", "random")
LEVELS = (20, 50)
# The pool of the race: instances, those in the blind spot, features.
SIZE, BLIND, WIDTH = 1500, 150, 3
# Of fewer errors expected, finding none is no rarer than its end of a 95 % interval (Poisson).
LEAST = -math.log(0.025)

EXERCISES: Registry[Exercise] = Registry("exercise")


def check(id: str, *answer: Any) -> str:
    """Judge an answer to one of `EXERCISES`, see `mistrust.exercises.judge`."""
    return judge(EXERCISES, id, *answer)


def race(yours: Callable[[Array, Array, Array], Any], seed: int = 0) -> pd.DataFrame:
    """Search a made-up pool of 1,500 instances in an order of your own, beside three searches of the paper.

    Parameters
    ----------
    yours : (confidence (n,), distance (n,), features (n, 3)) -> positions of 50 or more instances, each once, the one
        to ask about first at the front. Answers are not given: they stay here.
    seed : of the pool and its answers. What was tuned on one seed is to be believed on another.

    Returns
    -------
    DataFrame
        A row a search, "whole pool" last: errors found in 50 queries, how many are expected there at the pool's own
        rate, SDR at 20 and 50, and the lift at 50 (found over expected) with its exact 95 % interval; see `won`.

    Raises
    ------
    MistrustError
        What is no order of at least 50 positions, each once.
    """
    pool, wrong = _pool(seed)
    given = (pool.confidence.copy(), np.asarray(pool.distance).copy(), np.asarray(pool.features).copy())
    own = _line(YOURS, pool, wrong, _order(yours(*given), len(pool)))
    return pd.DataFrame([own, *_others(seed)]).round(3)


def won(table: pd.DataFrame) -> str:
    """Say whether your order of a `race` beats the pool's own rate of errors, and which search has the largest lift.

    Returns
    -------
    "Right: " where the whole interval lies above 1, else "Not yet. " with what to look at.
    """
    by_search = table.set_index("search")
    line, lifts = by_search.loc[YOURS], by_search["lift"]
    found = (
        f"yours finds {line['errors']:.0f} errors in {LEVELS[-1]} queries, {line['lift']:.2f} times as many "
        f"[{line['low']:.2f}, {line['high']:.2f}] as the pool's own rate gives at these confidences"
    )
    if line["low"] > 1:
        best = lifts[[SEARCHES[name].title for name in RIVALS]]
        ahead = best.max() - line["lift"]
        who = "it wins this race" if ahead > 0 else "you win this race" if ahead < 0 else "a tie"
        return f"Right: {found}. Of the others {best.idxmax()} has most, {best.max():.2f}: {who}. Now try another seed."
    if line["high"] < 1:
        return f"Not yet. Your order avoids errors ({found}): is it the wrong way round?"
    if line["expected"] < LEAST:
        return (
            f"Not yet. Too few errors are expected to decide anything: {line['expected']:.2f} at the pool's own rate, "
            f"and yours finds {line['errors']:.0f}. These are among the surest images: sort the other way round?"
        )
    return (
        f"Not yet. Chance alone may do that ({found}): take the trend on confidence off whatever you sort by, and ask "
        "of the features what the confidence does not say."
    )


@lru_cache(maxsize=16)
def _others(seed: int) -> tuple[dict[str, object], ...]:
    """Lines of the paper's searches and of the whole pool, the same whatever order they are raced against."""
    pool, wrong = _pool(seed)
    found = [
        _line(
            SEARCHES[name].title, pool, wrong, Searching(pool, name, LEVELS[-1], threshold=0, seed=seed).against(wrong)
        )
        for name in RIVALS
    ]
    own = float(measures.pool_sdr(wrong, pool.confidence))
    at: dict[str, object] = {f"SDR at {level}": own for level in LEVELS}
    return *found, {
        "search": "whole pool",
        "errors": int(wrong.sum()),
        "expected": float(wrong.sum()),
        **at,
        "lift": 1.0,
    }


def _line(name: str, pool: Pool, wrong: NDArray[np.bool_], order: NDArray[np.int64]) -> dict[str, object]:
    rows = order[: LEVELS[-1]]
    errors, confidence = wrong[rows], pool.confidence[rows]
    curve, count = measures.sdr(errors, confidence), int(errors.sum())
    chance = measures.chances(confidence, float(measures.pool_sdr(wrong, pool.confidence)))
    low, high = measures.rate_interval(count, chance)
    at = {f"SDR at {level}": curve[level - 1] for level in LEVELS}
    lifted = {"lift": count / chance.sum(), "low": float(low), "high": float(high)}
    return {"search": name, "errors": count, "expected": float(chance.sum()), **at, **lifted}


def _order(given: Any, n: int) -> NDArray[np.int64]:
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise MistrustError(
            f"Your search gave {type(given).__name__}, expected positions in order: np.argsort(scores)."
        ) from None
    if found.ndim != 1 or len(found) < LEVELS[-1]:
        raise MistrustError(
            f"Your search gave numbers of shape {found.shape}, expected at least {LEVELS[-1]} positions in order: "
            "np.argsort(scores) gives all."
        )
    inside = (found >= 0) & (found < n) & (found == np.floor(found))
    if not inside.all():
        raise MistrustError(
            f"{found[~inside][0]:g} is no position among {n} instances, expected whole numbers from 0 to {n - 1}: of "
            "scores np.argsort makes an order."
        )
    known, often = np.unique(found, return_counts=True)
    if len(known) < len(found):
        raise MistrustError(
            f"Position {known[often > 1][0]:.0f} stands {often[often > 1][0]} times in your order, expected each at "
            "most once: no instance is asked about again."
        )
    return found.astype(np.int64)


@lru_cache(maxsize=16)
def _pool(seed: int) -> tuple[Pool, NDArray[np.bool_]]:
    """Instances and which are errors: a class whose confidence is too high, most of all far from where others lie.

    Errors also lie a little nearer to the boundary than others of their confidence, so that each search has a chance.
    """
    draw = generator(seed, "search/exercises/race")
    blind = np.arange(SIZE) < BLIND
    centres = 4 * draw.standard_normal((4, WIDTH))
    usual = centres[draw.integers(0, 4, SIZE)] + draw.standard_normal((SIZE, WIDTH))
    outward = draw.standard_normal((SIZE, WIDTH))
    outward *= (14 + 4 * draw.random((SIZE, 1))) / np.linalg.norm(outward, axis=1, keepdims=True)
    confidence = 1 - 0.33 * (1 - draw.random(SIZE)) ** 1.5
    wrong = draw.random(SIZE) < np.where(blind, 3.0, 1.6) * (1 - confidence)
    distance = np.exp(-5 + 6 * (confidence - 0.65) + 0.25 * draw.standard_normal(SIZE) - 0.1 * wrong)
    mixed = draw.permutation(SIZE)  # or the first rows would be the blind spot
    features = np.where(blind[:, None], outward, usual)[mixed]
    return Pool(np.arange(SIZE), confidence[mixed], features, distance[mixed]), wrong[mixed]


# Two queries that erred, two that did not; and a pool of two levels of confidence, half each.
QUERIED, ERRED = (0.9, 0.7, 0.95, 0.85), (1, 0, 1, 0)
SURE, WRONG = np.array([0.98, 0.8]), np.array([0.06, 0.2])


def _slips_of_sdr() -> Mapping[str, tuple[float | None, ...]]:
    erred, expected = np.array(ERRED), 1 - np.array(QUERIED)
    ratios, means = float((WRONG / (1 - SURE)).mean()), float(WRONG.sum() / (1 - SURE).sum())
    return {
        "the share of errors: divide by the errors expected, not by the queries": (erred.mean(), None, None),
        "errors over what is expected of the wrong ones alone": (erred.sum() / (erred @ expected), None, None),
        "the mean of single ratios": ((erred / expected).mean(), None, ratios),
        "the ratio of the means": (None, means, None),
    }


EXERCISES.add(
    "sdr",
    Exercise(
        question="Four queries have the confidences 0.9, 0.7, 0.95 and 0.85; the first and the third are errors. What "
        "is the SDR after the fourth? In a pool where one half has confidence 0.98 and 6% errors, and the other 0.8 "
        "and 20%, what is the mean of the SDR after one random query, and what is the mean number of errors divided "
        "by the mean number expected?",
        expected='three numbers, to two decimals: check("sdr", (sdr, mean of ratios, ratio of means))',
        check=lambda given: near(
            given,
            float(measures.sdr(ERRED, QUERIED)[-1]),
            float((WRONG / (1 - SURE)).mean()),
            float(WRONG.sum() / (1 - SURE).sum()),
            tolerance=0.005,
        ),
        numbers=3,
        slips=_slips_of_sdr,
        hint="Expected errors are summed over all queries, right and wrong ones, and the SDR of a single query is 0 "
        "or 1/(1 - confidence): average that first, then average numerator and denominator separately.",
        explanation="2/(0.1 + 0.3 + 0.05 + 0.15) = 3.33. One query gives 0.06/0.02 = 3 on average in the sure half and "
        "0.2/0.2 = 1 in the other: the mean of ratios is 2, but (0.06 + 0.2)/(0.02 + 0.2) = 1.18. An error at 0.98 "
        "counts 50 and one at 0.8 counts 5, so the mean of ratios is larger wherever the surer half is also the more "
        "overconfident one. The pooled ratio says what a labeller gets.",
    ),
)

ASKED, HIT, POOL_SDR = (0.95, 0.9, 0.85, 0.8, 0.7), 3, 2.0


def _slips_of_chance() -> Mapping[str, tuple[float, float]]:
    by_confidence, against = measures.chances(ASKED), measures.chances(ASKED, POOL_SDR)

    def both(of: Callable[[Array], Any]) -> tuple[float, float]:
        return float(of(by_confidence)), float(of(against))

    once = float(measures.p_value(HIT, by_confidence))
    return {
        "the chance of exactly three": both(lambda p: measures.poisson_binomial(p)[HIT]),
        "the mean chance, given to all five": both(lambda p: stats.binom.sf(HIT - 1, len(p), p.mean())),
        "Poisson's law, which lets one query err twice": both(lambda p: stats.poisson.sf(HIT - 1, p.sum())),
        "the first times the pool's SDR: each single chance grows by it": (math.nan, POOL_SDR * once),
        "the other one of the two": (float(measures.p_value(HIT, against)), once),
    }


EXERCISES.add(
    "by-chance",
    Exercise(
        question="Three of five queries with the confidences 0.95, 0.9, 0.85, 0.8 and 0.7 are errors: how likely are "
        "three or more if each errs with probability 1 - confidence, and how likely are they if each errs twice as "
        "often, as this whole pool does (its SDR is 2)?",
        expected="two numbers, probabilities in [0, 1] to three digits: "
        'check("by-chance", (by confidence, against the pool))',
        share=True,
        check=lambda given: near(
            given,
            float(measures.p_value(HIT, measures.chances(ASKED))),
            float(measures.p_value(HIT, measures.chances(ASKED, POOL_SDR))),
            tolerance=6e-4,
        ),
        numbers=2,
        slips=_slips_of_chance,
        hint="Multiply out who errs and who does not, for every way to get as many errors or more; against the pool "
        "each chance is larger by the same factor.",
        explanation="0.0267 and 0.171. If one believes the confidences, three errors are rare; in a class that errs "
        "twice as often as it says, any five queries of these confidences bring them in one case out of six. The "
        "small p convicts the class, whatever the search, and says nothing in favour of the search.",
    ),
)

LIFTS = (1.42, 1.02, 1.28, 1.09, 1.23)


def _slips_of_lifts() -> Mapping[str, tuple[float | None, ...]]:
    raw, logs = np.array(LIFTS), np.log(LIFTS)
    m, error = len(raw), stats.sem(logs)
    t = stats.t.ppf(0.975, m - 1)

    def ends(half: Any, of: Array = logs, back: Callable[..., Any] = np.exp) -> tuple[float | None, ...]:
        return float(back(of.mean() - half)), float(back(of.mean() + half)), None

    return {
        "1.96 standard errors: five models ask for Student's t": ends(stats.norm.ppf(0.975) * error),
        "a standard deviation that divides by m": ends(t * stats.sem(logs, ddof=0)),
        "t standard deviations, not standard errors": ends(t * logs.std(ddof=1)),
        "an interval without logarithms": ends(t * stats.sem(raw), raw, float),
    }


EXERCISES.add(
    "two-lifts",
    Exercise(
        question="Search A has a lift of 1.40, the mean over 1,000 subsets of one model's pool with a standard error "
        "of 0.005; search B has 1.42, 1.02, 1.28, 1.09 and 1.23 with five separately trained models: what are the "
        "ends of B's 95% interval between models (Student's t on the logarithm), and which of the two, 1 for A or 2 "
        "for B, shows a lift for models that nobody has trained yet?",
        expected="three numbers, the ends of the interval to two decimals and 1 or 2: "
        'check("two-lifts", (low, high, which))',
        check=lambda given: near(given[:2], *_ends(), tolerance=0.004) + near(given[2:], 2, tolerance=0),
        numbers=3,
        slips=_slips_of_lifts,
        hint="Take logarithms, their mean, and their standard deviation (dividing by m - 1) over the square root of "
        "m, use Student's t and not 1.96, and go back by exp; then ask what would be drawn anew if each result were "
        "repeated.",
        explanation="the logarithms have mean 0.182 and standard error 0.0586; times 2.776 (t, 4 degrees of freedom) "
        "that gives [1.02, 1.41]: above 1, if only just. 1,000 subsets of one pool share one network and one set "
        "of images: their standard error shrinks with every further subset and never says how another training run "
        "would fare. A is one model, and between models it has no interval at all.",
    ),
)


@cache
def _ends() -> tuple[float, float]:
    found = lift(LIFTS, np.ones(len(LIFTS)), np.ones(len(LIFTS)))
    return found.low, found.high
