"""Which supervisors are compared, each made for an architecture, and the variants that show what a choice changes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from mistrust.networks import ARCHITECTURES
from mistrust.supervisors import SUPERVISORS, Supervisor, make_supervisor
from mistrust.supervisors.experiment.parameters import Parameters
from mistrust.supervisors.experiment.variants import CANNOT, VARIANTS

# They read the layer that the paper's code chose; the others that read one layer read what the last layer gets.
SURPRISE = ("dsa", "lsa", "mdsa")
NOMINAL_ONLY = "nominal only"
# They train a network of their own, which takes minutes: by which parameter how long.
TRAINING = {"autoencoder": "vae_epochs", "dissector": "dissector_epochs"}


@dataclass(frozen=True)
class Method:
    """One line of the comparison.

    Attributes
    ----------
    name : in rows: the supervisor's, or supervisor/variant.
    supervisor : unfitted.
    mixed : whether it is fitted on nominal and ambiguous images, as the paper does, or on nominal ones alone.
    """

    name: str
    supervisor: Supervisor
    mixed: bool = True

    @property
    def variant(self) -> bool:
        """Whether it is a variant of another line."""
        return "/" in self.name


def methods(parameters: Parameters, architecture: str, features: str, run: int = 0) -> Iterator[Method]:
    """Give every line of the comparison for one architecture.

    Parameters
    ----------
    features : name of the layer whose output the last linear layer gets.
    run : number of the classifier: what a supervisor trains or draws for itself, an autoencoder say, is each run's own.
    """
    p, compared = parameters, [name for name in parameters.compared if (name, architecture) not in CANNOT]
    for name in compared:
        yield Method(name, _made(p, name, architecture, features, run))
    yield from without_ambiguous([n for n in p.also_nominal if n not in TRAINING], p, architecture, features, run)
    for variant in p.variants:
        name, more = VARIANTS[variant]
        if name in compared:
            yield Method(variant, _made(p, name, architecture, features, run, **more))


def without_ambiguous(
    names: Iterable[str], parameters: Parameters, architecture: str, features: str, run: int = 0
) -> Iterator[Method]:
    """Give lines of supervisors fitted on nominal images alone; of those that are compared."""
    for name in names:
        if name in parameters.compared and (name, architecture) not in CANNOT:
            made = _made(parameters, name, architecture, features, run)
            yield Method(f"{name}/{NOMINAL_ONLY}", made, mixed=False)


def _made(p: Parameters, name: str, architecture: str, features: str, run: int, **more: Any) -> Supervisor:
    known = {field.name for field in fields(SUPERVISORS[name])}  # pyrefly: ignore[bad-argument-type]
    entry = ARCHITECTURES[architecture]
    given = {
        "layer": entry.surprise if name in SURPRISE else features,
        "layers": entry.dissector,
        "epochs": getattr(p, TRAINING[name]) if name in TRAINING else None,
        "seed": p.seed + run,
        **more,
    }
    return make_supervisor(name, **{key: value for key, value in given.items() if key in known and value is not None})
