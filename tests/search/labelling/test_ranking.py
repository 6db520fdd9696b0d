"""The list: the known order of set A, which search is the default, which are refused."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from labelled_set import CONFIDENCE, MAE, ORDER

from mistrust import cli
from mistrust.errors import MistrustError, MistrustWarning
from mistrust.search.labelling import Scores, fixed_methods, rank, read_scores
from mistrust.search.methods import SEARCHES
from mistrust.search.residual import residual


def ids(ranked):
    return [int(query.name) for query in ranked.queries]


def test_adversarial_distance_is_the_default_and_gives_the_known_order(known):
    ranked = rank(read_scores(known), 8, parameters={"fraction": 0.5})
    assert ranked.method == "adversarial_distance"
    assert ids(ranked) == list(ORDER)
    assert ranked.pool == 16
    assert ranked.expected == pytest.approx(sum(1 - CONFIDENCE[i - 1] for i in ORDER))
    assert [query.rank for query in ranked.queries] == list(range(1, 9))


def test_without_distances_low_confidence_is_the_default(write):
    rows = [(i + 1, "dog", c) for i, c in enumerate(CONFIDENCE)]
    ranked = rank(read_scores(write("s.csv", [("id", "predicted", "confidence"), *rows])), 8)
    assert ranked.method == "low_confidence"
    assert ids(ranked) == [10, 4, 15, 5, 11, 6, 12, 3]  # facts 11
    assert "distance" not in ranked.frame()


def test_each_fixed_search_makes_a_list_and_each_other_one_is_refused(known):
    scores = read_scores(known)
    assert {"adversarial_distance", "low_confidence", "random", "lowest_distance"} <= set(fixed_methods())
    for method in SEARCHES:
        if method in fixed_methods():
            few = {"fraction": 0.5} if "fraction" in SEARCHES[method].parameters else {}
            assert len(set(ids(rank(scores, 16, method, parameters=few)))) == 16
        else:
            with pytest.raises(
                MistrustError, match="--method adversarial_distance" if method == "score" else "With a list: "
            ):
                rank(scores, 8, method)


def test_lowest_distance_sorts_by_distance(known):
    assert ids(rank(read_scores(known), 16, "lowest_distance")) == (np.argsort(MAE) + 1).tolist()


def test_an_image_keeps_its_random_place_when_others_leave_the_pool(known):
    scores = read_scores(known)
    all_of = ids(rank(scores, 16, "random", parameters={"seed": 3}))
    fewer = ids(rank(scores, 9, "random", threshold=0.87, parameters={"seed": 3}))
    assert [one for one in all_of if one in fewer] == fewer
    assert ids(rank(scores, 16, "random", parameters={"seed": 4})) != all_of


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": 0}, "--budget is 0"),
        ({"threshold": 1.0}, "--threshold is 1, expected a confidence in [0, 1)"),
        ({"method": "lowconfidence"}, "Did you mean 'low_confidence'"),
        ({"budget": 17}, "ask for at most 16 by --budget"),
    ],
)
def test_mistakes(known, given, message):
    with pytest.raises(MistrustError) as error:
        rank(read_scores(known), **{"budget": 8, **given})
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("method", "parameters", "message"),
    [
        (
            "random",
            {"frac": 0.3},
            "--fraction is of no use to --method random: leave it out, or take a --method that reads it: adversarial_",
        ),
        ("low_confidence", {"seed": 1}, r"--seed is of no use to --method low_confidence.* reads it: random\.$"),
        ("random", {"variance": 0.1}, r"--variance is of no use to --method random: leave it out\.$"),
        ("score", {}, r"scores files hold none.*--column distance=OTHER.*Without a score: adversarial_distance, .*om,"),
    ],
)
def test_what_a_search_does_not_read_is_refused(known, method, parameters, message):
    with pytest.raises(MistrustError, match=message):
        rank(read_scores(known), 3, method, parameters=parameters)


def test_other_names_of_parameters_are_known(known):
    scores = read_scores(known)
    one, other = (ids(rank(scores, 8, parameters={name: 0.5})) for name in ("frac", "fraction"))
    assert one == other


def test_a_search_by_distance_needs_one(write):
    scores = read_scores(write("s.csv", [("id", "predicted", "confidence"), ("1", "a", 0.9)]))
    with pytest.raises(MistrustError, match=r"needs a column 'distance'.*--method low_confidence"):
        rank(scores, 1, "adversarial_distance")


def test_the_table_has_room_for_answers(known, folder):
    ranked = rank(read_scores(known), 3, "low_confidence")
    frame = ranked.frame([folder / "10.png", folder / "4.png", folder / "15.png"])
    assert list(frame) == ["rank", "id", "file", "predicted", "confidence", "distance", "method", "answer"]
    assert frame["file"].tolist() == ["10.png", "4.png", "15.png"]
    assert frame["answer"].tolist() == [""] * 3


@pytest.mark.parametrize("features", [(), ("x1",), ("x1", "x2")])
def test_features_that_no_fixed_order_reads_are_not_passed_over_in_silence(write, tmp_path, capsys, features):
    rows = [(i + 1, "dog", c, *[i % 5] * len(features)) for i, c in enumerate(CONFIDENCE)]
    path = write("s.csv", [("id", "predicted", "confidence", *features), *rows])
    assert cli.main(["search", "--scores", str(path), "--budget", "8", "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert ("nothing in this order: searches that go by features read answers" in said) == bool(features)
    assert "Features (x1, ...) change" in said if len(features) > 1 else "Features" not in said
    with_features = rank(read_scores(path), 8)
    assert ids(with_features) == [10, 4, 15, 5, 11, 6, 12, 3]  # as without them


def few_scores(n, seed=0):
    draw = np.random.default_rng(seed)
    confidence = 0.66 + 0.33 * draw.random(n)
    distance = np.exp(3 * confidence + 0.3 * draw.standard_normal(n))
    return Scores(tuple(map(str, range(n))), ("cat",) * n, confidence, distance, None, Path("few.csv"))


@pytest.mark.parametrize("n", [6, 11, 33, 49, 99])
def test_of_few_images_no_window_is_so_narrow_that_rounding_makes_the_order(n):
    """With the usual tenth of 33 images a line goes through two of three: nearly all residuals are 0."""
    scores = few_scores(n)
    ranked = rank(scores, n)
    assert ranked.fraction is not None
    found = residual(scores.distance, scores.confidence, ranked.fraction)
    assert np.mean(np.abs(found) < 1e-9) < 0.1
    assert [query.name for query in ranked.queries] == [str(i) for i in np.argsort(found, kind="stable")]
    if n == 33:
        assert np.mean(np.abs(residual(scores.distance, scores.confidence, 0.1)) < 1e-9) > 0.9


def test_enough_images_have_the_usual_windows():
    assert rank(few_scores(100), 5).fraction is None
    assert rank(few_scores(100), 5) == rank(few_scores(100), 5, parameters={"fraction": 0.1})
    assert rank(few_scores(20), 5, "low_confidence").fraction is None


def test_windows_that_leave_nothing_to_sort_by_are_refused_with_a_fraction_that_does():
    with pytest.raises(MistrustError, match=r"--fraction 0.1 of 33 images makes windows of 3, .* give 0.182 or more"):
        rank(few_scores(33), 5, parameters={"fraction": 0.1})
    assert rank(few_scores(33), 5, parameters={"fraction": 0.182}).pool == 33
    with pytest.raises(MistrustError, match=r"5 images are too few for a trend .* needs 6 at least: .* low_confidence"):
        rank(few_scores(5), 2)
    assert rank(few_scores(5), 2, "low_confidence").pool == 5


def test_a_list_that_can_have_no_sdr_is_told_of_before_anybody_labels(write):
    def ranked(*confidences):
        rows = [(f"{i}.png", "dog", c) for i, c in enumerate(confidences)]
        return rank(read_scores(write("s.csv", [("id", "predicted", "confidence"), *rows])), 2)

    with pytest.warns(MistrustWarning, match=r"all 2 images on the list have a confidence of exactly 1, .* SDR will"):
        ranked(1.0, 1.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranked(1.0, 1.0, 0.9)
