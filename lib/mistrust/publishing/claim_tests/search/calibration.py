"""Claims of section II-C (and V-A) on calibration.

Read: `panel`, metrics "ece before" and "ece", of networks without bias, shift or overfitting.
"""

from mistrust.publishing.claim_tests.search.panels import by_model, networks
from mistrust.publishing.claim_tests.search.reading import CHAPTER, CONTROLS, share
from mistrust.publishing.estimates import Reader
from mistrust.publishing.verdicts import Verdict, above, below, claim_test

# Guo et al. ("On Calibration of Modern Neural Networks", 2017, Table 1): before scaling 4 to 20 % on images, mostly;
# after it 1 to 2 %, seldom more than 3.
POORLY, ADEQUATELY = 0.04, 0.03


@claim_test("adversarial-distance-poorly-calibrated", CHAPTER)
def poorly_calibrated(rows: Reader) -> Verdict:
    """Expected calibration error as trained."""
    found = share(by_model(networks(rows, "ece before", CONTROLS)), scale="root")
    return above(found, POORLY, "calibration error before scaling")


@claim_test("adversarial-distance-temperature-calibrates", CHAPTER)
def temperature_calibrates(rows: Reader) -> Verdict:
    """Expected calibration error on test images, the temperature from validation images."""
    found = share(by_model(networks(rows, "ece", CONTROLS)), scale="root")
    return below(found, ADEQUATELY, "calibration error after scaling")
