"""When not to trust an image classifier: five papers reproduced and judged, and the library under them."""

__version__ = "0.1.0"
