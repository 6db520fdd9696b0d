"""Where things lie: the project's folders, as functions, so that a test or a user can move them by environment.

In a checkout the root is the folder that holds `_toc.yml` and `lib/mistrust`; for a library installed elsewhere it is
`~/.cache/mistrust` unless `MISTRUST_ROOT` names a folder.
"""

import os
from pathlib import Path

from mistrust.errors import MistrustError

PACKAGE = Path(__file__).resolve().parent


def root() -> Path:
    """The folder that everything below is relative to."""
    if named := _named("MISTRUST_ROOT"):
        return named
    checkout = PACKAGE.parents[1]
    if (checkout / "_toc.yml").is_file():
        return checkout
    return Path.home() / ".cache" / "mistrust"


def store() -> Path:
    """Made things (`MISTRUST_STORE`, else `data/made`)."""
    return _named("MISTRUST_STORE") or root() / "data" / "made"


def cache() -> Path:
    """Downloads and decoded image sets (`MISTRUST_CACHE`, else `data/cache`)."""
    return _named("MISTRUST_CACHE") or root() / "data" / "cache"


def results() -> Path:
    """Accepted rows, committed."""
    return root() / "data" / "results"


def published() -> Path:
    """The papers' printed numbers and claims, committed."""
    return root() / "data" / "published"


def build() -> Path:
    """What a run leaves: its own rows, executed notebooks, the book (`MISTRUST_BUILD`, else `_build`)."""
    return _named("MISTRUST_BUILD") or root() / "_build"


def run_rows() -> Path:
    """Rows of the last run of each chapter."""
    return build() / "rows"


def _named(variable: str) -> Path | None:
    """The folder that an environment variable names, if it is set."""
    given = os.environ.get(variable)
    try:
        return Path(given).expanduser().resolve() if given else None
    except RuntimeError as error:  # "~someone" whom this machine does not know
        raise MistrustError(f"{variable} is '{given}', and there is no such home here: name a folder.") from error
