"""Row files as the book offers them: under which name, packed where they are large, and equal ones once.

Accepted rows stand under their own names. A run's stand beside them, but a file that equals the accepted one is that
file: a book of the profile `full` would hold every row twice. Large files are packed, so that rows of a further profile
fit beside them in a book that is copied as a folder; pandas and R read them as they are.
"""

import filecmp
import gzip
import shutil
from pathlib import Path

from mistrust import paths

LARGE = 100_000  # bytes: what a reader would not look through in a browser anyway
PACKED = ".gz"


def offered(path: Path, name: str = "") -> str:
    """Give the name in the book of a row file, or of what would have another `name` there: "matrix.full.csv.gz".

    Examples
    --------
    >>> small, large = Path("accuracy.full.csv"), Path("matrix.full.csv")
    >>> _ = small.write_text("value"), large.write_bytes(bytes(LARGE + 1))
    >>> offered(small), offered(large), offered(large, "matrix.full.run.csv")
    ('accuracy.full.csv', 'matrix.full.csv.gz', 'matrix.full.run.csv.gz')
    """
    large = path.is_file() and path.stat().st_size > LARGE
    return f"{name or path.name}{PACKED if large else ''}"


def accepted_file(chapter: str, table: str, profile: str) -> str:
    """Give the name in the book's `rows/<chapter>/` of the accepted rows of one table: `accuracy.full.csv`."""
    return offered(paths.results() / chapter / f"{table}.{profile}.csv")


def run_file(chapter: str, table: str, profile: str) -> str:
    """Give the name in the book's `rows/<chapter>/` of a run's rows of one table: `accuracy.quick.csv`.

    Where the profile has accepted rows of that table, which have this name, the run's stand beside as
    `accuracy.full.run.csv`; if they are equal, the accepted ones are meant. Pages link what this gives.
    """
    own = f"{table}.{profile}.csv"
    accepted, run = paths.results() / chapter / own, paths.run_rows() / chapter / own
    if not accepted.is_file():
        return offered(run)
    same = run.is_file() and filecmp.cmp(accepted, run, shallow=False)
    return offered(accepted) if same else offered(run, f"{table}.{profile}.run.csv")


def write(path: Path, target: Path) -> None:
    """Write a file into the book, packed where the name says so; equal files give equal ones, at any time of day.

    Examples
    --------
    >>> _ = Path("rows.csv").write_text("value,n")
    >>> write(Path("rows.csv"), Path("book/rows.csv.gz"))
    >>> gzip.decompress(Path("book/rows.csv.gz").read_bytes())
    b'value,n'
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == PACKED != path.suffix:
        target.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    else:
        shutil.copyfile(path, target)
