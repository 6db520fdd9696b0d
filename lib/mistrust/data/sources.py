"""The table of image sets: one entry each, found by name."""

from mistrust.data.source import Source
from mistrust.data.sources_colour import COLOUR
from mistrust.data.sources_grey import GREY
from mistrust.registry import Registry

SOURCES: Registry[Source] = Registry("data set", "mistrust data list")

for _source in (*GREY, *COLOUR):
    SOURCES.add(_source.name, _source)
