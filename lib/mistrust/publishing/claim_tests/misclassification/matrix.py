"""Claims of sections 2, 3.3, 3.4, 4.5 and 5: what the matrix and its distances are worth.

Tables read: "matrix", "levels", "agreement", "retention", "abstention" (all perturbations together), "misses" (clean).
"""

from mistrust.publishing.claim_tests.misclassification.reading import (
    CELLS,
    CHAPTER,
    CORNER,
    COUNTS,
    DIGITS,
    LIKELIHOOD,
    cells,
    complete,
    matrix,
    noted,
    of_all,
    taken,
)
from mistrust.publishing.estimates import NotRun, Reader, between_models
from mistrust.publishing.verdicts import Verdict, above, below, claim_test, counted, every, falling, greater, holm

ALL = {"condition": "perturbed/all"}
# Correlated by 0.7, two orders have half of their variance in common: "a close match".
HALF_IN_COMMON = 0.7
LIMITS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@claim_test("mlm-softmax-informs", CHAPTER)
def softmax_informs(rows: Reader) -> Verdict:
    """The mean softmax orders the confusions of a class better than the null does, which knows no class."""
    where = {"table": "agreement", "metric": "spearman within rows", **ALL}
    softmax, null = (rows.by_seed(method=method, **where) for method in ("mean softmax", "marginal"))
    return noted(rows, greater(softmax, null, "Spearman's correlation within rows, mean softmax minus the null"))


@claim_test("mlm-orders-confusions", CHAPTER)
def orders_confusions(rows: Reader) -> Verdict:
    """Spearman's correlation over all cells with the confusions of other base images is above 0."""
    found = rows.estimate(table="agreement", method="minimum", metric="spearman", **ALL)
    return noted(rows, above(found, 0.0, "Spearman's correlation with the confusions"))


@claim_test("mlm-is-a-likelihood", CHAPTER)
def is_a_likelihood(rows: Reader) -> Verdict:
    """Its rows lie nearer to the true shares, in total variation, than those of the null, equal for all classes."""
    where = {"table": "agreement", "metric": "total variation", **ALL}
    null, ours = (rows.by_seed(method=method, **where) for method in ("marginal", "minimum"))
    return noted(rows, greater(null, ours, "total variation from the true shares, the null's minus the matrix's"))


@claim_test("mlm-finds-top-confusion", CHAPTER)
def finds_top_confusion(rows: Reader) -> Verdict:
    """In more than half of the classes the matrix's largest cell is the most frequent confusion."""
    found = rows.estimate(table="agreement", method="minimum", metric="top-1 share", **ALL)
    return noted(rows, above(found, 0.5, "share of the classes whose top confusion is found"))


@claim_test("mlm-pairs-consistent", CHAPTER)
def pairs_consistent(rows: Reader) -> Verdict:
    """Kendall's W of the levels, which order the cells, is above what shuffled cells give."""
    where = {"table": "levels", "method": "minimum", **ALL}
    found, chance = (rows.by_seed(metric=metric, **where) for metric in ("kendall w", "kendall w by chance"))
    return noted(rows, greater(found, chance, "Kendall's W minus W by chance"))


@claim_test("mlm-deviation-low", CHAPTER)
def deviation_low(rows: Reader) -> Verdict:
    """A cell varies less from level to level than the cells differ from each other (root mean squares)."""
    where = {"table": "levels", "method": "minimum", "metric": "deviation", **ALL}
    deviation = complete(rows.wide("at", **where), CELLS, "deviation over levels, all cells between ten digits")
    over_levels = (deviation[list(CELLS)] ** 2).mean(axis=1) ** 0.5
    between_cells = matrix(rows)[list(CELLS)].std(axis=1, ddof=0)
    return noted(rows, greater(between_cells, over_levels, "standard deviation between cells minus that over levels"))


@claim_test("mlm-nine-as-seven-low", CHAPTER)
def nine_as_seven_low(rows: Reader) -> Verdict:
    """The matrix gives 9>7 less than an equal share of its row, 1/9."""
    found = rows.estimate(at="9>7", **LIKELIHOOD)
    return of_all(rows, below(found, 1 / 9, "likelihood of 9 taken for 7"), either=True)


@claim_test("mlm-seven-as-two", CHAPTER)
def seven_as_two(rows: Reader) -> Verdict:
    """The cell 7>2 is the largest of its row, among clean misses and in the matrix: 16 comparisons, corrected together.

    Some perturbations neither confirm nor refute the matrix of all twelve; clean misses refute by themselves.
    """
    parts: list[Verdict] = []
    others = [f"7>{d}" for d in DIGITS if d not in "27"]
    for where, found, grain in (("clean misses", cells(rows), COUNTS), ("matrix", matrix(rows), 0.0)):
        text = f"{where}, 7 taken for 2 minus %s"
        parts += [greater(found["7>2"], found[at], text % taken(at), grain) for at in others]
    clean = holm(parts)[: len(others)]
    refuted = any(part.verdict == "does not hold" for part in clean)
    return of_all(rows, every(parts), either=not refuted)


@claim_test("mlm-row-seven", CHAPTER)
def row_seven(rows: Reader) -> Verdict:
    """Both matrices order the nine answers to a seven alike: Spearman's correlation of these cells above 0.7.

    Networks that take sevens for all other digits alike have no order, and are left out.
    """
    row = [f"7>{c}" for c in DIGITS if c != "7"]
    clean, perturbed = (found[row].rank(axis=1) for found in (cells(rows), matrix(rows)))
    alike = clean.corrwith(perturbed, axis=1).dropna()  # Pearson's of ranks is Spearman's
    if alike.empty:
        raise NotRun("a network that takes sevens for some digits more often than for others")
    found = between_models(alike.to_list(), scale="fisher")
    text = "Spearman's correlation of the nine cells of row 7, clean misses with the matrix"
    return of_all(rows, above(found, HALF_IN_COMMON, text), either=True)


@claim_test("mlm-corner-low", CHAPTER)
def corner_low(rows: Reader) -> Verdict:
    """The matrix gives each of the six cells more than nothing and less than an equal share of its row, 1/9.

    More than nothing is decided by counting networks.
    """
    found = matrix(rows)
    parts: list[Verdict] = []
    for at in CORNER:
        parts.append(below(rows.estimate(at=at, **LIKELIHOOD), 1 / 9, f"likelihood of {taken(at)}"))
        parts.append(counted(found[at] > 0, "networks", f"{taken(at)} is likelier than 0", f"{taken(at)} has 0"))
    return of_all(rows, every(parts), either=True)


@claim_test("mlm-thresholds-cut-risk", CHAPTER)
def thresholds_cut_risk(rows: Reader) -> Verdict:
    """Among the answers kept, accuracy rises with each smaller threshold of the distance, from 0.8 to 0.05."""
    where = {"table": "retention", "method": "limit", "metric": "accuracy kept", **ALL}
    kept = rows.wide("at", **where)
    complete(kept, [f"{limit:g}" for limit in LIMITS], f"accuracy kept at {len(LIMITS)} thresholds")
    by_size = {limit: kept[f"{limit:g}"] for limit in LIMITS}
    return noted(rows, falling(by_size, "accuracy kept, from threshold to threshold"))


@claim_test("mlm-distance-tells-errors", CHAPTER)
def distance_tells_errors(rows: Reader) -> Verdict:
    """The distance to the predicted centroid ranks errors above right answers: AUROC over one half."""
    found = rows.estimate(table="abstention", method="distance", metric="auroc", **ALL)
    return noted(rows, above(found, 0.5, "AUROC of the distance"))


@claim_test("mlm-all-probabilities", CHAPTER)
def all_probabilities(rows: Reader) -> Verdict:
    """The distance reads all ten probabilities: it orders errors better than the largest alone; paired by network."""
    where = {"table": "abstention", **ALL}
    auroc, area = (
        {name: rows.by_seed(method=name, metric=metric, **where) for name in ("distance", "max softmax")}
        for metric in ("auroc", "risk-coverage area")
    )
    told = "area under the risk-coverage curve, Max Softmax minus the distance"
    parts = [
        greater(auroc["distance"], auroc["max softmax"], "AUROC, the distance minus Max Softmax"),
        greater(area["max softmax"], area["distance"], told),
    ]
    return noted(rows, every(parts))


@claim_test("mlm-adds-to-confusion", CHAPTER)
def adds_to_confusion(rows: Reader) -> Verdict:
    """It orders the confusions of perturbed images better than the confusion matrix of clean ones does."""
    where = {"table": "agreement", "metric": "spearman", **ALL}
    ours, clean = (rows.by_seed(method=method, **where) for method in ("minimum", "clean confusion"))
    return noted(rows, greater(ours, clean, "Spearman's correlation with confusions, the matrix minus clean misses"))
