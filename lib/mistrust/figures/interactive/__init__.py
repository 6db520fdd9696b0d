"""Interactive figures that need no server, no network and no framework.

Each function takes plain data and gives an `Interactive`: HTML that stands alone as a static picture or table, with
inline JSON and at most one sprite of images. The book's one script, `book/_static/mistrust.js`, makes it answer to
pointer and keys. Without JavaScript the static form stays.

======== ===============================================================================================
grid     a matrix of values; a cell tells its value, its interval and shows its images
plane    a field of images (a latent plane, a sweep of two parameters) with class probabilities
table    a table that its heads sort
polar    one value per direction, each with its image
stepper  an explanation in steps; of several series one is chosen by name
choice   one of several, chosen by name, each with a drawing or images
======== ===============================================================================================
"""

from mistrust.figures.interactive.cells import grid, plane
from mistrust.figures.interactive.choices import Option, Strip, choice
from mistrust.figures.interactive.frame import Interactive
from mistrust.figures.interactive.histograms import histogram, histograms
from mistrust.figures.interactive.spokes import polar
from mistrust.figures.interactive.sprites import Sprite, sprite
from mistrust.figures.interactive.steps import Step, stepper
from mistrust.figures.interactive.tables import table

__all__ = [
    "Interactive",
    "Option",
    "Sprite",
    "Step",
    "Strip",
    "choice",
    "grid",
    "histogram",
    "histograms",
    "plane",
    "polar",
    "sprite",
    "stepper",
    "table",
]
