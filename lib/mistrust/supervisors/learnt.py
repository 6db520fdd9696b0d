"""`Fitted`: what a supervisor has learnt, and of which network."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.supervisors.card import Card


@dataclass(frozen=True)
class Fitted:
    """What a supervisor has learnt.

    Attributes
    ----------
    classes : names of the classifier's classes.
    layers : the layers that were read, by name, in order.
    state : everything else, as tensors on the CPU.
    network : what tells the network from others (`Record.network`); "" where nobody knows.

    Examples
    --------
    >>> from mistrust.supervisors import Monitor, make_supervisor
    >>> from mistrust.supervisors.made_up import made_up
    >>> it = made_up()
    >>> monitor = Monitor.fit(it.classifier, make_supervisor("mdsa", layer="hidden"), it.training, it.nominal)
    >>> learnt = monitor.supervisor.fitted
    >>> learnt.layers, learnt.classes
    (('hidden',), ('north-west', 'north-east', 'south-west'))
    >>> learnt.state["0/mean"].shape  # of the first class, in the space of the layer
    torch.Size([16])
    """

    classes: tuple[str, ...]
    layers: tuple[str, ...]
    state: Mapping[str, Tensor]
    network: str = ""


def check_network(card: Card, learnt: Fitted, network: str, whose: str) -> None:
    """Refuse to compare a network with what was learnt of another.

    What learns nothing, or reads pixels alone, scores every network alike well; nothing is refused where either network
    is not known.

    Parameters
    ----------
    network : what tells it from others.
    whose : how the message names it ("this record").

    Raises
    ------
    MistrustError
        Other weights, or another normalisation, than those that the supervisor was fitted on.
    """
    of_network = bool(learnt.state) and set(card.needs) != {"pixels"}
    if of_network and learnt.network and network and learnt.network != network:
        raise MistrustError(
            f"{card.title} was fitted on another network than that of {whose}, or of the same after more training: "
            "other weights, or another normalisation. Fit it again on a record of this classifier."
        )
