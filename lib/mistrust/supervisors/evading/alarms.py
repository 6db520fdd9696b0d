"""How suspicious a supervisor finds an image, as a function that can be differentiated by the image's pixels.

A supervisor's own score is made for speed and for digits, from what a network gave. Who wants to pass it unnoticed
follows these: the same numbers up to rounding, with a gradient.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor, nn
from torch.nn import functional

from mistrust.errors import MistrustError, check_known
from mistrust.networks import Classifier, layer_names
from mistrust.registry import Registry
from mistrust.supervisors.autoencoder import ERRORS
from mistrust.supervisors.contract import Fitted, NotFitted, Supervisor
from mistrust.supervisors.conv_vae import with_weights
from mistrust.supervisors.dissector import layer_weights, support, validity
from mistrust.supervisors.surprise.distance import Judges
from mistrust.supervisors.surprise.likelihood import Density
from mistrust.supervisors.surprise.mahalanobis import Ellipsoid


class Seen(NamedTuple):
    """What a network did with n images, with the graph that leads back to their pixels.

    Attributes
    ----------
    images : in [0, 1].
    logits : (n, k).
    layers : by name, flat.

    Examples
    --------
    >>> Seen(torch.zeros(1, 1, 2, 2), torch.tensor([[0.2, 0.9]]), {}).predicted
    tensor([1])
    """

    images: Float[Tensor, "n c h w"]
    logits: Float[Tensor, "n k"]
    layers: Mapping[str, Float[Tensor, "n d"]]

    @property
    def predicted(self) -> Int[Tensor, " n"]:
        """The class of the largest logit."""
        return self.logits.detach().argmax(1)


TINY = 1e-20
# How suspicious images are: (n,), higher is more suspicious.
Score = Callable[[Seen], Float64[Tensor, " n"]]
# An entry is given a fitted supervisor and what it has learnt.
ALARMS = Registry[Callable[[Any, Fitted], Score]]("supervisor whose score can be followed")


class Alarm(NamedTuple):
    """A supervisor's score, to be differentiated, and the layers that it reads.

    Examples
    --------
    >>> blue = Alarm((), lambda what: what.images[:, -1].double().flatten(1).mean(1))  # of colour images
    >>> pixels = torch.zeros(2, 3, 4, 4, requires_grad=True)
    >>> blue.score(Seen(pixels, torch.zeros(2, 2), {})).sum().backward()
    >>> pixels.grad[0, :, 0, 0]
    tensor([0.0000, 0.0000, 0.0625])
    """

    layers: tuple[str, ...]
    score: Score


def alarm(supervisor: Supervisor) -> Alarm:
    """Give a fitted supervisor's alarm: its score up to rounding, to be differentiated by the images' pixels.

    Raises
    ------
    MistrustError
        A supervisor that is in no line of `ALARMS`.
    NotFitted
        Before `fit`.

    Examples
    --------
    >>> from mistrust.networks import observe
    >>> from mistrust.supervisors import make_supervisor
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> record = observe(it.classifier, it.training, layers=["hidden"])
    >>> mdsa = make_supervisor("mdsa", layer="hidden").fit(record)
    >>> followed = alarm(mdsa).score(seen(it.classifier, it.training.floats(), ["hidden"]))
    >>> bool(torch.allclose(followed, mdsa.score(record)))
    True
    """
    learnt, name = supervisor.fitted, supervisor.name
    if learnt is None:
        raise NotFitted(f"{supervisor.card.title} is not fitted yet: call supervisor.fit(record) first.")
    if name not in ALARMS:
        raise MistrustError(
            f"The score of {supervisor.card.title} cannot be followed by its gradient here. Those that can: "
            f"{', '.join(ALARMS)}; ALARMS.add puts another into the table."
        )
    return Alarm(learnt.layers, ALARMS[name](supervisor, learnt))


def seen(classifier: Classifier, images: Float[Tensor, "n c h w"], layers: Sequence[str] = ()) -> Seen:
    """Pass images through a network and keep the graph; what it did is on the CPU, wherever it computes.

    Raises
    ------
    UnknownName
        A layer that the network does not have.

    Examples
    --------
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> pixels = it.nominal.floats().requires_grad_()
    >>> found = seen(it.classifier, pixels, ["hidden"])
    >>> found.layers["hidden"].requires_grad, torch.equal(found.predicted, it.classifier(pixels).argmax(1))
    (True, True)
    """
    held: dict[str, Tensor] = {}
    handles = []
    for name in layers:
        check_known(f"layer of '{classifier.name}'", name, layer_names(classifier))

        def keep(_: nn.Module, __: object, output: Tensor, name: str = name) -> None:
            held[name] = output.flatten(1).clone().cpu()  # a later module may write into it

        handles.append(classifier.module.get_submodule(name).register_forward_hook(keep))
    try:
        logits = classifier(images).cpu()
    finally:
        for handle in handles:
            handle.remove()
    return Seen(images, logits, held)


def _of_classes(learnt: Fitted, score: Callable[[int, Tensor], Tensor]) -> Score:
    """An alarm class by class: of rows of one layer that are predicted so; infinite where a class was not judged."""
    judged = learnt.state["judged"].nonzero().flatten().tolist()

    def of(what: Seen) -> Tensor:
        rows, predicted = what.layers[learnt.layers[0]].double(), what.predicted
        found = torch.full((len(rows),), torch.inf, dtype=torch.float64)
        for group in judged:
            here = (predicted == group).nonzero().flatten()
            if len(here):
                found = found.index_copy(0, here, score(group, rows[here]))
        return found

    return of


def _parts(learnt: Fitted, group: int) -> dict[str, Tensor]:
    start = f"{group}/"
    return {name.removeprefix(start): one for name, one in learnt.state.items() if name.startswith(start)}


def _max_softmax(supervisor: Any, learnt: Fitted) -> Score:
    return lambda what: -what.logits.double().softmax(1).amax(1)


def _mdsa(supervisor: Any, learnt: Fitted) -> Score:
    return _of_classes(learnt, lambda group, rows: Ellipsoid(**_parts(learnt, group)).surprise(rows))


def _lsa(supervisor: Any, learnt: Fitted) -> Score:
    def surprise(group: int, rows: Tensor) -> Tensor:
        of = Density(**_parts(learnt, group))
        z = torch.linalg.solve_triangular(of.factor, (rows[:, of.columns] - of.mean).T, upper=False).T
        powers = z @ of.rows.T - of.rows.square().sum(1) / 2
        return z.square().sum(1) / 2 - powers.logsumexp(1) - of.log_norm

    return _of_classes(learnt, surprise)


def _dsa(supervisor: Any, learnt: Fitted) -> Score:
    train = learnt.state["train"]
    judges = Judges(train, learnt.state["groups"])

    @cache
    def of(group: int) -> tuple[Tensor, Tensor]:
        rows = train[judges.known[group]].float()
        return rows.T, rows.square().sum(1) / 2

    def ratio(group: int, rows: Tensor) -> Tensor:
        # The nearest row of the class is found anew at each step; while it stays, its own distance is a constant.
        columns, half = of(group)
        index = judges.known[group][(half - rows.detach().float() @ columns).argmin(1)]
        own = ((rows - train[index].double()).square().sum(1) + TINY).sqrt()  # at 0 a distance has no gradient
        return own / judges.seconds(index).clamp_min(TINY)

    return _of_classes(learnt, ratio)


def _autoencoder(supervisor: Any, learnt: Fitted) -> Score:
    shape: Any = tuple(learnt.state["shape"].tolist())
    weights = {n.removeprefix("network/"): v for n, v in learnt.state.items() if n.startswith("network/")}
    network = with_weights(shape, weights)

    def error(what: Seen) -> Tensor:
        return ERRORS[supervisor.error](network.logits(network.posterior(what.images)[0]), what.images, supervisor.clip)

    return error


def _linear(learnt: Fitted, number: int) -> tuple[Tensor, Tensor]:
    return learnt.state[f"{number}/weight"], learnt.state[f"{number}/bias"]


def _dissector(supervisor: Any, learnt: Fitted) -> Score:
    weights = layer_weights(len(learnt.layers), supervisor.growth, supervisor.first)

    def invalid(what: Seen) -> Tensor:
        logits = [
            functional.linear(*(v.double() for v in (what.layers[name], *_linear(learnt, i))))
            for i, name in enumerate(learnt.layers)
        ]
        return -validity(torch.stack([support(one, what.predicted) for one in logits]), weights)

    return invalid


for _name, _make in (
    ("max_softmax", _max_softmax), ("dsa", _dsa), ("lsa", _lsa), ("mdsa", _mdsa), ("autoencoder", _autoencoder),
    ("dissector", _dissector),
):  # fmt: skip
    ALARMS.add(_name, _make)
