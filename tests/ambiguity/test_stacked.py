import pytest
import torch
from plain import Plain

from mistrust.ambiguity.members import Member
from mistrust.ambiguity.stacked import PARTS, Design, initial, network, told
from mistrust.errors import MistrustError

DESIGN = Design(6, classes=4, latent=2, hidden=5)
MEMBERS = (Member(0, 1, 0), Member(1, 3, 0), Member(0, 3, 7))


def stacked(design=DESIGN, members=MEMBERS):
    weights = {}
    for part in PARTS:
        flat = torch.stack([initial(design, member, part) for member in members])
        weights |= design.views(part, flat)
    return weights


class TestDesign:
    # Facts, section 1: counted from the authors' layers.
    @pytest.mark.parametrize(("part", "size"), [("encoder", 117_250), ("decoder", 118_032), ("discriminator", 18_305)])
    def test_the_papers_networks_have_their_sizes(self, part, size):
        assert Design(784).size(part) == size

    def test_silent_defaults_are_the_authors_and_not_torchs(self):
        assert (Design(784).slope, Design(784).dropout, Design(784).hidden) == (0.3, 0.1, 128)

    @pytest.mark.parametrize(("wrong", "said"), [({"dropout": 1.0}, "dropout is 1.0"), ({"latent": 0}, "at least 1")])
    def test_impossible_sizes_are_refused(self, wrong, said):
        with pytest.raises(MistrustError, match=said):
            Design(784, **wrong)


class TestInitial:
    def test_weights_fill_glorots_range_and_biases_are_zero(self):
        views = Design(784).views("encoder", initial(Design(784), Member(3, 8, 0), "encoder")[None])
        for name, values in views.items():
            if name.endswith("bias"):
                assert (values == 0).all()
                continue
            bound = (6 / sum(values.shape[1:])) ** 0.5
            assert values.abs().max() < bound
            if values.numel() > 1000:
                assert values.abs().max() > 0.99 * bound
                # Variance of U(-b, b) is b²/3.
                assert float(values.var()) == pytest.approx(bound**2 / 3, rel=0.05)

    def test_seed_and_pair_both_change_them(self):
        first = initial(DESIGN, Member(0, 1, 0), "encoder")
        assert not torch.equal(first, initial(DESIGN, Member(0, 1, 1), "encoder"))
        assert not torch.equal(first, initial(DESIGN, Member(0, 2, 0), "encoder"))
        assert torch.equal(first, initial(DESIGN, Member(0, 1, 0), "encoder"))


class TestAgainstTheTextbook:
    @pytest.mark.parametrize("part", ["encoder", "decoder"])
    def test_each_member_answers_as_its_own_network(self, part):
        weights = stacked()
        x = torch.rand(3, 7, 6 if part == "encoder" else 2, dtype=torch.float64, generator=torch.Generator())
        found = network(weights, part, x, DESIGN.slope)
        for g in range(3):
            plain = Plain(6, 4, 2, 5, dropout=0).double().load({n: v[g] for n, v in weights.items()})
            assert torch.allclose(found[g], plain.run(part, x[g]), rtol=0, atol=1e-14)

    def test_the_discriminator_reads_the_one_hot_of_each_members_own_classes(self):
        weights, z = stacked(), torch.randn(3, 7, 2, dtype=torch.float64)
        pairs = torch.tensor([(m.first, m.second) for m in MEMBERS])
        found = told(weights, DESIGN, z, pairs)
        for g in range(3):
            plain = Plain(6, 4, 2, 5, dropout=0).double().load({n: v[g] for n, v in weights.items()})
            for which in (0, 1):
                expected = plain.judge(z[g], pairs[g, which].expand(7))[:, 0]
                assert torch.allclose(found[g, :, which], expected, rtol=0, atol=1e-14)
