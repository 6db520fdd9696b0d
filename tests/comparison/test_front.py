"""The front page's picture: what is told equals the rows, and what stands beside it is what is drawn."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from mistrust import paths
from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.comparison import front, words
from mistrust.pictures import pack
from mistrust.publishing.ledger import judged_once, tally
from mistrust.publishing.results import accepted

VERDICTS = pd.DataFrame({"holds": [3, 0], "does not hold": [1, 2]}, index=["Safety monitors", "True ambiguity"])
AUROC = {"noise": {"max_softmax": 0.55, "knn": 0.60}, "invalid": {"max_softmax": 0.62, "knn": 0.99}}


@pytest.fixture
def drawn():
    found = [
        {"condition": trouble, "method": method, "value": value}
        for trouble, values in AUROC.items()
        for method, value in values.items()
    ]
    images = [
        {"condition": trouble, "at": str(at), "value": at, "note": pack(np.full((4, 4), 20 * at, np.uint8))}
        for trouble in AUROC
        for at in range(8)
    ]
    single = [{**one, "value": 0.1, "seed": 0} for one in found]
    return pd.concat(
        [
            tidy.table(found + single, table="detection", metric="auroc", data="mnist"),
            tidy.table(images, table="inputs", metric="predicted", data="mnist"),
        ]
    )


@pytest.mark.whole
def test_the_best_of_each_trouble_stands_first_where_it_is_noticed_best(drawn):
    made = front(drawn, VERDICTS)
    assert "Invalid: KNN 0.99 (0.62); Noise: KNN 0.60 (0.55)" in made.alt  # means over networks, no single one
    assert made.alt.startswith("How well 2 methods tell 2 kinds")
    assert made.alt.endswith("Safety monitors: holds 3, does not hold 1; True ambiguity: does not hold 2.")
    assert made.svg.count("<image") == 2 * 3
    assert made == front(drawn.iloc[::-1], VERDICTS)


@pytest.mark.whole
def test_without_what_every_classifier_has_the_rest_is_drawn(drawn):
    made = front(drawn[drawn["method"] != "max_softmax"], VERDICTS)
    assert "Invalid: KNN 0.99; Noise" in made.alt


def test_no_rows_and_unknown_sets_are_refused(drawn):
    with pytest.raises(MistrustError, match="There are no rows for the front picture"):
        front(tidy.empty(), VERDICTS)
    with pytest.raises(MistrustError, match="There are no rows of 'gtsrb'"):
        front(drawn, VERDICTS, data="gtsrb")


@pytest.mark.whole
def test_the_committed_picture_is_drawn_from_the_accepted_rows():
    """`python scripts/picture.py` draws it; matplotlib's version is pinned, so the bytes are."""
    rows = accepted("comparison")
    made = front(rows, tally(judged_once()), data="fmnist")
    assert (paths.root() / "book" / "_static" / "result.svg").read_text(encoding="utf-8") == made.svg
    best = dict(re.findall(r"(?:brackets:|;) (\D+): ([^;:]+?) \d\.\d\d \(", made.alt.partition(". Below")[0]))
    assert [*best][:2] == ["Novelty", "Invalid"]  # "found nearly all"
    assert [*best][-1] == "Noise"  # "hardly"
    times = Counter(best.values())
    networks = tidy.select(rows, data="fmnist", table="detection")["seed"].nunique()
    for file in ("README.md", "book/intro.md"):
        text = (paths.root() / file).read_text(encoding="utf-8")
        assert (len(best), len(times), networks) == (9, 5, 3)
        assert "31 methods tell nine kinds" in text
        assert "Five different methods are the best of a kind" in text
        assert "all on the same three networks" in text
        assert "Relative Mahalanobis of three, LSA and ODIN of two each, " in text
        assert times == {words("relative_mahalanobis"): 3, "ODIN": 2, "LSA": 2} | {
            words(name): 1 for name in ("targeted_distance", "autoencoder")
        }
        assert made.alt.split()[2] == "31"
