"""What each scorer of the chapter across papers costs for an image: processor time, and the peak of memory.

    python benchmarks/comparison.py                        # 500 images, times of scorers that search of 40; minutes
    python benchmarks/comparison.py --data fmnist          # on a network of the full run, and its training images
    python benchmarks/comparison.py --images 60 --searched 20 --no-rows  # does it run?

Every scorer of the table. On an image set of the profile `full`, whose rows these times stand beside, all is as there
but the number of images. On another one, such as mnist5k, all is as in `quick` but the passes of dropout, the networks
of an ensemble and the fields of noise, which are those of `full`. A row's level is the number of training images: who
compares an image with all of them takes the longer the more they are. No round gains from what a scorer keeps of the
images of the one before.
"Seconds an image" are those of a pass that records what the scorer reads, and of its score. Each is timed right beside
Max Softmax: the median ratio of some rounds counts, and times the median of Max Softmax over all it gives the seconds.
Fitting is not counted. "Peak megabytes" is by how much memory grows meanwhile, where the system tells: on one thread,
in a copy of the process for each scorer, so that their order is nothing to them; of some rounds the least counts, over
as many images for every scorer, since a peak grows with the images that it is taken over.
"""

import argparse
from dataclasses import replace
from functools import partial
from statistics import median

import torch
from timing import beside, taken_on
from watching import grown_apart

from mistrust import paths, rows
from mistrust.comparison.experiment import Parameters
from mistrust.comparison.experiment.readouts import Readings
from mistrust.comparison.experiment.subjects import BLOCK, Subject
from mistrust.comparison.scorers import SCORERS
from mistrust.networks import observe
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.profiles import profile
from mistrust.supervisors import autoencoder
from mistrust.supervisors.surprise import distance

BASE = "max_softmax"
AS_FULL = ("samples", "members", "noise_seeds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="mnist5k", help="image set (mistrust data list)")
    parser.add_argument("--images", type=int, default=500)
    parser.add_argument("--searched", type=int, default=40, help="images that scorers that search are timed on")
    parser.add_argument("--rounds", type=int, default=10, help="of times, of which the median counts")
    parser.add_argument("--peaks", type=int, default=3, help="of memory, of which the least counts")
    parser.add_argument("--threads", type=int, default=1, help="of torch")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    every = tuple(dict.fromkeys((BASE, *SCORERS)))  # what the others are set against comes first
    full = profile(CHAPTERS["comparison"], "full")
    passes = {name: getattr(full, name) for name in AS_FULL}
    basis = full if options.data in full.data else Parameters(data=(options.data,), **passes)
    asked = replace(basis, scorers=every, images=options.images, searched=options.searched)
    subject = Subject(asked, options.data, 0)
    readings, found = Readings.of(subject).by, []
    base = partial(_watch, subject, readings[BASE], subject.test.take(slice(0, options.images)))
    peaks = {}  # first: timing leaves holes in this process's memory, which every copy would have, too
    for name, one in readings.items():
        work = partial(_watch, subject, one, subject.test.take(slice(0, options.images)), threads=1)
        peaks[name] = grown_apart(work, options.peaks)
    timed = {}
    for name, one in readings.items():
        n = options.searched if SCORERS[name].searches else options.images
        first, times = beside(base, partial(_watch, subject, one, subject.test.take(slice(0, n))), options.rounds)
        timed[name] = (n, first / options.images, times * options.images / n)
    second = median(first for _, first, _ in timed.values())
    print(f"{'scorer':24s} {'us/image':>12s} {'ratio':>8s} {'peak MB':>8s}")
    for name, (n, _, ratio) in timed.items():
        ratio = 1.0 if name == BASE else ratio
        taken = ratio * second
        peak = peaks[name]
        print(f"{name:24s} {1e6 * taken:12.1f} {ratio:8.2f} {peak if peak is None else round(peak, 1)!s:>8s}")
        measures = {"seconds an image": taken, "ratio": ratio, "peak megabytes": peak}
        found += [
            {
                "method": name,
                "metric": metric,
                "value": value,
                "n": count,
                "condition": BASE * (metric == "ratio"),
                "level": len(subject.train),
            }
            for (metric, value), count in zip(measures.items(), (n, n, options.images), strict=True)
            if value is not None
        ]
    if not options.no_rows:
        note = f"{taken_on(options.threads)}, "
        note += ", ".join(f"{name} {value}" for name, value in passes.items())
        new = rows.table(
            found, chapter="benchmarks", table="comparison", data=options.data, network=subject.architecture, note=note
        )
        rows.update(new, paths.results() / "benchmarks" / "comparison.csv")


def _watch(subject, one, images, threads=None):
    """A pass that records what a scorer reads, and its score."""
    if threads:
        torch.set_num_threads(threads)
    autoencoder.KEPT = 0  # bytes of rebuilt images
    distance.forget()
    record = observe(subject.classifier, images, **one.asks, seed=subject.seed, block=BLOCK)
    return one.score(record)


if __name__ == "__main__":
    main()
