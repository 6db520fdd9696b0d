"""Make `.venv` as `requirements.lock` says, or find that it stands.

    python scripts/environment.py             any system; make calls it through scripts/environment
    python scripts/environment.py --stands    only say, by the exit status, whether it stands

Standard library only, and readable by a Python that is too old, so that it can say so. The stamp in `.venv` holds what
the environment was made from and is written last: a set-up that was cut short is taken up again, one that stands
costs a few file reads.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
SUFFIX = ".exe" if os.name == "nt" else ""
STAMP = VENV / "mistrust.json"
LOCK = ROOT / "requirements.lock"
OLDEST, NEWEST = (3, 11), (3, 13)
# Bytes; measured on Linux for the lock, estimated for the other, which is what the lock gives where it has no CUDA.
ROOM = {"locked": 7.4e9 if sys.platform == "linux" else 3e9, "cpu": 3e9}


class Stopped(Exception):
    """The set-up cannot go on; the text says why and what to do."""


def main(arguments):
    """Make the environment unless it stands; exit status 0 when it does."""
    try:
        wanted = description()
        if stamp() == wanted and (Path(sys.prefix).resolve() == VENV or python_of_venv() == wanted["python"]):
            return 0
        if "--stands" in arguments:
            return 1
        make(wanted)
    except Stopped as why:
        print(f"mistrust: {why}", file=sys.stderr)
        return 1
    return 0


def description():
    """What the environment must be made from; equal to the stamp when it was."""
    before = stamp()
    torch = os.environ.get("TORCH") or before.get("torch", "locked")
    if torch not in ROOM:
        raise Stopped(f"TORCH is '{torch}', expected 'cpu' or 'locked'.")
    version = list(sys.version_info[:2])
    if not os.environ.get("PYTHON"):
        version = before.get("python", version)
    return {
        "lock": digest(LOCK),
        "project": digest(ROOT / "pyproject.toml"),
        "folder": str(ROOT),  # commands in it carry this path in their first line
        "torch": torch,
        "python": version,
    }


def stamp():
    """What the environment was made from; empty when it never was completely."""
    try:
        return json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def digest(path):
    """SHA-256 of a file, line ends aside."""
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def make(wanted):
    """Make the virtual environment, uv in it, then everything else by uv."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        here = ".".join(map(str, sys.version_info[:3]))
        raise Stopped(f"needs Python 3.11, 3.12 or 3.13; {sys.executable} is {here}.")
    version, lines = pin_of_uv()
    before = stamp()
    remade = not usable(wanted) or any(before and before.get(k) != wanted[k] for k in ("folder", "torch", "python"))
    if remade:
        clear_place(wanted["torch"])
        run("making .venv", [sys.executable, "-m", "venv", "--clear", str(VENV)])
    elif STAMP.exists():
        STAMP.unlink()
    install_uv(version, lines)
    install_pins(wanted["torch"])
    uv("installing mistrust", "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    run("compiling mistrust", [str(BIN / f"python{SUFFIX}"), "-m", "compileall", "-q", "-j", "0", str(ROOT / "lib")])
    wanted["python"] = python_of_venv()
    part = STAMP.with_suffix(".part")
    part.write_text(json.dumps(wanted, indent=2) + "\n", encoding="utf-8")
    part.replace(STAMP)


def usable(wanted):
    """Whether .venv has a Python that runs, of the version asked for (any fit one when none was)."""
    found = python_of_venv()
    if os.environ.get("PYTHON"):
        return found == wanted["python"]
    return found is not None and OLDEST <= tuple(found) <= NEWEST


def python_of_venv():
    """[3, 11] or the like, None when it does not run or was left without pip."""
    ask = [str(BIN / f"python{SUFFIX}"), "-I", "-c", "import pip, sys; print(*sys.version_info[:2])"]
    try:
        return [int(part) for part in subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split()]
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None


def clear_place(torch):
    """Refuse to delete what is no virtual environment; warn when the disk is likely to be too small."""
    if VENV.exists() and not (VENV / "pyvenv.cfg").exists() and any(VENV.iterdir()):
        raise Stopped(f"{VENV} is in the way: it is no virtual environment. Move it and run this again.")
    free = shutil.disk_usage(str(ROOT)).free
    print(f"Setting up .venv, once: {ROOM[torch] / 1e9:.0f} GB on disk; {free / 1e9:.0f} GB are free.", flush=True)
    if free < ROOM[torch] and ROOM[torch] > ROOM["cpu"]:
        print("That is little room: `make TORCH=cpu environment` leaves CUDA out.", file=sys.stderr, flush=True)


def pin_of_uv():
    """The version of uv in the lock, and its lines there."""
    text = LOCK.read_text(encoding="utf-8")
    found = re.search(r"^uv==(\S+) \\\n(?:[ \t]+--hash=.*\n)+", text, re.MULTILINE)
    if found is None:
        raise Stopped("requirements.lock names no uv with hashes: make it anew with scripts/lock.")
    return found.group(1), found.group(0)


def install_uv(version, lines):
    """The uv of the lock, by pip, with its hashes; nothing to do when it is there."""
    try:
        there = subprocess.run([str(BIN / f"uv{SUFFIX}"), "--version"], capture_output=True, text=True, check=True)
        if there.stdout.split()[1] == version:
            return
    except (OSError, subprocess.CalledProcessError):
        pass
    with tempfile.TemporaryDirectory() as folder:
        pin = Path(folder) / "uv.txt"
        pin.write_text(lines, encoding="utf-8")
        pip = [str(BIN / f"python{SUFFIX}"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run("installing uv", [*pip, "--require-hashes", "--no-deps", "-r", str(pin)])


def install_pins(torch):
    """Every package at the version of the lock, and no other package.

    Compiled at once: where Python may not write bytecode (PYTHONDONTWRITEBYTECODE, as in many images of containers)
    every process would compile PyTorch and pandas anew, some seconds each time.
    """
    if torch == "cpu":
        # The CPU builds stand elsewhere under other hashes, and need none of the CUDA packages of the lock: so the
        # lock gives the versions only, and uv resolves what the project needs within them.
        uv(
            "installing the pinned packages, PyTorch for the CPU",
            "install", "--compile-bytecode", "--torch-backend", "cpu", "--no-verify-hashes", "--constraint", str(LOCK),
            "--requirements", str(ROOT / "pyproject.toml"), "--extra", "book", "--extra", "dev",
        )  # fmt: skip
    else:
        uv("installing the pinned packages", "sync", "--compile-bytecode", "--require-hashes", str(LOCK))


def uv(what, verb, *arguments):
    """One `uv pip` command on .venv, whatever environment is active around it."""
    python = str(BIN / f"python{SUFFIX}")
    run(what, [str(BIN / f"uv{SUFFIX}"), "pip", verb, "--python", python, *arguments])


def run(what, command):
    """Run a step; when it fails, say which, and that nothing is lost."""
    surroundings = dict(os.environ, UV_HTTP_TIMEOUT=os.environ.get("UV_HTTP_TIMEOUT", "120"))
    try:
        subprocess.run(command, check=True, cwd=str(ROOT), env=surroundings)
    except (OSError, subprocess.CalledProcessError) as why:
        raise Stopped(f"{what} failed ({why}). Its own words stand above; run it again to go on from there.") from why


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
