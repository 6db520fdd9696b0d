import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.distributions import MultivariateNormal

from mistrust.ambiguity import prior
from mistrust.ambiguity.labels import LABELS, gap, probabilities
from mistrust.errors import MistrustError

RULES = list(LABELS)
logit = st.floats(-900, 900)


def first(logits, rule, z=(0.0, 0.0)):
    return float(probabilities(torch.tensor(logits), torch.tensor(z), rule)[0])


@pytest.mark.parametrize(
    ("logits", "softmax", "normalised"),
    [
        # Facts 11, whose last two digits of the fourth number (27) are a slip: by hand, s(-4) / (s(-4) + s(-5)) =
        # 0.0179862099621 / 0.0246790608864 = 0.7288044729. (6, 4) from facts 2.
        ((2.0, 1.0), 0.7310585786, 0.5464491032),
        ((-4.0, -5.0), 0.7310585786, 0.7288044729),
        ((6.0, 4.0), 0.8807970780, 0.5039184805),
    ],
)
def test_golden(logits, softmax, normalised):
    assert first(logits, "softmax") == pytest.approx(softmax, abs=5e-11)
    assert first(logits, "normalised") == pytest.approx(normalised, abs=5e-11)


def test_normalised_is_the_default_and_is_sigmoids_by_their_sum():
    logits, z = torch.randn((5, 4, 2), generator=torch.Generator().manual_seed(0)).double(), torch.zeros(5, 4, 2)
    outputs = logits.sigmoid()
    assert torch.allclose(probabilities(logits, z), outputs / outputs.sum(-1, keepdim=True), atol=1e-14)


@pytest.mark.parametrize("latent", [1, 2, 3, 5])
def test_the_prior_rule_is_bayes_theorem(latent):
    z = torch.randn((50, latent), generator=torch.Generator().manual_seed(latent)).double()
    eye = torch.eye(latent, dtype=torch.float64)
    densities = torch.stack([MultivariateNormal(mean, eye).log_prob(z).exp() for mean in prior.means(latent)], dim=1)
    expected = densities / densities.sum(1, keepdim=True)
    assert torch.allclose(probabilities(torch.zeros(50, 2), z, "prior"), expected, atol=1e-12)


def test_the_prior_rule_in_two_dimensions():
    # Facts 2: p(c1 | z) = sigmoid(-6 z0); a gap of at most 0.25 is |z0| <= 0.0851.
    assert first((9.0, 9.0), "prior", (0.1, 77.0)) == pytest.approx(1 / (1 + 2.718281828459045**0.6))
    edge = probabilities(torch.zeros(2, 2), torch.tensor([[0.0851, 0.0], [0.0852, 0.0]]), "prior")
    assert gap(edge)[0] < 0.25 < gap(edge)[1]


@pytest.mark.parametrize("rule", RULES)
@given(values=st.tuples(logit, logit), z=st.tuples(st.floats(-9, 9), st.floats(-9, 9)))
def test_adds_up_to_one_and_swaps_with_the_classes(rule, values, z):
    logits, at = torch.tensor(values, dtype=torch.float64), torch.tensor(z, dtype=torch.float64)
    p = probabilities(logits, at, rule)
    assert p.dtype == torch.float64
    assert float(p.sum()) == pytest.approx(1, abs=1e-12)
    assert bool((p >= 0).all())
    # Swapping the classes swaps the logits and mirrors the latent space.
    swapped = probabilities(logits.flip(-1), at * torch.tensor([-1.0, 1.0]), rule)
    assert torch.allclose(swapped, p.flip(-1), atol=1e-12)


def test_far_below_zero_normalised_becomes_softmax():
    assert first((-800.0, -801.0), "normalised") == pytest.approx(first((-800.0, -801.0), "softmax"), abs=1e-12)
    assert first((800.0, 700.0), "normalised") == 0.5


def test_refuses():
    with pytest.raises(MistrustError, match=r"no rule for labels 'softmaxx'. Did you mean 'softmax'"):
        first((0.0, 0.0), "softmaxx")
    with pytest.raises(MistrustError, match=r"\(4, 2\) and latent points \(3, 2\)"):
        probabilities(torch.zeros(4, 2), torch.zeros(3, 2))


def test_arrays_do_as_tensors_and_text_is_refused():
    logits, z = torch.tensor([[-1.0, 3.0]]), torch.zeros(1, 2)
    assert torch.equal(probabilities(logits.numpy(), z.numpy()), probabilities(logits, z))
    assert gap([[0.75, 0.25]]) == gap(logits.new_tensor([[0.75, 0.25]]).numpy()) == 0.5
    with pytest.raises(MistrustError, match="Probabilities are 'both', expected numbers"):
        gap("both")
    with pytest.raises(MistrustError, match="Logits are 'both', expected numbers"):
        probabilities("both", z)
    with pytest.raises(MistrustError, match=r"shape \(1, 3\), expected \(..., 2\)"):
        gap(torch.ones(1, 3))
    with pytest.raises(MistrustError, match=r"shape \(\), expected \(..., 2\)"):
        gap(0.5)
