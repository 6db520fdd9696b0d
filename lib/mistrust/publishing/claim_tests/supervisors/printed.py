"""Claims of sections VII and VIII that printed numbers or the authors' code decide by themselves.

Read: `supervisors-text.csv` and `supervisors-code.csv` among the printed numbers. What is printed is no matter of
chance: no interval, no p.
"""

from mistrust.publishing.claim_tests.printed import decided, one
from mistrust.publishing.claim_tests.supervisors.reading import CHAPTER
from mistrust.publishing.estimates import Reader, number
from mistrust.publishing.verdicts import Verdict, claim_test

# The share is printed in whole per cent.
HALF_A_POINT = 0.005


@claim_test("ambiguess-dsa-share", CHAPTER, printed=True)
def dsa_share(rows: Reader) -> Verdict:
    """What is said against what the code keeps."""
    said, kept = (one(rows, table=table, method="dsa", metric="share of training rows") for table in ("text", "code"))
    told = f"the code keeps {100 * kept:.1f} % of the training rows (printed {100 * said:.0f} %)"
    return decided(abs(said - kept) < HALF_A_POINT, told)


@claim_test("ambiguess-autoencoder-without-classifier", CHAPTER, printed=True)
def autoencoder_without_classifier(rows: Reader) -> Verdict:
    """What its score reads of the classifier."""
    reads = one(rows, table="code", method="autoencoder", metric="outputs of the classifier")
    told = f"the score reads {number(reads) if reads else 'no'} outputs of the classifier"
    return decided(reads == 0, told)


@claim_test("ambiguess-ensemble-not-attacked", CHAPTER, printed=True)
def ensemble_not_attacked(rows: Reader) -> Verdict:
    """How many of the members of its ensembles are the network that was attacked."""
    members = one(rows, table="code", method="ensemble", metric="members that were attacked")
    told = f"{number(members) if members else 'none'} of an ensemble's members is the network that was attacked"
    return decided(members == 0, f"{told}; ours have it as their first member, so that our rows say nothing here")


@claim_test("ambiguess-numbers-reported", CHAPTER, printed=True)
def numbers_reported(rows: Reader) -> Verdict:
    """Architectures times test sets times supervisors, less those of ensembles on adversarial images."""
    said = one(rows, table="text", metric="standard deviations", at="all")
    networks, sets, supervisors, adversarial, ensembles = (
        one(rows, table="text", metric=metric)
        for metric in ("architectures", "test sets", "supervisors", "adversarial test sets", "ensembles")
    )
    made = networks * (sets * supervisors - adversarial * ensembles)
    told = f"{number(networks)} architectures, {number(sets)} test sets and {number(supervisors)} supervisors, without "
    told += f"{number(ensembles)} ensembles on {number(adversarial)} adversarial sets, make {number(made)}"
    return decided(made == said, told)


@claim_test("ambiguess-sd-small-everywhere", CHAPTER, printed=True)
def sd_small_everywhere(rows: Reader) -> Verdict:
    """Section VIII against VII-C, which tells those above 0.05 from the others."""
    large, whole = (one(rows, table="text", metric="standard deviations", at=at) for at in ("above 0.05", "all"))
    largest = one(rows, table="text", metric="largest standard deviation")
    told = f"section VII-C has {number(large) if large else 'none'} of {number(whole)} above 0.05"
    return decided(not large, f"{told}, the largest is {number(largest)}")
