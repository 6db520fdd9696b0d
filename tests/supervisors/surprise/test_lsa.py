import math

import numpy as np
import pytest
import torch
from dnn_tip import surprise as dnn_tip
from scipy.stats import gaussian_kde, multivariate_normal

from mistrust.errors import MistrustError
from mistrust.supervisors import make_supervisor
from mistrust.supervisors.surprise import density, lsa

INF = float("inf")
FAR = torch.tensor([[60.0, 60.0]], dtype=torch.float64)


def kernels(rows, covariance, queries):
    """-log density by hand: a mixture of normals around the rows, with Scott's factor."""
    m, d = rows.shape
    width = m ** (-2 / (d + 4))
    logs = [multivariate_normal(row, covariance * width).logpdf(queries) for row in rows]
    return -np.logaddexp.reduce(logs, 0) + math.log(m)


# Golden: facts/ambiguess.md section 11, made there with scipy's gaussian_kde (-logpdf) and with dnn-tip 0.1.1


def test_golden(golden):
    found = lsa(golden.train, golden.groups, golden.queries, golden.predicted)
    assert found.tolist() == pytest.approx([1.8023796308, 20.5850115511, 2.0134751209, 106.4179945284], abs=5e-11)


def test_golden_scott_factor(golden):
    rows = golden.train[5:]  # whose features are correlated
    kernel = density(rows).factor @ density(rows).factor.T
    assert (kernel / rows.T.cov()).sqrt().flatten().tolist() == pytest.approx([0.7647244913] * 4, abs=5e-11)


def test_golden_far_away(golden):
    near = torch.tensor([0])
    assert lsa(golden.train, golden.groups, FAR, near).tolist() == pytest.approx([16158.6249420579], abs=5e-11)
    assert lsa(golden.train, golden.groups, FAR, near, as_published=True).tolist() == [INF]


@pytest.mark.parametrize("features", [1, 2, 8])
def test_scipy(clouds, features):
    some = clouds(rows=120, features=features, queries=30)
    found = lsa(some.train, some.groups, some.queries, some.predicted)
    for group in range(3):
        rows, queries = some.train[some.groups == group], some.queries[some.predicted == group]
        expected = -gaussian_kde(rows.T.numpy()).logpdf(queries.T.numpy())
        np.testing.assert_allclose(found[some.predicted == group], expected, rtol=1e-10)


@pytest.mark.filterwarnings("ignore:The version of scipy")
def test_dnn_tip_with_fewer_features(clouds):
    some = clouds(rows=90, features=9, queries=30)
    peer = dnn_tip.MultiModalSA.build_by_class(
        some.train.numpy(), some.groups.numpy(), lambda rows, _: dnn_tip.LSA(rows, max_features=4)
    )
    expected = peer(some.queries.numpy(), some.predicted.numpy())
    assert np.isfinite(expected).all()
    for published in (False, True):
        found = lsa(some.train, some.groups, some.queries, some.predicted, features=4, as_published=published)
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert density(some.train[some.groups == 0], features=4).columns.tolist() == sorted(
        some.train[some.groups == 0].var(0).argsort()[-4:].tolist()
    )


def test_all_features():
    rows = torch.randn(5, 310, generator=torch.Generator().manual_seed(0))
    assert len(density(rows).columns) == 300
    assert len(density(rows, features=0).columns) == 310


def test_float32(clouds):
    some = clouds(rows=90)
    train, queries = some.train.float(), some.queries.float()
    found = lsa(train, some.groups, queries, some.predicted)
    assert found.dtype == torch.float64
    assert torch.equal(found, lsa(train.double(), some.groups, queries.double(), some.predicted))


# Singular covariances


def test_a_feature_that_does_not_vary_is_left_out(golden):
    train, queries = (torch.nn.functional.pad(x, (0, 1), value=0) for x in (golden.train, golden.queries))
    with pytest.raises(
        np.linalg.LinAlgError
    ):  # scipy, and with it dnn-tip; of other constants rounding makes a density
        gaussian_kde(train[:5].T.numpy())
    expected = lsa(golden.train, golden.groups, golden.queries, golden.predicted)
    train[:, 2], queries[:, 2] = 0.1, 0.1  # whose sum of five, over five, is not 0.1
    queries[0, 2] = 9  # no row of the class says how far this is
    np.testing.assert_allclose(lsa(train, golden.groups, queries, golden.predicted), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("case", ["a feature twice", "fewer rows than features"])
def test_ridge_where_singular(clouds, case):
    some = clouds(rows=24, features=3, classes=1)
    train, queries = (torch.cat([x, x[:, :1]], 1) for x in (some.train, some.queries))
    train = train if case == "a feature twice" else train[:4]
    groups = some.groups[: len(train)]
    found = lsa(train, groups, queries, some.predicted, ridge=0.05)
    covariance = np.cov(train.T.numpy())
    ridged = covariance + 0.05 * np.trace(covariance) / 4 * np.eye(4)
    np.testing.assert_allclose(found, kernels(train.numpy(), ridged, queries.numpy()), rtol=1e-9)


def test_no_ridge_where_regular(clouds):
    some = clouds(rows=60, features=6)
    # Units a million times apart are no singularity.
    units = torch.tensor([1e-6, 1, 1e6, 1, 1, 1], dtype=torch.float64)
    plain = lsa(some.train, some.groups, some.queries, some.predicted)
    found = lsa(some.train * units, some.groups, some.queries * units, some.predicted)
    np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-9)


def test_far_points_keep_their_order(clouds):
    some = clouds(rows=30)
    away = 10.0 ** torch.arange(2, 9, dtype=torch.float64)[:, None] * torch.ones(5)
    groups = torch.zeros(7, dtype=torch.int64)
    found = lsa(some.train, some.groups, away, groups)
    assert bool(found.isfinite().all())
    assert bool((found.diff() > 0).all())
    assert lsa(some.train, some.groups, away, groups, as_published=True).tolist() == [INF] * 7


def test_as_published_gives_up_on_a_singular_class(clouds):
    some = clouds(rows=24, features=3, classes=1)
    train, queries = (torch.cat([x, x[:, :1]], 1) for x in (some.train, some.queries))
    found = lsa(train, some.groups, queries, some.predicted, as_published=True)
    assert found.tolist() == [INF] * len(queries)


def test_as_published_replaces_the_diagonal():
    source = torch.Generator().manual_seed(0)
    train = 1e-4 * torch.randn(12, 2, generator=source, dtype=torch.float64)
    train = torch.cat([train, train.sum(1, keepdim=True)], 1)
    queries = train[:6] + 1e-5
    zeros = torch.zeros(12, dtype=torch.int64)
    found = lsa(train, zeros, queries, zeros[:6], as_published=True)
    covariance, diagonal = np.cov(train.T.numpy()), 1e-10
    np.fill_diagonal(covariance, diagonal)
    while np.linalg.eigvalsh(covariance)[0] <= 0:
        diagonal *= 2
        np.fill_diagonal(covariance, diagonal)
    assert 1e-10 < diagonal < 1e-5
    np.testing.assert_allclose(found, kernels(train.numpy(), covariance, queries.numpy()), rtol=1e-9)


def test_as_published_keeps_features_that_do_not_vary():
    # Zeros in the covariance, so its diagonal becomes 1e-10 throughout, and the good feature's variance is forgotten.
    train = torch.tensor([[0.0, 1.0], [1.0, 1.0], [3.0, 1.0]], dtype=torch.float64)
    zeros = torch.zeros(3, dtype=torch.int64)
    found = lsa(train, zeros, train, zeros, as_published=True)
    np.testing.assert_allclose(found, kernels(train.numpy(), 1e-10 * np.eye(2), train.numpy()), rtol=1e-9)
    assert lsa(train, zeros, train + 0.5, zeros, as_published=True).tolist() == [INF] * 3


# Laws


@pytest.mark.parametrize("seed", range(5))
def test_laws(clouds, seed):
    some = clouds(rows=45, features=4, seed=seed)
    scores = lsa(some.train, some.groups, some.queries, some.predicted)
    order = torch.randperm(45, generator=torch.Generator().manual_seed(seed))
    permuted = lsa(some.train[order], some.groups[order], some.queries, some.predicted)
    np.testing.assert_allclose(permuted, scores, rtol=1e-11, atol=0)
    # A density of x / a is a^d times that of x.
    scaled = lsa(some.train * 0.02, some.groups, some.queries * 0.02, some.predicted)
    np.testing.assert_allclose(scaled, scores + 4 * math.log(0.02), rtol=1e-10, atol=1e-10)
    mix = torch.tensor([[2.0, 1, 0, 0], [0, 3, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]], dtype=torch.float64)
    mixed = lsa(some.train @ mix + 7, some.groups, some.queries @ mix + 7, some.predicted)
    np.testing.assert_allclose(mixed, scores + math.log(abs(float(mix.det()))), rtol=1e-9, atol=1e-9)
    chosen = torch.tensor([7, 2, 11])
    np.testing.assert_allclose(
        lsa(some.train, some.groups, some.queries[chosen], some.predicted[chosen]), scores[chosen], rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("published", [False, True])
def test_blocks(clouds, monkeypatch, published):
    some = clouds(rows=70)
    whole = lsa(some.train, some.groups, some.queries, some.predicted, as_published=published)
    monkeypatch.setattr("mistrust.supervisors.surprise.likelihood.ROWS", 6)
    monkeypatch.setattr("mistrust.supervisors.surprise.groups.BLOCK", 17)
    monkeypatch.setattr("mistrust.supervisors.surprise.groups.QUERIES", 2)
    parts = lsa(some.train, some.groups, some.queries, some.predicted, as_published=published)
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=0)


def test_two_rows_have_a_density():
    rows = torch.tensor([[0.0, 1.0], [2.0, 0.0]], dtype=torch.float64)
    queries = torch.tensor([[0.3, 0.4], [5.0, -1.0]], dtype=torch.float64)
    covariance = np.cov(rows.numpy().T)
    ridged = covariance + 0.01 * np.trace(covariance) / 2 * np.eye(2)
    assert density(rows).surprise(queries).tolist() == pytest.approx(kernels(rows.numpy(), ridged, queries), rel=1e-10)


def test_a_ridge_also_where_rounding_lets_a_factor_be():
    """The third feature is the mean of the others but for 1e-9: for some rows Cholesky succeeds, by rounding."""
    passed = 0
    for seed in range(30):
        draw = np.random.default_rng(seed)
        two = draw.normal(size=(40, 2))
        rows = np.column_stack([two, two.mean(1) + 1e-9 * draw.normal(size=40)])
        covariance = np.cov(rows.T)
        passed += int(torch.linalg.cholesky_ex(torch.from_numpy(covariance)).info) == 0
        ridged = covariance + 0.01 * np.trace(covariance) / 3 * np.eye(3)
        found = density(torch.from_numpy(rows)).surprise(torch.from_numpy(rows[:3] + 0.1))
        assert found.tolist() == pytest.approx(kernels(rows, ridged, rows[:3] + 0.1), rel=1e-7)
    assert passed > 3


@pytest.mark.parametrize(("variance", "judged"), [(1e-6, True), (1e-3, False)])
def test_as_published_replaces_a_diagonal_by_at_most_a_hundred_thousandth(variance, judged):
    """Beside a twin, whose covariance is as large as its variance, a diagonal has to be larger than that."""
    column = torch.randn(50, 1, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    column = column / column.std() * variance**0.5
    assert (density(torch.cat([column, column], 1), as_published=True) is not None) == judged


def test_as_published_keeps_features_that_do_not_vary_among_those_of_highest_variance():
    rows = torch.zeros(4, 5, dtype=torch.float64)
    rows[:, 3], rows[:, 1] = torch.tensor([-1.0, 1, -1, 1]), torch.tensor([-2.0, -2, 2, 2])
    assert density(rows, features=3).columns.tolist() == [1, 3]
    assert density(rows, features=3, as_published=True).columns.tolist() == [0, 1, 3]


def test_as_published_nothing_of_an_endless_density_is_nothing():
    """Of many features of little variance the norm is above float64's range: a far point has 0 of infinity, so 0."""
    rows = 1e-4 * torch.randn(200, 100, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    found = density(rows, as_published=True).surprise(torch.stack([rows[0], rows[0] + 1]))
    assert found.tolist() == [-INF, INF]


# What cannot be judged


def test_one_row_equal_rows_and_no_row(golden):
    train = torch.cat([golden.train, torch.tensor([[2.0, 3.0]]), torch.full((3, 2), 0.1)])
    groups = torch.cat([golden.groups, torch.tensor([2, 3, 3, 3])])
    queries = torch.tensor([[2.0, 3.0], [0.1, 0.1], [0.0, 0.0], [0.4, 0.25]], dtype=torch.float64)
    found = lsa(train, groups, queries, torch.tensor([2, 3, 8, 0]))
    assert found.tolist() == pytest.approx([INF, INF, INF, 1.8023796308], abs=5e-11)


def test_supervisor(golden, recorded):
    one = make_supervisor("lsa").fit(recorded(golden.train, golden.groups))
    assert one.unjudged == ("c",)
    seen = recorded(torch.cat([golden.queries, FAR, FAR]), torch.cat([golden.predicted, torch.tensor([0, 2])]))
    expected = [1.8023796308, 20.5850115511, 2.0134751209, 106.4179945284, 16158.6249420579, INF]
    assert one.score(seen).tolist() == pytest.approx(expected, abs=5e-11)
    published = make_supervisor("lsa", as_published=True).fit(recorded(golden.train, golden.groups))
    assert published.score(seen).tolist() == pytest.approx([*expected[:4], INF, INF], abs=5e-11)
    fewer = make_supervisor("lsa", features=1).fit(recorded(golden.train, golden.groups)).score(seen)[:4]
    assert torch.equal(fewer, lsa(golden.train, golden.groups, golden.queries, golden.predicted, features=1))


def test_bad_input(golden, recorded):
    one = make_supervisor("lsa").fit(recorded(golden.train, golden.groups))
    with pytest.raises(MistrustError, match="fitted on 2 numbers per image of layer 'hidden', this record has 3"):
        one.score(recorded(torch.ones(1, 3), torch.tensor([0])))
    broken = recorded(golden.queries / 0, golden.predicted)
    with pytest.raises(MistrustError, match=r"layer 'hidden' holds .* that are NaN or infinite"):
        one.score(broken)
    with pytest.raises(MistrustError, match="8 numbers of the queries are NaN or infinite"):
        lsa(golden.train, golden.groups, golden.queries / 0, golden.predicted)
    for parameters, message in (
        ({"features": -1}, "LSA keeps 0 .all. or more features .* got features=-1"),
        ({"features": 1.5}, "LSA: features is 1.5, expected a whole number"),
        ({"ridge": -1}, "adds a ridge above 0, got features=300, ridge=-1"),
    ):
        with pytest.raises(MistrustError, match=message):
            lsa(golden.train, golden.groups, golden.queries, golden.predicted, **parameters)
    with pytest.raises(MistrustError, match="adds a ridge above 0, got features=300, ridge=0"):
        make_supervisor("lsa", ridge=0)
    twice = torch.cat([golden.train, golden.train], 1)
    with pytest.raises(MistrustError, match=r"singular with a ridge of 1e-30, too. Give a larger one"):
        lsa(twice, golden.groups, twice, golden.groups, ridge=1e-30)
    with pytest.raises(MistrustError, match="got features=-1"):
        make_supervisor("lsa", features=-1)
