"""Training an ensemble as one stacked network against one member after another.

    python benchmarks/ensembles.py                # 5 members, batches of 128 and 32, one thread and two; some minutes
    python benchmarks/ensembles.py --rounds 2 --batches 32 --no-rows
    python benchmarks/ensembles.py --device cuda --members 20 --epochs 20

The ratio is the loop's time over the stack's: below 1 the loop is faster. It is no ratio of the library to a peer: it
is the evidence for what `trained_members` does by itself, a loop on a CPU and a stack on a GPU, and for what it stacks.

Fully connected: whole trainings by the library, `train` of each seed against `train_stacked` of all, building and
first weights included; divided by their steps. Convolutional: steps of Adam on batches of noise, the stack's
convolutions grouped, which the library has not. Sides are timed in turns, the best round counts; results are compared
in float64, the library's with dropout, the others without.
"""

import argparse
import os
from collections.abc import Callable
from time import perf_counter

import torch
from timing import taken_on, working
from torch import Tensor, nn
from torch.nn import functional

from mistrust import paths, rows
from mistrust.data import ImageSet
from mistrust.networks import ARCHITECTURES, Plan, Recipe, initialise, train
from mistrust.networks.stacked_training import train_stacked

STEPS = 3
BATCHES = 20  # in an epoch
LIBRARY = "library"
Side = tuple[Callable[[], object], int]  # what is timed, and the steps in a call
KINDS = {
    "ambiguess-fc": (LIBRARY,),
    "ambiguess-fc-relu": (LIBRARY,),
    "ambiguess-conv": ("channels last", "channels first"),
}


class Linears(nn.Module):
    """M linear layers, from (M, n, in) to (M, n, out)."""

    def __init__(self, layers: list[nn.Linear]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.stack([layer.weight.detach() for layer in layers]))
        self.bias = nn.Parameter(torch.stack([layer.bias.detach() for layer in layers]).unsqueeze(1))

    def forward(self, x: Tensor) -> Tensor:
        """Apply each member's layer to its own rows."""
        return torch.baddbmm(self.bias, x, self.weight.mT)


class Stacked(nn.Module):
    """Convolutional networks of one architecture as one, from images (M, n, c, h, w) to logits (M, n, k)."""

    def __init__(self, networks: list[nn.Module]) -> None:
        super().__init__()
        self.members, self.layers = len(networks), nn.ModuleList()
        for same in zip(*networks, strict=True):
            if isinstance(same[0], nn.Linear):
                self.layers.append(Linears(list(same)))
            elif isinstance(same[0], nn.Conv2d):
                one, m = same[0], self.members
                all_of = nn.Conv2d(m * one.in_channels, m * one.out_channels, one.kernel_size, groups=m)
                all_of.weight = nn.Parameter(torch.cat([layer.weight.detach() for layer in same]))
                all_of.bias = nn.Parameter(torch.cat([layer.bias.detach() for layer in same]))
                self.layers.append(all_of)
            else:
                self.layers.append(same[0])

    def forward(self, x: Tensor) -> Tensor:
        """Give each member's logits of its own images."""
        x = x.transpose(0, 1).flatten(1, 2)
        for layer in self.layers:
            if isinstance(layer, nn.Flatten):  # (n, M c, h, w) again by member
                x = x.unflatten(1, (self.members, -1)).flatten(2).transpose(0, 1)
            else:
                x = layer(x)
        return x


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--members", type=int, default=5)
    parser.add_argument("--batches", type=int, nargs="+", default=[128, 32])
    parser.add_argument("--epochs", type=int, default=1, help=f"of the library's trainings, of {BATCHES} steps each")
    parser.add_argument("--rounds", type=int, default=10, help="timings of each side, of which the best counts")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--no-rows", action="store_true", help="print only")
    options = parser.parse_args()
    os.environ["MISTRUST_PROGRESS"] = "0"
    found = []
    for threads in options.threads if options.device == "cpu" else options.threads[-1:]:
        torch.set_num_threads(threads)
        found += beside(working(threads, options.device), options)
    if not options.no_rows:
        note = f"loop's time over the stack's; {taken_on(device=options.device)}"
        about = {"chapter": "benchmarks", "table": "ensembles", "data": "noise", "method": "mistrust"}
        new = rows.table(found, **about, n=options.members, note=note)
        rows.update(new, paths.results() / "benchmarks" / "ensembles.csv")


def beside(worker: str, options: argparse.Namespace) -> list[dict]:
    """Rows of all networks; `worker` says how many threads, or which device."""
    print(f"\n{worker}: {options.members} members, milliseconds a step of all, best of {options.rounds}")
    print(f"{'network':18s} {'stacked as':15s} {'batch':>5s} {'loop':>8s} {'stacked':>8s} {'ratio':>6s} {'apart':>7s}")
    found = []
    for name, kinds in KINDS.items():
        for kind in kinds:
            apart = library_difference(name, options) if kind == LIBRARY else difference(name, kind, options.members)
            for size in options.batches:
                sides = trainings(name, size, options) if kind == LIBRARY else single_steps(name, kind, size, options)
                loop, stacked = timed(sides, options)
                print(f"{name:18s} {kind:15s} {size:5d} {1e3 * loop:8.1f} {1e3 * stacked:8.1f} {loop / stacked:6.2f} "
                      f"{apart:7.0e}", flush=True)  # fmt: skip
                here = {"network": name, "condition": f"stacked/{kind}", "at": f"batch={size}, {worker}",
                        "level": size}  # fmt: skip
                found.append({**here, "metric": "ratio", "value": loop / stacked})
                found.append({**here, "metric": "seconds", "value": loop})
                found.append({**here, "metric": "agreement", "value": apart})
    return found


def networks(name: str, members: int) -> list[nn.Module]:
    """Untrained members, with channels last as `Plan.build` makes them."""
    made = [ARCHITECTURES[name].build(1, (28, 28), 10).to(memory_format=torch.channels_last) for _ in range(members)]
    for seed, network in enumerate(made):
        initialise(network, seed, ARCHITECTURES[name].initial)
    return made


def stack(members: list[nn.Module], kind: str) -> nn.Module:
    """The members as one network, laid out as `kind` says."""
    form = torch.contiguous_format if kind == "channels first" else torch.channels_last
    return Stacked(members).to(memory_format=form)


def steps(members: list[nn.Module], batch: Callable[[], tuple[Tensor, Tensor]]) -> Callable[[], None]:
    """A step of all members one after another; `batch` gives images (M, n, c, h, w) and labels (M, n)."""
    optimisers = [adam(network) for network in members]

    def step() -> None:
        for network, optimiser, x, y in zip(members, optimisers, *batch(), strict=True):
            optimiser.zero_grad(set_to_none=True)
            functional.cross_entropy(network(x), y).backward()
            optimiser.step()

    return step


def stacked_step(network: nn.Module, batch: Callable[[], tuple[Tensor, Tensor]]) -> Callable[[], None]:
    optimiser = adam(network)

    def step() -> None:
        x, y = batch()
        optimiser.zero_grad(set_to_none=True)
        # The sum of the members' means: each has the gradient that it has alone.
        (functional.cross_entropy(network(x).flatten(0, 1), y.flatten()) * len(x)).backward()
        optimiser.step()

    return step


def adam(network: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-7, fused=True, foreach=False)


def single_steps(name: str, kind: str, size: int, options: argparse.Namespace) -> list[Side]:
    """A step of all members by the loop and by the stack, and the steps in a call."""
    where, m = torch.device(options.device), options.members
    draw = torch.Generator(where).manual_seed(0)
    pixels, labels = torch.rand(2000, 1, 28, 28, generator=draw, device=where), torch.arange(2000, device=where) % 10

    def batch() -> tuple[Tensor, Tensor]:
        chosen = torch.randint(2000, (m, size), generator=draw, device=where)
        return pixels[chosen], labels[chosen]

    members = [network.to(where) for network in networks(name, m)]
    return [(steps(members, batch), 1), (stacked_step(stack(networks(name, m), kind).to(where), batch), 1)]


def trainings(name: str, size: int, options: argparse.Namespace) -> list[Side]:
    """All members trained by the library's loop and by its stack, and the steps in a call."""
    images = noise(BATCHES * size)
    plan = Plan(name, (1, 28, 28), images.classes)
    recipe = Recipe(options.epochs, size, 1e-3, optimiser="adam")
    seeds, total = range(options.members), BATCHES * options.epochs
    return [
        (lambda: [train(plan, images, recipe, seed, device=options.device) for seed in seeds], total),
        (lambda: train_stacked(plan, images, recipe, seeds, device=options.device), total),
    ]


def timed(sides: list[Side], options: argparse.Namespace) -> list[float]:
    """Best seconds of a step of all members, of the loop and of the stack."""
    best = [float("inf"), float("inf")]
    for number in range(options.rounds + 1):  # the first warms up
        for side, (call, total) in enumerate(sides):
            start = perf_counter()
            call()
            if options.device == "cuda":
                torch.cuda.synchronize()
            best[side] = min(best[side], (perf_counter() - start) / total) if number else best[side]
    return best


def noise(n: int) -> ImageSet:
    pixels = torch.rand(n, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    return ImageSet("noise", pixels, torch.arange(n) % 10, torch.arange(n), tuple("0123456789"))


def library_difference(name: str, options: argparse.Namespace) -> float:
    """Largest difference of weights after three steps in float64, relative to the largest weight."""
    images = noise(16 * STEPS)
    plan, recipe = Plan(name, (1, 28, 28), images.classes), Recipe(1, 16, 1e-3, optimiser="adam")
    where, seeds = {"device": options.device, "dtype": torch.float64}, range(options.members)
    alone = [train(plan, images, recipe, seed, **where) for seed in seeds]
    together = train_stacked(plan, images, recipe, seeds, **where)
    pairs = [(one[layer], two[layer]) for one, two in zip(alone, together, strict=True) for layer in one]
    return float(max((a - b).abs().max() for a, b in pairs) / max(a.abs().max() for a, _ in pairs))


def difference(name: str, kind: str, members: int) -> float:
    """Largest difference of logits after three steps in float64 without dropout, relative to the largest logit."""
    draw = torch.Generator().manual_seed(0)
    x = torch.rand(members, 16, 1, 28, 28, generator=draw, dtype=torch.float64)
    y = torch.randint(10, (members, 16), generator=draw)
    alone = [network.double().eval() for network in networks(name, members)]
    together = stack([network.double().eval() for network in networks(name, members)], kind).eval()
    loop, stacked = steps(alone, lambda: (x, y)), stacked_step(together, lambda: (x, y))
    for _ in range(STEPS):
        loop()
        stacked()
    expected = torch.stack([network(part) for network, part in zip(alone, x, strict=True)])
    return float((together(x) - expected).detach().abs().max() / expected.detach().abs().max())


if __name__ == "__main__":
    main()
