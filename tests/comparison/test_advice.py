"""The guide and the sentences: they follow from made-up rows whose answers are plain, and change with them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import logit

from mistrust import paths
from mistrust import rows as tidy
from mistrust.comparison.advice import BAD, WRONG, advise
from mistrust.comparison.experiment.over_models import together
from mistrust.comparison.paired import by_chance, worse
from mistrust.comparison.scorers import SCORERS as TABLE
from mistrust.errors import MistrustError
from mistrust.evaluation import between_models
from mistrust.figures import comparison as figures
from mistrust.figures.comparison import asked, told
from mistrust.figures.comparison.agreement import pairs
from mistrust.figures.comparison.cost import seconds
from mistrust.figures.comparison.parts import number, tidy_bytes
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.profiles import profile
from mistrust.publishing.results import accepted

# scorer: (AUROC of bad inputs by trouble, AUROC of wrong predictions, passes, bytes)
SCORERS = {
    "max_softmax": ((0.80, 0.55), 0.90, 0, 0),
    "mdsa": ((0.95, 0.60), 0.70, 0, 5000),
    "boundary_distance": ((0.97, 0.52), 0.92, 80, 0),
    "targeted_distance": ((0.70, 0.50), 0.60, 90, 0),
    "distance_residual": ((0.60, 0.50), 0.50, 80, 16),
}
HALF = {"bad": 0.03, "wrong": 0.03}


def made(scorers=SCORERS, half=HALF, data="mnist5k"):
    """Rows of one network, whose means have no seed."""
    found = []

    def add(table, metric, value, low=float("nan"), high=float("nan"), **more):
        for seed in (0.0, float("nan")):
            found.append({"table": table, "metric": metric, "value": value, "low": low, "high": high, "n": 200,
                          "data": data, "network": "n", "seed": seed, **more})  # fmt: skip

    for name, (bad, wrong, passes, size) in scorers.items():
        for trouble, value in zip(("shift", "noise"), bad, strict=True):
            h = half["bad"]
            add("detection", "auroc", value, value - h, min(1, value + h), method=name, condition=trouble)
            add("detection", "alarms", value / 2, value / 2 - 0.1, value / 2 + 0.1, method=name, condition=trouble)
        add("detection", "alarms", 0.04, 0.02, 0.07, method=name, condition="nominal")
        for trouble in ("shift", "together"):
            add("wrong", "auroc", wrong, wrong - half["wrong"], wrong + half["wrong"], method=name, condition=trouble)
            add("wrong", "false alarms", 0.1, 0.06, 0.15, method=name, condition=trouble)
            add("wrong", "found", wrong / 2, wrong / 2 - 0.1, wrong / 2 + 0.1, method=name, condition=trouble)
        add("cost", "passes", passes, method=name, condition="nominal")
        add("cost", "bytes", size, method=name)
    names = list(scorers)
    for condition in ("nominal", "every kind"):
        for i, first in enumerate(names):
            for k, second in enumerate(names[i + 1 :]):
                value = 0.9 - 0.2 * (i + k)
                add("agreement", "rank correlation", value, method=first, at=f"beside={second}", condition=condition)
    for name, value in (("mlm", 0.2), ("mean softmax", 0.5), ("targeted distance", -0.1)):
        add("cells", "rank correlation", value, method=name, at="beside=true confusion")
        add("cells", "top", 0.3 + value, method=name, at="beside=true confusion")
    add("cells", "rank correlation", 0.25, method="mlm", at="beside=targeted distance")
    further = {"table": "members", "metric": "accuracy", "value": 0.9, "data": data, "network": "n", "seed": 1.0}
    found.append(further)  # a network of the ensemble is none of those that are compared
    return tidy.table(found, chapter="comparison")


@pytest.fixture(scope="module")
def rows():
    return made()


def of(found, question, trouble):
    return next(one for one in found if one.question == question and one.trouble == trouble)


def test_best_is_the_largest_and_frugal_the_cheapest_that_reaches_it(rows):
    shift = of(advise(rows, "mnist5k"), BAD, "shift")
    assert (shift.best.scorer, shift.best.passes) == ("boundary_distance", 80)
    assert shift.frugal.scorer == "mdsa"  # 0.95 + 0.03 reaches 0.97; Max Softmax with 0.83 does not
    assert shift.told
    together = of(advise(rows, "mnist5k"), WRONG, "together")
    assert (together.best.scorer, together.frugal.scorer) == ("boundary_distance", "max_softmax")


def test_what_may_be_chance_is_not_as_good_as_the_best():
    """Three networks that scatter: an interval from .37 to 1 reaches every best, and says nothing."""
    rows = made()
    wide = (rows["table"] == "detection") & (rows["metric"] == "auroc") & (rows["method"] == "max_softmax")
    rows.loc[wide, ["value", "low", "high"]] = (0.7, 0.37, 1.0)
    assert of(advise(rows, "mnist5k"), BAD, "shift").frugal.scorer == "mdsa"


def networks(**aurocs):
    """Rows of the trouble "shift" by scorer: AUROC of three networks each, and their means."""
    same = {"table": "detection", "metric": "auroc", "condition": "shift", "data": "mnist5k", "network": "n"}
    found = [
        {**same, "method": name, "seed": float(seed), "value": value}
        for name, values in aurocs.items()
        for seed, value in enumerate(values)
    ]
    return together(tidy.table(found), None)


def test_nothing_is_offered_for_less_that_takes_longer():
    """In whole multiples 3.49 is 3 and 2.51 is 3 as well: what keeps less then came first, at any price."""
    rows = networks(mdsa=(0.80, 0.81, 0.82), knn=(0.79, 0.82, 0.81), dsa=(0.60, 0.61, 0.62))
    benchmark = times(mdsa=2.51, knn=3.49, dsa=1.0)
    found = of(advise(rows, "mnist5k", benchmark), BAD, "shift")
    assert {"mdsa", "knn"} <= {*found.as_good}
    assert (found.best.scorer, found.frugal.scorer) == ("mdsa", "mdsa")


def test_chances_are_those_of_the_paired_t_test_and_are_corrected_by_holm():
    best, near, far = (0.80, 0.82, 0.84), (0.79, 0.80, 0.83), (0.60, 0.62, 0.641)
    for other in (near, far):
        on = [stats.ttest_rel(best, other).pvalue, stats.ttest_rel(logit(best), logit(other)).pvalue]
        assert by_chance(best, other) == pytest.approx(min(on))
        assert worse(best, other) == (min(on) < 0.05)
    assert by_chance(near, best) == 1.0
    found = of(advise(networks(mdsa=best, knn=near, dsa=far), "mnist5k"), BAD, "shift")
    p = sorted([by_chance(best, near), by_chance(best, far)])
    expected = 0 if 2 * p[0] >= 0.05 else 1 if p[1] >= 0.05 else 2
    assert (found.pairs, found.surely, found.behind) == (2, expected, ("dsa", "knn") if p[1] < 0.05 else ("dsa",))
    text = told.compared(networks(mdsa=best, knn=near, dsa=far))
    assert text.startswith(f"Of 2 comparisons with the best of a line, {len(found.behind)} show by themselves")
    assert told.compared(made()) == "With a single network there are no such differences."


def test_what_new_and_invalid_images_are_is_told_by_image_set(rows):
    """Of `shift` and `noise` alone there is nothing to tell."""
    assert asked.kinds(rows) == "There are none of these here."
    strange = rows[rows["condition"] == "shift"]
    both = pd.concat([strange.assign(condition=name, data="fmnist") for name in ("invalid", "novelty")])
    text = "Invalid inputs are images of MNIST, novelty inputs are patches of two photographs."
    assert asked.kinds(both) == text


def test_who_is_not_asked_whether_a_prediction_is_wrong_is_named(rows):
    assert asked.thin(rows) == ""
    lacking = (rows["table"] == "wrong") & (rows["condition"] == "shift") & (rows["method"] == "mdsa")
    assert asked.thin(rows[~lacking]) == (
        "Not asked, since they saw fewer than 10 images that are answered correctly, or fewer than 10 that are not: "
        "shift (MDSA)."
    )


def test_a_pair_without_a_correlation_is_blank(rows):
    pair = (rows["table"] == "agreement") & (rows["method"] == "max_softmax") & (rows["at"] == "beside=mdsa")
    names, matrix = pairs(rows[~pair], "nominal")
    one, other = names.index("max_softmax"), names.index("mdsa")
    assert np.isnan(matrix[one, other])
    assert np.isfinite(matrix).sum() == matrix.size - 2


def test_networks_that_differ_do_not_hide_that_one_scorer_is_worse_in_each():
    """Marginal intervals overlap by far; in every network Max Softmax is behind by nearly as much."""
    rows = networks(mdsa=(0.75, 0.80, 0.85), max_softmax=(0.72, 0.773, 0.824), energy=(0.70, 0.82, 0.83))
    mean = rows[rows["seed"].isna()].set_index("method")
    assert mean["high"]["max_softmax"] > mean["value"]["mdsa"]
    shift = of(advise(rows, "mnist5k", times(mdsa=2.0, max_softmax=1.0, energy=1.0)), BAD, "shift")
    assert (shift.best.scorer, shift.frugal.scorer) == ("mdsa", "energy")


def test_a_best_one_close_to_1_does_not_hide_that_another_is_behind_in_each():
    """Differences of logits from 3 to 8, of AUROCs from .042 to .049: the first scatter by what happens close to 1."""
    best, behind, level = (0.99998, 0.9978, 0.99987), (0.958, 0.949, 0.956), (0.9, 0.99, 0.98)
    assert between_models(logit(best) - logit(behind)).low < 0
    assert worse(best, behind)
    assert not worse(best, level)
    shift = of(advise(networks(odin=best, energy=behind, mdsa=level), "mnist5k", times(odin=3, energy=1, mdsa=2)), BAD,
               "shift")  # fmt: skip
    assert (shift.best.scorer, shift.frugal.scorer) == ("odin", "mdsa")


def test_close_to_1_logits_tell_what_aurocs_do_not():
    """The odds of an error are three times as large in every network; they are small in two, so AUROCs scatter."""
    best, behind = (0.999, 0.99, 0.8), (0.997, 0.97, 0.571)
    assert between_models(np.subtract(best, behind)).low < 0
    assert worse(best, behind)


def test_a_scorer_that_is_right_of_all_is_compared_without_logits():
    assert worse((1.0, 1.0, 1.0), (0.9, 0.91, 0.92))
    assert not worse((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    assert not worse((1.0, 1.0, 1.0), (0.5, 1.0, 0.9))


@pytest.mark.whole
@pytest.mark.parametrize(
    ("data", "trouble", "question", "scorer", "as_good"),
    [
        ("fmnist", "anomaly", BAD, "outside_the_box", False),
        ("fmnist", "novelty", BAD, "softmax_entropy", False),
        ("fmnist", "novelty", BAD, "energy", False),
        ("fmnist", "ambiguous", BAD, "max_softmax", True),
        ("fmnist", "adversarial", BAD, "mlm_distance", True),
        ("cifar10-jpeg", "corrupted", BAD, "max_softmax", True),
        ("fmnist", "noise", BAD, "energy", False),
    ],
)
def test_the_full_runs_examples(data, trouble, question, scorer, as_good):
    """Lines of the committed rows that two marginal intervals told wrongly, worked by hand from the three networks."""
    found = accepted("comparison")
    best = of(advise(found, data), question, trouble).best.scorer
    table = {BAD: "detection", WRONG: "wrong"}[question]
    one = tidy.select(found, data=data, table=table, condition=trouble, metric="auroc")
    values = one[one["seed"].notna()].pivot(index="method", columns="seed", values="value")
    assert worse(values.loc[best], values.loc[scorer]) != as_good


def times(data="mnist5k", **ratios):
    found = [{"method": name, "value": value, "metric": "ratio"} for name, value in ratios.items()]
    return tidy.table(found, table="comparison", data=data, level=1500, n=500)


@pytest.mark.parametrize(("data", "frugal"), [("fmnist", "mdsa"), ("mnist5k", "knn"), ("digits", "knn")])
def test_an_image_sets_own_times_count_and_those_of_mnist5k_where_there_are_none(data, frugal):
    """KNN compares with every training image: with many it is no longer the cheaper one."""
    rows = networks(odin=(0.80, 0.81, 0.82), knn=(0.79, 0.82, 0.81), mdsa=(0.80, 0.805, 0.82)).assign(data=data)
    few, many = times(odin=5, knn=1, mdsa=2), times("fmnist", odin=5, knn=4, mdsa=2)
    assert of(advise(rows, data, pd.concat([many, few])), BAD, "shift").frugal.scorer == frugal


@pytest.mark.whole
def test_time_decides_where_it_was_measured_in_whole_multiples():
    """KNN needs no further pass of the network, and five times as long."""
    scorers = {
        "max_softmax": ((0.80, 0.55), 0.9, 0, 0), "knn": ((0.96, 0.6), 0.7, 0, 10), "odin": ((0.97, 0.6), 0.7, 2, 0),
        "mdsa": ((0.95, 0.6), 0.7, 0, 5_000_000),
    }  # fmt: skip
    rows = made(scorers)
    assert of(advise(rows, "mnist5k"), BAD, "shift").frugal.scorer == "knn"
    measured = times(max_softmax=1.0, knn=5.4, odin=5.7, mdsa=1.7)
    assert of(advise(rows, "mnist5k", measured), BAD, "shift").frugal.scorer == "mdsa"
    near = times(max_softmax=1.0, knn=1.9, odin=5.7, mdsa=1.7)  # both are twice as long: fewer megabytes win
    assert of(advise(rows, "mnist5k", near), BAD, "shift").frugal.scorer == "knn"
    lacking = times(max_softmax=1.0, odin=5.7, mdsa=1.7)  # one was not measured: passes decide among all
    assert of(advise(rows, "mnist5k", lacking), BAD, "shift").frugal.scorer == "knn"
    assert told.frugal(rows, measured).startswith(
        "In 2 of 4 lines of the guide, a scorer that takes less than 1.5 times as long as Max Softmax is the best or"
    )
    line = figures.guided(rows, benchmark=measured).iloc[0]
    assert (line["time"], line["its time"]) == ("5.7 ×", "1.7 ×")
    assert figures.guide(rows, benchmark=measured).alt != figures.guide(rows).alt


def test_narrow_intervals_leave_the_best_without_an_equal():
    shift = of(advise(made(half={"bad": 0.01, "wrong": 0.01}), "mnist5k"), BAD, "shift")
    assert shift.frugal == shift.best


@pytest.mark.parametrize(
    ("auroc", "kept", "scorer"),
    [
        (0.94, 0, "mdsa"),  # 800,000 bytes count as none: the larger AUROC wins
        (0.96, 0, "max_softmax"),
        (0.96, 900_000, "max_softmax"),
        (0.96, 1_000_000, "mdsa"),
        (0.96, 90_000_000, "mdsa"),
    ],
)
def test_of_equal_passes_fewer_megabytes_win_then_the_larger_auroc(auroc, kept, scorer):
    same = {**SCORERS, "max_softmax": ((auroc, 0.55), 0.9, 0, kept), "mdsa": ((0.95, 0.6), 0.7, 0, 800_000)}
    assert of(advise(made(same), "mnist5k"), BAD, "shift").frugal.scorer == scorer


@pytest.mark.whole
def test_the_full_run_tells_nearest_attacks_for_less_by_what_keeps_800_bytes():
    """Max Softmax keeps none, takes as long and is behind the distance to the centroid in all three networks."""
    found, benchmark = accepted("comparison"), tidy.read(paths.results() / "benchmarks" / "comparison.csv")
    nearest = of(advise(found, "fmnist", benchmark), BAD, "adversarial").frugal
    assert (nearest.scorer, nearest.bytes, nearest.multiple) == ("mlm_distance", 800, 1)


def test_nobody_tells_what_all_intervals_leave_to_chance():
    found = advise(made(half={"bad": 0.12, "wrong": 0.01}), "mnist5k")
    assert not of(found, BAD, "noise").told
    assert of(found, BAD, "shift").told
    assert "The best for noise is not shown to beat chance" in told.best(made(half={"bad": 0.12, "wrong": 0.01}))


@pytest.mark.whole
def test_sentences_follow_the_rows(rows):
    assert told.best(rows) == (
        "Of 2 kinds, the best scorer is Distance to the boundary (DeepFool) for 1 and MDSA for 1."
    )
    assert told.questions(rows) == (
        "Both questions can be asked of 1 kind. The best scorer is not the same for both in none of them. The best for "
        "bad inputs is shown to be worse than the best for wrong predictions in none. A scorer that is shown to be "
        "worse for neither question exists in 1. Over all of them together, "
        "Distance to the boundary (DeepFool) detects wrong predictions best, with an AUROC of 0.92 (.89–.95)."
    )
    assert told.frugal(rows).startswith("In 4 of 4 lines of the guide, a scorer that needs no further pass")
    assert told.frugal(rows).endswith("is best in 3, and the cheapest that is not shown to be worse in 0.")
    assert told.alarms(rows) == (
        "False alarms, network by network: 4% of 200 nominal images for scorers that see all images and 4% of 200 "
        "nominal images for scorers that search. None of these images set the threshold."
    )
    assert told.cells(rows).startswith(
        "The rank correlations with the true confusion are: Mean softmax 0.50, MLM, smal"
    )
    assert "The first of these finds the most frequent mistake of 80% of the classes" in told.cells(rows)
    assert asked.limits(rows) == "1 network (n), 200 images per kind, 200 for scorers that search."
    turned = {name: (bad, 1 - wrong, *rest) for name, (bad, wrong, *rest) in SCORERS.items()}
    assert "not the same for both in 1 of them. The best for bad inputs is shown to be worse" in told.questions(
        made(turned)
    )


def test_ensembles_share_all_but_one_network():
    scorers = {**SCORERS, "ensemble_mean_softmax": ((0.9, 0.6), 0.9, 2, 10)}
    assert asked.ensembles(made(SCORERS)) == "No ensemble was run."
    assert (
        asked.ensembles(made(scorers))
        == "An ensemble has 3 networks; there is one ensemble, and its intervals are over images."
    )
    second = made(scorers)
    second = second[second["seed"].notna()].assign(seed=1.0)
    text = asked.ensembles(np_concat(made(scorers), second))
    assert text.startswith("An ensemble has 3 networks, of which 2 are the same in all runs.")


def test_accuracy_and_the_share_of_attacks_among_wrong_answers():
    """Of 200 images 20 are wrong, of 100 attacked ones 90, of 400 noisy ones 60: 90 of 170 are answers to attacks."""
    same = {"table": "wrong", "metric": "accuracy", "data": "mnist5k", "network": "n"}
    one = [("nominal", 200, 180), ("fgsm", 100, 10), ("noise", 400, 340), ("together", 700, 530)]
    found = [
        {**same, "condition": name, "seed": seed, "value": right / n, "n": n}
        for name, n, right in one
        for seed in (0.0, float("nan"))
    ]
    shown = {**same, "table": "detection", "metric": "auroc", "value": 0.5}
    rows = tidy.table([*found, shown])
    assert asked.accuracy(rows) == "0.90."
    assert asked.attacked(rows) == (
        "90% of the images of one-step attacks are misclassified, and they make up 53% of all wrong predictions. "
        "So the numbers for all of these show in part whether a scorer detects attacks."
    )
    assert asked.attacked(rows[rows["condition"] != "fgsm"]).startswith("Without them")


def peaks(**counts):
    return tidy.table(
        [{"method": name, "value": 30.0 + n, "n": n, "metric": "peak megabytes"} for name, n in counts.items()],
        table="comparison", data="mnist5k",
    )  # fmt: skip


def test_peaks_stand_beside_one_another_only_where_as_many_images_were_measured(rows):
    unequal, equal = peaks(mdsa=500, boundary_distance=40), peaks(mdsa=500, boundary_distance=500)
    assert "530.0\u00a0MB" in figures.cost(rows, unequal).html()
    assert "70.0\u00a0MB" not in figures.cost(rows, unequal).html()
    assert figures.cost(rows, equal).html().count("530.0\u00a0MB") == 2
    assert told.memory(unequal).endswith("Scorers that were measured over 40 images have none.")
    assert told.memory(equal) == "Peak memory was measured over 500 images for every scorer."
    assert told.memory(tidy.empty()) == "Peak memory was not measured."


def test_what_times_were_measured_on_is_said_also_where_another_set_stands_in():
    seconds = [{"method": "mdsa", "metric": "seconds an image", "value": 1e-3, "n": 500}]
    measured = tidy.table(seconds, table="comparison", data="mnist5k", level=1500)
    whole = "Times and peak memory (MNIST, 5,000 images): with 1,500 training images, times over 500 images."
    assert told.taken(measured, "mnist5k") == told.taken(measured, "cifar10-jpeg") == whole
    assert told.taken(tidy.empty(), "mnist5k") == "Times and peak memory were not measured."


def test_peaks_are_told_to_be_as_exact_as_those_that_should_be_the_same():
    """Scorers that take a number of one softmax differ by what measuring leaves; one with fewer images is left out."""
    alike = peaks(max_softmax=500, deep_gini=500, energy=500, mdsa=500)
    alike.loc[alike["method"].eq("max_softmax"), "value"] += 10.25
    apart = "The {} scorers that read nothing but the softmax differ by up to {} MB: no peak is more exact than that. "
    apart += "What else the process holds moves all peaks of an image set alike."
    assert told.memory(alike).endswith(apart.format(3, "10.2"))
    fewer = alike.assign(n=alike["n"].where(alike["method"].ne("max_softmax"), 40))
    assert told.memory(fewer).endswith(apart.format(2, "0.0"))


def test_agreement_tells_the_boundary_scores_from_the_softmax(rows):
    # boundary with targeted .9 - .2 x 2; Max Softmax with boundary .7, with targeted .5, with the residual .3.
    assert told.agreement(rows) == (
        "On nominal images, breaking noise and the distances have rank correlations of 0.50 with one another and of "
        "0.50 to 0.70 with Max Softmax. The residual, from which the trend over confidence was subtracted, has one of "
        "0.30 with Max Softmax."
    )


@pytest.mark.whole
def test_two_image_sets_are_named_and_what_was_not_run_is_said(rows):
    both = tidy.check(np_concat(rows, made(data="fmnist")))
    assert told.best(both).startswith("MNIST, 5,000 images: Of 2 kinds")
    assert " Fashion-MNIST: Of 2 kinds" in told.best(both)
    assert told.agreement(rows[rows["table"] != "agreement"]).endswith("were not run.")
    assert told.best(rows[rows["table"] == "cost"]) == "Not run."


def np_concat(*frames):
    import pandas as pd

    return pd.concat(frames, ignore_index=True)


@pytest.mark.whole
def test_pictures_say_what_they_show_and_draw_the_same_twice(rows):
    for draw in (figures.guide, figures.agreement, figures.cells):
        first, second = draw(rows), draw(rows.sample(frac=1, random_state=0).reset_index(drop=True))
        assert first.svg == second.svg
        assert "MNIST, 5,000 images" in first.alt
    assert (
        "Distance to the boundary (DeepFool) 0.97 (.94–1.00); for less: MDSA 0.95 (.92–.98)" in figures.guide(rows).alt
    )


def test_the_confusion_of_the_images_that_were_read_is_told_and_drawn_where_it_is_known(rows):
    assert "images read" not in told.cells(rows)
    truth = rows[(rows["table"] == "cells") & (rows["at"] == "beside=true confusion")]
    own = truth.assign(at="beside=confusion of the same images", value=truth["value"] / 2)
    both = tidy.check(np_concat(rows, own))
    assert told.cells(both) == told.cells(rows) + " With the confusion of the images read they are −0.05 to 0.25."
    assert (
        "Mean softmax with own confusion 0.25; Targeted distance with own confusion -0.05;" in figures.cells(both).alt
    )


def test_tables_sort_scorers_by_family_and_show_intervals(rows):
    html = figures.scores(rows).html()
    assert "0.97 (.94–1.00)" in html
    assert html.index(">MDSA<") < html.index(">To the boundary<")
    assert "4% (2–\u20607)" in figures.alarms(rows).html()
    plain, timed = (
        figures.cost(rows, found).html()
        for found in (
            tidy.empty(),
            tidy.table([{"metric": "seconds an image", "method": "mdsa", "value": 3.4e-3}], table="t", data="mnist5k"),
        )
    )
    assert "5\u00a0kB" in plain
    assert "time" not in plain.partition("<tbody>")[0].lower().partition("<thead>")[2]
    assert "3.4\u00a0ms" in timed


def test_alarms_of_right_and_of_wrong_predictions_are_shown_with_intervals(rows):
    right, wrong = (figures.alarms(rows, WRONG, found=found) for found in (False, True))
    assert "10% (6–\u206015)" in right.html()
    assert "46% (36–\u206056)" in wrong.html()  # half of 0.92: the distance to the boundary finds the most
    assert "10% (6–\u206015)" not in wrong.html()
    assert wrong.alt.endswith("Most: shift: Distance to the boundary (DeepFool) 0.46; all of these: Distance to the "
                              "boundary (DeepFool) 0.46.")  # fmt: skip
    assert figures.alarms(rows, BAD).alt.count("nominal inputs first, whose alarms are false: 4% to 4%") == 1
    assert "4% (2–\u20607)" in figures.cost(rows, tidy.empty()).html()


def test_false_alarms_are_told_by_question(rows):
    assert told.mistaken(rows) == (
        "Depending on the scorer, on all kinds together 10% of the correct predictions alarm, and 25% to 46% of "
        "the wrong ones, most with Distance to the boundary (DeepFool): 46% (36–\u206056)."
    )
    assert told.mistaken(rows[rows["metric"] != "found"]) == "Not run."
    lines = figures.guided(rows)
    bad = lines["question"].str.contains("bad")
    assert set(lines[bad]["false alarms"]) == {"4% (2–7)"}
    assert set(lines[~bad]["false alarms"]) == {"10% (6–15)"}


@pytest.mark.whole
def test_scorers_that_were_not_asked_are_named_from_the_table():
    every = dict.fromkeys(TABLE, ((0.8, 0.5), 0.9, 0, 0))
    count = len(TABLE)
    assert asked.left_out(made(every)) == f"All {count} scorers are shown."
    few = {name: one for name, one in every.items() if name not in ("react", "ash")}
    text = f"{count - 2} of {count} scorers are shown; left out: ReAct and ASH."
    assert asked.left_out(made(few)) == text
    both = np_concat(made(few), made(few, data="fmnist"))
    assert asked.left_out(both) == text  # said once, since both sets lack the same
    assert asked.left_out(np_concat(made(few), made(every, data="fmnist"))).startswith(
        f"MNIST, 5,000 images: {text} Fashion-MNIST: All {count} scorers"
    )


def test_the_profile_paper_asks_all_scorers():
    """The page says so."""
    assert not profile(CHAPTERS["comparison"], "paper").scorers


def test_the_guide_as_a_table(rows):
    lines = figures.guided(rows)
    first = lines[(lines["trouble"] == "Shift") & lines["question"].str.contains("bad")].iloc[0]
    assert (first["use"], first["passes"]) == ("To the boundary", "80")
    assert (first["for less, not shown worse"], first["it keeps"]) == ("MDSA", "5 kB")
    own = rows[(rows["method"] == "boundary_distance") & (rows["table"] == "cost") & (rows["metric"] == "bytes")]
    assert first["keeps"] == (tidy_bytes(own["value"].iloc[0]) if len(own) else "–")


@pytest.mark.parametrize("draw", [figures.guide, figures.scores, figures.alarms, figures.agreement, figures.cells,
                                  figures.inputs, figures.guided])  # fmt: skip
def test_no_rows_are_refused_and_another_set_is_named(draw, rows):
    with pytest.raises(MistrustError, match="There are no rows for the"):
        draw(tidy.empty())
    if draw is not figures.inputs:
        with pytest.raises(MistrustError, match=r"There are no rows of 'gtsrb' .*there are mnist5k"):
            draw(rows, data="gtsrb")


@pytest.mark.parametrize(
    ("value", "text"), [(0.0000123, "12 µs"), (0.0034, "3.4 ms"), (2, "2.0 s"), (float("nan"), "not run")]
)
def test_times_are_written_in_their_unit(value, text):
    assert seconds(value) == text


def test_numbers_are_written_with_their_interval():
    assert number(0.914, 0.876, 1.0) == "0.91 (.88–1.00)"
    assert number(0.914, np.nan, np.nan) == "0.91"
    assert [tidy_bytes(v) for v in (0, 80, 5000, 2_300_000)] == ["0", "80 B", "5 kB", "2.3 MB"]
