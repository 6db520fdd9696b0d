"""`Panel`: one trained network on a mechanism's images, calibrated: all that a search reads of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int64

from mistrust.data import ImageSet
from mistrust.errors import MistrustError, UnknownName
from mistrust.inputs.limits import whole
from mistrust.networks import Classifier, Recipe, Record, network_spec, observe, trained
from mistrust.search import calibration
from mistrust.search.calibration import Temperature
from mistrust.search.mechanisms.features import features
from mistrust.search.mechanisms.parts import Parts, Sizes
from mistrust.search.mechanisms.table import MECHANISMS
from mistrust.search.pool import THRESHOLD, Pool


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A network of a mechanism, calibrated: what it takes to ask it about images of others.

    Attributes
    ----------
    parts, classifier, temperature : as a `Panel` has them.
    validation : what it says of `parts.validation`, on which the temperature is fitted.

    Examples
    --------
    >>> from mistrust.networks import Recipe
    >>> brief = Recipe(epochs=1, batch=20, rate=1e-3, optimiser="adam")
    >>> one = calibrated("few_digits", "20", seed=0, sizes=Sizes(20, 20, 60), recipe=brief)
    >>> len(one.parts.test), len(one.validation), one.temperature.value > 0
    (60, 20, True)
    """

    parts: Parts
    classifier: Classifier
    temperature: Temperature
    validation: Record


@dataclass(frozen=True, eq=False)
class Panel:
    """A network, what it says of the test images, and what is true of them.

    Attributes
    ----------
    name, dose, seed : the mechanism, its dose, and the seed of images and network.
    parts : the images.
    classifier : trained on `parts.train`; not calibrated, for attacks ask only for its classes.
    temperature : fitted on `parts.validation`.
    logits : (n, 2) of the test images, uncalibrated.
    predicted : (n,) classes of the test images.
    confidence : (n,) calibrated, float64, in [0.5, 1].
    errors : (n,) whether the prediction is wrong.
    accuracy : of "train", "validation" and "test", in [0, 1].

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
    logits: Float64[np.ndarray, "n 2"]
    predicted: Int64[np.ndarray, " n"]
    confidence: Float64[np.ndarray, " n"]
    errors: Bool[np.ndarray, " n"]
    accuracy: Mapping[str, float]

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
        if critical not in self.classes:
            raise UnknownName("critical class", critical, self.classes)
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
    """Draw a mechanism's images, train its network (or take it from the store), calibrate it and ask it.

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
    found = calibrated(name, dose, seed, sizes=sizes, architecture=architecture, recipe=recipe, device=device)
    parts, classifier, temperature = found.parts, found.classifier, found.temperature
    shown = {
        "train": observe(classifier, parts.train), "validation": found.validation,
        "test": observe(classifier, parts.test),
    }  # fmt: skip
    logits = shown["test"].logits.numpy().astype(np.float64)
    predicted, confidence = calibration.predicted(logits, temperature.value)
    errors = predicted != parts.test.labels.numpy()
    accuracy = {part: float(record.correct.double().mean()) for part, record in shown.items()}
    return Panel(name, dose, seed, parts, classifier, temperature, logits, predicted, confidence, errors, accuracy)


def calibrated(
    name: str,
    dose: str,
    seed: int,
    *,
    sizes: Sizes | None = None,
    architecture: str | None = None,
    recipe: Recipe | None = None,
    device: str | None = None,
) -> Calibrated:
    """Draw a mechanism's images, train its network (or take it from the store) and calibrate it.

    The test images are drawn, and the network is not asked about them: see `panel`, whose parameters these are, and
    which raises the same.

    Examples
    --------
    >>> from mistrust.networks import Recipe
    >>> brief = Recipe(epochs=1, batch=20, rate=1e-3, optimiser="adam")
    >>> about = {"sizes": Sizes(20, 20, 60), "recipe": brief}
    >>> one, whole = (make("few_digits", "20", seed=0, **about) for make in (calibrated, panel))
    >>> one.temperature == whole.temperature
    True
    """
    parts, architecture, recipe = _prepared(name, dose, whole("The seed", seed, 0), sizes, architecture, recipe)
    classifier = trained(architecture, parts.train, recipe, seed, device=device)
    validation = observe(classifier, parts.validation)
    temperature = calibration.fit_temperature(validation.logits, validation.labels)
    return Calibrated(parts, classifier, temperature, validation)


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
