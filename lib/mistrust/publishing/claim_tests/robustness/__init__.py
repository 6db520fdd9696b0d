"""Tests of the claims of UREM, "Uncertainty and Robustness Estimation Methods" (the full title is not in our copy).

A module a theme: `networks` (the networks as they are described, section 3.2), `random` and `targeted` (4), `layers`
(4), `variants` (fewer samples, fewer classes, 4), `relations` (depth and size, abstract, 4 and 6), `regions` (bubbles,
1.2 and 3.2), `imagenet` (Table 1 run again), `printed` (what the paper's numbers decide by themselves). `reading` holds
what they share, and says which tables they read. The paper's section 4 has heads without numbers: they count as 4.1 to
4.6 in their order, the problem statement that ends section 3.2 as 3.2.1.
"""
