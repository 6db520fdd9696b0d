"""Rows laid out once for many readers: by chapter, then by table.

Hundreds of claims read the same hundred thousand rows, each of them a few tables. Without this each would look through
all rows, and copy those of its chapter.
"""

from functools import cached_property

import pandas as pd


class Drawer:
    """One chapter's rows, and the same by table, each laid out when it is first asked for."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    @cached_property
    def _tables(self) -> dict[str, pd.DataFrame]:
        return {str(name): part for name, part in self.frame.groupby("table", sort=False)}

    def table(self, name: str) -> pd.DataFrame:
        """The rows of one table, in their order and under their index; may be none."""
        found = self._tables.get(name)
        return self.frame.iloc[:0] if found is None else found


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
