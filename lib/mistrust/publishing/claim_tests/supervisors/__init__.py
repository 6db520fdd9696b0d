"""Tests of the claims of Weiss et al., "A Forgotten Danger in DNN Supervision Testing", from section VII on.

A module a paragraph of section VII-C, with what the discussion says of the same: `ambiguous`, `adversarial`,
`corrupted`, `invalid`, `speed`, `stability` (and VIII); `overall` has what is said of several kinds of input at once
(the caption of Table II, the discussion, the summary, the introduction, the conclusion), `printed` what needs no run.
`reading` and `quorum` hold what they share. Places number VII-C's paragraphs in the order of their headings: 7.3.1 is
"Ambiguous Data".
"""
