"""What the claims of the robustness chapter share: the tables that they read, and how.

The tables, which the experiment writes: columns of `mistrust.rows`, chapter "robustness"; `network` is the architecture
(one of a family is called by layers and width, "resnet8-w16", as torchvision's and others' never are), `seed` the
training seed, empty in a mean over seeds; `condition` the training variant: "all", "half" (of the samples of each
class), "fraction" (of the classes); "random weights" marks trials of the code, which no claim reads.

==========  ===================================================  =======================================================
table       where                                                metric
==========  ===================================================  =======================================================
networks                                                         accuracy, parameters, depth; of ImageNet's networks
                                                                 top-5 error
random      method = noise variant: "fixed-clipped",             mean (of the broken), capped mean, median (Kaplan and
            "fresh-clipped", "fixed-unclipped",                  Meier), unbroken (share), new probability, effective,
            "fresh-unclipped"                                    sigma50, sigma50 unreached (share), passes, re-entry
                                                                 (share of audited that mismatch)
survival    method = noise variant; level = sigma                surviving (share of images and noise seeds)
targeted    method = "adam" or "tight"; "adam beside tight" on   linf, l2, steps, success
            the images of "tight", which are fewer; level =
            learning rate where it varies, else empty
known       of first networks trained on all: images, and        accuracy, capped mean, unbroken, linf, success
            targets, of the classes alone that the variant
            "fraction" knows; method as in the tables above
matrix      at = "4>9" (source>target); condition = "all", or    linf (first networks of the families), success
            a variant of the families' first networks
variance    at = source, target, source x target, image, rest    share
            (with seed for image, method "cells": split of the
            cells of the matrices of several seeds; no seed)
layers      at = layer; level = its place, 0 (input) to 1        median, broken (share), new probability
            (logits); method = "elementwise" or "channel"
relations   method = what with what (`PAIRS`), and what is       spearman; with the family held fixed also low and
            held fixed (`FIXED`), over networks of `DATA`; no    high over networks (over = "models", where there are
            network, no seed                                     enough), else the value alone
regions     at = class; method "" with level 0.0, the margin;    bubbles, samples, bubbles by straight lines; by network
            method "relative": level = share, 0 to 1.2, of the   and class once, method "" without level: median margin;
            samples' median margin                               of the class's test images: accuracy, capped mean
                                                                 (of breaking sigmas)
regions     no network, no at; method "relative", level 1.0      spearman with accuracy, spearman with breaking noise:
                                                                 of bubbles, over classes, networks held fixed
edges       at = class                                           checked; grid wrong, grid wrong at 0, bent (shares)
looks       method = "margin", "linear estimate", "ddn"; also    spearman with random, spearman with targeted, mean
            "adam" of nearest l2                                 (over images, of every network), nearest l2
pair        one image of each family's first network: at =       source (the image's id, its picture in `note`), sigma
            class, then the one answered; method = variant       (of the noise, with the noisy picture)
bubble      one image (condition "image"): at = class;           source (the image's id, its picture in `note`), success
            method = "adam" or "tight"                           (picture of what was reached), linf, probability
==========  ===================================================  =======================================================

In relations "bubbles" is the number of bubbles a class at half of the median margin (method "relative", level
0.5), mean over classes, of the few networks whose regions were traced: at margin 0 a class may be one bubble in all of
them. Claims on bubbles themselves read method "", the region of what is classified as the class.

A median that is not reached has no row; the layer's "broken" row says that it was measured. Sigmas and L-infinity are
in grey levels of 0 to 255. Claims read `DATA`, on which there are several networks of each family; Table 1's networks
are rows of `IMAGENET`, by torchvision's names.

How they are judged: between training seeds where one network or family is set against another, between families (means
over their networks and seeds) where all networks are meant; on regions by counting networks (`regions`). A search for
paths gives an upper bound on the number of bubbles, a search for perturbations an upper bound on the distance: such a
number may refute what is said and never confirms it.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from mistrust.errors import MistrustError
from mistrust.publishing.estimates import BETWEEN, Estimate, NotRun, Reader, between_models
from mistrust.publishing.verdicts import Verdict
from mistrust.robustness.relation_names import together

CHAPTER = "robustness"
DATA = "fmnist"
IMAGENET = ("imagenet", "imagenet_sample")
# How the names of a family's networks begin; layers and width follow.
FAMILIES = {
    "alexnet": "AlexNet style", "vgg": "VGG style", "resnet": "ResNet style", "inception": "Inception style",
}  # fmt: skip
# The paper's networks by torchvision's names, and as a reader calls them.
NETWORKS = {"alexnet": "AlexNet", "vgg16": "VGG16", "resnet152": "ResNet152", "inception_v3": "InceptionV3"}
ALL, HALF, FRACTION = "all", "half", "fraction"
VARIANTS = {HALF: "half of the samples", FRACTION: "a fraction of the classes"}
# The two measures: breaking noise as it is right, unbroken images counted at the cap; the paper's search by Adam.
SIGMA: Mapping[str, object] = {"table": "random", "method": "fixed-clipped", "metric": "capped mean"}
DISTANCE: Mapping[str, object] = {"table": "targeted", "method": "adam", "metric": "linf", "level": math.nan}
ACCURACY: Mapping[str, object] = {"table": "networks", "metric": "accuracy"}
TITLES = {"random": "breaking sigma in grey levels", "targeted": "targeted distance in grey levels",
          "networks": "accuracy"}  # fmt: skip
# Relations that claims read, as they are told.
PAIRS = {
    "depth ~ accuracy": "depth with accuracy",
    "depth ~ random": "depth with breaking sigma",
    "depth ~ targeted": "depth with targeted distance",
    "parameters ~ accuracy": "number of parameters with accuracy",
    "parameters ~ random": "number of parameters with breaking sigma",
    "parameters ~ targeted": "number of parameters with targeted distance",
    "accuracy ~ random": "accuracy with breaking sigma",
    "accuracy ~ targeted": "accuracy with targeted distance",
    "bubbles ~ accuracy": "number of bubbles with accuracy",
    "bubbles ~ random": "number of bubbles with breaking sigma",
}
FIXED = {
    "family": "family",
    "accuracy, family": "accuracy and family",
    "parameters, family": "number of parameters and family",
    "depth, family": "depth and family",
}
MEANS = ", mean over families"
# A largest change of 8 of 255 grey levels is the usual bound of what nobody is to notice (Madry et al., "Towards Deep
# Learning Models Resistant to Adversarial Attacks", ICLR 2018, CIFAR-10).
IMPERCEPTIBLE = 8.0


def single(rows: Reader, what: str, **where: object) -> pd.DataFrame:
    """Rows of single networks (`seed` there) on `DATA`; `what` they hold, for readers, where there are none."""
    found = rows.find(data=DATA, **where)
    found = found[found["seed"].notna()]
    if found.empty:
        raise NotRun(what)
    columns = ["network", "seed", "method", "condition", "level", "at", "metric"]
    if found.duplicated(columns).any():
        raise MistrustError(f"Several rows of one network where one was expected: {what}.")
    return found


def by_network(rows: Reader, **where: object) -> "pd.Series[float]":
    """One value per network, the mean over its seeds; trained on all samples of all classes."""
    found = single(rows, f"{_told(where)}, by network", condition=ALL, **where)
    return found.groupby("network")["value"].mean()


def family(rows: Reader, name: str, **where: object) -> "pd.Series[float]":
    """One value a training seed, the mean over the family's networks; seeds that all of them have.

    Parameters
    ----------
    name : an entry of `FAMILIES`.
    """
    listed = sorted({one for one in rows.frame["network"].unique() if of_family(one, name)})
    what = f"{_told(where)}, {FAMILIES[name]}, by seed"
    found = single(rows, what, condition=ALL, network=listed, **where)
    by_seed = found.pivot(index="seed", columns="network", values="value").mean(axis=1, skipna=False).dropna()
    if by_seed.empty:
        raise NotRun(what)
    return by_seed


def of_family(network: str, name: str) -> bool:
    """Whether a network is of a family; "resnet20", "alexnet", "vgg16" are of none, other networks by other recipes."""
    return re.fullmatch(rf"{name}\d+-w\d+", network) is not None


def relation(rows: Reader, name: str) -> Estimate:
    """Rank correlation over networks with its interval; one that is not over networks decides nothing."""
    found = rows.find(table="relations", data=DATA, method=name, metric="spearman")
    if found.empty:
        raise NotRun(told_relation(name))
    if len(found) > 1:
        raise MistrustError(f"Several rows of the relation '{name}' where one was expected.")
    value, low, high = (float(found.iloc[0][column]) for column in ("value", "low", "high"))
    known = found.iloc[0]["over"] in BETWEEN and not (math.isnan(low) or math.isnan(high))
    ends = (low, high) if known else (-math.inf, math.inf)
    return Estimate(value, *ends, least=-1.0, most=1.0)


def told_relation(name: str) -> str:
    """A relation, for readers: "rank correlation of depth with accuracy, family held fixed"."""
    both, _, fixed = name.partition(" | ")
    return f"rank correlation of {PAIRS[both]}" + (f", {FIXED[fixed]} held fixed" if fixed else "")


def all_families(rows: Reader, name: str) -> str:
    """What a relation is over all networks, the family not held fixed, for readers."""
    found = rows.find(table="relations", data=DATA, method=together(name), metric="spearman")
    if found.empty:
        raise NotRun(f"{told_relation(name)}: over all families together")
    return f"{found.iloc[0]['value']:.2f} over all families together"


def by_family(found: "pd.Series[float]") -> "pd.Series[float]":
    """The mean of each family, of one value per network: networks of one family are not as many independent draws.

    A network of none of `FAMILIES` stands for itself.
    """
    of = [next((name for name in FAMILIES if of_family(str(one), name)), str(one)) for one in found.index]
    return found.groupby(of).mean()


def level(found: "pd.Series[float]", least: float, most: float, scale: str = "identity") -> Estimate:
    """The mean over networks or seeds with its interval, written within the range that such values have."""
    return replace(between_models(found.to_list(), scale=scale), least=least, most=most)


def refuting(verdict: Verdict, why: str) -> Verdict:
    """The same where it refutes; what would hold stays open, for `why`."""
    if verdict.verdict != "holds":
        return verdict
    return replace(verdict, verdict="undecided", evidence=f"{verdict.evidence}; {why}")


def called(network: str) -> str:
    """A network, for readers: "InceptionV3" of "inception_v3"."""
    return NETWORKS.get(network, network.replace("_", " "))


def _told(where: Mapping[str, object]) -> str:
    if where["metric"] == "success":
        return "share of targets that are reached"
    return TITLES[str(where["table"])]
