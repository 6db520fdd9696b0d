"""What the pieces of the experiment share, each from the store where it is made: decoders, sets, classifiers."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import torch
from jaxtyping import Float64
from torch import Tensor

from mistrust.ambiguity.adversarial import Training
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import AS_PUBLISHED, FIRST_ID, Composition, compose
from mistrust.ambiguity.experiment.kept_sets import kept
from mistrust.ambiguity.experiment.parameters import Parameters
from mistrust.ambiguity.making import decoders
from mistrust.ambiguity.pairs import title
from mistrust.ambiguity.plain_vae import PlainRecipe, PlainVae, plain_vae
from mistrust.ambiguity.planning import Plan, plan
from mistrust.ambiguity.rivals import midpoints, mixed
from mistrust.data import ImageSet, load
from mistrust.errors import MistrustError
from mistrust.networks import Classifier, observe, one_hot, trained, trained_members


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
    def _plan(self) -> Plan:
        pairs = self.parameters.chosen_pairs(self.train)
        return plan(self.train, self.parameters.making, pairs=pairs, licence="not released")

    @property
    def training(self) -> Training:
        """How the autoencoders are trained."""
        return self._plan.training

    @cached_property
    def _trained(self) -> tuple[Autoencoders, Autoencoders]:
        return decoders(self._plan, every_pair=False)

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

    @property
    def _plain(self) -> PlainRecipe:
        return PlainRecipe(epochs=self.parameters.vae_epochs)

    @cached_property
    def vae(self) -> PlainVae:
        """The plain autoencoder of all classes, a rival."""
        return plain_vae(self.train, self._plain, self.parameters.seed)

    @cached_property
    def ambiguess(self) -> tuple[AmbiguousSet, AmbiguousSet]:
        """Train and test part, made as they should be."""
        return self._composed("ambiguess", self.parameters.making.composition)

    @cached_property
    def as_published(self) -> tuple[AmbiguousSet, AmbiguousSet] | str:
        """Train and test part as the paper's code draws them, or why they cannot be had.

        The transposed map may hold next to no ambiguous point of some decoder.
        """
        p = self.parameters
        how = replace(AS_PUBLISHED, delta_train=p.delta_train, delta_test=p.delta_test)
        try:
            return self._composed("as published", how)
        except MistrustError as error:
            return str(error)

    @cached_property
    def sets(self) -> dict[str, tuple[AmbiguousSet, AmbiguousSet]]:
        """Train and test part by the way they are made; one that cannot be made so is left out."""
        found = {"ambiguess": self.ambiguess}
        if not isinstance(self.as_published, str):
            found["as published"] = self.as_published

        def mixing(source: ImageSet, count: int, more: dict[str, Any]) -> AmbiguousSet:
            return mixed(source, [list(pair) for pair in self.pairs], count, **more)

        def midpoint(source: ImageSet, count: int, more: dict[str, Any]) -> AmbiguousSet:
            return midpoints(source, [list(pair) for pair in self.pairs], count, self.vae, **more)

        found["mixing"] = self._rival("mixing", mixing, {})
        found["midpoint"] = self._rival("midpoint", midpoint, {"vae": asdict(self._plain)})
        return found

    def reaching(self, bound: float) -> tuple[AmbiguousSet, AmbiguousSet]:
        """Ours in all but how far the grid reaches where the classes do not differ."""
        own = self.parameters.making.composition
        if bound == own.scheme.grid.bound:
            return self.ambiguess
        grid = replace(own.scheme.grid, bound=bound)
        return self._composed(f"bound {bound:g}", replace(own, scheme=replace(own.scheme, grid=grid)))

    @property
    def shared(self) -> tuple[AmbiguousSet, AmbiguousSet]:
        """Ours in all but that both parts come from the same decoders."""
        return self._composed("shared", replace(self.parameters.making.composition, shared=True))

    def _composed(self, way: str, how: Composition) -> tuple[AmbiguousSet, AmbiguousSet]:
        p, good = self.parameters, self.good
        spec = {
            "decoders": [asdict(member) for member in good.members],
            "training": asdict(self.training),
            "composition": asdict(how),
            "count": [p.train, p.test],
        }
        every = torch.ones(len(good), dtype=torch.bool)
        return self._kept(way, spec, lambda: compose(good, every, p.train, p.test, how, name=way, seed=p.seed))

    def _rival(
        self, way: str, make: Callable[[ImageSet, int, dict[str, Any]], AmbiguousSet], more: dict[str, Any]
    ) -> tuple[AmbiguousSet, AmbiguousSet]:
        p = self.parameters
        roles = {
            "train": (self.train, p.train, {"delta_max": p.delta_train, "first_id": FIRST_ID}),
            "test": (self.test, p.test, {"delta_max": p.delta_test, "first_id": FIRST_ID + p.train}),
        }
        spec = {
            "pairs": [list(pair) for pair in self.pairs],
            "roles": {role: [count, *options.values()] for role, (_, count, options) in roles.items()},
            **more,
        }

        def both() -> tuple[AmbiguousSet, ...]:
            return tuple(
                make(source, count, {**options, "seed": p.seed, "role": role})
                for role, (source, count, options) in roles.items()
            )

        return self._kept(way, spec, both)

    def _kept(
        self, way: str, more: dict[str, Any], make: Callable[[], tuple[AmbiguousSet, ...]]
    ) -> tuple[AmbiguousSet, AmbiguousSet]:
        return kept(way, self.train, self.test, self.parameters.seed, more, make)

    @cached_property
    def mixed(self) -> ImageSet:
        """Nominal images followed by ambiguous ones with their hard labels (section VI.A)."""
        return self.beside(self.ambiguess[0])

    def beside(self, ambiguous: AmbiguousSet) -> ImageSet:
        """Nominal images followed by these."""
        return joined(f"mixed-{self.data}", [self.train, ambiguous.image_set()])

    def classifier(self, architecture: str, training: str, number: int) -> Classifier:
        """Give a classifier; those of the same number differ in nothing but what they were trained on."""
        images, targets = self._lesson(training)
        p = self.parameters
        return trained(architecture, images, p.recipe(architecture), p.seed + number, targets=targets)

    def classifiers(self, architecture: str, training: str, numbers: Sequence[int]) -> list[Classifier]:
        """Give several, each what `classifier` gives; on a GPU trained as one stack, see `trained_members`."""
        images, targets = self._lesson(training)
        p = self.parameters
        seeds = [p.seed + number for number in numbers]
        return trained_members(architecture, images, p.recipe(architecture), seeds, targets=targets) if seeds else []

    def _lesson(self, training: str) -> tuple[ImageSet, Float64[Tensor, "n k"] | None]:
        """Images to learn from, and what is said of them where it is not their labels."""
        return (self.mixed, self.targets(self.ambiguess[0].soft)) if training == "mixed" else (self.train, None)

    def taught(
        self,
        images: ImageSet,
        soft: Float64[Tensor, "a k"],
        architecture: str,
        number: int,
        nominal: ImageSet | None = None,
    ) -> Classifier:
        """Give a classifier that learnt from nominal images (None: all) and ambiguous ones, whose labels `soft` has."""
        p, targets = self.parameters, self.targets(soft, nominal)
        return trained(architecture, images, p.recipe(architecture), p.seed + number, targets=targets)

    def targets(self, soft: Float64[Tensor, "a k"], nominal: ImageSet | None = None) -> Float64[Tensor, "n k"] | None:
        """What mixed training reads, given the ambiguous images' probabilities; None where it reads drawn labels."""
        if self.parameters.targets == "drawn":
            return None
        return torch.cat([one_hot(self.train if nominal is None else nominal), soft.float()])

    def judges(self, images: ImageSet) -> Float64[Tensor, "m n k"]:
        """Softmax of all classifiers that have seen nominal images alone."""
        found = [
            observe(judge, images).logits.double().softmax(1)
            for name in self.parameters.judges
            for judge in self.classifiers(name, "clean", range(self.parameters.clean))
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
