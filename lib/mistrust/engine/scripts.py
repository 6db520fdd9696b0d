"""New processes do not import the script that asked for them.

A spawned process imports the main module once more, so that a script without `if __name__ == "__main__":` would start
itself again in each. Here functions travel by value, and nothing needs that import.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

_lock = threading.Lock()
_real: list[ModuleType] = []  # the main module, while it is hidden
_within: list[int] = []  # one for each that wants it hidden


@contextmanager
def main_hidden() -> Iterator[None]:
    """Within, an empty module stands in for the main module; may be entered by several threads at once."""
    with _lock:
        if not _within:
            _real.append(sys.modules["__main__"])
            sys.modules["__main__"] = ModuleType("__main__")
        _within.append(threading.get_ident())
    try:
        yield
    finally:
        with _lock:
            _within.pop()
            if not _within:
                sys.modules["__main__"] = _real.pop()
