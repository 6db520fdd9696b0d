"""Linear classifiers and their images, of which every answer is known, and noise that a test chooses."""

import torch
from torch import nn

from mistrust import random
from mistrust.data import ImageSet
from mistrust.networks import wrap
from mistrust.robustness.noise import Variant

CLASSES = ("0", "1")


def linear(weight, bias, dtype=torch.float64, classes=CLASSES):
    """Logits of one row of weights a class; pixels in reading order."""
    layer = nn.Linear(len(weight[0]), len(weight)).to(dtype)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weight, dtype=dtype))
        layer.bias.copy_(torch.tensor(bias, dtype=dtype))
    return wrap(nn.Sequential(nn.Flatten(), layer), classes, name="linear")


def image_set(pixels, labels, ids=None, classes=CLASSES):
    """Images of one row of pixels each."""
    values = torch.as_tensor(pixels, dtype=torch.float32)[:, None, None]
    numbers = torch.arange(len(values)) if ids is None else torch.as_tensor(ids)
    return ImageSet("rows", values, torch.as_tensor(labels), numbers, classes)


def noise_of(z, *, clipped):
    """A variant in which every image has the noise z, a row of pixels."""
    row = torch.as_tensor(z, dtype=torch.float64)[None, None]
    return Variant("given", lambda seeds, ids, sigmas, shape: row.repeat(len(ids), 1, 1, 1), False, clipped)


def random_linear(n=60, d=16, seed=0, wrong=0):
    """A linear classifier and n images labelled as it answers, but for the first few, with ids far apart."""
    draw = random.generator(seed, "test/linear")
    weight, bias = draw.normal(size=d), 0.1
    pixels = torch.from_numpy(draw.random((n, d), dtype="float32"))
    network = linear([[0.0] * d, weight.tolist()], [0.0, bias])
    labels = network(pixels.double()[:, None, None]).argmax(1)
    labels[:wrong] = 1 - labels[:wrong]
    return network, image_set(pixels, labels, torch.arange(n) * 37 + 5), torch.from_numpy(weight), bias
