"""Claims of the abstract and sections 3.1, 4 and 5 on targeted perturbations and their matrices."""

from dataclasses import replace

import numpy as np
import pandas as pd

from mistrust.publishing.claim_tests.robustness.reading import (
    ACCURACY,
    ALL,
    CHAPTER,
    DATA,
    DISTANCE,
    IMPERCEPTIBLE,
    MEANS,
    VARIANTS,
    by_family,
    by_network,
    family,
    level,
    refuting,
    single,
)
from mistrust.publishing.estimates import NotRun, Reader, between_models
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, greater, in_each

# "Required" allows a tenth more than another search needs.
TENTH = 1.1
# "A few" lines that fail: less than one pair in twenty.
FEW = 0.05
EXCHANGES = 199
UPPER = "both searches give upper bounds, so that what is required may be less"


@claim_test("urem-targeted-imperceptible", CHAPTER)
def targeted_imperceptible(rows: Reader) -> Verdict:
    """Mean of the largest difference of a pixel, between families; Table 1 has 1.6 to 3.6."""
    found = level(by_family(by_network(rows, **DISTANCE)), 0.0, 255.0)
    return below(found, IMPERCEPTIBLE, f"targeted distance in grey levels{MEANS}")


@claim_test("urem-changes-structure", CHAPTER)
def changes_structure(rows: Reader) -> Verdict:
    """Correlation of neighbouring pixels' changes, mean over the targets of one image, in each network, by counting.

    Noise is below 95 % of what is found where the changes are exchanged between pixels of about the same grey level.
    Seen in one image, whose changes to all classes are kept as pictures.
    """
    what = "pictures of what one image was changed to, by network"
    found = rows.find(data=DATA, table="bubble", method="adam")
    if found.empty:
        raise NotRun(what)
    # Here, for the library loads torch.
    from mistrust.figures.robustness import words
    from mistrust.pictures import unpack
    from mistrust.robustness.rereading import exchanged, neighbour_correlation

    means: dict[str, float] = {}
    noise: dict[str, float] = {}
    for name, own in found.groupby("network"):
        source = own[own["metric"] == "source"]["note"]
        reached = own[(own["metric"] == "success") & (own["value"] == 1)]["note"]
        if len(source) and len(reached):
            image = unpack(source.iloc[0]).astype(float)
            changes = [unpack(one) - image for one in reached]
            means[str(name)] = float(np.mean([neighbour_correlation(one) for one in changes]))
            drawn = [exchanged(image, one, EXCHANGES, seed) for seed, one in enumerate(changes)]
            noise[str(name)] = float(np.quantile(np.mean(drawn, axis=0), 0.95))
    if not means:
        raise NotRun(what)
    both = pd.DataFrame({"found": means, "noise": noise})
    like_noise = in_each(both["found"] <= both["noise"], "networks", "they are like noise", "they go together")
    told = "; ".join(
        f"{words(str(name))} {one.found:.2f}, with changes exchanged between pixels of like grey {one.noise:.2f}"
        for name, one in both.iterrows()
    )
    return replace(like_noise, evidence=f"correlation of neighbours' changes: {told}: {like_noise.evidence}")


@claim_test("urem-change-required", CHAPTER)
def change_required(rows: Reader) -> Verdict:
    """Adam's L-infinity over that of a search made for it, of the same images, by family; only ever refuted."""
    adam, tight = (by_network(rows, **{**DISTANCE, "method": method}) for method in ("adam beside tight", "tight"))
    ratio = (adam / tight).dropna()
    if ratio.empty:
        raise NotRun("targeted distance by both searches, of one network")
    text = "targeted distance by Adam over that by the tight search"
    return refuting(below(level(by_family(ratio), 0.0, float("inf")), TENTH, f"{text}{MEANS}"), UPPER)


@claim_test("urem-inception-over-vgg", CHAPTER)
def inception_over_vgg(rows: Reader) -> Verdict:
    """Means over the networks of a family, by seed."""
    text = "targeted distance in grey levels, Inception style minus VGG style"
    return greater(family(rows, "inception", **DISTANCE), family(rows, "vgg", **DISTANCE), text)


@claim_test("urem-vgg-below-alexnet", CHAPTER)
def vgg_below_alexnet(rows: Reader) -> Verdict:
    """Less robust, and more accurate, by seed: only both together run against intuition."""
    parts = []
    for more, less, where, what in (
        ("alexnet", "vgg", DISTANCE, "targeted distance in grey levels, AlexNet style minus VGG style"),
        ("vgg", "alexnet", ACCURACY, "accuracy, VGG style minus AlexNet style"),
    ):
        parts.append(greater(family(rows, more, **where), family(rows, less, **where), what))
    return every(parts)


@claim_test("urem-class-lines", CHAPTER)
def class_lines(rows: Reader) -> Verdict:
    """The class explains more of the variance than the image within it, be it the source's or the target's.

    The paper has one image a class, so that a line of its matrices may be the image's as well as the class's; and it
    does not tell which class has the lines. Where source and target decide otherwise, nothing is decided.
    """
    what = "shares of variance of source class, target class and image, by network"
    sides = ["source", "target"]
    found = single(rows, what, table="variance", metric="share", condition=ALL, at=[*sides, "image"])
    wide = found.groupby(["network", "at"])["value"].mean().unstack().reindex(columns=[*sides, "image"]).dropna()
    if wide.empty:
        raise NotRun(what)
    each = []
    for side in sides:
        gap = level(by_family(wide[side] - wide["image"]), -1.0, 1.0)
        each.append(above(gap, 0.0, f"share of variance, {side} class minus image within its class{MEANS}"))
    ways = {one.verdict for one in each}
    told = "; ".join(f"if lines are {side}s: {one.evidence}" for side, one in zip(sides, each, strict=True))
    largest = max((one.p for one in each if one.p is not None), default=None)
    return Verdict(ways.pop() if len(ways) == 1 else "undecided", told, largest)


@claim_test("urem-targets-fail", CHAPTER)
def targets_fail(rows: Reader) -> Verdict:
    """Some pairs fail in every network, by counting, and few on average; whatever networks were trained on."""
    what = "share of pairs of which the target is reached, by network"
    found = single(rows, what, **{**DISTANCE, "metric": "success"}, condition=[ALL, *VARIANTS])
    failed = 1 - found.groupby("network")["value"].mean()
    return every([
        in_each(failed > 0, "networks", "some target is not reached", "every target is reached"),
        below(level(by_family(failed), 0.0, 1.0, scale="arcsine"), FEW, f"share of targets not reached{MEANS}"),
    ])  # fmt: skip


@claim_test("urem-failures-one-off", CHAPTER)
def failures_one_off(rows: Reader) -> Verdict:
    """More than half of a network's failures lie in one line of its matrix, a source or a target, by network.

    A network has a matrix for each variant of its training; the line is one of the sum of them.
    Where no network has a failure, there is nothing that could lie anywhere: measured, and open.
    """
    found = single(rows, "success by pair of classes", table="matrix", metric="success", condition=[ALL, *VARIANTS])
    found = found.assign(failed=1 - found["value"])
    found[["source", "target"]] = found["at"].str.split(">", expand=True).to_numpy()
    shares = {}
    for name, cells in found.groupby("network"):
        whole = cells["failed"].sum()
        lines = pd.concat([cells.groupby(side)["failed"].sum() for side in ("source", "target")])
        if whole > 0:
            shares[name] = float(lines.max() / whole)
    if not shares:
        n = found["network"].nunique()
        return Verdict("undecided", f"in {n} of {n} networks every target is reached: no failure lies in any class")
    return above(between_models(list(shares.values()), scale="arcsine"), 0.5, "share of failures in one line")
