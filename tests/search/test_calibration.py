"""Temperature scaling against a search by hand, scipy's softmax, and what a temperature at its limit does."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax as reference

from mistrust.errors import MistrustError
from mistrust.random import generator
from mistrust.search.calibration import fit_temperature, likelihood, predicted, softmax


def drawn(n=4000, true=2.0, seed=0, classes=3):
    """Logits whose labels are drawn from their softmax at a known temperature."""
    draw = generator(seed, "tests/calibration")
    logits = 3 * draw.standard_normal((n, classes))
    labels = (reference(logits / true, axis=1).cumsum(1) < draw.random((n, 1))).sum(1)
    return logits, np.minimum(labels, classes - 1)


@pytest.mark.parametrize("true", [0.5, 1.0, 2.15, 6.0])
def test_a_known_temperature_is_found(true):
    found = fit_temperature(*drawn(20_000, true))
    assert found.value == pytest.approx(true, rel=0.06)
    assert found.limit == ""
    assert found.n == 20_000
    assert found.loss <= found.before


@pytest.mark.whole
def test_it_is_the_minimum_and_its_loss_is_torchs():
    logits, labels = drawn(300)
    found = fit_temperature(logits, labels)
    grid = [likelihood(logits, labels, t) for t in np.geomspace(0.05, 20, 3000)]
    assert found.loss <= min(grid) + 1e-12
    assert found.value == pytest.approx(np.geomspace(0.05, 20, 3000)[np.argmin(grid)], rel=3e-3)
    scaled = torch.from_numpy(logits / found.value)
    assert found.loss == pytest.approx(torch.nn.functional.cross_entropy(scaled, torch.from_numpy(labels)).item())
    assert found.before == pytest.approx(likelihood(logits, labels))


@pytest.mark.whole
@settings(max_examples=25)
@given(seed=st.integers(0, 999), factor=st.floats(0.3, 3), shift=st.floats(-50, 50))
def test_scaled_logits_have_the_scaled_temperature(seed, factor, shift):
    logits, labels = drawn(200, seed=seed)
    one, other = fit_temperature(logits, labels), fit_temperature(factor * logits + shift, labels)
    assert other.value == pytest.approx(factor * one.value, rel=1e-5)


def test_separable_images_push_the_temperature_to_its_limit_and_it_is_said():
    """Facts, section 2: 100 separable validation images gave confidences of exactly 1."""
    logits = 4.0 * np.eye(2)[np.arange(100) % 2]
    found = fit_temperature(logits, np.arange(100) % 2)
    assert (found.limit, found.value) == ("low", pytest.approx(0.05))
    assert (predicted(logits, found.value)[1] == 1).all()
    wrong = fit_temperature(logits, 1 - np.arange(100) % 2)
    assert (wrong.limit, wrong.value) == ("high", pytest.approx(20))
    for labels, limit, value in ((np.arange(100) % 2, "low", 0.5), (1 - np.arange(100) % 2, "high", 2)):
        told = fit_temperature(logits, labels, low=0.5, high=2)
        assert (told.limit, told.value) == (limit, pytest.approx(value))


def test_softmax_and_prediction():
    logits = drawn(50)[0] * 20
    assert softmax(logits, 1.7) == pytest.approx(reference(logits / 1.7, axis=1), rel=1e-12)
    assert softmax(np.float32(logits)).dtype == np.float64
    best, confidence = predicted([[1.0, 1.0], [0.0, 30.0]])
    assert best.tolist() == [0, 1]
    assert confidence[0] == 0.5
    assert confidence[1] < 1  # in float32 it is 1


@pytest.mark.parametrize(
    ("logits", "labels", "message"),
    [
        (np.zeros(3), [0], r"shape \(3,\), expected \(n, k\)"),
        (np.zeros((2, 1)), [0, 0], "two classes"),
        (np.zeros((0, 2)), [], "at least one image"),
        ([[0, np.nan]], [0], "logits of 1 of 1 images are not finite"),
        (np.zeros((2, 2)), [0], r"shape \(1,\)"),
        (np.zeros((1, 2)), [2], "classes 0 to 1, got 2"),
        (np.zeros((1, 2)), [0.0], "whole numbers"),
    ],
)
def test_bad_input(logits, labels, message):
    with pytest.raises(MistrustError, match=message):
        fit_temperature(logits, labels)


def test_bad_settings():
    with pytest.raises(MistrustError, match="0 < low < high"):
        fit_temperature([[0.0, 1.0]], [0], low=2, high=1)
    with pytest.raises(MistrustError, match="temperature is 0"):
        softmax([[0.0, 1.0]], 0)


def test_what_is_no_number_is_refused(no_numbers):
    labels = lambda x: fit_temperature([[0.0, 1.0]] * 2, x)  # noqa: E731
    for call in (softmax, predicted, lambda x: likelihood(x, [0]), labels):
        called = "Labels" if call is labels else "Logits"
        with pytest.raises(MistrustError, match=f"^{called} are .*, expected numbers"):
            call(no_numbers)


@pytest.mark.parametrize("value", ["0.5", None, [1, 2], 1j, np.nan, np.inf])
def test_what_is_no_temperature_is_refused(value):
    for call in (softmax, predicted, lambda z, t: likelihood(z, [0], t)):
        with pytest.raises(MistrustError, match=r"The temperature is .*expected a number"):
            call([[0.0, 1.0]], value)
    for limit in ("low", "high"):
        with pytest.raises(MistrustError, match=r"low is .*number|high is .*number|0 < low < high"):
            fit_temperature([[0.0, 1.0]], [0], **{limit: value})
