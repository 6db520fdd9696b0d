"""`Supervisor`: `fit(record)`, then `score(record)`, higher is more suspicious; and the table of all of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, ClassVar, Self

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.networks import Record
from mistrust.registry import Registry
from mistrust.supervisors.card import Card
from mistrust.supervisors.finite import fine, finite
from mistrust.supervisors.learnt import Fitted, check_network


class NotFitted(MistrustError):
    """A supervisor was asked for scores before it was fitted.

    Examples
    --------
    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> make_supervisor("max_softmax").score(observe(it.classifier, it.nominal))
    Traceback (most recent call last):
    mistrust.supervisors.contract.NotFitted: Max Softmax is not fitted yet: call supervisor.fit(record) ...
    """


class Supervisor(ABC):
    """Tells suspicious inputs from ordinary ones by what a classifier did with them.

    A subclass is a dataclass whose fields are its parameters, with a `card`; it writes `_fit` and `_score`, both
    functions of their arguments and the parameters alone, and registers itself with `@supervisor(name)`.

    `score` gives float64 (n,), higher is more suspicious. Infinity is a score; NaN is an error.

    Examples
    --------
    One of the table, on images like those that it was fitted on and on images of no class:

    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> gini = make_supervisor("deep_gini").fit(observe(it.classifier, it.training))
    >>> nominal, novel = (gini.score(observe(it.classifier, some)) for some in (it.nominal, it.novel))
    >>> bool(nominal.max() < 0.01), bool(novel.min() > 0.6)
    (True, True)

    One of your own; `@supervisor("lead")` above it would put it into the table:

    >>> from dataclasses import dataclass
    >>> @dataclass(eq=False)
    ... class Lead(Supervisor):
    ...     card = Card("Lead", "softmax", "nobody's yet", "none", "none", ("logits",), "Next to nothing.")
    ...
    ...     def _fit(self, record, layers):
    ...         return {}
    ...
    ...     def _score(self, record, learnt):
    ...         best = record.logits.topk(2, 1).values
    ...         return best[:, 1] - best[:, 0]
    >>> lead = Lead().fit(observe(it.classifier, it.training))
    >>> nominal, novel = (lead.score(observe(it.classifier, some)) for some in (it.nominal, it.novel))
    >>> bool(novel.min() > nominal.max())
    True
    """

    name: ClassVar[str] = ""
    card: ClassVar[Card]
    fitted: Fitted | None = None

    def fit(self, record: Record) -> Self:
        """Learn from a record of nominal training images, and give the supervisor itself.

        Raises
        ------
        MistrustError
            What is no `Record`; a record that has no row, or lacks what the supervisor needs (the message names the
            call that gives it); a number in it that is not finite; a `_fit` that gives anything but tensors by name.
        """
        self._check_record(record)
        if len(record) == 0:
            raise MistrustError(f"{self.card.title} cannot be fitted on a record without rows.")
        self._check(record, self.card.fits)
        layers = self._layers(record)
        state = self._state(self._fit(record, layers))
        self.fitted = Fitted(record.classifier.classes, layers, state, record.network)
        return self

    def score(self, record: Record) -> Float64[Tensor, " n"]:
        """Score every image of a record; an image's score does not depend on the others.

        Raises
        ------
        NotFitted
            Before `fit`.
        MistrustError
            What is no `Record`, other classes than it was fitted with, another network where it has learnt of one, a
            record that lacks what is needed, numbers that are not finite; a `_score` that gives no tensor, float16,
            another shape or NaN.
        """
        learnt = self.fitted
        if learnt is None:
            raise NotFitted(
                f"{self.card.title} is not fitted yet: call supervisor.fit(record) with a record of training images."
            )
        self._check_record(record)
        if record.classifier.classes != learnt.classes:
            raise MistrustError(
                f"{self.card.title} was fitted on a classifier with {len(learnt.classes)} classes "
                f"({some(learnt.classes)}), this record has {len(record.classifier.classes)} "
                f"({some(record.classifier.classes)}). Fit it again on a record of this classifier."
            )
        check_network(self.card, learnt, record.network, "this record")
        self._check(record, self.card.needs)
        given: Any = self._score(record, learnt)
        if not isinstance(given, Tensor):
            raise MistrustError(
                f"{self.card.title} gave its scores as {type(given).__name__}, expected a tensor of shape "
                f"({len(record)},): end _score with torch.as_tensor(scores)."
            )
        fine(given, f"{self.card.title} gave its scores")
        scores = given.detach().to(torch.float64).cpu()
        if tuple(scores.shape) != (len(record),):
            raise MistrustError(
                f"{self.card.title} gave scores of shape {tuple(scores.shape)}, one an image is ({len(record)},)."
            )
        if bool(scores.isnan().any()):
            raise MistrustError(f"{self.card.title} gave NaN for {int(scores.isnan().sum())} of {len(scores)} images.")
        return scores

    def parameters(self) -> dict[str, Any]:
        """Parameters by name.

        Raises
        ------
        MistrustError
            The class is no dataclass.
        """
        if not is_dataclass(self):
            raise MistrustError(
                f"{type(self).__name__} is no dataclass, and a supervisor's fields are its parameters: write "
                "@dataclass(eq=False) above the class."
            )
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @abstractmethod
    def _fit(self, record: Record, layers: tuple[str, ...]) -> Mapping[str, Tensor]:
        """Give what is learnt, by name; nothing where nothing is."""

    @abstractmethod
    def _score(self, record: Record, learnt: Fitted) -> Float[Tensor, " n"]:
        """Give the scores."""

    def _layers(self, record: Record) -> tuple[str, ...]:
        """Names of the layers to read: those of the parameters `layer` or `layers`, else what the record holds."""
        held = tuple(record.activations)
        if "layer" in self.card.reads:
            wanted = str(getattr(self, "layer", ""))
            if wanted:
                record.layer(wanted)
                return (wanted,)
            if len(held) == 1:
                return held
            way = f', or name it: layer="{held[0]}"' if held else ""
            raise MistrustError(
                f"{self.card.title} reads one layer, and this record holds {', '.join(held) or 'none'}. Record one "
                f'with observe(classifier, images, layers=["NAME"]){way}.'
            )
        if "layers" in self.card.reads:
            several = tuple(getattr(self, "layers", ())) or held
            for each in several:
                record.layer(each)
            if not several:
                raise MistrustError(
                    f"{self.card.title} reads hidden layers, and this record holds none. Record them with "
                    'observe(classifier, images, layers=["FIRST", "SECOND"]).'
                )
            return several
        return ()

    def _state(self, given: Any) -> dict[str, Tensor]:
        """What `_fit` gave, as tensors on the CPU."""
        named = isinstance(given, Mapping) and all(isinstance(name, str) for name in given)
        if wrong := [one for one in given.values() if not isinstance(one, Tensor)] if named else [given]:
            raise MistrustError(
                f"{self.card.title} gave what it has learnt as {type(wrong[0]).__name__}, expected tensors by name: "
                'end _fit with return {"mean": torch.as_tensor(mean)}, say, and with return {} where it learns nothing.'
            )
        # In one order of memory, as what is saved and loaded has: another gives other last digits.
        return {name: values.detach().cpu().contiguous() for name, values in given.items()}

    def _check_record(self, record: Record) -> None:
        if not isinstance(record, Record):
            raise MistrustError(
                f"{self.card.title} reads a record of what a classifier did with images, got {type(record).__name__}. "
                "Make one: observe(classifier, images)."
            )

    def _check(self, record: Record, needs: tuple[str, ...]) -> None:
        finite(record.logits, f"{self.card.title}: the logits")
        for need in ("samples", "members"):
            if need in needs:
                finite(record.need(need), f"{self.card.title}: the {need}")
        if "network" in needs:
            _ = record.classifier.module


SUPERVISORS = Registry[type[Supervisor]]("supervisor", "mistrust list supervisors")


def supervisor(name: str) -> Callable[[type[Supervisor]], type[Supervisor]]:
    """Put a class into the table, under the name that listings and `make_supervisor` know it by.

    Examples
    --------
    `Supervisor` shows a whole one. A name that is taken is refused:

    >>> from dataclasses import dataclass
    >>> @supervisor("dsa")
    ... @dataclass(eq=False)
    ... class Mine(Supervisor):
    ...     pass
    Traceback (most recent call last):
    mistrust.errors.MistrustError: There is a supervisor 'dsa' already: give the new one another name.
    """

    def decorate(cls: type[Supervisor]) -> type[Supervisor]:
        if name not in SUPERVISORS:
            _check_class(name, cls)
        return SUPERVISORS.parameterised(name)(cls)

    return decorate


def _check_class(name: str, cls: type[Supervisor]) -> None:
    if not isinstance(getattr(cls, "card", None), Card):
        raise MistrustError(
            f"Supervisor '{name}' has no card: give its class one, `card = Card(title, ...)`, which listings and "
            "the book read."
        )
    if cls.__hash__ is None:  # a dataclass compares by its fields, where nothing else is said
        raise MistrustError(
            f"Supervisor '{name}' cannot be told from another with equal parameters: write @dataclass(eq=False)."
        )
    for one in fields(cls) if is_dataclass(cls) else ():
        if one.default is MISSING and one.default_factory is MISSING:
            raise MistrustError(
                f"Parameter '{one.name}' of supervisor '{name}' has no default: give it one, for "
                f'`make_supervisor("{name}")` gives it none.'
            )


def make_supervisor(name: str, **parameters: Any) -> Supervisor:
    """Give a new supervisor of the table, with parameters by name.

    Raises
    ------
    MistrustError
        A name or a parameter that is not there; the nearest is named.

    Examples
    --------
    >>> make_supervisor("max_softmax").card.title
    'Max Softmax'
    """
    made: Supervisor = SUPERVISORS.made(name, parameters)
    return made


def check_supervisor(given: Any) -> None:
    """Refuse what is no supervisor: the name of one, its class, or what only looks like one, or has no card."""
    SUPERVISORS.check_made(given, Supervisor, "a class of your own derives from mistrust.supervisors.Supervisor")
    card = getattr(given, "card", None)
    if not isinstance(card, Card):
        raise MistrustError(
            f"{type(given).__name__} has {'no card' if card is None else f'as its card a {type(card).__name__}'}: a "
            "supervisor says what it reads in the class, card = Card(title, family, paper, section, link, needs, cost) "
            "of mistrust.supervisors."
        )


def some(names: tuple[str, ...]) -> str:
    """Give the first three names for a message."""
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
