"""Rows laid out once for many readers: by chapter, then by table, then by what their columns hold.

Hundreds of claims read the same hundred thousand rows, each of them a few tables, and the same few values again and
again. Without this each would look through all rows, and compare texts each time it does.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mistrust import rows as tidy

_EMPTY = -1  # how `pd.factorize` codes an empty number


class Coded:
    """A column as whole numbers, one for each thing that it holds: these are compared many times faster than texts."""

    def __init__(self, column: pd.Series) -> None:
        self._codes, held = pd.factorize(column)
        self._code = {value: code for code, value in enumerate(held)}

    def equal(self, wanted: Any) -> NDArray[np.bool_]:
        """Where the column equals this value, or one of several (a list); an empty number equals another."""
        values = wanted if isinstance(wanted, (list, tuple, set)) else [wanted]
        codes = [_EMPTY if value != value else self._code.get(value) for value in values]
        meant = np.zeros(len(self._code) + 1, dtype=bool)  # the last place is that of `_EMPTY`
        meant[[code for code in codes if code is not None]] = True
        return meant[self._codes]


class Table:
    """Rows to be looked up by the values of their columns, each column coded when it is first asked for."""

    def __init__(self, frame: pd.DataFrame, lines: NDArray[np.intp]) -> None:
        """`lines`: where these rows are among those of their chapter."""
        self.frame = frame
        self.lines = lines
        self._columns: dict[str, Coded] = {}

    @cached_property
    def seeds(self) -> NDArray[np.float64]:
        """The network of each row, NaN where the row is of several."""
        return self.frame["seed"].to_numpy()

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The number of each row."""
        return self.frame["value"].to_numpy()

    def places(self, wanted: Mapping[str, Any]) -> NDArray[np.intp]:
        """Where the rows are that `mistrust.rows.select` gives, in their order."""
        keep = np.ones(len(self.frame), dtype=bool)
        for name, value in wanted.items():
            if name not in self._columns:
                self._columns[name] = Coded(tidy.column_of(self.frame, name))
            keep &= self._columns[name].equal(value)
        return np.flatnonzero(keep)


class Drawer:
    """One chapter's rows, and the same by table, each laid out when it is first asked for."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self.whole = Table(frame, np.arange(len(frame)))
        self._tables: dict[str, Table] = {}

    def table(self, name: str) -> Table:
        """The rows of one table, in their order and under their index; may be none."""
        if name not in self._tables:
            lines = self.whole.places({"table": name})
            self._tables[name] = Table(self.frame.take(lines), lines)
        return self._tables[name]


class Shelf:
    """Rows of one profile, to be read by chapter; the rows must not change afterwards."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self._drawers: dict[str, Drawer] = {}

    def chapter(self, name: str) -> Drawer:
        """The rows of one chapter; may be none."""
        if name not in self._drawers:
            self._drawers[name] = Drawer(self.frame[self.frame["chapter"] == name])
        return self._drawers[name]
