"""Files of real packages laid into a book, and what is said where they are not there."""

import pytest
from sphinx.errors import ConfigError

from mistrust.publishing.building import lay

REVEAL = ("sphinx-revealjs", "3.2.1", "sphinx_revealjs/_static/revealjs/")


def test_files_and_folders_are_copied_with_the_folders_between(tmp_path):
    lay(*REVEAL, ["LICENSE", "dist/theme/fonts/league-gothic/"], tmp_path)
    assert "Permission is hereby granted" in (tmp_path / "LICENSE").read_text()
    laid = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert "dist/theme/fonts/league-gothic/LICENSE" in laid
    assert {name.split("/")[0] for name in laid} == {"LICENSE", "dist"}


def test_a_package_that_is_not_there_is_named_with_the_way_to_it(tmp_path):
    with pytest.raises(ConfigError, match=r"needs the package no-such-thing: pip install"):
        lay("no-such-thing", "1.0", "inside/", ["a"], tmp_path)


@pytest.mark.parametrize("name", ["dist/reveal.jsx", "dist", "nowhere/"])
def test_a_file_that_another_version_lacks_is_named(name, tmp_path):
    with pytest.raises(ConfigError, match=rf"sphinx-revealjs \S+ holds no \S+{name}, expected version 3\.2\.1"):
        lay(*REVEAL, ["LICENSE", name], tmp_path)
