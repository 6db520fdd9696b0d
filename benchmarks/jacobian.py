"""The map of Jacobian norms over the latent grid against loops of gradients at single points.

    python benchmarks/jacobian.py                  # 2,500 cells, some twenty seconds
    python benchmarks/jacobian.py --cells 10 --no-rows

The decoder has the paper's sizes and random weights: what it shows does not change how long it takes. Loops go from
cell to cell as the reference's sampler does, with what torch offers for a single point: "forward" is
torch.func.jacfwd, "columns" two calls of torch.func.jvp, both for the Jacobian; "energy" is one backward pass for the
gradient of the sum of squared pixels, what the reference computes. (Reverse mode for the Jacobian would take 784 pulls
a point.) Sides are timed in turns, the best round counts. The bar of 50 holds for the loops that compute the same
Jacobian; the energy's gradient is one cheap backward pass, does another thing, and stays below it.
"""

import argparse
from time import perf_counter

import pandas as pd
import torch
from timing import taken_on

from mistrust import paths, rows
from mistrust.ambiguity import Grid, weights
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.members import Member
from mistrust.ambiguity.stacked import Design, initial

BAR = 50.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=50, help="of the grid, an axis")
    parser.add_argument("--rounds", type=int, default=3, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, default=2, help="of torch, for both sides")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    decoders, points = decoder(), Grid(options.cells).anchors(2).float()[None]

    n = points.shape[1]
    print(f"{n:,} cells, best of {options.rounds}, microseconds a cell")
    print(f"{'peer':10s} {'rule':9s} {'ours':>7s} {'loop':>8s} {'ratio':>7s} {'apart':>7s}")
    found = []
    for peer, (rule, single) in PEERS.items():
        ours, loop, apart = timed(decoders, points, rule, single, options.rounds)
        print(f"{peer:10s} {rule:9s} {1e6 * ours / n:7.2f} {1e6 * loop / n:8.1f} {loop / ours:7.1f} {apart:7.0e}")
        here = {"condition": f"loop/{peer}", "at": rule}
        found += [{**here, "metric": "ratio", "value": loop / ours}, {**here, "metric": "agreement", "value": apart}]
        found.append({"condition": "", "at": f"{rule}, beside {peer}", "metric": "seconds", "value": ours})
    ratios = {one["condition"]: one["value"] for one in found if one["metric"] == "ratio"}
    least = min(value for name, value in ratios.items() if not name.endswith("energy"))
    print(f"\nSmallest ratio of a Jacobian: {least:.1f} (bar {BAR:g})")
    print(f"The energy's gradient, which the reference takes in its place: {ratios['loop/energy']:.1f}, without a bar")
    if not options.no_rows:
        note = taken_on(options.threads)
        new = rows.table(
            found, chapter="benchmarks", table="jacobian", data="random weights", method="mistrust", n=n, note=note
        )
        rows.update(new, paths.results() / "benchmarks" / "jacobian.csv")


def decoder() -> Autoencoders:
    """One decoder of the paper's sizes."""
    design, member = Design(pixels=784), Member(3, 8, 0)
    stacked = {}
    for part in ("encoder", "decoder", "discriminator"):
        stacked |= design.views(part, initial(design, member, part)[None].float())
    classes = tuple("0123456789")
    return Autoencoders(design, (member,), (1, 28, 28), classes, stacked, pd.DataFrame(index=range(1)))


def image(decoders: Autoencoders, z: torch.Tensor) -> torch.Tensor:
    """Decode one point, (2,), by the plain products of a single network: what a loop would do."""
    w, slope = decoders.weights, decoders.design.slope
    for layer in range(3):
        z = z @ w[f"decoder.{layer}.weight"][0] + w[f"decoder.{layer}.bias"][0]
        z = torch.nn.functional.leaky_relu(z, slope) if layer < 2 else z.sigmoid()
    return z


def forward(decoders: Autoencoders, z: torch.Tensor) -> torch.Tensor:
    return torch.func.jacfwd(lambda z: image(decoders, z))(z).norm()


def columns(decoders: Autoencoders, z: torch.Tensor) -> torch.Tensor:
    found = [torch.func.jvp(lambda z: image(decoders, z), (z,), (axis,))[1] for axis in torch.eye(2)]
    return torch.stack(found).norm()


def energy(decoders: Autoencoders, z: torch.Tensor) -> torch.Tensor:
    z = z.clone().requires_grad_()
    return torch.autograd.grad(image(decoders, z).square().sum(), z)[0].norm()


PEERS = {
    "forward": ("jacobian", forward),
    "columns": ("jacobian", columns),
    "energy": ("energy", energy),
}


def timed(decoders, points, rule, single, rounds) -> tuple[float, float, float]:
    """Best seconds of both sides, in turns, and the largest relative difference of their results."""
    loop = lambda some: torch.stack([single(decoders, z) for z in some[0]])  # noqa: E731
    ours = weights(decoders, points, rule)
    apart = float(((ours[0] - loop(points).double()).abs() / ours[0]).max())  # warms up both sides as well
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for side, run in enumerate((lambda: weights(decoders, points, rule), lambda: loop(points))):
            start = perf_counter()
            run()
            best[side] = min(best[side], perf_counter() - start)
    return best[0], best[1], apart


if __name__ == "__main__":
    main()
