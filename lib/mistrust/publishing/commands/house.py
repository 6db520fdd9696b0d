"""`mistrust serve`, `clean`, `lint`, `test` and `browser`."""

import functools
import http.server
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

from mistrust import paths
from mistrust.engine import cores
from mistrust.errors import MistrustError
from mistrust.publishing import site
from mistrust.publishing.commands.console import say

# What a run leaves in the build folder. Named one by one: the folder may be one of the user's, with other things in it.
LEFT = (
    "html", "html.former", "stage", "site", "site.json", "site.part", "site.log", ".site.lock", "executed", "rows",
    "bytecode", "handout", "handout.former", "handout.json", "handout.part", "handout.log",
)  # fmt: skip

WRITABLE = "Make the folder writable and clean again, or name another one with MISTRUST_BUILD."


def serve(options: Namespace) -> int:
    """Serve the built book on this machine only, until Ctrl-C."""
    if not (site.html() / "index.html").is_file():
        raise MistrustError(f"There is no book in {site.html()}: make it by `mistrust book`.")
    server = _server(options.port)
    say(f"The book is at http://localhost:{server.server_address[1]}/ (Ctrl-C ends)")
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("")
    return 0


def _server(port: int) -> http.server.ThreadingHTTPServer:
    handler = functools.partial(_Quiet, directory=str(site.html()))
    for offered in (*range(port, port + 20), 0):
        try:
            return _Server(("127.0.0.1", offered), handler)
        except OSError:
            continue
        except OverflowError as error:
            raise MistrustError(f"--port is {port}, expected 0 to 65535.") from error
    raise MistrustError(f"No port from {port} on is free: name another one by --port.")


class _Server(http.server.ThreadingHTTPServer):
    """Takes no port that another has."""

    # There it would share one that is in use, and who answers is open; elsewhere it takes one that was just left.
    allow_reuse_address = os.name != "nt"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing about what it sent."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def clean(options: Namespace) -> int:
    """Delete what runs left in the build folder, and the folder when it is empty then."""
    folder = paths.build()
    if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):  # before anything is deleted
        raise MistrustError(f"{folder} cannot be written to, so nothing was deleted. {WRITABLE}")
    for name in LEFT:
        path = folder / name
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise MistrustError(
                f"{error.filename or path} could not be deleted ({error.strerror or error}). {WRITABLE}"
            ) from error
    rest = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if rest:
        say(f"Left in {folder}, since no run of ours makes it: {', '.join(rest)}")
    elif folder.is_dir():
        folder.rmdir()
    return 0


def lint(options: Namespace) -> int:
    """Run every check, also after one found something."""
    workflows = sorted(str(path) for path in (paths.root() / ".github" / "workflows").glob("*.y*ml"))
    checks = [
        ["ruff", "check", *(["--fix"] if options.fix else [])],
        ["ruff", "format", *([] if options.fix else ["--check"])],
        ["pyrefly", "check"],
        ["lint-imports"],
    ]
    if workflows:
        checks.append(["check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows])
    found = [check[0] for check in checks if _tool(*check) != 0]
    say(f"lint: {', '.join(found)} found something" if found else "lint: nothing found")
    return 1 if found else 0


def test(options: Namespace) -> int:
    """Run pytest, a worker a core; a file's tests stay together.

    Left out are the browser's tests and, where nothing else is asked for, those that run something whole or take long.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # else each worker's torch takes every core
    # In the order that tests/conftest.py gives: the largest number of tests is not the longest time.
    workers = ["-n", str(min(cores(), 4)), "--dist", "loadfile", "--no-loadscope-reorder"]
    return _pytest(["--ignore", "tests/browser", *workers], options.rest or ["-m", "not whole"])


def browser(options: Namespace) -> int:
    """Run the browser's tests on the built book, two at once where there are two cores."""
    if not (site.html() / "index.html").is_file():
        raise MistrustError(f"There is no book in {site.html()}: make it by `mistrust book`.")
    os.environ["MISTRUST_BOOK"] = str(site.html())
    return _pytest(["tests/browser", "-n", str(min(cores(), 2))], options.rest)


def _pytest(own: list[str], rest: list[str]) -> int:
    command = [sys.executable, "-m", "pytest", *own, *rest]
    return subprocess.call(command, cwd=paths.root())


def _tool(name: str, *arguments: str) -> int:
    # Of this environment, whether it is activated or not; on Windows the file has an ending, which `which` knows.
    program = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if program is None:
        raise MistrustError(f"'{name}' is not installed: `pip install -e .[dev]` brings what lint needs.")
    say(f"lint: {name} {arguments[0] if arguments else ''}".rstrip())
    return subprocess.call([program, *arguments], cwd=paths.root())
