"""Where a layer bends: rounding is no bend, whatever the sign of the numbers."""

import pytest
import torch

from mistrust.robustness.regions.kinks import at_thresholds


@pytest.mark.parametrize("threshold", [1.0, -1.0])
def test_a_threshold_that_is_passed_by_rounding_alone_is_no_kink(threshold):
    hair = torch.finfo(torch.float64).eps
    values = torch.tensor([[threshold - hair], [threshold + hair]], dtype=torch.float64)
    asked = torch.tensor([True])
    assert len(at_thresholds(threshold)(values, asked)[0]) == 0
    # By hand: from 1 below to 3 above it lies at a quarter of the way.
    left, share = at_thresholds(threshold)(torch.tensor([[threshold - 1], [threshold + 3]]).double(), asked)
    assert (left.tolist(), share.tolist()) == ([0], [0.25])
