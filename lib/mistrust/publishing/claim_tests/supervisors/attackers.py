"""Claims of section VII-C on attackers who know more than the network: on stronger attacks, and specific ones.

Read is the table "evaded": of the images that were tried, how many are mistaken and get past a supervisor. An attack on
the network alone ends as soon as it errs; one that knows the supervisor, too, goes on until the image passes or no
change is left. Both were tried on all runs. A supervisor's threshold stops 5 % of nominal inputs.
"""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.attacked import beside_theirs
from mistrust.publishing.claim_tests.supervisors.reading import (
    ARCHITECTURES,
    CALLED,
    CHAPTER,
    NAMES,
    OUTLIER,
    SUPERIOR,
    TITLES,
)
from mistrust.publishing.claim_tests.supervisors.weights import whatever_they_weigh
from mistrust.publishing.estimates import Estimate, NotRun, Reader, between_models, number
from mistrust.publishing.verdicts import DECIDED, Verdict, above, claim_test, every, within
from mistrust.supervisors.tables.evaded import ALONE, TOO

SOFTMAX = "max_softmax"  # it stands for all that read a softmax: no other of them was attacked so
SPECIFIC = (*OUTLIER, "dissector")
HALF = 0.5
TWENTIETH = 0.05


@claim_test("ambiguess-adversarial-depends-on-data", CHAPTER)
@whatever_they_weigh
def adversarial_depends_on_data(rows: Reader) -> Verdict:
    """Share of mistakes past Max Softmax after attacks that go on against those that end at once, either way round."""
    parts = []
    for data in TITLES:
        found, level = _past(rows, TOO, data, [SOFTMAX]), _largest(rows, data)
        gap = (found[SOFTMAX] - _past(rows, ALONE, data, [SOFTMAX])[SOFTMAX]).xs(level, level="level").dropna()
        if gap.empty:
            raise NotRun(f"{TITLES[data]}: share past Max Softmax by both attacks, of one classifier")
        text = f"{_changed(data, level)}: share past Max Softmax, attacked on minus attacked until the network errs"
        parts.append(_apart(between_models(_by_run(gap)), text))
    return beside_theirs(rows, every(parts), [SOFTMAX])


@claim_test("ambiguess-adversarial-stronger-ineffective", CHAPTER)
@whatever_they_weigh
def adversarial_stronger_ineffective(rows: Reader) -> Verdict:
    """More than half of the mistakes get past Max Softmax at the largest change, where the attacker knows of it."""
    parts = [above(_share(rows, data, SOFTMAX), HALF, _unnoticed(rows, data, SOFTMAX)) for data in TITLES]
    return beside_theirs(rows, every(parts), [SOFTMAX])


@claim_test("ambiguess-adversarial-specific-harder", CHAPTER)
@whatever_they_weigh
def adversarial_specific_harder(rows: Reader) -> Verdict:
    """Half the share of mistakes that get past Max Softmax minus that past each of five: same networks, by run.

    At one change of a pixel for each network and set, the one at which nearest to half get past Max Softmax: at
    smaller ones hardly anything gets past any, at larger ones nearly everything past all.
    """
    parts: list[Verdict] = []
    told: list[str] = []
    for data in TITLES:
        found = _past(rows, TOO, data, [SOFTMAX, *SPECIFIC])
        chosen = _half_way(found[SOFTMAX])
        told += [f"{TITLES[data]} {CALLED[network]} {number(level)}" for network, level in chosen.items()]
        at = pd.concat([found.xs((network, level), level=("network", "level")) for network, level in chosen.items()])
        for name in SPECIFIC:
            spared = (at[SOFTMAX] / 2 - at[name]).groupby(level="seed").mean()
            text = f"{TITLES[data]}: half the share past Max Softmax minus that past {NAMES[name]}"
            parts.append(above(between_models(spared.to_list()), 0.0, text))
    verdict = every(parts)
    note = f"where nearest to half get past Max Softmax, at changes up to {', '.join(told)}"
    return replace(verdict, evidence=f"{verdict.evidence}; {note}")


@claim_test("ambiguess-adversarial-not-immune", CHAPTER)
@whatever_they_weigh
def adversarial_not_immune(rows: Reader) -> Verdict:
    """More than a twentieth of the mistakes get past each of five at the largest change, whose attacker knows of it."""
    wanted = [(data, name) for data in TITLES for name in SPECIFIC]
    return every([above(_share(rows, *one), TWENTIETH, _unnoticed(rows, *one)) for one in wanted])


def _share(rows: Reader, data: str, name: str) -> Estimate:
    """Share past one supervisor at the largest change, by run the mean over architectures."""
    found = _past(rows, TOO, data, [name])[name].xs(_largest(rows, data), level="level")
    share = between_models(_by_run(found), grain=_step(rows, data), scale="arcsine")
    return replace(share, least=0.0, most=1.0)


def _unnoticed(rows: Reader, data: str, name: str) -> str:
    return f"{_changed(data, _largest(rows, data))}: share of mistakes past {NAMES[name]}"


def _changed(data: str, level: float) -> str:
    return f"{TITLES[data]}, pixels changed by up to {number(level)}"


def _apart(found: Estimate, text: str) -> Verdict:
    """Holds where a difference is farther from 0 than what the paper calls superior, does not hold where it is not."""
    near = within(found, -SUPERIOR, SUPERIOR)
    word = DECIDED[near.verdict == "holds"] if near.verdict in DECIDED else near.verdict
    return replace(near, verdict=word, evidence=f"{found.of(text)}, expected farther from 0 than {number(SUPERIOR)}")


def _by_run(found: "pd.Series[float]") -> list[float]:
    return found.groupby(level="seed").mean().to_list()


def _half_way(past: "pd.Series[float]") -> dict[str, float]:
    """For each network the change at which nearest to half get past, on average over runs; of equals the smaller."""
    means = past.groupby(level=["network", "level"]).mean().unstack("network")
    return {str(network): float((means[network] - HALF).abs().idxmin()) for network in means}


def _largest(rows: Reader, data: str) -> float:
    return float(_past(rows, TOO, data, [SOFTMAX]).index.get_level_values("level").max())


def _step(rows: Reader, data: str) -> float:
    """The step of shares of so many images: a few runs that all let everything past are no proof that all do."""
    tried = _found(rows, TOO, data, [SOFTMAX])["n"].max()
    return 1 / float(tried) if tried > 0 else 0.0


def _past(rows: Reader, condition: str, data: str, names: Sequence[str]) -> pd.DataFrame:
    """Share past each supervisor: a column each, a line a network, run and change; only lines that have all."""
    single = _found(rows, condition, data, names)
    found = single.pivot_table("value", ["network", "seed", "level"], "method").reindex(columns=list(names)).dropna()
    if found.empty:
        raise NotRun(f"{TITLES[data]}, {condition}: share past {', '.join(NAMES[one] for one in names)}, by run")
    return found


def _found(rows: Reader, condition: str, data: str, names: Sequence[str]) -> pd.DataFrame:
    where = {"table": "evaded", "condition": condition, "metric": "share unnoticed", "data": data}
    found = rows.find(**where, method=list(names), network=list(ARCHITECTURES))
    return found[found["seed"].notna()]
