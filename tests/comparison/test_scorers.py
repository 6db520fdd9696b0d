"""Scorers: the contract that every entry keeps, and boundary scores of a network whose boundary is known."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from mistrust.comparison.scorers import SCORERS, Watched, asked, families, in_order
from mistrust.comparison.scorers.boundary import placed
from mistrust.data import ImageSet
from mistrust.errors import MistrustWarning
from mistrust.misclassification import centroids
from mistrust.networks import observe, wrap
from mistrust.supervisors import SUPERVISORS, Quantile

SEARCHES = {"breaking_noise", "boundary_distance", "targeted_distance", "distance_residual"}


def test_the_table_holds_every_supervisor_and_what_the_other_papers_add():
    assert set(SCORERS) == {*SUPERVISORS, *SEARCHES, "mlm_distance"}
    assert {name for name, one in SCORERS.items() if one.searches} == SEARCHES
    assert {one.family for one in SCORERS.values()} <= set(families())


def test_order_goes_by_family_and_within_one_by_the_table():
    assert in_order(["breaking_noise", "mdsa", "mlm_distance", "max_softmax", "dsa", "dsa"]) == [
        "max_softmax", "dsa", "mdsa", "mlm_distance", "breaking_noise",
    ]  # fmt: skip


@pytest.mark.whole
def test_a_scorer_gives_each_image_a_number_that_depends_on_no_other(readings, record):
    for name, one in readings.items():
        keeps_the_contract(name, one, record)


def keeps_the_contract(name, one, record):
    whole, part = one.score(record), one.score(record.take(torch.tensor([4, 1])))
    for found, n in ((whole, len(record)), (part, 2)):
        assert found.values.shape == found.passes.shape == (n,)
        assert found.values.dtype == found.passes.dtype == torch.float64
        assert not found.values.isnan().any(), name
        assert (found.passes >= 0).all()
    torch.testing.assert_close(part.values, whole.values[[4, 1]], rtol=1e-3, atol=1e-3, msg=name)
    assert one.bytes >= 0


@pytest.mark.whole
def test_one_record_serves_all_and_says_what_each_costs(readings, record):
    wanted = asked(readings)
    assert wanted["samples"] == 4
    assert len(wanted["members"]) == 1
    assert len(wanted["layers"]) == len(set(wanted["layers"]))
    cost = {name: float(one.score(record).passes[0]) for name, one in readings.items()}
    assert (cost["max_softmax"], cost["mc_mean_softmax"], cost["ensemble_mean_softmax"], cost["odin"]) == (0, 4, 1, 2)
    assert all(cost[name] > 2 for name in SEARCHES)
    state = readings["ensemble_mean_softmax"].bytes
    weights = sum(v.numel() * v.element_size() for v in wanted["members"][0].module.state_dict().values())
    assert state == weights  # another network must be kept


def test_the_distance_to_the_centroid_is_that_of_the_answer(watched, readings, record):
    held = watched.held
    centres = centroids(held.probabilities, held.labels, held.classifier.classes)
    apart = (record.probabilities - centres[record.predicted]).norm(dim=1)
    torch.testing.assert_close(readings["mlm_distance"].score(record).values, apart)


def test_what_is_taken_for_a_class_without_a_centroid_is_infinitely_far(watched, readings, record):
    gone = int(record.predicted[0])
    held = watched.held.take(~(watched.held.correct & (watched.held.labels == gone)))
    name = record.images.classes[gone]
    with pytest.warns(
        MistrustWarning, match=f"No nominal image of class {name} is classified correctly: without a centr"
    ):
        found = SCORERS["mlm_distance"].make(replace(watched, held=held)).score(record).values
    there = record.predicted != gone
    assert found[~there].isinf().all()
    assert torch.equal(found[there], readings["mlm_distance"].score(record).values[there])


def test_scorers_that_a_network_cannot_have_are_none(watched):
    alone = replace(watched, members=[], layers=())
    assert SCORERS["ensemble_mean_softmax"].make(alone) is None
    assert SCORERS["dissector"].make(alone) is None
    few = replace(watched, sample=watched.sample.take(torch.arange(5)))
    assert SCORERS["distance_residual"].make(few) is None  # no trend from five images


@pytest.fixture(scope="module")
def line():
    """Two classes apart at a sum of pixels of 2: every distance can be written down. One label is wrong."""
    network = nn.Sequential(nn.Flatten(), nn.Linear(4, 2))
    with torch.no_grad():
        network[1].weight.copy_(torch.tensor([[6.0] * 4, [-6.0] * 4]))
        network[1].bias.copy_(torch.tensor([-12.0, 12.0]))
    pixels = torch.tensor([0.55, 0.7, 0.35]).view(3, 1, 1, 1).expand(3, 1, 2, 2).contiguous()
    images = ImageSet("line", pixels, torch.tensor([0, 1, 1]), torch.tensor([7, 3, 5]), ("bright", "dark"))
    classifier = wrap(network, ("bright", "dark"))
    seen = observe(classifier, images)
    return seen, Watched(classifier, seen, seen, seen, [], "1", "1", ())


def test_distances_are_those_to_the_line_also_where_the_answer_is_wrong(line):
    seen, about = line
    found = SCORERS["boundary_distance"].make(about).score(seen).values
    by_hand = torch.tensor([0.05, 0.2, 0.15], dtype=torch.float64) * 2 * 255  # sqrt(4) pixels of equal share
    torch.testing.assert_close(-found, by_hand, rtol=0.01, atol=0.2)


def test_the_second_answer_is_as_many_grey_levels_away_as_its_probability_asks_for(line):
    seen, about = line
    found = SCORERS["targeted_distance"].make(about).score(seen).values
    # The logits differ by 48 (mean - .5); 90 % asks for log 9 beyond the line.
    beyond = torch.log(torch.tensor(9.0)).item() / 48
    by_hand = torch.tensor([0.05, 0.2, 0.15], dtype=torch.float64).add(beyond) * 255
    assert ((-found - by_hand) >= -0.6).all()  # no nearer than can be, but for rounding to bytes
    assert ((-found - by_hand) < 2 * 2.0 + 0.6).all()  # Adam stops within a step or two of 2 grey levels


@pytest.mark.whole
def test_steps_of_adam_tie_and_a_limit_on_a_tie_lets_fewer_alarm(line):
    """Eighty images ever farther from the line: whoever tells all of them apart lets a twentieth alarm."""
    _, about = line
    levels = (torch.arange(512, 592)[:, None] + torch.arange(4)) // 4  # the line is at a sum of 510
    pixels, labels = levels.to(torch.uint8).view(80, 1, 2, 2), torch.zeros(80, dtype=torch.int64)
    images = ImageSet("along", pixels, labels, torch.arange(80), ("bright", "dark"))
    seen, alarms = observe(about.classifier, images), {}
    for name in ("targeted_distance", "boundary_distance"):
        found = SCORERS[name].make(about).score(seen).values
        limit = Quantile(0.05).fit(found[1::2])
        alarms[name] = int(limit.alarms(found[::2]).sum())
        if name == "targeted_distance":
            assert torch.equal(found, found.round())
            assert int((found == found.max()).sum()) == 4
    assert alarms == {"targeted_distance": 0, "boundary_distance": 2}


def test_what_is_nearer_the_line_breaks_sooner(line):
    seen, about = line
    found = SCORERS["breaking_noise"].make(about).score(seen).values
    assert (found < 0).all()
    assert found.argmax() == 0


def test_an_image_that_a_search_keeps_apart_lies_on_the_boundary():
    found = placed(torch.tensor([5, 2, 9]), torch.tensor([9, 5]), torch.tensor([-4.0, -3.0]), torch.tensor([8, 7]))
    assert found.values.tolist() == [-3.0, 0.0, -4.0]
    assert found.passes.tolist() == [7.0, 0.0, 8.0]
