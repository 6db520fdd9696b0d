"""Make the rows of chapters, or some of their pieces: no notebook is read, and no package of Jupyter's is needed."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from mistrust import paths
from mistrust.engine import PiecesFailed
from mistrust.pieces import gather
from mistrust.publishing import preflight, profiles, results
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.job import Job, Say
from mistrust.variables import variables


def plan(
    names: Sequence[str],
    profile: str,
    assignments: Sequence[str] = (),
    *,
    engine_name: str | None = None,
    at_hand: bool = True,
) -> list[Job]:
    """The jobs for some chapters: names, profile, parameters with the data they name, engine and device are checked.

    Parameters
    ----------
    assignments : `key=value` texts; every one of the chapters must have each of these parameters.
    engine_name : see `mistrust.engine.map`.
    at_hand : the data must be here; to list what would be made of them they need not.
    """
    jobs = []
    for chapter in [CHAPTERS[name] for name in dict.fromkeys(names)]:
        parameters = profiles.profile(chapter, profile)
        changed = profiles.parse(chapter, assignments, asdict(parameters))
        if changed:
            parameters = profiles.checked(chapter, {**asdict(parameters), **changed})
        jobs.append(Job(chapter, parameters, profiles.profile_of(chapter, parameters)))
    preflight.machine(engine_name)
    for job in jobs:
        preflight.computing(job, at_hand=at_hand)
    return jobs


def pieces(job: Job) -> list[str]:
    """The names of a job's pieces, in order."""
    return list(job.chapter.module().pieces(job.parameters))


def listing(job: Job) -> list[str]:
    """One line per piece: its number, from 1, its name, and whether it only prepares others."""
    prepares = set(job.chapter.preparing(job.parameters))
    return [
        f"{number} {name}{' (prepares others)' if name in prepares else ''}"
        for number, name in enumerate(pieces(job), start=1)
    ]


def rows_folder(job: Job) -> Path:
    """Where the rows of a job's run are kept."""
    return paths.run_rows() / job.chapter.name


def make(job: Job, *, engine_name: str | None = None, only: Sequence[str] = ()) -> pd.DataFrame:
    """Make the pieces of a job through the engine, then all its rows, kept under `_build/rows`.

    Parameters
    ----------
    engine_name : see `mistrust.engine.map`.
    only : some pieces by name; then only their rows are given, and nothing is written but the store.
    """
    preflight.ready(engine_name)
    return made(job, engine_name, only)


def made(job: Job, engine_name: str | None, only: Sequence[str] = ()) -> pd.DataFrame:
    """Do what `make` does, on a machine that was looked at."""
    module = job.chapter.module()
    names = list(only) or pieces(job)
    label = f"{job.chapter.name}: pieces"
    try:
        frame = gather(module.piece, job.chapter.missing, job.parameters, names, label=label, engine_name=engine_name)
    except PiecesFailed as error:  # in a message the chapter is named already
        raise PiecesFailed("pieces", error.failures, error.results) from error.__cause__
    if only:
        return frame
    quiet = {"MISTRUST_ENGINE": "inline", "MISTRUST_PROGRESS": "0"}  # all is in the store: no processes, no bars
    with variables(quiet):
        rows: pd.DataFrame = module.rows(job.parameters)
    results.save_run(job.chapter, job.parameters, rows)
    return rows


def say_left_out(job: Job, say: Say) -> None:
    """Name what is not run of what was asked for: a run that is smaller than its profile says so."""
    for text in job.chapter.left_out(job.parameters):
        say(f"{job.chapter.name} ({job.label}): left out: {text}")
