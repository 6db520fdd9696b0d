"""Named image sets: where they come from, how they are read, and what they hold."""

from mistrust.data.available import Availability, listing
from mistrust.data.download import get
from mistrust.data.imageset import ImageSet
from mistrust.data.loading import columns, load
from mistrust.data.source import Source
from mistrust.data.sources import SOURCES

__all__ = ["SOURCES", "Availability", "ImageSet", "Source", "columns", "get", "listing", "load"]
