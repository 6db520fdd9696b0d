"""Rows of the chapter on robustness estimation, table by table: what is measured of one network.

Which tables there are, and what their rows mean, stands where they are read: the contract at the top of
`mistrust.publishing.claim_tests.robustness.reading`.
"""

from mistrust.parts import Row, estimated

__all__ = ["Row", "estimated"]
