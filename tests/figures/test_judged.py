"""Agreement, growth, abstention and calibration: what is told equals the rows."""

import re

import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures import misclassification as figures


def one(rows, seed=None, **wanted):
    found = tidy.select(rows, **wanted)
    return found[found["seed"].isna() if seed is None else found["seed"] == seed].iloc[0]


class TestAgreement:
    @pytest.mark.whole
    def test_it_tells_every_rule_with_its_interval(self, all_rows):
        alt = figures.agreement(all_rows).alt
        top = one(all_rows, table="agreement", method="minimum", metric="top-1 share")
        null = one(all_rows, table="agreement", method="marginal", metric="total variation")
        assert f"minimum (paper) {top['value']:.0%} ({top['low']:.0%} to {top['high']:.0%})" in alt
        assert f"marginal (null) {null['value']:.2f} ({null['low']:.2f} to {null['high']:.2f})." in alt
        assert "Total variation, less is better" in alt

    @pytest.mark.whole
    def test_one_network_has_no_interval(self, few_rows):
        value = one(few_rows, 4, table="agreement", method="mean", metric="spearman")["value"]
        alt = figures.agreement(few_rows).alt
        assert f"mean {value:.2f}, mean softmax" in alt
        assert "nan" not in alt

    @pytest.mark.whole
    def test_measures_without_rows_have_no_panel(self, few_rows):
        alt = figures.agreement(few_rows[few_rows["metric"] != "spearman"]).alt
        assert "Spearman" not in alt
        assert "Total variation" in alt

    def test_pooled_levels_are_another_condition(self, few_rows):
        with pytest.raises(MistrustError, match="no rows for the agreement"):
            figures.agreement(few_rows, condition="perturbed/pooled")


class TestGrowth:
    @pytest.mark.whole
    def test_it_tells_both_ends(self, all_rows):
        first, last = (
            one(all_rows, table="growth", method="minimum", metric="median distance", at=f"n={n}")["value"]
            for n in (100, 5000)
        )
        said = f"Median distance by minimum (paper): {first:.3g} with 100 images, {last:.3g} with 5,000."
        assert said in figures.growth(all_rows).alt

    @pytest.mark.whole
    def test_counts_stand_by_size_whatever_their_order(self, few_rows):
        assert figures.growth(few_rows) == figures.growth(few_rows.iloc[::-1])

    def test_one_count_and_one_measure_are_enough(self, few_rows):
        some = few_rows[(few_rows["at"] == "n=300") & (few_rows["metric"] == "top-1 share")]
        assert "with 300 images" in figures.growth(some).alt


class TestAbstention:
    def test_it_tells_risks_and_the_area(self, all_rows):
        alt = figures.abstention(all_rows).alt
        risks = [
            one(all_rows, table="abstention", method="distance", at=f"coverage={c:g}")["value"]
            for c in (0.25, 0.5, 0.75, 1)
        ]
        area = one(all_rows, table="abstention", method="distance", metric="auroc")["value"]
        points = zip(risks, ("25%", "50%", "75%", "100%"), strict=True)
        assert (
            f"By distance: wrong {', '.join(f'{r:.1%} at {c}' for r, c in points)} answered; AUROC {area:.3f}." in alt
        )

    @pytest.mark.whole
    def test_other_coverages_and_no_area(self, few_rows):
        some = few_rows[few_rows["at"].isin(["coverage=0.3", "coverage=0.9"])]
        alt = figures.abstention(some).alt
        assert re.search(r"By distance: wrong [\d.]+% at 30%, [\d.]+% at 90% answered\.", alt)


class TestCalibration:
    @pytest.mark.whole
    def test_it_names_the_line_farthest_from_the_target(self, few_rows):
        far = (few_rows["table"] == "calibration") & (few_rows["condition"] == "perturbed/snow")
        far &= (few_rows["metric"] == "accuracy") & (few_rows["level"] == 2)
        target = one(few_rows, 4, table="calibration", metric="target", level=2)["value"]
        moved = few_rows.assign(value=few_rows["value"].where(~far, target - 0.3))
        after = figures.calibration(moved).alt.partition("Calibrated levels:")[2]
        assert "farthest from the target is Snow of network 4, by up to 30.0%" in after

    def test_it_tells_the_target_and_the_spread(self, all_rows):
        alt = figures.calibration(all_rows).alt
        target = [one(all_rows, table="calibration", metric="target", level=n)["value"] for n in (1, 10)]
        last = tidy.select(all_rows, table="accuracy", level=10)
        last = last[last["seed"].notna() & (last["condition"] != "perturbed/all")]["value"]
        assert f"The target falls from {target[0]:.1%} to {target[1]:.1%}." in alt
        assert f"The paper's levels: at level 10 the lines range from {last.min():.1%} to {last.max():.1%}" in alt

    @pytest.mark.whole
    def test_before_shows_only_the_networks_that_were_calibrated(self, make_rows):
        rows = make_rows("ab", ("fog",), (1, 2), (0, 1, 2))
        some = rows[(rows["table"] != "calibration") | (rows["seed"] == 1)]
        own = one(rows, 1, table="accuracy", condition="perturbed/fog", level=2)["value"]
        before = figures.calibration(some).alt
        assert f"The paper's levels: at level 2 the lines range from {own:.1%} to {own:.1%}" in before

    @pytest.mark.whole
    def test_neither_target_nor_accuracy_before_is_needed(self, few_rows):
        some = few_rows[(few_rows["table"] == "calibration") & (few_rows["metric"] == "accuracy")]
        alt = figures.calibration(some).alt
        assert "target" not in alt
        assert "The paper's levels" not in alt
