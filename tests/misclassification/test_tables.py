"""Rows of one network, held against the hand-worked matrices of three classes and against brute force."""

import numpy as np
import pytest
import torch

from mistrust import random
from mistrust import rows as tidy
from mistrust.evaluation import spearman
from mistrust.inputs.calibration import Calibration
from mistrust.misclassification import Statistic, distances, kmeans, suspicion, tables, thresholds
from mistrust.misclassification.judging import first_half
from mistrust.misclassification.tables import ALL, POOLED, Sweep
from mistrust.misclassification.tables.abstaining import COVERAGES, LIMITS
from mistrust.misclassification.tables.judged import SIZES

CLASSES = ("a", "b", "c")
# Worked by hand for the facts of the MLM paper: centroids, nine inputs, their classes.
CENTRES = torch.tensor([[0.9, 0.06, 0.04], [0.05, 0.9, 0.05], [0.02, 0.08, 0.9]], dtype=torch.float64)
INPUTS = torch.tensor(
    [[0.8, 0.15, 0.05], [0.3, 0.6, 0.1], [0.1, 0.2, 0.7], [0.1, 0.85, 0.05], [0.45, 0.5, 0.05], [0.2, 0.2, 0.6],
     [0.05, 0.05, 0.9], [0.1, 0.7, 0.2], [1 / 3, 1 / 3, 1 / 3]],
    dtype=torch.float64,
)  # fmt: skip
LABELS = torch.arange(9) // 3
L = {"a>b": 0.385109, "a>c": 0.614891, "b>a": 0.370121, "b>c": 0.629879, "c>a": 0.268619, "c>b": 0.731381}


def swept(p: torch.Tensor, labels: torch.Tensor, base: torch.Tensor, level: torch.Tensor) -> Sweep:
    return Sweep(p, distances(p, CENTRES), labels, base, level, CLASSES)


@pytest.fixture(scope="module")
def golden() -> Sweep:
    """The nine inputs at two levels alike."""
    return swept(INPUTS.repeat(2, 1), LABELS.repeat(2), torch.arange(9).repeat(2), torch.arange(18) // 9 + 1)


@pytest.fixture(scope="module")
def drawn() -> Sweep:
    """Four hundred base images at three levels, with softmax at random."""
    n = 400
    p = (2 * random.normal(0, "tables", torch.arange(3 * n), (3,)).double()).softmax(1)
    return swept(p, torch.arange(3 * n) % 3, torch.arange(3 * n) % n, torch.arange(3 * n) // n + 1)


def frame(found: list[tables.Row]):
    return tidy.table(row for row in found if not np.isnan(row["value"]))  # as the experiment does


def matrices(sweep, rules, resamples=20):
    return frame(tables.matrices(sweep, tables.estimated(sweep, rules), rules, resamples, 0))


def deviations(sweep, rules):
    return frame(tables.deviations(sweep, tables.estimated(sweep, rules), 0))


def cell(rows, **where) -> float:
    return float(tidy.select(rows, **where)["value"].item())


class TestMatrices:
    def test_the_matrix_is_the_hand_worked_one(self, golden):
        found = matrices(golden, [Statistic()])
        for condition in (ALL, POOLED):
            for at, value in L.items():
                assert cell(found, condition=condition, method="minimum", at=at) == pytest.approx(value, abs=1e-6)

    def test_the_confusion_beside_it_counts_errors(self, golden):
        found = matrices(golden, [Statistic()])
        shares = tidy.select(found, method="confusion").set_index("at")["value"].to_dict()
        # b is wrong once (for c) and once tied nowhere; a and c go once to each other class.
        assert shares == {"a>b": 0.5, "a>c": 0.5, "b>a": 0.0, "b>c": 1.0, "c>a": 0.5, "c>b": 0.5}

    def test_values_lie_in_their_intervals_and_rows_sum_to_one(self, drawn):
        found = matrices(drawn, [Statistic("quantile", 0.05), Statistic("mean")], 200)
        found = tidy.select(found, metric="likelihood", condition=ALL)
        assert set(found["method"]) == {"quantile=0.05", "mean", "mean softmax"}
        assert ((found["low"] <= found["value"]) & (found["value"] <= found["high"])).all()
        assert np.allclose(found.groupby(["method", found["at"].str[0]])["value"].sum(), 1)

    def test_levels_that_agree_do_not_deviate_and_concord(self, golden):
        found = deviations(golden, [Statistic()])
        found = tidy.select(found, method="minimum")
        assert tidy.select(found, metric="deviation")["value"].abs().max() < 1e-12
        assert cell(found, metric="kendall w") == pytest.approx(1.0)
        assert cell(found, metric="p") <= 0.05
        assert cell(found, metric="spearman") == pytest.approx(1.0)

    def test_two_levels_deviate_by_half_of_their_difference(self, drawn):
        two = drawn.of(drawn.level < 3)
        found = tidy.select(deviations(two, [Statistic("mean")]), method="mean", metric="deviation")
        each = [
            tidy.select(matrices(some, [Statistic("mean")]), method="mean").set_index("at")
            for _, some in two.by_level()
        ]
        half = (each[0]["value"] - each[1]["value"]).abs() / 2
        assert np.allclose(found.set_index("at")["value"].sort_index(), half.sort_index())

    def test_one_level_has_no_deviation(self, drawn):
        assert deviations(drawn.of(drawn.level == 1), [Statistic()]).empty

    def test_options_move_the_matrix_as_worked_by_hand(self, golden):
        found = frame(tables.variants(golden, CENTRES))
        assert cell(found, method="KMeans centroids", metric="total variation") == pytest.approx(0, abs=1e-12)
        assert cell(found, method="pooled levels", metric="total variation") == pytest.approx(0, abs=1e-12)
        # Only misclassified: D worked by hand, reciprocals without the diagonal.
        D = np.array([[np.inf, 0.393700, 0.246577], [0.907304, np.inf, 0.369865], [0.694166, 0.254951, np.inf]])
        other = (1 / D) / (1 / D).sum(1, keepdims=True)
        usual = np.array([[0, L["a>b"], L["a>c"]], [L["b>a"], 0, L["b>c"]], [L["c>a"], L["c>b"], 0]])
        moved = np.abs(other - usual).sum(1).mean() / 2
        assert cell(found, method="only misclassified", metric="total variation") == pytest.approx(moved, abs=1e-5)
        assert cell(found, method="only misclassified", metric="share of other tops") == 0
        # With its diagonal the first row is (.529160 .181325 .289515): half of |differences| is the diagonal itself.
        assert cell(found, method="diagonal kept", metric="total variation") > 0.5

    def test_the_average_softmax_of_a_class(self, golden):
        found = frame(tables.profiles(golden, 1))
        assert cell(found, level=2.0, at="b") == pytest.approx((0.85 + 0.5 + 0.2) / 3)
        assert set(found["method"]) == {"b"}


class TestJudged:
    def test_every_rule_and_both_rivals_are_judged_in_both_ways(self, drawn):
        clean = drawn.of(drawn.level == 1)
        found = frame(tables.agreements(drawn, clean, [Statistic(), Statistic("mean")], 0))
        both = {
            "minimum",
            "mean",
            "mean softmax",
            "clean confusion",
            "clean mean softmax",
            "counted confusion",
            "marginal",
        }
        assert set(tidy.select(found, condition=POOLED)["method"]) == both
        assert set(tidy.select(found, condition=ALL)["method"]) == {*both, "confusion"}
        best = cell(found, method="confusion", metric="log score")
        assert (tidy.select(found, metric="log score")["value"] <= best + 1e-12).all()
        assert tidy.select(found, metric="total variation")["value"].between(0, 1).all()

    def test_the_clean_confusion_is_of_the_first_half_alone(self, drawn):
        clean = drawn.of(drawn.level == 1)
        spoilt = clean.probabilities.clone()
        rest = ~first_half(clean.base, 0)
        spoilt[rest] = spoilt[rest].roll(1, 1)
        other = swept(spoilt, clean.labels, clean.base, clean.level)
        a, b = (frame(tables.agreements(drawn, one, [Statistic()], 0)) for one in (clean, other))
        assert tidy.text(a) == tidy.text(b)

    def test_the_correlation_between_levels_is_the_mean_over_their_pairs(self, drawn):
        found = deviations(drawn, [Statistic("mean")])
        stack = tables.estimated(drawn, [Statistic("mean")])["mean"]
        cells = stack[:, ~torch.eye(3, dtype=torch.bool)].numpy()
        pairs = [spearman(cells[i], cells[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
        assert cell(found, metric="spearman", method="mean") == pytest.approx(np.mean(pairs))

    def test_a_network_without_errors_has_no_agreement_and_no_growth(self):
        p = torch.eye(3, dtype=torch.float64).repeat(10, 1)
        perfect = swept(p, torch.arange(30) % 3, torch.arange(30), torch.ones(30, dtype=torch.int64))
        assert tables.agreements(perfect, perfect, [Statistic()], 0) == []
        assert tables.growth(perfect, [Statistic()], 0) == []
        assert tables.abstention(perfect, 20, 0) == []

    @pytest.mark.whole
    def test_the_minimum_shrinks_with_more_images_and_the_mean_does_not(self, drawn):
        found = frame(tables.growth(drawn, [Statistic(), Statistic("mean")], 0))
        assert set(found["at"]) == {f"n={size}" for size in SIZES if size <= 200}
        bigger = frame(tables.growth(_four_times(drawn), [Statistic(), Statistic("mean")], 0))
        D = {name: [cell(bigger, method=name, metric="median distance", at=f"n={n}") for n in (100, 300, 500)]
             for name in ("minimum", "mean")}  # fmt: skip
        assert D["minimum"][0] > D["minimum"][1] > D["minimum"][2]
        assert max(D["mean"]) / min(D["mean"]) < 1.05

    def test_estimates_never_see_the_images_they_are_judged_on(self, drawn):
        spoilt = drawn.probabilities.clone()
        rest = ~first_half(drawn.base, 0)
        # What the second half holds may change its confusion, never the median distance of the first.
        spoilt[rest] = spoilt[rest].flip(0)
        other = Sweep(spoilt, distances(spoilt, CENTRES), drawn.labels, drawn.base, drawn.level, CLASSES)
        a, b = (
            tidy.select(frame(tables.growth(s, [Statistic()], 0)), metric="median distance") for s in (drawn, other)
        )
        assert a["value"].tolist() == b["value"].tolist()


def _four_times(sweep: Sweep) -> Sweep:
    """Like `drawn`, with 1,600 base images."""
    n = 1600
    p = (2 * random.normal(1, "tables", torch.arange(3 * n), (3,)).double()).softmax(1)
    return swept(p, torch.arange(3 * n) % 3, torch.arange(3 * n) % n, torch.arange(3 * n) // n + 1)


class TestClean:
    def test_kmeans_rows_name_the_images_that_moved(self):
        # Of class a, image 70 is right by a hair and lies nearer to the centroid of b.
        p = torch.tensor([[0.98, 0.01, 0.01]] * 4 + [[0.35, 0.33, 0.32]] + [[0.45, 0.44, 0.11]] * 5 +
                         [[0.01, 0.01, 0.98]] * 5, dtype=torch.float64)  # fmt: skip
        p[5:10] = torch.tensor([0.30, 0.60, 0.10], dtype=torch.float64)
        labels = torch.tensor([0] * 5 + [1] * 5 + [2] * 5)
        found = kmeans(p, labels, CLASSES)
        rows = frame(tables.clusters(found, p, torch.arange(15) + 66, CLASSES))
        assert cell(rows, table="misclustered", metric="count") == 1
        one = tidy.select(rows, method="image 1")
        assert set(one["note"]) == {"id 70, a in cluster b"}
        assert cell(one, metric="softmax", at="c") == pytest.approx(0.32)
        assert cell(one, metric="distance", at="b") < cell(one, metric="distance", at="a")
        drift = tidy.select(rows, table="drift").set_index("at")["value"]
        assert drift["a"] > 0.01
        assert drift["b"] > 0.01
        assert drift["c"] < 1e-12


class TestAbstaining:
    def test_thresholds_and_what_they_keep(self, drawn):
        known = (drawn.distance, drawn.labels, drawn.predicted)
        found = thresholds(*known)
        rows = frame(tables.thresholds_by_class(found, drawn))
        assert cell(rows, method="T1", metric="distance", at="b") == float(found.t1[1])
        kept = (drawn.labels == 1) & (drawn.predicted == 1) & (drawn.distance[:, 1] < found.t2[1])
        share = float(kept.sum() / (drawn.labels == 1).sum())
        assert cell(rows, method="T2", metric="share kept", at="b") == pytest.approx(share)

    def test_a_class_without_errors_has_no_threshold(self):
        d = distances(INPUTS, CENTRES)
        right = INPUTS.argmax(1)
        found = thresholds(d, right, right)
        seen = swept(INPUTS, right, torch.arange(9), torch.ones(9, dtype=torch.int64))
        assert tables.thresholds_by_class(found, seen) == []

    def test_what_is_left_at_each_limit(self, drawn):
        known = (drawn.distance, drawn.labels, drawn.predicted)
        rows = frame(tables.retained(thresholds(*known), drawn, ALL))
        assert len(rows) == 3 * (2 + len(LIMITS))
        own = drawn.distance.gather(1, drawn.predicted[:, None]).squeeze(1)
        near = own < 0.3
        assert cell(rows, at="0.3", metric="share kept") == pytest.approx(float(near.double().mean()))
        wrong = drawn.labels != drawn.predicted
        assert cell(rows, at="0.3", metric="errors") == int((near & wrong).sum())
        # Below T2 no error of the inputs it was taken from is left.
        assert cell(rows, method="T2", metric="errors") == 0

    def test_risk_at_full_coverage_is_the_error_and_the_gain_is_the_difference(self, drawn):
        rows = frame(tables.abstention(drawn, 50, 0))
        wrong = (drawn.labels != drawn.predicted).double()
        for name in suspicion(drawn.probabilities, drawn.distance):
            assert cell(rows, method=name, at="coverage=1") == pytest.approx(float(wrong.mean()))
        values = [
            cell(rows, method=m, metric="auroc") for m in ("distance", "max softmax", "distance minus max softmax")
        ]
        assert values[2] == pytest.approx(values[0] - values[1])
        assert len(tidy.select(rows, metric="risk")) == 2 * len(COVERAGES)


def test_calibrated_rows_say_what_is_out_of_reach():
    grid = np.linspace(0, 1, 3)
    found = Calibration(
        "snow", "yours", 0, 0.97, grid, grid, grid, targets=np.array([0.9, 0.5]), severities=np.array([0.2, 1.0]),
        expected=np.array([0.9, 0.6]), ids=torch.arange(3),
    )  # fmt: skip
    rows = frame(tables.calibrated(found, np.array([0.87, 0.62]), 100, [1, 10]))
    assert tidy.select(rows, level=10.0)["note"].unique().tolist() == ["out of reach: the curve ends at 0.600"]
    assert cell(rows, metric="worst deviation") == pytest.approx(0.12)
    accuracy = tidy.select(rows, level=1.0, metric="accuracy").iloc[0]
    assert accuracy["low"] < 0.87 < accuracy["high"]
    assert accuracy["n"] == 100


def test_nearest_images_are_those_of_a_search_over_all(drawn):
    rows = frame(tables.nearest(drawn, [("fog", 1), ("fog", 2), ("fog", 3)]))
    for at, y, c in (("a>b", 0, 1), ("c>a", 2, 0)):
        best: dict[int, float] = {}
        for i in range(len(drawn.labels)):
            if drawn.labels[i] == y:
                image = int(drawn.base[i])
                best[image] = min(best.get(image, 9.0), float(drawn.distance[i, c]))
        order = sorted(best, key=lambda image: best[image])[:3]
        found = tidy.select(rows, at=at).sort_values("method")
        assert found["note"].tolist() == [f"id {image}" for image in order]
        assert found["value"].tolist() == pytest.approx([best[image] for image in order])
