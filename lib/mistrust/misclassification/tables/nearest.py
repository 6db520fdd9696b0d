"""Rows of the images behind the matrix: for each cell those that come nearest to the other class's centroid."""

from collections.abc import Sequence

from mistrust.misclassification.tables.sweep import Row, Sweep


def nearest(sweep: Sweep, settings: Sequence[tuple[str, int]], count: int = 3) -> list[Row]:
    """For each cell the `count` base images of class y whose nearest version comes nearest to centroid c.

    Parameters
    ----------
    settings : perturbation and level of each stretch of the sweep, all of one length.

    Examples
    --------
    >>> softmax = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]], dtype=torch.float64)
    >>> distance = torch.tensor([[0.1, 0.9], [0.8, 0.2], [0.4, 0.6], [0.7, 0.3]], dtype=torch.float64)
    >>> labels, base, level = torch.tensor([0, 1, 0, 1]), torch.tensor([7, 8, 7, 8]), torch.tensor([1, 1, 2, 2])
    >>> sweep = Sweep(softmax, distance, labels, base, level, ("cat", "dog"))
    >>> for row in nearest(sweep, [("fog", 1), ("fog", 2)]):
    ...     row["at"], row["note"], row["condition"], row["level"], row["value"]
    ('cat>dog', 'id 7', 'perturbed/fog', 2, 0.6)
    ('dog>cat', 'id 8', 'perturbed/fog', 2, 0.7)
    """
    per = len(sweep.labels) // len(settings)
    own = [(sweep.labels == y).nonzero().flatten() for y in range(len(sweep.classes))]
    rows: list[Row] = []
    for y, c, at in sweep.cells:
        seen: list[int] = []
        for index in own[y][sweep.distance[own[y], c].argsort(stable=True)].tolist():
            image = int(sweep.base[index])
            if image in seen:
                continue
            seen.append(image)
            name, level = settings[index // per]
            rows.append({
                "table": "nearest", "method": f"nearest {len(seen)}", "condition": f"perturbed/{name}", "level": level,
                "at": at, "metric": "distance", "value": float(sweep.distance[index, c]), "n": 1, "note": f"id {image}",
            })  # fmt: skip
            if len(seen) == count:
                break
    return rows
