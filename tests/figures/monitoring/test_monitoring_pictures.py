"""Pictures of the chapter on safety monitors: what is told equals the rows."""

import re

import numpy as np
import pandas as pd
import pytest

from mistrust.errors import MistrustError
from mistrust.figures import monitoring as figures
from mistrust.figures.monitoring.difference import Ranking
from mistrust.figures.monitoring.oracle import COLOURS, LETTERS, ten_cases

DRAWN = ("misses", "thresholds", "impact", "difference", "faulty", "accuracy")
SMALLEST = 9  # points


@pytest.fixture
def drawn(once, all_rows):
    """What gives a figure of all rows by its name, drawn once for all tests."""
    return lambda name: once(getattr(figures, name), all_rows, caption="here")


@pytest.mark.whole
@pytest.mark.parametrize("name", DRAWN)
def test_equal_rows_give_equal_bytes_and_others_do_not(name, all_rows, drawn):
    draw, made = getattr(figures, name), drawn(name)
    assert made == draw(all_rows.iloc[::-1], caption="here")
    assert (made.caption, made.name) == ("here", f"fig-{name}")
    if name != "faulty":
        assert made.svg != draw(all_rows.assign(value=all_rows["value"] * 0.7)).svg


@pytest.mark.parametrize("name", [*DRAWN, "everyone", "explorer"])
def test_no_rows_are_said(name, all_rows):
    with pytest.raises(MistrustError, match=r"There are no rows for the .*: run the chapter, or leave the figure out"):
        getattr(figures, name)(all_rows.iloc[:0])


@pytest.mark.parametrize("name", ["shares", "reread", "reranked"])
def test_no_printed_rows_are_said(name, read_again, ranked_again):
    frame = ranked_again if name == "reranked" else read_again
    with pytest.raises(MistrustError, match=r"There are no rows for the .*printed"):
        getattr(figures, name)(frame.iloc[:0])


@pytest.mark.parametrize("name", [*DRAWN, "everyone", "explorer"])
def test_an_unknown_image_set_or_network_is_said_with_those_there_are(name, both_rows):
    draw = getattr(figures, name)
    with pytest.raises(MistrustError, match=r"no rows of 'mnist' for the .*; there are gtsrb-thin, cifar10-jpeg"):
        draw(both_rows, data="mnist")
    with pytest.raises(MistrustError, match=r"no rows of 'vgg' for the .*; there are farm-lenet"):
        draw(both_rows, network="vgg")
    assert "CIFAR-10, JPEG" in draw(both_rows, data="cifar10-jpeg").alt


@pytest.mark.parametrize("name", [*DRAWN, "framework", "oracle", "shares", "reread", "reranked"])
def test_figures_are_five_inches_wide_and_no_text_is_tiny(name, all_rows, read_again, ranked_again, once, drawn):
    given = {"framework": (), "oracle": (), "shares": (read_again,), "reread": (read_again,),
             "reranked": (ranked_again, all_rows)}  # fmt: skip
    svg = (once(getattr(figures, name), *given[name]) if name in given else drawn(name)).svg
    assert re.search(r'<svg[^>]* width="360pt"', svg)
    sizes = [100 * float(scale) for scale in re.findall(r"scale\((0\.\d+) -0", svg)]
    assert min(sizes) >= SMALLEST
    assert max(sizes) in (11, 12)  # heads of the narrow sheet are smaller


@pytest.mark.whole
def test_of_two_networks_the_papers_is_drawn_unless_another_is_named(all_rows, drawn):
    other = all_rows.assign(network="resnet20", value=all_rows["value"] - 0.2)
    both = pd.concat([other, all_rows])
    papers, others = drawn("misses").alt, figures.misses(other).alt
    assert figures.misses(both).alt == papers
    assert figures.misses(both, network="resnet20").alt == others
    assert others != papers


def test_the_framework_names_all_four_parts():
    made = figures.framework(caption="here")
    assert made == figures.framework(caption="here")
    for part in ("Faults F", "Activities A", "Readouts R", "Measures M", "oracle", "monitor"):
        assert part in made.alt


class TestOracle:
    def test_the_ten_cases_are_those_of_the_paper(self):
        # Ferreira and others (2021), section III.C, row by row; the facts' section 8.
        paper = [("FP", "FP"), ("FP", "TP"), ("TN", "TN"), ("TN", "FN"), ("TP", "FP"), ("TP", "TP"), ("FN", "TN"),
                 ("FN", "FN"), ("TP", "TP"), ("FN", "FN")]  # fmt: skip
        assert [(one.specific, one.overall) for one in ten_cases()] == paper
        assert [one.image for one in ten_cases()] == ["nominal"] * 4 + ["faulty"] * 4 + ["novel"] * 2

    def test_it_tells_each_case(self, once):
        alt = once(figures.oracle).alt
        assert "which differ in 4." in alt
        assert "faulty, alarm, class correct: TP, FP; faulty, alarm, class wrong: TP, TP" in alt
        assert alt.endswith("novel, no alarm, class any: FN, FN.")

    @pytest.mark.parametrize("name", COLOURS)
    def test_letters_stand_out(self, name):
        def light(colour):
            parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
            return float(
                np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)
            )

        # WCAG 2.2, success criterion 1.4.3.
        pair = sorted((light(COLOURS[name]), 1.0 if LETTERS[name] == "white" else 0.0))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5


class TestMisses:
    def test_it_tells_means_and_ends(self, drawn):
        alt = drawn("misses").alt
        assert "6 faults and novelties by 3 monitors on GTSRB, thinned" in alt
        # 0.9 - 0.05 j for j = 0 to 8, and 0.1 less for each next monitor.
        assert "ALOOC 70 on average, 50 (Gaussian noise) to 90 (BTSC)" in alt
        assert alt.endswith("ODIN 50 on average, 30 (Gaussian noise) to 70 (BTSC).")

    def test_auroc_is_another_scale(self, all_rows):
        made = figures.misses(all_rows, "auroc")
        assert "ALOOC 0.56 on average, 0.40 (BTSC) to 0.72 (Gaussian noise)" in made.alt

    def test_an_unknown_metric_is_named(self, all_rows):
        with pytest.raises(MistrustError, match=r"'fpr'. Did you mean 'fnr'"):
            figures.misses(all_rows, "fpr")

    def test_a_set_that_a_monitor_lacks_stays_blank(self, all_rows, drawn):
        lacks = (all_rows["method"] == "odin") & (all_rows["condition"] == "shift/fog") & (all_rows["level"] == 5)
        whole, less = drawn("misses").svg, figures.misses(all_rows[~lacks]).svg
        assert whole.count('id="patch_') - less.count('id="patch_') == 1


def test_thresholds_tell_all_three_of_each(all_rows, drawn):
    alt = drawn("thresholds").alt
    # False alarms 0.05 + 0.2 v + 0.02 k and misses 0.8 - 0.2 v - 0.05 k, and 0.01 a category less: five before all.
    assert "ALOOC right 5% and 75%, published rule 25% and 55%, as published 45% and 35%" in alt
    assert "ODIN right 9% and 65%" in alt
    some = all_rows[~all_rows["method"].str.endswith("/published rule")]
    told = figures.thresholds(some).alt
    assert "published rule" not in told
    assert "OOB right 7% and 70%, as published 47% and 30%" in told


class TestImpact:
    def test_shares_add_up_and_are_told(self, drawn):
        alt = drawn("impact").alt
        assert "All sets: alone 50% wrong and accepted" in alt
        told = re.search(r"ODIN (.*)\.$", alt)[1]
        shares = dict(re.findall(r"((?:correct|wrong) and (?:accepted|rejected)) (\d+)%", told))
        assert shares == {
            "correct and accepted": "35",
            "wrong and rejected": "30",
            "correct and rejected": "15",
            "wrong and accepted": "20",
        }

    def test_means_without_runs_do_as_well(self, all_rows, drawn):
        means = all_rows[all_rows["seed"].isna()]
        assert figures.impact(means).alt == drawn("impact").alt

    def test_plain_means_of_runs_come_before_means_on_another_scale(self, all_rows, drawn):
        off = all_rows.copy()
        off.loc[off["seed"].isna() & (off["table"] == "summary"), "value"] = 0.9
        assert figures.impact(off).alt == drawn("impact").alt

    def test_one_measure_is_not_enough(self, all_rows):
        with pytest.raises(MistrustError, match="no rows for the gains and losses"):
            figures.impact(all_rows[all_rows["metric"] != "safety-gain"])


class TestDifference:
    def test_it_tells_ranks_and_groups(self, drawn):
        alt = drawn("difference").alt
        assert "over GTSRB, thinned. Three monitors, 9 sets: mean ranks ODIN 1.20, OOB 2.00 and ALOOC 2.80" in alt
        assert "critical difference 0.90, Friedman p 0.02; not distinguished: ODIN and OOB; OOB and ALOOC." in alt
        assert "as published, 9 sets: mean ranks ODIN, as published 1.70" in alt

    def test_all_monitors_stand_alone(self, all_rows):
        made = figures.difference(all_rows, ["all monitors"])
        assert "All monitors, 9 sets: mean ranks MDSA 1.00, Max Softmax 2.00, ODIN 3.00" in made.alt
        assert "Friedman" not in made.alt  # these rows have no p

    def test_all_image_sets_together_come_first(self, both_rows):
        assert "over all benchmark sets." in figures.difference(both_rows).alt
        assert "over CIFAR-10, JPEG." in figures.difference(both_rows, data="cifar10-jpeg").alt

    def test_bars_near_each_other_stand_side_by_side(self):
        ranks = {str(k): float(rank) for k, rank in enumerate((1, 1.2, 2.4, 2.6, 4.8, 5.0))}
        one = Ranking("x", ranks, 1.0, 0.5, 10)
        assert one.tied() == [(0, 1), (2, 3), (4, 5)]
        assert one.lanes() == [0, 1, 0]
        assert Ranking("x", {"a": 1.0, "b": 2.0}, 0.5, 0.5, 10).lanes() == []

    def test_unknown_conditions_are_no_rows(self, all_rows):
        with pytest.raises(MistrustError, match="no rows for the mean ranks"):
            figures.difference(all_rows, ["four monitors"])


class TestReranked:
    def test_printed_ranks_are_those_of_the_facts(self, ranked_again):
        # Facts, section 10: as labelled and mended, all 79 and 71 sets.
        alt = figures.reranked(ranked_again).alt
        assert "Printed, as labelled, 79 sets: mean ranks ODIN 1.90, ALOOC 1.94 and OOB 2.16" in alt
        assert "Printed, mended, 71 sets: mean ranks ODIN 1.87, ALOOC 1.91 and OOB 2.22" in alt
        assert alt.count("not distinguished: ODIN, ALOOC and OOB.") == 2

    def test_on_cifar_10_two_differ(self, ranked_again, once):
        alt = once(figures.reranked, ranked_again, data="cifar10").alt
        assert "Printed, mended, 35 sets: mean ranks ALOOC 1.77, ODIN 1.84 and OOB 2.39" in alt
        assert alt.endswith("not distinguished: ALOOC and ODIN; ODIN and OOB.")

    @pytest.mark.whole
    def test_ours_stand_beneath_where_they_were_run(self, ranked_again, all_rows, once):
        alt = once(figures.reranked, ranked_again, all_rows).alt
        assert "Ours, right, 9 sets: mean ranks ODIN 1.20" in alt
        assert "Ours, as published, 9 sets" in alt
        alone = once(figures.reranked, ranked_again, data="cifar10")
        assert figures.reranked(ranked_again, all_rows, data="cifar10") == alone
        assert "Ours, right" in figures.reranked(ranked_again, all_rows, data="gtsrb").alt


class TestShares:
    def test_it_counts_as_the_facts_do(self, read_again, once):
        # Facts, section 9: 230 of 237 rows fit a known share with nominal images positive, 7 fit none, 6 of these have
        # no image that is out of distribution; 13 rows have another set's share.
        alt = once(figures.shares, read_again).alt
        assert "237 printed rows" in alt
        assert "217 rows fit the nominal share of their own set, 13 that of another, and 7 fit none; 6 of these" in alt
        assert "CIFAR-10 14.3%, GTSRB 19.6%" in alt

    @pytest.mark.whole
    def test_every_row_with_a_share_has_a_dot_and_no_other_but_those_without_a_faulty_image(self, read_again):
        def marks(frame):
            return len(re.findall(r'<use xlink:href="#m', figures.shares(frame).svg))

        some = read_again[read_again["place"].str.endswith(("R3", "R6"))]
        undefined = some[some["share"].isna()]
        fits, none = (undefined[(undefined["polarity"] == "none") == wanted] for wanted in (False, True))
        assert (len(fits), len(none)) == (2, 3)
        whole = marks(some)
        assert whole - marks(some.drop(some.index[some["share"].notna()][5])) == 1
        assert whole - marks(some.drop(fits.index[0])) == 0
        assert whole - marks(some.drop(none.index[0])) == 1


def test_rates_read_again_are_those_of_the_facts(read_again, once):
    # Facts, section 9: medians over variations; the printed false-positive rate is the miss rate.
    alt = once(figures.reread, read_again).alt
    assert "CIFAR-10 ODIN 17%, 81%, 17%." in alt
    assert "CIFAR-10 OOB 100%, 0%, 100%" in alt
    assert "GTSRB ALOOC 69%, 29%, 70%" in alt


class TestFaulty:
    def test_every_set_has_its_image(self, all_rows, drawn):
        made = drawn("faulty")
        assert made.svg.count("<image") == 10
        assert (
            "in 9 benchmark sets: BTSC, FGSM, Rotation, Pixel trap at severities 1 and 3, Fog at severities 2"
            in made.alt
        )
        assert made.svg != figures.faulty(all_rows, image=1).svg

    def test_an_image_that_is_not_there_is_said(self, all_rows):
        with pytest.raises(MistrustError, match=r"no rows for the pictures of benchmark sets, image 7"):
            figures.faulty(all_rows, image=7)

    def test_a_row_without_a_picture_is_said(self, all_rows):
        with pytest.raises(MistrustError, match="has no image in its note"):
            figures.faulty(all_rows.assign(note=""))


def test_accuracy_tells_both_severities_and_nominal_images(all_rows, drawn):
    alt = drawn("accuracy").alt
    assert "under 5 faults, the weaker severity first. On nominal images 95%." in alt
    assert "FGSM 80%, Pixel trap 75%, 70%, Fog 65%, 60%, Rotation 55% and Gaussian noise 50%, 45%." in alt
    assert "On nominal" not in figures.accuracy(all_rows[all_rows["table"] != "nominal"]).alt
