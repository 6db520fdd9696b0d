"""SDR, spread, utility, p-value and interval of the seven listed orders of the known-answer set, and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist
from scipy.stats import binom

from mistrust.errors import MistrustError
from mistrust.random import generator
from mistrust.search import measures

# Known-answer set A (facts, section 11), worked out apart from this code.
POINTS = np.array(
    [[0, 0], [1, .2], [.4, 1.1], [5, 5], [5.5, 4.6], [4.7, 5.4], [9, 1], [8.6, 1.5], [9.3, .4], [2.5, 7.5], [3.1, 7.9],
     [2.2, 8.3], [7, 8], [7.4, 7.3], [6.5, 3], [3.8, 2.9]]
)  # fmt: skip
CONFIDENCE = np.array([.97, .91, .88, .7, .76, .83, .995, .94, .9, .67, .79, .86, .985, .93, .73, .96])  # fmt: skip
ERROR = np.array([0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0])
# order; SDR; spread; utility; p and the interval at query 8.
ORDERS = {
    "adversarial_distance": (
        "6 13 9 2 4 15 16 1",
        "5.882353 10.810811 10.526316 10.666667 7.407407 6.349206 6.091371 5.911330",
        "0.364432 0.329351 0.232415 0.129403 0.119235 0.104536 0.090315 0.084319",
        "3.149582 4.711686 7.220471 9.650742 9.940689 10.429194 10.429194 10.429194",
        "0.000019 3.505657 31.742581",
    ),
    "low_confidence": (
        "10 4 15 5 11 6 12 3",
        "0.000000 1.587302 2.222222 1.754386 1.481481 1.973684 2.409639 2.247191",
        "0.483480 0.299201 0.240713 0.236730 0.232490 0.228761 0.223737 0.123660",
        "0.000000 3.229733 4.222578 4.222578 4.222578 4.442092 6.195584 6.195584",
        "0.075842 0.717676 3.870406",
    ),
    "bansal_weld_coded": (
        "4 15 5 6 10 11 3 9",
        "3.333333 3.508772 2.469136 3.061224 2.290076 1.973684 1.829268 2.298851",
        "0.356555 0.298066 0.294083 0.281582 0.233001 0.228761 0.128683 0.083831",
        "3.229733 4.222578 4.222578 4.442092 4.442092 4.442092 4.442092 6.437391",
        "0.069639 0.737515 3.958157",
    ),
    "bansal_weld_gain": (
        "4 10 15 3 11 9 14 13",
        "3.333333 1.587302 2.222222 1.960784 1.626016 2.255639 2.142857 2.826855",
        "0.356555 0.299201 0.240713 0.140635 0.136396 0.091543 0.055540 0.050800",
        "3.229733 3.229733 4.222578 4.222578 4.222578 6.217877 6.217877 7.801588",
        "0.029902 0.950538 6.890137",
    ),
    "lakkaraju_coded": (
        "2 4 7 10 16 15 6 5",
        "11.111111 5.128205 5.063291 2.758621 2.614379 2.898551 3.319502 2.768166",
        "0.577139 0.255142 0.163048 0.105695 0.091474 0.076775 0.072913 0.069149",
        "2.501235 5.659598 5.659598 5.659598 5.659598 6.652276 6.871790 6.871790",
        "0.031432 0.937569 5.498583",
    ),
    "lakkaraju_first": (
        "1 4 7 10 5 2 3 8",
        "0.000000 3.030303 2.985075 1.503759 1.104972 2.010050 1.793722 1.702128",
        "0.638672 0.255664 0.163570 0.106217 0.098628 0.092110 0.085751 0.081986",
        "0.000000 3.229733 3.229733 3.229733 3.229733 5.659598 5.659598 5.659598",
        "0.333968 0.225339 3.744238",
    ),
    "facility": (
        "4 10 15 5 11 6 12 3",
        "3.333333 1.587302 2.222222 1.754386 1.481481 1.973684 2.409639 2.247191",
        "0.356555 0.299201 0.240713 0.236730 0.232490 0.228761 0.223737 0.123660",
        "3.229733 3.229733 4.222578 4.222578 4.222578 4.442092 6.195584 6.195584",
        "0.075842 0.717676 3.870406",
    ),
}  # fmt: skip
PRINTED = 5.1e-7


def numbers(text):
    return np.array(text.split(), dtype=float)


@pytest.mark.parametrize("name", ORDERS)
class TestKnownSet:
    def test_curves(self, name):
        order, ratio, apart, covered, _ = (numbers(one) for one in ORDERS[name])
        rows = order.astype(int) - 1
        errors = ERROR[rows]
        assert np.abs(measures.sdr(errors, CONFIDENCE[rows]) - ratio).max() < PRINTED
        assert np.abs(measures.spread(POINTS, rows) - apart).max() < PRINTED
        assert np.abs(measures.utility(CONFIDENCE, POINTS, rows, errors, 0.05) - covered).max() < PRINTED

    def test_chance(self, name):
        order, *_, (p, low, high) = (numbers(one) for one in ORDERS[name])
        rows = order.astype(int) - 1
        doubt = measures.chances(CONFIDENCE[rows])
        assert abs(measures.p_value(ERROR[rows].sum(), doubt) - p) < PRINTED
        found = measures.rate_interval(ERROR[rows].sum(), doubt)
        assert np.abs(np.subtract(found, (low, high))).max() < PRINTED


class TestRatios:
    def test_the_pool(self):
        assert measures.pool_sdr(ERROR, CONFIDENCE) == pytest.approx(3.196347, abs=PRINTED)
        assert measures.pool_sdr(np.stack([ERROR, 0 * ERROR]), np.stack([CONFIDENCE] * 2))[1] == 0

    def test_pooled_and_mean_of_ratios_by_hand(self):
        errors, c = [[1, 0], [0, 1]], [[0.9, 0.7], [0.8, 0.5]]
        assert measures.pooled(errors, c) == pytest.approx([1 / 0.3, 2 / 1.1])
        assert measures.mean_of_ratios(errors, c) == pytest.approx([10 / 2, (1 / 0.4 + 1 / 0.7) / 2])

    def test_the_published_mean_is_biased_where_the_class_is_not_calibrated(self):
        """Facts, section 6: .99 with 3 % errors and .70 with 30 %, half each: 2.0 against 1.065."""
        draw = generator(0, "tests/bias")
        c = np.where(draw.random((200_000, 1)) < 0.5, 0.99, 0.7)
        errors = draw.random(c.shape) < np.where(c == 0.99, 0.03, 0.3)
        assert measures.mean_of_ratios(errors, c)[0] == pytest.approx(2.0, abs=0.1)
        assert measures.pooled(errors, c)[0] == pytest.approx(0.33 / 0.31, abs=0.02)

    def test_nothing_expected_is_no_ratio(self):
        found = measures.sdr([1, 0, 1], [1.0, 1.0, 0.5])
        assert np.isnan(found[:2]).all()
        assert found[2] == 4
        assert np.isnan(measures.pool_sdr([0, 1], [1.0, 1.0]))
        assert np.isnan(measures.mean_of_ratios([[0], [1]], [[1.0], [0.5]])[0])

    def test_any_number_of_leading_axes(self):
        draw = generator(0, "tests/axes")
        errors, c = draw.random((2, 3, 5)) < 0.3, draw.uniform(0.6, 1, (2, 3, 5))
        found = measures.sdr(errors, c)
        assert found[1, 2] == pytest.approx(measures.sdr(errors[1, 2], c[1, 2]))

    @pytest.mark.parametrize(
        ("errors", "c", "message"),
        [
            ([1, 0], [0.9], r"shapes \(2,\) and \(1,\)"),
            ([2, 0], [0.9, 0.8], r"Errors must be true or false \(1 or 0\), got 2"),
            ([1, np.nan], [0.9, 0.8], r"Errors must be true or false \(1 or 0\), got nan"),
            ([1, 0], [0.9, 0], r"lie in \(0, 1\], got 0"),
            ([1, 0], [0.9, np.nan], r"lie in \(0, 1\], got nan"),
        ],
    )
    def test_bad_input(self, errors, c, message):
        for function in (measures.sdr, measures.pool_sdr):
            with pytest.raises(MistrustError, match=message):
                function(errors, c)
        with pytest.raises(MistrustError, match=r"Replicates have shape \(2,\)"):
            measures.pooled([0, 1], [0.5, 0.6])
        with pytest.raises(MistrustError, match=r"Replicates have shape \(0, 2\), expected \(R, b\) of at least one"):
            measures.pooled(np.zeros((0, 2)), np.zeros((0, 2)))
        assert measures.pooled([[1, 0]], [[0.9, 0.8]]) == pytest.approx([10, 10 / 3])  # one is enough


class TestAlike:
    def test_by_hand(self):
        c, errors = [0.7, 0.72, 0.74, 0.9, 0.92, 0.94], [1, 0, 1, 0, 0, 1]
        assert measures.alike([0.71, 0.94, 0.9], c, errors, bins=2) == pytest.approx([2 / 3, 1 / 3, 1 / 3])
        assert measures.expected_alike([0.7, 0.9], c, errors, bins=2) == pytest.approx([2 / 3, 1])

    def test_a_pool_of_one_confidence_is_one_bin(self):
        assert measures.alike([0.8], [0.8], [1]).tolist() == [1]
        assert measures.alike([0.8, 0.8], [0.8] * 4, [1, 0, 0, 0], bins=2).tolist() == [0.25, 0.25]
        assert measures.others_alike([0.8] * 3, [1, 0, 0]).tolist() == [0, 0.5, 0.5]

    @given(seed=st.integers(0, 999), bins=st.integers(1, 80))
    def test_over_the_whole_pool_it_expects_what_there_is(self, seed, bins):
        draw = generator(seed, "tests/alike")
        c = draw.uniform(0.65, 1, 60).round(2).clip(0.65, 1)
        errors = draw.random(60) < 0.3
        assert measures.expected_alike(c, c, errors, bins)[-1] == pytest.approx(errors.sum())

    def test_the_others_leave_ones_own_answer_out(self):
        c, errors = [0.7, 0.72, 0.74, 0.9, 0.92, 0.94], [1, 0, 1, 0, 0, 1]
        found = measures.others_alike(c, errors, bins=2, least=3)
        assert found == pytest.approx([1 / 2, 1, 1 / 2, 1 / 2, 1 / 2, 0])
        assert measures.others_alike(c, errors, bins=50, least=10) == pytest.approx(
            [2 / 5, 3 / 5, 2 / 5, 3 / 5, 3 / 5, 2 / 5]
        )
        assert measures.others_alike([0.7, 0.72, 0.9, 0.92], [1, 0, 1, 1], bins=2, least=2).tolist() == [0, 1, 1, 1]
        alone = measures.others_alike([0.7, 0.8, 0.9], [1, 0, 0], bins=3, least=1)  # a bin each: all others count
        assert alone.tolist() == [0, 0.5, 0.5]
        assert np.isnan(measures.others_alike([0.8], [1])).all()

    @pytest.mark.parametrize(("n", "size"), [(600, 12), (99, 11)])
    def test_the_others_are_of_fifty_bins_or_of_bins_of_ten_at_least(self, n, size):
        """600 make 50 bins of 12, 99 make 9 of 11; one of each is wrong, which the others see and it does not."""
        wrong = np.arange(n) % size == size - 1
        found = measures.others_alike(np.linspace(0.66, 0.99, n), wrong)
        assert found == pytest.approx(np.where(wrong, 0, 1 / (size - 1)))

    @given(seed=st.integers(0, 999))
    def test_random_queries_find_what_the_others_lead_to_expect(self, seed):
        draw = generator(seed, "tests/others alike")
        c = draw.uniform(0.65, 1, 60)
        errors = draw.random(60) < 0.3
        assert measures.others_alike(c, errors).sum() == pytest.approx(errors.sum())

    def test_bad_input(self):
        with pytest.raises(MistrustError, match=r"outside the pool's, \[0.7, 0.9\]"):
            measures.alike([0.95], [0.7, 0.9], [0, 1])
        with pytest.raises(MistrustError, match="bins is 0"):
            measures.alike([0.8], [0.7, 0.9], [0, 1], bins=0)
        for pool, errors, shape in (([[0.7, 0.9]], [[0, 1]], r"\(1, 2\)"), ([], [], r"\(0,\)")):
            with pytest.raises(MistrustError, match=rf"The pool has shape {shape}, expected \(n,\) of at least one"):
                measures.alike([0.8], pool, errors)

    def test_fifty_bins_of_two_are_pairs(self):
        """Of 100 members by confidence every other is wrong: a pair has one error, and the pair's others the rest."""
        c, errors = np.linspace(0.66, 0.99, 100), np.arange(100) % 2
        assert (measures.alike(c, c, errors) == 0.5).all()
        assert (measures.expected_alike(c, c, errors)[[1, 99]] == [1, 50]).all()


class TestSpread:
    @given(seed=st.integers(0, 9999), n=st.integers(2, 60), p=st.integers(1, 6), round_=st.booleans())
    def test_the_diameter_is_the_largest_of_all_distances(self, seed, n, p, round_):
        x = generator(seed, "tests/diameter").standard_normal((n, p)) ** 3
        x = x.round() if round_ else x
        assert measures.diameter(x) == pytest.approx(pdist(x).max(), rel=1e-12)

    def test_spread_is_the_mean_distance_to_the_nearest_query(self):
        x = generator(0, "tests/spread").standard_normal((300, 5))
        order = np.array([5, 0, 77, 200])
        apart = cdist(x, x) / pdist(x).max()
        expected = [apart[:, order[: b + 1]].min(1).mean() for b in range(4)]
        assert measures.spread(x, order) == pytest.approx(expected)
        assert measures.spread(x, order, largest=1.0) == pytest.approx(np.array(expected) * pdist(x).max())

    def test_all_asked_leaves_no_distance_and_equal_instances_have_none(self):
        x = generator(0, "tests/spread").standard_normal((20, 2))
        assert measures.spread(x, np.arange(20))[-1] == 0
        assert measures.spread(np.ones((5, 2)), np.array([0])) == 0

    def test_misaligned_rows_are_looked_up_in_another_table(self):
        """What was published: row 1 of the pool is row 3 of the test set, the distance is that of the set's row 1."""
        whole = generator(0, "tests/spread").standard_normal((40, 3))
        pool = np.arange(2, 40, 2)
        order = np.array([0, 7, 3])
        found = measures.misaligned_spread(whole, order)
        assert found[0] == 1  # only row 0 so far
        assert found[1:] == pytest.approx(measures.spread(whole, order)[1:])
        assert found[1:] != pytest.approx(measures.spread(whole[pool], order)[1:])
        assert (measures.misaligned_spread(whole, np.array([7, 0])) < 1).all()

    def test_utility_counts_errors_alone_and_never_falls(self):
        x = generator(0, "tests/utility").standard_normal((30, 2))
        c = np.linspace(0.6, 0.99, 30)
        order, errors = np.array([4, 9, 2, 20]), np.array([0, 1, 0, 1])
        found = measures.utility(c, x, order, errors, 0.05)
        similar = np.exp(-((cdist(x, x) / pdist(x).max()) ** 2) / 0.05)
        assert found == pytest.approx([0, *[c @ similar[:, 9]] * 2, c @ similar[:, [9, 20]].max(1)])
        assert (measures.utility(c, x, order, 0 * errors, 0.05) == 0).all()

    def test_bad_input(self):
        x, c = np.zeros((4, 2)), np.full(4, 0.9)
        for order, message in (([4], "rows 0 to 3, got 4"), ([-1], "got -1"), ([0.5], "whole numbers")):
            with pytest.raises(MistrustError, match=message):
                measures.spread(x, order)
        with pytest.raises(MistrustError, match="1 of 4 instances have features that are not finite"):
            measures.spread(np.where(np.arange(8).reshape(4, 2) == 3, np.nan, x), [0])
        with pytest.raises(MistrustError, match=r"shape \(4,\), expected \(n, p\)"):
            measures.spread(c, [0])
        with pytest.raises(MistrustError, match="largest distance is 0"):
            measures.spread(x, [0], largest=0)
        with pytest.raises(MistrustError, match="variance is 0"):
            measures.utility(c, x, [0], [1], 0)
        with pytest.raises(MistrustError, match=r"errors \(2,\)"):
            measures.utility(c, x, [0], [1, 0], 0.1)


class TestSimulatedNull:
    def test_for_a_fixed_order_it_is_the_exact_distribution(self):
        order = np.array([5, 12, 8, 1, 3, 14, 15, 0])
        null = measures.simulated_null(lambda errors: order, CONFIDENCE, 4000, seed=1)
        assert null.errors.shape == (4000, 8)
        counts = np.bincount(null.errors.sum(1), minlength=9) / 4000
        assert counts == pytest.approx(measures.poisson_binomial(1 - CONFIDENCE[order]), abs=0.03)
        seen = measures.sdr(ERROR[order], CONFIDENCE[order])
        exact = measures.p_value(ERROR[order].cumsum()[3], 1 - CONFIDENCE[order][:4])
        assert null.p_value(seen)[3] == pytest.approx(exact, abs=0.01)
        low, high = null.interval()
        assert (low <= 1).all()
        assert (high >= 1).all()

    def test_part_of_the_oracles_is_a_part_of_the_whole(self):
        search = lambda errors: np.argsort(~errors, kind="stable")[:3]  # noqa: E731
        whole = measures.simulated_null(search, CONFIDENCE, 300)
        part = measures.simulated_null(search, CONFIDENCE, range(250, 300))
        assert (part.errors == whole.errors[250:]).all()
        assert part.confidence == pytest.approx(whole.confidence[250:])

    def test_a_search_that_reads_answers_beforehand_is_seen_through_its_null(self):
        null = measures.simulated_null(lambda errors: np.argsort(~errors, kind="stable")[:1], CONFIDENCE, 500)
        assert null.sdr.mean() > 3

    def test_a_class_that_errs_so_much_more_often_does_so_and_draws_are_the_seeds(self):
        of = lambda **more: measures.simulated_null(lambda errors: np.arange(8), np.full(8, 0.9), 4000, **more)  # noqa: E731
        assert of().errors.mean() == pytest.approx(0.1, abs=0.005)
        assert of(multiplier=3).errors.mean() == pytest.approx(0.3, abs=0.01)
        assert of(multiplier=20).errors.all()  # no chance is above 1
        assert (of(seed=1).errors != of().errors).any()

    def test_its_interval_is_the_binomials_of_equal_confidences(self):
        null = measures.simulated_null(lambda errors: np.arange(8), np.full(8, 0.9), 4000)
        for level in (0.9, 0.5):
            ends = [end[-1] for end in null.interval(level)]
            assert ends == pytest.approx(binom.ppf([(1 - level) / 2, (1 + level) / 2], 8, 0.1) / 0.8)

    def test_where_nothing_was_expected_there_is_no_p(self):
        confidence = np.array([1.0, 0.9, 0.8])
        null = measures.simulated_null(lambda errors: np.array([0, 1]), confidence, 200)
        p = null.p_value(measures.sdr([0, 0], confidence[:2]))
        assert np.isnan(p[0])
        assert p[1] == 1.0

    def test_bad_input(self):
        with pytest.raises(MistrustError, match="at least one oracle"):
            measures.simulated_null(lambda errors: np.array([0]), CONFIDENCE, 0)
        with pytest.raises(MistrustError, match="a row twice"):
            measures.simulated_null(lambda errors: np.array([0, 0]), CONFIDENCE, 2)
        with pytest.raises(MistrustError, match="rows outside 0 to 15"):
            measures.simulated_null(lambda errors: np.array([16]), CONFIDENCE, 2)
        with pytest.raises(MistrustError, match="orders of shapes"):
            measures.simulated_null(lambda errors: np.arange(1 + errors[0]), CONFIDENCE, 200)
        with pytest.raises(MistrustError, match=r"expected \(1,\): one per query"):
            measures.simulated_null(lambda errors: np.array([0]), CONFIDENCE, 2).p_value([1.0, 2.0])


X, C, E = [[0.0, 0.0], [3.0, 4.0]], [0.9, 0.8], [1, 0]
# What is read: a message begins with the words before "of".
READ = {
    "errors of sdr": lambda x: measures.sdr(x, C),
    "confidences of sdr": lambda x: measures.sdr(E, x),
    "errors of pooled": lambda x: measures.pooled(x, [C]),
    "queries of alike": lambda x: measures.alike(x, C, E, 2),
    "confidences of a pool": lambda x: measures.others_alike(x, E),
    "confidences of chances": lambda x: measures.chances(x),
    "probabilities": lambda x: measures.poisson_binomial(x),
    "errors found": lambda x: measures.p_value(x, C),
    "errors found so far": lambda x: measures.p_values(x, C),
    "features": lambda x: measures.diameter(x),
    "queries of spread": lambda x: measures.spread(X, x),
    "confidences of utility": lambda x: measures.utility(x, X, [0, 1], E, 0.1),
    "errors of utility": lambda x: measures.utility(C, X, [0, 1], x, 0.1),
    "confidences of a null": lambda x: measures.simulated_null(lambda errors: np.array([0]), x, 2),
    "oracles": lambda x: measures.simulated_null(lambda errors: np.array([0]), C, x),
}


@pytest.mark.parametrize("read", READ)
def test_what_is_no_row_of_numbers_is_refused(read, no_numbers):
    called = read.split(" of ")[0].capitalize()
    with pytest.raises(MistrustError, match=rf"^{called} are .*, expected (whole )?numbers"):
        READ[read](no_numbers)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: measures.alike(C, C, E, x), "bins is"),
        (lambda x: measures.others_alike(C, E, x), "bins is"),
        (lambda x: measures.others_alike(C, E, 1, x), "least is"),
        (lambda x: measures.chances(C, x), "multiplier of the error rate is"),
        (lambda x: measures.rate_interval(1, C, confidence_level=x), "confidence_level is"),
        (lambda x: measures.sdr_interval(1, C, confidence_level=x), "confidence_level is"),
        (lambda x: measures.spread(X, [0], x), "largest distance is"),
        (
            lambda x: measures.simulated_null(lambda errors: np.array([0]), C, 2).interval(confidence_level=x),
            "confidence_level is",
        ),
    ],
)
@pytest.mark.parametrize("value", ["0.5", (), [1, 2], 1j, np.nan, np.inf, -1])
def test_what_is_no_number_of_use_is_refused(call, message, value):
    with pytest.raises(MistrustError, match=message):
        call(value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measures.utility([90, 80], X, [0], [1], 0.1), r"lie in \(0, 1\], got 90"),
        (lambda: measures.utility(C, X, [0], [np.nan], 0.1), "true or false .* got nan"),
        (lambda: measures.p_value([1, 1, 1], [C, C]), r"shape \(3,\), expected \(2,\)"),
        (lambda: measures.p_values([[1]], [[0.5]]), r"shape \(1, 1\), expected \(n,\)"),
        (lambda: measures.others_alike([C], [E]), r"shape \(1, 2\), expected \(n,\)"),
        (lambda: measures.simulated_null(lambda errors: np.array([0]), [C], 2), r"shape \(1, 2\), expected \(n,\)"),
        (lambda: measures.diameter([[1.0], [1.0 + 1e-15]]), None),  # near to each other, and far from underflow
        (lambda: measures.diameter([[0.0, 3e-170], [4e-170, 0.0]]), "differ by 4e-170 at most: .* Rescale"),
        (lambda: measures.spread([[0.0], [1e-200]], [0]), "differ by 1e-200 at most"),
        (lambda: measures.spread([[1e-200], [1e-200]], [0]), None),  # alike, however small
    ],
)
def test_other_bad_input(call, message):
    if message is None:
        assert np.isfinite(call()).all()
        return
    with pytest.raises(MistrustError, match=message):
        call()
