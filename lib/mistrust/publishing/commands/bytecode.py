"""Where compiled modules go when nothing may be written beside the sources."""

import contextlib
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from mistrust import paths


def compiling_once() -> None:
    """Let this process and those that it starts keep bytecode, in the build folder.

    Where PYTHONDONTWRITEBYTECODE is set, each of many processes would compile PyTorch and pandas anew, which takes
    longer than most of what they are started for.
    """
    if not os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        return
    own = paths.build() / "bytecode"
    sys.pycache_prefix = os.environ.setdefault("PYTHONPYCACHEPREFIX", str(own))
    sys.dont_write_bytecode = False
    if sys.pycache_prefix == str(own) and not own.exists():
        begun = own.with_name(f"{own.name}.{os.getpid()}")
        _link_compiled(begun)
        with contextlib.suppress(OSError):  # another process was first, or nothing could be linked
            begun.rename(own)
        shutil.rmtree(begun, ignore_errors=True)


def _link_compiled(folder: Path) -> None:
    """Let the folder begin with what was compiled when the libraries were installed: Python looks nowhere else then.

    Hard links, which cost next to nothing: Python puts a new file in the place of one that is outdated and writes
    through none. (Whoever changes files of this folder in place, or their modes, changes the installation's; deleting
    is safe.) What cannot be linked, as from another disk, is compiled when it is wanted.
    """
    for place in sorted({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}):
        for name, folders, files in os.walk(place):
            # Other environments' libraries may lie within the standard library; nobody runs the tests of a library.
            passed = {"test", "tests"} | ({"site-packages"} if name == place else set())
            folders[:] = [one for one in folders if one not in passed]
            if not name.endswith("__pycache__"):
                continue
            beside = Path(folder, *Path(name).parts[1:-1])  # as importlib.util.cache_from_source has it
            with contextlib.suppress(OSError):
                beside.mkdir(parents=True, exist_ok=True)
                for file in files:
                    with contextlib.suppress(FileExistsError):
                        if file.endswith(f".{sys.implementation.cache_tag}.pyc"):
                            (beside / file).hardlink_to(Path(name, file))
