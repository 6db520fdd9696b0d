import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch import tensor

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.evaluation import auroc, percentile_interval, risk_coverage
from mistrust.misclassification import compare, distances, suspicion


@pytest.fixture
def seen():
    draw = np.random.default_rng(0)
    images, versions, k = 80, 6, 4
    y = np.tile(np.arange(images) % k, versions)
    hard = np.tile(draw.random(images), versions)[:, None]
    p = torch.from_numpy(draw.normal(size=(images * versions, k)) + 4 * (1 - hard) * np.eye(k)[y]).softmax(1)
    return p, p.argmax(1) != torch.from_numpy(y), torch.from_numpy(np.tile(np.arange(images), versions))


def test_scores_by_hand():
    p = tensor([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]], dtype=torch.float64)
    found = suspicion(p, distances(p, torch.eye(3).double()))
    assert found["max softmax"].tolist() == pytest.approx([0.3, 0.2])
    assert found["distance"].tolist() == pytest.approx([(0.09 + 0.04 + 0.01) ** 0.5, (0.01 + 0.01 + 0.04) ** 0.5])


def test_what_does_not_go_together_has_no_scores():
    p = tensor([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]], dtype=torch.float64)
    with pytest.raises(MistrustError, match="got probabilities 2, distances 1"):
        suspicion(p, p[:1])
    with pytest.raises(MistrustError, match=r"shape \(2, 3\) and distances \(2, 2\)"):
        suspicion(p, p[:, :2])
    with pytest.raises(MistrustError, match="Distances are a list, expected a tensor"):
        suspicion(p, p.tolist())


def test_two_classes_leave_nothing_to_choose():
    # With two classes and corners for centroids the distance is sqrt(2) (1 - max softmax): the same order.
    p = torch.from_numpy(np.random.default_rng(1).dirichlet([1, 1], size=50))
    found = suspicion(p, distances(p, torch.eye(2).double()))
    assert np.allclose(found["distance"], 2**0.5 * found["max softmax"])


def test_values_are_scikit_learns_and_the_curves(seen):
    p, wrong, base = seen
    scores = suspicion(p, distances(p, torch.eye(4).double()))
    found = compare(scores, wrong, base, 50, seed=1)
    for name, score in scores.items():
        assert found.auroc[name].value == pytest.approx(roc_auc_score(wrong, score))
        assert found.area[name].value == pytest.approx(risk_coverage(score, wrong).area)
        assert found.auroc[name].low < found.auroc[name].value < found.auroc[name].high
        assert found.area[name].low < found.area[name].value < found.area[name].high
        assert found.auroc[name].n == 480
    assert list(found.auroc_gain) == list(found.area_gain) == ["distance"]
    gain = found.auroc["distance"].value - found.auroc["max softmax"].value
    assert found.auroc_gain["distance"].value == pytest.approx(gain)


def test_intervals_are_of_the_inputs_repeated(seen):
    p, wrong, base = seen
    score = 1 - p.max(1).values
    found = compare({"one": score}, wrong, base, 30, seed=2).auroc["one"]
    draw = random.generator(2, "bootstrap/abstention")
    values = []
    for _ in range(30):
        counts = draw.multinomial(80, np.full(80, 1 / 80))
        again = np.repeat(np.arange(480), counts[base])
        values.append(auroc(score[again], wrong[again]))
    low, high = percentile_interval(np.array(values))
    assert (found.low, found.high) == pytest.approx((float(low), float(high)))


def test_the_same_order_gains_nothing_and_pairs_are_narrower(seen):
    p, wrong, base = seen
    score = 1 - p.max(1).values
    noisy = score + 0.05 * torch.rand(len(score), generator=torch.Generator().manual_seed(0))
    found = compare({"squared": score**2, "noisy": noisy, "plain": score}, wrong, base, 60, seed=3)
    for gain in (found.auroc_gain["squared"], found.area_gain["squared"]):
        assert (gain.value, gain.low, gain.high) == (0, 0, 0)
    paired = found.auroc_gain["noisy"].high - found.auroc_gain["noisy"].low
    assert paired < (found.auroc["plain"].high - found.auroc["plain"].low) / 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": {}}, "no score to compare"),
        ({"scores": {"a": torch.zeros(3)}}, "a 3, wrong 480, base 480"),
        ({"scores": {"a": torch.full((480,), torch.nan)}}, "480 of 480 scores are NaN"),
        ({"resamples": 0}, "one resample"),
    ],
)
def test_bad_input(seen, change, message):
    p, wrong, base = seen
    given = {"scores": {"a": p[:, 0]}, "wrong": wrong, "base": base, "resamples": 5, "seed": 0}
    with pytest.raises(MistrustError, match=message):
        compare(**(given | change))
