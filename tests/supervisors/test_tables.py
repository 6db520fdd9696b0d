"""Rows of the supervisors' chapter from made-up scores whose answers are known."""

import numpy as np
import pytest
import torch
from scipy.stats import ecdf
from sklearn.metrics import roc_auc_score, roc_curve

from mistrust import rows as tidy
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.pictures import unpack
from mistrust.supervisors import quantifiers
from mistrust.supervisors.conv_vae import VaeRecipe, untrained
from mistrust.supervisors.softmax import entropy
from mistrust.supervisors.tables import Scores
from mistrust.supervisors.tables.causes import VOTES, broken_ties, following, ties
from mistrust.supervisors.tables.detection import detection
from mistrust.supervisors.tables.mistaken import mistaken
from mistrust.supervisors.tables.rebuilt import rebuilt
from mistrust.supervisors.tables.spread import spread
from mistrust.supervisors.tables.together import place, together
from mistrust.supervisors.tables.trust import trust

DRAW = np.random.Generator(np.random.Philox(7))
N = 200


def scores(name, first=0, shift=0.0, **by):
    ids = np.arange(first, first + N)
    given = {"sees": DRAW.normal(shift, 1, N), "blind": DRAW.normal(0, 1, N), **by}
    return Scores(name, ids, DRAW.random(N) < 0.8, given)


@pytest.fixture(scope="module")
def nominal():
    return scores("nominal")


@pytest.fixture(scope="module")
def bad():
    return scores("invalid/other", 1000, 2.0, far=np.full(N, np.inf))


@pytest.fixture(scope="module")
def kinds(nominal):
    blind = Scores(
        "corrupted/all", nominal.ids, nominal.correct, {"sees": DRAW.normal(0, 1, N), "blind": np.ones(N) * 9}
    )
    return [scores("invalid/other", 1000, 4.0), blind]


def frame(rows):
    return tidy.table(rows, chapter="supervisors")


def test_detection_is_scikit_learns_auroc_within_its_interval(nominal, bad):
    usual = Scores("nominal", nominal.ids, nominal.correct, {**nominal.by, "far": nominal.by["sees"]})
    found = frame(detection(usual, bad, 100, 0))
    assert set(found["metric"]) == {"auroc", "auroc-correct", "fpr", "average precision"}
    y = np.repeat([0, 1], N)
    one = found[found["metric"] == "auroc"].set_index("method")
    for method in ("sees", "blind"):
        s = np.concatenate([usual.by[method], bad.by[method]])
        assert one.loc[method, "value"] == pytest.approx(roc_auc_score(y, s))
        assert one.loc[method, "low"] < one.loc[method, "value"] < one.loc[method, "high"]
    fpr = found[found["metric"] == "fpr"].set_index("method")["value"]
    for method in ("sees", "blind"):
        s = np.concatenate([usual.by[method], bad.by[method]])
        false, true, _ = roc_curve(y, s, drop_intermediate=False)
        assert fpr[method] == false[np.argmax(true >= 0.95)] > 0.1  # the least at which 95 % of the bad ones alarm
    assert one.loc["far", "value"] == 1  # infinity is a score
    assert one.loc["sees", "low"] > one.loc["blind", "high"]


def test_correct_negatives_leave_wrong_predictions_out(nominal, bad):
    # The wrongly classified nominal inputs are as suspicious as the bad ones: counted as negatives they cost.
    own = np.where(nominal.correct, 0.0, 1.0)
    usual = Scores("nominal", nominal.ids, nominal.correct, {"wrong": own})
    other = Scores("invalid/other", bad.ids, bad.correct, {"wrong": np.ones(N)})
    found = frame(detection(usual, other, 20, 0)).set_index("metric")["value"]
    assert found["auroc-correct"] == 1
    assert found["auroc"] == pytest.approx(1 - (1 - nominal.correct.mean()) / 2)


def test_versions_of_one_image_are_drawn_together(nominal):
    # A bad version beside each nominal image, scored alike: the AUROC is one half in every resample.
    twin = Scores("corrupted/all", nominal.ids, nominal.correct, nominal.by)
    found = frame(detection(nominal, twin, 50, 0))
    one = found[found["metric"] == "auroc"]
    assert one["low"].to_numpy() == pytest.approx(0.5)
    assert one["high"].to_numpy() == pytest.approx(0.5)


def test_a_handful_of_inputs_says_nothing(nominal, bad):
    few = Scores("invalid/other", bad.ids[:9], bad.correct[:9], {name: values[:9] for name, values in bad.by.items()})
    assert list(detection(nominal, few, 20, 0)) == []


def test_trust_of_an_oracle_and_of_one_that_knows_nothing(nominal):
    wrong = ~nominal.correct
    part = Scores("nominal", nominal.ids, nominal.correct, {"oracle": wrong.astype(float), "none": np.zeros(N)})
    found = frame(trust("nominal", [part])).set_index(["method", "metric"])["value"]
    assert found["", "accuracy"] == pytest.approx(nominal.correct.mean())
    assert (found["oracle", "auroc"], found["oracle", "excess area"]) == (1, pytest.approx(0, abs=1e-12))
    assert found["oracle", "risk 80%"] == pytest.approx(max(0, (wrong.sum() - 0.2 * N) / (0.8 * N)))
    assert found["none", "risk 80%"] == pytest.approx(wrong.mean())
    assert found["none", "auroc"] == 0.5


def test_trust_joins_its_parts(nominal):
    both = frame(trust("both", [nominal, nominal]))
    assert set(both["n"]) == {2 * N}


def test_nothing_to_tell_where_no_prediction_is_wrong(nominal):
    part = Scores("nominal", nominal.ids, np.ones(N, bool), nominal.by)
    assert [row["metric"] for row in trust("nominal", [part])] == ["accuracy"]


def test_places_are_ranks_and_ties_count_half():
    assert place(np.array([0.0, 1.0, 1.5, np.inf]), np.array([1.0, 1.0, 2.0, 3.0])).tolist() == [0, 0.25, 0.5, 1]


def test_two_that_see_different_things_see_both(nominal, kinds):
    found = frame(together(nominal, kinds, ["sees", "blind"]))
    least = found[found["metric"] == "least auroc"].set_index("method")["value"]
    assert set(least.index) == {"sees", "blind", "sees + blind"}
    assert least["sees + blind"] > 0.8 > 0.6 > max(least["sees"], least["blind"])
    alone = found[(found["method"] == "sees") & (found["condition"] == "invalid/other")]["value"].item()
    s = np.concatenate([nominal.by["sees"], kinds[0].by["sees"]])
    assert alone == pytest.approx(roc_auc_score(np.repeat([0, 1], N), s), abs=0.01)


def test_two_are_as_suspicious_as_the_more_suspicious_of_them(nominal, kinds):
    """With scipy's empirical distribution; scores have no ties, so that a nominal one's own step moves all alike."""
    found = frame(together(nominal, kinds[:1], ["sees", "blind"]))
    pair = found[(found["method"] == "sees + blind") & (found["condition"] == "invalid/other")]["value"].item()
    places = {}
    for method in ("sees", "blind"):
        law = ecdf(nominal.by[method]).cdf
        # Half a step less where the score is a nominal one's: ties count half.
        places[method] = law.evaluate(nominal.by[method]) - 0.5 / N, law.evaluate(kinds[0].by[method])
    own, other = (np.max([places["sees"][i], places["blind"][i]], axis=0) for i in (0, 1))
    assert pair == pytest.approx(roc_auc_score(np.repeat([0, 1], N), np.concatenate([own, other])), abs=1e-12)


def test_nominal_places_are_spread_evenly(nominal, kinds):
    found = frame(spread(nominal, kinds, ["sees"]))
    sums = found.groupby("condition")["value"].sum()
    assert sums.to_numpy() == pytest.approx(1)
    assert found[found["condition"] == "nominal"]["value"].to_numpy() == pytest.approx(0.05)
    far = found[found["condition"] == "invalid/other"].set_index("at")["value"]
    assert far["0.95"] > 0.9


def test_the_most_mistaken_are_shown(nominal, kinds):
    pixels = torch.arange(N, dtype=torch.uint8).view(N, 1, 1, 1).expand(N, 1, 8, 8).contiguous()
    images = {
        name: ImageSet(name, pixels, torch.zeros(N, dtype=torch.int64), torch.arange(N), ("a", "b"))
        for name in ("nominal", "invalid/other", "corrupted/all")
    }
    found = frame(mistaken(nominal, kinds, images, ["sees"], 3))
    assert found.groupby("condition").size().to_dict() == {"nominal": 3, "invalid/other": 3, "corrupted/all": 3}
    top = found[(found["condition"] == "nominal") & (found["at"] == "0")]["note"].item()
    assert unpack(top)[0, 0] == nominal.by["sees"].argmax()
    lowest = found[(found["condition"] == "invalid/other") & (found["at"] == "0")]["note"].item()
    assert unpack(lowest)[0, 0] == kinds[0].by["sees"].argmin()


def test_scores_that_are_none_are_refused():
    with pytest.raises(MistrustError, match="are not 2 numbers"):
        Scores("nominal", np.arange(2), np.ones(2, bool), {"sees": np.array([1.0, np.nan])})


@pytest.mark.parametrize("channels", [1, 3])
def test_an_input_stands_left_of_what_the_autoencoder_makes_of_it(channels):
    pixels = torch.from_numpy(DRAW.integers(0, 256, (3, channels, 8, 8))).to(torch.uint8)
    images = ImageSet("made up", pixels, torch.zeros(3, dtype=torch.int64), torch.arange(3), ("a", "b"))
    network = untrained((channels, 8, 8), VaeRecipe(), 0).eval()
    found = list(rebuilt({"nominal": images, "invalid/other": images.take(slice(1, 3))}, network, 2))
    assert [(row["condition"], row["at"], row["n"]) for row in found] == [
        ("nominal", "0", 3), ("nominal", "1", 3), ("invalid/other", "0", 2), ("invalid/other", "1", 2),
    ]  # fmt: skip
    assert found[1]["value"] == pytest.approx(found[2]["value"])  # the same image, in another set
    with torch.no_grad():
        again = network.logits(network.posterior(images.floats())[0]).sigmoid()[0]
    picture = torch.from_numpy(np.atleast_3d(unpack(found[0]["note"]))).permute(2, 0, 1)
    assert torch.equal(picture[:, :, :8], pixels[0])
    assert (picture[:, :, 8:].double() / 255 - again).abs().max() <= 1 / 255


def of(name, **by):
    """Scores of a few inputs, by supervisor."""
    return Scores(name, np.arange(len(by[next(iter(by))])), np.ones(len(by[next(iter(by))]), bool), by)


def test_ties_of_votes_are_counted_and_broken_without_changing_their_order():
    p = torch.from_numpy(DRAW.dirichlet([0.3] * 4, (1000, 60)))  # samples as many as a parameter allows
    votes, mean = quantifiers.variation_ratio(p).numpy(), quantifiers.mean_softmax(p).numpy()
    votes, mean = np.concatenate([votes, votes]), np.concatenate([mean, mean - 0.5 * (1 + mean)])
    order = np.lexsort((mean, votes))
    assert broken_ties(votes, mean).argsort(kind="stable").tolist() == order.tolist()
    quarters = of("nominal", **{VOTES: np.array([0.0, 0.0, 0.0, 0.25, 0.5])})
    found = frame(ties([quarters, of("nominal", sees=np.zeros(3)), of("x", **{VOTES: np.zeros(0)})]))
    assert found[["table", "method", "metric", "value", "n"]].values.tolist() == [
        ["causes", VOTES, "share tied", 0.6, 5]
    ]


@pytest.mark.parametrize("many", ["mc", "ensemble"])
def test_mean_entropy_follows_from_what_is_scored_anyway(many):
    p = torch.from_numpy(DRAW.dirichlet([0.5] * 3, (7, 40)))
    names = (f"{many}_predictive_entropy", f"{many}_mutual_information")
    part = of(
        "nominal",
        **dict(
            zip(
                names,
                (quantifiers.predictive_entropy(p).numpy(), quantifiers.mutual_information(p).numpy()),
                strict=True,
            )
        ),
    )
    found = following(part).by
    assert list(found) == [f"{many}_mutual_information/mean entropy"]
    assert found[f"{many}_mutual_information/mean entropy"] == pytest.approx(entropy(p).mean(0).numpy(), abs=1e-12)
    assert not following(of("nominal", sees=np.zeros(3))).by
