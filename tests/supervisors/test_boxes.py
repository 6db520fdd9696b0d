"""Outside the box: the facts' worked numbers, scikit-learn's projections, and a class's boxes one by one."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.supervisors import Fixed, blocks, make_supervisor
from mistrust.supervisors.boxes import PROJECTIONS, Boxes, OutsideTheBox, clustered, outside
from mistrust.supervisors.checks import checks
from mistrust.supervisors.made_up import made_up

TRAIN = torch.tensor([[0.0, 0.0], [2.0, 1.0], [1.0, 0.5]]).double()
POINTS = torch.tensor([[1, 0.5], [2, 1], [2.05, 0.5], [1, 1.04], [2.2, 0.5], [2.3, 0.5]]).double()
ALARMS = {0.0: [0, 0, 1, 1, 1, 1], 0.1: [0, 0, 0, 0, 1, 1], 0.35: [0, 0, 0, 0, 0, 0]}


@pytest.fixture(scope="module")
def world():
    return made_up()


def cloud(n, d, name="cloud"):
    return random.normal(0, name, torch.arange(n), (d,)).double()


def fitted(world, **parameters):
    one = OutsideTheBox(**parameters)
    return one, world.record(one, world.training)


# One box


def test_scores_by_the_facts():
    box = Boxes.around(TRAIN)
    assert (box.low.tolist(), box.high.tolist()) == ([0, 0], [2, 1])
    assert outside(POINTS, box).tolist() == pytest.approx([-1, 0, 0.05, 0.08, 0.2, 0.3])


@pytest.mark.parametrize(("gamma", "alarms"), ALARMS.items())
def test_an_enlargement_is_a_threshold(gamma, alarms):
    box = Boxes.around(TRAIN)
    assert Fixed(gamma).alarms(outside(POINTS, box)).int().tolist() == alarms
    # Boundary outside: with no enlargement the corner alarms, too.
    published = [0, 1, 1, 1, 1, 1] if gamma == 0 else alarms
    assert Fixed(gamma).alarms(outside(POINTS, box, as_published=True)).int().tolist() == published


def test_a_tie_in_exact_numbers():
    point, box = torch.tensor([[2.5, 0.5]]).double(), Boxes.around(TRAIN)
    assert outside(point, box).tolist() == [0.5]
    assert not Fixed(0.5).alarms(outside(point, box)).any()
    assert Fixed(0.5).alarms(outside(point, box, as_published=True)).all()


def test_a_flat_box():
    box = Boxes.around(torch.tensor([[0.0, 0.0], [2.0, 0.0]]).double())
    points = torch.tensor([[1.0, 0.0], [3.0, 0.0], [1.0, 1e-300]], dtype=torch.float64)
    assert outside(points, box).tolist() == [-1, 1, float("inf")]
    assert outside(points, box, as_published=True).tolist() == [float("inf")] * 3
    assert outside(torch.ones(1, 2).double(), Boxes.around(torch.ones(1, 2).double())).tolist() == [-1]


def test_what_is_as_near_as_the_slack_counts_as_equal():
    box = Boxes(*torch.tensor([[0.0, 0.0], [2.0, 1e-12]]).double(), torch.tensor(1e-9).double())
    assert outside(torch.tensor([[1.0, 5e-10], [1.0, 1e-3]]).double(), box).tolist() == [-1, torch.inf]


def test_computed_numbers_lie_in_a_box_that_is_flat_but_for_rounding(world):
    """Activations on a line: their second principal component is rounding, also of what lies between them."""
    one, record = fitted(world, clusters=1, projection="pca")
    along = torch.linspace(0.2, 1.7, 16).double()

    def on_the_line(at):
        return replace(record, activations={"dropped": 0.1 + at[:, None] * along})

    far = torch.arange(len(record)).double()
    one.fit(on_the_line(far))
    inside = one.score(on_the_line(far.clamp(10, 160) + 0.37))[record.correct]
    assert (inside <= 0).all()


def test_enlarging_the_box_itself_gives_the_same_alarms():
    box, points = Boxes.around(cloud(20, 3)), 1.5 * cloud(200, 3, "others")
    centre, half = (box.low + box.high) / 2, (box.high - box.low) / 2
    for gamma in (-0.5, 0.0, 0.1, 0.35):
        held = ((points >= centre - (1 + gamma) * half) & (points <= centre + (1 + gamma) * half)).all(1)
        assert torch.equal(~held, outside(points, box) > gamma)
        assert held.any()


# Projections


def test_simple_and_none():
    points = cloud(4, 5)
    assert torch.equal(PROJECTIONS["simple"].transform(points, {}), points[:, [0, 4]])
    assert torch.equal(PROJECTIONS["none"].transform(points, {}), points)


def test_pca_is_that_of_scikit_learn():
    train, new = cloud(40, 6) * torch.arange(1, 7), cloud(30, 6, "new")
    learnt = PROJECTIONS["pca"].fit(train, 2, 5)
    theirs = torch.from_numpy(PCA(2).fit(train.numpy()).transform(new.numpy()))
    ours = PROJECTIONS["pca"].transform(new, learnt)
    signs = torch.sign((ours * theirs).sum(0))  # an axis has no direction
    torch.testing.assert_close(ours * signs, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("m", "neighbours", "components"), [(60, 5, 2), (60, 9, 3), (5, 5, 2), (3, 5, 2)])
def test_isomap_is_that_of_scikit_learn(m, neighbours, components):
    train, new = cloud(m, 4), cloud(30, 4, "new")
    learnt = PROJECTIONS["isomap"].fit(train, components, neighbours)
    theirs = Isomap(n_neighbors=min(neighbours, m - 1), n_components=components, eigen_solver="dense").fit(train)
    ours = PROJECTIONS["isomap"].transform(new, learnt)
    torch.testing.assert_close(ours, torch.from_numpy(theirs.transform(new.numpy())), rtol=1e-9, atol=1e-9)
    own = PROJECTIONS["isomap"].transform(train, learnt)
    torch.testing.assert_close(own, torch.from_numpy(theirs.embedding_), rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(PROJECTIONS["isomap"].transform(new[7:8], learnt), ours[7:8])


@pytest.mark.filterwarnings("error")
def test_isomap_of_two_islands_is_completed_in_silence():
    train = torch.cat([cloud(8, 3), 100 + cloud(8, 3, "far")])
    found = PROJECTIONS["isomap"].transform(train, PROJECTIONS["isomap"].fit(train, 2, 3))
    assert bool(found.isfinite().all())
    assert float((found[:8].mean(0) - found[8:].mean(0)).norm()) > 50


def test_isomap_draws_nothing_from_the_global_generator():
    train = cloud(220, 3)  # above 200 scikit-learn's own choice is a solver that starts at random
    legacy = np.random.mtrand._rand
    before = legacy.get_state()[1].copy()
    first = PROJECTIONS["isomap"].fit(train, 2, 5)["axes"]
    assert (legacy.get_state()[1] == before).all()
    assert torch.equal(PROJECTIONS["isomap"].fit(train, 2, 5)["axes"], first)


# Clusters


def test_clusters_are_k_means():
    points = torch.cat([cloud(20, 2), 9 + cloud(20, 2, "b"), -9 + cloud(20, 2, "c")])
    found = clustered(points, 3, 0, "here")
    theirs = torch.from_numpy(KMeans(3, n_init=10, random_state=5).fit(points.numpy()).labels_)
    assert len({*zip(found.tolist(), theirs.tolist(), strict=True)}) == 3
    assert torch.equal(found, clustered(points, 3, 0, "here"))


def test_there_are_never_more_clusters_than_different_points():
    points = torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    assert clustered(points, 5, 0, "here").unique().tolist() == [0, 1]
    assert clustered(points[:1], 5, 0, "here").tolist() == [0]


# The supervisor


@pytest.mark.whole
@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("as_published", [False, True])
def test_every_projection_keeps_the_contract(projection, as_published):
    def make():
        return OutsideTheBox(projection=projection, as_published=as_published, clusters=2)

    for check in checks(make):
        if check.name in ("fitting again", "score of a subset", "one training row", "one feature", "save and load"):
            check()


@pytest.mark.parametrize("projection", ["none", "pca", "isomap"])
def test_scores_are_the_least_over_boxes_of_the_predicted_class(world, projection):
    one, record = fitted(world, clusters=2, projection=projection, seed=3)
    seen = world.record(one, world.ambiguous)
    scores, values = one.fit(record).score(seen), record.layer("dropped").double()
    expected = torch.full_like(scores, torch.inf)
    for c, name in enumerate(record.classifier.classes):
        points = values[record.correct & (record.labels == c)]
        cluster = clustered(points, 2, 3, f"boxes/{name}")
        assert len(cluster.unique()) == 2
        for k in range(2):
            learnt = PROJECTIONS[projection].fit(points[cluster == k], 2, 5)
            box = Boxes.around(PROJECTIONS[projection].transform(points[cluster == k], learnt))
            rows = seen.predicted == c
            new = PROJECTIONS[projection].transform(seen.layer("dropped")[rows].double(), learnt)
            expected[rows] = expected[rows].minimum(outside(new, box))
    torch.testing.assert_close(scores, expected)


def test_as_published_all_boxes_are_met_in_the_last_clusters_projection(world):
    one, record = fitted(world, clusters=2, projection="pca", as_published=True)
    right = replace(one, as_published=False).fit(record)
    found = one.fit(record)
    assert torch.equal(found.fitted.state["low"], right.fitted.state["low"])
    seen = world.record(one, world.nominal)
    assert not torch.allclose(found.score(seen), right.score(seen))
    # Training images lie in their boxes; in other boxes' projections many do not.
    inside = [float((each.score(record)[record.correct] <= 1e-9).double().mean()) for each in (right, found)]
    assert inside[0] == 1
    assert inside[1] < 0.9


def test_only_what_is_classified_correctly_makes_boxes(world):
    one, record = fitted(world, clusters=1)
    labels = record.labels.clone()
    labels[record.predicted == 2] = 0  # nothing of class 2 is right, and class 0 has no more right ones than before
    less = replace(record, images=replace(record.images, labels=labels))
    seen = world.record(one, world.nominal)
    usual, found = one.fit(record).score(seen), replace(one).fit(less).score(seen)
    third = seen.predicted == 2
    assert bool((found[third] == torch.inf).all())
    assert bool(third.any())
    assert torch.equal(found[~third], usual[~third])


def test_order_and_blocks_change_nothing(world, monkeypatch):
    one, record = fitted(world, clusters=3)
    seen = world.record(one, world.ambiguous)
    scores = one.fit(record).score(seen)
    assert torch.equal(one.fit(record.take(torch.arange(len(record)).flip(0))).score(seen), scores)
    monkeypatch.setattr(blocks.blocks, "__defaults__", (7,))
    assert torch.equal(one.score(seen), scores)


def test_bad_input_is_refused(world):
    with pytest.raises(MistrustError, match=r"There is no projection 'isomp'\. Did you mean 'isomap'"):
        OutsideTheBox(projection="isomp")
    for name in ("clusters", "components", "neighbours"):
        with pytest.raises(MistrustError, match=f"Outside the box: {name} is 0, expected a number of at least 1"):
            OutsideTheBox(**{name: 0})
    one, record = fitted(world)
    wrong = replace(record, images=replace(record.images, labels=(record.labels + 1) % 3))
    with pytest.raises(MistrustError, match="of 180 training images none is classified correctly"):
        one.fit(wrong)
    with pytest.raises(MistrustError, match="no cluster has more than 2 different training images"):
        OutsideTheBox(projection="pca").fit(record.take(torch.tensor([0, 1, 2])))
    one.fit(record)
    with pytest.raises(MistrustError, match="fitted on 16 numbers per image of layer 'dropped', this record has 8"):
        one.score(replace(record, activations={"dropped": record.layer("dropped")[:, :8]}))


def test_it_is_in_the_table():
    assert make_supervisor("outside_the_box", projection="isomap", clusters=5).card.title == "Outside the box"
