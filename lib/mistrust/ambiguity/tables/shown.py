"""Tables "plane", "interpolation" and "vae-plane": pictures with their probabilities, carried in rows."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from mistrust.ambiguity import labels, prior
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import to_bytes
from mistrust.ambiguity.pairs import title
from mistrust.ambiguity.plain_vae import PlainVae
from mistrust.ambiguity.tables import Row, point
from mistrust.pictures import pack

# Points an axis. The plane shows all between and around the two clusters, the plain one three standard deviations.
ACROSS, DOWN, STEPS, FIELD = 21, 13, 13, 15
OUT = (0.0, 2.0, 3.0, 5.0)  # standard deviations of the prior
Judge = Callable[[UInt8[Tensor, "n c h w"]], Float[Tensor, "n k"]]


def plane(one: Autoencoders) -> list[Row]:
    """Images of one autoencoder over its latent plane, z0 across, z1 down."""
    z0, z1 = torch.linspace(-4, 4, ACROSS, dtype=torch.float64), torch.linspace(3, -3, DOWN, dtype=torch.float64)
    z = torch.stack([z0.repeat(DOWN), z1.repeat_interleave(ACROSS)], 1)
    return _decoded(one, z, "plane")


def reach(good: Autoencoders) -> list[Row]:
    """Table "reach": images on the border between the classes, where both are equally probable, ever farther out.

    The border is looked for on the line of each z1, between the clusters; where it does not run there, the place that
    comes nearest is shown.
    """
    found: list[Row] = []
    z0 = torch.linspace(-1, 1, 201, dtype=torch.float64)
    for g in range(len(good)):
        one = good.take([g])
        for far in OUT:
            line = torch.stack([z0, torch.full_like(z0, far)], 1)
            with torch.no_grad():
                gaps = labels.gap(labels.probabilities(one.logits(line[None])[0], line))
            here = line[int(gaps.argmin())][None]
            found += [{**row, "level": far} for row in _decoded(one, here, "reach")]
    return found


def interpolation(good: Autoencoders) -> list[Row]:
    """Images from one cluster's mean to the other's, for each autoencoder (the paper's Figure 4)."""
    first, second = prior.means(good.latent)
    steps = torch.linspace(0, 1, STEPS, dtype=torch.float64)[:, None]
    z = first + steps * (second - first)
    return [row for g in range(len(good)) for row in _decoded(good.take([g]), z, "interpolation", axes=1)]


def vae_plane(vae: PlainVae, shape: Sequence[int], classes: Sequence[str], judge: Judge) -> list[Row]:
    """Images of a plain autoencoder of all classes over its two latent dimensions (the paper's Figure 3).

    Parameters
    ----------
    vae : with two latent dimensions.
    shape : of an image: channels, height, width.
    judge : gives the probabilities of the classes.
    """
    axis = torch.linspace(-3, 3, FIELD)
    z = torch.stack([axis.repeat(FIELD), axis.flip(0).repeat_interleave(FIELD)], 1)
    with torch.no_grad():
        images = to_bytes(vae.decode(z)).view(-1, *shape)
    largest, which = judge(images).max(1)
    return [
        {
            "table": "vae-plane", "at": point(where), "condition": classes[c], "metric": "largest",
            "value": p, "note": pack(image),
        }
        for where, c, p, image in zip(z.tolist(), which.tolist(), largest.tolist(), images, strict=True)
    ]  # fmt: skip


def _decoded(one: Autoencoders, z: Float[Tensor, "n L"], table: str, axes: int = 2) -> list[Row]:
    with torch.no_grad():
        images = to_bytes(one.decode(z[None])[0]).view(-1, *one.shape)
        p = labels.probabilities(one.logits(z[None])[0], z)[:, 0]
    condition = title(one.classes, one.pairs[0])
    return [
        {
            "table": table, "condition": condition, "at": point(where[:axes]),
            "metric": "p first", "value": value, "note": pack(image),
        }
        for where, value, image in zip(z.tolist(), p.tolist(), images, strict=True)
    ]  # fmt: skip
