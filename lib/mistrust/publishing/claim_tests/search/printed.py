"""Claims that the paper's printed numbers, or its code, decide by themselves.

Read: the printed numbers' files `search-table1.csv`, `search-text.csv`, `search-architecture.csv` and
`search-code.csv` (afrl-ri/adversarialDistance, commit f982eb4, and foolbox, whose attack it runs). What is printed is
no matter of chance: no interval, no p, but where the paper's own numbers of images say what chance can do
(`zappos_drop`).
"""

import math

from mistrust.publishing.claim_tests.printed import decided, one
from mistrust.publishing.claim_tests.search.reading import CHAPTER
from mistrust.publishing.estimates import NotRun, Reader, number
from mistrust.publishing.published import PROFILE
from mistrust.publishing.verdicts import Verdict, claim_test

# Standard errors that chance does not give.
FAR = 4.0
TITLES = {"kaggle13": "Kaggle13", "celeba": "CelebA", "ut-zap50k": "UT-Zap50K"}


@claim_test("adversarial-distance-zappos-drop", CHAPTER, printed=True)
def zappos_drop(rows: Reader) -> Verdict:
    """Table I against the split of V-A: validation and test are random parts of one set, neither was trained on."""
    where = {"table": "table1", "data": "ut-zap50k"}
    validation, test = one(rows, metric="validation accuracy", **where), one(rows, metric="accuracy", **where)
    images = one(rows, table="text", data="ut-zap50k", metric="images")
    left = images - one(rows, table="text", data="ut-zap50k", metric="images removed")
    test_n = left * one(rows, table="text", data="ut-zap50k", metric="test share")
    validation_n = (left - test_n) * one(rows, table="text", data="ut-zap50k", metric="validation share")
    error = math.sqrt(validation * (1 - validation) / validation_n + test * (1 - test) / test_n)
    far = abs(validation - test) / error
    told = (
        f"Table I has {100 * validation:.0f} % on about {validation_n:,.0f} validation images and {100 * test:.0f} % "
        f"on about {test_n:,.0f} test images, {number(far)} standard errors apart"
    )
    return decided(far < FAR, told)


@claim_test("adversarial-distance-exception", CHAPTER, printed=True)
def exception(rows: Reader) -> Verdict:
    """Section V-B against VI-A: on which set do the others exceed the rate that confidence says?"""
    found = rows.find(profile=PROFILE, table="text", metric="exception", value=1.0)
    if len(found) < 2:
        raise NotRun("the printed exceptions")
    sets = sorted(set(found["data"]))
    named = " and ".join(TITLES[name] for name in sets)
    return decided(len(sets) == 1, f"the paper names {named} as the set that is the exception")


@claim_test("adversarial-distance-equation-5", CHAPTER, printed=True)
def equation_5(rows: Reader) -> Verdict:
    """Equation 5 against Figure 1 and the code: whose logarithm?"""
    formula = one(rows, table="text", metric="logarithm", at="equation 5")
    drawn = one(rows, table="text", metric="logarithm", at="Figure 1")
    coded = one(rows, table="code", metric="logarithm")
    told = f"a logarithm of MAE is taken {_where({'equation 5': formula, 'Figure 1': drawn, 'the code': coded})}"
    return decided(formula == drawn == coded, told)


@claim_test("adversarial-distance-equation-4", CHAPTER, printed=True)
def equation_4(rows: Reader) -> Verdict:
    """Equation 4 against the code: a mean over N x M pixels, or over all channels and of 255?"""
    told: list[str] = []
    same = True
    for metric, what in (("channels", "the sum runs over channels"), ("divided", "the mean is divided by 255")):
        formula, coded = one(rows, table="text", metric=metric, at="equation 4"), one(rows, table="code", metric=metric)
        told.append(f"{what} {_where({'equation 4': formula, 'the code': coded})}")
        same &= formula == coded
    return decided(same, "; ".join(told))


@claim_test("adversarial-distance-unsupervised", CHAPTER, printed=True)
def unsupervised(rows: Reader) -> Verdict:
    """What goes into the distance, and which labels that takes."""
    searched = one(rows, table="code", metric="labels", at="searched images")
    validation = one(rows, table="code", metric="labels", at="validation images")
    told = f"the distance takes {number(searched) if searched else 'no'} labels of the images that are searched"
    more = "; the temperature behind its confidences takes those of validation images" if validation else ""
    return decided(searched == 0, told + more)


@claim_test("adversarial-distance-no-model-information", CHAPTER, printed=True)
def no_model_information(rows: Reader) -> Verdict:
    """What the code of the attack reads of the network: gradients, probabilities, or labels alone."""
    reads = [name for name in ("gradients", "probabilities") if one(rows, table="code", method="boundary", metric=name)]
    told = f"the attack's code reads {' and '.join(reads)}" if reads else "the attack's code reads labels alone"
    beside = one(rows, table="code", metric="confidences", condition="searched images")
    more = "; the distance that is made of it takes confidences, too" if beside else ""
    return decided(not reads, told + more)


@claim_test("adversarial-distance-celeba-restricted", CHAPTER, printed=True)
def celeba_restricted(rows: Reader) -> Verdict:
    """How many test images are said to be kept, and how many the code keeps."""
    said, kept = (one(rows, table=table, data="celeba", metric="test images") for table in ("text", "code"))
    return decided(said == kept, f"the code keeps the first {kept:,.0f} test images (printed {said:,.0f})")


@claim_test("adversarial-distance-gray", CHAPTER, printed=True)
def gray(rows: Reader) -> Verdict:
    """Gray has its luma in each of three channels."""
    coded = one(rows, table="code", data="celeba", metric="luma channels")
    return decided(coded == 3, f"the code keeps luma in {number(coded)} of 3 channels and sets the others to zero")


@claim_test("adversarial-distance-split", CHAPTER, printed=True)
def split(rows: Reader) -> Verdict:
    """Kaggle13 in the code: is anything drawn?"""
    drawn = one(rows, table="code", data="kaggle13", metric="split at random")
    told = "draws the parts at random" if drawn else "takes folders as they are; a function that draws is never called"
    return decided(drawn > 0, f"the code {told}")


@claim_test("adversarial-distance-early-stopping", CHAPTER, printed=True)
def early_stopping(rows: Reader) -> Verdict:
    """Of the two sets of which it is said."""
    epochs = {TITLES[name]: one(rows, table="code", data=name, metric="epochs") for name in ("kaggle13", "celeba")}
    watched = one(rows, table="code", metric="validation watched")
    told = " and ".join(f"{number(count)} epochs on {name}" for name, count in epochs.items())
    return decided(watched > 0, f"the code trains {told}{'' if watched else ', and looks at no validation images'}")


@claim_test("adversarial-distance-layers", CHAPTER, printed=True)
def layers(rows: Reader) -> Verdict:
    """What is said against what is coded."""
    pairs = {
        metric: tuple(one(rows, table="architecture", metric=metric, at=at) for at in ("paper", "code"))
        for metric in ("convolutions", "linear layers")
    }
    told = " and ".join(f"{number(coded)} {name} (printed {number(said)})" for name, (said, coded) in pairs.items())
    return decided(all(said == coded for said, coded in pairs.values()), f"the code has {told}")


@claim_test("adversarial-distance-code", CHAPTER, printed=True)
def code(rows: Reader) -> Verdict:
    """All of it: the notebooks that search, and the analysis in R."""
    whole, run = (one(rows, table="code", metric=metric) for metric in ("notebooks", "notebooks that run"))
    analysis = one(rows, table="code", metric="R files")
    told = f"{number(run) if run else 'none'} of {number(whole)} notebooks can run, and there are "
    told += f"{number(analysis) if analysis else 'no'} files of the analysis in R"
    return decided(run == whole and analysis > 0, told)


@claim_test("adversarial-distance-bandit-utility", CHAPTER, printed=True)
def bandit_utility(rows: Reader) -> Verdict:
    """What an arm is paid in the code of Lakkaraju's search."""
    errors = one(rows, table="code", metric="paid by errors", at="bandit")
    least = one(rows, table="code", metric="least gain", at="bandit")
    told = (
        f"the code pays an arm where Bansal and Weld's utility rises by more than {number(least)}, not for each error"
    )
    return decided(errors > 0, told if not errors else "the code pays an arm for each error")


@claim_test("adversarial-distance-coverage-greedy", CHAPTER, printed=True)
def coverage_greedy(rows: Reader) -> Verdict:
    """What the code of Bansal and Weld's search maximises: the expected gain, or probability times the total."""
    gain = one(rows, table="code", metric="weighs the gain", at="coverage")
    told = "expected gain" if gain else "product of an error's probability with the total utility, not its gain"
    return decided(gain > 0, f"the code takes the largest {told}")


@claim_test("adversarial-distance-spread-of-pool", CHAPTER, printed=True)
def spread_of_pool(rows: Reader) -> Verdict:
    """Equation 6 against the code: distances of which images?"""
    aligned = one(rows, table="code", metric="spread aligned")
    told = "distances of the pool" if aligned else "distances of the whole test set by places in the pool searched"
    return decided(aligned > 0, f"the code looks up {told}")


@claim_test("adversarial-distance-spread-of-errors", CHAPTER, printed=True)
def spread_of_errors(rows: Reader) -> Verdict:
    """Equation 6 takes the nearest query, right or wrong."""
    errors = one(rows, table="text", metric="errors only", at="equation 6")
    told = "the errors found" if errors else "all queries: it says nothing of where the errors lie"
    return decided(errors > 0, f"equation 6 takes the nearest of {told}")


def _where(found: dict[str, float]) -> str:
    yes = [name for name, value in found.items() if value]
    no = [name for name, value in found.items() if not value]
    parts = ([f"in {' and '.join(yes)}"] if yes else []) + ([f"not in {' and '.join(no)}"] if no else [])
    return ", ".join(parts)
