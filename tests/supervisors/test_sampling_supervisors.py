from dataclasses import replace
from itertools import product

import pytest
import torch
from torch import nn

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import observe, wrap
from mistrust.supervisors import SUPERVISORS, make_supervisor
from mistrust.supervisors.softmax import entropy

MC = ("mc_variation_ratio", "mc_mean_softmax", "mc_predictive_entropy", "mc_mutual_information")
ENSEMBLE = ("ensemble_mean_softmax", "ensemble_predictive_entropy", "ensemble_mutual_information")
CLASSES = ("a", "b", "c")
# Of ../shared/facts/ambiguess.md, section 11.
SAMPLES = torch.tensor([(0.8, 0.1, 0.1), (0.6, 0.3, 0.1), (0.2, 0.7, 0.1), (0.4, 0.35, 0.25)], dtype=torch.float64)
GOLDEN = dict(zip(MC, (0.25, -0.5, 1.4242740891, 0.1910137299), strict=True))


def images(n, seed=0):
    pixels = torch.rand(n, 1, 2, 2, generator=torch.Generator().manual_seed(seed))
    return ImageSet("tiny", pixels, torch.arange(n) % 3, torch.arange(n) + 5, CLASSES)


def network(rate=0.5, seed=0):
    """Four pixels, dropout, three logits."""
    head = nn.Linear(4, 3)
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        head.weight.copy_(4 * torch.randn(3, 4, generator=draw))
        head.bias.copy_(torch.randn(3, generator=draw))
    return wrap(nn.Sequential(nn.Flatten(), nn.Dropout(rate), head), CLASSES)


def bare():
    return observe(network(), images(6))


def with_part(part, values):
    """A record of as many images as `values` (S, n, k) has, with its logarithms as samples or members."""
    record = observe(network(), images(values.shape[1]))
    return replace(record, **{part: values.log()})


@pytest.mark.parametrize("name", [*MC, *ENSEMBLE])
def test_golden_values_through_the_record(name):
    part = "samples" if name in MC else "members"
    record = with_part(part, SAMPLES.unsqueeze(1).expand(-1, 6, -1))
    scores = make_supervisor(name).fit(record).score(record)
    expected = GOLDEN[name.replace("ensemble", "mc")]
    assert scores.tolist() == pytest.approx([expected] * 6, abs=5e-11)


@pytest.mark.whole
@torch.no_grad()
@pytest.mark.parametrize("rate", [0.5, 0.25])
def test_with_many_samples_it_is_what_all_masks_together_say(rate):
    """Dropout and one linear layer: 16 masks, each with a known chance, give the exact values of all four."""
    n, classifier = 12, network(rate)
    record = observe(classifier, images(n), samples=20_000, block=4)
    x, head = images(n).images.flatten(1).double(), classifier.module[2]
    masks = torch.tensor(list(product((0.0, 1.0), repeat=4)), dtype=torch.float64)
    chance = (rate ** (4 - masks.sum(1))) * (1 - rate) ** masks.sum(1)
    logits = (x * masks[:, None] / (1 - rate)) @ head.weight.double().T + head.bias.double()
    p = logits.softmax(-1)
    mean = (chance[:, None, None] * p).sum(0)
    votes = (chance[:, None, None] * nn.functional.one_hot(p.argmax(-1), 3)).sum(0)
    exact = {
        "mc_variation_ratio": 1 - votes.amax(1),
        "mc_mean_softmax": -mean.amax(1),
        "mc_predictive_entropy": entropy(mean),
        "mc_mutual_information": entropy(mean) - (chance[:, None] * entropy(p)).sum(0),
    }
    for name, expected in exact.items():
        assert float(expected.std()) > 0.02  # else anything would pass
        found = make_supervisor(name).fit(record).score(record)
        assert torch.allclose(found, expected, rtol=0, atol=0.018)  # five standard errors of a share of 20,000


def test_members_are_those_of_the_record():
    networks = [network(seed=seed) for seed in range(3)]
    record = observe(networks[0], images(9), members=networks[1:])
    p = torch.stack([one(images(9).images).double().softmax(1) for one in networks])
    scores = {name: make_supervisor(name).fit(record).score(record) for name in ENSEMBLE}
    mean = p.mean(0)
    assert torch.allclose(scores["ensemble_mean_softmax"], -mean.amax(1), rtol=1e-5)
    assert torch.allclose(scores["ensemble_predictive_entropy"], entropy(mean), rtol=1e-5)
    assert torch.allclose(
        scores["ensemble_mutual_information"], entropy(mean) - entropy(p).mean(0), rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("name", [*MC, *ENSEMBLE])
def test_scores_of_some_images_are_some_of_the_scores(name):
    record = observe(network(), images(50), samples=8, members=[network(seed=1)])
    one = make_supervisor(name).fit(record)
    rows = torch.tensor([49, 0, 7])
    assert torch.equal(one.score(record.take(rows)), one.score(record)[rows])


@pytest.mark.parametrize("name", [*MC, *ENSEMBLE])
def test_cards_say_what_is_read(name):
    card = SUPERVISORS[name].card
    assert card.needs == (("samples",) if name in MC else ("members",))
    assert card.family == ("sampling" if name in MC else "ensemble")
    assert "Gal and Ghahramani" in card.paper if name in MC else "Lakshminarayanan" in card.paper


class TestBadInput:
    @pytest.mark.parametrize("name", MC)
    def test_a_record_without_samples(self, name):
        one = make_supervisor(name).fit(bare())  # it learns nothing from training images, so these need no samples
        with pytest.raises(MistrustError, match=r"holds no samples. Record them with observe\(.*samples=32"):
            one.score(bare())

    @pytest.mark.parametrize("name", ENSEMBLE)
    def test_a_record_without_members(self, name):
        one = make_supervisor(name).fit(bare())
        with pytest.raises(MistrustError, match=r"holds no members. Record them with observe\(.*members=\["):
            one.score(bare())

    @pytest.mark.parametrize("name", ["mc_variation_ratio", "mc_mutual_information"])
    def test_one_sample_cannot_disagree(self, name):
        record = observe(network(), images(6), samples=1)
        with pytest.raises(MistrustError, match=r"how much samples differ, and this record holds 1: .*samples=32"):
            make_supervisor(name).fit(record).score(record)

    @pytest.mark.parametrize("name", ["mc_mean_softmax", "mc_predictive_entropy"])
    def test_one_sample_is_a_softmax(self, name):
        record = observe(network(), images(6), samples=1)
        alone = replace(record, logits=record.samples[0])
        plain = make_supervisor({"mc_mean_softmax": "max_softmax"}.get(name, "softmax_entropy"))
        assert torch.allclose(make_supervisor(name).fit(record).score(record), plain.fit(alone).score(alone))

    @pytest.mark.parametrize("name", ENSEMBLE)
    def test_one_member_is_no_ensemble(self, name):
        record = with_part("members", SAMPLES[:1].unsqueeze(1).expand(-1, 6, -1))
        with pytest.raises(MistrustError, match=r"holds 1.* Record at least 2 with observe\(.*members=\[second, third"):
            make_supervisor(name).fit(record).score(record)

    @pytest.mark.parametrize(("name", "part"), [(MC[0], "samples"), (ENSEMBLE[0], "members")])
    def test_a_number_that_is_none(self, name, part):
        record = with_part(part, SAMPLES.unsqueeze(1).expand(-1, 6, -1))
        broken = getattr(record, part).clone()
        broken[1, 2, 0] = torch.nan
        one = make_supervisor(name).fit(record)
        with pytest.raises(MistrustError, match=f"the {part} hold 1 number of 72 that is NaN"):
            one.score(replace(record, **{part: broken}))

    def test_a_network_without_dropout(self):
        plain = wrap(nn.Sequential(nn.Flatten(), nn.Linear(4, 3)), CLASSES)
        with pytest.raises(MistrustError, match=r"no dropout layer.*an ensemble: observe\(..., members="):
            observe(plain, images(3), samples=2)
