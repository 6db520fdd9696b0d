import dataclasses

import pandas as pd
import pytest
import torch
from plain import Plain

from mistrust.ambiguity import gates
from mistrust.ambiguity.adversarial import Training
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.batches import Feed
from mistrust.ambiguity.members import Member
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.training import trained
from mistrust.errors import MistrustError

DESIGN = Design(16, classes=3, hidden=12)
MEMBERS = [Member(0, 1, 0), Member(0, 1, 1), Member(1, 2, 0)]


def reported(discrimination, labelling, finite=None, members=MEMBERS, collapsed=False):
    """Autoencoders of which nothing but the report counts."""
    report = pd.DataFrame([dataclasses.asdict(member) for member in members])
    report["discrimination"], report["labelling"] = discrimination, labelling
    report["discrimination_published"], report["labelling_published"] = 0.5, 0.95
    report["finite"] = [True] * len(members) if finite is None else finite
    report["collapsed"] = collapsed
    weights = {"encoder.0.bias": torch.arange(float(len(members)))[:, None]}
    return Autoencoders(DESIGN, tuple(members), (1, 4, 4), ("a", "b", "c"), weights, report)


class TestMeasure:
    @pytest.fixture
    def found(self, glyphs):
        return trained(glyphs, MEMBERS, DESIGN, Training(epochs=12, batch=16), device="cpu")

    def test_each_value_is_what_a_textbook_network_gives(self, glyphs, found):
        for g, member in enumerate(MEMBERS):
            plain = Plain(16, 3, 2, 12).load({name: v[g] for name, v in found.weights.items()}).eval()
            chosen = (glyphs.labels == member.first) | (glyphs.labels == member.second)
            x, labels = glyphs.images[chosen].flatten(1) / 255, glyphs.labels[chosen]
            row = found.report.iloc[g]
            with torch.no_grad():
                z = plain.run("encoder", x)
                made = plain.run("decoder", z).sigmoid()
                assert row["error"] == pytest.approx(float(((made - x) ** 2).mean()), rel=1e-5)
                for column, scale in (("labelling", 1), ("labelling_published", 255)):
                    z = plain.run("encoder", x * scale)
                    both = [plain.judge(z, torch.full_like(labels, c))[:, 0] for c in (member.first, member.second)]
                    right = (both[0] > both[1]) == (labels == member.first)
                    assert row[column] == pytest.approx(float(right.double().mean()), abs=1e-9)

    def test_discrimination_counts_prior_samples_and_images_equally(self, glyphs):
        # A discriminator that always says "from the prior" is right about all samples and wrong about all images.
        members = [Member(0, 1, 0)]
        feed = Feed(glyphs, members, DESIGN, 16, torch.float32, glyphs.images.flatten(1))
        weights = {
            name: torch.zeros(1, *shape)
            for part in ("encoder", "decoder", "discriminator")
            for name, shape in DESIGN.shapes(part).items()
        }
        weights["discriminator.2.bias"] += 1
        assert float(gates.measure(weights, DESIGN, feed)["discrimination"]) == 0.5
        # One that looks at z alone: images lie at 0, samples at -3 and 3, so |z| tells them apart.
        weights["discriminator.2.bias"] += -2
        weights["discriminator.0.weight"][0, 0, :2] = torch.tensor([1.0, -1.0])
        weights["discriminator.1.weight"][0, :2, 0] = 1.0
        weights["discriminator.2.weight"][0, 0] = 1.0
        assert float(gates.measure(weights, DESIGN, feed)["discrimination"]) > 0.8

    def test_the_published_running_share_is_kept_beside_it(self, found):
        values = found.report["discrimination_published"]
        assert ((values > 0.3) & (values < 1)).all()


class TestAccepted:
    @pytest.mark.parametrize(
        ("discrimination", "labelling", "passes"),
        [(0.5, 0.95, True), (0.4, 0.95, False), (0.6, 0.95, False), (0.401, 0.9, True), (0.5, 0.899, False),
         (float("nan"), 0.95, False), (0.5, float("nan"), False)],
    )  # fmt: skip
    def test_both_gates_hold_the_papers_bounds(self, discrimination, labelling, passes):
        assert gates.accepted(reported(discrimination, labelling)).tolist() == [passes] * 3

    def test_what_is_not_finite_does_not_pass(self):
        assert gates.accepted(reported(0.5, 0.95, [True, False, True])).tolist() == [True, False, True]

    def test_what_has_collapsed_does_not_pass_by_either_rule(self):
        """Neither gate reads what the decoder makes."""
        some = reported(0.5, 0.95, collapsed=[False, True, False])
        for as_published in (False, True):
            assert gates.accepted(some, as_published=as_published).tolist() == [True, False, True]

    def test_the_coded_values_are_an_option(self):
        assert gates.accepted(reported(0.7, 0.5), as_published=True).all()
        assert not gates.accepted(reported(0.7, 0.5)).any()

    def test_by_pair_counts_survivors(self):
        table = gates.by_pair(reported([0.5, 0.7, 0.5], 0.95))
        assert table.to_dict("list") == {
            "first": [0, 1], "second": [1, 2], "members": [2, 1], "survivors": [1, 1], "share": [0.5, 1.0],
        }  # fmt: skip


class TestRequire:
    def test_gives_the_survivors(self):
        kept = gates.require(reported([0.5, 0.7, 0.5], 0.95))
        assert kept.members == (MEMBERS[0], MEMBERS[2])
        assert kept.weights["encoder.0.bias"].flatten().tolist() == [0, 2]
        assert kept.report["first"].tolist() == [0, 1]

    def test_a_pair_without_survivor_is_named_with_the_way_out(self):
        with pytest.raises(MistrustError) as error:
            gates.require(reported([0.65, 0.7, 0.5], 0.95))
        said = str(error.value)
        assert "1 of 2 pairs: a/b (2 tried, the nearest with discrimination 0.650, labelling 0.950)" in said
        assert "other seeds (from 2 on), train longer" in said
        assert "--tries" in said
        assert "-p tries=9" in said
        assert "b/c" not in said

    def test_collapsed_members_are_counted(self):
        with pytest.raises(MistrustError, match=r"b/c .1 tried, the nearest with .* 0.950, 1 collapsed\)"):
            gates.require(reported(0.5, 0.95, collapsed=[False, False, True]))

    def test_broken_members_are_counted(self):
        nan = float("nan")
        with pytest.raises(MistrustError, match=r"b/c .1 tried, the nearest with discrimination nan.*1 not finite"):
            gates.require(reported([0.5, 0.5, nan], [0.95, 0.95, nan], [True, True, False]))
