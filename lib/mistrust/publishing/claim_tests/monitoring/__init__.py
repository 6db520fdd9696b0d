"""Tests of the claims of Ferreira et al., "Benchmarking Safety Monitors for Image Classifiers with Machine Learning".

A module a theme: `faults` (section II-B), `novelty`, `adversarial`, `shift` and `ranks` (IV-D-1), `impact` (IV-D-2 and
V), `tuned` (IV-D-2), `cost` (IV-D-3 and IV-E), `overall` (abstract, IV-E and V: detection in general and its
thresholds), `printed` and `coded` (what needs no run). `reading` holds what they share, `weighed` what hangs on how
many images are nominal. Places count sections in Arabic numerals first: 4.4.1 is IV-D-1, "SMs performance". Its four
matters, three of which have a table and italics of their own, follow in their order: 4.4.1.3 is "distributional shift".
"""
