"""Ways in which errors of high confidence arise, each on data at hand."""

# Importing a module of entries puts them into the table.
from mistrust.search.mechanisms import biased, celeba, embedded, overfitted, shifted, zappos
from mistrust.search.mechanisms.brightness import brightness, darkest, luma
from mistrust.search.mechanisms.features import features
from mistrust.search.mechanisms.gray import TONES, toned
from mistrust.search.mechanisms.panel import Panel, panel, panel_spec
from mistrust.search.mechanisms.parts import Parts, Sizes, drawn, halved, joined, two_groups
from mistrust.search.mechanisms.table import MECHANISMS, Mechanism

__all__ = [
    "MECHANISMS",
    "TONES",
    "Mechanism",
    "Panel",
    "Parts",
    "Sizes",
    "biased",
    "brightness",
    "celeba",
    "darkest",
    "drawn",
    "embedded",
    "features",
    "halved",
    "joined",
    "luma",
    "overfitted",
    "panel",
    "panel_spec",
    "shifted",
    "toned",
    "two_groups",
    "zappos",
]
