"""What a reader calls the names of the rows."""

import pytest

from mistrust.figures.misclassification import words


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("quantile=0.05", "5% quantile"),
        ("mean softmax minus minimum", "mean softmax minus minimum (paper)"),
        ("kendall w", "Kendall's W"),
        ("spearman", "Spearman's correlation"),
        ("0.3", "0.3"),
        ("", ""),
    ],
)
def test_names_are_told_in_words(name, said):
    assert words(name) == said
