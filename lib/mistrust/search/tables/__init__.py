"""Rows of the chapter on the search for high-confidence errors, table by table: what is measured of one panel.

Which tables there are, and what their rows mean, stands where they are read: the contract at the top of
`mistrust.publishing.claim_tests.search.reading`. Three more are for figures alone, "rank", "steps" and "peer",
and two for figures and claims, "curves" and "reliability".
"""

from mistrust.parts import Row, estimated

__all__ = ["LEVELS", "SURE", "Row", "estimated"]

# Queries after which searches are compared.
LEVELS = (20, 50)
# Confidence above which an error is one of high confidence, in the paper's words "sure".
SURE = 0.9
