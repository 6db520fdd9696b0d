"""The right answers to the exercises, computed in another way; and a score of one's own in the race."""

import math

import pytest
import torch
from linear_rows import image_set, linear, noise_of

from mistrust.errors import MistrustError
from mistrust.networks import observe
from mistrust.publishing.published import published
from mistrust.robustness.breaking import breaking
from mistrust.robustness.exercises import check, race
from mistrust.robustness.gradient import linear_estimate
from mistrust.robustness.regions import WORLDS, merge_tree
from mistrust.robustness.rereading import percentages
from mistrust.robustness.targeted import targeted

NETWORK = linear([[0, 0, 0, 0], [2, -1, 0.5, 1.5]], [0, -0.6])


def right(name, answer):
    return check(name, answer).startswith("Right")


def test_stepping_gives_the_answer_of_breaking_linear():
    image = image_set([[0.05, 0.8, 0.5, 0.9]], [1])
    noise = (-1, 0.5, 0.25, -0.5)
    found = [
        float(breaking(NETWORK, image, variant=noise_of(noise, clipped=clipped), seeds=(0,)).sigma)
        for clipped in (False, True)
    ]
    assert right("breaking-linear", found)
    assert not right("breaking-linear", found[::-1])
    assert not right("breaking-linear", (24.48, 45.33))  # where it is 0, not the first whole level beyond


@pytest.mark.whole
def test_the_gradient_and_a_search_that_fails_give_the_answer_of_distance_linear():
    image = image_set([[0.2, 0.8, 0.5, 0.7]], [1])
    distance = float(linear_estimate(NETWORK, image).nearest_linf)
    found = targeted(NETWORK, image, rate=5.0, keep=True)
    assert found.success.tolist() == [False]
    corners = torch.cartesian_prod(*[torch.tensor([0.0, 1.0])] * 4)[:, None, None].double()
    likeliest = NETWORK(corners).softmax(1)[:, 0].max().item()  # a linear logit is largest in a corner
    assert likeliest == pytest.approx(1 / (1 + math.exp(-1.6)))
    assert right("distance-linear", (distance, int(likeliest >= 0.9)))
    assert not right("distance-linear", (distance, 1))


def test_the_known_world_gives_the_answer_of_bubbles_disks():
    world = WORLDS["disks"]
    tree = merge_tree(world.margin(world.points()), world.bottlenecks())
    assert right("bubbles-disks", [tree.at_most(level) for level in (0.75, 0.25, -1.0)])
    assert not right("bubbles-disks", (2, 3, 1))


def test_the_printed_table_gives_the_answer_of_percent():
    table = percentages(published("robustness")).set_index(["measure", "network"])
    line = table.loc["targeted", "inception_v3"]
    assert (line["value"], line["percent"]) == (3.6, 1.6)
    assert right("percent", (math.ceil(line["least"]), math.floor(line["largest"])))
    assert not right("percent", (255, 256))
    assert round(line["of 255"], 1) == 1.4
    # What the explanation says of the others.
    others = table.drop(index=("targeted", "inception_v3"))
    assert (others["fits 256"].sum(), others["fits 255"].sum()) == (6, 3)
    assert others.loc[~others["fits 255"] & ~others["fits 256"], "percent"].tolist() == [53.2]


@pytest.mark.whole
def test_a_score_of_ones_own_is_raced_as_the_chapters_are(run, parameters):
    def against_the_margin(classifier, images):
        two = observe(classifier, images).logits.double().topk(2, 1).values
        return two[:, 1] - two[:, 0]

    table = race(against_the_margin, parameters).set_index("score")
    assert table.index.tolist() == ["margin", "linear estimate", "ddn", "yours"]
    own, other = table.loc["yours"], table.loc["margin"]
    for what in ("breaking noise", "nearest target"):
        mine = own[[what, f"{what}, low", f"{what}, high", f"n, {what}"]].tolist()
        assert mine == pytest.approx(
            [-other[what], -other[f"{what}, high"], -other[f"{what}, low"], other[f"n, {what}"]]
        )
    # As the chapter's own table has them.
    told = run[(run["table"] == "looks") & (run["network"] == parameters.networks[0]) & (run["seed"] == 0)]
    told = told.set_index(["metric", "method"])
    for ours, theirs in (("breaking noise", "random"), ("nearest target", "targeted")):
        for name in ("margin", "linear estimate", "ddn"):
            one, other = table.loc[name], told.loc[f"spearman with {theirs}", name]
            wanted = [other[column] for column in ("value", "low", "high", "n")]
            assert one[[ours, f"{ours}, low", f"{ours}, high", f"n, {ours}"]].tolist() == pytest.approx(
                wanted, abs=5e-4
            )


@pytest.mark.whole
@pytest.mark.parametrize(
    ("score", "said"),
    [
        (lambda images: torch.zeros(3), r"gave numbers of shape \(3,\) for \d+ images, expected \(\d+,\)"),
        (lambda images: torch.zeros(len(images), 2), r"gave numbers of shape \(\d+, 2\)"),
        (lambda images: [float("nan")] * len(images), r"(\d+) of \1 numbers of your score are NaN"),
        (lambda images: torch.full((len(images),), 3.0), r"All \d+ numbers of your score are 3: .* has no order"),
    ],
)
def test_scores_that_are_none_are_refused(run, parameters, score, said):
    with pytest.raises(MistrustError, match=said):
        race(lambda classifier, images: score(images), parameters)
