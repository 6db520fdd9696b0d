import numpy as np
import pytest
import torch
from dnn_tip import surprise as dnn_tip
from sklearn.covariance import EmpiricalCovariance, LedoitWolf

from mistrust.errors import MistrustError, UnknownName
from mistrust.supervisors import make_supervisor
from mistrust.supervisors.surprise import COVARIANCES, ellipsoid, mdsa

INF = float("inf")


# Golden: facts/ambiguess.md section 11, made there with dnn-tip 0.1.1 and with the formulas, which agree to 1e-10


def test_golden(golden):
    found = mdsa(golden.train, golden.groups, golden.queries, golden.predicted)
    assert found.tolist() == pytest.approx([0.5901785714, 39.8928571429, 0.39375, 181.7777777778], abs=5e-11)


def test_golden_ledoit_wolf(golden):
    found = mdsa(golden.train, golden.groups, golden.queries, golden.predicted, covariance="ledoit_wolf")
    assert found.tolist() == pytest.approx([0.8223684211, 29.1842105263, 0.5044642857, 130.8571428571], abs=5e-11)
    assert LedoitWolf().fit(golden.train[:5].numpy()).shrinkage_ == 1


def test_golden_pseudo_inverse_ignores_what_does_not_vary(golden):
    train = torch.nn.functional.pad(golden.train, (0, 1), value=0.7)
    queries = torch.tensor([[0.4, 0.25, 0.0], [0.4, 0.25, 3.0]], dtype=torch.float64)
    predicted = torch.tensor([0, 0])
    assert mdsa(train, golden.groups, queries, predicted).tolist() == pytest.approx([0.5901785714] * 2, abs=5e-11)
    ridged = mdsa(train, golden.groups, queries, predicted, covariance="ridge", ridge=1e-3)
    floor = 1e-3 * train[:5].var(0, correction=0).sum() / 3
    assert float(ridged[1] - ridged[0]) == pytest.approx(float((2.3**2 - 0.7**2) / floor), rel=1e-12)


@pytest.mark.parametrize("features", [1, 6, 40])
def test_dnn_tip(clouds, features):
    some = clouds(rows=60, features=features, queries=30)  # 20 rows a class: fewer than the last has features
    peer = dnn_tip.MultiModalSA.build_by_class(
        some.train.numpy(), some.groups.numpy(), lambda rows, _: dnn_tip.MDSA(rows)
    )
    expected = peer(some.queries.numpy(), some.predicted.numpy())
    found = mdsa(some.train, some.groups, some.queries, some.predicted)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("off", [0, 3])  # features that do not vary, as units that a class never switches on
@pytest.mark.parametrize("features", [1, 4, 25])
@pytest.mark.parametrize("covariance", list(COVARIANCES))
def test_scikit_learn(clouds, features, covariance, off):
    some = clouds(rows=18, features=features, classes=1)
    rows, queries = (np.pad(x.numpy(), ((0, 0), (off, 0)), constant_values=0.3) for x in (some.train, some.queries))
    features += off
    model = (LedoitWolf() if covariance == "ledoit_wolf" else EmpiricalCovariance()).fit(rows)
    inverse = model.get_precision()
    if covariance == "ridge":
        inverse = np.linalg.inv(model.covariance_ + 0.03 * np.trace(model.covariance_) / features * np.eye(features))
    away = queries - model.location_
    given = torch.from_numpy(rows), some.groups, torch.from_numpy(queries), some.predicted
    found = mdsa(*given, covariance=covariance, ridge=0.03)
    np.testing.assert_allclose(found, np.einsum("ni,ij,nj->n", away, inverse, away), rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_a_feature_that_does_not_vary_hides_any_deviation(clouds, seed):
    """Of dependent features, which are decomposed, the least one has a millionth of the largest one's variance."""
    some = clouds(rows=240, features=12, queries=30, classes=2, seed=seed)
    source = torch.Generator().manual_seed(seed)
    spread = 10.0 ** (3 * torch.rand(12, generator=source, dtype=torch.float64) - 1.5)
    order = torch.randperm(18, generator=source)
    train, queries = (torch.cat((x, x[:, :1]), 1) for x in (some.train * spread, some.queries * spread))
    expected = mdsa(train, some.groups, queries, some.predicted)
    flat, beside = (torch.nn.functional.pad(x, (5, 0), value=at)[:, order] for x, at in ((train, 0.1), (queries, 1e7)))
    np.testing.assert_allclose(mdsa(flat, some.groups, beside, some.predicted), expected, rtol=1e-5)


@pytest.mark.parametrize("seed", range(20))
def test_ledoit_and_wolf_see_no_noise_in_two_rows(seed):
    """By their formula: the products of both rows with themselves are one matrix, so the pseudo-inverse is left."""
    source = torch.Generator().manual_seed(seed)
    rows = torch.randn(2, 1 + 7 * seed, generator=source, dtype=torch.float64).relu() + 0.1
    rows = torch.cat([rows] * (1 + seed % 3))  # each as often as the other
    beside = torch.randn(5, rows.shape[1], generator=source, dtype=torch.float64)
    along = rows[1] - rows[0]
    expected = (4 * ((beside - rows.mean(0)) @ along).square() / along.square().sum() ** 2).tolist()
    assert ellipsoid(rows, "ledoit_wolf").surprise(beside).tolist() == pytest.approx(expected, rel=1e-9)


def test_float32_far_from_the_origin(clouds):
    some = clouds(rows=90)
    train, queries = (some.train + 1000).float(), (some.queries + 1000).float()
    found = mdsa(train, some.groups, queries, some.predicted)
    assert torch.equal(found, mdsa(train.double(), some.groups, queries.double(), some.predicted))
    assert found.tolist() == pytest.approx(
        mdsa(some.train, some.groups, some.queries, some.predicted).tolist(), rel=1e-2
    )


# Laws


@pytest.mark.parametrize("covariance", list(COVARIANCES))
@pytest.mark.parametrize("seed", range(3))
def test_laws(clouds, covariance, seed):
    some = clouds(rows=45, features=4, seed=seed)
    scores = mdsa(some.train, some.groups, some.queries, some.predicted, covariance=covariance)
    order = torch.randperm(45, generator=torch.Generator().manual_seed(seed))
    permuted = mdsa(some.train[order], some.groups[order], some.queries, some.predicted, covariance=covariance)
    np.testing.assert_allclose(permuted, scores, rtol=1e-10, atol=0)
    scaled = mdsa(some.train * 3e-5, some.groups, some.queries * 3e-5, some.predicted, covariance=covariance)
    np.testing.assert_allclose(scaled, scores, rtol=1e-9, atol=0)
    chosen = torch.tensor([7, 2, 11])
    np.testing.assert_allclose(
        mdsa(some.train, some.groups, some.queries[chosen], some.predicted[chosen], covariance=covariance),
        scores[chosen], rtol=1e-12, atol=0,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_affine_maps_change_nothing(clouds, seed):
    some = clouds(rows=60, features=4, seed=seed)
    mix = torch.tensor([[2.0, 1, 0, 0], [0, 3, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]], dtype=torch.float64)
    mixed = mdsa(some.train @ mix + 7, some.groups, some.queries @ mix + 7, some.predicted)
    np.testing.assert_allclose(mixed, mdsa(some.train, some.groups, some.queries, some.predicted), rtol=1e-9, atol=0)


def test_training_rows_have_their_rank_as_mean(clouds):
    some = clouds(rows=50, features=7, classes=1)
    assert float(mdsa(some.train, some.groups, some.train, some.groups).mean()) == pytest.approx(7, rel=1e-12)
    few = mdsa(some.train[:5], some.groups[:5], some.train[:5], some.groups[:5])
    assert few.tolist() == pytest.approx([4] * 5, rel=1e-9)


@pytest.mark.parametrize("covariance", list(COVARIANCES))
@pytest.mark.parametrize("features", [3, 30])
def test_blocks(clouds, monkeypatch, covariance, features):
    some = clouds(rows=60, features=features)
    whole = mdsa(some.train, some.groups, some.queries, some.predicted, covariance=covariance)
    monkeypatch.setattr("mistrust.supervisors.surprise.groups.BLOCK", 100)
    parts = mdsa(some.train, some.groups, some.queries, some.predicted, covariance=covariance)
    np.testing.assert_allclose(parts, whole, rtol=1e-10, atol=0)


# What cannot be judged


@pytest.mark.parametrize("covariance", list(COVARIANCES))
def test_one_row_equal_rows_and_no_row(golden, covariance):
    train = torch.cat([golden.train, torch.tensor([[2.0, 3.0]]), torch.full((3, 2), 0.1)])
    groups = torch.cat([golden.groups, torch.tensor([2, 3, 3, 3])])
    queries = torch.tensor([[2.0, 3.0], [0.1, 0.1], [0.0, 0.0], [0.4, 0.25]], dtype=torch.float64)
    found = mdsa(train, groups, queries, torch.tensor([2, 3, 8, 0]), covariance=covariance)
    assert found.isinf().tolist() == [True, True, True, False]


def test_supervisor(golden, recorded):
    one = make_supervisor("mdsa").fit(recorded(golden.train, golden.groups))
    assert one.unjudged == ("c",)
    seen = recorded(golden.queries, torch.tensor([0, 0, 1, 2]))
    assert one.score(seen).tolist() == pytest.approx([0.5901785714, 39.8928571429, 0.39375, INF], abs=5e-11)
    for covariance in COVARIANCES:
        other = make_supervisor("mdsa", covariance=covariance, ridge=0.2).fit(recorded(golden.train, golden.groups))
        expected = mdsa(
            golden.train, golden.groups, golden.queries[:3], golden.predicted[:3], covariance=covariance, ridge=0.2
        )
        np.testing.assert_allclose(other.score(seen)[:3], expected, rtol=1e-12, atol=0)


def test_bad_input(golden, recorded):
    one = make_supervisor("mdsa").fit(recorded(golden.train, golden.groups))
    with pytest.raises(MistrustError, match="fitted on 2 numbers per image of layer 'hidden', this record has 1"):
        one.score(recorded(torch.ones(1, 1), torch.tensor([0])))
    with pytest.raises(MistrustError, match=r"layer 'hidden' holds .* that are NaN or infinite"):
        make_supervisor("mdsa").fit(recorded(golden.train / 0, golden.groups))
    with pytest.raises(UnknownName, match=r"no covariance of MDSA 'ledoit-wolf'. Did you mean 'ledoit_wolf'"):
        make_supervisor("mdsa", covariance="ledoit-wolf")
    with pytest.raises(UnknownName, match="no covariance of MDSA 'inverse'"):
        ellipsoid(golden.train, "inverse")
    for ridge in (-1, 0, float("inf"), float("nan")):
        with pytest.raises(MistrustError, match=f"MDSA adds a ridge above 0, got {ridge}"):
            mdsa(golden.train, golden.groups, golden.queries, golden.predicted, covariance="ridge", ridge=ridge)
    with pytest.raises(MistrustError, match="MDSA: ridge is '1', expected a number"):
        ellipsoid(golden.train, "ridge", "1")
    with pytest.raises(MistrustError, match="MDSA adds a ridge above 0, got -1"):
        make_supervisor("mdsa", ridge=-1)


@pytest.mark.parametrize("covariance", list(COVARIANCES))
def test_eigenvectors_are_asked_for_only_where_features_depend_on_each_other(monkeypatch, covariance):
    """They cost ten times a Cholesky factor; features that do not vary at all do without them, too."""
    rows = torch.from_numpy(np.random.default_rng(0).normal(size=(50, 4)))
    dull = torch.nn.functional.pad(rows, (1, 2), value=0.3)
    twice = torch.cat((rows, rows[:, :1]), dim=1)
    asked, eigh = [], torch.linalg.eigh
    monkeypatch.setattr(torch.linalg, "eigh", lambda x: asked.append(len(x)) or eigh(x))
    assert len(ellipsoid(dull, covariance).axes) == 7
    assert not asked
    assert len(ellipsoid(twice, covariance).axes) == 5
    assert asked == ([5] if covariance == "pinv" else [])
