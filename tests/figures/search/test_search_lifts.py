"""Curves, measures and lifts of searches: what is told equals the rows, and nothing is drawn from nothing."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mistrust import rows as tidy
from mistrust.errors import MistrustError, NoRows
from mistrust.figures.search.curves import GROUPS, curves
from mistrust.figures.search.lifts import lifts
from mistrust.figures.search.methods import methods
from mistrust.figures.search.overall import overall
from mistrust.figures.search.parts import words
from mistrust.figures.search.said import authors_lift, below_pool, lifted_controls
from mistrust.figures.search.tallied import tally
from mistrust.figures.style import PALETTE
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.profiles import profile

AD, RANDOM, KNN = "adversarial_distance", "random", "residual_knn"
LIFTS = {AD: 1.5, RANDOM: 1.0, KNN: 1.6}
EXPECTED = {20: 2.0, 50: 5.0}
# Of five models: the factors by which they differ.
APART = (0.9, 0.95, 1.0, 1.05, 1.1)
FIGURES = {"curves": curves, "methods": methods, "lifts": lifts, "overall": overall}


def made_rows(
    conditions=("biased/0", "biased/25"), classes=("dog", "cat"), seeds=range(5), missed=(), pool=2.0,
    data="cats_dogs-32", means=True,
):  # fmt: skip
    """Tables "panel", "curves" and "searches"; the pool's SDR is 2, lifts are LIFTS times APART, the second class's
    half as much again; panels of the conditions in `missed` have too few errors."""
    records = []
    for condition in conditions:
        for number, at in enumerate(classes):
            for seed in seeds:
                where = {"data": data, "network": "cnn", "condition": condition, "at": at, "seed": seed}
                note = "errors in the pool: 12, expected >= 25: missed" if condition in missed else ""
                records.append({"table": "panel", "metric": "pool sdr", "value": pool, **where})
                records.append({"table": "panel", "metric": "gates", "value": float(not note), "note": note, **where})
                for name, lift in LIFTS.items():
                    own = lift * APART[seed] * (1 + 0.5 * number)
                    for level in (1, 5, 20, 50):
                        here = {"method": name, "level": level, **where}
                        for metric, value in {"sdr": pool * own, "spread": 0.4 / level}.items():
                            records.append({"table": "curves", "metric": metric, "value": value, **here})
                        if level in EXPECTED:
                            found = {
                                "errors": pool * own * EXPECTED[level], "expected": EXPECTED[level],
                                "expected alike": pool * EXPECTED[level], "confidence": 0.8 + 0.02 * lift,
                                "utility": 10 * own, "lift": own, "sdr": pool * own,
                            }  # fmt: skip
                            records += [
                                {"table": "searches", "metric": k, "value": v, **here} for k, v in found.items()
                            ]
    for name, lift in LIFTS.items() if means else ():
        row = {"table": "overall", "condition": "all", "method": name, "level": 50, "over": "models", "n": 10}
        records.append({**row, "metric": "lift", "value": lift, "low": 0.9 * lift, "high": 1.2 * lift})
    return tidy.table(records, chapter="search")


@pytest.fixture(scope="module")
def rows():
    return made_rows()


def t_interval(values, to, back):
    low, high = stats.ttest_1samp(to(np.array(values)), 0).confidence_interval()
    return f"({back(low):.2f} to {back(high):.2f})"


@pytest.mark.parametrize("name", FIGURES)
def test_no_rows_are_a_clear_error(name, rows):
    empty = rows[rows["table"].isin(["panel"])]
    with pytest.raises(MistrustError, match=r"no rows for the .*: run the chapter"):
        FIGURES[name](empty)


@pytest.mark.whole
@pytest.mark.parametrize("name", FIGURES)
def test_equal_rows_give_equal_bytes(name, rows):
    rows = rows[rows["condition"].isin(["biased/25", "all"])]
    made = FIGURES[name](rows, caption="here")
    assert made == FIGURES[name](rows.iloc[::-1].reset_index(drop=True), caption="here")
    assert made.caption.startswith("here")
    assert made.name.startswith(f"fig-{name}")
    assert "nan" not in made.alt
    assert "\n" not in made.alt


@pytest.mark.parametrize("name", FIGURES)
def test_one_model_and_one_condition_are_enough(name):
    made = FIGURES[name](made_rows(("digits/20",), ("3", "5"), range(1), data="mnist5k", means=False))
    assert "nan" not in made.alt
    assert "inf" not in made.alt


@pytest.mark.parametrize(
    ("name", "asked", "said"),
    [
        ("curves", {"data": "fmnist"}, "no rows of 'fmnist' for the searches query by query; there are cats_dogs-32"),
        ("curves", {"conditions": ["biased/12"]}, "no rows of 'biased/12' .*; there are biased/0, biased/25"),
        ("curves", {"methods": ["facility"]}, "no rows of 'facility' .*; there are adversarial_distance, residual_knn"),
        ("curves", {"group": "rival"}, "no group of searches 'rival'. Did you mean 'rivals'"),
        ("curves", {"group": "rivals"}, "no rows for the searches query by query, rivals"),
        ("curves", {"metric": "speed"}, "no measure by query 'speed'. Did you mean 'spread'"),
        ("methods", {"condition": "gray/gray"}, "no rows of 'gray/gray' for the searches after 50 queries"),
        ("methods", {"level": 30}, "no rows for the searches after 30 queries"),
        ("methods", {"at": "bird"}, "no rows of 'bird' .*; there are cat, dog"),
        ("lifts", {"method": "facility"}, "no rows of single models of 'facility'"),
        ("lifts", {"data": "fmnist"}, "no rows of 'fmnist' for the lift by mechanism; there are cats_dogs-32"),
        ("overall", {"condition": "gray"}, "no rows of 'gray' for the lift over panels at 50 queries; there are all"),
        ("overall", {"metric": "sdr"}, "no lift over panels 'sdr'"),
        ("overall", {"methods": ["facility"]}, "no rows of 'facility'"),
    ],
)
def test_what_is_not_there_is_said(name, asked, said, rows):
    with pytest.raises(MistrustError, match=said):
        FIGURES[name](rows, **asked)


class TestCurves:
    @pytest.mark.whole
    def test_they_tell_the_papers_class_and_methods_with_intervals(self, rows):
        alt = curves(rows).alt
        # The paper's class, cat, has half as much again: 2 * 1.5 * 1.5.
        interval = t_interval([4.5 * one for one in APART], np.sqrt, np.square)
        assert "Biased training, 25% of cats missing, critical class cat: Adversarial Distance 4.50 at 20 " in alt
        assert f"Adversarial Distance 4.50 at 20 queries and 4.50 {interval} at 50" in alt
        assert "Random 3.00 at 20 queries and 3.00" in alt
        assert "the whole pool 2.00 (2.00 to 2.00)." in alt
        assert "Nearest" not in alt  # none of the paper's

    def test_a_search_of_its_own_is_drawn_when_asked_for(self, rows):
        alt = curves(rows, methods=[KNN], conditions=["biased/25"]).alt
        assert (
            "1 in all. Biased training, 25% of cats missing, critical class cat: Nearest neighbours, residual 4.80"
            in alt
        )
        assert "Random" not in alt

    def test_the_groups_together_have_every_search_of_the_full_run_that_has_curves(self):
        asked = profile(CHAPTERS["search"], "full").methods
        assert {*asked, RANDOM} <= {name for group in GROUPS.values() for name in group}

    @pytest.mark.parametrize(
        ("name", "group", "said"), [("mine", "paper", "mine"), ("residual_mine", "scores", "Mine, r")]
    )
    def test_a_search_or_score_of_ones_own_is_drawn_beside_its_like(self, name, group, said, rows):
        own = rows[(rows["table"] == "curves") & (rows["method"] == AD) & (rows["condition"] == "biased/25")]
        both = tidy.check(pd.concat([own, own.assign(method=name)]))
        assert said in curves(both, group=group).alt
        with pytest.raises(NoRows):
            curves(both, group="rivals")

    def test_beyond_50_queries_they_reach_as_far_as_all_models_do(self):
        """Of two pools the smaller allowed fewer queries, and the mean jumped to that of the other alone."""
        found = [{"level": level, "seed": seed, "value": 1 + seed} for level in (50, 60, 70) for seed in (0, 1)]
        about = {"table": "curves", "metric": "sdr", "method": "random", "condition": "biased/25", "at": "cat"}
        assert "and 1.50 (" in curves(tidy.table(found, **about)).alt
        assert "queries, 1 to 70" in curves(tidy.table(found, **about)).alt
        assert "queries, 1 to 60" in curves(tidy.table(found[:-1], **about)).alt

    @pytest.mark.whole
    def test_variants_of_one_search_have_colours_of_their_own(self, rows):
        """Of one family they have one colour, and dashes alone would tell six lines apart."""
        names = GROUPS["distances"]
        own = rows[(rows["table"] == "curves") & (rows["method"] == AD) & (rows["condition"] == "biased/25")]
        several = tidy.check(pd.concat([own.assign(method=name) for name in names]))
        made = curves(several, group="distances")
        assert all(words(name) in made.alt for name in names)
        assert all(f"stroke: {one.lower()}" in made.svg for one in PALETTE[: len(names)])
        assert "Random" not in made.alt

    @pytest.mark.whole
    def test_one_that_lies_far_above_does_not_flatten_the_others(self, rows):
        """Raw MAE has errors where next to none are expected."""
        own = rows[(rows["table"] == "curves") & (rows["method"] == AD) & (rows["condition"] == "biased/25")]
        raw = own.assign(method="adversarial_distance_raw", value=100 * own["value"])
        near = own.assign(method="lowest_distance")
        plain = curves(tidy.check(pd.concat([own, near])), group="distances")
        both = curves(tidy.check(pd.concat([own, near, raw])), group="distances")
        ticks = [re.findall(r"<!-- (\d+\.?\d*) -->", made.svg) for made in (plain, both)]
        powers = {"10", "20", "50"}  # of a logarithmic axis, on which all are seen
        assert powers <= set(ticks[1])
        assert not powers <= set(ticks[0])
        assert "450.00 at 20" in both.alt
        assert ["SDR (logarithmic)" in made.svg for made in (plain, both)] == [False, True]

    def test_spread_has_no_pool(self, rows):
        made = curves(rows, "spread", conditions=["biased/0"])
        assert "Random 0.02 at 20 queries and 0.01 at 50" in made.alt  # its networks agree to the last digit
        assert "pool" not in made.alt
        assert made.name == "fig-curves-spread"

    @pytest.mark.whole
    def test_means_of_the_rows_count_before_those_taken_here(self, rows):
        mean = rows[(rows["table"] == "curves") & (rows["seed"] == 0) & (rows["metric"] == "sdr")]
        both = tidy.check(pd.concat([rows, mean.assign(seed=np.nan, value=7.0, low=6.0, high=8.0)]))
        alt = curves(both, conditions=["biased/0"], methods=[RANDOM]).alt
        assert "Random 7.00 at 20 queries and 7.00 (6.00 to 8.00) at 50" in alt

    @pytest.mark.whole
    def test_several_image_sets_have_a_panel_a_condition_each(self, rows):
        other = made_rows(("gray/rgb", "gray/channel0", "gray/gray"), ("animal", "vehicle"), data="cifar10-jpeg")
        both = tidy.check(pd.concat([rows, other[other["table"] != "overall"]]))
        alt = curves(both, methods=[RANDOM]).alt
        assert "4 in all" in alt
        assert "Shift to grey, grey images, critical class animal" in alt
        assert "red channel" not in alt
        assert "2 in all" in curves(both, data="cats_dogs-32", methods=[RANDOM]).alt


class TestMethods:
    @pytest.mark.whole
    def test_they_tell_every_measure_of_the_strongest_dose(self, rows):
        made = methods(tidy.select(rows, table="searches"))
        assert "25% of cats missing, critical class cat" in made.alt
        # Pool's SDR 2, lift 1.5 * 1.5, 5 expected: 22.5 errors; lift 1.5 for random.
        assert "Errors found: Adversarial Distance 22.5; Nearest neighbours, residual 24.0; Random 15.0." in made.alt
        assert "Mean confidence of queries: Adversarial Distance 0.83; " in made.alt
        assert "Bansal-Weld utility: Adversarial Distance 22.5" in made.alt

    def test_other_measures_levels_and_conditions(self, rows):
        held = rows[(rows["metric"] != "utility") & (rows["level"] == 20)]
        alt = methods(held, ["errors", "utility"], 20, condition="biased/0", at="dog", methods=[RANDOM, AD]).alt
        assert "Dot plots of errors found after 20 queries, by search; Biased training, no cats missing" in alt
        assert "Errors found: Random 4.00; Adversarial Distance 6.00." in alt
        assert "tility" not in alt  # of which there are no rows


class TestLifts:
    @pytest.mark.whole
    def test_they_tell_lift_interval_verdict_and_what_could_have_been_shown(self, rows):
        alt = lifts(rows).alt
        interval = t_interval([1.5 * one for one in APART], np.log, np.exp)
        least = np.exp(stats.t.ppf(0.975, 4) * stats.sem(np.log(APART)))
        value = f"{stats.gmean([1.5 * one for one in APART]):.2f} {interval}"
        assert f"Biased training, 25% of cats missing, dog, 5 models: {value} at 20 queries, lift; {value} at 50 " \
            f"queries, lift; the smallest lift that could have been shown: {least:.2f}." in alt  # fmt: skip
        assert alt.index("cats missing, cat") < alt.index("cats missing, dog")
        assert alt.index("no cats") < alt.index("25% of")

    @pytest.mark.whole
    def test_missed_gates_are_told(self):
        made = lifts(made_rows(["biased/0"], missed=["biased/0"]))
        assert "no cats missing, cat, 5 models: 2.24" in made.alt
        assert "at 50 queries, no verdict; the smallest" in made.alt
        assert "gates missed: errors in the pool (5 of 5 models)" in made.alt
        plain = lifts(made_rows(["biased/0"]))
        assert ["gates missed" in one.svg for one in (made, plain)] == [True, False]
        assert all(f"<!-- {one} -->" in plain.svg for one in ("1: adds nothing", "all below 1.25: no lift"))
        assert "Grey is from 1, which adds nothing, to 1.25, below which is no lift." in plain.alt

    @pytest.mark.whole
    def test_a_lift_far_off_is_told(self):
        rows = made_rows(["biased/0"], seeds=range(2))
        far = (rows["metric"] == "errors") & (rows["seed"] == 1) & (rows["at"] == "dog")
        alt = lifts(rows.assign(value=rows["value"].mask(far, 60 * rows["value"]))).alt
        assert "dog, 2 models: 10.7" in alt
        assert "(0.00 to " in alt

    @pytest.mark.whole
    def test_against_equal_confidence(self):
        made = lifts(made_rows(["biased/0"], seeds=range(2)), RANDOM, [50], metric="matched lift")
        assert "of Random (errors over those of pool members of equal confidence)" in made.alt
        assert made.name == "fig-lifts-matched"


class TestOverall:
    @pytest.mark.whole
    def test_it_tells_the_lift_over_panels_and_who_does_as_well(self, rows):
        alt = overall(rows).alt
        assert "all mechanisms, pooled over panels that pass every gate, 10 models" in alt
        assert (
            "Adversarial Distance 1.50 (1.35 to 1.80); Nearest neighbours, residual 1.60 (1.44 to 1.92); Random" in alt
        )
        assert "As high as Adversarial Distance or higher: Nearest neighbours, residual." in alt
        assert "or higher: none." in overall(rows, methods=[AD, RANDOM]).alt

    @pytest.mark.whole
    def test_without_such_rows_it_shows_means_of_conditions_and_says_so(self):
        conditions = ("biased/0", "biased/12", "biased/25", "gray/channel0")
        alt = overall(made_rows(conditions, means=False)).alt
        assert "means of 2 conditions, without an interval, since no condition has five models" in alt
        assert "Adversarial Distance 1.88; " in alt  # of both classes: (1.5 + 2.25) / 2
        assert "(" not in alt
        only = overall(made_rows(conditions, means=False), condition="biased").alt
        assert "biased training, means of 2 conditions" in only

    def test_controls_alone_are_no_lift(self):
        with pytest.raises(MistrustError, match="no rows for the lift over panels at 50 queries"):
            overall(made_rows(("biased/0",), means=False))


class TestSentences:
    @pytest.mark.whole
    def test_verdicts_are_counted_and_those_below_the_pool_named(self):
        rows = made_rows(missed=["biased/0"])
        assert tally(rows) == "4 lift, 0 no lift, 0 undecided, 4 no verdict"
        assert below_pool(rows) == "none of 4"
        # Half of what random search finds, in one class: "no lift" alone would not say so.
        fewer = rows["metric"].eq("errors") & rows["at"].eq("dog") & rows["level"].eq(20) & rows["method"].eq(AD)
        harmed = rows.assign(value=rows["value"].mask(fewer, rows["value"] / 3))
        assert tally(harmed) == "3 lift, 1 no lift (1 of them finds fewer), 0 undecided, 4 no verdict"
        interval = t_interval([0.5 * one for one in APART], np.log, np.exp)
        value = f"{stats.gmean([0.5 * one for one in APART]):.2f} {interval}"
        where = "Biased training, 25% of cats missing, class dog at 20 queries"
        assert below_pool(harmed) == f"1 of 4 ({where}: {value})"

    @pytest.mark.whole
    def test_a_search_that_does_as_random_search_is_not_below_the_pool(self):
        rows = made_rows()
        same = rows["metric"].eq("errors") & rows["at"].eq("dog") & rows["method"].eq(AD)
        equal = rows.assign(value=rows["value"].mask(same, rows["value"] / 1.5))
        assert tally(equal) == "4 lift, 4 no lift, 0 undecided, 0 no verdict"
        assert below_pool(equal) == "none of 8"

    @pytest.mark.parametrize("say", [tally, below_pool, lifted_controls])
    def test_without_single_networks_nothing_is_claimed(self, say, rows):
        assert say(rows[rows["seed"].isna()]) == "not run"
        assert say(rows, "facility") == "not run"

    def test_the_authors_rows_are_divided_by_their_own_pool(self):
        asked = {"method": AD, "level": 20}
        found = [
            {"metric": "pool sdr", "value": 3.0},
            {"metric": "recalibrated pool sdr", "value": 1.25},
            {"metric": "sdr", "value": 4.5, "low": 2.4, "high": 12.0, **asked},
            {"metric": "recalibrated sdr", "value": 2.0, "low": 1.0, "high": 3.0, **asked},
            {"metric": "sdr", "value": 9.0, "low": 8.0, "high": 10.0, "method": RANDOM, "level": 20},
        ]
        rows = tidy.table(found, table="authors")
        assert authors_lift(rows, 20) == "1.50 (0.80 to 4.00)"
        assert authors_lift(rows, 20, recalibrated=True) == "1.60 (0.80 to 2.40)"
        assert authors_lift(rows, 50) == "not run"
        assert authors_lift(rows[rows["metric"] != "pool sdr"], 20) == "not run"


@pytest.mark.whole
def test_boxes_tell_quartiles_of_the_models_mean_and_the_paper_s_order():
    from mistrust import rows as tidy
    from mistrust.figures.search import boxes

    shares = {0.05: 0.7, 0.25: 0.8, 0.5: 0.9, 0.75: 0.95, 0.95: 0.99}
    found = [
        {"method": method, "level": share, "seed": seed, "value": value - 0.1 * seed}
        for method in ("random", "adversarial_distance") for share, value in shares.items() for seed in (0, 1)
    ]  # fmt: skip
    held = tidy.table(found, table="confidences", metric="confidence", condition="biased/25", at="cat", data="d")
    assert "Adversarial Distance 0.85 (0.75 to 0.90); Random 0.85 (0.75 to 0.90)." in boxes(held).alt


@pytest.mark.whole
def test_curves_have_what_equal_confidence_leads_to_expect():
    from mistrust import rows as tidy
    from mistrust.figures.search import curves

    common = {"condition": "biased/25", "at": "cat", "data": "d", "method": "adversarial_distance"}
    lines = [
        {"table": "curves", "metric": "sdr", "level": at, "seed": s, "value": 3} for at in (20, 50) for s in (0, 1)
    ]
    alike = [
        {"table": "searches", "metric": metric, "level": 50, "seed": s, "value": value}
        for metric, values in (("expected", (4, 1)), ("expected alike", (6, 3))) for s, value in enumerate(values)
    ]  # fmt: skip
    drawn = curves(tidy.table([*lines, *alike], **common))
    # The mean over models of 6 / 4 and 3 / 1, as the lines are means over models; not (6 + 3) / (4 + 1).
    assert drawn.alt.endswith("Pool members with the confidences of Adversarial Distance's queries: 2.25 at 50.")
    assert "expected at equal confidence" in drawn.svg
