"""Tests of the claims of Sikar et al., "The Misclassification Likelihood Matrix", by the rows of its chapter.

A module a part of the paper: `clean` (section 4.1), `clusters` (4.2, 4.3), `perturbed` (3.2, 4.4), `matrix` (2, 3.3,
3.4, 4.5, 5), `printed` (what needs no rows); `reading` holds what they share. The unit of chance is the network:
differences are paired by its seed.
"""
