"""Rows on the disk: those of the last run, and those accepted as the project's results.

A run's rows lie in `_build/rows/<chapter>/<table>.<profile>.csv` beside `run.json`; `accept` copies them to
`data/results/<chapter>/`, with `<profile>.json` in place of `run.json`.
"""

from pathlib import Path

import pandas as pd

from mistrust import paths
from mistrust import rows as tidy
from mistrust.exchange import exchange
from mistrust.parameters import Checked
from mistrust.publishing import rowfiles
from mistrust.publishing.acceptance import RUN, about_accepted, accept, chapter_of, read_accepted, read_run
from mistrust.publishing.chapters import CHAPTERS, Chapter
from mistrust.publishing.manifests import manifest
from mistrust.publishing.profiles import profile_of

__all__ = [
    "accept",
    "accepted",
    "accepted_pieces",
    "accepted_profiles",
    "everything",
    "evidence",
    "manifest",
    "save_run",
    "this_run",
]

# Benchmarks of one chapter's methods, by table, whose rows do not carry its name.
SPEAKS = {"supervisors": "supervisors", "surprise": "supervisors"}


def save_run(chapter: Chapter | str, parameters: Checked, rows: pd.DataFrame) -> str:
    """Keep the rows of a whole run as the chapter's last run, and give the profile that its parameters are.

    Parameters
    ----------
    rows : all rows of the chapter; `profile` is set here ("custom" where no profile has these parameters), `chapter`
        where it is empty.

    Raises
    ------
    MistrustError
        Rows of another chapter, a table whose name is no file name, a folder that cannot be written (nothing is
        changed then).

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.search.experiment import Parameters
    >>> found = rows.table([{"metric": "accuracy", "value": 0.9}], table="panel")
    >>> save_run("search", Parameters(), found), save_run("search", Parameters(budget=20), found)
    ('quick', 'custom')
    """
    one = chapter_of(chapter)
    folder = paths.run_rows() / one.name
    profile = profile_of(one, parameters)
    ours = rowfiles.labelled(rows, one.name, profile)
    files = rowfiles.texts(folder, ours, manifest(one, parameters), profile, RUN)
    exchange(files, remove=rowfiles.stale_tables(folder, list(files), "*.csv"))
    return profile


def accepted_pieces(chapter: str) -> int:
    """How many pieces of a chapter's full run were accepted.

    Examples
    --------
    >>> accepted_pieces("misclassification")
    5
    """
    about = about_accepted(chapter_of(chapter), "full")
    return len(about["pieces"]) if about else 0


def this_run(chapter: Chapter | str) -> pd.DataFrame:
    """All rows of the chapter's last run; none when there was no run.

    Raises
    ------
    MistrustError
        A file that is missing or differs from what was written.

    Examples
    --------
    >>> from mistrust import rows
    >>> from mistrust.search.experiment import Parameters
    >>> _ = save_run("search", Parameters(), rows.table([{"metric": "accuracy", "value": 0.9}], table="panel"))
    >>> this_run("search")[["profile", "table", "metric", "value"]].values.tolist()
    [['quick', 'panel', 'accuracy', 0.9]]
    """
    found = read_run(chapter_of(chapter))
    return found[1] if found else tidy.empty()


def accepted(chapter: Chapter | str, profile: str = "full") -> pd.DataFrame:
    """All accepted rows of the chapter in one profile; none when none were accepted.

    Raises
    ------
    MistrustError
        A file that is missing or differs from what was accepted.

    Examples
    --------
    >>> accepted("search", "mine").empty  # nothing was accepted under that name
    True
    """
    found = read_accepted(chapter_of(chapter), profile)
    return found[1] if found else tidy.empty()


def evidence(chapter: Chapter | str, profile: str = "full") -> pd.DataFrame:
    """What the chapter's claims are judged by: its accepted rows, and those of benchmarks that are made for it.

    Durations are no part of an experiment's rows. A benchmark whose rows carry the chapter's name, as those of
    `benchmarks/monitors.py` do, speaks for it beside them, in any profile; so do those of `SPEAKS`.

    Examples
    --------
    In a project whose only rows are those of one benchmark, made for the chapter on the search:

    >>> import os
    >>> from pathlib import Path
    >>> from unittest.mock import patch
    >>> from mistrust import rows
    >>> Path("data/results/benchmarks").mkdir(parents=True)
    >>> ratio = rows.table([{"metric": "ratio", "value": 18.9}], chapter="search", table="replicates")
    >>> rows.write(ratio, Path("data/results/benchmarks/replicates.csv"))
    >>> with patch.dict(os.environ, MISTRUST_ROOT="."):
    ...     len(evidence("search")), len(evidence("monitoring"))
    (1, 0)
    """
    return _evidence([chapter_of(chapter)], profile)


def everything(profile: str = "full") -> pd.DataFrame:
    """The `evidence` of all chapters; each file is read once.

    Examples
    --------
    >>> set(everything("mine")["profile"]) <= {"mine"}  # of a profile that nobody accepted: benchmarks, if any
    True
    """
    return _evidence(list(CHAPTERS.values()), profile)


def _evidence(chapters: list[Chapter], profile: str) -> pd.DataFrame:
    names = [one.name for one in chapters]
    timed = map(tidy.read, sorted((paths.results() / "benchmarks").glob("*.csv")))
    owned = (found.assign(chapter=found["table"].map(SPEAKS).fillna(found["chapter"])) for found in timed)
    spoken = [found[found["chapter"].isin(names)].assign(profile=profile) for found in owned]
    frames = [frame for frame in (*(accepted(one, profile) for one in chapters), *spoken) if len(frame)]
    return pd.concat(frames, ignore_index=True) if frames else tidy.empty()


def accepted_profiles(chapter: Chapter | str) -> list[str]:
    """The profiles in which rows of the chapter were accepted.

    Examples
    --------
    >>> import os
    >>> from pathlib import Path
    >>> from unittest.mock import patch
    >>> Path("data/results/search").mkdir(parents=True)
    >>> Path("data/results/search/full.json").touch()  # in the place of what `accept` writes
    >>> with patch.dict(os.environ, MISTRUST_ROOT="."):
    ...     accepted_profiles("search"), accepted_profiles("monitoring")
    (['full'], [])
    """
    folder: Path = paths.results() / chapter_of(chapter).name
    return sorted(path.stem for path in folder.glob("*.json"))
