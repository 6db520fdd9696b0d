"""MC-Dropout from cached features against repeating the whole network.

    python benchmarks/dropout.py                  # 100 samples of 256 images, one thread and two: two minutes
    python benchmarks/dropout.py --images 16 --rounds 1 --no-rows

Images are noise and weights random: neither changes how long a pass takes. Ours is `observe(..., samples=S)` with all
that it does besides: the plain pass, checks, masks keyed by image. Peers: "repeat" calls the network S times with its
dropout layers in training mode, as is usual, torch drawing the masks; "whole" is `observe` where it cannot take the
network apart, with the same masks as ours, by which results are compared. Sides are timed in turns, the best round
counts. Results are compared relative to the largest logit.
"""

import argparse
from collections import OrderedDict
from time import perf_counter

import torch
from timing import taken_on, working
from torch import nn

from mistrust import paths, random, rows
from mistrust.data import ImageSet
from mistrust.networks import ARCHITECTURES, DROPOUTS, Classifier, initialise, observe, wrap

# The conv net repeats a 1600x10 layer alone; of the others, the bar is to say what it is.
BARS = {"ambiguess-conv": 20.0}
AGREEMENT = 1e-6


class Opaque(nn.Sequential):
    """A sequence that `observe` does not take apart."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--architectures", nargs="+", default=["ambiguess-conv", "ambiguess-fc-relu"])
    parser.add_argument("--images", type=int, default=256)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="of torch, for all sides")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    images = noise(options.images)
    found = []
    for threads in options.threads if options.device == "cpu" else options.threads[-1:]:
        torch.set_num_threads(threads)
        found += beside(images, working(threads, options.device), options)
    print(f"\nLargest relative difference {max(r['value'] for r in found if r['metric'] == 'agreement'):.1e} "
          f"(bar {AGREEMENT:g})")  # fmt: skip
    if not options.no_rows:
        note = taken_on(device=options.device)
        about = {"chapter": "benchmarks", "table": "dropout", "data": "noise", "method": "mistrust"}
        new = rows.table(found, **about, n=options.images, note=note)
        rows.update(new, paths.results() / "benchmarks" / "dropout.csv")


def beside(images: ImageSet, worker: str, options: argparse.Namespace) -> list[dict]:
    """Rows of all networks; `worker` says how many threads, or which device."""
    print(f"\n{worker}: {options.samples} samples of {options.images} images, best of {options.rounds}, ms an image")
    print(f"{'network':18s} {'ours':>8s} {'repeat':>8s} {'whole':>8s} {'ratio':>7s} {'to whole':>9s} {'apart':>7s}")
    found = []
    for name in options.architectures:
        best, apart = timed(name, images, options)
        ms = {side: 1e3 * seconds / options.images for side, seconds in best.items()}
        ratios = {peer: best[peer] / best["ours"] for peer in ("repeat", "whole")}
        bar = f"   (bar {BARS[name]:g})" if name in BARS else ""
        print(f"{name:18s}" + "".join(f" {ms[side]:8.3f}" for side in ("ours", "repeat", "whole"))
              + f" {ratios['repeat']:7.1f} {ratios['whole']:9.1f} {apart:7.0e}{bar}", flush=True)  # fmt: skip
        here = {"network": name, "at": f"samples={options.samples}, {worker}", "level": options.samples}
        found.append({**here, "condition": "", "metric": "seconds", "value": best["ours"]})
        found += [{**here, "condition": peer, "metric": "ratio", "value": ratio} for peer, ratio in ratios.items()]
        found.append({**here, "condition": "whole", "metric": "agreement", "value": apart})
    return found


def noise(n: int) -> ImageSet:
    """Grey images of the size of MNIST's."""
    ids, classes = torch.arange(n), tuple("0123456789")
    return ImageSet("noise", random.uniform(0, "benchmark", ids, (1, 28, 28)), ids % 10, ids, classes)


def sides(name: str, device: str) -> tuple[Classifier, Classifier]:
    """The classifier, and the same one as a whole that cannot be taken apart."""
    network = ARCHITECTURES[name].build(1, (28, 28), 10)
    initialise(network, 0, ARCHITECTURES[name].initial)
    network.to(memory_format=torch.channels_last)
    classes = tuple("0123456789")
    whole = Opaque(OrderedDict(network.named_children()))
    return wrap(network, classes, device=device), wrap(whole, classes, device=device)


@torch.inference_mode()
def repeated(classifier: Classifier, images: ImageSet, samples: int) -> torch.Tensor:
    """S passes of every block of 128 images with dropout in training mode, (S, n, k)."""
    dropouts = [layer for layer in classifier.module.modules() if isinstance(layer, DROPOUTS)]
    for layer in dropouts:
        layer.train()
    parts = []
    for pixels in images.images.split(128):
        scaled = classifier.scaled(pixels.to(classifier.device))
        parts.append(torch.stack([classifier.network(scaled) for _ in range(samples)]).cpu())
    for layer in dropouts:
        layer.eval()
    return torch.cat(parts, 1)


def timed(name: str, images: ImageSet, options: argparse.Namespace) -> tuple[dict[str, float], float]:
    """Best seconds of each side, in turns, and the largest difference of results relative to the largest logit."""
    split, whole = sides(name, options.device)
    runs = {
        "ours": lambda: observe(split, images, samples=options.samples).samples,
        "repeat": lambda: repeated(split, images, options.samples),
        "whole": lambda: observe(whole, images, samples=options.samples).samples,
    }
    first, again = runs["ours"](), runs["whole"]()  # warms up as well
    apart = float((first - again).abs().max() / again.abs().max())
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(options.rounds):
        for side, run in runs.items():
            start = perf_counter()
            run()  # ends on the CPU, so that nothing is still under way on a device
            best[side] = min(best[side], perf_counter() - start)
    return best, apart


if __name__ == "__main__":
    main()
