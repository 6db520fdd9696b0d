"""Claims that the paper's printed numbers decide by themselves: Tables 1 and 2, what they leave out, and its code.

What is printed is no matter of chance: no interval, no p. The arithmetic stands in `mistrust.robustness.rereading`.
"""

from collections.abc import Collection
from itertools import pairwise

import pandas as pd

from mistrust.publishing.claim_tests.printed import decided, one
from mistrust.publishing.claim_tests.robustness.reading import ALL, CHAPTER, NETWORKS
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.published import PROFILE
from mistrust.publishing.verdicts import Verdict, claim_test

# "Proportional": the same for each layer, up to a half more.
PROPORTIONAL = 1.5
# An accuracy is the same within a percentage point.
POINT = 0.01
PLACES = ("caption", "text")


@claim_test("urem-percent-of-255", CHAPTER, printed=True)
def percent_of_255(rows: Reader) -> Verdict:
    """All eight, as far as the rounding of both numbers leaves it open."""
    for method, metric in (("random", "mean"), ("targeted", "linf")):
        for each in (metric, "percent"):
            numbers(rows, "table1", each, method=method)  # read, or not run
    from mistrust.robustness.rereading import percentages  # here, for the library loads torch

    table = percentages(rows.frame)
    of_255, of_256 = (int(table[f"fits {most}"].sum()) for most in (255, 256))
    told = f"of {len(table)} percentages {of_255} can be of 255, {of_256} of 256"
    return decided(bool(table["fits 255"].all()), told)


@claim_test("urem-table1-depth", CHAPTER, printed=True)
def table1_depth(rows: Reader) -> Verdict:
    """By the layers that the paper gives, or by those that are there: both must rise under one of the two counts."""
    measures = {
        "accuracy": 1 - numbers(rows, "table1", "top-5 error"),
        "breaking sigma": numbers(rows, "table1", "mean", method="random"),
    }
    told: list[str] = []
    right: list[bool] = []
    for title, table in (("the layers printed", "text"), ("the layers counted", "torchvision")):
        depth = _layers(rows, table)
        rising = {name: _rising(found, depth) for name, found in measures.items()}
        said = " and ".join(f"{name} {'rises' if rises else 'does not rise'}" for name, rises in rising.items())
        told.append(f"by {title} {said}")
        right.append(all(rising.values()))
    return decided(any(right), "; ".join(told))


@claim_test("urem-proportional", CHAPTER, printed=True)
def proportional(rows: Reader) -> Verdict:
    """Breaking sigma for each layer, by the count that suits better."""
    sigma = numbers(rows, "table1", "mean", method="random")
    spans = []
    for table in ("text", "torchvision"):
        each = sigma / _layers(rows, table)
        spans.append((float(each.max() / each.min()), float(each.min()), float(each.max())))
    span, least, most = min(spans)
    told = f"breaking sigma for each layer is {number(least)} to {number(most)} grey levels"
    return decided(span <= PROPORTIONAL, told)


@claim_test("urem-alexnet-most-robust", CHAPTER, printed=True)
def alexnet_most_robust(rows: Reader) -> Verdict:
    """The means in Table 1 of the matrices in Figure 8."""
    found = numbers(rows, "table1", "linf", method="targeted")
    best = str(found.idxmax())
    told = f"Table 1 has {number(found['alexnet'])} grey levels for AlexNet, most for {NETWORKS[best]}: {found[best]:g}"
    return decided(best == "alexnet", told)


@claim_test("urem-angular-steps", CHAPTER, printed=True)
def angular_steps(rows: Reader) -> Verdict:
    """Of 1000 classes 999 are targets: the spoke of the image's own class is empty."""
    degrees, classes = (one(rows, table="text", metric=metric) for metric in ("degrees", "classes"))
    told = f"{number(degrees)} degrees make {number(360 / degrees)} steps of a circle, for {number(classes)} classes"
    return decided(abs(360 / degrees - classes) < 0.5, told)


@claim_test("urem-validation-images", CHAPTER, printed=True)
def validation_images(rows: Reader) -> Verdict:
    """Section 4 says which images were broken."""
    said, used = (
        one(rows, table="text", metric="images per class", condition=part) for part in ("validation", "training")
    )
    told = f"the validation set has {number(said)} images a class; {number(used)} of the training images was broken"
    return decided(used == 0, told)


@claim_test("urem-full-imagenet", CHAPTER, printed=True)
def full_imagenet(rows: Reader) -> Verdict:
    """As many images as the validation set has: its images a class, times the classes."""
    broken, classes = (one(rows, table="text", metric=metric) for metric in ("images", "classes"))
    whole = classes * one(rows, table="text", metric="images per class", condition="validation")
    told = f"{number(broken)} images were broken; the validation set has {number(whole)}"
    return decided(broken >= whole, told)


@claim_test("urem-original-accuracy", CHAPTER, printed=True)
def original_accuracy(rows: Reader) -> Verdict:
    """Either of the first answer or of the first five, of all four networks."""
    said = numbers(rows, "table2", "accuracy", condition=ALL)
    known = {title: numbers(rows, "torchvision", metric)
             for title, metric in (("first answer", "accuracy"), ("first five", "top-5 accuracy"))}  # fmt: skip
    off = {title: float((said - found).abs().max()) for title, found in known.items()}
    told = " and ".join(f"{number(100 * most)} points for the {title}" for title, most in off.items())
    return decided(min(off.values()) <= POINT, f"Table 2 is off torchvision's weights by up to {told}")


@claim_test("urem-top5-error", CHAPTER, printed=True)
def top5_error(rows: Reader) -> Verdict:
    """All four networks, to a percentage point, against torchvision's weights; the paper's were earlier ones."""
    said, known = numbers(rows, "table1", "top-5 error"), numbers(rows, "torchvision", "top-5 accuracy")
    off = float((said - (1 - known)).abs().max())
    return decided(off <= POINT, f"Table 1 is off torchvision's weights by up to {number(100 * off)} points")


@claim_test("urem-tables-agree", CHAPTER, printed=True)
def tables_agree(rows: Reader) -> Verdict:
    """Of all four networks, Table 2 against 100 % less Table 1's errors; it does not say which accuracy it has."""
    left = 1 - numbers(rows, "table1", "top-5 error")
    said = numbers(rows, "table2", "accuracy", condition=ALL)
    off = (said - left).abs()
    worst = str(off.idxmax())
    told = f"farthest off is {NETWORKS[worst]}: Table 2 has {100 * said[worst]:.1f} %, Table 1 leaves "
    told += f"{100 * left[worst]:.1f} %, and they rank the networks "
    same = left.rank().equals(said.rank())
    return decided(bool((off <= POINT).all()), f"{told}{'alike' if same else 'differently'}")


@claim_test("urem-code-online", CHAPTER, printed=True)
def code_online(rows: Reader) -> Verdict:
    """Addresses that are printed, and what we found; that a search finds none is no proof that there is none."""
    printed = one(rows, table="text", metric="addresses of code")
    found = one(rows, table="code", metric="repositories found")
    told = f"the paper gives {number(printed) if printed else 'no'} address, and says that there will be code; "
    return decided(printed + found > 0, f"{told}a search found {number(found) if found else 'none'}")


@claim_test("urem-weakly-generalised", CHAPTER, printed=True)
def weakly_generalised(rows: Reader) -> Verdict:
    """Section 1.1 against the caption of Figure 1."""
    section, caption = (
        one(rows, table="text", metric="samples of a bubble", at=at) for at in ("section 1.1", "caption")
    )
    told = f"it takes {number(section)} training samples by section 1.1, {number(caption)} by the caption"
    return decided(section == caption, told)


@claim_test("urem-targeted-deviation", CHAPTER, printed=True)
def targeted_deviation(rows: Reader) -> Verdict:
    """The caption of Table 1 against the text, which takes the largest difference of a pixel."""
    caption, text = (one(rows, table="text", method="targeted", metric="standard deviation", at=at) for at in PLACES)
    words = {1.0: "a mean standard deviation", 0.0: "the largest difference of a pixel"}
    return decided(caption == text, f"it is {words[caption]} by the caption, {words[text]} by the text")


@claim_test("urem-coco", CHAPTER, printed=True)
def coco(rows: Reader) -> Verdict:
    """Of the printed numbers, how many are of COCO?"""
    found = rows.find(profile=PROFILE)
    found = found[~found["table"].isin(["torchvision", "code"])]
    if found.empty:
        raise NotRun("the paper's printed numbers")
    images = found["data"].str.startswith("coco")
    told = f"of {len(found)} printed numbers {int(images.sum()) or 'none'} are of COCO"
    return decided(bool(images.any()), told)


def numbers(
    rows: Reader, table: str, metric: str, networks: Collection[str] = NETWORKS, **where: str
) -> "pd.Series[float]":
    """One printed number of each of the four networks, or of those that are named, indexed by name."""
    found = counts(rows, table, metric, networks, **where)
    if not set(networks) <= set(found.index):
        raise NotRun(f"the printed {metric} of {len(networks)} networks")
    return found.loc[list(networks)]


def counts(
    rows: Reader, table: str, metric: str, networks: Collection[str] = NETWORKS, **where: str
) -> "pd.Series[float]":
    """Printed numbers of those networks that have one, indexed by name."""
    found = rows.find(profile=PROFILE, table=table, metric=metric, network=list(networks), **where)
    if found.empty:
        raise NotRun(f"the printed {metric}")
    return found.set_index("network")["value"]


def _layers(rows: Reader, table: str) -> "pd.Series[float]":
    """Layers by network; of VGG16 the paper gives but its "16 convolutional layers"."""
    found = counts(rows, table, "layers")
    if table == "text":
        found = pd.concat([found, counts(rows, table, "convolutions")])
    if set(found.index) != set(NETWORKS):
        raise NotRun("the layers of four networks")
    return found.loc[list(NETWORKS)]


def _rising(measure: "pd.Series[float]", depth: "pd.Series[float]") -> bool:
    ordered = measure.loc[depth.sort_values().index]
    return all(first < second for first, second in pairwise(ordered))
