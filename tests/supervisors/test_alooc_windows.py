"""Convolutions as products of windows against torch's, outputs and gradients, however images and kernels lie."""

import pytest
import torch
from torch.nn import functional

from mistrust import random
from mistrust.data import ImageSet
from mistrust.supervisors.alooc import AloocRecipe, Design, layers, windows
from mistrust.supervisors.alooc.adversarial import Stack
from mistrust.supervisors.alooc.feed import Feed
from mistrust.supervisors.alooc.layers import strided
from mistrust.supervisors.alooc.layout import as_it_lies, laid_out
from mistrust.supervisors.alooc.networks import judged
from mistrust.supervisors.alooc.windows import convolved


def drawn(name, *shape):
    return random.normal(0, name, torch.arange(shape[0]), shape[1:]).double()


def lying_oddly(x):
    """Neither as torch has it nor as `laid_out` does: the last axis but one comes first."""
    return x.movedim(-2, 0).contiguous().movedim(0, -2)


@pytest.mark.parametrize("lying", [laid_out, torch.Tensor.contiguous, lying_oddly])
@pytest.mark.parametrize("block", [1, 1 << 13, 1 << 21], ids=["an image", "some", "all"])
@pytest.mark.parametrize(
    ("stride", "k", "sides", "size"),
    [
        (2, 5, (2, 2, 2, 2), (7, 7)),
        (2, 5, (1, 2, 1, 2), (4, 4)),
        (2, 5, (1, 2, 2, 2), (5, 4)),
        (2, 5, (2, 2, 2, 2), (1, 1)),
        (1, 3, (1, 1, 0, 2), (4, 3)),
        (1, 2, (0, 0, 0, 0), (5, 4)),
        (3, 5, (2, 1, 1, 2), (8, 9)),
        (1, 2, (3, 3, 2, 4), (2, 3)),  # windows that meet nothing but zeros
    ],
)
@pytest.mark.parametrize(("groups", "inward", "outward"), [(1, 3, 2), (3, 2, 4)])
def test_it_is_torchs_convolution(monkeypatch, groups, inward, outward, stride, k, sides, size, block, lying):
    monkeypatch.setattr(windows, "BLOCK", block)
    x = lying(drawn("x", 5, groups * inward, *size)).requires_grad_()
    kernel = lying(drawn("kernel", groups, outward, inward, k, k)).requires_grad_()
    bias = drawn("bias", groups, outward).requires_grad_()
    expected = functional.conv2d(
        functional.pad(x, sides), kernel.flatten(0, 1), bias.flatten(), stride=stride, groups=groups
    )
    found = convolved(x, kernel, bias, stride, sides)
    torch.testing.assert_close(found, expected)
    assert found.is_contiguous(memory_format=torch.channels_last)
    slope = drawn("slope", *expected.shape)
    for ours, theirs in zip(
        torch.autograd.grad(found, (x, kernel, bias), slope),
        torch.autograd.grad(expected, (x, kernel, bias), slope),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs)


def test_no_images_have_no_gradient():
    x, kernel = torch.zeros(0, 4, 4, 4), drawn("kernel", 2, 3, 2, 5, 5).float().requires_grad_()
    full = torch.full_like(kernel.detach(), 7.0)
    del full  # its memory is at hand for whatever comes next
    found = convolved(x, kernel, torch.zeros(2, 3), 2, (1, 2, 1, 2))
    assert found.shape == (0, 6, 2, 2)
    found.sum().backward()
    assert not kernel.grad.any()


@pytest.mark.parametrize("wanted", [0, 1, 2])
def test_only_what_is_learnt_has_a_gradient(wanted):
    given = [drawn("x", 2, 4, 4, 4), drawn("kernel", 2, 3, 2, 5, 5), drawn("bias", 2, 3)]
    given[wanted].requires_grad_()
    found = convolved(given[0], given[1], given[2], 2, (1, 2, 1, 2))
    found.square().sum().backward()
    x, kernel, bias = (one.detach().clone().requires_grad_() for one in given)
    padded = functional.pad(x, (1, 2, 1, 2))
    functional.conv2d(padded, kernel.flatten(0, 1), bias.flatten(), 2, groups=2).square().sum().backward()
    torch.testing.assert_close(given[wanted].grad, (x, kernel, bias)[wanted].grad)
    assert [one.grad is None for one in given] == [place != wanted for place in range(3)]


@pytest.mark.parametrize(("side", "channels"), [(4, 64), (7, 64), (8, 64), (9, 64), (4, 63), (7, 3)])
def test_few_outputs_of_many_channels_are_products_and_the_rest_is_left_to_torch(monkeypatch, side, channels):
    called = []

    def watched(*given):
        called.append(given)
        return convolved(*given)

    monkeypatch.setattr(layers, "convolved", watched)
    x, kernel, bias = drawn("x", 1, 2 * channels, side, side), drawn("k", 2, 3, channels, 5, 5), drawn("b", 2, 3)
    found = strided(x, kernel, bias)
    total = max(2 * (-(-side // 2) - 1) + 5 - side, 0)
    sides = (total // 2, total - total // 2) * 2
    expected = functional.conv2d(functional.pad(x, sides), kernel.flatten(0, 1), bias.flatten(), 2, groups=2)
    torch.testing.assert_close(found, expected)
    assert bool(called) == (side <= 8 and channels >= 64)


@pytest.mark.parametrize("share", [None, torch.tensor([[0.5, 0.25], [0.5, 0.25], [0, 0.25], [0, 0.25]]).double()])
def test_batches_that_are_judged_together_are_normalised_apart(share):
    design = Design(3, 8, 8)
    weights = Stack.new(design, AloocRecipe(), 0, ("a", "b"), torch.float64).tensors
    first, second = drawn("first", 4, 6, 8, 8), drawn("second", 4, 6, 8, 8) + 2
    found = judged(weights, torch.cat((first, second)), share, batches=2)
    torch.testing.assert_close(found, torch.cat((judged(weights, first, share), judged(weights, second, share))))


def test_images_of_many_channels_are_learnt_as_torchs_convolution_would(monkeypatch):
    """The discriminator's first layer is such a product then, and is not normalised before its LeakyReLU."""
    images = ImageSet("drawn", random.uniform(0, "images", torch.arange(6), (64, 8, 8)), torch.arange(6) % 2,
                      torch.arange(6), ("a", "b"))  # fmt: skip
    recipe, found = AloocRecipe(batch=3), []
    for many in (layers.MANY, 1000):
        monkeypatch.setattr(layers, "MANY", many)
        feed = Feed(images, [0, 1], recipe, 0, torch.float64)
        stack = Stack.new(Design(64, 8, 8), recipe, 0, feed.names, torch.float64)
        for batch in feed.epoch(0):
            stack.step(batch)
        found.append(stack.tensors)
    for name, values in found[0].items():
        if name.startswith(("judge", "decoder")) and name.endswith("kernel"):
            torch.testing.assert_close(values, found[1][name], rtol=1e-4, atol=1e-6)


def test_a_stack_lies_so_however_it_is_given():
    recipe, design = AloocRecipe(batch=2), Design(3, 8, 8)
    stack = Stack.new(design, recipe, 0, ("a", "b"))
    again = Stack({name: values.contiguous() for name, values in stack.tensors.items()}, design, recipe)
    for held in (stack, again):
        for name, values in held.tensors.items():
            if name.endswith("kernel") and values.dim() == 5:
                assert values.permute(0, 1, 3, 4, 2).is_contiguous()
                assert as_it_lies(values, values).is_contiguous()
            else:
                assert values.is_contiguous()
    assert not stack.tensors["encoder.1.kernel"].is_contiguous()
