"""Blocks of a report's page, as a screen reader meets them."""

import pytest

from mistrust.assess.blocks import Heat, Table


@pytest.mark.parametrize("block", [
    Table('Mistakes of "4" & others', ("mistake", "likelihood"), [("4 taken for 9", "12%")]),
    Heat('Mistakes of "4" & others', "class", ("4",), ("9",), [[0.12]], 0, 1),
])  # fmt: skip
def test_a_table_has_its_captions_name(block):
    """The caption stands outside of the box that scrolls, so that the table itself would have no name."""
    shown, name = block.html(), "Mistakes of &quot;4&quot; &amp; others"
    assert f'<p class="caption">{name}</p>' in shown
    assert shown.partition("<table")[2].partition(">")[0].endswith(f'aria-label="{name}"')
