"""How many passes do the autoencoder and Dissector need? Their AUROC after few and after more.

    python benchmarks/epochs.py                                    # half an hour on a quiet core
    python benchmarks/epochs.py --method autoencoder --epochs 8 16 30    # one of the two alone
    python benchmarks/epochs.py --images 1000 --epochs 1 2 --no-rows    # does it run?

Both are fitted on all nominal training images. Bad inputs are the other set's test images ("invalid") and corrupted
test images of the set; each time as many, the first of the test part, against nominal ones. The autoencoder is trained
once and looked at on its way. Dissector watches a fully connected network with ReLU; it is fitted anew for each number,
and may stop before. One seed: the scatter between trainings is not in these numbers.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace

import torch

from mistrust import paths, rows
from mistrust.data import ImageSet, load
from mistrust.evaluation import auroc
from mistrust.inputs import fashion_mnist_c, mnist_c
from mistrust.networks import ARCHITECTURES, observe, trained
from mistrust.store import Scratch
from mistrust.supervisors import make_supervisor
from mistrust.supervisors.autoencoder import cross_entropy
from mistrust.supervisors.conv_vae import ConvVae, VaeRecipe, train, with_weights

OTHER = {"mnist": "fmnist", "fmnist": "mnist"}
CORRUPTED = {"mnist": mnist_c, "fmnist": fashion_mnist_c}
NETWORK = "ambiguess-fc-relu"
TESTED = 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, nargs="+", default=[2, 4, 8, 10, 16])
    parser.add_argument("--images", type=int, default=0, help="nominal training images; 0 takes all")
    parser.add_argument("--method", nargs="+", choices=list(MEASURES), default=list(MEASURES), help="which supervisors")
    parser.add_argument("--data", nargs="+", choices=list(OTHER), default=list(OTHER))
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    os.environ["MISTRUST_STORE"] = tempfile.mkdtemp()  # nothing of it is wanted again
    for name in options.data:
        nominal = load(name, "train")
        nominal = nominal.take(slice(0, options.images)) if options.images else nominal
        tested = load(name, "test")
        sets = {
            "nominal": tested.take(slice(0, TESTED)), "invalid": foreign(OTHER[name], tested),
            "corrupted": CORRUPTED[name](tested).images.take(slice(0, TESTED)),
        }  # fmt: skip
        for method in options.method:
            for epochs, found in MEASURES[method](nominal, sets, sorted(options.epochs)):
                for condition, value in found.items():
                    print(f"{name:8s}{method:14s}{epochs:4d} passes  {condition:12s}{value:.4f}", flush=True)
                if options.no_rows:
                    continue
                lines = [{"condition": condition, "value": value} for condition, value in found.items()]
                note = f"{len(nominal)} training images, seed 0, torch {torch.__version__}"
                about = {"chapter": "benchmarks", "table": "epochs", "metric": "auroc", "n": 2 * TESTED, "note": note}
                new = rows.table(lines, data=name, method=method, level=epochs, **about)
                rows.update(new, paths.results() / "benchmarks" / "epochs.csv")  # as soon as it is known


def autoencoder(
    nominal: ImageSet, sets: dict[str, ImageSet], marks: list[int]
) -> Iterator[tuple[int, dict[str, float]]]:
    """AUROC by kind after each number of passes of one training."""
    scratch = Scratch(None)
    for epochs in marks:
        weights = train(nominal, VaeRecipe(epochs=epochs), 0, scratch=scratch)
        network = with_weights(tuple(nominal.images.shape[1:]), weights)
        yield epochs, areas({name: errors(network, images) for name, images in sets.items()})


@torch.no_grad()
def errors(network: ConvVae, images: ImageSet) -> torch.Tensor:
    """What the supervisor scores: the cross-entropy of what is rebuilt from the mean of the code."""
    pixels = images.floats()
    return cross_entropy(network.logits(network.posterior(pixels)[0]), pixels)


def dissector(nominal: ImageSet, sets: dict[str, ImageSet], marks: list[int]) -> Iterator[tuple[int, dict[str, float]]]:
    """AUROC by kind, fitted anew for each number of passes at most."""
    entry = ARCHITECTURES[NETWORK]
    classifier = trained(NETWORK, nominal, entry.recipe, 0)
    learned = observe(classifier, nominal)
    seen = {name: observe(classifier, images) for name, images in sets.items()}
    for epochs in marks:
        fitted = make_supervisor("dissector", layers=entry.dissector, epochs=epochs).fit(learned)
        yield epochs, areas({name: fitted.score(record) for name, record in seen.items()})


def foreign(name: str, tested: ImageSet) -> ImageSet:
    """Images of another set; the classes are those that the classifier knows, and no label is right."""
    images = load(name, "test").take(slice(0, TESTED))
    return replace(images, labels=torch.zeros_like(images.labels), classes=tested.classes)


def areas(scores: dict[str, torch.Tensor]) -> dict[str, float]:
    """AUROC of each kind against nominal images."""
    nominal = scores.pop("nominal")
    return {
        name: auroc(torch.cat([nominal, bad]), torch.arange(len(nominal) + len(bad)) >= len(nominal))
        for name, bad in scores.items()
    }


MEASURES = {"dissector": dissector, "autoencoder": autoencoder}


if __name__ == "__main__":
    main()
