"""A convolution of many networks at once as products of matrices, for a CPU where outputs are few and channels many.

The windows of a convolution, one a row, are a matrix: times the kernel it gives the outputs, and its transpose times
their gradient the kernel's gradient. oneDNN's grouped convolutions need 1.3 to 5 times as long for the same sums where
an image has 16 outputs or fewer. Windows are laid out for a few images at a time and made again for the gradient: what
a product reads is still in the core's cache, and memory does not grow with the images.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

# Bytes of windows that are laid out at once; what a core's second cache holds.
BLOCK = 1 << 21
Sides = tuple[int, int, int, int]  # zeros on the left and right of an image, above and below it


def convolved(
    x: Float[Tensor, "n gi h w"],
    kernel: Float[Tensor, "g o i k k"],
    bias: Float[Tensor, "g o"],
    stride: int,
    sides: Sides,
) -> Float[Tensor, "n go h2 w2"]:
    """What a grouped convolution gives of images with zeros around them, laid out as channels_last.

    Images and kernels are read in place where they lie as `layout.laid_out` has them.
    """
    return _Convolution.apply(x, kernel, bias, stride, sides)


@dataclass(frozen=True)
class _Windows:
    """Where windows of k x k lie on images of (h, w) with zeros around them."""

    height: int
    width: int
    k: int
    stride: int
    sides: Sides

    @property
    def padded(self) -> tuple[int, int]:
        """Sides of an image with its zeros; the width is such that a row is whole strides."""
        left, right, above, below = self.sides
        return self.height + above + below, -(-(self.width + left + right) // self.stride) * self.stride

    @property
    def outputs(self) -> tuple[int, int]:
        """Windows down and across."""
        left, right, above, below = self.sides
        across, down = self.width + left + right, self.height + above + below
        return (down - self.k) // self.stride + 1, (across - self.k) // self.stride + 1

    def blocks(self, x: Float[Tensor, "n h w g c"]) -> Iterator[tuple[slice, slice]]:
        """Networks and images whose windows are laid out together: whole networks, or parts of one's images."""
        (down, across), (images, _, _, networks, c) = self.outputs, x.shape
        most = max(1, BLOCK // (down * across * self.k**2 * c * x.element_size()))
        some, few = max(1, most // images), min(images, most)
        for g in range(0, networks, some):
            for n in range(0, images, few):
                yield slice(g, g + some), slice(n, n + few)

    def of(self, x: Float[Tensor, "g n h w c"]) -> Float[Tensor, "g r kkc"]:
        """All windows of some images, r of each network."""
        (down, across), c = self.outputs, x.shape[-1]
        framed = x.new_zeros(*x.shape[:2], *self.padded, c)
        self._inside(framed).copy_(x)
        g, n, h, w, one = framed.stride()
        steps = (g, n, self.stride * h, self.stride * w, h, w, one)
        return framed.as_strided((*x.shape[:2], down, across, self.k, self.k, c), steps).flatten(4).flatten(1, 3)

    def summed(self, windows: Float[Tensor, "g n h2 w2 k k c"]) -> Float[Tensor, "g n h w c"]:
        """What windows add to the pixels that they read: what `of` does, transposed."""
        (down, across), step, (g, n, *_, c) = self.outputs, self.stride, windows.shape
        framed = windows.new_zeros(g, n, *self.padded, c)
        for y in range(self.k):
            rows = framed[:, :, y : y + step * (down - 1) + 1 : step]
            # As many pixels of a window at once as windows do not share: side by side they make up the whole row.
            for start in range(0, self.k, step):
                several = min(step, self.k - start)
                places = rows[:, :, :, start:].as_strided(
                    (g, n, down, across, several, c), (*rows.stride()[:3], step * c, c, 1),
                    rows.storage_offset() + start * c,
                )  # fmt: skip
                places.add_(windows[:, :, :, :, y, start : start + several])
        return self._inside(framed)

    def _inside(self, framed: Float[Tensor, "g n h2 w2 c"]) -> Float[Tensor, "g n h w c"]:
        left, _, above, _ = self.sides
        return framed[:, :, above : above + self.height, left : left + self.width]


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(*args: Any, **_: Any) -> Tensor:
        ctx, x, kernel, bias, stride, sides = args
        g, o, _, k, _ = kernel.shape
        taps = kernel.permute(0, 1, 3, 4, 2).flatten(2)
        windows = _Windows(x.shape[2], x.shape[3], k, stride, sides)
        pixels = _pixels(x, g)
        found = x.new_empty(len(x), *windows.outputs, g, o)
        for some, few in windows.blocks(pixels):
            rows = windows.of(_networks_first(pixels[few, :, :, some]))
            made = torch.baddbmm(bias[some, None], rows, taps[some].mT)
            place = _networks_first(found[few, :, :, some])
            place.copy_(made.view(place.shape))
        ctx.save_for_backward(x, taps)
        ctx.windows, ctx.shape = windows, kernel.shape
        return _images(found)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Any) -> tuple[Tensor | None, ...]:  # pyrefly: ignore[bad-override]
        (gradient,) = grad_outputs
        (x, taps), windows, (g, o, i, k, _) = ctx.saved_tensors, ctx.windows, ctx.shape
        to_x, to_kernel, to_bias = ctx.needs_input_grad[:3]
        pixels, slopes = _pixels(x, g), _pixels(gradient, g)
        of_x = torch.empty(pixels.shape, dtype=x.dtype) if to_x else None
        of_taps = torch.empty_like(taps) if to_kernel else None
        for some, few in windows.blocks(pixels):
            here = _networks_first(slopes[few, :, :, some])
            rows = here.flatten(1, 3)
            if of_taps is not None:
                # The first images of a network overwrite what the others are added to.
                beta, read = int(few.start > 0), windows.of(_networks_first(pixels[few, :, :, some]))
                of_taps[some].baddbmm_(rows.mT, read, beta=beta)
            if of_x is not None:
                back = torch.bmm(rows, taps[some]).view(*here.shape[:4], k, k, i)
                _networks_first(of_x[few, :, :, some]).copy_(windows.summed(back))
        of_kernel = None if of_taps is None else of_taps.view(g, o, k, k, i).permute(0, 1, 4, 2, 3)
        of_bias = gradient.sum((0, 2, 3)).view(g, o) if to_bias else None
        return None if of_x is None else _images(of_x), of_kernel, of_bias, None, None


def _pixels(x: Float[Tensor, "n gc h w"], networks: int) -> Float[Tensor, "n h w g c"]:
    return x.permute(0, 2, 3, 1).unflatten(3, (networks, -1))


def _networks_first(pixels: Float[Tensor, "n h w g c"]) -> Float[Tensor, "g n h w c"]:
    return pixels.permute(3, 0, 1, 2, 4)


def _images(pixels: Float[Tensor, "n h w g c"]) -> Float[Tensor, "n gc h w"]:
    return pixels.flatten(3).permute(0, 3, 1, 2)
