"""Relative Mahalanobis distance: by hand, from the paper's formulas in numpy, against pytorch-ood 0.4.0, degenerate."""

import numpy as np
import pytest
import torch
from pytorch_ood.detector import RMD

from mistrust.errors import MistrustError
from mistrust.supervisors import blocks, make_supervisor, relative
from mistrust.supervisors.made_up import made_up
from mistrust.supervisors.relative import fit_gaussians, relative_mahalanobis


def some(n=300, d=5, seed=0):
    draw = torch.Generator().manual_seed(seed)
    groups = torch.randint(3, (n,), generator=draw)
    mixed = torch.randn(n, d, generator=draw, dtype=torch.float64) @ torch.randn(
        d, d, generator=draw, dtype=torch.float64
    )
    return mixed + 2 * groups[:, None], groups


QUERIES = 4 * torch.randn(50, 5, generator=torch.Generator().manual_seed(9), dtype=torch.float64)


def by_formula(train, groups, queries, inverse=np.linalg.inv):
    """Means, covariances and distances as Ren et al. 2021, section 2, write them."""
    z, y, x = train.numpy(), groups.numpy(), queries.numpy()
    means = {k: z[y == k].mean(0) for k in np.unique(y)}
    within = inverse(sum(np.outer(row - means[k], row - means[k]) for row, k in zip(z, y, strict=True)) / len(z))
    total = inverse(np.cov(z.T, bias=True).reshape(z.shape[1], -1))
    background = [(row - z.mean(0)) @ total @ (row - z.mean(0)) for row in x]
    nearest = [min((row - mean) @ within @ (row - mean) for mean in means.values()) for row in x]
    return torch.tensor(np.array(nearest) - np.array(background))


def test_by_hand():
    # Classes {-1, 1} and {3, 5}: means 0 and 4, variance within 1; all rows: mean 2, variance 1 + 4.
    train, groups = torch.tensor([[-1.0], [1.0], [3.0], [5.0]]), torch.tensor([0, 0, 1, 1])
    found = relative_mahalanobis(train, groups, torch.tensor([[2.0], [0.0], [10.0]]))
    assert found.tolist() == pytest.approx([4.0, 0 - 4 / 5, 36 - 64 / 5], abs=1e-12)
    # A ridge of 1 doubles both variances.
    found = relative_mahalanobis(train, groups, torch.tensor([[2.0], [0.0], [10.0]]), 1.0)
    assert found.tolist() == pytest.approx([2.0, -4 / 10, 18 - 64 / 10], abs=1e-12)


def test_is_the_papers_formula():
    train, groups = some()
    torch.testing.assert_close(
        relative_mahalanobis(train, groups, QUERIES), by_formula(train, groups, QUERIES), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("constant", [False, True])
def test_the_ridge_is_a_share_of_the_mean_variance_of_each_covariance(constant):
    """S + 0.1 trace(S) / 5 I in place of S, both within and of all; also where one of five features does not vary."""
    train, groups = some()
    if constant:
        train[:, 3] = 7
    filled = by_formula(train, groups, QUERIES, lambda s: np.linalg.inv(s + 0.1 * np.trace(s) / 5 * np.eye(5)))
    torch.testing.assert_close(relative_mahalanobis(train, groups, QUERIES, 0.1), filled, rtol=1e-9, atol=1e-9)


def test_is_that_of_pytorch_ood_but_for_the_number_of_rows():
    # pytorch-ood 0.4.0 does not divide its covariances by n, and computes in float32 with 1e-6 on the diagonal.
    train, groups = some()
    theirs = RMD(None).fit_features(train.float(), groups).predict_features(QUERIES.float())
    torch.testing.assert_close(
        relative_mahalanobis(train, groups, QUERIES), theirs.double() * len(train), rtol=1e-3, atol=1e-2
    )


def test_blocks_names_of_classes_columns_and_scales_change_nothing(monkeypatch):
    train, groups = some()
    expected = relative_mahalanobis(train, groups, QUERIES)

    def same(*arguments):
        torch.testing.assert_close(relative_mahalanobis(*arguments), expected, rtol=1e-8, atol=1e-8)

    same(train, torch.tensor([7, 2, 40])[groups], QUERIES)
    columns = torch.tensor([3, 0, 4, 2, 1])
    same(train[:, columns], groups, QUERIES[:, columns])
    turn = torch.linalg.qr(torch.randn(5, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)).Q
    stretch = turn * torch.tensor([1.0, 50.0, 0.1, 3.0, 7.0])
    same(train @ stretch + 100, groups, QUERIES @ stretch + 100)
    monkeypatch.setattr(blocks.blocks, "__defaults__", (37,))
    same(train, groups, QUERIES)


def test_directions_without_variance_are_left_out_or_filled_by_the_ridge():
    train, groups = some(d=4)
    flat = torch.cat((train, torch.full((300, 1), 3.0)), 1)
    inside, outside = QUERIES.clone(), QUERIES.clone()
    inside[:, 4], outside[:, 4] = 3, 100
    expected = relative_mahalanobis(train, groups, QUERIES[:, :4])
    for queries in (inside, outside):
        torch.testing.assert_close(relative_mahalanobis(flat, groups, queries), expected, rtol=1e-8, atol=1e-8)
    pinv = by_formula(flat, groups, outside, lambda matrix: np.linalg.pinv(matrix, hermitian=True))
    torch.testing.assert_close(expected, pinv, rtol=1e-8, atol=1e-8)
    # The ridge adds as much to both covariances, but shares of different variances: the deviation is seen.
    apart = (relative_mahalanobis(flat, groups, outside, 0.1) - relative_mahalanobis(flat, groups, inside, 0.1)).abs()
    assert float(apart.min()) > 100


@pytest.mark.parametrize("value", [0.0, 1e4 / 3, -7e7 / 11])
def test_a_feature_that_does_not_vary_hides_any_deviation(value):
    source = torch.Generator().manual_seed(1)
    spread = 10.0 ** (3 * torch.rand(12, generator=source, dtype=torch.float64) - 1.5)
    train, groups = some(n=257, d=12)
    train, queries = train * spread, 4 * torch.randn(50, 12, generator=source, dtype=torch.float64) * spread
    expected = relative_mahalanobis(train, groups, queries)
    order = torch.randperm(17, generator=source)
    flat, beside = (
        torch.nn.functional.pad(x, (5, 0), value=at)[:, order] for x, at in ((train, value), (queries, 1e7))
    )
    torch.testing.assert_close(relative_mahalanobis(flat, groups, beside), expected, rtol=1e-6, atol=1e-6)


def test_a_class_with_a_constant_feature_shares_the_variance_of_the_others():
    train = torch.tensor([[0.0, 0.0], [2.0, 0.0], [5.0, 1.0], [5.0, 3.0]])
    groups = torch.tensor([0, 0, 1, 1])
    found = relative_mahalanobis(train, groups, QUERIES[:, :2])
    torch.testing.assert_close(found, by_formula(train.double(), groups, QUERIES[:, :2]), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("rows", [1, 20])
def test_no_variance_at_all_gives_zeros(rows, ridge):
    found = relative_mahalanobis(torch.ones(rows, 5), torch.zeros(rows, dtype=torch.int64), QUERIES, ridge)
    assert torch.equal(found, torch.zeros(50, dtype=torch.float64))


def test_classes_without_rows_are_left_out():
    train, groups = some()
    kept = groups != 1
    found = relative_mahalanobis(train[kept], groups[kept], QUERIES)
    torch.testing.assert_close(found, by_formula(train[kept], groups[kept], QUERIES), rtol=1e-9, atol=1e-9)
    assert len(fit_gaussians(train[kept], groups[kept])["means"]) == 2


def test_groups_are_true_labels_unless_predicted_ones_are_asked_for():
    found, one = made_up(), make_supervisor("relative_mahalanobis")
    training, seen = found.record(one, found.training), found.record(one, found.novel)
    training.logits[:20] = training.logits[:20].roll(1, 1)  # 20 wrong predictions
    assert int((~training.correct).sum()) == 20
    train, queries = training.layer("dropped"), seen.layer("dropped")
    labels = relative_mahalanobis(train, training.labels, queries)
    predicted = relative_mahalanobis(train, training.predicted, queries)
    assert not torch.allclose(labels, predicted)
    assert torch.equal(one.fit(training).score(seen), labels)
    asked = make_supervisor("relative_mahalanobis", groups="predicted").fit(training)
    assert torch.equal(asked.score(seen), predicted)


def test_wrong_parameters_are_refused():
    with pytest.raises(MistrustError, match=r"no way of grouping 'label'\. Did you mean 'labels'"):
        make_supervisor("relative_mahalanobis", groups="label")
    for wrong in (-1.0, float("nan"), "1"):
        with pytest.raises(MistrustError, match=r"ridge is .*, expected"):
            relative_mahalanobis(torch.rand(6, 2), torch.arange(6) % 2, torch.rand(1, 2), wrong)
    with pytest.raises(MistrustError, match=r"ridge is -1, expected at least 0; 0 is the pseudo-inverse"):
        make_supervisor("relative_mahalanobis", ridge=-1.0)


@pytest.mark.parametrize("groups", ["labels", "predicted"])
def test_images_of_one_class_are_refused(groups):
    found, one = made_up(), make_supervisor("relative_mahalanobis", layer="hidden", groups=groups)
    record = found.record(one, found.training)
    alone = (record.labels if groups == "labels" else record.predicted) == 1
    with pytest.raises(MistrustError, match=f"of one class by their {groups[:5]}.* every score would be 0"):
        one.fit(record.take(alone.nonzero()[:, 0]))


@pytest.mark.parametrize(("m", "d"), [(4, 5), (30, 60), (60, 90), (100, 400)])
def test_few_rows_are_told_by_their_products_as_by_covariances(m, d, monkeypatch):
    train, groups = some(m, d)
    train[:, :2] = 7  # a feature that does not vary: neither way sees it
    queries = 4 * torch.randn(50, d, generator=torch.Generator().manual_seed(9), dtype=torch.float64)
    found = relative_mahalanobis(train, groups, queries)
    assert fit_gaussians(train, groups)["background"].shape[1] < m

    def whole(deviations):
        return relative._whitening(deviations.T @ deviations / m, 0.0)

    monkeypatch.setattr(relative, "_of_few", whole)
    torch.testing.assert_close(relative_mahalanobis(train, groups, queries), found, rtol=1e-6, atol=1e-6)


def test_few_rows_of_many_features_need_no_covariance(monkeypatch):
    train, groups = torch.rand(20, 300), torch.arange(20) % 3
    monkeypatch.setattr(relative, "LARGEST", 1e-3)  # GB; a covariance takes 0.7 MB
    fit_gaussians(train, groups)
    with pytest.raises(MistrustError, match=r"covariances of 300 numbers per image take .* GB\. ridge=0 with few"):
        fit_gaussians(train, groups, 0.1)
    with pytest.raises(MistrustError, match=r"GB\. With fewer images it needs none"):
        fit_gaussians(torch.rand(400, 300), torch.arange(400) % 3)
