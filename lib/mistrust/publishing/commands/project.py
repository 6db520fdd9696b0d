"""What the commands of the book say where only the library is installed."""

from mistrust import paths
from mistrust.errors import MistrustError

# Commands (beginnings of their actions) that read notebooks, printed numbers or accepted rows, or make the book.
ACTIONS = (
    "running.",
    "making.",
    "house.",
    "release.",
    "looking.status",
    "looking.claims",
    "looking.accept",
    "looking.restore",
    "looking.rows_",
)


def need(command: str) -> None:
    """Refuse a command of the book where there is no clone of the project.

    Raises
    ------
    MistrustError
        Says what the command needs, where it was looked for, and how to name a clone.
    """
    if not (paths.root() / "_toc.yml").is_file():
        raise MistrustError(
            f"`mistrust {command}` needs a clone of the project: notebooks, rows and the papers' numbers are no part "
            f"of the installed library. There is none in {paths.root()}. Call the clone's own .venv/bin/mistrust, "
            "which `make environment` makes there, or name the clone's folder by MISTRUST_ROOT."
        )


def lacking(command: str, error: ModuleNotFoundError) -> MistrustError:
    """The error for a package that a command needs and that the library alone does not bring."""
    return MistrustError(
        f"`mistrust {command}` needs the package '{error.name}', which is not installed: `pip install -e '.[book]'` in "
        "a clone of the project brings what the book needs."
    )
