"""Claims of sections III to V about ambiguity that is there by nature, and what a classifier makes of ambiguous images.

Figure 1 was picked by hand; ours by a stated rule (table "natural"): candidates are the images of highest entropy, and
those count that classifiers find to lie between classes. The candidates are taken as independent.
"""

from mistrust.publishing.claim_tests.ambiguity.reading import CHAPTER, MNIST, number, on_both, stated
from mistrust.publishing.estimates import NotRun, Reader, Share, share
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, within

CHOSEN, OF = 18, 300  # Figure 1
TENTH = 0.1
SOME = 4  # of the 45 pairs of ten classes, a tenth or less


@claim_test("ambiguess-natural-scarce", CHAPTER)
def natural_scarce(rows: Reader) -> Verdict:
    """Less than a tenth of the candidates, exact: these are 3 % of the test images, so 0.3 % of all."""
    return below(_found(rows), TENTH, "ambiguous by the rule")


@claim_test("ambiguess-natural-eighteen", CHAPTER)
def natural_eighteen(rows: Reader) -> Verdict:
    """Half to twice the paper's share: a rule cannot be expected to pick what a person does."""
    printed = CHOSEN / OF
    return within(_found(rows), printed / 2, 2 * printed, "ambiguous by the rule")


@claim_test("ambiguess-at-frontier", CHAPTER)
def at_frontier(rows: Reader) -> Verdict:
    """AUROC of the entropy of classifiers that learned from nominal images only, so that nobody taught them to doubt.

    "Well trained" is theirs by their accuracy on nominal images, which the claims of section VI-B look at.
    """

    def part(data: str, title: str) -> Verdict:
        where = {"table": "oddness", "data": data, "method": "ambiguess", "metric": "auroc entropy"}
        return above(stated(rows, least=0, most=1, **where), 0.9, f"{title}: AUROC of entropy")

    return on_both(part)


@claim_test("ambiguess-natural-some-pairs", CHAPTER)
def natural_some_pairs(rows: Reader) -> Verdict:
    """Of the images found, more than half in four pairs, exact; the pairs are chosen by every second image alone.

    The others are judged, so that the pairs owe nothing to the images that they are judged by.
    """

    def part(data: str, title: str) -> Verdict:
        images = rows.find(table="natural", data=data, metric="entropy").sort_values("level")
        if len(images) < 2:
            raise NotRun(f"{title}: test images that are ambiguous by nature")
        most = images["condition"].iloc[::2].value_counts().index[:SOME]
        found = share(images["condition"].iloc[1::2].isin(most).to_list(), "images")
        return above(found, 0.5, f"{title}: of the four pairs of classes that are ambiguous most often")

    return on_both(part)


def _found(rows: Reader) -> Share:
    where = {"table": "natural", "data": MNIST, "at": ""}
    count, candidates = (int(number(rows, metric=metric, **where)) for metric in ("count", "candidates"))
    return share([True] * count + [False] * (candidates - count), "images of highest entropy")
