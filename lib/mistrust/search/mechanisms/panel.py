"""`Panel`: one trained network on a mechanism's images, calibrated: all that a search reads of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int64

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, check_known
from mistrust.inputs.limits import whole
from mistrust.networks import Classifier, Recipe, Record, network_spec, observe, trained
from mistrust.search import calibration
from mistrust.search.calibration import Temperature
from mistrust.search.mechanisms.features import features
from mistrust.search.mechanisms.parts import Parts, Sizes
from mistrust.search.mechanisms.table import MECHANISMS
from mistrust.search.pool import THRESHOLD, Pool


@dataclass(frozen=True, eq=False)
class Panel:
    """A network, what it says of the test images, and what is true of them; it is asked about these when first read.

    Attributes
    ----------
    name, dose, seed : the mechanism, its dose, and the seed of images and network.
    parts : the images.
    classifier : trained on `parts.train`; not calibrated, for attacks ask only for its classes.
    temperature : fitted on `parts.validation`.
    validation : what the network says of these.

    Examples
    --------
    >>> from mistrust.networks import Recipe
    >>> brief = Recipe(epochs=1, batch=20, rate=1e-3, optimiser="adam")
    >>> tiny = panel("few_digits", "20", seed=0, sizes=Sizes(20, 20, 60), recipe=brief)
    >>> tiny.classes, tiny.confidence.shape, tiny.features.shape
    (('3', '5'), (60,), (60, 5))
    >>> tiny.oracle(tiny.parts.test.ids[0].item()) == bool(tiny.errors[0])  # somebody who knows
    True
    """

    name: str
    dose: str
    seed: int
    parts: Parts
    classifier: Classifier
    temperature: Temperature
    validation: Record

    @cached_property
    def _test(self) -> Record:
        return observe(self.classifier, self.parts.test)

    @cached_property
    def logits(self) -> Float64[np.ndarray, "n 2"]:
        """Of the test images, uncalibrated."""
        return self._test.logits.numpy().astype(np.float64)

    @cached_property
    def _called(self) -> tuple[Int64[np.ndarray, " n"], Float64[np.ndarray, " n"]]:
        return calibration.predicted(self.logits, self.temperature.value)

    @property
    def predicted(self) -> Int64[np.ndarray, " n"]:
        """Classes of the test images."""
        return self._called[0]

    @property
    def confidence(self) -> Float64[np.ndarray, " n"]:
        """Of these predictions, calibrated, in [0.5, 1]."""
        return self._called[1]

    @cached_property
    def errors(self) -> Bool[np.ndarray, " n"]:
        """Whether each prediction is wrong."""
        return self.predicted != self.parts.test.labels.numpy()

    @cached_property
    def accuracy(self) -> Mapping[str, float]:
        """Of "train", "validation" and "test", in [0, 1]."""
        shown = {
            "train": observe(self.classifier, self.parts.train), "validation": self.validation, "test": self._test,
        }  # fmt: skip
        return {part: float(record.correct.double().mean()) for part, record in shown.items()}

    @property
    def classes(self) -> tuple[str, ...]:
        """The two classes, either of which may be the critical one."""
        return self.parts.classes

    @cached_property
    def features(self) -> Float64[np.ndarray, "n p"]:
        """Five principal components of the test images' pixels, fitted on all of them; see `features.features`."""
        return features(self.parts.test)

    def rows(self, critical: str, threshold: float = THRESHOLD) -> Int64[np.ndarray, " m"]:
        """Positions of the test images that are predicted as the critical class with confidence above the threshold.

        Raises
        ------
        MistrustError
            A class that is neither of the two.
        """
        check_known("critical class", critical, self.classes)
        called = self.predicted == self.classes.index(critical)
        return np.flatnonzero(called & (self.confidence > threshold))

    def pool(self, critical: str, threshold: float = THRESHOLD) -> Pool:
        """What may be searched: ids, confidences and features, no truth. Distances come later: `pool.with_`.

        Raises
        ------
        MistrustError
            No image is predicted as the critical class with such a confidence.
        """
        rows = self.rows(critical, threshold)
        if not len(rows):
            called = self.predicted == self.classes.index(critical)
            highest = f"the highest is {self.confidence[called].max():.3f}" if called.any() else "none is predicted so"
            raise MistrustError(
                f"No test image of '{self.name}', dose {self.dose}, seed {self.seed}, is predicted '{critical}' with "
                f"a confidence above {threshold:g}: {highest}. Search the other class, or train longer or on "
                "more images."
            )
        return Pool(self.parts.test.ids.numpy()[rows], self.confidence[rows], self.features[rows])

    def images(self, critical: str, threshold: float = THRESHOLD) -> ImageSet:
        """The pool's images, in its order."""
        return self.parts.test.take(self.rows(critical, threshold))

    def truth(self, critical: str, threshold: float = THRESHOLD) -> Bool[np.ndarray, " m"]:
        """Whether each of the pool's predictions is wrong, in its order."""
        return self.errors[self.rows(critical, threshold)]

    def oracle(self, id: int) -> bool:
        """Whether the prediction for the test image of this id is wrong: somebody who knows.

        Raises
        ------
        MistrustError
            No test image has this id.
        """
        if id not in self._wrong:
            raise MistrustError(f"No test image of '{self.name}' has the id {id}.")
        return self._wrong[id]

    @cached_property
    def _wrong(self) -> dict[int, bool]:
        return dict(zip(self.parts.test.ids.tolist(), self.errors.tolist(), strict=True))


def panel(
    name: str,
    dose: str,
    seed: int,
    *,
    sizes: Sizes | None = None,
    architecture: str | None = None,
    recipe: Recipe | None = None,
    device: str | None = None,
) -> Panel:
    """Draw a mechanism's images, train its network (or take it from the store) and calibrate it.

    Parameters
    ----------
    name, dose : entry of `MECHANISMS`, and one of its doses.
    seed : of the images that are drawn, of first weights, order and dropout. Images of two seeds are drawn anew
        each and overlap: of 14,000, two test parts of 6,000 have some 2,600 in common.
    sizes, architecture, recipe : in place of the mechanism's own.
    device : where the network runs, as for `networks.trained`.

    Raises
    ------
    MistrustError
        What `Mechanism.parts` and `networks.trained` refuse; a seed that is no whole number.

    Examples
    --------
    >>> from mistrust.networks import Recipe
    >>> brief = Recipe(epochs=1, batch=20, rate=1e-3, optimiser="adam")
    >>> tiny = panel("few_digits", "20", seed=0, sizes=Sizes(20, 20, 60), recipe=brief)
    >>> len(tiny.parts.train), len(tiny.errors), sorted(tiny.accuracy)
    (20, 60, ['test', 'train', 'validation'])
    >>> panel("few_digits", "10", seed=0)
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no dose '10' of 'Few training images, two digits'. Did you mean '100'? ...
    """
    parts, architecture, recipe = _prepared(name, dose, whole("The seed", seed, 0), sizes, architecture, recipe)
    classifier = trained(architecture, parts.train, recipe, seed, device=device)
    validation = observe(classifier, parts.validation)
    temperature = calibration.fit_temperature(validation.logits, validation.labels)
    return Panel(name, dose, seed, parts, classifier, temperature, validation)


def panel_spec(
    name: str,
    dose: str,
    seed: int,
    *,
    sizes: Sizes | None = None,
    architecture: str | None = None,
    recipe: Recipe | None = None,
) -> dict[str, Any]:
    """What a panel is made from, for the spec of what is computed from it: the network's spec and all its images.

    Examples
    --------
    >>> spec = panel_spec("few_digits", "20", seed=0)  # nothing is trained
    >>> sorted(spec["network"]), sorted(spec["images"])
    (['architecture', 'data', 'recipe', 'seed'], ['test', 'validation'])
    >>> spec == panel_spec("few_digits", "20", seed=1)
    False
    """
    parts, architecture, recipe = _prepared(name, dose, seed, sizes, architecture, recipe)
    checksums = {part: getattr(parts, part).checksum for part in ("validation", "test")}
    return {"network": network_spec(architecture, parts.train, recipe, seed), "images": checksums}


def _prepared(
    name: str, dose: str, seed: int, sizes: Sizes | None, architecture: str | None, recipe: Recipe | None
) -> tuple[Parts, str, Recipe]:
    mechanism = MECHANISMS[name]
    parts = mechanism.parts(dose, seed, sizes)
    return parts, architecture or mechanism.architecture, mechanism.recipe_for(parts, recipe)
