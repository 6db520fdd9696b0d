"""What is kept in the store must say when its making changes: a new version number, or nothing is believed."""

import json
from pathlib import Path

import pytest

import mistrust.assess.kept  # what `mistrust assess` keeps is of no chapter
import mistrust.search.experiment  # noqa: F401  (no chapter yet)
from mistrust.publishing.chapters import CHAPTERS
from mistrust.store import MAKERS, digest

COMMITTED = Path(__file__).with_name("maker_digests.json")

for _chapter in CHAPTERS.values():
    _chapter.module()  # makers are registered where they are defined


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if not kind.startswith("test")])
def test_a_maker_that_changed_has_a_new_version(kind):
    maker = MAKERS[kind]
    assert maker.smoke is not None, f"maker '{kind}' has no smoke output to be compared"
    committed = json.loads(COMMITTED.read_text())
    found = digest(maker.smoke())
    assert committed.get(f"{kind} {maker.version}") == found, (
        f"Maker '{kind}' (version {maker.version}) now gives {found}. If its results are meant to change, raise its "
        f"version and write this digest into {COMMITTED.name}; things made before are then made again."
    )


def test_no_digest_is_left_over():
    current = {f"{kind} {MAKERS[kind].version}" for kind in MAKERS}
    assert set(json.loads(COMMITTED.read_text())) <= current
