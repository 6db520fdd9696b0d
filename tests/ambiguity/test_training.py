import pandas as pd
import pytest
import torch
from plain import Plain

from mistrust.ambiguity import training as module
from mistrust.ambiguity.adversarial import Stack, State, Training
from mistrust.ambiguity.batches import Feed
from mistrust.ambiguity.members import Member, order_by_size, rows_of
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.training import train, trained, width_of
from mistrust.errors import MistrustError, MistrustWarning
from mistrust.store import Scratch

DESIGN = Design(16, classes=3, hidden=12)
# 70, 63 and 53 images: five, four and four steps of at most 16, the last ones of different sizes.
MEMBERS = [Member(1, 2, 0), Member(0, 1, 0), Member(0, 2, 5), Member(0, 1, 1)]
SHORT = Training(epochs=4, batch=16)


def run(images, members, recipe=SHORT, design=DESIGN, **options):
    return train(images, members, design, recipe, device="cpu", dtype=torch.float64, **options)


def same(found, expected, places=None):
    """Bit-equal is not asked for: a product's last digit may depend on how many are computed at once."""
    for name, values in expected.items():
        mine = found[name] if places is None else found[name][places]
        assert torch.allclose(mine.double(), values.double(), rtol=0, atol=1e-12), name


class TestAgainstTheTextbook:
    @pytest.mark.whole
    def test_a_stack_ends_where_three_optimisers_and_three_forward_passes_end(self, glyphs):
        members = [MEMBERS[i] for i in order_by_size(glyphs, MEMBERS)]
        pairs = torch.tensor([(m.first, m.second) for m in members])
        state = State.new(DESIGN, tuple(members), torch.float64, torch.device("cpu"))
        plain = [Plain(16, 3, 2, 12).double() for _ in members]
        for g, model in enumerate(plain):
            model.load({name: values[g] for name, values in state.weights(DESIGN).items()})
        optimisers = [model.optimisers() for model in plain]
        feed = Feed(glyphs, members, DESIGN, 16, torch.float64, glyphs.images.flatten(1))
        stack = Stack(state, pairs, DESIGN, SHORT)
        told, judged = torch.zeros(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)
        for epoch in (0, 1):
            for batch in feed.epoch(epoch):
                for g, count in enumerate(batch.count.tolist()):
                    real, fake = plain[g].step(
                        optimisers[g], batch.x[g, :count], pairs[g][batch.second[g, :count]], batch.real[g, :count],
                        pairs[g][batch.real_second[g, :count]], batch.masks[g, :, :count],
                    )  # fmt: skip
                    told[g] += (real > 0.5).sum() + (fake <= 0.5).sum()
                    judged[g] += 2 * count
                stack.step(batch)
        for g, model in enumerate(plain):
            same({n: v[g] for n, v in state.weights(DESIGN).items()}, model.weights())
        assert torch.equal(state["told"], told)
        assert torch.equal(state["judged"], judged)


class TestFeed:
    @pytest.fixture
    def feed(self, glyphs):
        members = [MEMBERS[i] for i in order_by_size(glyphs, MEMBERS)]
        return Feed(glyphs, members, DESIGN, 16, torch.float64, glyphs.images.flatten(1))

    def test_an_epoch_shows_every_image_of_the_pair_once(self, glyphs, feed):
        for g, member in enumerate(feed.members):
            seen = [batch.x[g, : batch.count[g]] for batch in feed.epoch(0) if g < len(batch.x)]
            own = glyphs.images.flatten(1)[(glyphs.labels == member.first) | (glyphs.labels == member.second)] / 255
            found = sorted(torch.cat(seen).sum(1).tolist())
            assert found == pytest.approx(sorted(own.double().sum(1).tolist()))

    def test_rows_without_an_image_have_no_weight_and_the_others_add_up_to_one(self, feed):
        for batch in feed.epoch(0):
            assert torch.allclose(batch.weight.sum(1), torch.ones(len(batch.x), dtype=torch.float64))
            assert torch.equal((batch.weight > 0).sum(1), batch.count)

    def test_the_first_half_of_the_prior_is_of_the_first_class(self, feed):
        batch = next(feed.epoch(0))
        assert batch.real_second[0].tolist() == [0] * 8 + [1] * 8
        assert batch.real[:, :8, 0].mean() == pytest.approx(-3, abs=0.5)
        assert batch.real[:, 8:, 0].mean() == pytest.approx(3, abs=0.5)
        assert batch.real[..., 1].mean() == pytest.approx(0, abs=0.5)

    def test_dropout_drops_its_share_and_keeps_the_mean(self, feed):
        masks = torch.cat([batch.masks.flatten() for epoch in range(20) for batch in feed.epoch(epoch)])
        assert sorted(masks.unique().tolist()) == pytest.approx([0, 1 / 0.9])
        # Some 400,000 draws: three standard errors are 0.0015.
        assert float((masks == 0).double().mean()) == pytest.approx(0.1, abs=0.0015)

    def test_epochs_and_members_of_one_pair_differ(self, feed):
        first, second = next(feed.epoch(0)), next(feed.epoch(1))
        assert not torch.equal(first.x, second.x)
        assert not torch.equal(first.masks, second.masks)
        assert not torch.equal(first.x[0], first.x[1])  # the two seeds of pair 0/1 stand in front
        assert not torch.equal(first.masks[0], first.masks[1])


@pytest.fixture(scope="module")
def together(glyphs):
    return run(glyphs, MEMBERS)


class TestLaws:
    @pytest.mark.parametrize("g", range(4))
    def test_stacked_equals_alone(self, glyphs, together, g):
        same(run(glyphs, [MEMBERS[g]]), {name: values[g : g + 1] for name, values in together.items()})

    def test_training_changed_every_layer(self, glyphs, together):
        start = run(glyphs, MEMBERS, Training(epochs=1, batch=16, rate=1e-300))
        for name, values in together.items():
            if name.startswith("weight/"):
                assert ((values - start[name]).abs().flatten(1).amax(1) > 1e-4).all(), name

    def test_permuting_members_permutes_results(self, glyphs, together):
        order = [2, 0, 3, 1]
        same(run(glyphs, [MEMBERS[i] for i in order]), together, torch.tensor(order).argsort())

    @pytest.mark.whole
    @pytest.mark.parametrize("rows_at_once", [1, 32, 10_000])
    def test_how_many_are_computed_at_once_does_not_matter(self, glyphs, together, rows_at_once):
        same(run(glyphs, MEMBERS, rows_at_once=rows_at_once), together)

    @pytest.mark.parametrize("g", [0, 1])
    def test_pairs_smaller_than_the_batch_draw_for_their_own_images(self, glyphs, g):
        large = Training(epochs=3, batch=200)
        both = run(glyphs, MEMBERS[:2], large)
        same(run(glyphs, MEMBERS[g : g + 1], large), {name: values[g : g + 1] for name, values in both.items()})

    def test_no_dropout_and_other_sizes(self, glyphs):
        design = Design(16, classes=3, latent=3, hidden=7, dropout=0)
        both = run(glyphs, MEMBERS[:2], design=design)
        same(run(glyphs, MEMBERS[:1], design=design), {name: values[:1] for name, values in both.items()})

    def test_same_seed_same_bits_other_seed_others(self, glyphs, together):
        again = run(glyphs, MEMBERS)
        assert all(torch.equal(again[name], values) for name, values in together.items())
        assert not torch.equal(together["weight/encoder.0.weight"][1], together["weight/encoder.0.weight"][3])

    def test_a_member_that_breaks_touches_no_other(self, glyphs, together, monkeypatch):
        whole = State.new.__func__

        def broken(cls, design, members, dtype, device):
            state = whole(cls, design, members, dtype, device)
            state["encoder"][members.index(MEMBERS[0]), 3] = float("nan")
            return state

        monkeypatch.setattr(State, "new", classmethod(broken))
        found = run(glyphs, MEMBERS)
        assert found["report/finite"].tolist() == [False, True, True, True]
        assert found["weight/decoder.2.weight"][0].isnan().all()
        same({n: v[1:] for n, v in found.items()}, {n: v[1:] for n, v in together.items()})


class Killed(Exception):
    pass


class TestStore:
    @pytest.mark.whole
    @pytest.mark.parametrize("after", [1, 3])
    def test_killed_and_resumed_equals_unbroken(self, glyphs, monkeypatch, tmp_path, after):
        monkeypatch.setattr(module, "CHECKPOINT", 1)
        unbroken = run(glyphs, MEMBERS)
        saved = []

        class Cut(Scratch):
            def save(self, tensors):
                super().save(tensors)
                saved.append(int(tensors["epoch"]))
                if len(saved) == after:
                    raise Killed

        with pytest.raises(Killed):
            run(glyphs, MEMBERS, scratch=Cut(tmp_path))
        resumed = run(glyphs, MEMBERS, scratch=Scratch(tmp_path))
        assert saved == list(range(1, after + 1))
        assert all(torch.equal(resumed[name], values) for name, values in unbroken.items())

    @pytest.mark.whole
    def test_report_has_a_row_a_member_in_their_order(self, glyphs):
        found = trained(glyphs, MEMBERS, DESIGN, SHORT, device="cpu", group=3)
        assert found.report["first"].tolist() == [1, 0, 0, 0]
        assert found.report["seed"].tolist() == [0, 0, 5, 1]
        assert found.report["images"].tolist() == [53, 70, 63, 70]
        assert found.report["finite"].all()
        assert len(found) == 4
        assert found.weights["encoder.0.weight"].shape == (4, 16, 12)

    @pytest.mark.whole
    def test_the_size_of_groups_does_not_matter(self, glyphs):
        whole = trained(glyphs, MEMBERS, DESIGN, SHORT, device="cpu", group=4)
        single = trained(glyphs, MEMBERS, DESIGN, SHORT, device="cpu", group=1)
        for name, values in whole.weights.items():
            assert torch.allclose(single.weights[name], values, rtol=0, atol=1e-5), name
        pd.testing.assert_frame_equal(whole.report, single.report, atol=1e-4)

    @pytest.mark.whole
    def test_no_more_than_a_group_is_held_at_once(self, glyphs, monkeypatch):
        seen = []
        new = State.new.__func__

        def counted(cls, design, members, dtype, device):
            seen.append(len(members))
            return new(cls, design, members, dtype, device)

        monkeypatch.setattr(State, "new", classmethod(counted))
        trained(glyphs, [Member(0, 1, s) for s in range(5)], DESIGN, SHORT, device="cpu", group=2)
        assert seen == [2, 2, 1]

    def test_what_is_kept_is_not_trained_again(self, glyphs, monkeypatch):
        first = trained(glyphs, MEMBERS[:2], DESIGN, SHORT, device="cpu")
        monkeypatch.setattr(module, "train", None)
        again = trained(glyphs, MEMBERS[:2], DESIGN, SHORT, device="cpu")
        assert all(torch.equal(again.weights[name], values) for name, values in first.weights.items())

    @pytest.mark.whole
    def test_a_member_that_rebuilds_no_better_than_a_mean_is_reported(self, glyphs):
        untaught = trained(glyphs, MEMBERS[:2], DESIGN, Training(epochs=1, batch=16, rate=1e-9), device="cpu")
        taught = trained(glyphs, MEMBERS[:2], DESIGN, Training(epochs=150, batch=16), device="cpu")
        for member, lost, found in zip(MEMBERS, untaught.report["error"], taught.report["error"], strict=False):
            own = glyphs.take(rows_of(glyphs, member)).floats()
            spread = float(own.sub(own.mean(0)).square().mean())
            assert found < 0.95 * spread < lost
        assert untaught.report["collapsed"].all()
        assert not taught.report["collapsed"].any()

    def test_a_member_that_breaks_is_named_in_a_warning(self, glyphs):
        with pytest.warns(MistrustWarning, match=r"2 of 2 .* NaN .*Member\(first=0, second=1, seed=0\)"):
            found = trained(glyphs, MEMBERS[1:3], DESIGN, Training(epochs=2, batch=16, rate=1e38), device="cpu")
        assert not found.report["finite"].any()


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"design": Design(9, 3)}, r"for 9 pixels and 3 classes, glyphs has 16 and 3: Design\(16, 3\)"),
            ({"design": Design(16, 10)}, "10 classes"),
            ({"group": 0}, "group is 0"),
        ],
    )
    def test_a_design_for_other_images_or_no_group(self, glyphs, options, said):
        with pytest.raises(MistrustError, match=said):
            trained(glyphs, MEMBERS, training=SHORT, device="cpu", **options)

    @pytest.mark.parametrize("wrong", [{"epochs": 0}, {"batch": 1}, {"rate": 0.0}, {"epsilon": float("nan")}])
    def test_impossible_recipes(self, wrong):
        with pytest.raises(MistrustError, match="positive numbers"):
            Training(**wrong)


def test_a_cpu_computes_few_large_batches_at_once_and_many_small_ones():
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    assert width_of(cpu, 10_000, 15) == 1
    assert width_of(cpu, 32, 15) == 15
    assert width_of(gpu, 1000, 300) == 300
    assert width_of(cpu, 16, 15, rows_at_once=48) == 3


def test_the_bar_tells_reconstruction_error_and_both_gates(glyphs, monkeypatch, capsys):
    monkeypatch.setenv("MISTRUST_PROGRESS", "1")
    found = run(glyphs, [Member(0, 1, 0), Member(0, 1, 1)])
    told = capsys.readouterr().err
    for name in ("error", "discrimination", "labelling"):
        assert f"{name}={float(found[f'report/{name}'].mean()):.3f}" in told
