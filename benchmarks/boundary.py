"""Seconds and queries that attacks by labels alone need to come equally near, starts included: ours and foolbox 3's.

    python benchmarks/boundary.py                                   # tens of minutes to hours, by the machine
    python benchmarks/boundary.py --images 20 --steps 30 100 --network mlm-cnn --no-rows     # does it run?

Ours is `mistrust.search.attack` with "boundary", the paper's algorithm (foolbox 2's), batched, with "boundary-quick",
the same with other numbers, with "boundary-smooth", which also draws directions of low frequencies alone, and with
HopSkipJump, whose steps are jumps that cost hundreds of queries. For each number of steps it is timed from the images
to the result, and the median MAE that it ends with is what foolbox 3.3.4's `BoundaryAttack` then has to reach on the
same images and the same network, in one run that is watched: after which step its median MAE has come down to which
value. Watching is not counted. Where foolbox gets down to none of them within `--limit` steps, the row is a lower bound
of the ratio and its note says so.

Both start by themselves where noise can be named otherwise. For the other class of a pair foolbox's own start asks for
1,000 noise images each and then refuses the whole batch; there it is given its `DatasetAttack`, fed with the evaluation
set, and what its own start wasted is not counted. The share of time spent in the network is that of both sides.
Processor time on one thread, so that other work on the machine stretches neither side.
"""

import argparse
import warnings
from contextlib import suppress
from time import process_time
from typing import Any

import torch
from timing import taken_on
from torch import Tensor, nn

from mistrust import paths, rows
from mistrust.data import ImageSet, load
from mistrust.networks import Classifier, Recipe, trained
from mistrust.search.attack import distances
from mistrust.search.attack.found import NOISE

with warnings.catch_warnings():  # foolbox imports a name that scipy has moved
    warnings.simplefilter("ignore")
    from foolbox import Misclassification, PyTorchModel
    from foolbox.attacks import BoundaryAttack, DatasetAttack, LinearSearchBlendedUniformNoiseAttack

PEER = "foolbox 3.3.4"
OURS = ("boundary", "boundary-quick", "boundary-smooth", "hopskip", "hopskip-smooth")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="mnist5k")
    parser.add_argument("--pair", nargs=2, type=int, default=[4, 9], help="the two classes")
    parser.add_argument("--network", default="sdr-cnn-small", help="mistrust list architectures")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--images", type=int, default=200, help="of each of the two classes as predicted")
    parser.add_argument("--steps", nargs="+", type=int, default=[100, 300, 1000], help="of ours")
    parser.add_argument("--jumps", nargs="+", type=int, default=[5, 10, 20], help="of ours, with HopSkipJump")
    parser.add_argument("--methods", nargs="+", default=list(OURS), help="of ours")
    parser.add_argument("--limit", type=int, default=25000, help="steps of foolbox at most; its own default")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(1)
    train, test = (pair(load(options.data, part), options.pair) for part in ("train", "test"))
    recipe = Recipe(epochs=options.epochs, batch=32, rate=1e-3, optimiser="adam")
    classifier = trained(options.network, train, recipe, 0)
    predicted = torch.cat([classifier(some).argmax(1) for some in test.floats().split(256)])
    found = []
    print(
        f"{'class':6s}{'steps':>6s}{'side':>20s}{'start':>8s}{'seconds':>10s}{'queries':>9s}{'network':>9s}{'MAE':>10s}"
    )
    for label, name in enumerate(test.classes):
        some = test.take((predicted == label).nonzero()[: options.images, 0])
        found += compared(classifier, some, test, options, at=name)
    if not options.no_rows:
        note = taken_on(1)
        for row in found:
            row["note"] = "; ".join(filter(None, [row.get("note", ""), note]))
        new = rows.table(found, chapter="benchmarks", table="boundary", data=options.data, network=options.network)
        rows.update(new, paths.results() / "benchmarks" / "boundary.csv")


def pair(images: ImageSet, classes: list[int]) -> ImageSet:
    """The images of two classes, labelled 0 and 1."""
    kept = images.take(torch.isin(images.labels, torch.tensor(classes)))
    names = tuple(images.classes[one] for one in classes)
    return ImageSet(images.name, kept.images, (kept.labels == classes[1]).long(), kept.ids, names)


class Watched(nn.Module):
    """A network that counts the images that it is shown and the seconds in it."""

    def __init__(self, classifier: Classifier) -> None:
        super().__init__()
        self.classifier, self.seconds, self.images = classifier, 0.0, 0

    @torch.no_grad()
    def forward(self, images: Tensor) -> Tensor:
        """Logits, counted and timed."""
        start = process_time()
        out = self.classifier.network(self.classifier.scaled(images))
        self.seconds += process_time() - start
        self.images += len(images)
        return out


def compared(
    classifier: Classifier, some: ImageSet, test: ImageSet, options: argparse.Namespace, at: str
) -> list[dict[str, Any]]:
    """Rows of the images of one predicted class."""
    distances(classifier, some.take(slice(0, 8)), donors=test, steps=3, blends=10)  # to warm up
    ours: list[tuple[str, int, dict[str, float]]] = []
    for method in options.methods:
        for steps in options.jumps if method.startswith("hopskip") else options.steps:
            network = Watched(classifier)
            start = process_time()
            done = distances(lambda images, n=network: n(images).argmax(1), some, method, donors=test, steps=steps)
            seconds = process_time() - start
            kind = max(done.kinds, key=lambda name: done.kinds[name])
            asked, share = network.images / len(some), network.seconds / seconds
            found = {"seconds": seconds, "queries": asked, "share": share, "mae": float(done.mae.median())}
            ours.append((method, steps, found))
            tell(at, steps, method, kind, found)
    ours.sort(key=lambda each: -each[2]["mae"])
    theirs = foolbox(classifier, some, test, kind == NOISE, [each["mae"] for _, _, each in ours], options.limit)
    result = []
    for (method, steps, mine), (reached, yours) in zip(ours, theirs, strict=True):
        tell(at, steps, f"as {method}" if reached else f"not {method}", kind, yours)
        note = f"{kind} starts" + ("" if reached else ", lower bound")
        here = {"method": method, "at": at, "level": steps, "n": len(some), "note": note}
        for metric, of in (("ratio", "seconds"), ("ratio of queries", "queries")):
            result.append({**here, "condition": PEER, "metric": metric, "value": yours[of] / mine[of]})
        for condition, side in (("", mine), (PEER, yours)):
            for metric, value in side.items():
                name = "network share" if metric == "share" else metric
                result.append({**here, "condition": condition, "metric": name, "value": value})
    return result


class Enough(Exception):
    """Foolbox has come down to the last distance."""


class Trail(Watched):
    """Watches foolbox: takes over what foolbox takes over, to know how near its images are after every step."""

    def __init__(self, classifier: Classifier, originals: Tensor, label: Tensor, targets: list[float]) -> None:
        super().__init__(classifier)
        self.originals, self.label, self.targets = originals, label, targets
        self.current: Tensor | None = None
        self.step, self.on_sphere, self.watching = -1, False, 0.0
        self.reached: list[dict[str, float]] = []
        self.begun = process_time()

    def forward(self, images: Tensor) -> Tensor:
        """Logits; once the search has begun, with a look at how near it is."""
        out = super().forward(images)
        start = process_time()
        if self.current is not None:
            self._follow(images, out.argmax(1) != self.label)
            self.watching += process_time() - start
            if len(self.reached) == len(self.targets):
                raise Enough
        return out

    def _follow(self, images: Tensor, other: Tensor) -> None:
        if self.on_sphere:  # asked for on every tenth step besides, never taken over
            self.on_sphere = False
            return
        self.step += 1  # the call before the first step checks the starts
        old, new = ((each - self.originals).flatten(1).norm(dim=1) for each in (self.current, images))
        nearer = other & (new < old)
        self.current[nearer] = images[nearer]
        self.on_sphere = self.step > 0 and self.step % 10 == 0
        now = self.now()
        while len(self.reached) < len(self.targets) and now["mae"] <= self.targets[len(self.reached)]:
            self.reached.append(now)

    def now(self) -> dict[str, float]:
        """Seconds so far without those of watching, queries an image, share in the network, and median MAE."""
        seconds = process_time() - self.begun - self.watching
        mae = float((self.current - self.originals).abs().flatten(1).mean(1).median())
        asked = self.images / len(self.originals)
        return {"seconds": seconds, "queries": asked, "share": self.seconds / seconds, "mae": mae}


def foolbox(
    classifier: Classifier, some: ImageSet, test: ImageSet, noise: bool, targets: list[float], limit: int
) -> list[tuple[bool, dict[str, float]]]:
    """Whether foolbox came down to each of these median MAEs, and where it was then (or at the end)."""
    pixels = some.floats()
    label = classifier(pixels).argmax(1)
    trail = Trail(classifier, pixels, label, targets)
    model = PyTorchModel(trail.eval(), bounds=(0, 1), device="cpu")
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        # The first is what BoundaryAttack does by itself.
        begin = LinearSearchBlendedUniformNoiseAttack(steps=50) if noise else DatasetAttack()
        if not noise:
            begin.feed(model, test.floats())
        points = begin.run(model, pixels, Misclassification(label))
        trail.current = points.clone()
        with suppress(Enough):
            BoundaryAttack(steps=limit).run(model, pixels, Misclassification(label), starting_points=points)
    missing = len(targets) - len(trail.reached)
    return [(True, each) for each in trail.reached] + [(False, trail.now())] * missing


def tell(at: str, steps: int, side: str, kind: str, found: dict[str, float]) -> None:
    print(
        f"{at:6s}{steps:6d}{side:>20s}{kind:>8s}{found['seconds']:10.2f}{found['queries']:9.0f}{found['share']:9.0%}"
        f"{found['mae']:10.5f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
