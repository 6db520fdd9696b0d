"""Tests of the claims of Weiss et al., "A Forgotten Danger in DNN Supervision Testing", sections I to VI.

A module a part of the paper: `natural` (sections III and IV, and what V-B1 says of ambiguity by nature), `generation`
(the rest of V), `performance` (VI-A, VI-B, summary), `inspected` (VI-C), `printed` (what needs no rows: I, V, IX);
`reading` holds what they share. Places count sections in Arabic numerals first: 6.2 is VI-B.
"""
