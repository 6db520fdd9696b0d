"""How much of the spread of distances comes from the source, the target, the image, the seed, and how much is left.

A random-effects model: a value is a mean plus one independent draw for each level of each component, plus a rest.
Its variances are found from sums of squares: half the squared difference of two values has, on average, the summed
variances of those components in which the two differ. So the mean over all pairs of values that share a source, over
all that share a target, and so on, gives one linear equation each (symmetric sums: Koch, "A general approach to the
estimation of variance components", Technometrics 9, 1967; Koch, "Some further remarks", Technometrics 10, 1968). On
balanced data this is the analysis of variance; here the diagonal of the matrix is missing and failures leave holes,
and it stays unbiased as long as what is missing does not hang on the value. Failures do: they are the far ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from mistrust.errors import MistrustError, UnknownName
from mistrust.inputs.limits import whole_numbers

# What each component is the same in. An image has one source: "image" is the image within its class.
COMPONENTS: Mapping[str, tuple[str, ...]] = {
    "source": ("source",),
    "target": ("target",),
    "source x target": ("source", "target"),
    "image": ("image",),
    "seed": ("seed",),
    "image x target": ("image", "target"),
}
REST = "rest"


@dataclass(frozen=True)
class VarianceSplit:
    """Variance by component, in squared units of the values.

    Attributes
    ----------
    variance : estimates, unbiased, hence below 0 at times where a component is small; NaN where the values cannot tell
        it from another one (one image a class, one seed): its variance is then in what it cannot be told from.
    n : values that it rests on.
    """

    variance: dict[str, float]
    n: int

    @property
    def shares(self) -> dict[str, float]:
        """Shares of the sum of all components, those below 0 taken for 0; NaN where not to be told."""
        total = sum(max(v, 0.0) for v in self.variance.values() if v == v)
        return {name: max(v, 0.0) / total if v == v and total else float("nan") for name, v in self.variance.items()}


def variance_split(
    values: Float[Tensor, " m"],
    facets: Mapping[str, Int[Tensor, " m"]],
    components: Mapping[str, tuple[str, ...]] = COMPONENTS,
) -> VarianceSplit:
    """Split the variance of distances into components.

    Parameters
    ----------
    values : (m,) distances; NaN (failures) are left out.
    facets : (m,) whole numbers each: "source", "target", "image" (its id, one source each), "seed" (of the network, or
        of the noise).
    components : which facets each component is the same in; those with a facet that is not given are left out. Every
        value has a draw of its own besides, the rest.

    Raises
    ------
    MistrustError
        Fewer than two values, facets of another length or of no whole numbers, an unknown facet, no component.
    """
    for name, column in facets.items():
        whole_numbers(f"Values of facet '{name}'", column)
        known = {facet for of in components.values() for facet in of}
        if name not in known:
            raise UnknownName("facet", name, known)
        if column.shape != values.shape or values.ndim != 1:
            raise MistrustError(
                f"Facet '{name}' has shape {tuple(column.shape)}, the values {tuple(values.shape)}: expected (m,) in "
                "both, one number per value."
            )
    there = torch.isfinite(values)
    y = values[there].double().numpy()
    if len(y) < 2:
        raise MistrustError(f"A split of variance needs at least two values that are not NaN, got {len(y)}.")
    columns = {name: np.unique(column[there].numpy(), return_inverse=True)[1] for name, column in facets.items()}
    within = {name: of for name, of in components.items() if all(facet in columns for facet in of)}
    if not within:
        raise MistrustError(f"No component can be made of the facets {', '.join(facets) or 'none'}.")
    shared, moments = _equations(y, columns, list(within.values()))
    told = _told_apart(shared)
    solved = np.linalg.solve(shared[np.ix_(told, told)], moments[told])
    variance = dict.fromkeys((*within, REST), float("nan"))
    names = (REST, *within)
    variance.update({names[i]: float(v) for i, v in zip(told, solved, strict=True)})
    return VarianceSplit(variance, len(y))


def _equations(
    y: NDArray[np.float64], columns: Mapping[str, NDArray[np.int64]], within: list[tuple[str, ...]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of differing pairs (q, q) and mean half squared differences (q,), by what two values share.

    Row 0 is of all pairs of values, the others of those that share a component; column 0 is the rest, in which any two
    values differ.
    """
    y = y - y.mean()
    of = [(), *within]
    shared, moments = np.zeros((len(of), len(of))), np.zeros(len(of))
    for row, common in enumerate(of):
        group = _groups(columns, common, len(y))
        sizes = np.bincount(group).astype(np.float64)
        pairs = _pairs(sizes)
        if not pairs:
            continue
        deviation = y - (np.bincount(group, y) / sizes)[group]
        moments[row] = (sizes[group] * deviation**2).sum() / 2 / pairs
        shared[row, 0] = 1
        for column, other in enumerate(within, start=1):
            both = np.bincount(_groups(columns, tuple(dict.fromkeys((*common, *other))), len(y)))
            shared[row, column] = 1 - _pairs(both.astype(np.float64)) / pairs
    return shared, moments


def _groups(columns: Mapping[str, NDArray[np.int64]], facets: tuple[str, ...], n: int) -> NDArray[np.int64]:
    group = np.zeros(n, dtype=np.int64)
    for facet in facets:
        group = np.unique(group * (columns[facet].max() + 1) + columns[facet], return_inverse=True)[1]
    return group


def _pairs(sizes: NDArray[np.float64]) -> float:
    return float((sizes * (sizes - 1)).sum() / 2)


def _told_apart(shared: NDArray[np.float64]) -> list[int]:
    """Components whose equations can be solved together: the rest, then each that adds something to those before."""
    told = [0]
    for one in range(1, len(shared)):
        tried = [*told, one]
        if np.linalg.matrix_rank(shared[np.ix_(tried, tried)], tol=1e-9) == len(tried):
            told = tried
    return told
