"""Agreement of two distances: log MAE follows confidence, and says nothing of the residual."""

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from mistrust.errors import MistrustError
from mistrust.search.attack import Distances, agreement
from mistrust.search.residual import residual


def made(mae, ids=None):
    n = len(mae)
    mae = torch.as_tensor(mae, dtype=torch.float64)
    ids = torch.arange(n) if ids is None else ids
    zeros = torch.zeros(n, dtype=torch.int64)
    return Distances("made", ids, zeros, mae, mae, ("noise",) * n, zeros, 0, mae.isfinite(), torch.zeros(n, 1, 1, 1))


@pytest.fixture(scope="module")
def parts():
    draw = np.random.default_rng(0)
    confidence = draw.uniform(0.65, 0.999, 400)
    own = 0.1 * draw.normal(size=400)
    first, second = (np.exp(-4 + 3 * confidence + own + 0.1 * draw.normal(size=400)) for _ in range(2))
    return confidence, own, first, second


def test_it_gives_rank_correlations_of_log_mae_and_of_the_residual(parts):
    confidence, _, first, second = parts
    found = agreement(made(first), made(second), confidence, fraction=0.3)
    assert found.log_mae.value == pytest.approx(spearmanr(first, second).statistic)
    left = [residual(mae, confidence, fraction=0.3) for mae in (first, second)]
    assert found.residual.value == pytest.approx(spearmanr(*left).statistic)
    assert found.residual.low < found.residual.value < found.residual.high
    # Half of each residual's variance is its own noise.
    assert found.log_mae.value > 0.75
    assert found.residual.value == pytest.approx(0.5, abs=0.12)
    assert (found.n, found.left_out) == (400, 0)


def test_rows_are_matched_by_id(parts):
    confidence, _, first, second = parts
    order = np.random.default_rng(1).permutation(400)
    turned = made(second[order], torch.from_numpy(order))
    assert agreement(made(first), turned, confidence) == agreement(made(first), made(second), confidence)


def test_images_that_one_did_not_find_are_left_out(parts):
    confidence, _, first, second = parts
    holes = second.copy()
    holes[:20] = np.inf
    found = agreement(made(first), made(holes), confidence)
    assert (found.n, found.left_out) == (380, 20)
    assert found == agreement(
        made(np.where(np.arange(400) < 20, np.inf, first)), made(second), confidence
    )  # whichever of the two it was


def test_other_images_are_refused(parts):
    confidence, _, first, second = parts
    with pytest.raises(MistrustError, match="2 ids are in one alone, such as 0"):
        agreement(made(first), made(second, torch.arange(1, 401)), confidence)
    with pytest.raises(MistrustError, match=r"400 distances and confidences of shape \(5,\)"):
        agreement(made(first), made(second), confidence[:5])
