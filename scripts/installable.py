"""Leave in a lock file the hashes alone that the project's Pythons can install: more than half are of other Pythons'.

python scripts/installable.py requirements.lock pylock.toml    # the same packages twice; the second names the files
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from packaging.tags import Tag
from packaging.utils import parse_wheel_filename

MINORS = (11, 12, 13)  # of Python 3
OWN = {"py3", *(f"{kind}3{minor}" for kind in ("py", "cp") for minor in MINORS)}
HASH = re.compile(r" \\\n    --hash=sha256:([0-9a-f]{64})")


def installable(tag: Tag) -> bool:
    """Whether one of the Pythons takes a wheel of this tag; builds without the lock ("cp313t") are others."""
    if tag.abi == "abi3":
        return re.fullmatch(r"cp3\d+", tag.interpreter) is not None and int(tag.interpreter[3:]) <= MINORS[-1]
    return tag.interpreter in OWN and not tag.abi.endswith("t")


def kept(named: str) -> Iterator[str]:
    """Hashes of sources and of wheels that can be installed, from the text of a pylock.toml."""
    for package in tomllib.loads(named)["packages"]:
        if "sdist" in package:
            yield package["sdist"]["hashes"]["sha256"]
        for wheel in package.get("wheels", ()):
            file = wheel.get("name") or unquote(urlsplit(wheel["url"]).path.rpartition("/")[2])
            if any(map(installable, parse_wheel_filename(file)[3])):
                yield wheel["hashes"]["sha256"]


def pruned(lock: str, named: str) -> str:
    """The lock's text without the other hashes.

    Raises
    ------
    SystemExit
        A package would be left without any.
    """
    found = set(kept(named))
    text = HASH.sub(lambda one: one[0] if one[1] in found else "", lock)
    bare = [line for line in text.splitlines() if "==" in line and not line.endswith("\\")]
    if bare:
        sys.exit(f"scripts/installable.py: no file of {', '.join(bare)} can be installed by Python 3.11 to 3.13.")
    return text


if __name__ == "__main__":
    lock, named = map(Path, sys.argv[1:])
    lock.write_text(pruned(lock.read_text(encoding="utf-8"), named.read_text(encoding="utf-8")), encoding="utf-8")
