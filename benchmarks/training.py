"""What training one classifier costs, architecture by architecture, as a multiple of the smallest convolutional one.

    python benchmarks/training.py                      # a minute
    python benchmarks/training.py --device cuda --steps 50
    python benchmarks/training.py --steps 1 --no-rows  # does it run?

Steps of the recipe's batch on noise of 28x28 pixels, in turns, the best counts. "hours" is what the recipe's steps on
80,000 images, a tenth of them kept for validation, would take at that pace, without looking at those.
"""

import argparse
from math import ceil
from time import perf_counter

import torch
from timing import taken_on
from torch.nn import functional

from mistrust import paths, rows
from mistrust.networks import ARCHITECTURES, initialise

NETWORKS = ("ambiguess-conv", "ambiguess-fc", "ambiguess-fc-relu", "densenet-se", "resnet50-v1")
IMAGES = 72_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=5, help="timed steps of each, of which the best counts")
    parser.add_argument("--threads", type=int, default=2, help="of torch")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    seconds = timed(options.steps, torch.device(options.device))
    found = []
    for name, each in seconds.items():
        recipe = ARCHITECTURES[name].recipe
        hours = each * ceil(IMAGES / recipe.batch) * recipe.epochs / 3600
        ratio = each / recipe.batch / (seconds[NETWORKS[0]] / ARCHITECTURES[NETWORKS[0]].recipe.batch)
        print(
            f"{name:18s} batch {recipe.batch:4d}  {1e3 * each:8.1f} ms a step  {ratio:6.1f} x an image  {hours:6.2f} h"
        )
        values = {"seconds": each, "hours": hours, "ratio": ratio}
        found += [{"network": name, "level": recipe.batch, "metric": k, "value": v} for k, v in values.items()]
    if not options.no_rows:
        gpu = options.device == "cuda"
        found = [row | {"condition": "cuda" if gpu else ""} for row in found]  # rows of both stand side by side
        note = taken_on(options.threads, options.device)
        about = {"chapter": "benchmarks", "table": "training", "data": "noise", "method": "mistrust"}
        new = rows.table(found, **about, n=options.steps, note=note)
        rows.update(new, paths.results() / "benchmarks" / "training.csv")


def timed(steps: int, where: torch.device) -> dict[str, float]:
    """Best seconds of a step of each network with its recipe's batch."""
    draw, networks, best = torch.Generator(where).manual_seed(0), {}, dict.fromkeys(NETWORKS, float("inf"))
    for name in NETWORKS:
        network = ARCHITECTURES[name].build(1, (28, 28), 10).to(memory_format=torch.channels_last)
        initialise(network, 0, ARCHITECTURES[name].initial)
        network.to(where)
        networks[name] = network, torch.optim.Adam(network.parameters(), fused=True, foreach=False)
    for number in range(steps + 1):  # the first warms up
        for name, (network, optimiser) in networks.items():
            x = torch.rand(ARCHITECTURES[name].recipe.batch, 1, 28, 28, generator=draw, device=where)
            labels = torch.arange(len(x), device=where) % 10
            start = perf_counter()
            optimiser.zero_grad(set_to_none=True)
            functional.cross_entropy(network(x), labels).backward()
            optimiser.step()
            if where.type == "cuda":
                torch.cuda.synchronize()
            best[name] = min(best[name], perf_counter() - start) if number else best[name]
    return best


if __name__ == "__main__":
    main()
