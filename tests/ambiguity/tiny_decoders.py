"""Decoders whose Jacobians and labels are known: linear, with or without a sigmoid behind."""

from dataclasses import dataclass, replace

import torch

from mistrust.ambiguity.members import Member

# Facts 11: W and b of the golden values.
W = torch.tensor([[1.0, 2], [3, 4], [5, 6]], dtype=torch.float64)
B = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)


@dataclass(frozen=True, eq=False)
class Linear:
    """Decoder g gives W_g z + b_g; its discriminator's logits are slope_g * (-z0, z0) + shift_g * (1, -1) - 2."""

    members: tuple[Member, ...]
    matrices: torch.Tensor  # (G, D, L)
    offsets: torch.Tensor  # (G, D)
    slopes: torch.Tensor  # (G,)
    shifts: torch.Tensor  # (G,)
    shape: tuple[int, int, int] = (1, 1, 3)
    classes: tuple[str, ...] = tuple("0123456789")
    squash: bool = False

    @property
    def latent(self):
        return self.matrices.shape[-1]

    def decode(self, z):
        x = z.to(self.matrices) @ self.matrices.transpose(1, 2) + self.offsets[:, None]
        return x.sigmoid() if self.squash else x

    def logits(self, z):
        leaning = self.shifts[:, None] - self.slopes[:, None] * z.to(self.matrices)[..., 0]
        return torch.stack((leaning, -leaning), dim=-1) - 2

    def take(self, index):
        index = list(index)
        chosen = {name: getattr(self, name)[index] for name in ("matrices", "offsets", "slopes", "shifts")}
        return replace(self, members=tuple(self.members[i] for i in index), **chosen)


def golden(squash=False):
    one = torch.ones(1, dtype=torch.float64)
    return Linear((Member(3, 8, 0),), W[None], B[None], 3 * one, 0 * one, squash=squash)


def some(members, pixels=(1, 2, 3), latent=2, seed=0, slopes=2.0):
    """As many decoders with sigmoids, all different."""
    draw, count = torch.Generator().manual_seed(seed), len(members)
    size = pixels[0] * pixels[1] * pixels[2]
    return Linear(
        tuple(Member(*one) for one in members),
        torch.randn((count, size, latent), generator=draw, dtype=torch.float64),
        torch.randn((count, size), generator=draw, dtype=torch.float64),
        torch.full((count,), slopes, dtype=torch.float64),
        torch.linspace(-0.5, 0.5, count, dtype=torch.float64),
        shape=pixels,
        squash=True,
    )
