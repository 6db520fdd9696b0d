"""Where things lie: the project's folders, as functions, so that a test or a user can move them by environment.

In a checkout the root is the folder that holds `_toc.yml` and `lib/mistrust`; for a library installed elsewhere it is
`~/.cache/mistrust` unless `MISTRUST_ROOT` names a folder.
"""

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def root() -> Path:
    """The folder that everything below is relative to."""
    named = os.environ.get("MISTRUST_ROOT")
    if named:
        return Path(named).expanduser().resolve()
    checkout = PACKAGE.parents[1]
    if (checkout / "_toc.yml").is_file():
        return checkout
    return Path.home() / ".cache" / "mistrust"


def store() -> Path:
    """Made things (`MISTRUST_STORE`, else `data/made`)."""
    named = os.environ.get("MISTRUST_STORE")
    return Path(named).expanduser().resolve() if named else root() / "data" / "made"


def cache() -> Path:
    """Downloads and decoded image sets (`MISTRUST_CACHE`, else `data/cache`)."""
    named = os.environ.get("MISTRUST_CACHE")
    return Path(named).expanduser().resolve() if named else root() / "data" / "cache"


def results() -> Path:
    """Accepted rows, committed."""
    return root() / "data" / "results"


def published() -> Path:
    """The papers' printed numbers and claims, committed."""
    return root() / "data" / "published"


def build() -> Path:
    """What a run leaves: its own rows, executed notebooks, the book (`MISTRUST_BUILD`, else `_build`)."""
    named = os.environ.get("MISTRUST_BUILD")
    return Path(named).expanduser().resolve() if named else root() / "_build"


def run_rows() -> Path:
    """Rows of the last run of each chapter."""
    return build() / "rows"
