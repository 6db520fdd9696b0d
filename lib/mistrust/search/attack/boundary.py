"""The boundary attack of the paper: foolbox 2's algorithm, batched over images with the law of one at a time.

Brendel, Rauber and Bethge, Decision-based adversarial attacks, ICLR 2018 (arXiv 1712.04248), as foolbox 2.0.0 does it
with batch size 1 and without tuning, which would make the result depend on the machine's speed. Every image has its
own random numbers, step sizes, queues and its own place in the algorithm: in each round, each image asks the one
question that it would ask next if it were alone. So no image waits until the others are through their 25 directions,
the batch stays full, and what comes of an image does not depend on it.

As published, images are accepted by MAE although the geometry shrinks the Euclidean distance: the attack converges to
the nearest point in the Euclidean sense and gives its MAE, or a little less. Foolbox also gives up after 1,000 refused
images, which it takes for numerical errors; with at most 1,000 steps that cannot happen, and here it does not.
"""

from collections.abc import Iterable

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from mistrust.data import ImageSet
from mistrust.inputs.limits import whole, within
from mistrust.progress import bar
from mistrust.search.attack import streams
from mistrust.search.attack.asking import Network
from mistrust.search.attack.found import Distances, Kept, Trace, measured, traced
from mistrust.search.attack.opened import Opened, opened
from mistrust.search.attack.queues import LENGTHS
from mistrust.search.attack.starts import BLENDS, NAME, PROBES
from mistrust.search.attack.walk import Rules, Walk


def boundary(
    network: Network,
    images: ImageSet | Float[Tensor, "n c h w"],
    *,
    ids: Int64[Tensor, " n"] | None = None,
    donors: ImageSet | Float[Tensor, "m c h w"] | None = None,
    seed: int = 0,
    steps: int = 1000,
    directions: int = 25,
    spherical_step: float = 0.01,
    source_step: float = 0.01,
    adaptation: float = 1.5,
    check_every: int = 10,
    queues: tuple[int, int] = LENGTHS,
    frequencies: float = 1.0,
    blends: int = BLENDS,
    probes: int = PROBES,
    trace: Iterable[int] = (),
    block: int | None = None,
) -> Distances:
    """Find an image near each that the network names otherwise, by labels alone.

    Parameters
    ----------
    network : a `Classifier`, or any callable from images in [0, 1] to labels; its queries are counted.
    images, ids : what is searched, and what its random numbers are keyed by.
    donors : the evaluation set that starts are taken from where noise does not work; the images themselves when not
        given, and then a start depends on which images are searched together.
    seed : of all random numbers.
    steps : at most, each of up to `directions` proposals. 1,000 in the paper.
    spherical_step, source_step, adaptation : sizes of the first step, and the factor by which they change.
    check_every, queues : how often, and from how many of the last answers, the step sizes are adapted: 10 and
        (100, 30) as published. The first steps shorten the distance by 1 % each; the table's "boundary-quick" begins
        with 5 % and adapts sooner, and needs a fraction of the queries to come as near.
    frequencies : the share of height's and of width's frequencies that directions are drawn of; 1 as published, all.
        With half, as in "boundary-smooth", a network whose boundary bends along smooth changes is left with a fraction
        of the queries again; one that heeds single pixels alone is left later, and at a greater distance.
    blends, probes : of the starts, see `started`; probes=0 goes for donors at once.
    trace : steps after which the distance so far is kept; 0 is the start.
    block : images at work at a time, which bounds memory; the next ones come in as these are done. None: 512 on a CPU,
        4,096 elsewhere. It changes no result.

    Raises
    ------
    MistrustError
        A parameter, images or ids outside what is said here; a network that gives no labels.

    Examples
    --------
    The class changes where the mean passes 0.5, so that no image nearer than 0.2 to this one is of the other class.
    Ten steps end a little above that, at the price of some hundred queries:

    >>> bright = lambda images: (images.flatten(1).mean(1) > 0.5).long()
    >>> found = boundary(bright, torch.full((1, 1, 4, 4), 0.3), steps=10)
    >>> bool(0.2 <= found.mae.item() < 0.25), bool(500 < found.queries.item() < 1500)
    (True, True)
    """
    rules = Rules(
        whole("steps", steps, 0), whole("directions", directions, 1), within("spherical_step", spherical_step, 1e-12),
        within("source_step", source_step, 1e-12), within("adaptation", adaptation, 1),
        whole("check_every", check_every, 1), (whole("queues", queues[0], 1), whole("queues", queues[1], 1)),
        within("frequencies", frequencies, 1e-6, 1),
    )  # fmt: skip
    at = traced(trace, rules.steps)
    begun = opened(network, images, ids=ids, donors=donors, seed=seed, blends=blends, probes=probes, block=block)
    return begun.ended("boundary", *_walked(begun, rules, streams.keys(seed, NAME, begun.searched.ids), at))


def _walked(
    begun: Opened, rules: Rules, keys: Int64[Tensor, " n"], at: Int64[Tensor, " s"]
) -> tuple[Float[Tensor, "n d"], Int64[Tensor, " n"], Trace | None]:
    """Let every search that has a start walk; gives the nearest images found, queries, and the trace."""
    asked, searched, start = begun.asked, begun.searched, begun.start
    best, queries = start.points.to(asked.dtype, copy=True), begun.queries
    mae = measured(searched.pixels, best)[0].where(start.found, torch.inf)
    kept = Kept(at, mae, queries)

    def new(rows: Tensor) -> Walk:
        return Walk(
            asked, rules, rows=rows, original=searched.pixels[rows], label=searched.label[rows], key=keys[rows],
            current=start.points[rows], queries=queries[rows],
        )  # fmt: skip

    waiting = start.found.nonzero()[:, 0] if rules.steps else start.found.new_zeros(0, dtype=torch.int64)
    walk, waiting = new(waiting[: asked.block]), waiting[asked.block :]
    with bar(len(queries) * rules.steps, "boundary attack", "step") as progress:
        while len(walk):
            ended = walk.ask()
            if not len(ended):
                continue
            if kept:
                kept.keep(walk.at.row[ended], walk.at.step[ended], walk.best(ended)[1], walk.at.queries[ended])
            stopped = walk.end(ended)
            progress.update(len(ended))
            if len(stopped):
                done = walk.at.row[stopped]
                best[done], queries[done] = walk.best(stopped)[0], walk.at.queries[stopped]
                progress.update(int((rules.steps + 1 - walk.at.step[stopped]).sum()))
                going = torch.ones(len(walk), dtype=torch.bool, device=done.device)
                going[stopped] = False
                walk.take(going.nonzero()[:, 0])
                room = asked.block - len(walk)
                if len(waiting) and room:
                    walk.join(new(waiting[:room]))
                    waiting = waiting[room:]
    return best, queries, kept.trace()
