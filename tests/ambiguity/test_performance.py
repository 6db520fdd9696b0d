import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy

from mistrust import random
from mistrust.ambiguity.performance import ceilings, distributions, entropy, performance
from mistrust.errors import MistrustError

NAMES = {"top-1", "top-2", "top-pair", "entropy", "brier", "kl", "excess entropy"}


def logs(*rows):
    """Logits whose softmax is the given rows."""
    return torch.tensor(rows, dtype=torch.float64).log()


def tensor(*rows):
    return torch.tensor(rows, dtype=torch.float64)


def drawn(seed, n=7, k=5):
    """Random logits, labels with two classes each, hard labels from these."""
    draw = random.generator(seed, "test/performance")
    soft = np.zeros((n, k))
    for row in soft:
        a, b = draw.choice(k, 2, replace=False)
        row[a] = draw.uniform(0.05, 0.95)
        row[b] = 1 - row[a]
    hard = np.array([draw.choice(k, p=row) for row in soft])
    return draw.normal(size=(n, k)) * 3, soft, hard


def test_by_hand():
    # Softmax (1/2, 1/4, 1/8, 1/8): entropy 1/2 + 1/2 + 3/8 + 3/8 = 1.75 bits.
    found = performance(
        logs(*[[1 / 2, 1 / 4, 1 / 8, 1 / 8]] * 3),
        tensor([1 / 2, 1 / 2, 0, 0], [1 / 2, 0, 0, 1 / 2], [0, 0, 1 / 4, 3 / 4]),
        torch.tensor([1, 0, 3]),
    )
    assert set(found) == NAMES
    assert all(one.dtype == np.float64 and one.shape == (3,) for one in found.values())
    assert found["top-1"].tolist() == [0, 1, 0]
    assert found["top-2"].tolist() == [1, 1, 0]
    assert found["top-pair"].tolist() == [1, 0, 0]
    assert found["entropy"] == pytest.approx([1.75] * 3)
    # Differences of the first (0, 1/4, 1/8, 1/8), the second (0, 1/4, 1/8, 3/8), the third (1/2, 1/4, 1/8, 5/8).
    assert found["brier"] == pytest.approx([6 / 64, 14 / 64, 46 / 64])
    # 1/2 log2 1 + 1/2 log2 2; 1/2 log2 1 + 1/2 log2 4; 1/4 log2 2 + 3/4 log2 6.
    assert found["kl"] == pytest.approx([0.5, 1.0, 0.25 + 0.75 * np.log2(6)])
    third = 2 - 0.75 * np.log2(3)  # entropy of (1/4, 3/4)
    assert found["excess entropy"] == pytest.approx([0.75, 0.75, 1.75 - third])


def test_top_pair_wants_two_classes_in_every_label():
    logits = logs([1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 4, 1 / 2])
    hard = torch.tensor([0, 2])
    assert "top-pair" in performance(logits, tensor([0.5, 0.5, 0], [0, 0.1, 0.9]), hard)
    for wrong in ([0, 0, 1.0], [0.2, 0.3, 0.5]):
        found = performance(logits, tensor([0.5, 0.5, 0], wrong), hard)
        assert set(found) == NAMES - {"top-pair"}


def test_of_equal_logits_the_lower_class_is_larger():
    found = performance(torch.zeros(3, 3), tensor(*[[1, 0, 0]] * 3), torch.tensor([0, 1, 2]))
    assert found["top-1"].tolist() == [1, 0, 0]
    assert found["top-2"].tolist() == [1, 1, 0]


@pytest.mark.whole
@given(seed=st.integers(0, 10**6))
def test_equals_independent_formulas(seed):
    logits, soft, hard = drawn(seed)
    found = performance(torch.from_numpy(logits), torch.from_numpy(soft), torch.from_numpy(hard))
    p = torch.from_numpy(logits).softmax(1).numpy()
    assert found["kl"] == pytest.approx(scipy_entropy(soft, p, base=2, axis=1))
    assert found["entropy"] == pytest.approx(scipy_entropy(p, base=2, axis=1))
    two = torch.from_numpy(logits).topk(2).indices.numpy()
    assert found["top-2"].tolist() == [float(y in row) for y, row in zip(hard, two, strict=True)]
    assert found["top-pair"].tolist() == [
        float(set(row) == set(np.flatnonzero(q))) for q, row in zip(soft, two, strict=True)
    ]


@pytest.mark.whole
@given(seed=st.integers(0, 10**6))
def test_laws(seed):
    logits, soft, hard = drawn(seed)
    found = performance(logits, soft, hard)
    assert (found["top-1"] <= found["top-2"]).all()
    assert (found["kl"] >= 0).all()
    assert ((found["brier"] >= 0) & (found["brier"] <= 2)).all()
    # Right about the pair is right about any label drawn from it.
    assert (found["top-pair"] <= found["top-2"]).all()
    # Classes in another order, and a constant added to the logits, change nothing.
    order = random.generator(seed, "test/order").permutation(5)
    again = performance(logits[:, order] + 11.0, soft[:, order], np.argsort(order)[hard])
    for name, one in found.items():
        assert again[name] == pytest.approx(one, abs=1e-12)
    # Each image stands alone.
    last = performance(logits[-1:], soft[-1:], hard[-1:])
    assert all(last[name][0] == pytest.approx(one[-1]) for name, one in found.items())


def test_a_perfect_network():
    _, soft, hard = drawn(0, n=400)
    found = performance(np.log(np.maximum(soft, 1e-300)), soft, hard)
    for name in ("kl", "brier", "excess entropy"):
        assert found[name] == pytest.approx(np.zeros(400), abs=1e-12)
    assert found["top-2"].min() == found["top-pair"].min() == 1
    top = ceilings(soft)
    assert found["top-1"].mean() == pytest.approx(top["largest probability"], abs=4 * 0.5 / 20)
    assert found["entropy"].mean() == pytest.approx(top["label entropy"])


def test_no_network_does_better_than_the_labels_themselves():
    """Brier and KL are proper: any other prediction is worse by the mean over labels."""
    logits, soft, hard = drawn(1, n=50)
    right = np.log(np.maximum(soft, 1e-300))
    for share in (0.2, 1.0):
        found = performance((1 - share) * np.maximum(right, -30) + share * logits, soft, hard)
        assert found["kl"].mean() > 1e-3
        assert found["brier"].mean() > 1e-3


def test_extremes_stay_finite():
    logits = torch.tensor([[1e4, -1e4, 0.0], [-3e38, 3e38, 0.0]], dtype=torch.float32)
    found = performance(logits, tensor([0, 1, 0], [0, 1, 0]), torch.tensor([1, 1]))
    assert all(np.isfinite(one).all() for one in found.values())
    assert found["kl"][0] == pytest.approx(2e4 / np.log(2))
    assert found["kl"][1] == found["brier"][1] == found["entropy"][1] == 0
    assert found["brier"][0] == 2


def test_ceilings_by_hand():
    found = ceilings(tensor([0.5, 0.25, 0.125, 0.125], [0, 0, 1, 0]))
    assert found == pytest.approx({"largest probability": 0.75, "top-2 ceiling": 0.875, "label entropy": 0.875})
    # Gaps uniform in [0, 0.25] between two classes (facts 3): .5625 and .985 bits.
    half = np.linspace(0, 0.125, 2001)[:, None]
    top = ceilings(np.hstack([0.5 + half, 0.5 - half]))
    assert top["largest probability"] == pytest.approx(0.5625)
    assert top["top-2 ceiling"] == pytest.approx(1)
    assert top["label entropy"] == pytest.approx(0.985, abs=5e-4)


def test_entropy_of_certainty_is_zero():
    assert entropy([[1.0, 0.0], [0.5, 0.5]]).tolist() == [0, 1]
    assert not np.signbit(entropy([0.0, 1.0]))


class TestRefuses:
    soft = tensor([0.5, 0.5, 0], [0, 0.5, 0.5])
    hard = torch.tensor([0, 1])

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_logits_that_are_not_finite(self, value):
        with pytest.raises(MistrustError, match=r"1 of 2 rows of logits are not finite"):
            performance(torch.tensor([[0, value, 1], [0, 0, 0]]), self.soft, self.hard)

    def test_shapes(self):
        for logits, soft, hard in (
            (torch.zeros(2, 4), self.soft, self.hard),
            (torch.zeros(2, 3), self.soft, self.hard[:1]),
            (torch.zeros(3, 3), self.soft, self.hard),
            (torch.zeros(2, 1), tensor([1], [1]), torch.zeros(2, dtype=torch.int64)),
            (torch.zeros(0, 3), self.soft[:0], self.hard[:0]),
        ):
            with pytest.raises(MistrustError, match=r"expected \(n, k\), \(n, k\) and \(n,\)"):
                performance(logits, soft, hard)
        for wrong in (tensor([1.0], [1.0]), self.soft[:0], self.soft[0]):
            with pytest.raises(MistrustError, match=r"expected \(n, k\) with n >= 1 and k >= 2"):
                ceilings(wrong)

    @pytest.mark.parametrize("row", [[0.5, 0.4, 0], [0.6, 0.6, -0.2], [np.nan, 0.5, 0.5], [3.0, 1.0, 2.0]])
    def test_labels_that_are_no_probabilities(self, row):
        soft = tensor(row, [0, 0.5, 0.5])
        for call in (lambda: performance(torch.zeros(2, 3), soft, self.hard), lambda: ceilings(soft)):
            with pytest.raises(MistrustError, match=r"labels are no probabilities in 1 of 2 rows .* sum to 1"):
                call()
        with pytest.raises(MistrustError, match=r"These are no probabilities"):
            distributions("These", 1.0)

    def test_hard_labels_outside(self):
        for hard in (torch.tensor([0, 3]), torch.tensor([-1, 0]), torch.tensor([0.0, 1.0])):
            with pytest.raises(MistrustError, match=r"whole numbers from 0 to 2"):
                performance(torch.zeros(2, 3), self.soft, hard)
