"""Claims of sections II, VI, VII and VIII that printed numbers or the authors' code decide by themselves.

Read: `supervisors-text.csv` and `supervisors-code.csv` among the printed numbers. What is printed is no matter of
chance: no interval, no p.
"""

from itertools import pairwise

from mistrust.publishing.claim_tests.printed import decided, one
from mistrust.publishing.claim_tests.supervisors.reading import ARCHITECTURES, CALLED, CHAPTER
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.published import PROFILE
from mistrust.publishing.verdicts import Verdict, claim_test

# The share is printed in whole per cent.
HALF_A_POINT = 0.005
TWICE = 2.0
FC = "ambiguess-fc"


@claim_test("ambiguess-adversarial-minimal", CHAPTER, printed=True)
def adversarial_minimal(rows: Reader) -> Verdict:
    """The strengths that the code tries, the first that fools is kept: how far each is from the one before."""
    found = rows.find(profile=PROFILE, table="code", metric="strength of attacks")
    strengths = sorted(found["value"].tolist())
    if not strengths:
        raise NotRun("the strengths of attacks that the code tries")
    steps = [(high / low, low, high) for low, high in pairwise(strengths) if low > 0]
    step, low, high = max(steps)
    told = f"what needs more than {number(low)} is changed by {number(high)}, {number(step)} times as much"
    if unchanged := not strengths[0]:
        told += "; the first strength is 0, so that what is misclassified without any attack enters unchanged"
    return decided(step <= TWICE and not unchanged, told)


@claim_test("ambiguess-four-attacks", CHAPTER, printed=True)
def four_attacks(rows: Reader) -> Verdict:
    """How many attacks are printed against how many the code runs."""
    said, run = (one(rows, table=table, metric="attacks") for table in ("text", "code"))
    return decided(said == run, f"the code runs {number(run)} attacks (printed {number(said)})")


@claim_test("ambiguess-fully-connected-dnn", CHAPTER, printed=True)
def fully_connected_dnn(rows: Reader) -> Verdict:
    """How many of its hidden layers have an activation: without any it is a linear classifier, however deep."""
    hidden, active = (
        one(rows, table="code", metric=metric) for metric in ("hidden layers", "hidden layers with an activation")
    )
    told = f"{number(active) if active else 'none'} of its {number(hidden)} hidden layers has an activation"
    return decided(active == hidden, told if active else f"{told}, so that it is a linear classifier")


@claim_test("ambiguess-ensemble-retrained", CHAPTER, printed=True)
def ensemble_retrained(rows: Reader) -> Verdict:
    """How many members of the fully connected network's ensemble for Fashion-MNIST are of its kind and saw its data."""
    said = one(rows, table="text", method="ensemble", metric="members")
    alike = one(rows, table="code", method="ensemble", metric="members like the network")
    told = f"of {number(said)} members for the fully connected network on Fashion-MNIST "
    told += f"{number(alike) if alike else 'none'} is of its kind and was trained on its data"
    note = "" if alike == said else ": they are convolutional ones trained on MNIST"
    return decided(alike == said, told + note)


@claim_test("ambiguess-dissector-each-layer", CHAPTER, printed=True)
def dissector_each_layer(rows: Reader) -> Verdict:
    """Layers with a sub-model, how many of these count, and the hidden layers of the fully connected network."""
    hidden = one(rows, table="code", metric="hidden layers")
    made, count = (_by_network(rows, metric) for metric in ("sub-models", "sub-models that count"))
    each = ", ".join(f"{CALLED[name]} {number(count[name])} of {number(made[name])}" for name in ARCHITECTURES)
    told = f"the fully connected network has sub-models on {number(made[FC])} of its {number(hidden)} hidden layers; "
    lacking = f"the first sub-model has weight 0, so that there count: {each}"
    told += "all sub-models count" if made == count else lacking
    return decided(made[FC] == hidden and made == count, told)


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


def _by_network(rows: Reader, metric: str) -> dict[str, float]:
    """What the code has for each of the four architectures."""
    found = rows.find(profile=PROFILE, table="code", method="dissector", metric=metric)
    values = dict(zip(found["network"], found["value"], strict=True))
    if {*values} != {*ARCHITECTURES}:
        raise NotRun(f"the {metric} that the code makes for each of the four networks")
    return values
