"""Smaller pieces where oracles are many, as in the paper's scale: by dose, critical class and search."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial

from mistrust.parts import Part
from mistrust.search.experiment.parts import null_rows
from mistrust.search.experiment.subjects import Subject
from mistrust.search.tables import Row
from mistrust.search.tables.orders import adaptive

Rows = Callable[[Subject], Iterator[Row]]
Work = tuple[Subject, str, Part[Subject]]

# From more simulated oracles on: a model with all its doses, classes and searches then takes hours.
MANY = 200
# Parts that are measured pool by pool; the places of a model's two classes and what ends a piece's name.
BY_CLASS = ("pools", "searches", "chance", "scores", "rank")
CLASSES, BOTH = ((0, ", class 1"), (1, ", class 2")), ((None, ""),)
# Parts in which searches meet oracles: those that read answers stand alone there, each with the rows that it has.
ANSWERED: dict[str, Rows | None] = {"chance": None, "controls": null_rows}


def divided(one: Subject, name: str, part: Part[Subject]) -> Iterator[tuple[str, Work]]:
    """Give the work of one part, piece by piece: how the piece's name ends, and what is measured in it."""
    for own, by_search, rows in _by_search(one, name, part):
        for place, by_class in CLASSES if name in BY_CLASS else BOTH:
            yield by_class + by_search, (own, name + by_class, replace(part, rows=partial(_of_class, rows, place)))


def _by_search(one: Subject, name: str, part: Part[Subject]) -> Iterator[tuple[Subject, str, Rows]]:
    if name not in ANSWERED:
        yield one, "", part.rows
        return
    methods = one.parameters.methods
    alone = adaptive(methods)
    yield _searched(one, tuple(method for method in methods if method not in alone)), "", part.rows
    for method in alone:
        rows = partial(_of_search, ANSWERED[name] or part.rows, method)
        yield _searched(one, (method,)), f", {method}", rows


def _searched(one: Subject, methods: tuple[str, ...]) -> Subject:
    return replace(one, parameters=replace(one.parameters, methods=methods))


def _of_class(rows: Rows, place: int | None, one: Subject) -> Iterator[Row]:
    yield from rows(_only(one, place))


@lru_cache(maxsize=8)
def _only(one: Subject, place: int | None) -> Subject:
    # All parts of a piece have the same one, which asks its network once.
    return replace(one, only=place)


def _of_search(rows: Rows, method: str, one: Subject) -> Iterator[Row]:
    # Random search comes along with every other: its rows are those of the sorts' piece.
    yield from (row for row in rows(one) if row["method"] == method)
