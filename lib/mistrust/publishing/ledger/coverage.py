"""How much of each chapter's full run has been accepted: claims that are not run wait for the rest."""

import json
from dataclasses import dataclass

from mistrust import paths
from mistrust.publishing import profiles
from mistrust.publishing.chapters import CHAPTERS, Chapter


@dataclass(frozen=True)
class Coverage:
    """Of one chapter: whether its rows are those of a whole run, else which pieces were accepted and which lack.

    Pieces that only prepare others are neither.
    """

    chapter: Chapter
    whole: bool
    accepted: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """How far the run is, in a few words."""
        if self.whole:
            return "the full run is whole, so another kind of run is needed"
        if not self.accepted:
            return "no part of the full run has been accepted yet"
        return f"accepted so far: {len(self.accepted)} of {len(self.accepted) + len(self.lacking)} pieces"


def coverage(name: str, profile: str = "full") -> Coverage:
    """How far one chapter's run is; imports its experiment where it is not whole."""
    chapter = CHAPTERS[name]
    file = paths.results() / chapter.name / f"{profile}.json"
    about = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"complete": False, "pieces": []}
    if about["complete"]:
        return Coverage(chapter, True)
    pieces = chapter.counted(profiles.profile(chapter, profile))
    done = set(about["pieces"])
    return Coverage(
        chapter, False, tuple(one for one in pieces if one in done), tuple(one for one in pieces if one not in done)
    )
