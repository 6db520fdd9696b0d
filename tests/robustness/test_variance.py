"""Variance components against statsmodels on balanced data, and exactly unbiased on the matrix with its holes."""

import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from statsmodels.formula.api import mixedlm, ols
from statsmodels.stats.anova import anova_lm

from mistrust.errors import MistrustError, UnknownName
from mistrust.random import generator
from mistrust.robustness.variance import COMPONENTS, REST, VarianceSplit, variance_split

TRUE = dict(zip((*COMPONENTS, REST), (9.0, 4.0, 1.0, 2.0, 0.5, 3.0, 0.7), strict=True))


def design(classes, images, seeds, diagonal=False):
    """Facets of every pair: ids are unique over classes, the diagonal missing unless asked for."""
    rows = [
        (s, t, s * images + i, z)
        for s in range(classes) for t in range(classes) for i in range(images) for z in range(seeds)
        if diagonal or s != t
    ]  # fmt: skip
    return dict(zip(("source", "target", "image", "seed"), torch.tensor(rows).T, strict=True))


def drawn(facets, true, key):
    """Values with one draw a level of each component."""
    draw, m = generator(0, key), len(facets["source"])
    total = np.full(m, 50.0)
    for name, variance in true.items():
        of = COMPONENTS.get(name)
        columns = np.arange(m)[:, None] if of is None else np.stack([facets[f].numpy() for f in of], 1)
        level = np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1)
        total += np.sqrt(variance) * draw.standard_normal(level.max() + 1)[level]
    return torch.from_numpy(total)


def test_two_way_crossed_is_the_analysis_of_variance():
    """Expected mean squares of the two-way random model with r images a cell, mean squares from statsmodels."""
    a, r = 5, 3
    facets = design(a, r, 1, diagonal=True)
    facets = {name: facets[name] for name in ("source", "target")}
    y = drawn(facets, {"source": 9, "target": 4, "source x target": 3, REST: 2}, "anova")
    table = pd.DataFrame({"y": y, **{name: column.numpy() for name, column in facets.items()}})
    squares = anova_lm(ols("y ~ C(source) * C(target)", table).fit())
    s, t, st, e = squares["sum_sq"] / squares["df"]
    found = variance_split(y, facets)
    assert found.n == a * a * r
    expected = {"source": (s - st) / (r * a), "target": (t - st) / (r * a), "source x target": (st - e) / r, REST: e}
    assert found.variance == pytest.approx(expected, abs=1e-9)


def test_all_components_are_those_of_restricted_likelihood_on_balanced_data():
    """REML equals the analysis of variance on balanced data where no component is below 0 (Searle and others, 1992)."""
    facets = design(4, 2, 3, diagonal=True)
    y = drawn(facets, {name: max(v, 1.0) for name, v in TRUE.items()}, "reml 3")
    found = variance_split(y, facets).variance
    assert min(found.values()) > 0
    table = pd.DataFrame({"y": y, **{name: column.numpy() for name, column in facets.items()}}).assign(all=1)
    table["source_target"] = table["source"] * 10 + table["target"]
    table["image_target"] = table["image"] * 10 + table["target"]
    parts = {name: f"0 + C({'_'.join(of)})" for name, of in COMPONENTS.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = mixedlm("y ~ 1", table, groups="all", vc_formula=parts).fit(reml=True)
    theirs = dict(zip(fit.model.exog_vc.names, fit.vcomp, strict=True)) | {REST: fit.scale}
    assert found == pytest.approx(theirs, rel=0.02)


@pytest.mark.whole
def test_it_is_exactly_unbiased_without_the_diagonal_and_with_failures():
    """An estimate is y'By; its mean is the sum of B times the covariance, whatever the distribution of y."""
    facets = design(3, 2, 2)
    m = len(facets["source"])
    failed = torch.zeros(m, dtype=torch.bool)
    failed[[1, 8, 9]] = True
    names = [*COMPONENTS, REST]

    def estimate(y):
        return np.array(list(variance_split(torch.where(failed, torch.nan, y), facets).variance.values()))

    unit = torch.eye(m, dtype=torch.float64)
    alone = [estimate(unit[i]) for i in range(m)]
    covariance = np.eye(m) * TRUE[REST]
    for name, of in COMPONENTS.items():
        alike = np.all([facets[f].numpy()[:, None] == facets[f].numpy()[None] for f in of], axis=0)
        covariance += TRUE[name] * alike
    there = [i for i in range(m) if not failed[i]]
    mean = np.zeros(len(names))
    for i in there:
        mean += alone[i] * covariance[i, i]
        for j in there:
            if j > i:  # y'By at e_i + e_j holds B_ij twice
                mean += (estimate(unit[i] + unit[j]) - alone[i] - alone[j]) * covariance[i, j]
    assert dict(zip(names, mean, strict=True)) == pytest.approx(TRUE, abs=1e-9)


@pytest.mark.whole
def test_known_components_are_found_on_a_matrix_of_the_real_size():
    facets = design(10, 6, 3)
    runs = [variance_split(drawn(facets, TRUE, f"size {i}"), facets) for i in range(30)]
    for name, true in TRUE.items():
        found = np.array([one.variance[name] for one in runs])
        assert abs(found.mean() - true) < 3.5 * found.std(ddof=1) / np.sqrt(len(runs))
    assert runs[0].n == 10 * 9 * 6 * 3
    assert sum(runs[0].shares.values()) == pytest.approx(1)


def test_laws():
    facets = design(4, 3, 2)
    y = drawn(facets, TRUE, "laws")
    one = variance_split(y, facets).variance
    assert variance_split(3 * y - 1000, facets).variance == pytest.approx({k: 9 * v for k, v in one.items()}, rel=1e-6)
    order = torch.from_numpy(generator(0, "order").permutation(len(y)))
    mixed = variance_split(y[order], {name: 100 - column[order] for name, column in facets.items()})
    assert mixed.variance == pytest.approx(one, rel=1e-9)


def test_what_cannot_be_told_apart_is_said():
    one_image = design(5, 1, 1)
    y = drawn(one_image, {name: TRUE[name] for name in ("source", "target", REST)}, "single")
    found = variance_split(y, one_image)
    assert sorted(name for name, v in found.variance.items() if np.isnan(v)) == [
        "image", "image x target", "seed", "source x target",
    ]  # fmt: skip
    fewer = variance_split(y, {name: one_image[name] for name in ("source", "target")})
    told = ("source", "target", REST)
    assert [found.variance[name] for name in told] == pytest.approx([fewer.variance[name] for name in told])
    assert np.isnan(found.shares["seed"])
    assert sum(v for v in found.shares.values() if v == v) == pytest.approx(1)


def test_a_component_below_zero_has_no_share():
    found = VarianceSplit({"source": -1.0, "target": 3.0, REST: 1.0}, 10)
    assert found.shares == {"source": 0, "target": 0.75, REST: 0.25}


def test_bad_input():
    facets = design(3, 2, 1)
    y = drawn(facets, TRUE, "bad")
    with pytest.raises(MistrustError, match="at least two values that are not NaN, got 0"):
        variance_split(torch.full_like(y, torch.nan), facets)
    with pytest.raises(MistrustError, match=r"Values of facet 'source' are torch\.float64, expected whole numbers"):
        variance_split(y, {"source": facets["source"].double()})
    with pytest.raises(UnknownName, match=r"no facet 'sourcs'. Did you mean 'source'\?"):
        variance_split(y, {"sourcs": facets["source"]})
    with pytest.raises(MistrustError, match=r"Facet 'target' has shape \(3,\), the values \(12,\)"):
        variance_split(y, {"target": torch.arange(3)})
    with pytest.raises(MistrustError, match="No component can be made of the facets none"):
        variance_split(y, {})
