"""Contract: a figure that finds none of its rows says so in one way, by which a page goes on without it."""

import inspect
from importlib import import_module

import pytest

from mistrust import rows as tidy
from mistrust.errors import NoRows
from mistrust.publishing.chapters import CHAPTERS


def drawn_from_rows():
    for chapter in CHAPTERS:
        module = import_module(f"mistrust.figures.{chapter}")
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function) and {"rows", "caption"} <= set(inspect.signature(function).parameters):
                yield pytest.param(function, id=f"{chapter}-{name}")


FIGURES = list(drawn_from_rows())
# What a figure needs besides its rows; whatever it is, the lack of rows is seen first.
NEEDED = {
    "benchmark": tidy.empty(), "benchmark_rows": tidy.empty(), "method": "minimum", "methods": {"minimum": "MLM"},
    "images": None, "true_class": "1", "perturbation": "brightness", "frame": tidy.empty(), "paper": tidy.empty(),
}  # fmt: skip


def test_every_chapter_has_some():
    assert {one.id.partition("-")[0] for one in FIGURES} == set(CHAPTERS)
    assert len(FIGURES) > 70


@pytest.mark.parametrize("function", FIGURES)
def test_without_rows_it_says_so(function):
    wanted = inspect.signature(function).parameters.values()
    needed = {one.name: NEEDED[one.name] for one in wanted if one.default is one.empty and one.name != "rows"}
    with pytest.raises(NoRows, match=r"^There are no rows "):
        function(rows=tidy.empty(), **needed)
