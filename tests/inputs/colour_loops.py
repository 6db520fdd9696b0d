"""The fault templates image by image, with scipy, OpenCV and matplotlib (facts 3; the way of CIFAR-10-C's code).

Pictures are (h, w, c) float64 arrays in [0, 1]. Nothing here reads the library: it is what that is compared with, by
value in the tests and by time in benchmarks/faults.py. Random numbers come from a source, called as formulas draw.
"""

from math import ceil

import cv2
import loops
import numpy as np
from matplotlib.colors import hsv_to_rgb, rgb_to_hsv
from scipy import ndimage, stats

cv2.setNumThreads(1)

LEVELS = {
    "gaussian_noise": [(0.04,), (0.06,), (0.08,), (0.09,), (0.10,)],
    "shot_noise": [(500,), (250,), (100,), (75,), (50,)],
    "impulse_noise": [(0.01,), (0.02,), (0.03,), (0.05,), (0.07,)],
    "speckle_noise": [(0.06,), (0.1,), (0.12,), (0.16,), (0.2,)],
    "gaussian_blur": [(0.4,), (0.6,), (0.7,), (0.8,), (1,)],
    "defocus_blur": [(0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1, 0.2), (1.5, 0.1)],
    "glass_blur": [(0.05, 1, 1), (0.25, 1, 1), (0.4, 1, 1), (0.25, 1, 2), (0.4, 1, 2)],
    "zoom_blur": [(1.06,), (1.11,), (1.16,), (1.21,), (1.26,)],
    "elastic_transform": [(0, 0, 0.08), (0.05, 0.2, 0.07), (0.08, 0.06, 0.06), (0.1, 0.04, 0.05), (0.1, 0.03, 0.03)],
    "spatter": [
        (0.62, 0.1, 0.7, 0.7, 0.5, 0), (0.65, 0.1, 0.8, 0.7, 0.5, 0), (0.65, 0.3, 1, 0.69, 0.5, 0),
        (0.65, 0.1, 0.7, 0.69, 0.6, 1), (0.65, 0.1, 0.5, 0.68, 0.6, 1),
    ],
    "snow": [
        (0.1, 0.2, 1, 0.6, 8, 3, 0.95), (0.1, 0.2, 1, 0.5, 10, 4, 0.9), (0.15, 0.3, 1.75, 0.55, 10, 4, 0.9),
        (0.25, 0.3, 2.25, 0.6, 12, 6, 0.85), (0.3, 0.3, 1.25, 0.65, 14, 12, 0.8),
    ],
    "fog": [(0.2, 3), (0.5, 3), (0.75, 2.5), (1, 2), (1.5, 1.75)],
    "brightness": [(0.05,), (0.1,), (0.15,), (0.2,), (0.3,)],
    "contrast": [(0.75,), (0.5,), (0.4,), (0.3,), (0.15,)],
    "saturate": [(0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)],
    "pixel_trap": [(3,), (5,), (10,)],
    "row_add_logic": [(3,), (5,), (10,)],
    "shifted_pixel": [(3,), (5,), (10,)],
    "rotated": [(-45,), (-22.5,), (22.5,), (45,)],
}  # fmt: skip


def gaussian_noise(x, source, c):
    return np.clip(x + c * source.normals(x.shape), 0, 1)


def shot_noise(x, source, c):
    return np.clip(source.poisson(x * c) / c, 0, 1)


def impulse_noise(x, source, c):
    changed, salted = source.impulses(x.shape, c)
    x = x.copy()
    x[changed & salted] = 1
    x[changed & ~salted] = 0
    return x


def speckle_noise(x, source, c):
    return np.clip(x + x * c * source.normals(x.shape), 0, 1)


def gauss(x, sigma):
    """What scikit-image's gaussian does by default, for (h, w) and (h, w, c)."""
    return ndimage.gaussian_filter(x, sigma, mode="nearest", truncate=4, axes=(0, 1))


def gaussian_blur(x, source, c):
    return np.clip(gauss(x, c), 0, 1)


def kernel(radius, alias):
    places = np.arange(-8, 9)
    disc = (places[:, None] ** 2 + places**2 <= radius**2).astype(np.float64)
    return cv2.GaussianBlur(disc / disc.sum(), (3, 3), alias)


def defocus_blur(x, source, radius, alias):
    disc = kernel(radius, alias)
    return np.clip(np.dstack([cv2.filter2D(x[:, :, c], -1, disc) for c in range(x.shape[2])]), 0, 1)


def glass_blur(x, source, sigma, reach, rounds):
    h, w = x.shape[:2]
    cells = np.floor(gauss(x, sigma) * 255 + 1e-4).astype(np.uint8)
    offsets = source.offsets(reach, rounds, max(0, h - 2 * reach), max(0, w - 2 * reach))
    for _ in range(rounds):
        for row in range(h - reach, reach, -1):
            for column in range(w - reach, reach, -1):
                dy, dx = next(offsets)
                a, b = (row, column), (row + dy, column + dx)
                cells[a], cells[b] = cells[b], cells[a]  # views: two copies, as published
    return np.clip(gauss(cells / 255, sigma), 0, 1)


def clipped_zoom(x, factor):
    sides = []
    for size in x.shape[:2]:
        cut = ceil(size / factor)
        sides.append(slice((size - cut) // 2, (size - cut) // 2 + cut))
    large = ndimage.zoom(x[sides[0], sides[1]], (factor, factor, 1)[: x.ndim], order=1, mode="nearest")
    top, left = ((large.shape[i] - x.shape[i]) // 2 for i in (0, 1))
    return large[top : top + x.shape[0], left : left + x.shape[1]]


def zoom_blur(x, source, end):
    factors = np.arange(1, end, 0.01)
    out = np.zeros_like(x)
    for factor in factors:
        out += clipped_zoom(x, factor)
    return np.clip((x + out) / (len(factors) + 1), 0, 1)


def elastic_transform(x, source, alpha, sigma, affine):
    h, w = x.shape[:2]
    side = min(h, w)
    middle, third = np.array([h // 2, w // 2], dtype=np.float64), side // 3
    points = np.array([middle + third, middle + np.array([third, -third]), middle - third])
    moved = points + (source.uniform((3, 2), "points") * 2 - 1) * affine * side
    # dst(x, y) = src(back (x, y)): an affine map from the moved points to the points.
    back = np.linalg.lstsq(np.column_stack([moved, np.ones(3)]), points, rcond=None)[0].T[:, [1, 0, 2]][::-1]
    out = np.dstack([
        ndimage.affine_transform(x[:, :, c], back[:, :2], back[:, 2], order=1, mode="mirror")
        for c in range(x.shape[2])
    ])  # fmt: skip
    if alpha:
        noise = source.uniform((2, h, w), "pixels") * 2 - 1
        dx, dy = (
            ndimage.gaussian_filter(one, sigma * side, mode="reflect", truncate=3) * alpha * side for one in noise
        )  # fmt: skip
        rows, columns = np.indices((h, w))
        out = np.dstack([
            ndimage.map_coordinates(out[:, :, c], [rows + dy, columns + dx], order=1, mode="reflect")
            for c in range(x.shape[2])
        ])  # fmt: skip
    return np.clip(out, 0, 1)


def colour(rgb, channels):
    return np.array(rgb) / 255 if channels == 3 else np.full(channels, np.dot(rgb, (0.299, 0.587, 0.114)) / 255)


def spatter(x, source, mean, deviation, blur, threshold, mix, mud, scale=1):
    liquid = gauss(source.normal(x.shape[:2]) * deviation + mean, blur)
    if mud:
        mask = gauss((liquid > threshold).astype(np.float64), mix)
        mask[mask < 0.8] = 0
        return np.clip(x * (1 - mask[..., None]) + mask[..., None] * scale * colour((63, 42, 20), x.shape[2]), 0, 1)
    levels = (np.clip(np.where(liquid < threshold, 0, liquid), 0, 1) * 255).astype(np.uint8)
    thick = water(levels) * mix * scale
    return np.clip(x + thick[..., None] * colour((175, 238, 238), x.shape[2]), 0, 1)


def water(levels):
    dist = cv2.distanceTransform(255 - cv2.Canny(levels, 50, 150), cv2.DIST_L2, 5)
    dist = cv2.threshold(dist, 20, 20, cv2.THRESH_TRUNC)[1]
    dist = cv2.equalizeHist(cv2.blur(dist, (3, 3)).astype(np.uint8))
    dist = cv2.filter2D(dist, cv2.CV_8U, np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]]))
    thick = levels * cv2.blur(dist, (3, 3)).astype(np.float64)
    return thick / max(thick.max(), 1)


def snow(x, source, mean, deviation, zoom, threshold, radius, sigma, keep, scale=1):
    flakes = clipped_zoom(source.normal(x.shape[:2]) * deviation + mean, zoom)
    flakes = np.where(flakes < threshold, 0, flakes)
    flakes = np.floor(np.clip(flakes, 0, 1) * 255) / 255
    degrees = source.uniform((), "angle") * 90 - 135
    flakes = (np.round(loops.smear(flakes, degrees, radius, sigma) * 255) / 255 * scale)[..., None]
    grey = (x @ (0.299, 0.587, 0.114) if x.shape[2] == 3 else x.mean(2))[..., None]
    x = keep * x + (1 - keep) * np.maximum(x, grey * 1.5 + 0.5)
    return np.clip(x + flakes + np.rot90(flakes, 2), 0, 1)


def fog(x, source, amount, decay):
    side = 2
    while side < max(x.shape[:2]):
        side *= 2
    veil = loops.plasma(source.symmetric(side * side - 1), side, decay)[: x.shape[0], : x.shape[1]]
    return loops.fogged(x, veil[..., None], amount)


def brightness(x, source, c):
    hsv = rgb_to_hsv(np.repeat(x, 3, 2) if x.shape[2] == 1 else x)
    hsv[..., 2] = np.clip(hsv[..., 2] + c, 0, 1)
    return hsv_to_rgb(hsv)[..., : x.shape[2]]


def contrast(x, source, c):
    mean = x.mean((0, 1))
    return np.clip((x - mean) * c + mean, 0, 1)


def saturate(x, source, a, b):
    hsv = rgb_to_hsv(x)
    hsv[..., 1] = np.clip(hsv[..., 1] * a + b, 0, 1)
    return hsv_to_rgb(hsv)


def pixel_trap(x, source, count):
    x = x.copy()
    x[source.rows(x.shape[0], count)] = 0
    return x


def row_add_logic(x, source, count):
    x, first = x.copy(), x.shape[0] // 2 - 2
    for step in range(1, count + 1):
        x[first + step] = x[first]
    return x


def shifted_pixel(x, source, below):
    shifts = source.integers(0, below, (x.shape[0],))
    return np.stack([np.roll(row, -int(shift), 0) for row, shift in zip(x, shifts, strict=True)])


def rotated(x, source, degrees):
    return np.clip(ndimage.rotate(x, degrees, reshape=False, cval=0), 0, 1)


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

    def parts(self, shape):
        """The middles of 65,536 equal parts of [0, 1], one per value."""
        drawn = self._one("integers", -(2**15), 2**15, (shape[2], *shape[:2])).transpose(1, 2, 0)
        return (drawn + 0.5) / 2**16 + 0.5

    def normals(self, shape):
        return stats.norm.ppf(self.parts(shape))

    def normal(self, shape):
        return self._one("normal", (1, *shape))[0].astype(np.float64)

    def uniform(self, shape, part):
        return self._one("uniform", shape, part).astype(np.float64)

    def poisson(self, rate):
        return stats.poisson.ppf(self.parts(rate.shape), rate)

    def impulses(self, shape, share):
        even = self.parts(shape)
        return np.minimum(even, 1 - even) < share / 2, even > 0.5

    def offsets(self, reach, rounds, rows, columns):
        for code in self._one("integers", 0, 4 * reach**2, (rounds, rows, columns)).reshape(-1).tolist():
            yield code // (2 * reach) - reach, code % (2 * reach) - reach

    def symmetric(self, count):
        return self._one("integers", -(2**15), 2**15, (count,)) / 2**15

    def rows(self, height, count):
        return self._one("chosen", count, (1, height, 1)).reshape(-1)

    def integers(self, *arguments):
        return self._one("integers", *arguments)


class Fresh:
    """New noise from a numpy generator, as a loop over images would draw it."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def normal(self, shape):
        return self.generator.standard_normal(shape)

    normals = normal

    def uniform(self, shape, part):
        return self.generator.random(shape)

    def poisson(self, rate):
        return self.generator.poisson(rate)

    def impulses(self, shape, share):
        return self.generator.random(shape) < share, self.generator.random(shape) < 0.5

    def offsets(self, reach, rounds, rows, columns):
        while True:  # pixel by pixel, as published
            yield self.generator.integers(-reach, reach, 2).tolist()

    def symmetric(self, count):
        return self.generator.uniform(-1, 1, count)

    def rows(self, height, count):
        return self.generator.choice(height, count, replace=False)

    def integers(self, low, high, shape):
        return self.generator.integers(low, high, shape)
