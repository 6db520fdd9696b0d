"""KNN: by hand, against all distances in float64 and pytorch-ood 0.4.0, and where float32 products do not suffice."""

from math import sqrt

import pytest
import torch
from pytorch_ood import detector as peers

from mistrust.errors import MistrustError
from mistrust.supervisors import kth_nearest, make_supervisor
from mistrust.supervisors.kth_nearest import kth_distance, squared_norms
from mistrust.supervisors.made_up import made_up
from mistrust.supervisors.neighbours import knn, unit
from mistrust.supervisors.relative import relative_mahalanobis


def some(n, d, seed=0):
    return torch.randn(n, d, generator=torch.Generator().manual_seed(seed)).relu()


def all_distances(train, queries, k):
    """Every distance from differences in float64, sorted."""
    return (queries.double()[:, None] - train.double()).square().sum(-1).sqrt().sort(1).values[:, k - 1]


@pytest.mark.parametrize(("k", "expected"), [(1, 0.0), (2, sqrt(2)), (3, 2.0), (50, 2.0)])
def test_by_hand(k, expected):
    # Directions east, north, west; the query looks east. There are three rows: the 50th nearest is the farthest.
    train = torch.tensor([[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0]])
    assert float(knn(train, torch.tensor([[5.0, 0.0]]), k)) == pytest.approx(expected, abs=1e-12)


def test_a_row_of_zeros_has_no_direction():
    train = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    zeros = torch.zeros(1, 2)
    assert float(knn(train, zeros, 1)) == 1
    assert float(knn(zeros, zeros, 1)) == 0
    assert float(knn(zeros, train[:1], 1)) == 1


@pytest.mark.parametrize("k", [1, 7, 50])
def test_is_that_of_pytorch_ood(k):
    train, queries = some(200, 12), some(40, 12, 1)
    theirs = (
        peers.KNN(None, k, algorithm="brute")
        .fit_features(train, torch.zeros(200, dtype=torch.int64))
        .predict_features(queries)
    )
    torch.testing.assert_close(knn(train, queries, k), theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("k", [1, 3, 50, 300])
def test_exact_however_blocks_are_cut(monkeypatch, k):
    train, queries = some(300, 9), some(50, 9, 1)
    expected = all_distances(train, queries, k)
    whole = kth_distance(train, queries, k)
    torch.testing.assert_close(whole, expected, rtol=1e-14, atol=0)
    monkeypatch.setattr(kth_nearest, "QUERIES", 7)
    monkeypatch.setattr(kth_nearest, "GATHERED", 3)
    for block in (13, 299, 1000):
        torch.testing.assert_close(kth_distance(train, queries, k, block=block), whole, rtol=1e-14, atol=0)


@pytest.mark.parametrize("width", [3, 64, 65, 1000, 1003, 40_007])
@pytest.mark.parametrize("kind", ["numbers", "ties", "rising", "falling"])
def test_the_smallest_numbers_are_those_of_topk_however_many_levels_of_groups(width, kind):
    numbers = some(5, width)
    numbers = {
        "numbers": numbers, "ties": numbers.round(), "rising": numbers.sort(1).values,
        "falling": numbers.sort(1, descending=True).values,
    }[kind]  # fmt: skip
    for kept in (1, 7, 33):
        value, column = kth_nearest._smallest(numbers, kept)
        assert torch.equal(value, numbers.topk(min(kept, width), 1, largest=False).values)
        assert torch.equal(value, numbers.gather(1, column))
        assert all(len(set(row)) == len(row) for row in column.tolist())


def test_exact_where_groups_are_looked_at_first():
    train, queries = some(4501, 9).repeat(2, 1), some(50, 9, 1)  # each row twice
    torch.testing.assert_close(kth_distance(train, queries, 50), all_distances(train, queries, 50), rtol=1e-14, atol=0)


def test_exact_where_products_in_float32_lose_all_digits():
    # A cluster of width 1e-4 a thousand from the origin: |t|^2 - 2 q.t in float32 is off by more than all distances.
    train = 1000 + 1e-4 * torch.randn(400, 6, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    queries = 1000 + 1e-4 * torch.randn(30, 6, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    torch.testing.assert_close(kth_distance(train, queries, 5), all_distances(train, queries, 5), rtol=1e-3, atol=0)
    torch.testing.assert_close(kth_distance(train, train[:9], 1), torch.zeros(9, dtype=torch.float64), atol=0, rtol=0)


def test_exact_where_a_machine_multiplies_float32_in_fewer_bits(monkeypatch):
    train, queries = some(300, 9), some(50, 9, 1)
    kinds, candidates = [], kth_nearest._candidates
    monkeypatch.setattr(
        kth_nearest, "_candidates", lambda *given: (kinds.append(given[-1].dtype), candidates(*given))[1]
    )
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        found = kth_distance(train, queries, 4)
    finally:
        torch.set_float32_matmul_precision(before)
    torch.testing.assert_close(found, all_distances(train, queries, 4), rtol=1e-14, atol=0)
    assert set(kinds) == {torch.float64}
    kth_distance(train, queries, 4)
    assert torch.float32 in kinds


def test_the_size_of_features_does_not_matter_nor_their_order():
    train, queries = some(120, 8), some(30, 8, 1)
    expected = knn(train, queries, 10)
    torch.testing.assert_close(knn(1e-20 * train, 1e15 * queries, 10), expected, rtol=1e-5, atol=1e-6)
    rows = torch.randperm(120, generator=torch.Generator().manual_seed(4))
    columns = torch.randperm(8, generator=torch.Generator().manual_seed(5))
    torch.testing.assert_close(knn(train[rows], queries, 10), expected, rtol=1e-13, atol=0)
    torch.testing.assert_close(knn(train[:, columns], queries[:, columns], 10), expected, rtol=1e-6, atol=1e-7)
    assert bool((expected <= knn(train, queries, 11)).all())


def test_of_a_record_with_its_state_in_float32():
    found, one = made_up(), make_supervisor("knn", neighbours=5)
    training, seen = found.record(one, found.training), found.record(one, found.novel)
    scores = one.fit(training).score(seen)
    torch.testing.assert_close(scores, knn(training.layer("dropped"), seen.layer("dropped"), 5), rtol=0, atol=0)
    assert one.fitted.state["train"].dtype == torch.float32
    torch.testing.assert_close(one.fitted.state["train"], unit(training.layer("dropped")))
    assert float(one.score(training).max()) < float(scores.min())


def test_one_training_row_and_constant_features():
    found, one = made_up(), make_supervisor("knn")
    training = found.record(one, found.training).take(torch.tensor([3]))
    assert float(one.fit(training).score(training)) == 0
    same = torch.ones(60, 4)
    assert torch.equal(knn(same, same[:3], 50), torch.zeros(3, dtype=torch.float64))


def test_no_neighbour_is_refused():
    with pytest.raises(MistrustError, match=r"KNN: neighbours is 0, expected a number of at least 1"):
        make_supervisor("knn", neighbours=0)
    for wrong, expected in ((0, "a number of at least 1"), (2.5, "a whole number"), ("2", "a number")):
        with pytest.raises(MistrustError, match=f"KNN: neighbours is {wrong!r}, expected {expected}"):
            knn(torch.ones(3, 2), torch.ones(1, 2), wrong)


@pytest.mark.parametrize("name", ["knn", "relative_mahalanobis"])
def test_features_of_another_length_are_refused(name):
    found, one = made_up(), make_supervisor(name)
    training, seen = found.record(one, found.training), found.record(one, found.nominal)
    one.fit(training)
    seen.activations["dropped"] = seen.layer("dropped")[:, :9]
    with pytest.raises(MistrustError, match=r"fitted on 16 numbers per image of layer 'dropped', this record has 9\."):
        one.score(seen)


def of_two_classes(train, queries):
    return relative_mahalanobis(train, torch.arange(len(train)) % 2, queries)


@pytest.mark.parametrize("score", [knn, of_two_classes])
def test_rows_that_have_no_distance_are_refused(score):
    train, queries = torch.arange(12.0).view(6, 2).square(), torch.ones(3, 2)
    broken = queries.clone()
    broken[1, 0] = float("nan")
    with pytest.raises(MistrustError, match="1 number of the queries is NaN or infinite: surprise has no value there"):
        score(train, broken)
    with pytest.raises(MistrustError, match="2 numbers of the training rows are NaN or infinite"):
        score(torch.cat([broken, broken]), queries)
    with pytest.raises(MistrustError, match=r"training rows have 2 features, the queries 1\. Take both from the same"):
        score(train, queries[:, :1])
    with pytest.raises(MistrustError, match=r"The queries have shape \(2,\), expected \(n, d\)\. Flatten"):
        score(train, queries[0])
    with pytest.raises(MistrustError, match=r"there are none: give it one or more|There are 0 training rows"):
        score(train[:0], queries)
    assert torch.equal(score(train.numpy(), queries.tolist()), score(train, queries))


def test_every_training_row_has_a_class():
    with pytest.raises(MistrustError, match=r"There are 6 training rows and classes of shape \(5,\), expected"):
        relative_mahalanobis(torch.rand(6, 2), torch.arange(5) % 2, torch.rand(1, 2))


def test_squared_norms_that_were_kept_change_nothing():
    draw = torch.Generator().manual_seed(3)
    train, queries = torch.randn(300, 7, generator=draw), torch.randn(20, 7, generator=draw)
    kept = kth_distance(train, queries, 5, squares=squared_norms(train))
    assert torch.equal(kept, kth_distance(train, queries, 5))
    found, one = made_up(), make_supervisor("knn", layer="hidden")
    record = found.record(one, found.training)
    scores = one.fit(record).score(record)
    del one.fitted.state["squares"]  # as one that was saved by an earlier version
    assert torch.equal(one.score(record), scores)
