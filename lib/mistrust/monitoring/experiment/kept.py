"""What the store keeps of a classifier with its monitors: readouts of every set, and what these depend on."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from mistrust import random
from mistrust.data import ImageSet, load
from mistrust.monitoring.assembly import assemble
from mistrust.monitoring.benchmark_sets import BenchmarkSet
from mistrust.monitoring.experiment.checks import check
from mistrust.monitoring.experiment.system import System, scored, without_nominal
from mistrust.networks import ARCHITECTURES, NETWORK, initialise, observe, wrap
from mistrust.store import made, maker
from mistrust.supervisors.alooc import ALOOC
from mistrust.supervisors.boxes import OutsideTheBox
from mistrust.supervisors.conv_vae import CONV_VAE
from mistrust.supervisors.dissector import DISSECTOR
from mistrust.supervisors.odin import Odin

# What readouts depend on. It does not hang on how many classifiers there are, but for an ensemble's further members,
# which come after all runs.
READ = (
    "left_out", "novel", "faults", "network_epochs", "members", "samples", "supervisors", "alooc_epochs", "vae_epochs",
    "dissector_epochs", "trained_on", "images", "calibration", "seed",
)  # fmt: skip


def spec(one: System, reads: Iterable[str]) -> dict[str, Any]:
    """What readouts depend on, or what reads `reads` of the parameters."""
    check(one.parameters)
    p, material = one.parameters, one.material
    novel = {e.novel: [part.checksum for part in material.novel(e)] for e in material.entries if e.novel}
    return {
        "architecture": one.architecture,
        "recipe": ARCHITECTURES[one.architecture].recipe.described(),
        "run": one.run,
        "first member": p.runs_of(one.architecture) if one.ensemble else 0,
        "data": {"name": one.data, **{split: load(one.data, split).checksum for split in ("train", "test")}},
        "novel": novel,
        "parameters": {name: getattr(p, name) for name in reads},
        "versions": {other.kind: other.version for other in MAKERS},
    }


def readouts(one: System) -> dict[str, Tensor]:
    """Give what a classifier and its monitors say of every set, as `System.readouts` names it, from the store."""
    return made(READOUTS, spec(one, READ), one.readouts)


def _smoke_readouts() -> dict[str, Tensor]:
    """Readouts of drawn images and noisy ones, by what has no version of its own; rounded, since machines differ."""
    pixels, ids = random.uniform(0, "smoke/readouts", torch.arange(24), (1, 8, 8)), torch.arange(24)
    some = ImageSet("smoke", pixels, ids % 2, ids, ("a", "b"))
    layers = OrderedDict[str, nn.Module](flatten=nn.Flatten(), hidden=nn.Linear(64, 6), logits=nn.Linear(6, 2))
    network = nn.Sequential(layers)
    initialise(network, 0)
    classifier = wrap(network, some.classes)
    watched = {"oob": OutsideTheBox(layer="hidden", clusters=1), "odin": Odin(temperature=1, epsilon=0.1)}
    record = observe(classifier, some, layers=["hidden"])
    entry = BenchmarkSet("smoke", "noise", "gaussian noise", 5, "gaussian_noise")
    found = scored("noise", without_nominal(assemble(entry, some)), {n: one.fit(record) for n, one in watched.items()},
                   lambda images: observe(classifier, images, layers=["hidden"]))  # fmt: skip
    return {name: values.double().round(decimals=3) for name, values in found.items()}


READOUTS = maker("monitor-readouts", version=1, content="tensors", smoke=_smoke_readouts)
MAKERS = (NETWORK, CONV_VAE, DISSECTOR, ALOOC, READOUTS)
