"""What is no number, and no confidence, is told wherever measures take them."""

import numpy as np
import pytest
import torch

from mistrust import evaluation, random
from mistrust.errors import MistrustError
from mistrust.evaluation import matthews

WORDS = ["high", "low", "high"]
TAKE = {
    "auroc": lambda x: evaluation.auroc(x, [0, 1, 0]),
    "average_precision": lambda x: evaluation.average_precision(x, [0, 1, 0]),
    "risk_coverage": lambda x: evaluation.risk_coverage(x, [0, 1, 0]),
    "between_models": evaluation.between_models,
    "spearman": lambda x: evaluation.spearman(x, [1, 2, 3]),
    "partial_spearman": lambda x: evaluation.partial_spearman([1, 2, 3], x, []),
    "average_ranks": lambda x: evaluation.average_ranks([x, x]),
    "concordance": lambda x: evaluation.kendall_w([x, x]),
    "matthews": lambda x: evaluation.matthews([x, x, x]),
    "permutation_p": lambda x: evaluation.permutation_p(1.0, x),
    "cliques": lambda x: evaluation.cliques(x, 1.0),
}


@pytest.mark.parametrize("name", TAKE)
@pytest.mark.parametrize("given", [WORDS, [[1], [1, 2]], ["1", "2", "3"]])
def test_what_is_no_number_is_named(name, given):
    with pytest.raises(MistrustError, match=r"are .*, expected numbers, as many in each row"):
        TAKE[name](given)


@pytest.mark.parametrize("confidence", [95, 0, 1, "0.95", None, float("nan"), True])
@pytest.mark.parametrize(
    "give",
    [
        lambda c: evaluation.share(3, 10, confidence_level=c),
        lambda c: evaluation.clustered_share([True, False], [0, 1], confidence_level=c),
        lambda c: evaluation.bounded_auroc(0.9, 20, 30, confidence_level=c),
        lambda c: evaluation.between_models([0.1, 0.2], confidence_level=c),
        lambda c: evaluation.rank_correlation(range(9), range(9), confidence_level=c),
        lambda c: evaluation.percentile_interval(np.arange(9.0), confidence_level=c),
    ],
)
def test_a_confidence_is_a_number_between_0_and_1(give, confidence):
    with pytest.raises(MistrustError, match=r"^confidence_level is .*, expected a number in \(0, 1\)"):
        give(confidence)


@pytest.mark.parametrize("counts", [("3", 10), (3, None), (3.5, 10), (11, 10), (0, 0), (float("nan"), 3)])
def test_a_share_is_of_whole_numbers(counts):
    with pytest.raises(MistrustError, match=r"expected numbers|whole numbers, got"):
        evaluation.share(*counts)


def test_counts_may_be_of_any_library():
    plain = evaluation.share(3, 10)
    assert evaluation.share(np.int64(3), torch.tensor(10)) == plain


def test_a_bootstrap_asks_for_a_function():
    with pytest.raises(MistrustError, match="statistics is 'mean', expected a function"):
        evaluation.cluster_bootstrap([0, 1], "mean", 20, random.generator(0, "example"))


@pytest.mark.parametrize("name", TAKE)
@pytest.mark.parametrize("given", [torch.ones(3, requires_grad=True), [1, 2, 10**400], np.array([1, 2, 3j])])
def test_what_no_float_holds_is_refused(name, given):
    rows = {"average_ranks": evaluation.average_ranks, "concordance": evaluation.kendall_w, "matthews": matthews}
    take = TAKE[name]
    if name in rows and isinstance(given, torch.Tensor):  # not a list of tensors
        given, take = given.expand(3, 3), rows[name]
    with pytest.raises(MistrustError, match=r"expected numbers, as many in each row \(of a tensor: \.detach\(\)\)"):
        take(given)


@pytest.mark.parametrize(
    "take",
    [
        lambda x: evaluation.auroc([0.1, 0.2, 0.3], x),
        lambda x: evaluation.clustered_share([1, 0, 1], x),
        lambda x: evaluation.clustered_rank_correlation([1, 2, 3], [1, 2, 3], x, 9, random.generator(0, "example")),
        lambda x: evaluation.cluster_bootstrap(x, lambda w: w.sum(), 9, random.generator(0, "example")),
    ],
)
def test_outcomes_and_clusters_have_no_gradient(take):
    with pytest.raises(MistrustError, match=r"\.detach\(\)"):
        take(torch.ones(3, requires_grad=True))
    take(torch.tensor([1.0, 0.0, 1.0]))
