"""Figures made of numbers: what is told equals the rows."""

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.ambiguity.experiment.over_networks import together
from mistrust.ambiguity.experiment.parameters import Parameters
from mistrust.errors import MistrustError
from mistrust.figures import ambiguity as figures


def one(rows, **wanted):
    found = tidy.select(rows, **wanted)
    return (found[found["seed"].isna()] if found["seed"].isna().any() else found).iloc[0]


DRAWN = {
    "label_rules": "labels",
    "cells": "cells",
    "diversity": "diversity",
    "performance": "performance",
    "oddness": "oddness",
    "calibration": "calibration",
    "acceptance": "autoencoders",
    "interpolation": "interpolation",
    "plane": "plane",
    "natural": "natural",
    "examples": "examples",
    "vae_plane": "vae-plane",
}


@pytest.mark.parametrize(("name", "table"), DRAWN.items())
def test_missing_rows_are_a_clear_error(name, table, all_rows):
    with pytest.raises(MistrustError, match=r"no rows for the .*: run the chapter"):
        getattr(figures, name)(all_rows[all_rows["table"] != table])


@pytest.mark.whole
@pytest.mark.parametrize("name", list(DRAWN)[:7])
def test_one_network_is_enough_and_equal_rows_give_equal_bytes(name, few_rows):
    draw = getattr(figures, name)
    few_rows = few_rows[~few_rows["at"].isin(["z0=-0.96"])]
    made = draw(few_rows, caption="here")
    assert made == draw(few_rows.iloc[::-1], caption="here")
    assert "nan" not in made.alt


def test_the_idea_is_always_the_same():
    made = figures.idea()
    assert made == figures.idea()
    assert "lie between z0 = -1 and 1" in made.alt


def test_label_rules_tell_where_labels_are_ambiguous(all_rows):
    alt = figures.label_rules(all_rows).alt
    line = tidy.select(all_rows, table="labels", method="softmax", metric="p first")
    torn = line[(2 * line["value"] - 1).abs() <= 0.25]["at"].str[3:].astype(float)
    said = f"ambiguous from z0 = {torn.min():.2f} to {torn.max():.2f}; in 25% of the plane's cells the two differ by at"
    assert f"{said} most 0.25" in alt
    assert alt.index("normalised (default)") < alt.index("softmax (as coded)") < alt.index("the prior's own")


def test_cells_tell_that_the_published_draws_come_from_a_blob(all_rows):
    alt = figures.cells(all_rows, "3/8").alt
    assert "pair 3/8" in alt
    assert "AmbiGuess as coded: 13% of the cells hold 90% of the chance, standard deviation of z1 0.8." in alt


@pytest.mark.whole
def test_diversity_tells_the_widest_bound_and_no_differences(all_rows, few_rows, once):
    row = one(all_rows, table="diversity", method="jacobian", metric="coverage", level=5)
    said = f"Coverage: Jacobian (default) {row['value']:.2f} ({row['low']:.2f} to {row['high']:.2f}), finite"
    assert said in once(figures.diversity, all_rows).alt
    minus = tidy.select(few_rows, table="diversity").assign(method="jacobian minus uniform")
    with pytest.raises(MistrustError, match="no rows for the diversity"):
        figures.diversity(minus)


@pytest.mark.whole
def test_diversity_shows_every_way_to_draw_and_a_gap_where_one_has_no_values(all_rows, once):
    """On clothes a transposed map may find no point: one row, "images" 0, stands in the place of its measures."""
    methods = set(tidy.select(all_rows, table="diversity")["method"])
    assert len(methods) == 9
    coverage = once(figures.diversity, all_rows).alt.partition("Coverage: ")[2]
    assert [method for method in methods if f"{figures.words(method)} 0." not in coverage] == []
    coded = (all_rows["table"] == "diversity") & (all_rows["method"] == "as published")
    none = tidy.table([{"method": "as published", "level": 5, "metric": "images", "value": 0}], table="diversity")
    made = figures.diversity(pd.concat([all_rows[~coded | (all_rows["level"] != 5)], none], ignore_index=True))
    assert "as coded" not in made.alt  # told for the widest bound alone
    assert made.svg != figures.diversity(all_rows[~coded]).svg  # its line stays, with two dots


class TestPerformance:
    @pytest.mark.whole
    def test_it_tells_each_number_and_the_ceiling(self, all_rows):
        alt = figures.performance(all_rows).alt
        row = one(all_rows, table="performance", method="mixed", condition="ambiguous/mixing", metric="top-pair")
        numbers = [f"{100 * row[column]:.1f}" for column in ("value", "low", "high")]
        assert f"two images mixed after mixed training {numbers[0]} ({numbers[1]} to {numbers[2]})" in alt
        assert "Best possible top-1: AmbiGuess 56.2" in alt

    @pytest.mark.whole
    def test_no_ceiling_without_sets_and_one_architecture(self, few_rows):
        alone = few_rows[few_rows["table"] != "sets"].replace({"network": {"all": "ambiguess-conv"}})
        alt = figures.performance(alone).alt
        assert "Best possible" not in alt
        assert "in per cent, convolutional." in alt

    def test_an_unknown_network_is_said_with_those_there_are(self, all_rows):
        with pytest.raises(MistrustError, match="network 'vgg'; there are all"):
            figures.performance(all_rows, network="vgg")


class TestAveraged:
    PAPERS = ("ambiguess-conv", "ambiguess-fc")

    @staticmethod
    def single(*networks):
        """Rows of three networks of each architecture, every metric on its own scale."""
        metrics = {"top-1": 0.5, "top-pair": 0.9, "entropy": 1.2, "brier": 0.2, "kl": 0.6, "excess entropy": -0.1}
        made = [
            {"network": name, "seed": seed, "metric": metric, "value": value + 0.01 * seed * (place + 1), "data": data,
             "n": 100}
            for data in ("mnist", "fmnist")
            for place, name in enumerate(networks)
            for seed in range(3)
            for metric, value in metrics.items()
        ]  # fmt: skip
        where = {"table": "performance", "method": "mixed", "condition": "ambiguous/ambiguess"}
        return tidy.table(made, chapter="ambiguity", **where)

    def test_of_the_papers_architectures_it_is_what_the_experiment_calls_all(self):
        single = self.single(*self.PAPERS)
        every = together(single, Parameters())
        expected = tidy.select(every, table="performance", network="all")
        expected = expected[expected["seed"].isna()]
        columns = ["data", "metric", "value", "low", "high", "over", "n"]
        found = figures.averaged(every, self.PAPERS)
        assert len(found) == 12
        key = ["data", "metric"]
        pd.testing.assert_frame_equal(
            found[columns].sort_values(key, ignore_index=True), expected[columns].sort_values(key, ignore_index=True)
        )

    def test_another_architecture_takes_the_place_of_one(self):
        rows = self.single("ambiguess-conv", "ambiguess-fc", "ambiguess-fc-relu")
        found = figures.averaged(rows, ("ambiguess-conv", "ambiguess-fc-relu"))
        row = tidy.select(found, data="mnist", metric="top-pair").iloc[0]
        # Means 0.91 of the first and 0.93 of the third: seeds add 0.01 and 0.03 each.
        assert row["value"] == pytest.approx(0.92)
        assert (row["network"], row["n"], row["over"]) == ("all", 3, "models")

    def test_an_architecture_that_was_not_run_leaves_nothing(self):
        """Not the mean of the others, which would pass for it."""
        assert figures.averaged(self.single("ambiguess-conv"), ("ambiguess-conv", "ambiguess-fc-relu")).empty
        assert figures.averaged(tidy.empty(), ("ambiguess-conv",)).empty


def test_oddness_says_which_density_it_means(all_rows):
    assert "looks nominal ←  AUROC of low density, 40 components  → looks odd" in figures.oddness(all_rows).svg


def test_oddness_tells_both_measures(all_rows):
    assert (
        "two images mixed: AUROC 0.79 (0.77 to 0.81), ambiguous 30 (27 to 33) per cent."
        in figures.oddness(all_rows).alt
    )


@pytest.mark.parametrize(
    ("condition", "who"), [("ensemble", "clean classifiers"), ("known world", "exact, in the known")]
)
def test_calibration_tells_bins_and_errors(condition, who, all_rows):
    made = figures.calibration(all_rows, condition)
    assert who in made.alt
    assert "softmax (as coded): 0.05 observed as 0.14, 0.45 observed as 0.46 and 0.95 observed as 0.86" in made.alt
    assert made.name == f"fig-calibration-{condition.replace(' ', '-')}"


@pytest.mark.whole
def test_calibration_tells_bins_that_hold_images(all_rows):
    """A bin that no image has, or too few, is not told, be it the first or the last."""
    rows = all_rows.copy()
    here = (
        (rows["table"] == "calibration") & (rows["method"] == "softmax") & rows["metric"].isin(["stated", "observed"])
    )
    rows.loc[here & rows["at"].isin(["bin=1", "bin=10"]), ["n", "over"]] = [3, ""]
    alt = figures.calibration(rows).alt
    assert "softmax (as coded): 0.15 observed as 0.22, 0.45 observed as 0.46 and 0.85 observed as 0.78" in alt
    assert "nan" not in alt
    rows.loc[here & ~rows["at"].eq("bin=7"), ["n", "over"]] = [3, ""]
    assert "softmax (as coded): 0.65 observed as 0.62; mean" in figures.calibration(rows).alt


def test_acceptance_takes_shares_from_rows_or_counts(all_rows):
    assert "as coded: 40% of 8 autoencoders pass" in figures.acceptance(all_rows).alt
    table = tidy.select(all_rows, table="autoencoders")
    counts = table.pivot_table(index=["at", "seed"], columns="metric", values="value")
    told, right = counts["discrimination as published"], counts["labelling as published"]
    share = ((told >= 0.4) & (told <= 0.6) & (right >= 0.9)).mean()
    assert f"as coded: {share:.0%} of 8" in figures.acceptance(table).alt


def test_acceptance_says_which_autoencoders_a_share_is_of(all_rows):
    """Pairs that failed are tried again: the dots are more than the first tries, which the shares are of."""
    rows = all_rows.copy()
    rows.loc[rows["table"] == "acceptance", "n"] = 4
    alt = figures.acceptance(rows).alt
    assert "as coded: 40% of the 4 autoencoders that were tried first pass; of all 8, discrimination from" in alt


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ambiguess", "AmbiGuess"),
        ("as published", "AmbiGuess as coded"),
        ("energy transposed", "energy gradient, transposed"),
        ("jacobian minus uniform", "Jacobian (default) minus even draw"),
        ("ambiguous/mixing", "two images mixed"),
        ("ambiguess-conv", "convolutional"),
        ("auroc density", "AUROC of low density, 40 components"),
        ("top-1", "top-1"),
        ("4/9", "4/9"),
    ],
)
def test_names_are_told_in_words(name, said):
    assert figures.words(name) == said


def learnt(*conditions):
    """What autoencoders rebuild, one line per condition: of two classes twice what those of all do."""
    found = [
        {"condition": condition, "metric": metric, "level": level, "value": share * (2 - place), "low": 0, "high": 1}
        for place, condition in enumerate(conditions)
        for metric, points in (
            ("rebuilt by step", ((0, -0.02), (10, 0.1), (20, 0.2))), ("rebuilt by size", ((900, 0.1), (5000, 0.3))),
        )
        for level, share in points
    ]  # fmt: skip
    return tidy.table(found, table="convergence", over="models", n=3)


@pytest.mark.whole
def test_convergence_tells_both_ends_of_both_lines():
    made = figures.convergence(learnt("two classes", "all classes"), caption="here")
    assert made == figures.convergence(learnt("two classes", "all classes").iloc[::-1], caption="here")
    assert made.alt.endswith(
        "two classes: 40% after 20 steps; 20% with 900 parameters, 60% with 5,000; all classes: 20% after 20 steps; "
        "10% with 900 parameters, 30% with 5,000."
    )
    assert "all classes:" not in figures.convergence(learnt("two classes")).alt
    with pytest.raises(MistrustError, match=r"no rows for the .* learn: run the chapter"):
        figures.convergence(tidy.empty())
