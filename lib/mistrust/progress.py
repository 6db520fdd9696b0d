"""Progress bars on stderr: plain tqdm, which behaves in terminals, logs and notebooks alike.

`MISTRUST_PROGRESS=0` switches them off; processes that the engine starts have it set.
"""

import os
import sys
import time
from types import TracebackType
from typing import Any, Self

# Seconds between two drawings: a terminal redraws its line, a log file gets a new one each time.
TERMINAL, LOG = 0.2, 10.0


class Progress:
    """One bar; a context manager made by `bar`."""

    def __init__(self, total: int, label: str, unit: str = "it") -> None:
        # Here and not above: with no bar to show, tqdm is not worth its locks and its import.
        from tqdm import tqdm

        self._bar = tqdm(
            total=total,
            desc=label,
            unit=unit,
            file=sys.stderr,
            disable=not shown(),
            dynamic_ncols=True,
            mininterval=TERMINAL if sys.stderr.isatty() else LOG,
        )
        self._drawn = time.monotonic()

    @property
    def done(self) -> int:
        """How many steps have been counted (0 where bars are off)."""
        return int(self._bar.n)

    def update(self, n: int = 1) -> None:
        """Count `n` further steps."""
        if self._bar.update(n):
            self._drawn = time.monotonic()

    def say(self, **values: Any) -> None:
        """Show values behind the bar: `say(loss=0.31, accuracy=0.9)`; also where no step is done for a while."""
        if self._bar.disable:
            return
        self._bar.set_postfix(values, refresh=False)
        now = time.monotonic()
        if now - self._drawn >= self._bar.mininterval:
            self._bar.refresh()
            self._drawn = now

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.close()


def shown() -> bool:
    """Whether bars are shown: unless `MISTRUST_PROGRESS` is 0."""
    return os.environ.get("MISTRUST_PROGRESS", "1") != "0"


def bar(total: int, label: str, unit: str = "it") -> Progress:
    """A progress bar on stderr.

    Parameters
    ----------
    total : number of steps.
    label : what is going on, before the bar.
    unit : what one step is ("image", "epoch").

    Examples
    --------
    >>> with bar(3, "training", "epoch") as progress:
    ...     for loss in (0.9, 0.5, 0.3):
    ...         progress.say(loss=loss)
    ...         progress.update()
    """
    return Progress(total, label, unit)
