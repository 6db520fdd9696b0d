import pytest
import torch

from mistrust.ambiguity.adversarial import Training
from mistrust.ambiguity.decoders import Decoders
from mistrust.ambiguity.members import Member
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.training import trained
from mistrust.errors import MistrustError

MEMBERS = [Member(0, 1, 0), Member(0, 2, 5), Member(1, 2, 0)]


@pytest.fixture
def autoencoders(glyphs):
    return trained(glyphs, MEMBERS, Design(16, classes=3, hidden=12), Training(epochs=2, batch=16), device="cpu")


def test_answers_have_a_row_for_each_point_of_each_member(autoencoders):
    x = torch.rand(3, 5, 16)
    z = autoencoders.encode(x)
    made = autoencoders.decode(z)
    assert (z.shape, made.shape, autoencoders.logits(z).shape) == ((3, 5, 2), (3, 5, 16), (3, 5, 2))
    assert 0 <= float(made.min()) <= float(made.max()) <= 1


def test_it_is_what_sampling_asks_for(autoencoders):
    needed: Decoders = autoencoders
    assert (needed.latent, needed.shape, needed.classes) == (2, (1, 4, 4), ("a", "b", "c"))
    assert [(m.first, m.second, m.seed) for m in needed.members] == [(0, 1, 0), (0, 2, 5), (1, 2, 0)]
    assert autoencoders.pairs == [(0, 1), (0, 2), (1, 2)]
    # Any floating type is taken, and decoding can be differentiated forwards.
    z = torch.zeros(3, 1, 2, dtype=torch.float64)
    assert needed.decode(z).dtype == torch.float32
    _, slope = torch.func.jvp(needed.decode, (z,), (torch.ones_like(z),))
    ahead = (needed.decode(z + 1e-3) - needed.decode(z - 1e-3)) / 2e-3
    assert torch.allclose(slope, ahead, atol=1e-3)


def test_no_dropout_in_evaluation(autoencoders):
    z = torch.zeros(3, 4, 2)
    assert torch.equal(autoencoders.decode(z), autoencoders.decode(z))
    assert (autoencoders.decode(z) == autoencoders.decode(z)[:, :1]).all()


@pytest.mark.parametrize(
    ("index", "expected"),
    [([2, 0], [2, 0]), (torch.tensor([True, False, True]), [0, 2]), (slice(1, None), [1, 2]), ([], [])],
)
def test_take_gives_those_members_and_their_answers(autoencoders, index, expected):
    some = autoencoders.take(index)
    assert some.members == tuple(MEMBERS[i] for i in expected)
    assert some.report["seed"].tolist() == [MEMBERS[i].seed for i in expected]
    z = torch.randn(3, 4, 2, generator=torch.Generator().manual_seed(0))
    if expected:
        assert torch.allclose(some.decode(z[expected]), autoencoders.decode(z)[expected], atol=1e-6)
        assert torch.allclose(some.logits(z[expected]), autoencoders.logits(z)[expected], atol=1e-6)


@pytest.mark.parametrize("shape", [(5, 16), (2, 5, 16), (3, 5, 15)])
def test_other_shapes_are_refused_with_the_way_out(autoencoders, shape):
    with pytest.raises(MistrustError, match=r"expected \(3, n, 16\): n for each of the 3 autoencoders.*expand\(3"):
        autoencoders.encode(torch.zeros(shape))
