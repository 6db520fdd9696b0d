"""`mistrust release`: a wheel, the offline book as one zip, and their checksums."""

from argparse import Namespace
from pathlib import Path

from mistrust.publishing import release as releases
from mistrust.publishing.commands.console import say, size, table


def release(options: Namespace) -> int:
    """Check, build, and say what was written and how to try it."""
    files = releases.release(Path(options.out) if options.out else None, profile=options.profile, dirty=options.dirty)
    say(table([(path, size(path.stat().st_size)) for path in files]))
    wheel, book, sums = (path.name for path in files)
    say(f"Try them in an empty folder: sha256sum --check {sums}; pip install {wheel}; unzip {book}")
    return 0
