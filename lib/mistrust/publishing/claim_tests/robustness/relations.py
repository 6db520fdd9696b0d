"""Claims of the abstract and sections 1.2, 4 and 6: what depth and number of parameters decide.

The paper has four networks, which prove nothing (`mistrust.robustness.rereading.orders`); here a dozen of one recipe on
one image set, depth and size varied separately. What is said of depth or size is judged within families: over all
networks together depth goes with the family, which differs in much else, and the networks are not independent.
"""

from collections.abc import Callable
from dataclasses import replace

from mistrust.publishing.claim_tests.robustness.reading import (
    ALL,
    CHAPTER,
    all_families,
    relation,
    single,
    told_relation,
)
from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.estimates import Estimate, NotRun, Reader, number
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, within

Side = Callable[[Estimate, float, str], Verdict]
# Correlated by 0.7, two orders have half of their variance in common.
HALF_IN_COMMON = 0.7
# Which number of bubbles is related with other things, and of how many networks at least.
RELATED = {"method": "relative", "level": 0.5}
FEWEST = 3


# What claims say of one relation: on which side of 0 the rank correlation lies, the family held fixed.
SIDES = {
    "urem-depth-random": ("depth ~ random | family", above),
    "urem-depth-accuracy": ("depth ~ accuracy | family", above),
    # What surprises cannot be what accuracy explains.
    "urem-depth-beside-accuracy": ("depth ~ random | accuracy, family", above),
    # The paper tells depth from size by words alone: its networks differ in both.
    "urem-depth-not-size": ("depth ~ random | parameters, family", above),
    # It does not say which way; more parameters, more accuracy, and more noise, is what one would expect.
    "urem-parameters-accuracy": ("parameters ~ accuracy | family", above),
    "urem-parameters-random": ("parameters ~ random | family", above),
    # The more parameters, the smaller the distance: by itself, and among networks of one depth.
    "urem-parameters-targeted": ("parameters ~ targeted | family", below),
}


def _test(name: str, side: Side) -> Callable[[Reader], Verdict]:
    def test(rows: Reader) -> Verdict:
        found = side(relation(rows, name), 0.0, told_relation(name))
        if "|" not in name:
            return found
        return replace(found, evidence=f"{found.evidence}; {all_families(rows, name)}")

    told = told_relation(name)
    test.__doc__ = f"{told[0].upper()}{told[1:]}, over networks: {'above' if side is above else 'below'} 0."
    return test


for _claim, (_name, _side) in SIDES.items():
    claim_test(_claim, CHAPTER)(_test(_name, _side))


@claim_test("urem-size-not-depth", CHAPTER)
def size_not_depth(rows: Reader) -> Verdict:
    """Of networks of one depth and family those with more parameters are nearer, and depth by itself orders nothing.

    Depth orders nothing where less than half of the order is in common, the number of parameters held fixed.
    """
    size, depth = "parameters ~ targeted | depth, family", "depth ~ targeted | parameters, family"
    bound = HALF_IN_COMMON
    no_depth = within(relation(rows, depth), -bound, bound, told_relation(depth))
    return every([_test(size, below)(rows), no_depth])


@claim_test("urem-accuracy-incomplete", CHAPTER)
def accuracy_incomplete(rows: Reader) -> Verdict:
    """One kind of robustness that accuracy does not order is enough."""
    names = ("accuracy ~ random | family", "accuracy ~ targeted | family")
    bound = HALF_IN_COMMON  # on either side: orders that are each other's reverse have all in common
    parts = [within(relation(rows, name), -bound, bound, told_relation(name)) for name in names]
    return at_least(parts, 1, "accuracy and robustness have less than half of their order in common")


@claim_test("urem-bubbles-non-robust", CHAPTER)
def bubbles_non_robust(rows: Reader) -> Verdict:
    """Both below 0: the more bubbles are found, the less accurate and the less robust is the network.

    Where all networks have as many, there is no rank correlation: measured, and open.
    """
    try:
        return every([_test(name, below)(rows) for name in ("bubbles ~ accuracy", "bubbles ~ random")])
    except NotRun as lack:
        return _as_many(rows, lack)


def _as_many(rows: Reader, lack: NotRun) -> Verdict:
    """Say that the number of bubbles does not vary between networks; where it does, what lacks is the relation."""
    what = "number of bubbles by network and class"
    found = single(rows, what, table="regions", condition=ALL, metric="bubbles", **RELATED)
    by_one = found.groupby("network")["value"].mean()
    if len(by_one) < FEWEST or by_one.nunique() > 1:
        raise lack
    count = by_one.iloc[0]
    told = f"{number(count)} bubble{'' if count == 1 else 's'} a class at half of the median margin"
    return Verdict("undecided", f"all {len(by_one)} networks have {told}: what does not vary goes with nothing")
