"""Pieces that only prepare others: listed and made as all are, and a run is whole without their rows."""

import json
import re
from itertools import product

import pytest
from tiny_project import Project

from mistrust.publishing import making, profiles, results
from mistrust.publishing.chapters import CHAPTERS
from mistrust.publishing.checklist import checklist
from mistrust.publishing.job import Job
from mistrust.publishing.ledger.coverage import coverage
from mistrust.publishing.status import status

pytestmark = pytest.mark.whole

PREPARING = """
def preparing(parameters):
    return ["network 1", "network 4"]

def together(rows, parameters):
    return rows

def rows("""


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    return Project(tmp_path / "project", monkeypatch)


def accepted(project):
    return json.loads(project.kept()["full.json"])


def state():
    [found] = [one for one in status("tiny") if one.part == "accepted rows"]
    return found.state, found.why


def test_a_run_is_whole_without_the_pieces_that_only_prepare(tiny):
    tiny.experiment("\ndef rows(", PREPARING)
    results.accept("tiny", pieces=["network 0", "network 3"])
    assert accepted(tiny)["complete"] is False
    assert state() == ("partial", ("not accepted yet: network 2",))
    found = coverage("tiny")
    assert (found.accepted, found.lacking) == (("network 0", "network 3"), ("network 2",))
    results.accept("tiny", pieces=["network 2"])
    assert accepted(tiny)["complete"] is True
    assert accepted(tiny)["pieces"] == ["network 0", "network 2", "network 3"]
    assert state() == ("fresh", ())
    assert coverage("tiny").whole


def test_without_the_notion_every_piece_is_waited_for(tiny):
    tiny.experiment("\ndef rows(", PREPARING.replace("preparing", "other"))
    results.accept("tiny", pieces=["network 0", "network 2", "network 3"])
    assert accepted(tiny)["complete"] is False
    assert state() == ("partial", ("not accepted yet: network 1, network 4",))
    results.accept("tiny", pieces=["network 1", "network 4"])
    assert accepted(tiny)["complete"] is True


def test_one_that_prepares_may_be_accepted_and_counts_nowhere(tiny):
    tiny.experiment("\ndef rows(", PREPARING)
    results.accept("tiny", pieces=["network 0", "network 1"])
    assert accepted(tiny)["pieces"] == ["network 0", "network 1"]
    assert coverage("tiny").accepted == ("network 0",)
    assert re.search("in 1 tables, 1 pieces, others lack$", dict(checklist("tiny"))["Rows"])
    assert state() == ("partial", ("not accepted yet: network 2, network 3",))


def test_they_are_listed_with_a_word_and_made_as_all_are(project, mistrust, monkeypatch):
    module = CHAPTERS["tiny"].module()
    monkeypatch.setattr(module, "preparing", lambda parameters: ["network 0"], raising=False)
    listed = "1 network 0 (prepares others)\n2 network 1\n"
    assert mistrust("make", "tiny", "--list")[1] == listed
    dry = mistrust("run", "tiny", "--dry-run")[1]
    assert "\n    1 network 0 (prepares others): not made yet\n    2 network 1: not made yet\n" in dry
    assert mistrust("make", "tiny", "--piece", "1")[:2] == (0, "tiny (quick), network 0: 1 rows, kept in the store\n")
    assert mistrust("make", "tiny", "--piece", "network 0")[0] == 0
    assert mistrust("make", "tiny")[1].startswith("tiny (quick): 2 rows in ")


def test_what_is_left_out_is_named_by_all_that_runs(project, mistrust, monkeypatch):
    module = CHAPTERS["tiny"].module()
    monkeypatch.setattr(module, "left_out", lambda parameters: ["network 7, which reads nowhere"], raising=False)
    said = "tiny (quick): left out: network 7, which reads nowhere\n"
    assert mistrust("make", "tiny", "--piece", "1")[1].startswith(said)
    assert mistrust("make", "tiny")[1].startswith(said)
    assert "\n  left out: network 7, which reads nowhere\n" in mistrust("run", "tiny", "--dry-run")[1]
    assert said in mistrust("run", "tiny", "--no-page")[1]
    monkeypatch.setattr(module, "left_out", lambda parameters: [])
    assert "left out" not in mistrust("make", "tiny")[1]


@pytest.mark.parametrize(("name", "profile"), [*product(CHAPTERS, ("smoke", "quick", "full", "paper"))])
def test_what_prepares_is_one_of_the_pieces_and_others_follow_it(name, profile):
    chapter = CHAPTERS[name]
    parameters = profiles.profile(chapter, profile)
    every, prepared = chapter.module().pieces(parameters), chapter.preparing(parameters)
    assert set(prepared) < set(every)
    assert len(set(prepared)) == len(prepared)
    assert sorted([*prepared, *chapter.counted(parameters)]) == sorted(every)
    job = Job(chapter, parameters, profile)
    said = {re.sub(r"^\d+ ", "", line).removesuffix(" (prepares others)") for line in making.listing(job)}
    assert said == set(every)


@pytest.mark.parametrize("name", ["supervisors", "comparison"])
def test_no_full_run_waits_for_networks_that_others_read(name):
    chapter = CHAPTERS[name]
    prepared = chapter.preparing(profiles.profile(chapter, "full"))
    assert prepared
    others = ("members", "further networks", ": autoencoder ")  # those of later runs, that of the first is read itself
    assert all(any(word in one for word in others) for one in prepared)
    assert not [one for one in coverage(name).lacking if any(word in one for word in others)]
