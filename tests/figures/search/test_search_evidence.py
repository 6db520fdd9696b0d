"""Attack, controls, authors' rows, spread, replicates, errors explained: what is told equals the rows."""

import numpy as np
import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.search.attack import attack
from mistrust.figures.search.authors import authors
from mistrust.figures.search.controls import controls
from mistrust.figures.search.explained import explained, shown
from mistrust.figures.search.insight import insight
from mistrust.figures.search.methods import methods
from mistrust.figures.search.replicates import replicates
from mistrust.figures.search.spread import spread
from mistrust.pictures import pack

AD, RANDOM, LOW = "adversarial_distance", "random", "low_confidence"
METHODS = (AD, "lakkaraju_coded", "bansal_weld_coded", LOW, RANDOM)
SORTS = (AD, LOW, RANDOM)
SUBJECTS = (("cats_dogs-32", "biased/25", "cat"), ("cifar10-jpeg", "gray/gray", "animal"))
# Figure -> the table without which there is nothing to draw.
FIGURES = {attack: "attack", controls: "controls", authors: "authors", spread: "searches", replicates: "searches",
           explained: "explained", shown: "explained", insight: "insight"}  # fmt: skip


def about(value, half, over="images"):
    return {"value": value, "low": value - half, "high": value + half, "over": over}


def attack_rows(subjects=SUBJECTS):
    values = {"distance reliability": (0.9, 0.02), "residual reliability": (0.2, 0.2),
              "distance agreement": (0.8, 0.03), "residual agreement": (0.1, 0.15)}  # fmt: skip
    for index, (data, condition, at) in enumerate(subjects):
        common = {"table": "attack", "method": "boundary", "data": data, "condition": condition, "seed": 0}
        for step, level in enumerate((100, 300, 1000)):
            for metric, (first, rise) in values.items():
                yield {**common, "at": at, "level": level, "metric": metric,
                       **about(first + rise * step - 0.01 * index, 0.09)}  # fmt: skip
            yield {**common, "at": at, "level": level, "metric": "mae", "value": 12 / 2**step + index}
        for metric, value in (("distance agreement with foolbox", 0.7), ("residual agreement with foolbox", 0.3)):
            yield {**common, "at": at, "level": 1000, "metric": metric, **about(value - 0.01 * index, 0.05)}
        yield {**common, "at": "another", "level": 1000, "metric": "noise starts", "value": 0.5}


def control_rows(sets=(("cats_dogs-32", "cat"),)):
    for index, (data, at) in enumerate(sets):
        common = {"table": "controls", "data": data, "at": at, "seed": 0}
        for strength, lift in ((0, 1.02), (0.5, 1.4), (1, 2.1), (2, 3.3)):
            yield {**common, "condition": "control/lowered", "method": AD, "level": strength, "metric": "lift",
                   **about(lift + 0.2 * index, 0.15, "oracles")}  # fmt: skip
        for number, method in enumerate(METHODS):
            for level in (20, 50):
                yield {**common, "condition": "control/null", "method": method, "level": level, "metric": "sdr",
                       **about(0.94 + 0.02 * number + level / 1000, 0.08, "oracles")}  # fmt: skip


def author_rows():
    yield {"table": "authors", "data": "kaggle13", "metric": "pool sdr", "value": 2.98, "n": 4527}
    for number, method in enumerate(SORTS):
        for step, level in enumerate((1, 10, 20, 50)):
            common = {"table": "authors", "data": "kaggle13", "method": method, "level": level}
            pooled = "replicated sdr" if method == AD else "sdr"
            yield {**common, "metric": pooled, "value": 4.3 - number * 0.7 - 0.1 * step}
            yield {**common, "metric": "mean of ratios", "value": 5.1 - number * 0.7 - 0.25 * step}
            yield {**common, "metric": "spread", "value": 0.15 + 0.01 * number - 0.008 * step}
            yield {**common, "metric": "misaligned spread", "value": 0.14 - 0.008 * step}
            yield {**common, "metric": "errors", "value": 19 - 3 * number - 5 * (3 - step)}
            yield {**common, "metric": "confidence", "value": 0.9 - 0.05 * number}
            yield {**common, "metric": "utility", "value": 20.5 - number - 5 * (3 - step)}
        for level, value, low, high in ((1, 16.26, np.nan, np.nan), (20, 4.22, 2.56, 11.36), (50, 4.05, 3.16, 8.48)):
            if method == AD:
                yield {"table": "authors", "data": "kaggle13", "method": AD, "level": level, "metric": "sdr",
                       "value": value, "low": low, "high": high}  # fmt: skip


def search_rows(seeds=(0, 1, 2), conditions=("biased/0", "biased/25"), classes=("cat", "dog")):
    """Single models, two classes, and their means; SDR is 1.5 + number / 10, 0.2 apart from model to model."""
    for condition in conditions:
        for at in classes:
            for number, method in enumerate(METHODS):
                common = {"table": "searches", "data": "cats_dogs-32", "network": "sdr-cnn-small", "level": 50,
                          "condition": condition, "at": at, "method": method}  # fmt: skip
                one = {"sdr": 1.5 + number / 10, "replicate sd": 0.3, "spread": 0.12 + number / 200,
                       "misaligned spread": 0.121}  # fmt: skip
                for seed in seeds:
                    off = seed - np.mean(seeds)
                    for metric, value in one.items():
                        scale = {"sdr": 0.2, "spread": 0.004}.get(metric, 0)
                        yield {**common, "seed": seed, "metric": metric, "value": value + scale * off}
                    if method in SORTS:
                        yield {**common, "seed": seed, "metric": "whole sdr", "value": 1.6, "low": 0.5, "high": 4 + off}
                if len(seeds) > 1:
                    for metric in ("sdr", "spread", "misaligned spread"):
                        yield {**common, "metric": metric, **about(one[metric], 0.01, "models")}


def explained_rows(seeds=(0, 1, 2), conditions=("biased/12", "biased/25")):
    for index, condition in enumerate(conditions):
        common = {"table": "explained", "method": AD, "data": "cats_dogs-32", "condition": condition, "at": "cat"}
        for number, level in enumerate((6, 12, np.nan)):
            values = {"brightness": 0.6 + 0.3 * index - 0.2 * number}
            if level == level:
                values["superpixel brightness"] = 0.05 + 0.02 * index
            for metric, value in values.items():
                for seed in seeds:
                    yield {
                        **common,
                        "level": level,
                        "seed": seed,
                        "metric": metric,
                        **about(value + (seed - 1) / 20, 0.3),
                    }
                if len(seeds) > 1:
                    yield {**common, "level": level, "metric": metric, **about(value, 0.12, "models")}
    draw = np.random.default_rng(0)
    for level in range(1, 7):
        where = {**common, "seed": 0, "level": level}
        whole = draw.integers(0, 255, (8, 8, 3), dtype=np.uint8)
        rest = np.full_like(whole, 128)
        rest[2:5, 2:5] = whole[2:5, 2:5]
        yield {**where, "metric": "shown", "value": 0.99 - level / 50, "note": pack(whole)}
        yield {**where, "metric": "speaking", "value": 3.25 - level, "note": pack(rest)}


def insight_rows():
    """Two conditions: an error, the nearest image, a prototype; of the second no prototype was found."""
    draw = np.random.default_rng(0)
    common = {"table": "insight", "method": AD, "data": "cats_dogs-32", "at": "cat", "seed": 0}
    for condition, levels in (("biased/25", (1, 2, 3)), ("biased/12", (1, 2))):
        for level in levels:
            where = {**common, "condition": condition, "level": level}
            for metric, value in (("shown", 0.9 - level / 10), ("speaking", 2.04 - level)):
                picture = pack(draw.integers(0, 255, (8, 8, 3), dtype=np.uint8))
                yield {**where, "metric": metric, "value": value, "note": picture}
            if level != 2:
                yield {**where, "metric": "mae", "value": 1.5 * level}


@pytest.fixture(scope="module")
def all_rows():
    made = (attack_rows(), control_rows(), author_rows(), search_rows(), explained_rows(), insight_rows())
    return tidy.table([row for rows in made for row in rows], chapter="search")


@pytest.fixture(scope="module")
def drawn(all_rows):
    """Each figure of all rows, drawn once for all tests."""
    return {draw: draw(all_rows, caption="here") for draw in FIGURES}


def of(made):
    return tidy.table(list(made), chapter="search")


@pytest.mark.parametrize(("draw", "table"), FIGURES.items(), ids=lambda one: getattr(one, "__name__", None))
def test_missing_rows_are_a_clear_error(draw, table, all_rows):
    with pytest.raises(MistrustError, match=r"no rows for the .*: run the chapter"):
        draw(all_rows[all_rows["table"] != table])


@pytest.mark.parametrize("draw", FIGURES)
def test_an_unknown_image_set_is_said_with_those_there_are(draw, all_rows):
    with pytest.raises(MistrustError, match=r"no rows of 'mnist' for the .*; there are (cats_dogs-32|kaggle13)"):
        draw(all_rows, data="mnist")


@pytest.mark.parametrize("draw", [attack, spread, replicates, explained, shown])
def test_an_unknown_condition_is_said_with_those_there_are(draw, all_rows):
    named = {"conditions": ["biased/50"]} if draw in (attack, explained) else {"condition": "biased/50"}
    with pytest.raises(MistrustError, match=r"no rows of 'biased/50' for the .*; there are .*biased/25"):
        draw(all_rows, **named)


@pytest.mark.parametrize("draw", [authors, spread, replicates])
def test_methods_come_in_the_order_asked_and_an_unknown_one_is_refused(draw, all_rows):
    alt = draw(all_rows, [RANDOM, AD]).alt
    assert 0 < alt.index("Random") < alt.index("Adversarial Distance")
    assert "Low confidence" not in alt
    with pytest.raises(MistrustError, match=r"no rows of 'greedy' for the .*; there are adversarial_distance"):
        draw(all_rows, ["greedy"])


@pytest.mark.whole
@pytest.mark.parametrize("draw", FIGURES)
def test_equal_rows_give_equal_bytes_however_they_come(draw, all_rows, drawn):
    made = drawn[draw]
    assert made == draw(all_rows.iloc[::-1], caption="here")
    assert made.caption.startswith("here")
    assert made.name == f"fig-{draw.__name__}"
    assert "nan" not in made.alt
    assert "\n" not in made.alt


class TestAttack:
    @pytest.mark.whole
    def test_it_tells_both_correlations_at_each_number_of_steps(self, all_rows, drawn):
        alt = drawn[attack].alt
        assert "on cats and dogs and CIFAR-10, JPEG" in alt
        told = alt.partition("Biased training, 25% of cats missing, critical class cat: ")[2].partition(". Shift")[0]
        assert told == (
            "log MAE, two runs 0.90 (0.81 to 0.99) at 100, 0.92 (0.83 to 1.01) at 300 and 0.94 (0.85 to 1.03) at 1,000;"
            " residual, two runs 0.20 (0.11 to 0.29) at 100, 0.40 (0.31 to 0.49) at 300 and 0.60 (0.51 to 0.69) at "
            "1,000; log MAE, fast distance 0.80 (0.71 to 0.89) at 100, 0.83 (0.74 to 0.92) at 300 and 0.86 (0.77 to "
            "0.95) at 1,000; residual, fast distance 0.10 (0.01 to 0.19) at 100, 0.25 (0.16 to 0.34) at 300 and 0.40 "
            "(0.31 to 0.49) at 1,000; log MAE, foolbox 3 0.70 (0.65 to 0.75) at 1,000; residual, foolbox 3 0.30 "
            "(0.25 to 0.35) at 1,000; median MAE 12.0 at 100, 6.0 at 300 and 3.0 at 1,000"
        )
        assert alt.endswith("The gate for the residual of two runs is 0.6.")
        assert "Shift" not in attack(all_rows, conditions=["biased/25"]).alt

    @pytest.mark.whole
    def test_without_foolbox_nothing_is_said_of_it(self, all_rows, drawn):
        assert "those of a second run, the fast distance and foolbox 3's attack, with intervals" in drawn[attack].alt
        made = attack(all_rows[~all_rows["metric"].str.endswith("with foolbox")])
        assert "foolbox" not in made.alt
        assert "foolbox" not in made.svg

    @pytest.mark.whole
    def test_too_few_images_for_correlations_are_said(self, all_rows):
        rows = all_rows[(all_rows["metric"] == "mae") | (all_rows["condition"] != "gray/gray")]
        alt = attack(rows).alt
        assert "critical class animal (too few images for correlations): median MAE 13.0 at 100" in alt
        alone = attack(rows, conditions=["gray/gray"]).alt
        assert "log MAE, two runs" not in alone


class TestControls:
    @pytest.mark.whole
    def test_it_tells_lift_by_strength_and_sdr_by_chance(self, all_rows, drawn):
        alt = drawn[controls].alt
        assert (
            "Lift on cats and dogs, critical class cat: 1.02 (0.87 to 1.17) at 0, 1.40 (1.25 to 1.55) at 0.5, 2.10 "
            "(1.95 to 2.25) at 1 and 3.30 (3.15 to 3.45) at 2." in alt
        )
        assert "SDR by chance at 50 queries on cats and dogs: Adversarial Distance 0.99 (0.91 to 1.07)" in alt
        assert "at 20 queries on cats and dogs: Adversarial Distance 0.96 (0.88 to 1.04)" in controls(
            all_rows, level=20
        ).alt  # fmt: skip

    @pytest.mark.whole
    def test_several_image_sets_stand_side_by_side(self):
        rows = of(control_rows([("cats_dogs-32", "cat"), ("fmnist", "summer")]))
        alt = controls(rows).alt
        assert "Lift on Fashion-MNIST, critical class summer: 1.22 (1.07 to 1.37) at 0" in alt
        assert "50 queries on Fashion-MNIST: Adversarial Distance 0.99" in alt
        # An image set may lack one of the two.
        half = rows[(rows["data"] != "fmnist") | (rows["condition"] == "control/null")]
        assert controls(half).alt == alt.replace(
            "Lift on Fashion-MNIST, critical class summer: 1.22 (1.07 to 1.37) at 0, 1.60 (1.45 to 1.75) at 0.5, "
            "2.30 (2.15 to 2.45) at 1 and 3.50 (3.35 to 3.65) at 2. ",
            "",
        )

    @pytest.mark.whole
    def test_each_network_stands_by_itself_with_its_own_interval(self):
        # What a control says of a pool is sure; two networks that differ would say almost nothing of others.
        first = of(control_rows())
        second = first.assign(seed=1, **{name: first[name] + 0.5 for name in ("value", "low", "high")})
        between = first.assign(seed=float("nan"), low=-9.0, high=99.0)
        alt = controls(pd.concat([between, second, first])).alt
        assert "Lift on cats and dogs, network 1, critical class cat: 1.02 (0.87 to 1.17) at 0" in alt
        assert "Lift on cats and dogs, network 2, critical class cat: 1.52 (1.37 to 1.67) at 0" in alt
        assert "50 queries on cats and dogs, network 1: Adversarial Distance 0.99 (0.91 to 1.07)" in alt
        assert "50 queries on cats and dogs, network 2: Adversarial Distance 1.49 (1.41 to 1.57)" in alt
        assert "99" not in alt.replace("0.99", "")
        # Of a run that kept the mean alone, that is shown.
        assert "Lift on cats and dogs, critical class cat: 1.02 (-9.00 to 99.00) at 0" in controls(between).alt

    @pytest.mark.parametrize(("kept", "told"), [("control/lowered", "lift of"), ("control/null", "SDR of each")])
    def test_one_of_the_two_is_enough(self, kept, told, all_rows):
        alt = controls(all_rows[(all_rows["condition"] == kept)]).alt
        assert told in alt
        assert "Beneath" not in alt


class TestAuthors:
    def test_it_tells_the_pooled_ratio_of_subsets_the_mean_of_ratios_and_the_whole_pool(self, drawn):
        alt = drawn[authors].alt
        assert "the pool's own SDR, 2.98" in alt
        assert (
            "Adversarial Distance: pooled 4.30 at 1, 4.20 at 10, 4.10 at 20 and 4.00 at 50; mean of ratios 5.10 at 1, "
            "4.85 at 10, 4.60 at 20 and 4.35 at 50; on the whole pool 16.26 at 1, 4.22 (2.56 to 11.36) at 20 and 4.05 "
            "(3.16 to 8.48) at 50." in alt
        )
        assert "Random: pooled 2.90 at 1" in alt
        assert alt.count("whole pool") == 1

    @pytest.mark.whole
    def test_a_pool_without_its_own_sdr_has_no_line(self, all_rows):
        assert "own SDR" not in authors(all_rows[all_rows["metric"] != "pool sdr"]).alt


class TestMethodsOnTheAuthorsRows:
    @pytest.mark.whole
    def test_it_tells_errors_confidence_and_utility_after_the_last_query(self, all_rows):
        made = methods(all_rows, table="authors")
        assert made.alt == (
            "Dot plots of errors found, mean confidence of queries and Bansal-Weld utility after 50 queries, by "
            "search; the authors' rows of Kaggle13. The number of errors found is highest for Adversarial Distance "
            "(19.0), lowest for Random (13.0). Errors found: Adversarial Distance 19.0; Low confidence 16.0; "
            "Random 13.0. Mean confidence of queries: Adversarial Distance 0.90; Low confidence 0.85; Random 0.80. "
            "Bansal-Weld utility: Adversarial Distance 20.5; Low confidence 19.5; Random 18.5."
        )
        assert "Errors found: Adversarial Distance 14.0" in methods(all_rows, level=20, table="authors").alt

    def test_what_is_not_there_is_said(self, all_rows):
        with pytest.raises(MistrustError, match=r"no rows of 'curves' for the searches .*; there are searches"):
            methods(all_rows, table="curves")
        with pytest.raises(MistrustError, match=r"no rows of 'mnist' for the searches .*; there are kaggle13"):
            methods(all_rows, table="authors", data="mnist")
        with pytest.raises(MistrustError, match="no rows for the searches after 50 queries"):
            methods(all_rows[all_rows["table"] != "authors"], table="authors")


class TestSpread:
    @pytest.mark.whole
    def test_it_tells_both_with_the_interval_between_models(self, all_rows, drawn):
        alt = drawn[spread].alt
        assert "of 50 queries on cats and dogs (Biased training, 25% of cats missing; critical class cat)" in alt
        assert "no cats missing; critical class cat" in spread(all_rows, condition="biased/0").alt
        assert "Adversarial Distance aligned 0.120 (0.110 to 0.130), as published 0.121 (0.111 to 0.131);" in alt
        assert "Bansal-Weld, as coded aligned 0.130 (0.120 to 0.140)" in alt
        assert "25% of cats missing; critical class dog" in spread(all_rows, condition="biased/25", at="dog").alt

    @pytest.mark.whole
    def test_of_few_queries_the_most_are_shown(self, all_rows):
        few = all_rows[(all_rows["table"] != "searches") | (all_rows["level"] <= 20)]
        if not (few["table"] == "searches").any():
            few = all_rows.assign(level=all_rows["level"].where(all_rows["table"] != "searches", 20.0))
        assert "of 20 queries on cats and dogs" in spread(few).alt

    def test_the_authors_rows_have_it_too(self, all_rows):
        alt = spread(all_rows, table="authors", level=20).alt
        assert "of 20 queries on the authors' rows of Kaggle13" in alt
        assert "Random aligned 0.154, as published 0.124." in alt
        with pytest.raises(MistrustError, match=r"no rows of 'curves' for the spread .*; there are searches, authors"):
            spread(all_rows, table="curves")


class TestReplicates:
    def test_it_tells_three_kinds_of_scatter_apart(self, drawn):
        alt = drawn[replicates].alt
        # Models at 1.3, 1.5 and 1.7; the upper ends of one search at 3, 4 and 5.
        assert (
            "Adversarial Distance: between subsets of one pool 1.50, SD 0.30; between models 1.50, SD 0.20; one "
            "search, exact interval of the factor 0.50 to 4.00, beside an SDR of 1.60." in alt
        )
        assert "one search: its SDR, exact 95% of the factor" in drawn[replicates].svg
        assert "3 models" in alt
        assert "Lakkaraju, as coded: between subsets of one pool 1.60, SD 0.30; between models 1.60, SD 0.20." in alt

    def test_one_model_says_nothing_of_models(self):
        alt = replicates(of(search_rows(seeds=(4,)))).alt
        assert "1 model:" in alt
        assert "between models 1" not in alt
        assert "Random: between subsets of one pool 1.90, SD 0.30; one search" in alt

    def test_means_over_models_alone_do_not_scatter(self, all_rows):
        with pytest.raises(MistrustError, match="no rows for the scatter of SDR"):
            replicates(all_rows[all_rows["seed"].isna()])


class TestExplained:
    @pytest.mark.whole
    def test_it_tells_brightness_by_condition_and_number_of_errors(self, all_rows, drawn):
        alt = drawn[explained].alt
        assert (
            "Biased training, 25% of cats missing: first 6 brightness 0.90 (0.78 to 1.02) standard deviations, "
            "superpixels 0.07 (-0.05 to 0.19); first 12 brightness 0.70 (0.58 to 0.82) standard deviations, "
            "superpixels 0.07 (-0.05 to 0.19); all errors of the pool brightness 0.50 (0.38 to 0.62) standard "
            "deviations." in alt
        )
        assert "12% of cats" not in explained(all_rows, conditions=["biased/25"]).alt

    @pytest.mark.whole
    def test_brightness_alone_is_enough(self):
        rows = of(explained_rows(seeds=(0,)))
        alt = explained(rows[rows["metric"] == "brightness"]).alt
        assert "first 6 brightness 0.55 (0.25 to 0.85) standard deviations; first 12" in alt
        assert "superpixels" not in alt


class TestShown:
    def test_it_tells_confidence_and_how_far_the_lead_falls(self, drawn):
        made = drawn[shown]
        assert "The first 6 errors that Adversarial Distance found on cats and dogs" in made.alt
        assert "25% of cats missing), all predicted as cat" in made.alt
        assert "error 1: confidence 0.97, lead falls by 2.2; error 2: confidence 0.95, lead falls by 1.2;" in made.alt
        assert made.alt.endswith("error 6: confidence 0.87, lead falls by −2.8.")
        assert made.svg.count("<image") == 12

    def test_fewer_may_be_asked_for_and_an_error_without_both_pictures_is_left_out(self, all_rows):
        lost = (all_rows["metric"] == "speaking") & (all_rows["level"] == 2)
        made = shown(all_rows[~lost], most=3)
        assert made.svg.count("<image") == 6
        assert "error 1:" in made.alt
        assert "error 2:" not in made.alt
        assert "error 4:" in made.alt

    def test_a_row_without_its_picture_is_refused(self, all_rows):
        rows = all_rows.assign(note=all_rows["note"].mask(all_rows["metric"] == "shown", ""))
        with pytest.raises(MistrustError, match="no image in its note"):
            shown(rows)

    @pytest.mark.whole
    def test_another_model_is_said_with_those_there_are(self, all_rows, drawn):
        with pytest.raises(MistrustError, match=r"no rows of '3' for the pictures of the errors found; there are 0"):
            shown(all_rows, seed=3)
        both = pd.concat(
            [all_rows, all_rows[all_rows["metric"].isin(["shown", "speaking"])].assign(seed=np.nan, note="")]
        )
        assert shown(both).svg == drawn[shown].svg


class TestInsight:
    def test_it_tells_confidence_how_far_the_lead_falls_and_how_far_another_answer_is(self, drawn):
        made = drawn[insight]
        assert made.alt.endswith(
            "Biased training, 25% of cats missing (cats and dogs): predicted as cat, 0.80, lead falls by 1.0, 1.5 grey "
            "levels; nearest other, 0.70, lead falls by 0.0; prototype, 0.60, lead falls by −1.0, 4.5 grey levels."
        )
        assert made.svg.count("<image") == 6

    def test_of_several_models_the_first_is_drawn(self, all_rows, drawn):
        mine = all_rows[all_rows["table"] == "insight"]
        more = [mine.assign(seed=1.0), mine.assign(seed=np.nan, note="")]
        assert insight(pd.concat([*more, mine])).svg == drawn[insight].svg

    def test_a_condition_without_its_three_is_said(self, all_rows):
        with pytest.raises(MistrustError, match="no rows of 'biased/12' for the pictures of an error"):
            insight(all_rows, conditions=["biased/12"])
