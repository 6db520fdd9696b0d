"""The authors' formulas of the twelve perturbations, image by image, with OpenCV or with scipy (facts A2).

Images are (h, w) arrays in [-1, 1], as the paper has them, float64 for golden tests and float32 for the benchmark.
Nothing here reads the library: it is what the library is compared with. Random numbers come from a source with
`normal`, `uniform`, `places` and `poisson`, called in the order in which the formulas draw.
"""

from functools import lru_cache

import cv2
import numpy as np
from scipy import ndimage

LEVELS = {
    "brightness": [(b,) for b in (0.1, 0.55, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)],
    "contrast": [(c,) for c in (3, 2.1, 1.7, 1.4, 1, 0.2, -0.2, -0.4, -0.5, -0.6)],
    "defocus_blur": [
        (3, 0.1), (7, 0.6), (7, 0.7), (6, 0.8), (6, 1.5), (6, 0.9), (6, 1), (7, 1.2), (7, 1), (8, 1.2)
    ],
    "fog": [(d,) for d in (0.1, 0.43, 0.45, 0.48, 0.5, 0.52, 0.54, 0.56, 0.58, 0.6)],
    "frost": [(f,) for f in (6, 8, 10, 11, 12, 13, 14, 16, 17, 18)],
    "gaussian_noise": [(mu,) for mu in (0.05, 0.45, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.835, 0.87)],
    "impulse_noise": [(p,) for p in (0.25, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)],
    "motion_blur": [(k,) for k in range(1, 11)],
    "pixelation": [(n,) for n in (40, 14, 11, 9, 8, 7, 7, 6, 5, 4)],
    "shot_noise": [(r,) for r in (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.42, 0.46, 0.5, 0.57)],
    "snow": [(p, 5 if p == 0.81 else 3) for p in (0.81, 0.84, 0.86, 0.88, 0.9, 0.91, 0.93, 0.94, 0.95, 0.99)],
    "zoom_blur": [(k,) for k in (1, 2, 3, 4, 5, 5, 6, 6, 7, 8)],
}  # fmt: skip


class OpenCV:
    """Filters as the authors' code calls them, or by OpenCV's own faster equivalent."""

    @staticmethod
    def box(x, k):
        return cv2.blur(x, (k, k), borderType=cv2.BORDER_REFLECT_101)

    @staticmethod
    def kernel(x, kernel):
        return cv2.filter2D(x, -1, kernel, borderType=cv2.BORDER_REFLECT_101)

    @staticmethod
    def smooth(x):
        return cv2.GaussianBlur(x, (5, 5), 1.0, borderType=cv2.BORDER_REFLECT_101)

    @staticmethod
    def erode(mask, k):
        return cv2.erode(mask.view(np.uint8), np.ones((k, k), np.uint8), borderType=cv2.BORDER_REFLECT_101) > 0

    @staticmethod
    def pixelate(x, n):
        small = cv2.resize(x, (n, n), interpolation=cv2.INTER_AREA)
        return cv2.resize(small, x.shape[::-1], interpolation=cv2.INTER_NEAREST)


class Scipy:
    """The same with scipy.ndimage, whose `mirror` is OpenCV's reflect-101 and whose anchor is the same."""

    @staticmethod
    def box(x, k):
        return ndimage.uniform_filter(x, k, mode="mirror")

    @staticmethod
    def kernel(x, kernel):
        return ndimage.correlate(x, kernel, mode="mirror")

    @staticmethod
    def smooth(x):
        return ndimage.gaussian_filter(x, 1.0, mode="mirror", radius=2)

    @staticmethod
    def erode(mask, k):
        return ndimage.minimum_filter(mask, k, mode="mirror")

    @staticmethod
    def pixelate(x, n):
        side = len(x)
        nearest = np.arange(side) * n // side
        if n > side:  # linear interpolation at s + f, f = max(0, (i + 1) - (s + 1) n / side)
            i = np.arange(n)
            s = i * side // n
            at = np.minimum(s + np.maximum(0, (i + 1) - (s + 1) * n / side), side - 1)[nearest]
            return ndimage.map_coordinates(x, np.meshgrid(at, at, indexing="ij"), order=1, mode="nearest")
        # The mean over a cell is a difference of the integral image, which is linear between whole pixels.
        integral = np.zeros((side + 1, side + 1))
        integral[1:, 1:] = x.astype(np.float64).cumsum(0).cumsum(1)
        edges = np.arange(n + 1) * side / n
        corners = ndimage.map_coordinates(integral, np.meshgrid(edges, edges, indexing="ij"), order=1)
        cells = np.diff(np.diff(corners, axis=0), axis=1) * (n / side) ** 2
        return cells[np.ix_(nearest, nearest)].astype(x.dtype)


@lru_cache
def motion_kernel(k, dtype):
    kernel = np.zeros((k, k), dtype)
    kernel[:, (k - 1) // 2] = 1 / k
    return kernel


@lru_cache
def zoom_kernel(k, dtype, side=28):
    kernel = np.repeat((side / 2 - np.arange(k))[:, None], k, axis=1)
    return (kernel / kernel.sum()).astype(dtype)


@lru_cache
def glow(density, dtype, side=28):
    v, u = np.mgrid[:side, :side] / (side / 2) - 1
    return np.exp(-(u**2 + v**2) / density**2).astype(dtype)


def clip(x):
    return np.clip(x, -1, 1)


def brightness(x, source, filters, b):
    return clip(x + b)


def contrast(x, source, filters, c):
    return clip((x - x.mean()) * (1 + c))


def defocus_blur(x, source, filters, k, a):
    return clip(a * filters.box(x, k) + (1 - a) * x)


def fog(x, source, filters, density):
    veil = np.clip(glow(density, x.dtype, len(x)) + 0.1 * source.normal(x.shape), 0, 1)
    return clip((1 - density) * x + density * veil)


def frost(x, source, filters, strength):
    mask = np.where(source.normal(x.shape) >= 0.1, x.dtype.type(1), x.dtype.type(-1))
    mask = filters.smooth(clip(mask + 0.1 * source.normal(x.shape)))
    return clip(x + strength * (mask < 0) * 0.1 * source.normal(x.shape))


def gaussian_noise(x, source, filters, mu):
    return clip(x + mu + 0.25 * source.normal(x.shape))


def impulse_noise(x, source, filters, p):
    salted = x.copy()
    salted.flat[source.places(int(x.size * p), x.size)] += 1
    return clip(salted)


def motion_blur(x, source, filters, k):
    return clip(filters.kernel(x, motion_kernel(k, x.dtype)))


def pixelation(x, source, filters, n):
    coarse = filters.pixelate(x, n)
    low, high = coarse.min(), coarse.max()
    return (coarse - low) / (high - low) * 2 - 1


def shot_noise(x, source, filters, rate):
    return clip(x + source.poisson(rate, x.shape))


def snow(x, source, filters, p, k):
    return clip(x + filters.erode(source.uniform(x.shape) < p, k))


def zoom_blur(x, source, filters, k):
    return clip(filters.kernel(x, zoom_kernel(k, x.dtype, len(x))))


FORMULAS = {
    f.__name__: f
    for f in (
        brightness, contrast, defocus_blur, fog, frost, gaussian_noise,
        impulse_noise, motion_blur, pixelation, shot_noise, snow, zoom_blur,
    )
}  # fmt: skip


class Replayed:
    """The library's own draws for one image, turned into what the formulas ask for, in float64.

    `draws` is a `mistrust.inputs.Draws` of some images, `index` the image. Where the library draws a uniform number
    in place of another, it goes through scipy's quantile function, so that the same numbers mean the same noise.
    """

    def __init__(self, name, draws, index, kept):
        self.parts = iter(("patches", "texture", "noise") if name == "frost" else ("z",))
        self.draws, self.index, self.kept = draws, index, kept

    def _one(self, kind, part, *arguments):
        key = (kind, part, arguments)
        if key not in self.kept:  # drawn once for all images
            self.kept[key] = getattr(self.draws, kind)(*arguments, part).numpy()
        return self.kept[key][self.index]

    def normal(self, shape):
        from scipy.stats import norm

        part = next(self.parts)
        if part == "patches":
            return norm.ppf(self._one("uniform", part, (1, *shape))[0].astype(np.float64))
        return self._one("normal", part, (1, *shape))[0].astype(np.float64)

    def uniform(self, shape):
        return self._one("uniform", "u", (1, *shape))[0].astype(np.float64)

    def poisson(self, rate, shape):
        from scipy.stats import poisson

        return poisson.ppf(self.uniform(shape), rate)

    def places(self, count, total):
        side = round(total**0.5)
        return np.flatnonzero(self._one("chosen", "chosen", count, (1, side, side)))


class Fresh:
    """New noise from a numpy generator, as a loop over images would draw it."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def normal(self, shape):
        return self.generator.standard_normal(shape, dtype=np.float32)

    def uniform(self, shape):
        return self.generator.random(shape, dtype=np.float32)

    def poisson(self, rate, shape):
        return self.generator.poisson(rate, shape).astype(np.float32)

    def places(self, count, total):
        return self.generator.choice(total, count, replace=False)
