"""Connected regions of a class: exact segments, paths, and how many bubbles hold its samples."""

from mistrust.robustness.regions.bubbles import Bubbles, bubbles
from mistrust.robustness.regions.climbing import climb
from mistrust.robustness.regions.grid import lowest_on_grid, screen
from mistrust.robustness.regions.margin import margin
from mistrust.robustness.regions.merge_tree import MergeTree, merge_tree
from mistrust.robustness.regions.paths import SEARCHES, Paths, repair, straight
from mistrust.robustness.regions.region import Region, class_region
from mistrust.robustness.regions.segments import Certificates, certify
from mistrust.robustness.regions.traversal import traversal
from mistrust.robustness.regions.widest import pair_ids, widest
from mistrust.robustness.regions.worlds import WORLDS, World

__all__ = [
    "SEARCHES",
    "WORLDS",
    "Bubbles",
    "Certificates",
    "MergeTree",
    "Paths",
    "Region",
    "World",
    "bubbles",
    "certify",
    "class_region",
    "climb",
    "lowest_on_grid",
    "margin",
    "merge_tree",
    "pair_ids",
    "repair",
    "screen",
    "straight",
    "traversal",
    "widest",
]
