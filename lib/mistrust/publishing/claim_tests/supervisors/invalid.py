"""Claims of section VII-C on invalid images, from "Invalid Data" and "Discussion".

Invalid MNIST are Fashion-MNIST's images shown to a classifier of MNIST, and the other way round. On these the linear
network, half of our means and a quarter of the paper's, is not like the others, so the evidence tells of each network.
"""

from dataclasses import replace

import pandas as pd

from mistrust.publishing.claim_tests.supervisors.quorum import at_least
from mistrust.publishing.claim_tests.supervisors.reading import (
    ACCEPTABLE,
    ALMOST_PERFECT,
    ARCHITECTURES,
    CHANCE,
    CHAPTER,
    CORRUPTED,
    FASHION,
    INVALID,
    MNIST,
    NAMES,
    SIXTEEN,
    SOFTMAX_BASED,
    SUPERIOR,
    SURPRISE,
    WELL,
    Cell,
    by_architecture,
    cells,
    detected,
    each_architecture,
    fall,
    level,
    named,
    over_runs,
    same,
    typical,
    typical_fall,
)
from mistrust.publishing.claim_tests.supervisors.weights import whatever_they_weigh
from mistrust.publishing.estimates import Estimate, NotRun, Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, divided, every, within

ONE = 0.99
FALL = "invalid, MNIST minus Fashion-MNIST"
MEAN = "mean AUROC of softmax-based supervisors"


@claim_test("ambiguess-invalid-mnist-easier", CHAPTER)
@whatever_they_weigh
def invalid_mnist_easier(rows: Reader) -> Verdict:
    """By more than 0.1, for more than half of the sixteen; the two sets' runs share but a number."""
    wanted = cells(SIXTEEN, [INVALID])
    found = detected(rows, wanted)
    parts = [above(fall(found, name, INVALID), SUPERIOR, f"AUROC of {NAMES[name]}") for name in SIXTEEN]
    verdict = at_least(parts, len(parts) // 2 + 1, f"{FALL}: higher by more than 0.1")

    def tell(runs: pd.DataFrame) -> str:
        falls = [fall(runs, name, INVALID).value for name in SIXTEEN]
        return f"{sum(one > SUPERIOR for one in falls)} of {len(falls)} on average"

    return replace(verdict, evidence=f"{verdict.evidence}; {by_architecture(rows, wanted, tell)}")


@claim_test("ambiguess-invalid-mnist-near-one", CHAPTER)
@whatever_they_weigh
def invalid_mnist_near_one(rows: Reader) -> Verdict:
    """Each of fifteen above 0.95, and LSA, which is excepted, below."""
    wanted = cells(SIXTEEN, [INVALID], [MNIST])
    verdict = every(_almost_perfect(rows, wanted, excepted="lsa"))

    def tell(runs: pd.DataFrame) -> str:
        return str(over_runs(typical(runs, MNIST, INVALID, SOFTMAX_BASED)))

    told = by_architecture(rows, cells(SOFTMAX_BASED, [INVALID], [MNIST]), tell)
    return replace(verdict, evidence=f"{verdict.evidence}; {MEAN} {told}")


@claim_test("ambiguess-invalid-softmax-suffers", CHAPTER)
@whatever_they_weigh
def invalid_softmax_suffers(rows: Reader) -> Verdict:
    """Their mean falls by more than 0.1, which is what the paper calls a superior detection elsewhere."""
    wanted = cells(SOFTMAX_BASED, [INVALID])
    lost = typical_fall(detected(rows, wanted), INVALID, SOFTMAX_BASED)
    verdict = above(lost, SUPERIOR, f"{FALL}: {MEAN}")
    told = by_architecture(rows, wanted, lambda runs: str(typical_fall(runs, INVALID, SOFTMAX_BASED)))
    return replace(verdict, evidence=f"{verdict.evidence}; {told}")


@claim_test("ambiguess-invalid-features-collapse", CHAPTER)
@whatever_they_weigh
def invalid_features_collapse(rows: Reader) -> Verdict:
    """KNN in the features that the last layer reads, as a softmax does: no farther above chance than 0.1, on each kind.

    Corrupted images are those of which section 7.3.3 gives the same reason.
    """
    wanted = cells(["knn"], [INVALID, CORRUPTED], [FASHION])
    found = detected(rows, wanted)
    bound = CHANCE + SUPERIOR
    verdict = every(
        [below(level(found, cell), bound, f"{named(cell)} in the last layer's features") for cell in wanted]
    )

    def tell(runs: pd.DataFrame) -> str:
        return " and ".join(f"{runs[cell].mean():.3f}" for cell in wanted)

    return replace(verdict, evidence=f"{verdict.evidence}; {by_architecture(rows, wanted, tell)}")


@claim_test("ambiguess-invalid-surprise-perfect", CHAPTER)
@whatever_they_weigh
def invalid_surprise_perfect(rows: Reader) -> Verdict:
    """Each of three above 0.95."""
    wanted = cells(SURPRISE, [INVALID], [FASHION])
    return every(_almost_perfect(rows, wanted))


def _almost_perfect(rows: Reader, wanted: list[Cell], excepted: str = "") -> list[Verdict]:
    """Whether each cell is above 0.95, or below for the excepted supervisor; open where networks lie on both sides."""
    found, each = detected(rows, wanted), each_architecture(rows, wanted)
    parts = []
    for cell in wanted:
        side = below if cell[2] == excepted else above
        of = [side(level(runs, cell), ALMOST_PERFECT) for runs in each]
        parts.append(divided(side(level(found, cell), ALMOST_PERFECT, named(cell)), of, "networks"))
    return parts


@claim_test("ambiguess-invalid-autoencoder-mnist", CHAPTER)
@whatever_they_weigh
def invalid_autoencoder_mnist(rows: Reader) -> Verdict:
    """1.0 as far as two digits show it."""
    return above(_one(rows, MNIST, "autoencoder"), ONE, named((MNIST, INVALID, "autoencoder")))


@claim_test("ambiguess-invalid-autoencoder-fashion", CHAPTER)
@whatever_they_weigh
def invalid_autoencoder_fashion(rows: Reader) -> Verdict:
    """No farther from chance than 0.1."""
    found = _one(rows, FASHION, "autoencoder")
    return within(found, CHANCE - SUPERIOR, CHANCE + SUPERIOR, named((FASHION, INVALID, "autoencoder")))


@claim_test("ambiguess-invalid-autoencoder-rebuilds", CHAPTER)
@whatever_they_weigh
def invalid_autoencoder_rebuilds(rows: Reader) -> Verdict:
    """Its squared error on digits against that on nominal clothes: AUROC no farther above chance than 0.1."""
    where = {"table": "variants", "condition": INVALID, "method": "autoencoder/mse", "metric": "auroc", "data": FASHION}
    found = rows.find(**where, network=list(ARCHITECTURES))
    single = found[found["seed"].notna()]
    if single.empty:
        raise NotRun("Fashion-MNIST, invalid: AUROC of the autoencoder's squared error, by run")
    each = single.groupby("seed")["value"].mean()
    text = "Fashion-MNIST, invalid: AUROC of the autoencoder's squared error"
    return below(over_runs(each, one=same(each)), CHANCE + SUPERIOR, text)


@claim_test("ambiguess-invalid-autoencoder-no-option", CHAPTER)
@whatever_they_weigh
def invalid_autoencoder_no_option(rows: Reader) -> Verdict:
    """Its detection is not even acceptable."""
    return below(_one(rows, FASHION, "autoencoder"), ACCEPTABLE, named((FASHION, INVALID, "autoencoder")))


@claim_test("ambiguess-invalid-mdsa-reliable", CHAPTER)
@whatever_they_weigh
def invalid_mdsa_reliable(rows: Reader) -> Verdict:
    """On Fashion-MNIST, the set that is rich in features."""
    return above(_one(rows, FASHION, "mdsa"), WELL, named((FASHION, INVALID, "mdsa")))


def _one(rows: Reader, data: str, method: str) -> Estimate:
    cell: Cell = (data, INVALID, method)
    return level(detected(rows, [cell]), cell)
