"""What a reader calls the names of the rows, and in which order they stand."""

import pytest

from mistrust.figures import monitoring as figures
from mistrust.figures.monitoring.parts import in_order, places_in


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("alooc", "ALOOC"),
        ("odin/as published", "ODIN, as published"),
        ("oob/published rule", "OOB, published rule"),
        ("alooc - odin", "ALOOC minus ODIN"),
        ("max_softmax", "Max Softmax"),
        ("network", "classifier alone"),
        ("noise/gaussian noise", "Gaussian noise"),
        ("shift/saturate", "Saturation"),
        ("novelty/BTSC", "BTSC"),
        ("novelty/photos", "Photos"),
        ("novelty/left out", "Classes left out"),
        ("anomaly/mean", "Anomalies"),
        ("all sets/mean", "All sets"),
        ("novelty", "Novelty"),
        ("gtsrb-thin", "GTSRB, thinned"),
        ("residual-hazard", "residual hazard"),
        ("accuracy", "accuracy"),
        ("", ""),
    ],
)
def test_names_are_told_in_words(name, said):
    assert figures.words(name) == said


def test_monitors_and_sets_stand_in_the_papers_order(all_rows):
    names = ["mdsa", "odin", "alooc/as published", "max_softmax", "alooc", "alooc/published rule"]
    assert in_order(names) == ["alooc", "alooc/published rule", "alooc/as published", "odin", "max_softmax", "mdsa"]
    order = ["novelty/BTSC", "adversarial/FGSM", "anomaly/pixel trap", "shift/fog", "shift/rotated"]
    assert places_in(all_rows[all_rows["table"] == "detection"]) == [*order, "noise/gaussian noise"]
