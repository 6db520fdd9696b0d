"""ViM: by hand, from the paper's equations in numpy, against pytorch-ood 0.4.0, and where nothing can be told."""

from math import e, log

import numpy as np
import pytest
import torch
from pytorch_ood.detector import ViM as TheirVim
from scipy.special import logsumexp, softmax

from mistrust.errors import MistrustError
from mistrust.supervisors import blocks, make_supervisor
from mistrust.supervisors.head import Head
from mistrust.supervisors.made_up import made_up
from mistrust.supervisors.subspace import fit_vim, principal_dimension, vim

DRAW = torch.Generator().manual_seed(0)
HEAD = Head(torch.randn(3, 8, generator=DRAW, dtype=torch.float64), torch.randn(3, generator=DRAW, dtype=torch.float64))
TRAIN = (torch.randn(200, 8, generator=DRAW, dtype=torch.float64) * torch.linspace(2, 0.2, 8)).relu()
QUERIES = torch.randn(40, 8, generator=DRAW, dtype=torch.float64).relu()
# Logits x and -x; rows that lie along x, off it by one. The largest logit is 3 and the residual 1, so alpha is 3.
CROSS = Head(torch.tensor([[1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64), torch.zeros(2, dtype=torch.float64))
ROWS = torch.tensor([[3.0, 1.0], [-3.0, -1.0], [3.0, -1.0], [-3.0, 1.0]])


def score(train, queries, head, dimension=None):
    return vim(queries, head, **fit_vim(train, head, dimension))


def test_by_hand():
    assert float(fit_vim(ROWS, CROSS, 1)["alpha"]) == pytest.approx(3)
    found = score(ROWS, torch.tensor([[0.0, 2.0], [1.0, 0.0]]), CROSS, 1)
    assert found.tolist() == pytest.approx([6 - log(2), -log(e + 1 / e)])


def test_the_origin_is_where_the_logits_are_zero():
    # Logits x + 1 and -x - 1: all moves by one along x.
    moved = Head(CROSS.weight, torch.tensor([1.0, -1.0], dtype=torch.float64))
    shift = torch.tensor([1.0, 0.0])
    queries = torch.tensor([[0.0, 2.0], [1.0, 0.0]])
    torch.testing.assert_close(fit_vim(ROWS - shift, moved, 1)["origin"], -shift.double())
    torch.testing.assert_close(score(ROWS - shift, queries - shift, moved, 1), score(ROWS, queries, CROSS, 1))


@pytest.mark.parametrize("dimension", [0, 1, 4, 7])
def test_is_the_papers_equations(dimension):
    w, b, x, q = HEAD.weight.numpy(), HEAD.bias.numpy(), TRAIN.numpy(), QUERIES.numpy()
    origin = -np.linalg.pinv(w) @ b
    _, _, right = np.linalg.svd(x - origin)  # eigenvectors of X'X, largest first
    rest = right[dimension:].T
    projected = (x - origin) @ rest @ rest.T
    alpha = (x @ w.T + b).max(1).sum() / np.linalg.norm(projected, axis=1).sum()  # equation 6
    virtual = alpha * np.linalg.norm((q - origin) @ rest @ rest.T, axis=1)  # equation 5
    logits = q @ w.T + b
    found = score(TRAIN, QUERIES, HEAD, dimension)
    torch.testing.assert_close(found, torch.tensor(virtual - logsumexp(logits, axis=1)), rtol=1e-9, atol=1e-9)
    probability = softmax(np.column_stack((logits, virtual)), axis=1)[:, -1]  # equation 7
    torch.testing.assert_close(found.sigmoid(), torch.tensor(probability), rtol=1e-9, atol=0)


@pytest.mark.parametrize("dimension", [1, 4, 7])
def test_is_that_of_pytorch_ood(dimension):
    theirs = TheirVim(None, dimension, HEAD.weight, HEAD.bias).fit_features(TRAIN, torch.zeros(200))
    torch.testing.assert_close(
        score(TRAIN, QUERIES, HEAD, dimension), theirs.predict_features(QUERIES).double(), rtol=1e-4, atol=1e-4
    )


def test_the_papers_dimension():
    # Section 6: 1000 above 1500 features, else 512.
    assert [principal_dimension(d) for d in (2048, 1501, 1500, 768, 513)] == [1000, 1000, 512, 512, 512]
    # Not in the paper: half of what it has no room in.
    assert [principal_dimension(d) for d in (512, 64, 3, 1)] == [256, 32, 1, 0]
    assert fit_vim(TRAIN, HEAD)["residual"].shape == (8, 4)


def test_blocks_and_orders_change_nothing(monkeypatch):
    expected = score(TRAIN, QUERIES, HEAD, 3)
    classes, columns = torch.tensor([2, 0, 1]), torch.randperm(8, generator=torch.Generator().manual_seed(1))
    turned = Head(HEAD.weight[classes][:, columns], HEAD.bias[classes])
    torch.testing.assert_close(score(TRAIN[:, columns], QUERIES[:, columns], turned, 3), expected)
    monkeypatch.setattr(blocks.blocks, "__defaults__", (17,))
    torch.testing.assert_close(score(TRAIN, QUERIES, HEAD, 3), expected)


def test_farther_from_the_principal_space_is_more_suspicious():
    fit = fit_vim(TRAIN, HEAD, 4)
    off = fit["residual"][:, 0]
    off = off - torch.linalg.pinv(HEAD.weight) @ (HEAD.weight @ off)  # changes no logit
    steps = fit["origin"] + torch.arange(5)[:, None] * off
    assert bool((vim(steps, HEAD, **fit).diff() > 0).all())


def test_of_a_record():
    found, one = made_up(), make_supervisor("vim", dimension=5)
    training, seen = found.record(one, found.training), found.record(one, found.novel)
    scores = one.fit(training).score(seen)
    layer = found.classifier.module.get_submodule("head")
    head = Head(layer.weight.detach().double(), layer.bias.detach().double())
    assert torch.equal(scores, score(training.layer("dropped"), seen.layer("dropped"), head, 5))
    assert float(scores.min()) > float(one.score(found.record(one, found.nominal)).max())


@pytest.mark.parametrize("dimension", [8, 500, -1, 2.5])
def test_a_dimension_that_leaves_no_residual_is_refused(dimension):
    with pytest.raises(
        MistrustError,
        match=rf"dimension {dimension}, and the layer gives 8 numbers per image\. Take a dimension from 0 to 7",
    ):
        fit_vim(TRAIN, HEAD, dimension)


@pytest.mark.parametrize("rows", [TRAIN[:1], TRAIN[:4], torch.ones(60, 8)])
def test_rows_within_their_principal_space_are_refused(rows):
    with pytest.raises(
        MistrustError, match=rf"the {len(rows)} training rows lie in their principal space of dimension 4"
    ):
        fit_vim(rows, HEAD, 4)


@pytest.mark.parametrize(("filled", "dimension"), [(1, 0), (3, 1), (4, 2), (5, 4), (8, 4)])
def test_silent_units_leave_room_for_a_residual(filled, dimension):
    """Rows that fill no more than the paper's rule (half of 8): half of what they fill, not a refusal."""
    origin = -torch.linalg.pinv(HEAD.weight) @ HEAD.bias
    basis = torch.linalg.qr(torch.randn(8, 8, generator=torch.Generator().manual_seed(3), dtype=torch.float64)).Q
    shares = torch.randn(60, filled, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
    rows = origin + 5 * shares @ basis[:filled]
    low = Head(HEAD.weight, HEAD.bias + 100)
    moved = rows + (-torch.linalg.pinv(low.weight) @ low.bias - origin)
    assert fit_vim(moved, low)["residual"].shape == (8, 8 - dimension)


def test_largest_logits_below_zero_are_refused():
    low = Head(HEAD.weight, HEAD.bias - 1000)
    with pytest.raises(
        MistrustError, match=r"largest logit of the training images is -99\d.* on average, expected above 0"
    ):
        fit_vim(TRAIN, low, 4)
