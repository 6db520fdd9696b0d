"""Claims of section IV that the authors' code, their complete tables or another sentence of the paper decides.

Read: `monitoring-text.csv`, `monitoring-code.csv` and `monitoring-complete.csv` among the printed numbers. What is
printed is no matter of chance: no interval, no p.
"""

from mistrust.publishing.claim_tests.monitoring.reading import CHAPTER, TITLES
from mistrust.publishing.claim_tests.printed import decided, one
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.published import PROFILE
from mistrust.publishing.verdicts import Verdict, claim_test

# Below the lowest of n training images, one in n + 1 of others is expected, were they alike; a network is surer of what
# it was trained with, so that one in a hundred is allowed.
ONE_IN_A_HUNDRED = 0.01


@claim_test("farm-odin-thresholds", CHAPTER, printed=True)
def odin_thresholds(rows: Reader) -> Verdict:
    """Alarms at nominal images in the authors' complete tables, median over sets: what lies below the lowest is rare.

    These tables have nominal images as positives, so their false negatives are false alarms.
    """
    right = True
    told: list[str] = []
    for data, title in TITLES.items():
        where = {"data": data, "method": "odin"}
        said, coded = (one(rows, table=table, metric="confidence threshold", **where) for table in ("text", "code"))
        found = rows.find(profile=PROFILE, table="complete", metric="fnr", **where)["value"]
        if found.empty:
            raise NotRun("ODIN's false alarms in the authors' complete tables")
        share = float(found.median())
        right &= said == coded and share <= ONE_IN_A_HUNDRED
        set_to = "as the code has it" if said == coded else f"in the code {coded:.4f}"
        told.append(f"{title} {said:.4f}, {set_to}: {100 * share:.0f} % of nominal test images lie below")
    return decided(right, "; ".join(told))


@claim_test("farm-fgsm-used", CHAPTER, printed=True)
def fgsm_used(rows: Reader) -> Verdict:
    """What the code differentiates: a loss that knows the image's label, as the method has it, or none that does."""
    knows = one(rows, table="code", metric="gradient knows the label")
    drawn = one(rows, table="code", metric="different images at most")
    told = (
        "whose gradient points away from the image's label" if knows else "whose gradient is the same for every label"
    )
    return decided(
        bool(knows), f"the code follows a loss {told}, and draws again and again from {number(drawn)} images"
    )


@claim_test("farm-same-measure", CHAPTER, printed=True)
def same_measure(rows: Reader) -> Verdict:
    """What the code computes for Table V's first line, and for the others."""
    told: list[str] = []
    right = True
    for metric, yes, no in (
        ("correlation of labels", "labels of all classes", "the monitor's two reactions"),
        ("nominal images alone", "nominal images", "the whole stream"),
    ):
        alone, watched = (bool(one(rows, table="code", metric=metric, condition=name)) for name in ("alone", "watched"))
        right &= alone == watched
        told.append(f"{yes if alone else no} for the classifier alone, {yes if watched else no} with a monitor")
    return decided(right, f"the code takes {'; '.join(told)}")


@claim_test("farm-relative-change", CHAPTER, printed=True)
def relative_change(rows: Reader) -> Verdict:
    """Whether Table V, or the text on it, prints such a percentage beside its correlations."""
    found = rows.find(profile=PROFILE, table="table5")
    printed = found["metric"].eq("percent")
    if not found["metric"].eq("mcc").any():
        raise NotRun("the printed correlations of Table V")
    told = f"beside {int(found['metric'].eq('mcc').sum())} correlations of Table V {int(printed.sum()) or 'no'}"
    return decided(bool(printed.any()), f"{told} percentages are printed")


@claim_test("farm-fast-enough", CHAPTER, printed=True)
def fast_enough(rows: Reader) -> Verdict:
    """Section IV-D-3 against the conclusion; neither says how fast is enough."""
    early, late = (one(rows, table="text", metric="fast enough", condition=where) for where in ("IV-D-3", "V"))
    words = {1.0: "fast enough to be applied at runtime", 0.0: "not so fast"}
    return decided(
        early == late == 1, f"section IV-D-3 calls the monitors {words[early]}, the conclusion {words[late]}"
    )
