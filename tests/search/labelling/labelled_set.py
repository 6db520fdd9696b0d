"""The known-answer set A as numbers to write into files."""

# Known-answer set A (adversarial-distance-search.md, section 11): c, MAE, error of instances 1 to 16, and the order of
# the adversarial distance search at fraction 0.5 with budget 8.
CONFIDENCE = (0.97, 0.91, 0.88, 0.7, 0.76, 0.83, 0.995, 0.94, 0.9, 0.67, 0.79, 0.86, 0.985, 0.93, 0.73, 0.96)
MAE = (
    0.031, 0.0118, 0.019, 0.0041, 0.0079, 0.0062, 0.044, 0.026, 0.0101, 0.0046, 0.0098, 0.0125, 0.0205, 0.0231, 0.0049,
    0.0262,
)  # fmt: skip
ERRORS = (0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0)
ORDER = (6, 13, 9, 2, 4, 15, 16, 1)
