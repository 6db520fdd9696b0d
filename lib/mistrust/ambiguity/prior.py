"""The prior of the latent space: two unit normal laws, one per class, six standard deviations apart."""

import torch
from jaxtyping import Float
from torch import Tensor

# Latent axes 0, 2, ... separate the classes, the others do not (the reference repeats (-3, 0) and (3, 0)).
CENTRE = 3.0


def means(latent: int) -> Float[Tensor, "2 latent"]:
    """Give the means of p(z | first class) and p(z | second class), float64 (paper, section V-B1).

    Both laws have the identity as covariance. Two dimensions give (-3, 0) and (3, 0), more repeat these numbers.
    """
    first = torch.zeros(latent, dtype=torch.float64)
    first[::2] = -CENTRE
    return torch.stack((first, -first))
