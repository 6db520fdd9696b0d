"""`needed`: what to ask of `observe`, so that one pass of a classifier feeds several supervisors."""

from collections.abc import Iterable, Sequence
from typing import Any

from mistrust.errors import MistrustError
from mistrust.networks import Classifier
from mistrust.networks.record import as_layers, as_members
from mistrust.supervisors.contract import Supervisor, check_supervisor

SAMPLES = 32  # passes with dropout on, where a supervisor reads them and nobody says how many


def needed(
    supervisors: Iterable[Supervisor],
    *,
    samples: int = SAMPLES,
    members: Sequence[Classifier] = (),
    layers: Sequence[str] = (),
    fitting: bool = False,
) -> dict[str, Any]:
    """Give the arguments of `observe` that make one record for several supervisors.

    Parameters
    ----------
    supervisors : fitted ones say by what they learnt which layers they read, others by their parameters.
    samples : passes with dropout on, if any of them reads samples.
    members : further classifiers, if any of them reads members.
    layers : more layers to record.
    fitting : whether the record is to fit them.

    Raises
    ------
    MistrustError
        One is no supervisor, but its name, say; layers that are no names; one reads members and there are none, or
        reads layers and does not say which.

    Examples
    --------
    >>> from mistrust.supervisors import make_supervisor
    >>> needed([make_supervisor("max_softmax"), make_supervisor("deep_gini")])
    {}
    """
    found: dict[str, Any] = {}
    union = [*as_layers(layers)]
    members = as_members(members)
    if isinstance(supervisors, Supervisor):
        raise MistrustError(f"needed takes a list of supervisors, got {supervisors.card.title} alone: needed([it]).")
    if not isinstance(supervisors, Iterable):
        raise MistrustError(f"needed takes a list of supervisors, got {supervisors!r}.")
    for one in supervisors:
        check_supervisor(one)
        layers_read = tuple(need for need in one.card.needs if need.startswith("layer"))
        needs = (*layers_read, *one.card.fits) if fitting else one.card.needs
        if "samples" in needs:
            found["samples"] = samples
        if "members" in needs:
            if not members:
                raise MistrustError(
                    f"{one.card.title} reads an ensemble: give the further classifiers, members=[second, third]."
                )
            found["members"] = list(members)
        # Several layers of all training images can be too many numbers for memory: fitting streams them by itself.
        if "layer" in needs or ("layers" in needs and not fitting):
            union += _layers(one, bool(layers))
    if union:
        found["layers"] = list(dict.fromkeys(union))
    return found


def _layers(supervisor: Supervisor, others: bool) -> tuple[str, ...]:
    if supervisor.fitted is not None:
        return supervisor.fitted.layers
    one, several = str(getattr(supervisor, "layer", "")), tuple(getattr(supervisor, "layers", ()))
    if not one and not several and not others:
        what = 'layer="NAME"' if "layer" in supervisor.card.reads else 'layers=("NAME", ...)'
        raise MistrustError(
            f"{supervisor.card.title} reads layers and does not say which: make it with {what}. "
            "layer_names(classifier) lists them; usual is that whose output the last linear layer gets: 'flatten' "
            "in this book's convolutional network, 'avgpool' in torchvision's ResNets."
        )
    return (one,) if one else several
