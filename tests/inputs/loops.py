"""The corruptions of MNIST-C and Fashion-MNIST-C, image by image, with numpy and scipy (facts 5).

Pictures are (h, w) float64 arrays in [0, 1]. Nothing here reads the library: it is what the library is compared with,
by value in the tests and by time in benchmarks/corruptions.py. Formulas go the way of the published code (brightness
and saturation by hue and value, swaps drawn pixel by pixel), with scipy and matplotlib for scikit-image. Random
numbers come from a source, called in the order in which the formulas draw.
"""

from itertools import pairwise
from math import atan, ceil, cos, floor, log2, sin

import numpy as np
from matplotlib.colors import hsv_to_rgb, rgb_to_hsv
from scipy import ndimage, stats

GREY = (0.2125, 0.7154, 0.0721)  # what red, green and blue weigh

LEVELS = {
    "shot_noise": [(60,), (25,), (12,), (5,), (3,)],
    "impulse_noise": [(0.03,), (0.06,), (0.09,), (0.17,), (0.27,)],
    "glass_blur": [(0.7, 1, 2), (0.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2)],
    "motion_blur": [(10, 3), (15, 5), (15, 8), (15, 12), (20, 15)],
    "shear": [(0.2,), (0.4,), (0.6,), (0.8,), (1.0,)],
    "scale": [(0.9,), (0.8,), (0.7,), (0.6,), (0.5,)],
    "rotate": [(0.2,), (0.4,), (0.6,), (0.8,), (1.0,)],
    "brightness": [(0.1,), (0.2,), (0.3,), (0.4,), (0.5,)],
    "translate": [(1,), (2,), (3,), (4,), (5,)],
    "stripe": [()],
    "fog": [(1.5, 2), (2, 2), (2.5, 1.7), (2.5, 1.5), (3, 1.4)],
    "spatter": [
        (0.65, 0.3, 4, 0.69, 0.6), (0.65, 0.3, 3, 0.68, 0.6), (0.65, 0.3, 2, 0.68, 0.5), (0.65, 0.3, 1, 0.65, 1.5),
        (0.67, 0.4, 1, 0.65, 1.5),
    ],
    "dotted_line": [()],
    "zigzag": [()],
    "canny_edges": [()],
    "contrast": [(0.4,), (0.3,), (0.2,), (0.1,), (0.05,)],
    "saturate": [(0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2)],
    "inverse": [()],
    "flip_left_right": [()],
    "flip_up_down": [()],
    "turn_right": [()],
    "turn_left": [()],
}  # fmt: skip


def shot_noise(x, source, c):
    return np.minimum(source.poisson(x * c) / c, 1)


def impulse_noise(x, source, c):
    changed, salted = source.impulses(x.shape, c)
    x = x.copy()
    x[changed & salted] = 1
    x[changed & ~salted] = 0
    return x


def vertically(x, sigma):
    return ndimage.gaussian_filter1d(x, sigma, axis=0, mode="nearest", truncate=4)


def glass_blur(x, source, sigma, reach, rounds):
    h, w = x.shape
    cells = np.floor(vertically(x, sigma) * 255 + 1e-4).tolist()
    swaps = source.swaps(reach, rounds, max(0, h - 2 * reach), max(0, w - 2 * reach))
    for _ in range(rounds):
        for row in range(h - reach, reach, -1):
            for column in range(w - reach, reach, -1):
                swap = next(swaps)
                if swap is not None:
                    r, c = row + swap[0], column + swap[1]
                    cells[row][column], cells[r][c] = cells[r][c], cells[row][column]
    return np.clip(vertically(np.array(cells) / 255, sigma), 0, 1)


def motion_blur(x, source, radius, sigma):
    return smear(x, source.uniform(()) * 90 - 45, radius, sigma)


def smear(x, degrees, radius, sigma):
    (h, w), far = x.shape, 2 * radius
    wide = np.pad(x, far, mode="edge")
    taps = np.arange(far + 1)
    weights = np.exp(-(taps**2) / (2 * sigma**2))
    weights /= weights.sum()
    angle, out = np.deg2rad(degrees), np.zeros_like(x)
    columns = np.ceil(taps * np.cos(angle) - 0.5).astype(int) + far
    rows = np.ceil(taps * np.sin(angle) - 0.5).astype(int) + far
    for weight, row, column in zip(weights, rows.tolist(), columns.tolist(), strict=True):
        out += weight * wide[row : row + h, column : column + w]
    return out


def warp(x, matrix):
    """Read at matrix @ (column, row), the middle in place."""
    matrix, middle = np.array(matrix)[::-1, ::-1], (np.array(x.shape) - 1) / 2
    return ndimage.affine_transform(x, matrix, middle - matrix @ middle, order=1, mode="grid-constant")


def sign(source):
    return 1 if source.integers(0, 2, ()) else -1


def shear(x, source, c):
    c *= sign(source)
    return warp(x, [[1, -sin(c)], [0, cos(c)]])


def scale(x, source, c):
    return warp(x, [[1 / c, 0], [0, 1 / c]])


def rotate(x, source, c):
    c *= sign(source)
    return warp(x, [[cos(c), -sin(c)], [sin(c), cos(c)]])


def brightness(x, source, c):
    hsv = rgb_to_hsv(np.repeat(x[..., None], 3, -1))
    hsv[..., 2] = np.clip(hsv[..., 2] + c, 0, 1)
    return hsv_to_rgb(hsv) @ GREY


def translate(x, source, c):
    dx, dy = (2 * source.integers(0, 2, (2,)).astype(int) - 1) * c
    return ndimage.shift(x, (-dy, -dx), order=1, mode="grid-constant")


def stripe(x, source):
    x, quarter = x.copy(), x.shape[1] // 4
    x[:, :quarter] = inverse(x[:, :quarter], source)
    x[:, -quarter:] = inverse(x[:, -quarter:], source)
    return x


def fog(x, source, amount, decay):
    side = 2 ** ceil(log2(9 * max(x.shape)))
    return fogged(x, plasma(source.symmetric(side * side - 1), side, decay)[: x.shape[0], : x.shape[1]], amount)


def fogged(x, veil, amount):
    m = x.max()
    return np.clip((x + amount * veil) * m / (m + amount), 0, 1)


def plasma(noise, side, decay):
    """Diamond-square in place on the whole map, points `step` apart; noise level by level from [-1, 1)."""
    field, step, amplitude, at = np.zeros((side, side)), side, 100.0, 0
    while step >= 2:
        half, points = step // 2, (side // step) ** 2
        fresh = (noise[at + k * points : at + (k + 1) * points].reshape(side // step, -1) for k in range(3))
        wobble = amplitude * amplitude  # uniform in +-amplitude, times amplitude
        old = field[::step, ::step]
        ring = old + np.roll(old, -1, 0) + np.roll(old, -1, 1) + np.roll(old, (-1, -1), (0, 1))
        middle = ring / 4 + wobble * next(fresh)
        field[half::step, half::step] = middle
        around = old + np.roll(old, -1, 1) + middle + np.roll(middle, 1, 0)
        field[::step, half::step] = around / 4 + wobble * next(fresh)
        around = old + np.roll(old, -1, 0) + middle + np.roll(middle, 1, 1)
        field[half::step, ::step] = around / 4 + wobble * next(fresh)
        at, step, amplitude = at + 3 * points, half, amplitude / decay
    field -= field.min()
    return field / field.max()


def spatter(x, source, mean, deviation, blur, threshold, edge):
    return spattered(x, source.normal(x.shape) * deviation + mean, blur, threshold, edge)


def spattered(x, noise, blur, threshold, edge):
    mask = (ndimage.gaussian_filter(noise, blur, mode="nearest", truncate=4) > threshold).astype(float)
    mask = ndimage.gaussian_filter(mask, edge, mode="nearest", truncate=4)
    mask[mask < 0.8] = 0
    return x * (1 - mask) + 63 / 255 * mask


def stroke(shape, c0, r0, c1, r1):
    rows, columns = np.arange(shape[0])[:, None], np.arange(shape[1])
    distance = abs(rows - ((r1 - r0) / (c1 - c0) * (columns - c0) + r0))
    drawn = np.maximum(0, 1 + np.log(1 - np.minimum(distance, 2.29999) / 2.3))
    drawn[:, : floor(c0)] = 0
    drawn[:, ceil(c1) :] = 0
    return drawn


def dotted_line(x, source):
    r0, r1 = source.integers(0, x.shape[0] - 1, (2,)).tolist()
    return dotted(x, r0, r1)


def dotted(x, r0, r1):
    drawn = stroke(x.shape, 0, r0, x.shape[1] - 1, r1)
    drawn[:, ::4] = 0
    drawn[:, 1::4] = 0
    return np.clip(x + drawn, 0, 1)


def zigzag(x, source):
    start = int(source.integers(0, x.shape[0] - 1, (), "start"))
    return zigzagged(x, start, start + int(source.integers(-5, 5, (), "rise")))


def zigzagged(x, r0, r1):
    reach = x.shape[1] - 5
    angle = atan((r1 - r0) / reach)
    length = reach / cos(angle)
    corners = [(0.0, 0.0)]
    for i in range(int((length - 2) // 4) + 1):
        corners.append((4 * i + 2, 2 if i % 2 == 0 else -2))
    left = length - 4 * (length // 4)
    if left > 0:
        corners.append((length, corners[-1][1] / (2 * left)))
    turned = [(cos(angle) * c - sin(angle) * r + 2, sin(angle) * c + cos(angle) * r + r0) for c, r in corners]
    for (c0, s0), (c1, s1) in pairwise(turned):
        if c1 > c0:
            x = np.clip(x + stroke(x.shape, c0, s0, c1, s1), 0, 1)
    return x


def canny_edges(x, source):
    inside = ndimage.gaussian_filter(np.ones_like(x), 1, mode="constant", truncate=4)
    smooth = ndimage.gaussian_filter(x, 1, mode="constant", truncate=4) / inside
    down, right = ndimage.sobel(smooth, 0), ndimage.sobel(smooth, 1)
    steep = np.hypot(down, right)
    # One step along the slope ends on a side of the square of neighbours, where linear interpolation is exact.
    longest = np.maximum(np.maximum(abs(down), abs(right)), 1e-9)
    places, along = np.indices(x.shape), np.stack([down / longest, right / longest])
    ahead, behind = (ndimage.map_coordinates(steep, places + s * along, order=1) for s in (1, -1))
    weak = (np.maximum(ahead, behind) <= steep + 1e-9) & (steep >= 0.1 - 1e-9)
    weak[[0, -1]] = False
    weak[:, [0, -1]] = False
    parts, _ = ndimage.label(weak, np.ones((3, 3)))
    return (weak & np.isin(parts, np.unique(parts[weak & (steep >= 0.2 - 1e-9)]))).astype(float)


def contrast(x, source, c):
    return np.clip((x - x.mean()) * c + x.mean(), 0, 1)


def saturate(x, source, a, b):
    return hsv_to_rgb(np.clip(rgb_to_hsv(np.repeat(x[..., None], 3, -1)) * a + b, 0, 1)) @ GREY


def inverse(x, source):
    return (255 if x.dtype == np.uint8 else 1) - x


def flip_left_right(x, source):
    return x[:, ::-1]


def flip_up_down(x, source):
    return x[::-1]


def turn_right(x, source):
    return np.rot90(x, 3)


def turn_left(x, source):
    return np.rot90(x)


FORMULAS = {name: globals()[name] for name in LEVELS}


class Replayed:
    """The library's own draws for one image, given to the formulas in float64; `kept` holds those of all images."""

    def __init__(self, draws, index, kept):
        self.draws, self.index, self.kept = draws, index, kept

    def _one(self, kind, *arguments):
        key = (kind, arguments)
        if key not in self.kept:
            self.kept[key] = getattr(self.draws, kind)(*arguments).numpy()
        return self.kept[key][self.index]

    def uniform(self, shape):
        channels = (1, *shape) if shape else shape
        return self._one("uniform", channels).astype(np.float64).reshape(shape)

    def impulses(self, shape, share):
        even = (self._one("integers", -(2**15), 2**15, (1, *shape))[0] + 0.5) / 2**16 + 0.5
        return np.minimum(even, 1 - even) < share / 2, even > 0.5

    def normal(self, shape):
        return self._one("normal", (1, *shape))[0].astype(np.float64)

    def integers(self, *arguments):
        return self._one("integers", *arguments)

    def swaps(self, reach, rounds, rows, columns):
        for code in self._one("integers", 0, 8 * reach**2, (rounds, rows, columns)).reshape(-1).tolist():
            yield (code // (2 * reach) - reach, code % (2 * reach) - reach) if code < 4 * reach**2 else None

    def symmetric(self, count):
        return self._one("integers", -(2**15), 2**15, (count,)) / 2**15

    def poisson(self, rate):
        # P(count = 0) is 1 at rate 0, and ppf(u) then is 0 but for u = 0.
        return np.maximum(stats.poisson.ppf(self.uniform(rate.shape), rate), 0)


class Fresh:
    """New noise from a numpy generator, as a loop over images would draw it."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def uniform(self, shape):
        return self.generator.random(shape)

    def impulses(self, shape, share):
        return self.generator.random(shape) < share, self.generator.random(shape) < 0.5

    def normal(self, shape):
        return self.generator.standard_normal(shape)

    def integers(self, low, high, shape, part="i"):
        return self.generator.integers(low, high, shape)

    def swaps(self, reach, rounds, rows, columns):
        while True:  # pixel by pixel, as published
            yield self.generator.integers(-reach, reach, 2).tolist() if self.generator.random() < 0.5 else None

    def symmetric(self, count):
        return self.generator.uniform(-1, 1, count)

    def poisson(self, rate):
        return self.generator.poisson(rate)
