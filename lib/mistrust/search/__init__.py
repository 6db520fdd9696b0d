"""The search for high-confidence errors: which instances a person should label first, and how much that helps.

Bennette, Maurer and Sisti, "Harnessing Adversarial Distances to Discover High-Confidence Errors" (2020).

>>> from mistrust.search import Pool, search
>>> pool = Pool(ids=[3, 4, 5], confidence=[0.9, 0.7, 0.8])
>>> search(pool, lambda id: id == 4, 2, "low_confidence").answers
{4: True, 5: False}
"""

from mistrust.search.clusters import kmeans_both
from mistrust.search.found import Found, OracleFailed
from mistrust.search.methods import SEARCHES, Search
from mistrust.search.pool import THRESHOLD, Pool
from mistrust.search.replaying import Replayed, replay
from mistrust.search.searching import Searching, search

__all__ = [
    "SEARCHES",
    "THRESHOLD",
    "Found",
    "OracleFailed",
    "Pool",
    "Replayed",
    "Search",
    "Searching",
    "kmeans_both",
    "replay",
    "search",
]
