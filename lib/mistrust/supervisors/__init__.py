"""Supervisors: methods that tell when not to trust a prediction, on one contract."""

# Importing a module of entries puts them into the table.
from mistrust.supervisors import softmax
from mistrust.supervisors.card import FAMILIES, NEEDS, Card
from mistrust.supervisors.contract import (
    SUPERVISORS,
    Fitted,
    NotFitted,
    Supervisor,
    features,
    make_supervisor,
    supervisor,
)

__all__ = [
    "FAMILIES",
    "NEEDS",
    "SUPERVISORS",
    "Card",
    "Fitted",
    "NotFitted",
    "Supervisor",
    "features",
    "make_supervisor",
    "softmax",
    "supervisor",
]
