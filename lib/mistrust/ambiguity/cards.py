"""The data card of a released set: what it is, how it was made, who may use it, how to read it, what it is not.

A README.md in the form that Hugging Face reads: a head in YAML, then prose. Every number in it is computed from the
set itself.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import yaml

import mistrust
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.formats import FORMATS, Parts
from mistrust.ambiguity.origin import Origin
from mistrust.data import parquet
from mistrust.store.specs import leaves, plain

WEISS = (
    "Weiss, Gómez and Tonella, Generating and detecting true ambiguity: a forgotten danger in DNN supervision testing, "
    "Empirical Software Engineering, 2023, doi 10.1007/s10664-023-10393-w"
)
# As Hugging Face sorts sets by size: below this many images, this word.
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


METHODS = {
    "AmbiGuess": (
        ", by AmbiGuess: regularized adversarial autoencoders of two classes each; points between the two clusters of "
        "their latent space are decoded, and their discriminators say how probable either class is. `decoder` counts "
        "the autoencoders, and made.json gives classes and seed of each"
    ),
    "mixing": ", by mixing: each image is a weighted mean of the pixels of two images, `latent` the first one's weight",
    "midpoint": (
        ", by a plain variational autoencoder of all classes: a point between the latent points of two images is "
        "decoded; `latent` is the first one's weight"
    ),
}


def card(parts: Parts, origin: Origin, formats: tuple[str, ...]) -> str:
    """Write the card.

    Parameters
    ----------
    parts : the train and the test set.
    origin : what they are made of.
    formats : the names of those that are written beside the card.
    """
    title = f"Ambiguous {origin.name}"
    sections = [
        f"---\n{yaml.safe_dump(_head(parts, origin, formats, title), sort_keys=False, allow_unicode=True)}---",
        f"# {title}",
        _what(parts, origin),
        "## Numbers\n\n" + _numbers(parts),
        "## Files\n\n" + _files(parts, formats),
        "## Reading them\n\n" + _use(parts, formats),
        "## How it was made\n\n" + _made(parts, origin),
        "## Limits\n\n" + LIMITS,
        "## Licence\n\n" + _licence(origin),
        "## Cite\n\n" + "\n".join(f"- {one}" for one in (WEISS, origin.cite) if one),
    ]
    return "\n\n".join(sections) + "\n"


LIMITS = """- The probabilities are the generator's own: what its discriminator says of a latent point, not people's.
- Only two classes share an image, by construction; every other one has probability 0, also where a third can be seen.
- Some images are odd rather than ambiguous, above all for pairs of classes that have no natural between.
- `label` is one draw from the probabilities. Accuracy against it is bounded by the ceiling above; compare with `soft`
  labels (Brier score, divergence) where that bound matters.
- Images of one decoder resemble each other: count the decoders, too, when you ask how much evidence a result has."""


def made(parts: Parts, origin: Origin, formats: tuple[str, ...]) -> str:
    """Write all options of both parts as JSON: what another run needs to make the same set."""
    about = {
        "mistrust": mistrust.__version__,
        "origin": plain(origin),
        "formats": list(formats),
        "parts": {
            split: {"images": len(one), "seed": one.seed, "made_by": plain(one.made_by)} for split, one in parts.items()
        },
    }
    return json.dumps(about, indent=1, sort_keys=True) + "\n"


def _head(parts: Parts, origin: Origin, formats: tuple[str, ...], title: str) -> dict[str, Any]:
    total = sum(len(one) for one in parts.values())
    head: dict[str, Any] = {"pretty_name": title, "license": origin.identifier}
    if origin.identifier == "other":
        head["license_name"] = origin.terms
    head |= {
        "task_categories": ["image-classification"],
        "tags": ["ambiguity", "aleatoric-uncertainty", "probabilistic-labels"],
        "size_categories": [next((word for most, word in SIZES if total < most), "1M<n<10M")],
    }
    if "parquet" in formats:  # without it `load_dataset` has nothing to read, and should say so itself
        files = [{"split": split, "path": parquet.PARTS[split]} for split in parts]
        head["configs"] = [{"config_name": "default", "data_files": files}]
    return head


def _what(parts: Parts, origin: Origin) -> str:
    one = next(iter(parts.values()))
    channels, height, width = one.images.shape[1:]
    kind = "grey" if channels == 1 else "colour"
    counts = " and ".join(f"{len(part):,} {split} images" for split, part in parts.items())
    return (
        f"{counts} ({height}x{width}, {kind}), each made to be truly ambiguous between two classes of "
        f"{origin.name} ({origin.title}), with the probability of either."
    )


def _numbers(parts: Parts) -> str:
    lines = [
        "| | " + " | ".join(parts) + " |",
        "| --- |" + " --- |" * len(parts),
    ]
    for what, measure in MEASURES.items():
        lines.append(f"| {what} | " + " | ".join(measure(one) for one in parts.values()) + " |")
    if len(parts) == 2:
        train, test = parts.values()
        lines.append(f"| test images that are also train images, bit by bit | | {copies(test, train):,} |")
    one = next(iter(parts.values()))
    pairs = ["| pair of classes | " + " | ".join(parts) + " |", "| --- |" + " --- |" * len(parts)]
    counts = [_by_pair(part) for part in parts.values()]
    for first, second in sorted(set().union(*counts)):
        name = f"{one.classes[first]} / {one.classes[second]}"
        pairs.append(f"| {name} | " + " | ".join(f"{count.get((first, second), 0):,}" for count in counts) + " |")
    return "\n".join(lines) + "\n\nImages of each pair:\n\n" + "\n".join(pairs)


def copies(one: AmbiguousSet, other: AmbiguousSet) -> int:
    """Count the images of one set that the other holds, too, bit by bit."""
    rows = []
    for images in (one.images, other.images):
        flat = np.ascontiguousarray(images.numpy().reshape(len(images), -1))
        rows.append(flat.view(np.dtype((np.void, flat.shape[1])))[:, 0])  # a row as one value that can be sorted
    return int(np.isin(rows[0], rows[1]).sum())


def _by_pair(one: AmbiguousSet) -> dict[tuple[int, int], int]:
    found, counts = one.pairs.unique(dim=0, return_counts=True)
    return {(int(a), int(b)): int(n) for (a, b), n in zip(found.tolist(), counts.tolist(), strict=True)}


def _entropy(one: AmbiguousSet) -> float:
    p = one.probabilities
    return float(-torch.special.xlogy(p, p).sum(1).mean() / torch.log(torch.tensor(2.0, dtype=torch.float64)))


MEASURES: dict[str, Callable[[AmbiguousSet], str]] = {
    "images": lambda one: f"{len(one):,}",
    "pairs of classes": lambda one: f"{len(_by_pair(one)):,}",
    "decoders": lambda one: f"{len(one.decoder.unique()):,}",
    "mean difference of the two probabilities": lambda one: f"{float(one.probabilities.diff(dim=1).abs().mean()):.3f}",
    "mean entropy of the probabilities (bits)": lambda one: f"{_entropy(one):.3f}",
    "best possible top-1 accuracy against `label`": lambda one: f"{float(one.probabilities.amax(1).mean()):.3f}",
}


def _files(parts: Parts, formats: tuple[str, ...]) -> str:
    rows = [(path, what) for name in formats for path, what in FORMATS[name].files(parts).items()]
    rows.append(("made.json", "every option of the run that made this, with the pair and the seed of each decoder"))
    return "| file | holds |\n| --- | --- |\n" + "\n".join(f"| `{path}` | {what} |" for path, what in rows)


def _use(parts: Parts, formats: tuple[str, ...]) -> str:
    return "\n\n".join(f"{FORMATS[name].title}:\n\n```python\n{FORMATS[name].use(parts)}\n```" for name in formats)


def _made(parts: Parts, origin: Origin) -> str:
    method = str(next(iter(parts.values())).made_by.get("method", ""))
    rows: dict[str, dict[str, str]] = {}
    for split, one in parts.items():
        options = {name: value for name, value in plain(one.made_by).items() if name != "decoders"}
        for name, value in {**leaves(options), "seed": str(one.seed)}.items():
            rows.setdefault(name, {})[split] = value
    lines = [f"| {name} | " + " | ".join(each.get(s, "") for s in parts) + " |" for name, each in rows.items()]
    head = "| option | " + " | ".join(parts) + " |\n| --- |" + " --- |" * len(parts)
    return (
        f"By mistrust {mistrust.__version__}{METHODS.get(method, '')}. Learnt from {origin.name}; every option:"
        f"\n\n{head}\n" + "\n".join(lines)
    )


def _licence(origin: Origin) -> str:
    if origin.identifier == "unknown":
        return f"{origin.name}: {origin.terms}. What is made of these images is bound by the same."
    return f"{origin.terms}, as {origin.name}, of whose images this set is made."
