"""Tests of the claims of Bennette, Maurer and Sisti on Adversarial Distance (2020, arXiv 2006.16055).

A module a theme: `causes` (how errors arise, I and V-A), `calibration` (I, II-C, III), `distance` (the attack and what
it measures, II-B, IV-A, VI-C), `rate` (SDR by method, V-B), `lift` (what is found beyond the pool's own rate, I, II-C,
III), `spread` (V-B), `utilities` (VI-A), `inspected` (the errors found, VI-B), `replicates` (V-B), `theorem` (theorem
3.1), `printed` (what the paper and its code decide by themselves). `reading` and `panels` hold
what they share, `reading` the contract of the rows. Places count sections in Arabic numerals first: 5.2 is V-B.
"""
