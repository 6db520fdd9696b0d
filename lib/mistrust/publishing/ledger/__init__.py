"""The page of the book that holds every claim: its entries, their HTML, and the check of a built book against rows."""

from mistrust.publishing.ledger.check import faults
from mistrust.publishing.ledger.entry import Entry, entries, judged_once, tally
from mistrust.publishing.ledger.page import PARTS, part

__all__ = ["PARTS", "Entry", "entries", "faults", "judged_once", "part", "tally"]
