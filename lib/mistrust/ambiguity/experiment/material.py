"""What the pieces of the experiment share, each from the store where it is made: decoders, sets, classifiers."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache

import torch
from jaxtyping import Float64
from torch import Tensor

from mistrust import random
from mistrust.ambiguity.adversarial import State
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import AS_PUBLISHED, Composition, compose
from mistrust.ambiguity.experiment.parameters import Parameters
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.making import decoders
from mistrust.ambiguity.members import members_of
from mistrust.ambiguity.pairs import title
from mistrust.ambiguity.plain_vae import PLAIN_VAE, PlainRecipe, PlainVae, plain_vae
from mistrust.ambiguity.planning import plan
from mistrust.ambiguity.rivals import midpoints, mixed
from mistrust.ambiguity.sampling import Scheme
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.training import AUTOENCODERS
from mistrust.data import ImageSet, load
from mistrust.networks import Classifier, observe, trained
from mistrust.store import made, maker

# Ways to ambiguous images that are compared: ours, the same decoders used as the reference's code does, and the rivals.
SETS = ("ambiguess", "as published", "mixing", "midpoint")
TRAININGS = ("mixed", "clean")


def _tensors(parts: Sequence[AmbiguousSet]) -> dict[str, Tensor]:
    columns = ("images", "pairs", "probabilities", "labels", "ids", "decoder", "latent")
    return {
        f"{role}/{name}": getattr(one, name).contiguous()
        for role, one in zip(("train", "test"), parts, strict=True)
        for name in columns
    }


def smoke_decoders() -> tuple[ImageSet, Autoencoders]:
    """Tiny images and untrained autoencoders of their pairs, which smoke outputs are made from."""
    import pandas as pd

    pixels = random.uniform(0, "smoke", torch.arange(60), (1, 4, 4))
    tiny = ImageSet("smoke", pixels, torch.arange(60) % 3, torch.arange(60), ("a", "b", "c"))
    design, members = Design(16, 3, hidden=8), tuple(members_of(tiny, None, 2))
    weights = State.new(design, members, torch.float64, torch.device("cpu")).weights(design)
    report = pd.DataFrame(index=range(len(members)))
    return tiny, Autoencoders(design, members, (1, 4, 4), tiny.classes, weights, report)


def _smoke() -> dict[str, Tensor]:
    """Compose sets, and mix; means rounded, since machines differ in the last digits."""
    tiny, stack = smoke_decoders()
    how = Composition(Scheme(Grid(cells=10)), delta_train=1.0, delta_test=1.0)
    found = compose(stack, torch.ones(len(stack), dtype=torch.bool), 30, 20, how)
    found = (*found, mixed(tiny, None, 30, role="train"), mixed(tiny, None, 30))
    return {
        f"{place} {name}": values.double().mean().round(decimals=2)
        for place in (0, 2)
        for name, values in _tensors(found[place : place + 2]).items()
    }


SETS_MAKER = maker("ambiguous-sets", version=1, content="tensors", smoke=_smoke)


@dataclass(frozen=True)
class Material:
    """Of one image set.

    Attributes
    ----------
    parameters : of the chapter.
    data : the set's name.
    """

    parameters: Parameters
    data: str

    @cached_property
    def train(self) -> ImageSet:
        """The nominal images to learn from."""
        return load(self.data, "train")

    @cached_property
    def test(self) -> ImageSet:
        """The nominal images to test with."""
        return load(self.data, "test")

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Positions of the classes of every pair that has good autoencoders enough; the others are left out."""
        return tuple(sorted(set(self.good.pairs)))

    @cached_property
    def _trained(self) -> tuple[Autoencoders, Autoencoders]:
        pairs = self.parameters.chosen_pairs(self.train)
        wanted = plan(self.train, self.parameters.making, pairs=pairs, licence="not released")
        return decoders(wanted, every_pair=False)

    @property
    def tried(self) -> Autoencoders:
        """All autoencoders that were trained."""
        return self._trained[0]

    @property
    def good(self) -> Autoencoders:
        """Those that passed the gates."""
        return self._trained[1]

    @cached_property
    def one_a_pair(self) -> Autoencoders:
        """The good autoencoder of least seed of each pair."""
        first: dict[tuple[int, int], int] = {}
        for place, pair in enumerate(self.good.pairs):
            if pair not in first or self.good.members[place].seed < self.good.members[first[pair]].seed:
                first[pair] = place
        return self.good.take(sorted(first.values(), key=lambda place: self.good.pairs[place]))

    @cached_property
    def shown(self) -> Autoencoders:
        """The one whose latent plane is shown."""
        titles = [title(self.train.classes, pair) for pair in self.one_a_pair.pairs]
        wanted = self.parameters.shown_pair
        return self.one_a_pair.take([titles.index(wanted) if wanted in titles else 0])

    @cached_property
    def vae(self) -> PlainVae:
        """The plain autoencoder of all classes, a rival."""
        return plain_vae(self.train, PlainRecipe(epochs=self.parameters.vae_epochs), self.parameters.seed)

    @cached_property
    def sets(self) -> dict[str, tuple[AmbiguousSet, AmbiguousSet]]:
        """Train and test part by the way they are made."""
        p = self.parameters
        published = replace(AS_PUBLISHED, delta_train=p.delta_train, delta_test=p.delta_test)
        pairs = [list(pair) for pair in self.pairs]
        parts = (("train", self.train, p.train, p.delta_train), ("test", self.test, p.test, p.delta_test))

        def mixing() -> tuple[AmbiguousSet, ...]:
            return tuple(
                mixed(source, pairs, count, delta_max=delta, seed=p.seed, role=role)
                for role, source, count, delta in parts
            )

        def midpoint() -> tuple[AmbiguousSet, ...]:
            return tuple(
                midpoints(source, pairs, count, self.vae, delta_max=delta, seed=p.seed, role=role)
                for role, source, count, delta in parts
            )

        return {
            "ambiguess": self._kept("ambiguess", lambda: self._composed(p.making.composition)),
            "as published": self._kept("as published", lambda: self._composed(published)),
            "mixing": self._kept("mixing", mixing),
            "midpoint": self._kept("midpoint", midpoint, p.vae_epochs),
        }

    def _composed(self, how: Composition) -> tuple[AmbiguousSet, ...]:
        p = self.parameters
        every = torch.ones(len(self.good), dtype=torch.bool)
        return compose(self.good, every, p.train, p.test, how, name=f"ambiguous-{self.data}", seed=p.seed)

    def _kept(
        self, way: str, make: Callable[[], tuple[AmbiguousSet, ...]], more: object = None
    ) -> tuple[AmbiguousSet, AmbiguousSet]:
        """Give both parts of a set from the store.

        Another number of threads gives other last digits, and here and there another grey level: what is trained on a
        set must find the same one again.
        """
        spec = {
            "data": {split: getattr(self, split).checksum for split in ("train", "test")},
            "way": way,
            "making": asdict(self.parameters.making),
            "pairs": [list(pair) for pair in self.pairs],
            "versions": {AUTOENCODERS.kind: AUTOENCODERS.version, PLAIN_VAE.kind: PLAIN_VAE.version},
            "more": more,
        }
        tensors = made(SETS_MAKER, spec, lambda _: _tensors(make()))
        parts = []
        for role in ("train", "test"):
            own = {n.removeprefix(f"{role}/"): v for n, v in tensors.items() if n.startswith(f"{role}/")}
            classes, seed = self.train.classes, self.parameters.seed
            parts.append(AmbiguousSet(f"{way} {self.data}", **own, classes=classes, seed=seed, made_by={}))
        return parts[0], parts[1]

    @cached_property
    def mixed(self) -> ImageSet:
        """Nominal images followed by ambiguous ones with their hard labels (section VI.A)."""
        return joined(f"mixed-{self.data}", [self.train, self.sets["ambiguess"][0].image_set()])

    def classifier(self, architecture: str, training: str, number: int) -> Classifier:
        """Give a classifier; those of the same number differ in nothing but what they were trained on."""
        images = self.mixed if training == "mixed" else self.train
        recipe = self.parameters.recipe(architecture)
        return trained(architecture, images, recipe, self.parameters.seed + number)

    def judges(self, images: ImageSet) -> Float64[Tensor, "m n k"]:
        """Softmax of all classifiers that have seen nominal images alone."""
        found = [
            observe(self.classifier(name, "clean", number), images).logits.double().softmax(1)
            for name in self.parameters.architectures
            for number in range(self.parameters.clean)
        ]
        return torch.stack(found)


def joined(name: str, parts: Sequence[ImageSet]) -> ImageSet:
    """Put image sets of the same classes one behind the other."""
    first = parts[0]
    images, labels, ids = (torch.cat([getattr(part, what) for part in parts]) for what in ("images", "labels", "ids"))
    return ImageSet(name, images, labels, ids, first.classes)


@lru_cache(maxsize=2)
def material(parameters: Parameters, data: str) -> Material:
    """Give the material of an image set; what several pieces in a process need is loaded once."""
    return Material(parameters, data)
