"""Supervisors: methods that tell when not to trust a prediction, on one contract."""

# Importing a module of entries puts them into the table.
from mistrust.supervisors import (
    alooc,
    autoencoder,
    boxes,
    dissector,
    ensembles,
    logits,
    neighbours,
    odin,
    quantifiers,
    relative,
    sampling,
    shaping,
    softmax,
    subspace,
    surprise,
)
from mistrust.supervisors.card import FAMILIES, NEEDS, Card
from mistrust.supervisors.contract import (
    SUPERVISORS,
    Fitted,
    NotFitted,
    Supervisor,
    make_supervisor,
    supervisor,
)
from mistrust.supervisors.described import defaults, described
from mistrust.supervisors.finite import features
from mistrust.supervisors.monitor import Monitor, Watched, load_monitor
from mistrust.supervisors.needed import needed
from mistrust.supervisors.saving import load_supervisor, save_supervisor
from mistrust.supervisors.threshold_rules import ClassMean, Fixed, Quantile, TrainingExtreme
from mistrust.supervisors.thresholds import THRESHOLDS, Threshold, make_threshold, threshold

__all__ = [
    "FAMILIES",
    "NEEDS",
    "SUPERVISORS",
    "THRESHOLDS",
    "Card",
    "ClassMean",
    "Fitted",
    "Fixed",
    "Monitor",
    "NotFitted",
    "Quantile",
    "Supervisor",
    "Threshold",
    "TrainingExtreme",
    "Watched",
    "alooc",
    "autoencoder",
    "boxes",
    "defaults",
    "described",
    "dissector",
    "ensembles",
    "features",
    "load_monitor",
    "load_supervisor",
    "logits",
    "make_supervisor",
    "make_threshold",
    "needed",
    "neighbours",
    "odin",
    "quantifiers",
    "relative",
    "sampling",
    "save_supervisor",
    "shaping",
    "softmax",
    "subspace",
    "supervisor",
    "surprise",
    "threshold",
]
