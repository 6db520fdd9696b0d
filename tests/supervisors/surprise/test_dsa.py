"""DSA against golden values, dnn-tip and its own formula, and what must hold.

Facts 11 name real activations, too (`surprise-adequacy/tests/assets`: three DSA and three LSA of 10,000 queries). They
are binary files that cannot be had here, so no test reads them; dnn-tip, by the same authors, stands in for them.
"""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
import torch
from dnn_tip import surprise as dnn_tip
from hypothesis import given, settings
from hypothesis import strategies as st

from mistrust.errors import MistrustError
from mistrust.supervisors import NotFitted, load_supervisor, make_supervisor, save_supervisor
from mistrust.supervisors.surprise import distance, dsa, lsa, mdsa, nearest, part_of

INF = float("inf")


def differences(train, groups, queries, predicted):
    """By hand: all differences, in float64."""
    train, queries = train.double(), queries.double()
    scores = []
    for x, c in zip(queries, predicted, strict=True):
        own, others = train[groups == c], train[groups != c]
        a = own[(own - x).square().sum(1).argmin()]
        scores.append((a - x).norm() / (others - a).norm(dim=1).min())
    return torch.stack(scores)


# Golden: facts/ambiguess.md section 11, made there with dnn-tip 0.1.1 and with the formulas, which agree to 1e-10


def test_golden(golden):
    found = dsa(golden.train, golden.groups, golden.queries, golden.predicted)
    expected = [0.0833854004, 0.6679474876, 0.1493575988, 1.5860214114]
    assert found.tolist() == pytest.approx(expected, abs=5e-11)


def test_golden_second_distances(golden):
    own = torch.cat([nearest(golden.queries[:2], golden.train[:5]).index,
                     5 + nearest(golden.queries[2:], golden.train[5:]).index])  # fmt: skip
    both = [nearest(golden.train[a][None], golden.train[golden.groups != golden.groups[a]]).distance for a in own]
    assert torch.cat(both).tolist() == pytest.approx(
        [5.6568542495, 4.0311288741, 4.0311288741, 4.9244289009], abs=5e-11
    )


@pytest.mark.parametrize("kind", [torch.int32, torch.int64])
def test_whole_numbers_that_float32_does_not_tell_apart(kind):
    train = (torch.tensor([[55, 36], [53, 57], [5, 4], [30, 29]]) + 2**26).to(kind)
    query = (torch.tensor([[33, 44]]) + 2**26).to(kind)
    groups, own = torch.tensor([0, 0, 1, 1]), torch.tensor([0])
    expected = dsa(train.double(), groups, query.double(), own)
    assert float(expected) == pytest.approx(0.9017, abs=1e-4)
    for one, other in ((train, query), (train.double(), query), (train, query.double())):
        assert torch.equal(dsa(one, groups, other, own), expected)


@pytest.fixture
def frozen():
    """Let dnn-tip, which collects garbage at every step, find little to look through."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("features", [1, 7, 130])
def test_dnn_tip(clouds, features):
    some = clouds(rows=150, features=features, queries=40)
    peer = dnn_tip.DSA(some.train.numpy(), some.groups.numpy())
    expected = peer(some.queries.numpy(), some.predicted.numpy())
    np.testing.assert_allclose(dsa(some.train, some.groups, some.queries, some.predicted), expected, rtol=1e-9)


def test_float32_far_from_the_origin(clouds):
    # |t|^2 - 2 q.t in float32 keeps no digit of distances near 1 here: the shift and the exact distances do.
    some = clouds(rows=200, features=30, queries=50)
    train, queries = ((x + 5000).float() for x in (some.train, some.queries))
    found = dsa(train, some.groups, queries, some.predicted)
    np.testing.assert_allclose(found, differences(train, some.groups, queries, some.predicted), rtol=1e-12)


# Nearest rows


@settings(max_examples=40)
@given(st.data())
def test_nearest_is_that_of_all_differences(data):
    n, m, d = (data.draw(st.integers(1, most)) for most in (4, 12, 3))
    number = st.integers(-3, 3)
    rows, queries = (torch.tensor(data.draw(st.lists(st.lists(number, min_size=d, max_size=d), min_size=k, max_size=k)),
                                  dtype=torch.float32) for k in (m, n))  # fmt: skip
    # Powers of two and whole numbers: every square is exact, so equal distances are equal.
    scale, shift = 2.0 ** data.draw(st.integers(-100, 100)), data.draw(st.sampled_from([0, 10**6]))
    found = nearest((queries + shift) * scale, (rows + shift) * scale)
    squares = (queries[:, None].double() - rows).square().sum(2)
    assert torch.equal(found.index, torch.from_numpy(squares.numpy().argmin(1)))  # the first of equals
    assert torch.equal(found.distance, squares.min(1).values.sqrt() * scale)


def test_nearest_of_nearly_equal_distances():
    # Rows around a query, each 1e-9 farther than the one before: float32 cannot tell one from another.
    source = torch.Generator().manual_seed(0)
    way = torch.nn.functional.normalize(torch.randn(300, 20, generator=source, dtype=torch.float64), dim=1)
    order = torch.randperm(300, generator=source)
    query = torch.full((1, 20), 3.0, dtype=torch.float64)
    found = nearest(query, query + way * (1 + 1e-9 * order.double()[:, None]))
    assert found.index.item() == int(order.argmin())
    assert found.distance.item() == pytest.approx(1, abs=1e-14)


def test_nearest_in_tiles(clouds, monkeypatch):
    some = clouds(rows=90, features=4, queries=31)
    whole = nearest(some.queries, some.train)
    for name, size in (("QUERIES", 7), ("ROWS", 11), ("PAIRS", 13)):
        monkeypatch.setattr(f"mistrust.supervisors.surprise.neighbours.{name}", size)
    tiled = nearest(some.queries, some.train)
    assert torch.equal(tiled.index, whole.index)
    assert torch.equal(tiled.distance, whole.distance)


def test_nearest_of_equal_rows_and_of_none():
    found = nearest(torch.ones(3, 2), torch.ones(5, 2))
    assert found.index.tolist() == [0, 0, 0]
    assert found.distance.tolist() == [0, 0, 0]
    none = nearest(torch.ones(2, 2), torch.ones(0, 2))
    assert none.index.tolist() == [-1, -1]
    assert none.distance.tolist() == [INF, INF]


def test_nearest_beside_a_very_long_row():
    # The scale comes from the first rows; the square of the last one leaves float32, and products with it are NaN.
    rows = torch.tensor([[1.0, 2.0]]).repeat(1500, 1)
    rows[7], rows[1499] = torch.tensor([1.5, 2.0]), torch.tensor([1e30, 1e30])
    found = nearest(torch.tensor([[1.4, 2.0], [1e30, 1e30], [0.0, 2.0]]), rows)
    assert found.index.tolist() == [7, 1499, 0]
    assert found.distance.tolist() == pytest.approx([0.1, 0, 1], abs=1e-7)


def test_nearest_where_float32_products_are_cut_short(clouds):
    some = clouds(rows=60, features=40)
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        found = nearest(some.queries.float(), some.train.float())
    finally:
        torch.set_float32_matmul_precision(before)
    assert torch.equal(found.index, torch.cdist(some.queries, some.train).argmin(1))


def test_second_distance_once_for_each_distinct_row(clouds, monkeypatch):
    some, seen = clouds(rows=9, queries=200, classes=2), []

    def counted(queries, rows, of=None, among=None):
        seen.append(len(of))
        return nearest(queries, rows, of, among)

    monkeypatch.setattr(distance, "nearest", counted)
    dsa(some.train, some.groups, some.queries, some.predicted)
    assert seen[:2] == [100, 100]  # queries of each class
    assert len(seen) == 4
    assert all(1 < count <= 5 for count in seen[2:])  # training rows of each class that are nearest to some query


# Laws


@pytest.mark.parametrize("seed", range(5))
def test_laws(clouds, seed):
    some = clouds(rows=40, features=6, seed=seed)
    scores = dsa(some.train, some.groups, some.queries, some.predicted)
    source = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(some.train), generator=source)
    assert torch.equal(dsa(some.train[order], some.groups[order], some.queries, some.predicted), scores)
    scaled = dsa(some.train * 37.5, some.groups, some.queries * 37.5, some.predicted)
    np.testing.assert_allclose(scaled, scores, rtol=1e-12, atol=0)
    moved = dsa(some.train - 4, some.groups, some.queries - 4, some.predicted)
    np.testing.assert_allclose(moved, scores, rtol=1e-10, atol=0)
    turn, _ = torch.linalg.qr(torch.randn(some.train.shape[1], some.train.shape[1], generator=source).double())
    turned = dsa(some.train @ turn, some.groups, some.queries @ turn, some.predicted)
    np.testing.assert_allclose(turned, scores, rtol=1e-10, atol=0)
    names = torch.tensor([5, 0, 9])
    assert torch.equal(dsa(some.train, names[some.groups], some.queries, names[some.predicted]), scores)
    chosen = torch.tensor([4, 1, 17])
    assert torch.equal(dsa(some.train, some.groups, some.queries[chosen], some.predicted[chosen]), scores[chosen])


def test_a_training_row_has_no_surprise(golden):
    assert dsa(golden.train, golden.groups, golden.train, golden.groups).tolist() == [0] * 10


# What cannot be judged


def test_twins_of_another_class():
    train, groups = torch.tensor([[0.0], [0.0], [7.0]]), torch.tensor([0, 1, 1])
    found = dsa(train, groups, torch.tensor([[0.0], [1.0], [0.0], [6.0]]), torch.tensor([0, 0, 1, 1]))
    assert found.tolist() == [1, INF, 1, 1 / 7]


def test_a_class_without_rows_and_a_class_without_others(golden):
    assert dsa(golden.train, golden.groups, golden.queries, torch.tensor([0, 7, 7, 1])).isinf().tolist() == [0, 1, 1, 0]
    alone = dsa(golden.train[:5], golden.groups[:5], golden.queries, golden.predicted)
    assert alone.tolist() == [INF] * 4


def test_one_row_a_class():
    train, groups = torch.tensor([[0.0, 0.0], [3.0, 4.0]]), torch.tensor([0, 1])
    assert dsa(train, groups, torch.tensor([[0.0, 1.0]]), torch.tensor([0])).tolist() == [1 / 5]
    assert dsa(train[:1], groups[:1], torch.tensor([[0.0, 1.0]]), torch.tensor([0])).tolist() == [INF]


def test_features_that_do_not_vary_change_nothing(golden):
    train, queries = (torch.nn.functional.pad(x, (0, 3), value=2.5) for x in (golden.train, golden.queries))
    found = dsa(train, golden.groups, queries, golden.predicted)
    assert found[0].item() == pytest.approx(0.0833854004, abs=5e-11)
    same = torch.full((6, 3), 0.25)
    assert dsa(same, torch.arange(6) % 2, same[:2], torch.tensor([0, 1])).tolist() == [1, 1]


def test_no_queries(golden):
    assert dsa(golden.train, golden.groups, golden.queries[:0], golden.predicted[:0]).shape == (0,)


@pytest.mark.parametrize("surprise", [dsa, lsa, mdsa])
def test_arrays_and_lists_are_as_good_as_tensors(golden, surprise):
    given = [golden.train, golden.groups, golden.queries, golden.predicted]
    expected = surprise(*given)
    assert torch.equal(surprise(*(one.numpy() for one in given)), expected)
    assert torch.equal(surprise(given[0], given[1].tolist(), given[2], given[3].tolist()), expected)
    assert torch.allclose(surprise(*(one.tolist() for one in given)), expected, rtol=1e-4)
    with pytest.raises(MistrustError, match="The training rows are 'rows', expected numbers: a tensor, an array or a"):
        surprise("rows", *given[1:])
    with pytest.raises(MistrustError, match=r"The classes of the queries are torch\.float64, expected whole numbers"):
        surprise(*given[:3], given[3].double() + 0.5)


def test_bad_input(golden):
    broken = golden.queries.clone()
    broken[1, 0], broken[2, 1] = float("nan"), INF
    with pytest.raises(MistrustError, match="2 numbers of the queries are NaN or infinite: surprise has no value"):
        dsa(golden.train, golden.groups, broken, golden.predicted)
    with pytest.raises(MistrustError, match="2 numbers of the training rows are NaN"):
        dsa(broken, golden.predicted, golden.queries, golden.predicted)
    with pytest.raises(MistrustError, match=r"training rows have 2 features, the queries 1. Take both from the same"):
        dsa(golden.train, golden.groups, golden.queries[:, :1], golden.predicted)
    with pytest.raises(MistrustError, match=r"training rows have shape \(10, 2\) and their classes \(4,\)"):
        dsa(golden.train, golden.predicted, golden.queries, golden.predicted)


# The supervisor


def test_supervisor(golden, recorded):
    train, seen = recorded(golden.train, golden.groups), recorded(golden.queries, golden.predicted)
    one = make_supervisor("dsa")
    with pytest.raises(NotFitted, match="is not fitted yet: which classes it cannot judge, `fit` finds out"):
        _ = one.unjudged
    assert one.fit(train).score(seen).tolist() == pytest.approx(
        [0.0833854004, 0.6679474876, 0.1493575988, 1.5860214114], abs=5e-11
    )
    assert one.unjudged == ("c",)
    assert one.score(recorded(golden.queries, torch.tensor([2, 2, 2, 2]))).tolist() == [INF] * 4
    assert make_supervisor("dsa").fit(recorded(golden.train[:5], golden.groups[:5])).unjudged == ("a", "b", "c")


def test_supervisor_refuses(golden, recorded):
    one = make_supervisor("dsa").fit(recorded(golden.train, golden.groups))
    with pytest.raises(MistrustError, match="fitted on 2 numbers per image of layer 'hidden', this record has 3"):
        one.score(recorded(torch.ones(1, 3), torch.tensor([0])))
    broken = golden.train.clone()
    broken[3, 1] = float("nan")
    with pytest.raises(MistrustError, match="layer 'hidden' holds 1 number of 20 that is NaN or infinite"):
        make_supervisor("dsa").fit(recorded(broken, golden.groups))
    with pytest.raises(MistrustError, match=r"fraction of the training rows in \(0, 1\], got 0"):
        make_supervisor("dsa", fraction=0)
    with pytest.raises(MistrustError, match=r"fraction=0.3 has no place beside as_published=True"):
        make_supervisor("dsa", fraction=0.3, as_published=True)


@pytest.fixture
def counted(monkeypatch):
    """How many rows were looked up among others, call by call."""
    seen = []

    def count(queries, rows, of=None, among=None):
        seen.append((len(queries), len(of)))
        return nearest(queries, rows, of, among)

    monkeypatch.setattr(distance, "nearest", count)
    return seen


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_supervisor_keeps_second_distances_from_call_to_call(clouds, recorded, counted, kind):
    some = clouds(rows=120, features=9, queries=60)
    train, seen = recorded(some.train.to(kind), some.groups), recorded(some.queries.to(kind), some.predicted)
    whole = make_supervisor("dsa").fit(train).score(seen)
    assert torch.equal(dsa(some.train.to(kind), some.groups, some.queries.to(kind), some.predicted), whole)
    one = make_supervisor("dsa").fit(train)
    parts = torch.randperm(60, generator=torch.Generator().manual_seed(0)).split(7)
    for part in parts:
        assert torch.equal(one.score(seen.take(part)), whole[part])
    counted.clear()
    for part in parts:  # now every second distance is known
        assert torch.equal(one.score(seen.take(part)), whole[part])
    assert sum(of for queries, of in counted if queries == 120) == 0


def test_second_distances_are_of_what_was_fitted_last_and_are_not_saved(clouds, recorded, tmp_path):
    some, other = clouds(rows=40), clouds(rows=40, seed=1)
    seen = recorded(some.queries, some.predicted)
    one = make_supervisor("dsa").fit(recorded(other.train, other.groups))
    one.score(seen)
    learnt = weakref.ref(one.fitted)
    one.fit(recorded(some.train, some.groups))
    assert learnt() is None  # nothing keeps it
    expected = dsa(some.train, some.groups, some.queries, some.predicted)
    assert torch.equal(one.score(seen), expected)
    for again in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), load_supervisor(save_supervisor(one, tmp_path))):
        assert set(again.fitted.state) == {"train", "groups", "judged"}
        assert vars(again).keys() == vars(one).keys() == {*one.parameters(), "fitted"}
        assert torch.equal(again.score(seen), expected)


# Parts of the rows


def test_a_part_of_each_class():
    groups, ids = torch.tensor([0] * 40 + [1] * 10 + [2]), torch.arange(51) + 1000
    chosen = part_of(groups, ids, 0.3)
    assert groups[chosen].bincount().tolist() == [12, 3, 1]
    shared = torch.tensor([0] * 9 + [1] * 12)  # 2.7 and 3.6 of them
    assert shared[part_of(shared, torch.arange(21), 0.3)].bincount().tolist() == [3, 4]
    assert torch.equal(chosen, chosen.sort().values)
    assert not torch.equal(chosen, part_of(groups, ids, 0.3, seed=1))
    order = torch.randperm(51, generator=torch.Generator().manual_seed(0))
    assert set(ids[order][part_of(groups[order], ids[order], 0.3)].tolist()) == set(ids[chosen].tolist())


def test_a_third_as_published():
    for n, kept in ((2, 1), (5, 1), (6, 2), (300, 100), (80000, 26666)):
        assert len(part_of(torch.arange(n) % 7, torch.arange(n), 1 / 3, stratified=False)) == kept
    groups = torch.tensor([0] * 30 + [1] * 30)
    counts = [
        groups[part_of(groups, torch.arange(60), 1 / 3, seed, stratified=False)].sum().item() for seed in range(9)
    ]
    assert len(set(counts)) > 1  # not stratified


@pytest.mark.parametrize("wrong", [0, -0.1, 1.5, float("nan"), "0.1"])
def test_a_part_is_more_than_nothing_and_no_more_than_all(wrong):
    with pytest.raises(MistrustError, match=r"part_of(: fraction is '0.1', expected a number| keeps .* in \(0, 1\])"):
        part_of(torch.zeros(5, dtype=torch.int64), torch.arange(5), wrong)


def test_supervisor_on_a_part(clouds, recorded):
    some = clouds(rows=90)
    train, seen = recorded(some.train, some.groups), recorded(some.queries, some.predicted)
    for parameters, chosen in (
        ({"fraction": 0.2, "seed": 3}, part_of(some.groups, train.ids, 0.2, 3)),
        ({"as_published": True}, part_of(some.groups, train.ids, 1 / 3, stratified=False)),
    ):
        expected = dsa(some.train[chosen], some.groups[chosen], some.queries, some.predicted)
        assert torch.equal(make_supervisor("dsa", **parameters).fit(train).score(seen), expected)
