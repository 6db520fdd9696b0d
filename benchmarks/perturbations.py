"""The twelve perturbations at ten levels against loops over images, with OpenCV and with scipy.

    python benchmarks/perturbations.py                  # 10,000 images, minutes
    python benchmarks/perturbations.py --images 200 --no-rows

Each side starts from uint8 images and ends with them. The loops compute the authors' formulas image by image
(tests/inputs/authors.py, the references of the golden tests), draw by numpy's default generator, and make their
kernels once. Sides are timed in turns, the best round counts; a loop, whose images take as long among few as among
many, goes over --looped of the images. Results are compared as floats, with the same draws.
"""

import argparse
import sys
from math import exp, log, nan
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from timing import taken_on
from watching import Growth

from mistrust import paths, rows
from mistrust.data import ImageSet, load
from mistrust.inputs import PERTURBATIONS, Draws, perturb, perturbed
from mistrust.networks import ARCHITECTURES, initialise, observe, wrap

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "inputs"))
import authors

PEERS = {"opencv": authors.OpenCV, "scipy": authors.Scipy}
BARS = {"opencv": 1.0, "scipy": 5.0}
COMPARED = 100  # images whose results are compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--looped", type=int, default=1_000, help="of them, what a loop over images is timed with")
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, default=2, help="of torch; the loops have one")
    parser.add_argument("--data", default="mnist", help="28x28 grey images")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    images = repeated(load(options.data, "test"), options.images)
    peak = peaks(images)  # before anything is freed that a call could take again

    print(f"{options.images} images of {options.data}, best of {options.rounds}, microseconds an image")
    print(f"{'setting':20s} {'ours':>7s}" + "".join(f" {peer:>8s} {'ratio':>6s} {'apart':>7s}" for peer in PEERS))
    found, ours = [], {}
    for name in PERTURBATIONS:
        for level in range(1, len(authors.LEVELS[name]) + 1):
            times = timed(images, name, level, options.rounds, min(options.looped, len(images)))
            ours[name, level] = len(images) * times["ours"]
            apart = {peer: difference(images, name, level, peer) for peer in PEERS}
            line = f"{name:17s} {level:2d} {1e6 * times['ours']:7.2f}"
            for peer in PEERS:
                ratio = times[peer] / times["ours"]
                line += f" {1e6 * times[peer]:8.2f} {ratio:6.2f} {apart[peer]:7.0e}"
                here = {"condition": peer, "at": name, "level": level}
                found += [{**here, "metric": "ratio", "value": ratio}]
                found += [{**here, "metric": "agreement", "value": apart[peer]}]
            seconds = {"metric": "seconds", "value": ours[name, level]}
            found.append({"condition": "", "at": name, "level": level, **seconds})
            print(line, flush=True)
    found += summary(found)
    found += [*whole(images, sum(ours.values())), *peak]
    if not options.no_rows:
        note = taken_on(options.threads)
        new = rows.table(
            found,
            chapter="benchmarks",
            table="perturbations",
            data=options.data,
            method="mistrust",
            n=len(images),
            note=note,
        )
        rows.update(new, paths.results() / "benchmarks" / "perturbations.csv")


def repeated(images: ImageSet, count: int) -> ImageSet:
    """Give that many images, going round where there are fewer; ids are 0 to count - 1."""
    chosen = torch.arange(count) % len(images)
    return ImageSet(
        images.name, images.images[chosen], images.labels[chosen], torch.arange(count), images.classes
    )  # fmt: skip


def loop(pixels: np.ndarray, name: str, level: int, peer: str) -> np.ndarray:
    """The authors' way: one image after the other, uint8 in and out."""
    formula, setting, filters = authors.FORMULAS[name], authors.LEVELS[name][level - 1], PEERS[peer]
    source = authors.Fresh(level)
    out = np.empty_like(pixels)
    for index, image in enumerate(pixels):
        made = formula(image.astype(np.float32) / 127.5 - 1, source, filters, *setting)
        out[index] = made * 127.5 + 127.5
    return out


def timed(images: ImageSet, name: str, level: int, rounds: int, looped: int) -> dict[str, float]:
    """Seconds an image of each side, in turns, the best of all rounds; a short turn before to warm up."""
    pixels = images.images[:looped, 0].numpy()
    sides = {"ours": lambda: perturbed(images, name, level)}
    sides |= {peer: lambda peer=peer: loop(pixels, name, level, peer) for peer in PEERS}
    perturbed(images.take(slice(0, 600)), name, level)
    for peer in PEERS:
        loop(pixels[:10], name, level, peer)
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for side, run in sides.items():
            start = perf_counter()
            run()
            best[side] = min(best[side], (perf_counter() - start) / (len(images) if side == "ours" else looped))
    return best


def difference(images: ImageSet, name: str, level: int, peer: str) -> float:
    """Largest difference of a pixel in [0, 1] from the peer's in float64, with the same draws."""
    some = images.take(slice(0, COMPARED))
    key = f"{name}/" + ",".join(f"{k}={float(v):g}" for k, v in sorted(PERTURBATIONS[name].levels[level - 1].items()))
    ours = perturb(some.floats(), name, level, ids=some.ids)[:, 0].numpy()
    kept, worst = {}, 0.0
    for index, image in enumerate(some.floats()[:, 0].double().numpy()):
        source = authors.Replayed(name, Draws(0, key, some.ids), index, kept)
        theirs = authors.FORMULAS[name](2 * image - 1, source, PEERS[peer], *authors.LEVELS[name][level - 1])
        worst = max(worst, float(np.abs(ours[index] - (theirs + 1) / 2).max()))
    return worst


def summary(found: list[dict]) -> list[dict]:
    """Geometric means of the ratios, over all settings and over each perturbation's, and the largest difference."""
    made = []
    for peer in PEERS:
        mine = [one for one in found if one["condition"] == peer]
        ratios = {(one["at"], one["level"]): one["value"] for one in mine if one["metric"] == "ratio"}
        print(f"\nRatio to {peer}, geometric means:")
        for name in PERTURBATIONS:
            value = geometric([v for (at, _), v in ratios.items() if at == name])
            made.append({"condition": peer, "at": f"{name} mean", "metric": "ratio", "value": value})
            print(f"  {name:17s} {value:6.2f}")
        value = geometric(list(ratios.values()))
        losses = sorted(f"{at} {level}" for (at, level), v in ratios.items() if v < 1)
        worst = max(one["value"] for one in mine if one["metric"] == "agreement")
        made.append({"condition": peer, "at": "all", "metric": "ratio", "value": value})
        made.append({"condition": peer, "at": "all", "metric": "agreement", "value": worst})
        print(f"  all {len(ratios)} settings  {value:6.2f} (bar {BARS[peer]:g}), largest difference {worst:.1e}")
        print(f"  slower than {peer}: {', '.join(losses) or 'none'}")
    return made


def geometric(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values)) if values else nan


def whole(images: ImageSet, seconds: float) -> list[dict]:
    """All settings together: seconds, and as a share of the network's forward time."""
    architecture = ARCHITECTURES["mlm-cnn"]
    network = architecture.build(images.images.shape[1], tuple(images.images.shape[2:]), len(images.classes))
    initialise(network, 0)
    classifier = wrap(network, images.classes, mean=architecture.mean, std=architecture.std)
    some, forward = images.take(slice(0, 2000)), float("inf")
    for _ in range(3):
        start = perf_counter()
        observe(classifier, some)
        forward = min(forward, perf_counter() - start)
    settings = sum(map(len, authors.LEVELS.values()))
    forward *= settings * len(images) / len(some)
    print(f"\nAll {settings} settings: {seconds:.2f} s, {100 * seconds / forward:.1f} % of the forward passes "
          f"of mlm-cnn ({forward:.1f} s)")  # fmt: skip
    return [
        {"condition": "", "at": "all", "metric": "seconds", "value": seconds},
        {"condition": "forward pass of mlm-cnn", "at": "all", "metric": "ratio", "value": forward / seconds},
    ]


def peaks(images: ImageSet) -> list[dict]:
    """The memory of the perturbation that takes most beyond the images; nothing where the system does not tell."""
    result = images.images.numel() / 1e6
    peak = max((peak_mb(images, name) for name in PERTURBATIONS), default=nan)
    if np.isnan(peak):
        return []
    if peak < result:
        raise SystemExit(f"A peak of {peak:.0f} MB cannot be: the result alone has {result:.0f} MB.")
    print(f"Peak memory beyond the images: {peak:.0f} MB ({result:.0f} MB of it the result)")
    return [{"condition": "", "at": "all", "metric": "peak_mb", "value": peak}]


def peak_mb(images: ImageSet, name: str) -> float:
    """Growth of the process's memory while a perturbation runs; NaN where the system does not tell."""
    growth = Growth()
    perturbed(images, name, 10)
    found = growth.megabytes()
    return nan if found is None else found


if __name__ == "__main__":
    main()
