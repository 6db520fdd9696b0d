"""Pictures of the robustness chapter: what is told equals the rows, and nothing is drawn from nothing."""

import re

import numpy as np
import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError, NoRows
from mistrust.figures import robustness as figures

# Figure -> the table without which there is nothing to draw.
TABLES = {
    "story": "bubble", "breaking": "random", "survival": "survival", "noise": "random", "rates": "targeted",
    "matrices": "matrix", "variance": "variance", "layers": "layers", "layer_curves": "layers", "variants": "networks",
    "depth_and_size": "networks", "levels": "regions", "looks": "looks", "relations": "relations",
    "pair": "pair",
}  # fmt: skip
SHOWN = {**TABLES, "spokes": "bubble"}


def only(rows, name):
    """The rows that a figure reads, so that a test draws no more than it asks for."""
    read = {"variants": ["networks", "random"], "levels": ["regions", "edges"],
            "depth_and_size": ["networks", "random", "targeted", "relations"]}  # fmt: skip
    return tidy.select(rows, table=read.get(name, TABLES[name]))


@pytest.mark.parametrize(("name", "table"), SHOWN.items())
def test_missing_rows_are_a_clear_error(name, table, all_rows):
    gone = all_rows[~all_rows["table"].isin([table, "random"] if name == "variants" else [table])]
    with pytest.raises(MistrustError, match=r"no rows for the .*: run the chapter"):
        getattr(figures, name)(gone)


@pytest.mark.parametrize("name", SHOWN)
def test_an_unknown_image_set_is_said_with_those_there_are(name, all_rows):
    with pytest.raises(MistrustError, match=r"no rows of 'gtsrb' for the .*; there are fmnist"):
        getattr(figures, name)(all_rows, data="gtsrb")


@pytest.mark.parametrize("name", ["story", "rates", "matrices", "variance", "layer_curves", "levels", "looks", "pair"])
def test_an_unknown_network_is_said_with_those_there_are(name, all_rows):
    with pytest.raises(MistrustError, match=r"no rows of 'vgg16' for the .*; there are alexnet6-w16, .*vgg9-w16"):
        getattr(figures, name)(all_rows, ["vgg16"])


@pytest.mark.whole
@pytest.mark.parametrize("name", TABLES)
def test_one_network_is_enough_and_equal_rows_give_equal_bytes(name, few_rows):
    draw = getattr(figures, name)
    if name == "noise":
        few_rows = few_rows[few_rows["metric"] != "median"]
    made = draw(few_rows, caption="here")
    assert made == draw(few_rows.iloc[::-1], caption="here")
    assert made.caption == "here"
    assert made.name == f"fig-{name.replace('_', '-')}"
    assert "nan" not in made.alt
    assert "\n" not in made.alt


class TestStory:
    def test_failures_are_told_and_are_no_numbers(self, all_rows):
        alt = figures.story(all_rows).alt
        # 18 + 4 c of all classes but 2 (failed) and 4 (the source): 38.25 on average.
        assert "AlexNet-6 w16: 38 on average, nearest T-shirt/top at 18, farthest Ankle boot at 54, not reached" in alt
        assert alt.count("not reached Pullover") == 2
        assert alt.index("AlexNet") < alt.index("VGG") < alt.index("ResNet") < alt.index("Inception")

    def test_a_failure_that_has_a_distance_stays_a_failure(self, all_rows):
        rows = only(all_rows, "story")
        own = (rows["network"] == "vgg9-w16") & (rows["at"] == "Bag") & (rows["method"] == "adam")
        rows = rows.assign(value=rows["value"].mask(own & (rows["metric"] == "success"), 0.0))
        assert "not reached Bag and Pullover" in figures.story(rows, ["vgg9-w16"]).alt

    def test_five_bubbles_are_too_many(self, all_rows):
        rows = only(all_rows, "story")
        rows = tidy.check(pd.concat([rows, rows[rows["network"] == "vgg9-w16"].assign(network="vgg6-w16")]))
        with pytest.raises(MistrustError, match=r"5 bubbles over each other .* name 4 at most"):
            figures.story(rows, list(dict.fromkeys(rows["network"])))

    def test_a_bubble_without_a_source_is_refused(self, all_rows):
        rows = only(all_rows, "story")
        with pytest.raises(MistrustError, match=r"does not say its source: expected a row .* metric 'source'"):
            figures.story(rows[rows["metric"] != "source"])


class TestBreaking:
    @pytest.mark.whole
    def test_it_tells_intervals_censoring_and_the_papers_numbers(self, all_rows, printed):
        made = figures.breaking(only(all_rows, "breaking"), printed=printed)
        # The sixth network: 60 + 9 * 5, and 12 to both sides.
        assert "Inception-20 w8 105 (93 to 117), 5% unbroken" in made.alt
        assert "AlexNet 66.3, VGG16 79.8, ResNet152 136.4 and InceptionV3 196.6." in made.alt
        assert "fixed noise, clipped" in made.alt

    @pytest.mark.whole
    def test_the_papers_networks_with_their_own_weights_stand_on_the_papers_lines(self, all_rows, printed):
        mine = tidy.select(only(all_rows, "breaking"), network="vgg9-w16", condition="all", method="fixed-clipped")
        mine = mine.assign(network="vgg16", data="imagenet_sample", value=mine["value"] + 100, low=np.nan, high=np.nan)
        rows = tidy.check(pd.concat([only(all_rows, "breaking"), mine], ignore_index=True))
        made, without = (figures.breaking(one, printed=printed) for one in (rows, only(all_rows, "breaking")))
        assert "VGG16 178" in made.alt  # 78 and 100
        assert "Fashion-MNIST" in made.alt
        assert "VGG16 178" not in without.alt
        random = rows.assign(condition=rows["condition"].mask(rows["network"] == "vgg16", "random weights"))
        assert figures.breaking(random, printed=printed).alt == without.alt

    @pytest.mark.whole
    def test_variants_of_noise_and_of_training_stay_apart(self, all_rows):
        rows = only(all_rows, "breaking")
        fresh = figures.breaking(rows, method="fresh-clipped").alt
        assert "VGG-9 w16 58 (46 to 70)" in fresh  # 0.75 * 78
        assert "The paper" not in fresh
        half = figures.breaking(rows[rows["network"] != "resnet14-w8"], condition="half").alt
        assert "AlexNet-6 w16 45 (37 to 53)" in half
        assert "AlexNet-6 w32" not in half


@pytest.mark.whole
def test_survival_tells_where_half_are_left(all_rows):
    rows = only(all_rows, "survival")
    rows = rows[rows["network"].isin(["alexnet6-w16", "inception20-w8"]) & rows["seed"].isna()]
    assert "changed at: AlexNet-6 w16 64 and Inception-20 w8 128." in figures.survival(rows).alt
    short = figures.survival(rows[rows["level"] <= 64]).alt
    assert "AlexNet-6 w16 64 and Inception-20 w8 more than 64." in short


@pytest.mark.whole
def test_noise_tells_every_variant_of_those_that_have_several(all_rows):
    alt = figures.noise(only(all_rows, "noise")).alt
    assert "VGG-9 w16: fixed noise, clipped 78 (66 to 90), fixed noise, not clipped 90 (78 to 102), fresh" in alt
    assert "AlexNet-6 w32" not in alt


@pytest.mark.whole
def test_rates_tell_that_distance_is_rate_times_steps(all_rows):
    rows = only(all_rows, "rates")
    alt = figures.rates(rows, ["alexnet6-w16"]).alt
    assert "0.1 to 25 grey levels" in alt
    assert "L-infinity distance 86 to 106, L2 distance 900 to 1287, steps 862 to 4.3" in alt
    assert "distance over (rate times steps) between 1.00 and 1.00" in alt


class TestMatrices:
    @pytest.mark.whole
    def test_failures_are_counted_and_not_averaged(self, all_rows):
        rows = only(all_rows, "matrices")
        held = tidy.select(rows, network="alexnet6-w16", condition="all", metric="linf")
        mean = held[held["seed"].isna()]["value"]
        least = held[held["seed"].isna()].sort_values("value").iloc[0]["at"].replace(">", " to ")
        made = figures.matrices(rows[rows["condition"] == "all"], ["alexnet6-w16"])
        # Of 90 cells one was never reached, and 9 by four images of five: 2.8 of 90.
        assert f"AlexNet-6 w16: mean {mean.mean():.0f}, from {mean.min():.0f} ({least})" in made.alt
        assert "3% of targets not reached" in made.alt

    @pytest.mark.whole
    def test_a_distance_of_a_cell_that_was_never_reached_is_left_out(self, all_rows):
        rows = only(all_rows, "matrices")
        rows = rows[rows["at"].str.fullmatch("(T-shirt/top|Trouser|Bag)>(T-shirt/top|Trouser|Bag)")]
        false = rows[(rows["at"] == "Trouser>T-shirt/top") & (rows["metric"] == "success")]
        false = false[false["network"] == "alexnet6-w16"].assign(metric="linf", value=9999.0)
        made = figures.matrices(tidy.check(pd.concat([rows, false])), ["alexnet6-w16"])
        assert made.alt == figures.matrices(rows, ["alexnet6-w16"]).alt

    @pytest.mark.whole
    def test_a_network_of_which_only_success_is_known_has_no_empty_panel(self, all_rows):
        rows = only(all_rows, "matrices")
        rows = rows[rows["condition"] == "all"]
        success = rows[(rows["metric"] == "success") & (rows["network"] == "alexnet6-w16")].assign(network="mlm-cnn")
        assert len(success)
        assert figures.matrices(tidy.check(pd.concat([rows, success]))).alt == figures.matrices(rows).alt

    @pytest.mark.whole
    def test_variants_have_names_of_their_own(self, few_rows):
        made = figures.matrices(only(few_rows, "matrices"), condition="half")
        assert made.name == "fig-matrices-half"
        assert "trained on half of the samples" in made.alt


def test_variance_tells_every_component(all_rows):
    alt = figures.variance(only(all_rows, "variance"), ["vgg9-w16"]).alt
    assert "VGG-9 w16: source 25%, target 30%, source x target 15%, image 12%, seed 3% and rest 15%." in alt


@pytest.mark.whole
def test_cells_over_seeds_are_a_bar_of_their_own(all_rows):
    rows = only(all_rows, "variance")
    cells = rows[rows["seed"] == 0].assign(method="cells", seed=float("nan"))
    both = pd.concat([rows, cells])
    assert "over training seeds, on " in figures.variance(both, method="cells").alt
    assert figures.variance(both).alt == figures.variance(rows).alt
    with pytest.raises(MistrustError, match="shares of variance"):
        figures.variance(rows, method="cells")


@pytest.mark.whole
def test_layers_tell_what_was_not_reached(all_rows):
    made = figures.layers(only(all_rows, "layers"), "vgg9-w16")
    assert "Noise element by element: input median 1.50, new label 0.45, 10% never broken;" in made.alt
    assert "conv1 median not reached, new label 0.46, 80% never broken;" in made.alt
    assert "channel by channel: input median 2.50" in made.alt
    assert "conv2 median 3.10" in made.alt


@pytest.mark.whole
def test_a_median_that_one_network_lacks_is_no_mean_of_the_others(all_rows):
    rows = only(all_rows, "layers")
    lost = (rows["metric"] == "median") & (rows["at"] == "pool1") & (rows["method"] == "channel") & (rows["seed"] == 1)
    alt = figures.layers(rows[~lost], "vgg9-w16").alt
    assert "pool1 median not reached, new label 0.47" in alt.partition("channel by channel")[2]
    assert "conv2 median 3.10" in alt


@pytest.mark.whole
def test_layer_curves_tell_where_each_goes_for_each_family(all_rows):
    rows = only(all_rows, "layer_curves")
    alt = figures.layer_curves(rows).alt
    assert "layers of 4 networks on Fashion-MNIST" in alt
    # Conv layers are broken in one of five by elements: no median; by channels medians go from 2.50 to 3.30.
    assert "VGG-9 w16, element by element: median σ 1.50 to 2.30, new label's probability 0.45 to 0.49, never" in alt
    assert "VGG-9 w16, channel by channel: median σ 2.50 to 3.30" in alt
    assert alt.index("AlexNet-6") < alt.index("VGG-9") < alt.index("ResNet-14") < alt.index("Inception-14")
    lost = (rows["metric"] == "median") & (rows["at"] == "logits") & (rows["method"] == "channel") & (rows["seed"] == 1)
    assert "VGG-9 w16, channel by channel: median σ 2.50 to 3.10" in figures.layer_curves(rows[~lost], ["vgg9-w16"]).alt


class TestPair:
    @pytest.mark.whole
    def test_it_tells_what_is_answered_and_at_which_noise(self, all_rows):
        alt = figures.pair(only(all_rows, "pair")).alt
        assert "VGG-9 w16: T-shirt/top, with σ 61 predicted as Trouser." in alt
        assert "each of 4 networks" in alt

    @pytest.mark.whole
    def test_a_network_without_its_noise_is_left_out(self, all_rows):
        rows = only(all_rows, "pair")
        lost = (rows["network"] == "vgg9-w16") & (rows["metric"] == "sigma")
        assert "VGG-9" not in figures.pair(rows[~lost]).alt

    def test_a_row_without_a_picture_is_refused(self, all_rows):
        with pytest.raises(MistrustError, match="has no image in its note"):
            figures.pair(only(all_rows, "pair").assign(note=""))


@pytest.mark.whole
def test_variants_tell_both_tables(all_rows, printed):
    rows = only(all_rows, "variants")
    alt = figures.variants(rows, printed=printed).alt
    row = tidy.select(rows, table="networks", network="vgg9-w16", condition="half")
    value = row[row["seed"].isna()]["value"].iloc[0]
    assert f"half of the samples {value:.1%} ({value - 0.01:.1%} to {value + 0.01:.1%})" in alt
    assert "AlexNet-6 w16 all 60 (48 to 72), half of the samples 45 (37 to 53) and a fraction" in alt
    assert "AlexNet-6 w32" not in alt  # trained in one way alone


@pytest.mark.whole
def test_all_on_images_of_the_fractions_classes_stands_beside_the_fraction(all_rows):
    rows = only(all_rows, "variants")
    own = rows[rows["condition"].eq("all") & rows["network"].isin(["alexnet6-w16", "alexnet6-w32"])]
    here = own.assign(table="known", value=own["value"] / 2, low=own["low"] / 2, high=own["high"] / 2)
    alt = figures.variants(pd.concat([rows, here])).alt
    assert "half of the samples 45 (37 to 53), all, on images of these classes 30 (24 to 36) and a fraction" in alt
    assert "AlexNet-6 w32" not in alt  # trained in one way alone, all the same


def test_segments_that_were_tested_are_told_in_words():
    shares = [{"at": digit, "metric": "grid wrong at 0", "value": 0.0} for digit in "38"]
    counts = [{"at": digit, "metric": "checked", "value": 700} for digit in "38"]
    found = tidy.table([*shares, *counts], table="edges", data="fmnist", network="mlm-cnn", seed=0)
    assert figures.looked_at(found, "checked") == "1,400"
    assert figures.looked_at(found, "grid wrong at 0") == "none"
    assert figures.looked_at(found, "bent") == figures.looked_at(found[:0], "checked") == "not run"


class TestDepthAndSize:
    @pytest.mark.whole
    def test_relations_come_from_rows_and_else_from_the_points(self, all_rows):
        alt = figures.depth_and_size(only(all_rows, "depth_and_size")).alt
        assert "depth with accuracy 0.70; within families 0.50 (0.15 to 0.85)" in alt
        assert "6 networks" in alt
        # Sigma and distance rise with a network's number alike, so their relation with depth is the same: rows of
        # learning rates and of other variants of training, which would spoil it, do not come in.
        rows = only(all_rows, "depth_and_size")
        bare = figures.depth_and_size(rows[rows["table"] != "relations"]).alt
        depth = tidy.select(rows, table="networks", metric="depth", condition="all")
        depth = depth[depth["seed"].isna()]["value"].to_numpy()
        rho = np.corrcoef(pd.Series(depth).rank(), np.arange(6))[0, 1]  # of ranks: Spearman's
        assert f"depth with breaking noise {rho:.2f}" in bare
        assert f"depth with targeted distance {rho:.2f}" in bare


@pytest.mark.whole
def test_levels_tell_bubbles_and_what_the_grid_had_wrong(all_rows):
    rows = only(all_rows, "levels")
    alt = figures.levels(rows, ["resnet14-w8"]).alt
    assert (
        "at level 0 1.0 on average over 10 classes, at most 4.1 at level 9; of 580 segments tested exactly, the" in alt
    )
    assert "the grid got 4 wrong" in alt
    assert "upper bound" in alt
    assert "grid" not in figures.levels(rows[rows["table"] != "edges"], ["resnet14-w8"]).alt


@pytest.mark.whole
def test_looks_tell_the_median_and_the_range_over_networks(all_rows):
    alt = figures.looks(only(all_rows, "looks")).alt
    assert "(median of 6 networks, from 0.25 to 0.30); margin / gradient" in alt
    one = figures.looks(only(all_rows, "looks"), ["alexnet6-w16"]).alt
    assert "margin 0.30 (0.22 to 0.38)" in one


@pytest.mark.whole
def test_relations_tell_intervals_in_order(all_rows):
    alt = figures.relations(only(all_rows, "relations")).alt
    assert "between 6 networks" in alt
    assert "depth with breaking noise, accuracy fixed 0.46, within families 0.26 (-0.09 to 0.61)" in alt
    assert re.search(r"Within families \d+ of \d+ intervals leave 0 out\. ", alt)
    assert alt.index("depth with accuracy") < alt.index("number of parameters with") < alt.index("number of bubbles")
    one = figures.relations(only(all_rows, "relations"), ["bubbles ~ random"]).alt
    assert one.endswith("within families, with intervals. number of bubbles with breaking noise -0.50.")


@pytest.mark.whole
def test_worlds_tell_the_exact_answers():
    made = figures.worlds()
    assert "Half plane: the straight path falls to margin 0.5, the widest to 0.5." in made.alt
    assert "Two disks: the straight path falls to margin -1, the widest to -1." in made.alt
    # 2 cos(pi / 12) - 1 = 0.93 for six chords of the half circle.
    assert "the straight path falls to margin -1, the widest to 1; the path drawn around the hole, in 6 p" in made.alt
    assert "pieces, to 0.93" in made.alt
    assert "pieces, to 1.00" in made.alt
    assert "born at 1, 1 and 0.5, joined at 0.5 and -1." in made.alt


class TestSegment:
    @pytest.mark.whole
    def test_it_tells_what_the_grid_missed(self):
        # Between 0.495 and 0.505 the margin dips below 0: a grid of 101 points has 0.5 only as its neighbours' value.
        one = figures.Along("Two threes", [0, 0.493, 0.4951, 0.497, 1], [4, 2, -0.5, 2, 3], np.full(101, 2.0))
        made = figures.segment([one, figures.Along("Two ones", [0, 1], [1, 2])])
        assert "Two threes: 3 breakpoints, smallest margin -0.50 at t = 0.50, on a grid of 101 points 2.00." in made.alt
        assert "Two ones: 0 breakpoints, smallest margin 1.00 at t = 0.00." in made.alt

    @pytest.mark.parametrize(
        ("t", "margins", "grid", "said"),
        [
            ([0, 0.6, 0.5, 1], [1, 1, 1, 1], None, "ascending from 0 to 1"),
            ([0.1, 1], [1, 1], None, "ascending from 0 to 1"),
            ([0, 1], [1, 1, 1], None, r"margins of shape \(3,\)"),
            ([0, 1], [1, 1], [1], r"grid of segment 'one' has shape \(1,\)"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, t, margins, grid, said):
        with pytest.raises(MistrustError, match=said):
            figures.segment([figures.Along("one", t, margins, grid)])

    def test_no_segment_is_refused(self):
        with pytest.raises(MistrustError, match="no rows for the margin along a segment"):
            figures.segment([])


def test_of_two_classes_there_is_a_story_and_no_plot_of_spokes():
    found = [{"at": "china", "metric": "source", "value": 3}, {"at": "flower", "metric": "linf", "value": 20}]
    two = tidy.table(found, table="bubble", data="photos", network="vgg9-w16", method="adam")
    assert "flower" in figures.story(two).alt
    with pytest.raises(NoRows, match="Of 2 classes there is one direction to go"):
        figures.spokes(two)
