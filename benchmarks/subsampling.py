"""What do fewer training rows cost? AUROC of supervisors that grow with them, fitted on a part of the rows.

    python benchmarks/subsampling.py                                        # mnist and fmnist; about half an hour
    python benchmarks/subsampling.py --data mnist5k                         # minutes
    python benchmarks/subsampling.py --methods vim                          # one of them alone
    python benchmarks/subsampling.py --data mnist5k --images 600 --tested 200 --draws 1 --epochs 1 --no-rows

The convolutional network of AmbiGuess, trained on all nominal training images; supervisors are fitted on 1/1, 1/3, 1/10
and 1/30 of these, drawn by predicted class, several times. Bad inputs are those of the chapter that need nothing made
first: the other set's test images ("invalid"; patches of photographs for `mnist5k`) and corrupted test images. Each
kind is as many as the nominal ones. The draws show the scatter; of the whole there is one. KNN keeps its 50 neighbours,
which of few rows are many. Time and memory by rows are in `surprise.py`, so that a loss stands beside what it saves.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence

import torch

from mistrust import paths, rows
from mistrust.data import ImageSet, load
from mistrust.evaluation import auroc
from mistrust.inputs import fashion_mnist_c, mnist_c
from mistrust.networks import ARCHITECTURES, Recipe, Record, observe, trained
from mistrust.supervisors import make_supervisor
from mistrust.supervisors.experiment.invalid import invalid
from mistrust.supervisors.surprise import part_of

ARCHITECTURE = "ambiguess-conv"
# All read the layer that the paper reads.
METHODS = ("dsa", "lsa", "mdsa", "knn", "relative_mahalanobis", "vim")
CORRUPT = {"fmnist": fashion_mnist_c}  # others: mnist_c


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=["mnist", "fmnist"], choices=["mnist", "fmnist", "mnist5k"])
    parser.add_argument("--parts", type=int, nargs="+", default=[1, 3, 10, 30], help="3 keeps a third")
    parser.add_argument("--draws", type=int, default=5, help="parts of each size")
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS, help="which supervisors")
    parser.add_argument("--images", type=int, default=0, help="training images; 0 takes all")
    parser.add_argument("--tested", type=int, default=2000, help="test images of each kind")
    parser.add_argument("--epochs", type=int, default=0, help="of the network; 0 takes those of its recipe")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    os.environ["MISTRUST_STORE"] = tempfile.mkdtemp()  # nothing of it is wanted again
    print(f"{'data':8s} {'method':20s} {'part':>5s} {'rows':>7s} {'draw':>4s}  AUROC by kind")
    for name in options.data:
        train, seen = recorded(name, options)
        n = 2 * len(seen["nominal"])
        for part in options.parts:
            found: list[dict] = []
            for draw in range(options.draws if part > 1 else 1):
                kept = train.take(part_of(train.predicted, train.ids, 1 / part, draw))
                here = {"at": f"1/{part}", "level": part, "seed": draw}
                found.append({**here, "metric": "training rows", "value": len(kept)})
                for method, condition, value in areas(options.methods, kept, seen):
                    found.append({**here, "method": method, "condition": condition, "metric": "auroc", "value": value})
                    print(f"{name:8s} {method:20s} {'1/' + str(part):>5s} {len(kept):7,d} {draw:4d}  {condition} "
                          f"{value:.4f}", flush=True)  # fmt: skip
            if not options.no_rows:  # as soon as it is known
                note = f"{len(train)} training images, classifier of seed 0, torch {torch.__version__}"
                about = {"chapter": "benchmarks", "table": "subsampling", "n": n, "note": note}
                new = rows.table(found, data=name, network=ARCHITECTURE, **about)
                rows.update(new, paths.results() / "benchmarks" / "subsampling.csv")


def recorded(name: str, options: argparse.Namespace) -> tuple[Record, dict[str, Record]]:
    """What the network did with the training images, and with the test images of each kind."""
    entry, nominal = ARCHITECTURES[ARCHITECTURE], load(name, "train")
    nominal = nominal.take(slice(0, options.images)) if options.images else nominal
    recipe = Recipe(epochs=options.epochs, optimiser="adam") if options.epochs else entry.recipe
    classifier = trained(ARCHITECTURE, nominal, recipe, 0)
    tested = load(name, "test").take(slice(0, options.tested))
    sets: dict[str, ImageSet] = {
        "nominal": tested,
        "invalid": invalid(name, tested).take(slice(0, len(tested))),
        "corrupted": CORRUPT.get(name, mnist_c)(tested).images,
    }
    seen = {kind: observe(classifier, images, layers=[entry.surprise]) for kind, images in sets.items()}
    return observe(classifier, nominal, layers=[entry.surprise]), seen


def areas(methods: Sequence[str], train: Record, seen: Mapping[str, Record]) -> Iterator[tuple[str, str, float]]:
    """AUROC of each method and kind against nominal images."""
    for method in methods:
        one = make_supervisor(method).fit(train)
        scores = {kind: one.score(record) for kind, record in seen.items()}
        nominal = scores.pop("nominal")
        for kind, bad in scores.items():
            yield method, kind, auroc(torch.cat([nominal, bad]), torch.arange(len(nominal) + len(bad)) >= len(nominal))


if __name__ == "__main__":
    main()
