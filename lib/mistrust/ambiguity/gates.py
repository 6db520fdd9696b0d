"""The two gates that an autoencoder must pass before it may make images, and what they read.

Paper, section V.C: the discriminator must not tell encoded images from the prior (its accuracy is between 0.4 and
0.6), and must give the right class of a nominal image the higher probability (accuracy of 0.9 and more). The authors'
code measures the first as a running mean since the start of training, with dropout on and 0.5 as the threshold of
logits, and the second on images scaled to 0..255; by default both are measured at the end, in evaluation mode, on
scaled images, at logit 0.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool
from torch import Tensor

from mistrust import random
from mistrust.ambiguity import prior
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.batches import Feed
from mistrust.ambiguity.stacked import Design, Weights, affine, after_first, network, told
from mistrust.errors import MistrustError

if TYPE_CHECKING:
    import pandas as pd

# How to do what messages advise, by the command and by a chapter's parameters.
WAYS = "`mistrust ambiguous make` takes --seed, --tries, --epochs and --leave-out, a chapter -p tries=9 -p epochs=90."
DISCRIMINATION, LABELLING = (0.4, 0.6), 0.9
MEASURES = ("error", "discrimination", "labelling", "labelling_published")


@torch.no_grad()
def measure(weights: Weights, design: Design, feed: Feed) -> dict[str, Tensor]:
    """What the gates read of G members, on their own training images, each (G,) float64.

    Returns
    -------
    error : mean squared error of a reconstructed pixel.
    discrimination : accuracy of the discriminator on as many prior samples (half of each class) as encoded images,
        logits above 0 counting as "from the prior".
    labelling : share of images whose own class has the higher logit.
    labelling_published : the same as coded, where the encoder is given 255 times the image.
    """
    members = feed.members
    pairs = torch.tensor([(member.first, member.second) for member in members], device=feed.device)
    sums = {name: torch.zeros(len(members), dtype=torch.float64, device=feed.device) for name in MEASURES}
    for step, (x, second, there) in enumerate(feed.blocks()):
        k, b = there.shape
        ours = {name: values[:k] for name, values in weights.items()}
        first = affine(ours, "encoder.0", x)
        z = after_first(ours, "encoder", first, design.slope)
        made = network(ours, "decoder", z, design.slope).sigmoid_()
        sums["error"][:k] += (((made - x) ** 2).mean(2).double() * there).sum(1)
        own = second.unsqueeze(2)
        logits = told(ours, design, z, pairs[:k])
        right = {"labelling": logits.gather(2, own) > logits.gather(2, 1 - own)}
        bias = ours["encoder.0.bias"].unsqueeze(1)  # the first layer's answer to 255 x, without asking it again
        raw = told(ours, design, after_first(ours, "encoder", (first - bias) * 255 + bias, design.slope), pairs[:k])
        right["labelling_published"] = raw.gather(2, own) > raw.gather(2, 1 - own)
        right["discrimination"] = logits.gather(2, own) <= 0
        # As many prior samples as images, keyed by their place: the same whoever else is measured.
        places = torch.arange(step * feed.size, step * feed.size + b)
        real = torch.stack([random.normal(m.seed, f"{m.name}/gate", places, (design.latent,)) for m in members[:k]])
        classes = (places % 2).to(feed.device)
        real = real.to(x) + prior.means(design.latent).to(x)[classes]
        chosen = told(ours, design, real, pairs[:k]).gather(2, classes[None, :, None].expand(k, -1, 1))
        sums["discrimination"][:k] += ((chosen > 0).squeeze(2) & there).sum(1)
        for name, hits in right.items():
            sums[name][:k] += (hits.squeeze(2) & there).sum(1)
    counts = torch.tensor(feed.counts, dtype=torch.float64, device=feed.device)
    sums["discrimination"] /= 2
    return {name: total / counts for name, total in sums.items()}


def accepted(autoencoders: Autoencoders, *, as_published: bool = False) -> Bool[Tensor, " g"]:
    """Tell which members pass both gates; one that is not finite, or has collapsed, passes neither.

    Parameters
    ----------
    as_published : use the values as the authors' code takes them.

    Examples
    --------
    Five epochs are far too few, and the gates say so:

    >>> from mistrust.data import load
    >>> made = trained(load("digits", "train"), [Member(4, 9)], training=Training(epochs=5, batch=64))
    >>> accepted(made)
    tensor([False])
    """
    report, ending = autoencoders.report, "_published" if as_published else ""
    low, high = DISCRIMINATION
    share = report[f"discrimination{ending}"]
    passed = (share > low) & (share < high) & (report[f"labelling{ending}"] >= LABELLING)
    passed &= report["finite"] & ~report["collapsed"]
    return torch.tensor(passed.to_numpy(dtype=bool))


def by_pair(autoencoders: Autoencoders, *, as_published: bool = False) -> "pd.DataFrame":
    """Count members and survivors of each pair: columns first, second, members, survivors, share; one row per pair.

    Examples
    --------
    >>> from mistrust.data import load
    >>> two = [Member(4, 9, seed=0), Member(4, 9, seed=1)]
    >>> made = trained(load("digits", "train"), two, training=Training(epochs=3, batch=64))
    >>> by_pair(made)[["first", "second", "members", "survivors"]].values.tolist()  # three epochs are far too few
    [[4, 9, 2, 0]]
    """
    import pandas as pd

    frame = autoencoders.report[["first", "second"]].copy()
    frame["passed"] = accepted(autoencoders, as_published=as_published).numpy()
    found = frame.groupby(["first", "second"], sort=False)["passed"].agg(["size", "sum"]).reset_index()
    found.columns = pd.Index(["first", "second", "members", "survivors"])
    return found.assign(share=found["survivors"] / found["members"])


def require(autoencoders: Autoencoders, *, as_published: bool = False) -> Autoencoders:
    """Give the members that passed.

    Raises
    ------
    MistrustError
        A pair of which none passed: names every such pair with its best values, and says how to try again.

    Examples
    --------
    >>> from mistrust.data import load
    >>> made = trained(load("digits", "train"), [Member(4, 9)], training=Training(epochs=5, batch=64))
    >>> require(made)
    Traceback (most recent call last):
    mistrust.errors.MistrustError: No autoencoder passed the gates for 1 of 1 pairs: 4/9 (1 tried, ...
    """
    kept = accepted(autoencoders, as_published=as_published)
    table = by_pair(autoencoders, as_published=as_published)
    lost = table.loc[table["survivors"] == 0, ["first", "second"]].to_numpy().tolist()
    if not lost:
        return autoencoders.take(kept)
    said = "; ".join(_why(autoencoders, pair, "_published" if as_published else "") for pair in lost)
    retry = max(member.seed for member in autoencoders.members) + 1
    raise MistrustError(
        f"No autoencoder passed the gates for {len(lost)} of {len(table)} pairs: {said}. Expected discrimination "
        f"between {DISCRIMINATION[0]} and {DISCRIMINATION[1]} and labelling of at least {LABELLING}. Train further "
        f"members of these pairs with other seeds (from {retry} on), train longer, or leave these pairs out. "
        f"{WAYS}"
    )


def _why(autoencoders: Autoencoders, pair: Sequence[int], ending: str) -> str:
    report = autoencoders.report
    own = report[(report["first"] == pair[0]) & (report["second"] == pair[1])]
    names = "/".join(autoencoders.classes[one] for one in pair)
    counts = {"not finite": int((~own["finite"]).sum()), "collapsed": int(own["collapsed"].sum())}
    also = "".join(f", {count} {what}" for what, count in counts.items() if count)
    nearest = own.loc[(own[f"discrimination{ending}"] - 0.5).abs().fillna(1.0).idxmin()]
    values = f"discrimination {nearest[f'discrimination{ending}']:.3f}, labelling {nearest[f'labelling{ending}']:.3f}"
    return f"{names} ({len(own)} tried, the nearest with {values}{also})"
