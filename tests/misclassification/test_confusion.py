import pytest
import torch
from sklearn.metrics import confusion_matrix
from torch import tensor

from mistrust.errors import MistrustError
from mistrust.misclassification import agreement, confusion, error_shares


def test_counts_are_scikit_learns():
    y, p = torch.arange(200) % 7, (torch.arange(200) ** 2 + 3) % 7
    assert (confusion(y, p, 7).numpy() == confusion_matrix(y, p, labels=range(7))).all()


def test_shares_leave_out_the_diagonal():
    shares = error_shares(tensor([[5, 3, 1], [0, 9, 0], [2, 2, 1]]))
    assert shares[0].tolist() == [0, 0.75, 0.25]
    assert shares[2].tolist() == [0.5, 0.5, 0]
    assert torch.isnan(shares[1]).all()


def test_agreement_by_hand():
    truth = tensor([[0.0, 0.7, 0.2, 0.1], [0.1, 0, 0.3, 0.6], [0.5, 0.4, 0, 0.1], [torch.nan] * 4])
    estimate = tensor([[0.0, 0.6, 0.3, 0.1], [0.2, 0, 0.5, 0.3], [0.6, 0.3, 0, 0.1], [0.3, 0.3, 0.4, 0]])
    found = agreement(estimate, truth)
    # Within rows: 1, .5 (ranks 1 3 2 against 1 2 3), 1; the row of NaN does not count.
    assert (found.top1, found.counted) == (2, 3)
    assert found.share == pytest.approx(2 / 3)
    assert found.rows == pytest.approx((1 + 0.5 + 1) / 3)
    # Nor does a row of which the truth lacks one cell.
    truth[2, 1] = torch.nan
    assert agreement(estimate, truth).counted == 2
    truth[2, 1] = 0.4
    # A matrix agrees with itself.
    assert agreement(truth, truth).cells == pytest.approx(1)


@pytest.mark.parametrize("shapes", [((3, 3), (4, 4)), ((3, 4), (3, 4)), ((3,), (3,))])
def test_matrices_that_do_not_go_together_are_refused(shapes):
    with pytest.raises(MistrustError, match=r"expected \(k, k\) twice"):
        agreement(*map(torch.ones, shapes))


@pytest.mark.parametrize(
    ("labels", "predicted", "message"),
    [
        ([0, 1], [3, 0], "Predictions run from 0 to 3, expected 0 to 2"),
        ([0, -1], [0, 0], "Labels run from -1 to 0, expected 0 to 2"),
        ([0, 1, 2], [1], "One entry an input is needed in each, got labels 3, predictions 1"),
    ],
)
def test_what_would_be_counted_elsewhere_is_refused(labels, predicted, message):
    with pytest.raises(MistrustError, match=message):
        confusion(tensor(labels), tensor(predicted), 3)
