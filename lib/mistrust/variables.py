"""Variables of the environment, set for a while: processes that are started meanwhile inherit them."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def variables(wanted: Mapping[str, str]) -> Iterator[None]:
    """Set these, and afterwards what there was before: a value, or none.

    Examples
    --------
    >>> with variables({"MISTRUST_PROGRESS": "0"}):
    ...     os.environ["MISTRUST_PROGRESS"]
    '0'
    """
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
