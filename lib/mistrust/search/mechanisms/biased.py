"""Biased training: the darkest cats are missing from what the network learns from, not from what it meets."""

from dataclasses import replace

import torch

from mistrust.data import ImageSet, load
from mistrust.search.mechanisms.brightness import brightness, darkest
from mistrust.search.mechanisms.parts import Parts, Sizes, drawn, halved, joined
from mistrust.search.mechanisms.table import MECHANISMS, Mechanism, recipe_of

NAME = "cats_dogs"
CAT = "cat"


def whole() -> ImageSet:
    """All cats and dogs, at 32x32."""
    small = f"{NAME}-32"
    return joined(small, [halved(load(NAME, split), small) for split in ("train", "test")])


def biased(images: ImageSet, level: float, dose: str, seed: int, sizes: Sizes) -> Parts:
    """Without the darkest share `level` of the cats in training and validation; the test images are as they come.

    The cats that are removed are in no part: there are fewer cats than dogs to learn from, as in the paper.
    """
    known, test = drawn(images, seed, (sizes.train + sizes.validation, sizes.test))
    dark = darkest(known, known.classes.index(CAT), level)
    kept = torch.ones(len(known), dtype=torch.bool)
    kept[dark] = False
    # Training and validation are drawn before the cats go, so that a dose takes images away and exchanges none.
    mask = torch.isin(known.ids, drawn(known, seed, (sizes.train,))[0].ids)
    notes = {"removed": float(len(dark))}
    if len(dark):
        limit = float(brightness(known.take(dark)).max())
        cats = test.take(test.labels == test.classes.index(CAT))
        notes |= {"brightest removed": limit, "share of test cats as dark": _share(brightness(cats) <= limit)}
    return Parts(known.take(kept & mask), known.take(kept & ~mask), test, notes)


def _share(mask: torch.Tensor) -> float:
    return float(mask.double().mean())


MECHANISMS.add(
    "biased_training",
    Mechanism(
        "Biased training", "section V (Kaggle13: black cats removed); cats_dogs, pictures of the same collection",
        "Cats and dogs at 32x32; 0, 12 or 25 % of the cats, the darkest, missing from training and validation.",
        {"0": 0.0, "12": 0.12, "25": 0.25},
        whole, biased,
        Sizes(4_000, 1_000, 6_000),
        "sdr-cnn-small",
        replace(recipe_of("sdr-cnn-small"), epochs=12),
        ((NAME, "train"), (NAME, "test")),
    ),
)  # fmt: skip
