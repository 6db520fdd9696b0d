"""Sentences of the search chapter on many rows at once: each equals what is taken from the rows by hand."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.search.claimed import by_reading, on_rows
from mistrust.figures.search.curves import curves
from mistrust.figures.search.judged import judged
from mistrust.figures.search.lifts import lifts
from mistrust.figures.search.nearness import nearness, turned
from mistrust.figures.search.pooled import lifted_doses, of_all_panels, paired, pooled_doses, unpooled
from mistrust.figures.search.priced import fewest_jumps
from mistrust.figures.search.said import noise_starts
from mistrust.figures.search.tallied import by_chance, tally, with_added
from mistrust.figures.search.told import brightest, first_answers
from mistrust.search.lift import combined, lift

AD, KNN, ENSEMBLE = "adversarial_distance", "residual_knn", "residual_ensemble"
FACTORS = (1.1, 1.3, 1.2, 1.6, 0.9)  # by which the second search finds more, network by network


def pools(dose="biased/25", classes=("cat", "dog"), gates=(1, 1, 1, 1, 1)):
    """Five networks: Adversarial Distance finds 10, 11, ... of 10 errors, the other FACTORS times as many."""
    found = [{"table": "overall", "condition": "biased", "metric": "lift", "method": AD, "level": 50, "note": dose}]
    found[0]["value"] = 1.2
    for at in classes:
        for seed, (factor, gate) in enumerate(zip(FACTORS, gates, strict=True)):
            here = {"condition": dose, "at": at, "seed": seed, "data": "d", "network": "n"}
            found += [
                {"table": "panel", "metric": m, "value": v, **here} for m, v in (("gates", gate), ("pool sdr", 2))
            ]
            for method, times in ((AD, 1.0), (KNN, factor)):
                each = {"errors": (10 + seed) * times, "expected": 5, "expected alike": 8}
                found += [
                    {"table": "searches", "metric": m, "value": v, "method": method, "level": 50, **here}
                    for m, v in each.items()
                ]
    return tidy.table(found)


def at_both(rows):
    """The same at 20 queries as at 50."""
    early = rows[rows["table"] == "searches"].assign(level=20.0)
    return tidy.check(pd.concat([rows, early], ignore_index=True))


def of_doses(*parts):
    """All of these rows; no two lifts of one mechanism."""
    whole = pd.concat(parts, ignore_index=True)
    return tidy.check(whole[~(whole["table"].eq("overall") & whole["condition"].ne("all"))])


class TestPooled:
    @pytest.mark.parametrize("metric", ["lift", "matched lift"])
    def test_what_pools_share_falls_out_of_the_ratio_of_two_searches(self, metric):
        rows = pools()
        rows = tidy.check(pd.concat([rows, rows[rows["table"] == "overall"].assign(metric="matched lift")]))
        low, high = np.exp(stats.ttest_1samp(np.log(FACTORS), 0).confidence_interval())
        assert paired(rows, KNN, metric=metric) == f"{stats.gmean(FACTORS):.2f} ({low:.2f} to {high:.2f})"

    def test_networks_that_miss_a_gate_leave_too_few(self):
        assert paired(pools(gates=(0, 1, 1, 1, 1)), KNN) == "not run"

    def test_doses_kept_and_left_out_are_told(self):
        note = {
            "table": "overall",
            "condition": "all",
            "metric": "lift",
            "method": AD,
            "level": 50,
            "note": "biased/25",
            "value": 1.2,
        }
        names = ("biased/0", "biased/12", "biased/25", "gray/channel0")
        rows = tidy.table(
            [note, *({"table": "panel", "metric": "pool", "value": 9, "at": "cat", "condition": one} for one in names)]
        )
        assert pooled_doses(rows) == "Biased training, 25% of cats missing"
        assert unpooled(rows) == "Biased training, 12% of cats missing"  # neither a control nor what code does instead
        assert (pooled_doses(tidy.empty()), unpooled(tidy.empty())) == ("not run", "not run")

    def test_all_panels_are_summed_by_network_and_pooled_over_mechanisms(self):
        """A dose that two networks lack counts for the three that have it; a mechanism of four networks leaves none."""
        rows = of_doses(pools(), pools("biased/12", ("dog",), (0, 0, 1, 1, 1)), pools("gray/gray", ("animal",)))
        rows.loc[(rows["condition"] == "gray/gray") & (rows["metric"] == "pool sdr"), "value"] = 1.5
        biased = lift([20, 22, 36, 39, 42], [20, 20, 30, 30, 30], np.ones(5))
        gray = lift(np.arange(10, 15), np.full(5, 7.5), np.ones(5))
        whole = combined(np.log([biased.value, gray.value]), [biased.log_error, gray.log_error])
        assert of_all_panels(rows) == f"{whole.value:.2f} ({whole.low:.2f} to {whole.high:.2f})"
        assert of_all_panels(rows[rows["condition"] != "gray/gray"]) == "not run"
        assert of_all_panels(rows[~((rows["condition"] == "gray/gray") & (rows["seed"] == 4))]) == "not run"
        assert of_all_panels(of_doses(rows, pools("gray/channel0", ("animal",)))) == of_all_panels(rows)

    def test_lifts_of_doses_that_are_pooled_are_counted(self):
        rows = at_both(of_doses(pools(), pools("biased/12", ("dog",))))
        one = {"table": "overall", "condition": "all", "metric": "lift", "method": AD, "level": 50, "value": 1.2}
        pooled = of_doses(rows, tidy.table([one | {"note": "biased/25"}]))
        assert lifted_doses(pooled) == "6 of 6, 4 of them of a dose that is pooled"
        assert lifted_doses(rows) == "6 of 6, none of them of a dose that is pooled"
        pooled.loc[pooled["metric"] == "errors", "value"] /= 4
        assert lifted_doses(pooled) == "none of 6"


class TestLines:
    def test_lines_with_errors_added_are_named(self):
        rows = at_both(pools())
        assert with_added(rows) == "none"
        few = (rows["metric"] == "errors") & (rows["at"] == "dog") & (rows["level"] == 20) & (rows["seed"] == 3)
        rows.loc[few, "value"] = 0.2
        assert with_added(rows) == "1 (Biased training, 25% of cats missing, class dog at 20 queries)"

    def test_networks_are_told_by_the_number_of_queries(self):
        """A pool of fewer than fifty has no lift at fifty."""
        rows = at_both(pools())
        short = (rows["table"] == "searches") & (rows["at"] == "dog") & (rows["level"] == 50) & (rows["seed"] > 2)
        alt = lifts(rows[~short]).alt
        assert "25% of cats missing, cat, 5 models: " in alt
        assert "25% of cats missing, dog, 5 models (3 at 50 queries): " in alt

    def test_noise_starts_of_the_last_step_of_each_pool(self):
        common = {
            "table": "attack",
            "metric": "noise starts",
            "method": "boundary",
            "seed": 0,
            "condition": "biased/25",
        }
        shares = [{"at": "cat", "level": 100, "value": 0.0}, {"at": "cat", "level": 1000, "value": 1.0}]
        assert noise_starts(tidy.table(shares, **common)) == "noise starts every image in 1 of 1"
        assert (
            noise_starts(tidy.table([{**shares[1], "at": "dog", "value": 0}], **common))
            == "noise starts none in 1 of 1"
        )
        assert noise_starts(tidy.empty()) == "not run"

    def test_brightness_is_told_under_each_dose(self):
        one = {"table": "explained", "metric": "brightness", "at": "cat", "over": "models", "low": 0.1, "high": 0.9}
        found = [{"condition": f"biased/{dose}", "level": level, "value": value}
                 for dose, value in ((12, 0.6), (25, 0.3)) for level in (12, None)]  # fmt: skip
        said = brightest(tidy.table(found, **one)).split("; ")
        assert [text.partition(" the first 12 by ")[::2] for text in said] == [
            (
                f"with {dose}% of cats missing",
                f"{value} (0.10 to 0.90), all errors of the pool by {value} (0.10 to 0.90)",
            )
            for dose, value in ((12, "0.60"), (25, "0.30"))
        ]


class TestNearness:
    def test_classes_that_disagree_are_named_and_all_are_drawn(self):
        held = {"table": "panel", "metric": "residual auc", "over": "models"}
        found = {("gray/gray", "animal"): (0.45, 0.42, 0.48), ("gray/gray", "vehicle"): (0.58, 0.53, 0.62),
                 ("biased/25", "cat"): (0.53, 0.48, 0.58), ("biased/25", "dog"): (0.44, 0.4, 0.49)}  # fmt: skip
        rows = tidy.table([{**held, "condition": c, "at": at, "value": v, "low": low, "high": high}
                           for (c, at), (v, low, high) in found.items()])  # fmt: skip
        assert turned(rows) == "Shift to grey, grey images (above in vehicle, below in animal)"
        drawn = nearness(rows)
        alt = drawn.alt
        assert all(f"<!-- {one} -->" in drawn.svg for one in ("cat, animal", "dog, vehicle", "0.5: no use"))
        assert "one network" not in drawn.svg
        assert "25% of cats missing: cat 0.53 (0.48 to 0.58); dog 0.44 (0.40 to 0.49). Shift to grey" in alt
        assert turned(tidy.empty()) == "not run"
        with pytest.raises(MistrustError, match="AUROC of the residual"):
            nearness(tidy.empty())


def test_a_search_that_does_harm_is_no_plain_no_lift():
    rows = pools().assign(level=lambda one: one["level"].where(one["table"] != "searches", 20))
    rows = pd.concat([rows, rows[rows["table"] == "searches"].assign(level=50)], ignore_index=True)
    few = (rows["metric"] == "errors") & (rows["at"] == "dog")
    rows = tidy.check(rows.assign(value=rows["value"].mask(few, rows["value"] / 3)))
    assert tally(rows).startswith("0 lift, 2 no lift (2 of them find fewer)") or "2 of them find fewer" in tally(rows)
    assert by_chance(rows) == ("2 pools", "4", "0.1")
    line = {"condition": "biased/25", "at": "dog", "level": 50, "models": 5, "lift": 0.7, "low": 0.6, "high": 0.8}
    line |= {"smallest": 1.3, "at best": 1.2, "missed": "", "verdict": "no lift"}
    assert judged(pd.DataFrame([line]))["verdict"].item() == "no lift: finds fewer"
    assert judged(pd.DataFrame([line | {"high": 1.1}]))["verdict"].item() == "no lift"


def test_few_answers_and_more_of_the_same_pool():
    here = {"condition": "biased/25", "at": "cat", "data": "d", "network": "n"}
    steps = [{"table": "steps", "metric": m, "level": 1, "value": v, "seed": 0, "method": AD, **here}
             for m, v in (("answer", 1), ("confidence", 0.9))]  # fmt: skip
    whole = [{"table": "searches", "metric": "whole sdr", "method": AD, "level": level, "seed": seed, "value": value,
              "low": value / 2, "high": value * 2, **here}
             for seed in (0, 1) for level, value in ((20, 1.5 + seed), (50, 1.1 + seed))]  # fmt: skip
    pool = [{"table": "panel", "metric": "pool sdr", "seed": seed, "value": 1.2 + seed, **here} for seed in (0, 1)]
    said = first_answers(tidy.table([*steps, *whole, *pool]))
    assert said == ("Adversarial Distance 1.10 at 50 queries", "1.20", "Adversarial Distance at 20: 0.75 to 3.00")
    assert first_answers(tidy.empty()) == ("not run",) * 3
    assert brightest(tidy.empty()) == "not run"


def test_claims_on_rows_and_by_reading():
    said = [
        "a = 1 [0, 2]",
        "b = 1 (no interval between networks)",
        "without any run: the code",
        "without any run: text",
    ]
    ledger = pd.DataFrame({"verdict": ["holds", "undecided", "does not hold", "holds"], "evidence": said})
    assert (
        on_rows(ledger) == "2: 1 holds, 1 is undecided; of those undecided, 1 for want of an interval between networks"
    )
    assert by_reading(ledger) == "2: 1 holds, 1 does not hold"


def test_at_least_so_many_times_is_true_of_the_digits():
    each = {"attack": (1000, 11182, 0.9), "jumps": (10, 3126, 0.93)}  # 3.577 times fewer
    rows = tidy.table([
        {"table": table, "condition": "biased/25", "at": "cat", "level": level, "metric": metric, "value": value}
        for table, (level, queries, again) in each.items()
        for metric, value in (("queries", queries), ("residual reliability", again))
    ])  # fmt: skip
    assert fewest_jumps(rows) == ("10", "3.5")


@pytest.mark.whole
def test_lines_of_one_family_differ_in_colour_and_far_ones_share_a_logarithmic_axis():
    common = {"table": "curves", "metric": "sdr", "condition": "gray/gray", "at": "animal", "data": "d"}
    high = {AD: 1.2, KNN: 1.5, ENSEMBLE: 15.0}
    rows = tidy.table([{**common, "method": name, "level": level, "seed": seed, "value": value * (1 + seed / 10)}
                       for name, value in high.items() for level in (5, 20, 50) for seed in range(5)])  # fmt: skip
    far = curves(rows, group="scores").svg
    near = curves(rows[rows["method"] != ENSEMBLE], group="scores").svg
    assert {"#0072b2", "#d55e00", "#009e73"} <= set(re.findall("#[0-9a-f]{6}", far))
    assert len(re.findall("FillBetweenPolyCollection", far)) == 1  # the band of the first search alone
    assert len(set(re.findall(r'id="ytick_\d+"', far))) >= 3
    assert far != near
