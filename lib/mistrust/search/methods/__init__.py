"""The searches: one entry of `SEARCHES` each."""

from mistrust.search.methods import bansal_weld, facility, lakkaraju, orders, primed  # their entries
from mistrust.search.methods.table import SEARCHES, Asking, Search, begin

__all__ = ["SEARCHES", "Asking", "Search", "bansal_weld", "begin", "facility", "lakkaraju", "orders", "primed"]
