"""A project with one tiny chapter of its own, whose experiment and profiles can be rewritten."""

import sys
from dataclasses import replace

from mistrust import paths
from mistrust.publishing import profiles, results
from mistrust.publishing.chapters import CHAPTERS, Chapter

EXPERIMENT = """
from dataclasses import dataclass
from types import SimpleNamespace
from mistrust import rows as tidy
from mistrust.parameters import Checked, parameter
import pandas as pd

@dataclass(frozen=True)
class Parameters(Checked):
    networks: int = parameter(2, "networks", low=1)
    levels: tuple[int, ...] = parameter((1, 2), "levels")
    rate: float = parameter(1.0, "rate")

MAKERS = (SimpleNamespace(kind="tiny-net", version=1), SimpleNamespace(kind="tiny-rows", version=4))

def inputs(parameters):
    return {"tiny/train": "aaaa", "tiny/test": "bbbb"}

def pieces(parameters):
    return [f"network {i}" for i in range(parameters.networks)]

def missing(parameters, name):
    return []

def piece(parameters, name):
    seed = int(name.split()[1])
    return tidy.table(
        dict(table="accuracy", metric="accuracy", level=level, seed=seed, value=1 / (3 + seed + level), made=name)
        for level in parameters.levels
    )

def rows(parameters):
    single = pd.concat([piece(parameters, name) for name in pieces(parameters)])
    mean = dict(table="mean", metric="accuracy", value=single["value"].mean(), over="models")
    return tidy.check(pd.concat([single, pd.DataFrame([mean])], ignore_index=True))
"""
PROFILES = "[tiny.quick]\nnetworks = 2\n[tiny.full]\nnetworks = 5\nlevels = [1, 2, 3]\n"


class Project:
    """A project with one tiny chapter; its experiment and profiles can be rewritten."""

    def __init__(self, root, monkeypatch):
        self.root = root
        self._monkeypatch = monkeypatch
        (root / "notebooks").mkdir(parents=True)
        (root / "notebooks" / "tiny.ipynb").write_text("{}")
        self.profiles()
        self.experiment()
        monkeypatch.setenv("MISTRUST_ROOT", str(root))
        monkeypatch.syspath_prepend(str(root))
        self.chapter = Chapter("tiny", "Tiny", "notebooks/tiny.ipynb", "tiny_experiment")
        monkeypatch.setattr(CHAPTERS, "_entries", {"tiny": self.chapter})

    def profiles(self, old="", new=""):
        assert old in PROFILES
        (self.root / "notebooks" / "profiles.toml").write_text(PROFILES.replace(old, new) if old else PROFILES)

    def experiment(self, old="", new=""):
        assert old in EXPERIMENT
        (self.root / "tiny_experiment.py").write_text(EXPERIMENT.replace(old, new) if old else EXPERIMENT)
        self._monkeypatch.delitem(sys.modules, "tiny_experiment", raising=False)
        self._monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def parameters(self, profile="full", **changed):
        return replace(profiles.profile(self.chapter, profile), **changed)

    def run(self, profile="full", **changed):
        parameters = self.parameters(profile, **changed)
        return results.save_run("tiny", parameters, self.chapter.module().rows(parameters))

    def kept(self):
        folder = paths.results() / "tiny"
        return {path.name: path.read_text() for path in folder.glob("*")} if folder.exists() else {}
