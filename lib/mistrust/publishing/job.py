"""What is asked for: a chapter with all its parameters."""

from collections.abc import Callable
from dataclasses import dataclass

from mistrust.parameters import Checked
from mistrust.publishing.chapters import Chapter

Say = Callable[[str], object]


@dataclass(frozen=True)
class Job:
    """One chapter to run, with all its parameters; `label` is the profile that they equal, else "custom"."""

    chapter: Chapter
    parameters: Checked
    label: str
