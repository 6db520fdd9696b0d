"""ReAct and ASH: by hand, against pytorch-ood 0.4.0 and numpy's percentile, and where they depart from it."""

from math import exp

import numpy as np
import pytest
import torch
from pytorch_ood import detector as peers
from torch import nn

from mistrust.errors import MistrustError
from mistrust.supervisors import make_supervisor, quantile
from mistrust.supervisors.logits import energy
from mistrust.supervisors.made_up import made_up
from mistrust.supervisors.quantile import pooled_quantile
from mistrust.supervisors.shaping import binarise, prune, react, scale

DRAW = torch.Generator().manual_seed(0)
POSITIVE = torch.rand(60, 16, generator=DRAW)
SPARSE = torch.randn(60, 16, generator=DRAW).relu()
KINDS = {"p": prune, "b": binarise, "s": scale}


def fitted(name, **parameters):
    found, one = made_up(), make_supervisor(name, **parameters)
    training, seen = found.record(one, found.training), found.record(one, found.novel)
    return one.fit(training), training, seen, found.classifier.module.get_submodule("head")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("p", [0, 0, 3, 4]), ("b", [0, 0, 5, 5]), ("s", [0, 0, 3 * exp(10 / 7), 4 * exp(10 / 7)])],
)
def test_ash_by_hand(kind, expected):
    row = torch.tensor([[1.0, 2.0, 3.0, 4.0]], dtype=torch.float64)
    assert KINDS[kind](row, 0.5)[0].tolist() == pytest.approx(expected)
    assert KINDS[kind](row.flip(1), 0.5)[0].tolist() == pytest.approx(expected[::-1])


def test_react_by_hand():
    assert react(torch.tensor([[1.0, 5.0, -9.0]]), 2.0).tolist() == [[1.0, 2.0, -9.0]]


def test_ties_at_the_border_all_stay():
    row = torch.tensor([[2.0, 2.0, 2.0, 1.0]])
    assert prune(row, 0.5).tolist() == [[2, 2, 2, 0]]
    assert binarise(row, 0.5)[0].tolist() == pytest.approx([7 / 3, 7 / 3, 7 / 3, 0])


def test_binarising_keeps_zeros_where_pytorch_ood_fills_some():
    # One number above 0 where two are to stay. pytorch-ood 0.4.0 shares the sum with one of the zeros.
    row = torch.tensor([[0.0, 8.0, 0.0, 0.0]])
    theirs = peers.ASH.variants["ash-b"](row[:, :, None, None], 0.5).flatten(1)
    assert sorted(theirs[0].tolist()) == [0, 0, 4, 4]
    assert binarise(row, 0.5).tolist() == [[0, 8, 0, 0]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_zeros_stays_one_and_columns_may_change_places(kind):
    shape = KINDS[kind]
    assert torch.equal(shape(torch.zeros(2, 5), 0.6), torch.zeros(2, 5))
    columns = torch.randperm(16, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(shape(POSITIVE[:, columns], 0.7), shape(POSITIVE, 0.7)[:, columns])
    torch.testing.assert_close(shape(POSITIVE[7:9], 0.7), shape(POSITIVE, 0.7)[7:9])
    torch.testing.assert_close(shape(3 * POSITIVE, 0.7), 3 * shape(POSITIVE, 0.7))


def test_laws_of_the_variants():
    for features in (POSITIVE, SPARSE):
        torch.testing.assert_close(binarise(features, 0.8).sum(1), features.sum(1))
        torch.testing.assert_close(scale(features, 0.0), features * np.e)
        assert torch.equal(prune(features, 0.0), features)
    assert torch.equal((prune(POSITIVE, 0.9) > 0).sum(1), torch.full((60,), 2))  # 16 - round(14.4)
    assert torch.equal((prune(POSITIVE, 0.8) > 0).sum(1), torch.full((60,), 3))  # 16 - round(12.8)
    assert torch.equal((prune(POSITIVE, 0.99) > 0).sum(1), torch.ones(60, dtype=torch.int64))


@pytest.mark.parametrize("share", [0.5, 0.65, 0.8, 0.9])
@pytest.mark.parametrize("kind", KINDS)
def test_ash_is_that_of_pytorch_ood(kind, share):
    _, _, _, head = fitted("ash")
    theirs = peers.ASH(lambda x: x, lambda x: head(x.flatten(1)), f"ash-{kind}", share)
    # On numbers above 0, where the authors' code leaves nothing to the order of sorting; "p" and "s" on zeros too.
    for features in (POSITIVE,) if kind == "b" else (POSITIVE, SPARSE):
        expected = theirs.predict_feature_maps(features[:, :, None, None]).detach()
        found = energy(nn.functional.linear(KINDS[kind](features, share), head.weight, head.bias)).detach()
        torch.testing.assert_close(found, expected.double(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_react_is_that_of_pytorch_ood(share):
    one, training, seen, head = fitted("react", quantile=share)
    theirs = peers.ReAct(lambda x: x, head, percentile=share)
    theirs.fit_feature_maps(training.layer("dropped"), training.labels)
    assert float(one.fitted.state["threshold"]) == pytest.approx(theirs.threshold, rel=1e-6)
    expected = theirs.predict_feature_maps(seen.layer("dropped"))
    torch.testing.assert_close(one.score(seen), expected.double(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("variant", KINDS)
def test_ash_of_a_record(variant):
    one, _, seen, head = fitted("ash", variant=variant, quantile=0.6, temperature=2.0)
    shaped = KINDS[variant](seen.layer("dropped").double(), 0.6)
    expected = energy(shaped @ head.weight.detach().double().T + head.bias.detach(), 2.0)
    torch.testing.assert_close(one.score(seen), expected, rtol=1e-12, atol=0)


def test_react_at_quantile_one_is_energy_on_training_images():
    one, training, _, _ = fitted("react", quantile=1.0)
    torch.testing.assert_close(one.score(training), energy(training.logits), rtol=1e-5, atol=1e-5)


def test_one_training_row_is_enough_for_react():
    one, training, seen, _ = fitted("react")
    row = training.take(torch.tensor([0]))
    assert float(one.fit(row).fitted.state["threshold"]) == pytest.approx(
        np.quantile(row.layer("dropped").numpy(), 0.9)
    )
    assert bool(one.score(seen).isfinite().all())


@pytest.mark.parametrize("zeros", ["lowest", "highest"])
def test_a_quantile_among_equal_numbers_takes_one_pass(monkeypatch, zeros):
    """Of features after ReLU most are 0, which is then the bound itself; wider bounds would sort them all."""
    passes, of_ranks = [], quantile._of_ranks
    monkeypatch.setattr(quantile, "_of_ranks", lambda *given: (passes.append(given[2:]), of_ranks(*given))[1])
    monkeypatch.setattr(quantile, "SAMPLE", 500)
    numbers = torch.cat([torch.zeros(6000), torch.rand(4000, generator=torch.Generator().manual_seed(0)) + 0.1])
    numbers = numbers[torch.randperm(10_000, generator=torch.Generator().manual_seed(1))]
    sign, q = (1, 0.3) if zeros == "lowest" else (-1, 0.7)
    assert pooled_quantile(sign * numbers, q) == 0
    assert len(passes) == 1


@pytest.mark.parametrize("q", [0, 0.1, 0.3, 0.5, 0.9, 0.999, 1])
@pytest.mark.parametrize("n", [1, 2, 3, 101, 20_001])
def test_the_pooled_quantile_is_numpys(monkeypatch, n, q):
    monkeypatch.setattr(quantile, "BLOCK", 997)
    monkeypatch.setattr(quantile, "SAMPLE", 300)
    values = torch.randn(n, generator=torch.Generator().manual_seed(n), dtype=torch.float64)
    for numbers in (values, values.sort().values, values.relu(), values.round(), torch.full_like(values, 2.5)):
        assert pooled_quantile(numbers, q) == pytest.approx(np.quantile(numbers.numpy(), q), rel=1e-13, abs=1e-15)


def test_a_sample_that_misleads_costs_time_and_no_digit(monkeypatch):
    monkeypatch.setattr(quantile, "SAMPLE", 10)
    values = torch.arange(1000.0)
    values[::100] = -5.0  # all that the sample sees
    assert pooled_quantile(values, 0.9) == np.quantile(values.numpy(), 0.9)


def test_wrong_parameters_are_refused():
    with pytest.raises(MistrustError, match=r"quantile is 1\.5, expected a number in \[0, 1\]; the paper takes 0\.9"):
        make_supervisor("react", quantile=1.5)
    with pytest.raises(MistrustError, match=r"quantile is 1, expected a number in \[0, 1\), so that something stays"):
        make_supervisor("ash", quantile=1.0)
    with pytest.raises(MistrustError, match=r"no variant of ASH 'ash-s'\. Known: b, p, s\."):
        make_supervisor("ash", variant="ash-s")
    with pytest.raises(MistrustError, match="no number to take a quantile of"):
        pooled_quantile(torch.empty(0), 0.5)
    with pytest.raises(MistrustError, match=r"quantile is 2, expected a number in \[0, 1\]"):
        pooled_quantile(torch.ones(3), 2)


@pytest.mark.parametrize("variant", ["b", "s"])
def test_features_below_zero_are_refused_where_sums_are_compared(variant):
    one, _, seen, head = fitted("ash", variant=variant)
    seen.activations["dropped"][0, 0] = -0.5
    seen.logits[:] = head(seen.layer("dropped")).detach()
    with pytest.raises(
        MistrustError, match=rf"ASH-{variant.upper()} .* layer 'dropped' goes down to -0\.5.*variant=\"p\""
    ):
        one.score(seen)
    # Sums are not compared where features are pruned only.
    assert bool(fitted("ash", variant="p")[0].score(seen).isfinite().all())
