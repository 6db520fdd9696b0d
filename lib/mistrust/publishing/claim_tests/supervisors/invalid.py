"""Claims of section VII-C on invalid images, from "Invalid Data" and "Discussion".

Invalid MNIST are Fashion-MNIST's images shown to a classifier of MNIST, and the other way round.
"""

from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.claim_tests.supervisors.reading import (
    ACCEPTABLE,
    ALIKE,
    ALMOST_PERFECT,
    ARCHITECTURES,
    CHANCE,
    CHAPTER,
    FASHION,
    INVALID,
    MNIST,
    NAMES,
    SIXTEEN,
    SOFTMAX_BASED,
    SUPERIOR,
    SURPRISE,
    WELL,
    cells,
    detected,
    level,
    named,
    typical,
)
from mistrust.publishing.estimates import Estimate, NotRun, Reader, between_models, difference
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, every, within

ONE = 0.99
FALL = "invalid, MNIST minus Fashion-MNIST"


@claim_test("ambiguess-invalid-mnist-easier", CHAPTER)
def invalid_mnist_easier(rows: Reader) -> Verdict:
    """By more than 0.05, for more than half of the sixteen; by run, though the two sets' runs share but a number."""
    found = detected(rows, cells(SIXTEEN, [INVALID]))
    parts = [
        above(difference(found[MNIST, INVALID, name], found[FASHION, INVALID, name]), ALIKE, f"AUROC of {NAMES[name]}")
        for name in SIXTEEN
    ]
    return at_least(parts, len(parts) // 2 + 1, f"{FALL}: higher by more than 0.05")


@claim_test("ambiguess-invalid-mnist-near-one", CHAPTER)
def invalid_mnist_near_one(rows: Reader) -> Verdict:
    """Each of fifteen above 0.95, and LSA, which is excepted, below."""
    wanted = cells(SIXTEEN, [INVALID], [MNIST])
    found = detected(rows, wanted)
    sides = [(below if cell[2] == "lsa" else above, cell) for cell in wanted]
    return every([side(level(found, cell), ALMOST_PERFECT, named(cell)) for side, cell in sides])


@claim_test("ambiguess-invalid-softmax-suffers", CHAPTER)
def invalid_softmax_suffers(rows: Reader) -> Verdict:
    """Their mean falls by more than 0.1, which is what the paper calls a superior detection elsewhere; by run."""
    found = detected(rows, cells(SOFTMAX_BASED, [INVALID]))
    mnist, fashion = (typical(found, data, INVALID, SOFTMAX_BASED) for data in (MNIST, FASHION))
    return above(difference(mnist, fashion), SUPERIOR, f"{FALL}: mean AUROC of softmax-based supervisors")


@claim_test("ambiguess-invalid-surprise-perfect", CHAPTER)
def invalid_surprise_perfect(rows: Reader) -> Verdict:
    """Each of three above 0.95."""
    wanted = cells(SURPRISE, [INVALID], [FASHION])
    found = detected(rows, wanted)
    return every([above(level(found, cell), ALMOST_PERFECT, named(cell)) for cell in wanted])


@claim_test("ambiguess-invalid-autoencoder-mnist", CHAPTER)
def invalid_autoencoder_mnist(rows: Reader) -> Verdict:
    """1.0 as far as two digits show it."""
    return above(_one(rows, MNIST, "autoencoder"), ONE, named((MNIST, INVALID, "autoencoder")))


@claim_test("ambiguess-invalid-autoencoder-fashion", CHAPTER)
def invalid_autoencoder_fashion(rows: Reader) -> Verdict:
    """No farther from chance than 0.1."""
    found = _one(rows, FASHION, "autoencoder")
    return within(found, CHANCE - SUPERIOR, CHANCE + SUPERIOR, named((FASHION, INVALID, "autoencoder")))


@claim_test("ambiguess-invalid-autoencoder-rebuilds", CHAPTER)
def invalid_autoencoder_rebuilds(rows: Reader) -> Verdict:
    """Its squared error on digits against that on nominal clothes: AUROC no farther above chance than 0.1."""
    where = {"table": "variants", "condition": INVALID, "method": "autoencoder/mse", "metric": "auroc", "data": FASHION}
    found = rows.find(**where, network=list(ARCHITECTURES))
    single = found[found["seed"].notna()]
    if single.empty:
        raise NotRun("Fashion-MNIST, invalid: AUROC of the autoencoder's squared error, by run")
    each = single.groupby("seed")["value"].mean().to_list()
    text = "Fashion-MNIST, invalid: AUROC of the autoencoder's squared error"
    return below(between_models(each, scale="logit"), CHANCE + SUPERIOR, text)


@claim_test("ambiguess-invalid-autoencoder-no-option", CHAPTER)
def invalid_autoencoder_no_option(rows: Reader) -> Verdict:
    """Its detection is not even acceptable."""
    return below(_one(rows, FASHION, "autoencoder"), ACCEPTABLE, named((FASHION, INVALID, "autoencoder")))


@claim_test("ambiguess-invalid-mdsa-reliable", CHAPTER)
def invalid_mdsa_reliable(rows: Reader) -> Verdict:
    """On Fashion-MNIST, the set that is rich in features."""
    return above(_one(rows, FASHION, "mdsa"), WELL, named((FASHION, INVALID, "mdsa")))


def _one(rows: Reader, data: str, method: str) -> Estimate:
    cell = (data, INVALID, method)
    return level(detected(rows, [cell]), cell)
