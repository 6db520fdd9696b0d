"""Everything on a supervisor's card, as text for a terminal or a page."""

import textwrap
from dataclasses import MISSING, fields

from mistrust.supervisors.card import FAMILIES, NEEDS
from mistrust.supervisors.contract import SUPERVISORS

_WIDTH = 100


def defaults(name: str) -> str:
    """Give the parameters of a supervisor with their defaults, as they would be written in a call.

    Examples
    --------
    >>> defaults("mdsa"), defaults("max_softmax")
    ("layer='', covariance='pinv', ridge=0.01", '')
    """
    known = fields(SUPERVISORS[name])  # pyrefly: ignore[bad-argument-type]
    return ", ".join(one.name if one.default is MISSING else f"{one.name}={one.default!r}" for one in known)


def described(name: str) -> str:
    """Give a supervisor's whole card as text: what it reads, its paper, parameters, needs, cost and limits.

    Raises
    ------
    UnknownName
        A supervisor that is not there; the nearest is named.

    Examples
    --------
    >>> print(described("deep_gini"))
    deep_gini: DeepGini
      sees:       Reads one softmax or logit vector.
      paper:      Feng and others, DeepGini: prioritizing massive tests to enhance the robustness of
                  deep neural networks, ISSTA 2020
      defined in: section 3, https://arxiv.org/abs/1903.00661
      parameters: none
      reads:      logits, by observe(classifier, images)
      cost:       Nothing to fit; microseconds an image, no memory.
      limits:     A network may be sure of what it has never seen. Of a very sure network softmax values
                  round to 1, and images tie that differ: Softmax Entropy keeps their order, and so do
                  logits divided by a temperature.
    """
    card = SUPERVISORS[name].card
    lines = {
        "sees": f"{FAMILIES[card.family]}.",
        "paper": card.paper,
        "defined in": f"{card.section}, {card.link}",
        "parameters": defaults(name) or "none",
        "reads": "; ".join(f"{need}, by {NEEDS[need]}" for need in card.reads) or "nothing that a record holds",
        "cost": card.cost,
        "limits": card.limits or "none is known here",
    }
    return "\n".join(
        [
            f"{name}: {card.title}",
            *(
                textwrap.fill(
                    text,
                    _WIDTH,
                    initial_indent=f"  {what + ':':12s}",
                    subsequent_indent=" " * 14,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
                for what, text in lines.items()
            ),
        ]
    )
