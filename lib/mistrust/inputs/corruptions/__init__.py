"""The corruptions of MNIST-C and of Fashion-MNIST-C as entries of `mistrust.inputs.CORRUPTIONS`.

MNIST-C: Mu and Gilmer, "MNIST-C: A Robustness Benchmark for Computer Vision", arXiv 1906.02337. Fashion-MNIST-C took
eleven formulas of its code and added four that mirror and turn the picture (Weiss and Tonella). Names
are "mnistc/fog" and "fmnistc/contrast"; levels are the severities of their code; each entry knows the severity with
which the published set was made.

The formulas were written for grey pictures of 28 x 28. What is a part of the picture grows with it: stripes, the ends
of lines, the middle that a rotation leaves in place, the map of the fog. What a parameter says in pixels stays in
pixels: blurs, shifts, the width of a line. Channels of colour images are each corrupted alike, with what is drawn
shared by them; only noise is drawn for every channel.
"""

from mistrust.inputs.corruptions.table import FASHION_MNIST_C, MNIST_C

__all__ = ["FASHION_MNIST_C", "MNIST_C"]
