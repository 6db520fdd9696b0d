"""A convolution of many networks at once as products of matrices, for a CPU where outputs are few and channels many.

An image is laid out in strips: what the windows of one column of outputs read, row by row. A window is then a run of
numbers, its whole rows one after the other, and windows of a row of outputs are a matrix that lies there already: times
the kernel it gives the outputs, and its transpose times their gradient the kernel's gradient. Rows of the kernel that
meet only zeros around the image are left out: a fifth to a third of all sums on the smallest images. Strips are laid
out for a few images at a time and made again for the gradient: what a product reads is still in the core's cache, and
memory does not grow with the images.
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

# Bytes of strips that are laid out at once: with a kernel and its gradient a core's second cache holds them.
BLOCK = 1 << 20
Sides = tuple[int, int, int, int]  # zeros on the left and right of an image, above and below it


def convolved(
    x: Float[Tensor, "n gi h w"],
    kernel: Float[Tensor, "g o i k k"],
    bias: Float[Tensor, "g o"],
    stride: int,
    sides: Sides,
) -> Float[Tensor, "n go h2 w2"]:
    """What a grouped convolution gives of images with zeros around them, laid out as channels_last.

    Images and kernels are read in place where they lie as `layout.laid_out` has them; on a CPU. It has a first
    derivative alone.

    Parameters
    ----------
    stride : at least 1, down and across.
    sides : zeros on the left and right of an image, above and below it.
    """
    return _images(_Convolution.apply(x, kernel, bias, stride, sides))


@dataclass(frozen=True)
class _Windows:
    """Where windows of k x k lie on images of (h, w) with zeros around them."""

    height: int
    width: int
    k: int
    stride: int
    sides: Sides

    @property
    def outputs(self) -> tuple[int, int]:
        """Windows down and across."""
        left, right, above, below = self.sides
        across, down = self.width + left + right, self.height + above + below
        return (down - self.k) // self.stride + 1, (across - self.k) // self.stride + 1

    def rows(self) -> list[tuple[slice, slice]]:
        """For each row of windows the rows of an image that it reaches, and the rows of the kernel that meet them."""
        return [self._meet(self.stride * y - self.sides[2], self.height) for y in range(self.outputs[0])]

    def parts(self, x: Float[Tensor, "n h w g c"]) -> list[slice]:
        """Images whose strips, of one network, are laid out together."""
        image = self.outputs[1] * self.height * self.k * x.shape[4] * x.element_size()
        few = max(1, BLOCK // image)
        return [slice(n, min(n + few, len(x))) for n in range(0, len(x), few)]

    def room(self, x: Float[Tensor, "n h w g c"]) -> Float[Tensor, "n w2 h k c"]:
        """Zeros for the strips of one network's images; they stay 0 where windows reach beyond an image."""
        return x.new_zeros(len(x), self.outputs[1], self.height, self.k, x.shape[4])

    def pairs(self, x: Float[Tensor, "n h w g c"], room: Float[Tensor, "n w2 h k c"]) -> list[tuple[Tensor, Tensor]]:
        """For each column of windows what it reaches of images (n, h, some, g, c), and its place (n, h, some, c)."""
        met = [self._meet(self.stride * column - self.sides[0], self.width) for column in range(self.outputs[1])]
        return [(x[:, :, ours], room[:, column, :, theirs]) for column, (ours, theirs) in enumerate(met)]

    def matrices(self, room: Float[Tensor, "n w2 h k c"]) -> list[Float[Tensor, "r _"]]:
        """For each row of windows the windows, without what lies above or below an image, r = n w2."""
        rows = room.flatten(3).flatten(0, 1)
        return [rows[:, reached].flatten(1) for reached, _ in self.rows()]

    def kernels(self, taps: Float[Tensor, "g o k kc"]) -> list[Float[Tensor, "g o _"]]:
        """For each row of windows what their numbers are multiplied by."""
        return [taps[:, :, met].flatten(2) for _, met in self.rows()]

    def _meet(self, start: int, size: int) -> tuple[slice, slice]:
        first = max(0, -start)
        end = max(first, min(self.k, size - start))
        return slice(start + first, start + end), slice(first, end)


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(*args: Any, **_: Any) -> Tensor:
        ctx, x, kernel, bias, stride, sides = args
        g, o, _, k, _ = kernel.shape
        taps = kernel.permute(0, 1, 3, 4, 2).flatten(3)
        windows = _Windows(x.shape[2], x.shape[3], k, stride, sides)
        (down, across), pixels, kernels = windows.outputs, _pixels(x, g), windows.kernels(taps)
        found = x.new_empty(len(x), down, across, g, o)
        for few in windows.parts(pixels):
            room = windows.room(pixels[few])
            pairs, matrices = windows.pairs(pixels[few], room), windows.matrices(room)
            made = x.new_empty(down, o, len(room) * across)
            for one in range(g):
                for image, place in pairs:
                    place.copy_(image[:, :, :, one])
                for y, (matrix, factors) in enumerate(zip(matrices, kernels, strict=True)):
                    # The kernel comes first: so a product of few images is faster.
                    torch.addmm(bias[one, :, None], factors[one], matrix.T, out=made[y])
                found[few, :, :, one] = made.unflatten(2, (-1, across)).permute(2, 0, 3, 1)
        ctx.save_for_backward(x, taps)
        ctx.windows, ctx.shape = windows, kernel.shape
        return found  # no view of it: what is made of it may be changed in place

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Any) -> tuple[Tensor | None, ...]:  # pyrefly: ignore[bad-override]
        (gradient,) = grad_outputs
        (x, taps), windows, (g, o, i, k, _) = ctx.saved_tensors, ctx.windows, ctx.shape
        to_x, to_kernel, to_bias = ctx.needs_input_grad[:3]
        of_x, of_taps = x.new_empty(_pixels(x, g).shape), taps.new_zeros(taps.shape)
        kernels, of_kernels = windows.kernels(taps), windows.kernels(of_taps)
        for few in windows.parts(_pixels(x, g)):
            pixels, here = _pixels(x[few], g), of_x[few]
            slopes = gradient[few].permute(3, 1, 0, 2, 4).flatten(2, 3)
            room, back = windows.room(pixels), windows.room(pixels)
            pairs, read = windows.pairs(pixels, room), windows.matrices(room)
            of_pairs, made = windows.pairs(here, back), windows.matrices(back)
            for one in range(g):
                each = slopes[one].unbind()
                if to_kernel:
                    for image, place in pairs:
                        place.copy_(image[:, :, :, one])
                    for slope, matrix, factors in zip(each, read, of_kernels, strict=True):
                        factors[one].addmm_(slope.T, matrix)
                if to_x:
                    back.zero_()
                    here[:, :, :, one].zero_()
                    for slope, matrix, factors in zip(each, made, kernels, strict=True):
                        matrix.addmm_(slope, factors[one])
                    for image, place in of_pairs:
                        image[:, :, :, one].add_(place)
        of_kernel = of_taps.view(g, o, k, k, i).permute(0, 1, 4, 2, 3) if to_kernel else None
        of_bias = gradient.sum((0, 1, 2)) if to_bias else None
        return _images(of_x) if to_x else None, of_kernel, of_bias, None, None


def _pixels(x: Float[Tensor, "n gc h w"], networks: int) -> Float[Tensor, "n h w g c"]:
    return x.permute(0, 2, 3, 1).unflatten(3, (networks, -1))


def _images(pixels: Float[Tensor, "n h w g c"]) -> Float[Tensor, "n gc h w"]:
    return pixels.flatten(3).permute(0, 3, 1, 2)
