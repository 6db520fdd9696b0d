"""A run of the tiny chapter for a process of its own, which finds it by this module's name."""

import killing

from mistrust.publishing.chapters import CHAPTERS, Chapter


def alone(said, environment):
    """Run eight pieces and the notebook, in a process that has the tiny chapter alone."""
    CHAPTERS._entries.clear()
    CHAPTERS.add("tiny", Chapter("tiny", "Tiny", "notebooks/tiny.ipynb", "tiny_experiment"))
    killing.command(said, environment, "run", "tiny", "--no-page", "-p", "networks=8")
