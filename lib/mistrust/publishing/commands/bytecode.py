"""Where compiled modules go when nothing may be written beside the sources."""

import os
import sys

from mistrust import paths


def compiling_once() -> None:
    """Let this process and those that it starts keep bytecode, in the build folder.

    Where PYTHONDONTWRITEBYTECODE is set, each of many processes would compile PyTorch and pandas anew, which takes
    longer than most of what they are started for.
    """
    if not os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        return
    sys.pycache_prefix = os.environ.setdefault("PYTHONPYCACHEPREFIX", str(paths.build() / "bytecode"))
    sys.dont_write_bytecode = False
