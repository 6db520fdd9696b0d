from math import inf, isnan, log

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from torch import nan, tensor

from mistrust.errors import MistrustError
from mistrust.misclassification import (
    Statistic,
    agreement,
    at_levels,
    class_distances,
    confusion,
    distances,
    error_shares,
    first_half,
    judge,
    judge_all,
    likelihood,
    marginal,
    mean_softmax,
    over_levels,
    tables,
)

ESTIMATE = tensor([[0, 0.6, 0.4], [0.5, 0, 0.5], [0.1, 0.9, 0]], dtype=torch.float64)
TRUTH = tensor([[0, 0.8, 0.2], [0.25, 0, 0.75], [1, 0, 0]], dtype=torch.float64)


def matrices(seed, k=5):
    draw = np.random.default_rng(seed)
    m = draw.dirichlet([0.7] * (k - 1), size=k)
    return torch.from_numpy(np.stack([np.insert(m[y], y, 0) for y in range(k)]))


class TestJudge:
    def test_by_hand(self):
        found = judge(ESTIMATE, TRUTH)
        # Row 0 hits, row 1 hits half (a tie), row 2 misses.
        assert found.top1 == 1.5
        assert found.top3 == 3
        scores = [0.8 * log(0.6) + 0.2 * log(0.4), log(0.5), log(0.1)]
        assert found.log_score == pytest.approx(sum(scores) / 3)
        best = [0.8 * log(0.8) + 0.2 * log(0.2), 0.25 * log(0.25) + 0.75 * log(0.75), 0]
        assert found.best_log_score == pytest.approx(sum(best) / 3)
        assert found.variation == pytest.approx((0.2 + 0.25 + 0.9) / 3)
        assert found.counted == 3

    def test_of_two_classes_nothing_is_left_to_tell(self):
        only = tensor([[0, 1.0], [1.0, 0]])
        found = judge(only, only)
        assert (found.top1, found.variation, found.log_score, found.counted) == (2, 0, 0, 2)

    def test_what_the_matrix_excludes_and_happens_costs_everything_unless_there_is_a_floor(self):
        estimate = tensor([[0, 1.0, 0], [0.5, 0, 0.5], [0.5, 0.5, 0]], dtype=torch.float64)
        assert judge(estimate, TRUTH).log_score == -inf
        raised = judge(estimate, TRUTH, floor=0.01).log_score
        assert raised == pytest.approx((0.8 * log(1 / 1.01) + 0.2 * log(0.01 / 1.01) + 2 * log(0.5)) / 3)

    def test_rows_that_are_nan_are_left_out(self):
        truth = TRUTH.clone()
        truth[1] = nan
        found = judge(ESTIMATE, truth)
        assert (found.counted, found.top1) == (2, 1)
        assert found.variation == pytest.approx((0.2 + 0.9) / 2)
        nothing = judge(ESTIMATE, torch.full_like(TRUTH, nan))
        assert nothing.counted == 0
        assert isnan(nothing.variation)
        assert isnan(nothing.log_score)
        assert isnan(nothing.cells)

    def test_several_true_tops(self):
        truth = tensor([[0, 0.4, 0.4, 0.2]] * 4, dtype=torch.float64)
        truth = torch.stack([torch.roll(truth[0], y) for y in range(4)])
        estimate = torch.stack([torch.roll(tensor([0, 0.1, 0.6, 0.3], dtype=torch.float64), y) for y in range(4)])
        assert judge(estimate, truth).top1 == 4

    @pytest.mark.whole
    @settings(max_examples=40)
    @given(st.integers(0, 10_000), st.integers(0, 10_000), st.permutations(range(5)))
    def test_laws(self, first, second, order):
        a, b = matrices(first), matrices(second)
        found = judge(a, b)
        # Gibbs: nothing scores better than the truth.
        assert found.log_score <= found.best_log_score + 1e-12
        assert 0 <= found.variation <= 1
        assert (found.variation < 1e-12) == bool(torch.allclose(a, b, atol=1e-12))
        assert 0 <= found.top1 <= found.top3 <= 5
        assert found.best_log_score == pytest.approx(-np.mean([stats.entropy(row) for row in b]))
        kl = np.mean([stats.entropy(np.delete(b[y].numpy(), y), np.delete(a[y].numpy(), y)) for y in range(5)])
        assert found.best_log_score - found.log_score == pytest.approx(kl)
        # Without ties it agrees with what `agreement` counts; a matrix judged by itself is right.
        orders = agreement(a, b)
        assert (found.cells, found.rows, found.top1) == pytest.approx((orders.cells, orders.rows, orders.top1))
        itself = judge(a, a)
        assert itself.top1 == 5
        assert itself.variation == 0
        # Permuting classes changes nothing.
        moved = judge(a[order][:, order], b[order][:, order])
        assert moved.__dict__ == pytest.approx(found.__dict__)

    @pytest.mark.parametrize(
        ("estimate", "truth", "options", "message"),
        [
            (ESTIMATE, torch.eye(4), {}, "no probabilities"),
            (ESTIMATE, matrices(0), {}, "3 and 5 classes"),
            (ESTIMATE + 0.1, TRUTH, {}, "The estimate has rows that are no probabilities"),
            (ESTIMATE, TRUTH * 10, {}, "The truth has rows that are no probabilities"),
            (ESTIMATE - 0.5 * torch.eye(3).roll(1, 0), TRUTH, {}, "no probabilities"),
            (ESTIMATE[0], TRUTH, {}, r"shape \(3,\)"),
            (ESTIMATE[:1, :1], TRUTH, {}, "at least two classes"),
            (ESTIMATE, TRUTH, {"floor": 0.5}, "The floor is 0.5"),
            (ESTIMATE, TRUTH, {"floor": -0.1}, r"The floor is -0\.1"),
        ],
    )
    def test_bad_input(self, estimate, truth, options, message):
        with pytest.raises(MistrustError, match=message):
            judge(estimate, truth, **options)


class TestMarginal:
    def test_by_hand(self):
        # Wrong predictions of each class: 3, 4, 2. Row 0 leaves its own out: 4 and 2 of 6; row 1: 3, 2; row 2: 3, 4.
        counts = tensor([[50, 3, 1], [2, 60, 1], [1, 1, 70]])
        expected = [[0, 4 / 6, 2 / 6], [3 / 5, 0, 2 / 5], [3 / 7, 4 / 7, 0]]
        assert np.allclose(marginal(counts), expected)

    def test_it_is_nan_where_no_other_class_is_predicted_by_mistake(self):
        found = marginal(tensor([[5, 2], [0, 5]]))
        assert found[0].tolist() == [0, 1]
        assert torch.isnan(found[1]).all()

    def test_where_errors_follow_it_nothing_is_better(self):
        # Errors go to each class by its share, whatever the true class. Solving for the rows' totals that make the
        # columns' totals follow the shares as well gives counts whose marginal is the truth.
        share = tensor([0.2, 0.22, 0.28, 0.3], dtype=torch.float64)
        truth = share.expand(4, 4).clone().fill_diagonal_(0)
        truth = truth / truth.sum(1, keepdim=True)
        totals = torch.linalg.solve(truth.T, share)
        assert (totals > 0).all()
        assert judge(marginal(truth * totals[:, None]), truth).variation < 1e-12


def sweep(seed, images=120, versions=5, k=4):
    draw = np.random.default_rng(seed)
    labels = np.tile(np.arange(images) % k, versions)
    logits = draw.normal(size=(images * versions, k)) * 2 + 2 * np.eye(k)[labels]
    p = torch.from_numpy(logits).softmax(1)
    base, level = np.tile(np.arange(images) * 11, versions), np.repeat(np.arange(versions), images)
    d = distances(p, torch.eye(k).double())
    return p, d, torch.from_numpy(labels), torch.from_numpy(base), torch.from_numpy(level)


class TestHalves:
    def test_no_image_is_in_both(self):
        base = sweep(0)[3]
        first = first_half(base, 7)
        assert not set(base[first].tolist()) & set(base[~first].tolist())
        assert len(set(base[first].tolist())) == 60
        assert first.tolist() != first_half(base, 8).tolist()

    def test_estimate_and_truth_come_from_different_images(self):
        p, d, y, base, _ = sweep(1)
        statistic = Statistic("quantile", 0.05)
        found = judge_all(p, d, y, base, [statistic], 3)
        assert list(found) == ["quantile=0.05", "mean softmax", "counted confusion", "marginal"]
        half, predicted = first_half(base, 3), p.argmax(1)
        truth = error_shares(confusion(y[~half], predicted[~half], 4))
        L = likelihood(class_distances(d[half], y[half], statistic))
        assert found["quantile=0.05"] == judge(L, truth)
        assert found["mean softmax"] == judge(mean_softmax(p[half], y[half]), truth)
        assert found["marginal"] == judge(marginal(confusion(y[half], predicted[half], 4)), truth)
        assert found["counted confusion"] == judge(error_shares(confusion(y[half], predicted[half], 4)), truth)
        # Nothing of an input leaks into both: a change in one half's softmax leaves the truth.
        flipped = p.clone()
        flipped[half] = flipped[half].flip(1)
        again = judge_all(flipped, distances(flipped, torch.eye(4).double()), y, base, [statistic], 3)
        assert again["marginal"].best_log_score == found["marginal"].best_log_score

    def test_it_agrees_with_the_rows_of_the_chapter(self):
        p, d, y, base, _ = sweep(6, images=1000)  # large enough that the true tops do not tie
        statistics = [Statistic(), Statistic("mean")]
        found = judge_all(p, d, y, base, statistics, 5)
        seen = tables.Sweep(p, d, y, base, torch.ones_like(y), tuple("abcd"))
        rows = tables.agreements(seen, seen, statistics, 5)
        told = {(row["method"], row["metric"]): row["value"] for row in rows if row["condition"] == tables.POOLED}
        for statistic in statistics:
            one = found[statistic.name]
            assert one.cells == pytest.approx(told[statistic.name, "spearman"])
            assert one.rows == pytest.approx(told[statistic.name, "spearman within rows"])
            assert one.top1 == pytest.approx(told[statistic.name, "top-1 share"] * one.counted)

    def test_a_matrix_without_a_row_says_that_all_answers_are_equal(self):
        p, d, y, base, _ = sweep(1)
        silent = torch.full((4, 4), torch.nan, dtype=torch.float64)
        found = judge_all(p, d, y, base, [], 3, others={"silent": silent})
        assert found["silent"].counted == found["mean softmax"].counted == 4
        assert found["silent"].top1 == pytest.approx(4 / 3)  # one chance in three, four times
        assert found["silent"].log_score == pytest.approx(-np.log(3))

    def test_with_levels_matrices_are_means_over_levels(self):
        p, d, y, base, level = sweep(3)
        found = judge_all(p, d, y, base, [Statistic()], 0, level=level)
        half = first_half(base, 0)
        truth = error_shares(confusion(y[~half], p[~half].argmax(1), 4))
        L = over_levels(at_levels(d[half], y[half], level[half], Statistic())).mean
        assert found["minimum"] == judge(L, truth)
        assert found["minimum"] != judge_all(p, d, y, base, [Statistic()], 0)["minimum"]

    def test_a_planted_confusion_is_found_by_distances_and_not_by_the_null(self):
        # Class y errs towards y + 1, each equally often: the marginal is flat and knows nothing.
        draw = np.random.default_rng(4)
        n, k = 4000, 5
        y = np.arange(n) % k
        target = np.where(draw.random(n) < 0.7, (y + 1) % k, draw.integers(0, k, n))
        logits = draw.normal(size=(n, k)) + 3 * np.eye(k)[y] * (draw.random(n) < 0.7)[:, None] + 3 * np.eye(k)[target]
        p = torch.from_numpy(logits).softmax(1)
        d = distances(p, torch.eye(k).double())
        found = judge_all(p, d, torch.from_numpy(y), torch.arange(n), [Statistic("quantile", 0.05)], 0)
        assert found["quantile=0.05"].top1 == found["mean softmax"].top1 == 5
        assert found["marginal"].log_score < found["mean softmax"].log_score
        assert found["marginal"].variation > found["quantile=0.05"].variation

    def test_lengths(self):
        p, d, y, base, level = sweep(0)
        with pytest.raises(MistrustError, match="labels 7"):
            judge_all(p, d, y[:7], base, [Statistic()], 0)
        with pytest.raises(MistrustError, match="distances 7"):
            judge_all(p, d[:7], y, base, [Statistic()], 0)
        with pytest.raises(MistrustError, match="level 7"):
            judge_all(p, d, y, base, [Statistic()], 0, level=level[:7])
