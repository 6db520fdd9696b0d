"""The table of mechanisms: ways in which errors of high confidence arise."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from mistrust.data import load
from mistrust.data.available import availability
from mistrust.errors import NotHere, check_known
from mistrust.networks import ARCHITECTURES, Recipe
from mistrust.registry import Registry
from mistrust.search.mechanisms.parts import Parts, Sizes

W = TypeVar("W")


@dataclass(frozen=True)
class Mechanism(Generic[W]):
    """One way in which errors of high confidence arise, in doses.

    Attributes
    ----------
    title : what a reader calls it.
    source : where the paper has it, and what stands in for its data here.
    about : what is done to which part, in a sentence or two.
    doses : names, with the number that rows keep as their level; the first is the control.
    whole : gives all images of the two classes, or the folder that they lie in.
    cut : (what `whole` gave, level, name of the dose, seed, sizes) -> the parts.
    sizes : of the parts, where no others are asked for.
    architecture, recipe : of the network; `recipe` counts its epochs for `sizes.train` images.
    data : the image sets that are read, (name, split) each; () where there is a folder.
    steady : whether fewer training images are gone through more often, so that every dose has as many steps.
    folder : finds the images where they lie in a folder of one's own, which no entry of the table of image sets
        describes; raises `NotHere` where they do not.

    Examples
    --------
    >>> entry = MECHANISMS["biased_training"]
    >>> entry.doses, entry.control, entry.level("25")
    ({'0': 0.0, '12': 0.12, '25': 0.25}, '0', 0.25)
    """

    title: str
    source: str
    about: str
    doses: Mapping[str, float]
    whole: Callable[[], W]
    cut: Callable[[W, float, str, int, Sizes], Parts]
    sizes: Sizes
    architecture: str
    recipe: Recipe
    data: tuple[tuple[str, str], ...] = ()
    steady: bool = False
    folder: Callable[[], Path] | None = None

    @property
    def control(self) -> str:
        """The dose without the mechanism."""
        return next(iter(self.doses))

    def level(self, dose: str) -> float:
        """The number of a dose; an unknown one is refused with the nearest known."""
        check_known(f"dose of '{self.title}'", dose, self.doses)
        return self.doses[dose]

    def parts(self, dose: str, seed: int, sizes: Sizes | None = None) -> Parts:
        """Images for training, validation and test; the seed draws which.

        Both critical classes share them: a class is critical only when the pool is chosen.

        Raises
        ------
        MistrustError
            An unknown dose, sizes that the data cannot fill, data that is not at hand.
        """
        level = self.level(dose)
        return self.cut(self.whole(), level, dose, seed, sizes or self.sizes)

    def recipe_for(self, parts: Parts, recipe: Recipe | None = None) -> Recipe:
        """The recipe for these training images: where the mechanism is `steady`, epochs for equally many steps."""
        chosen = recipe or self.recipe
        if not self.steady:
            return chosen
        return replace(chosen, epochs=max(1, round(chosen.epochs * self.sizes.train / len(parts.train))))

    def lacking(self) -> tuple[str, ...]:
        """Names of what it reads and this machine lacks: image sets, or "a folder of one's own"."""
        if self.folder is None:
            return tuple(name for name in dict.fromkeys(name for name, _ in self.data) if not availability(name).found)
        try:
            self.folder()
        except NotHere:
            return ("a folder of one's own",)
        return ()

    def inputs(self) -> dict[str, str]:
        """Checksums of all that is read, by set and split, for the spec of whatever is made from it."""
        return {f"{name}/{split}": load(name, split).checksum for name, split in self.data}


MECHANISMS = Registry[Mechanism[Any]]("mechanism", "mistrust list mechanisms")


def recipe_of(architecture: str) -> Recipe:
    """The recipe of an architecture of the table."""
    return ARCHITECTURES[architecture].recipe
