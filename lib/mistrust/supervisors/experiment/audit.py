"""How often does bisection miss the first epsilon that fools? A few images of the attacks that it serves, once more."""

from collections.abc import Iterator

import torch

from mistrust.evaluation import share
from mistrust.inputs.epsilons import NATURAL_ERROR, attacked
from mistrust.supervisors.experiment.tested import ADVERSARIAL, EPSILONS, SEARCHES, UnderTest
from mistrust.supervisors.tables import Row

AUDITED = 100  # images of each attack; every epsilon in turn takes about four times as long as bisection
LEAST = 20  # of fewer a share tells nothing, and a short run is spared the time


def audited(one: UnderTest) -> Iterator[Row]:
    """Rows of the table "audit": of attacked images the share that an earlier epsilon fools than bisection gave.

    The first images of each attack's part that were right before it. Natural errors are not attacked, so they tell
    nothing.
    """
    tried, seed = one.attacked, one.parameters.seed + one.run
    for position, name in enumerate(tried.attacks):
        if SEARCHES[name] != "bisection":
            continue
        mine = (tried.attack == position) & (tried.outcome != NATURAL_ERROR)
        rows = mine.nonzero()[:AUDITED, 0]
        if len(rows) < LEAST:
            continue
        again = attacked(one.classifier, one.tried.take(rows), name, EPSILONS, seed=seed, search="ascending")
        given = tried.epsilon[rows]
        earlier = again.epsilon.nan_to_num(torch.inf) < given.nan_to_num(torch.inf)
        row = {"table": "audit", "condition": ADVERSARIAL, "method": name, "metric": "share earlier"}
        found = share(int(earlier.sum()), len(rows))
        yield {**row, "value": found.value, "low": found.low, "high": found.high, "over": "images", "n": len(rows)}
