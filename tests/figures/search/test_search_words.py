"""What a reader calls the search's names, in which order they stand, and which rows a figure is given."""

import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.parts import GREY
from mistrust.figures.search import chance, fewest_jumps, parts, priced, rare, refitted
from mistrust.figures.search.held import of
from mistrust.figures.search.parts import (
    METHODS,
    colour,
    in_order,
    outermost,
    short,
    told,
    words,
)
from mistrust.search.experiment.conditions import BESIDE, NAMED, condition
from mistrust.search.experiment.scores import PREFIX, SCORES
from mistrust.search.mechanisms import MECHANISMS
from mistrust.search.methods import SEARCHES
from mistrust.search.tables.orders import SORTS

EVERY = {*SEARCHES, *SORTS, *(f"{PREFIX}{name}" for name in SCORES)}
CONDITIONS = [condition(name, dose) for name in NAMED for dose in MECHANISMS[name].doses]
LONGEST = 21  # letters of 12 points beside a panel of 3 inches


def spelt(name):
    """No name of the rows' own kind: with an underscore, a slash, or all in small letters."""
    return "_" not in name and "/" not in name and not name.islower()


@pytest.mark.parametrize("name", sorted(EVERY))
def test_every_search_has_words_a_place_and_a_colour(name):
    assert spelt(words(name))
    assert spelt(short(name))
    assert len(short(name)) <= LONGEST
    assert name in METHODS
    assert colour(name) != GREY


def test_no_two_searches_are_told_or_drawn_alike():
    assert set(METHODS) == EVERY
    assert len(METHODS) == len(set(METHODS))
    for tell in (words, short):
        assert len({tell(name) for name in METHODS}) == len(METHODS)
    drawn = [(colour(name), parts.marker(name)) for name in METHODS]
    assert len(set(drawn)) == len(METHODS)


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_condition_has_words(name):
    assert name in parts._WORDS  # words of its own, not its name's
    assert words(name) != name
    assert told(name) == f"{words(name.partition('/')[0])}, {words(name)}"


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_every_mechanism_has_words(name):
    assert NAMED[name].prefix in parts._WORDS
    assert words(name) == words(NAMED[name].prefix)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("accuracy", "accuracy"),
        ("", ""),
        ("random", "Random"),
        ("residual_own_score", "Own score, residual"),
        ("gray/sepia", "gray/sepia"),
    ],
)
def test_other_names_are_told_as_they_are(name, said):
    assert words(name) == said


def test_told_has_a_dose_that_it_does_not_know():
    assert told("gray/sepia") == "Shift to grey, sepia"
    assert told("all") == "All mechanisms"


def test_order_of_methods():
    given = ["own", "random", "bansal_weld_coded", "adversarial_distance", "low_confidence", "random"]
    assert in_order(given) == ["adversarial_distance", "bansal_weld_coded", "low_confidence", "random", "own"]


def test_conditions_stand_by_mechanism_and_by_dose():
    given = ["own/1", "overfit/125", "gray/channel0", "biased/25", "overfit/4000", "gray/gray", "biased/0", "gray/rgb"]
    assert parts.conditions_in(given) == [
        "biased/0", "biased/25", "gray/rgb", "gray/gray", "gray/channel0", "overfit/4000", "overfit/125", "own/1",
    ]  # fmt: skip
    assert outermost(given) == [
        "biased/0", "biased/25", "gray/rgb", "gray/gray", "overfit/4000", "overfit/125", "own/1"
    ]  # fmt: skip
    assert outermost(BESIDE) == list(BESIDE)


def test_controls():
    assert [name for name in CONDITIONS if parts.is_control(name)] == [
        "biased/0", "gray/rgb", "overfit/4000", "digits/100", "celeba/rgb"
    ]  # fmt: skip


@pytest.fixture(scope="module")
def rows():
    sets = (("cats_dogs-32", ("cat", "dog")), ("fmnist", ("summer", "winter")))
    return tidy.table(
        {"table": "searches", "metric": "sdr", "data": data, "at": at, "seed": seed, "value": 1.0}
        for data, both in sets
        for at in both
        for seed in (0, 1)
    )


class TestOf:
    def test_of_each_image_set_the_papers_class_or_the_first(self, rows):
        found = of(rows, "searches", "errors")
        assert set(found["at"]) == {"cat", "summer"}
        assert set(of(rows, "searches", "errors", at="winter")["data"]) == {"fmnist"}

    @pytest.mark.parametrize(
        ("where", "said"),
        [
            ({"data": "mnist5k"}, "no rows of 'mnist5k' for the errors; there are cats_dogs-32, fmnist"),
            ({"data": "fmnist", "at": "cat"}, "no rows of 'cat' for the errors; there are summer, winter"),
            ({"metric": "p"}, "no rows for the errors: run the chapter"),
        ],
    )
    def test_what_is_not_there_is_said(self, rows, where, said):
        with pytest.raises(MistrustError, match=said):
            of(rows, "searches", "errors", **where)

    def test_rows_of_a_whole_network_are_none_of_a_pool(self, rows):
        with pytest.raises(MistrustError, match="no rows for the errors"):
            of(rows.assign(at=""), "searches", "errors")


def test_what_refitting_changes_is_told_in_the_order_of_the_mechanisms_and_without_rows_nothing():
    numbers = {"sdr once": 2.0, "sdr anew": 1.9, "difference": -0.1, "same queries": 0.8}
    listed = [
        {"condition": condition, "at": at, "metric": name, "value": value + 0.001, "low": value - 0.1,
         "high": value + 0.1, "over": "models", "n": 5, "level": 50, "seed": seed}
        for condition in ("overfit/125", "biased/25")
        for at in ("b", "a")
        for name, value in numbers.items()
        for seed in (None, 0.0)
    ]  # fmt: skip
    found = refitted(tidy.table(listed, table="refit", method="adversarial_distance"))
    assert found[["mechanism", "critical class"]].values.tolist() == [
        ["Biased training, 25% of cats missing", "a"], ["Biased training, 25% of cats missing", "b"],
        ["Overfitting, 125 training images", "a"], ["Overfitting, 125 training images", "b"],
    ]  # fmt: skip
    assert found.iloc[0, 2:].tolist() == [
        "5", "2.00 (1.90 to 2.10)", "1.90 (1.80 to 2.00)", "-0.099 (-0.200 to 0.000)", "80% (70% to 90%)",
    ]  # fmt: skip
    nothing = refitted(tidy.empty())
    assert len(nothing) == 0
    assert list(nothing.columns) == list(found.columns)


def test_chance_tells_the_least_p_as_such_and_of_each_mechanism_its_strongest_dose_and_first_class():
    def p(value, n, seed, **other):
        return {"method": "facility", "metric": "p", "value": value, "n": n, "seed": seed, **other}

    listed = [
        p(1 / 51, 50, 0), p(1 / 51, 50, 1), p(3 / 51, 50, 2), p(0.0004, 50, 0, method="random"),
        {"method": "facility", "metric": "whole sdr", "value": 1.5, "low": 1.0, "high": 2.0, "over": "models", "n": 3},
        *(p(0.01, 50, 0, **other) for other in ({"at": "dog"}, {"condition": "biased/0"}, {"level": 20})),
    ]  # fmt: skip
    common = {"table": "searches", "condition": "biased/25", "at": "cat", "level": 50}
    null = {"table": "controls", "condition": "control/null", "metric": "sdr", "method": "random", "at": "cat"}
    nulls = [{**null, "level": 50, "seed": s, "value": 1.0, "low": 0.9, "high": 1.1, "over": "oracles"} for s in (0, 1)]
    rows = tidy.table([*({**common, **one} for one in listed), *nulls])
    found = chance(rows)
    where = "25% of cats missing, critical class cat"
    assert found.values.tolist() == [
        [where, "Facility location", "1.50 (1.00 to 2.00)", "1 of 51 or fewer (2 times), 0.059", "50", "not run"],
        [where, "Random", "", "below 0.001", "none, exact", "1.00 (0.90 to 1.10); 1.00 (0.90 to 1.10)"],
    ]  # fmt: skip
    assert rare(rows) == "3 of 4"
    assert rare(rows, level=20) == "1 of 1"
    assert rare(tidy.empty()) == "not run"
    assert len(chance(tidy.empty())) == 0


def test_of_one_network_sdr_is_told_without_the_interval_of_the_factor():
    """That interval may lie wholly above the number beside it."""
    ends = {"value": 4.006, "low": 4.47, "high": 6.596, "over": "images", "n": 50}
    common = {"table": "searches", "condition": "biased/25", "at": "cat", "level": 50, "method": "random"}
    one = [{"metric": "p", "value": 0.01, "seed": 0}, {"metric": "whole sdr", "seed": 0, **ends}]
    rows = tidy.table([{**common, **row} for row in (*one, {"metric": "whole sdr", **ends})])  # and its mean
    assert chance(rows)["SDR"].tolist() == ["4.01"]


def test_other_scores_in_the_same_search_are_sorts_whose_p_is_exact():
    """Their n counts queries, and no oracle was simulated."""
    common = {"table": "searches", "condition": "biased/25", "at": "cat", "level": 50, "metric": "p", "n": 50}
    listed = [{**common, "method": name, "seed": 0, "value": 0.0013} for name in ("residual_dropout", "residual_knn")]
    found = chance(tidy.table(listed))[["p of each network", "oracles"]]
    assert found.values.tolist() == [["0.001", "none, exact"]] * 2


def attacks(again=(0.92, 0.80, 0.93), queries=(11000, 1500, 2750), condition="biased/25"):
    """The boundary attack's 1,000 steps, then 5 and 10 jumps; a single network and its mean."""
    for (table, method, level), same, asked in zip(
        (("attack", "boundary", 1000), ("jumps", "hopskip", 5), ("jumps", "hopskip", 10)), again, queries, strict=True
    ):
        common = {"table": table, "method": method, "level": level, "condition": condition, "at": "cat"}
        for seed, off in ((0.0, 0.5), (None, 0.0)):
            for metric, value in (("queries", asked), ("mae", 2.5), ("residual reliability", same - off)):
                yield {**common, "seed": seed, "metric": metric, "value": value}


def test_attacks_are_priced_side_by_side():
    where = {"condition": "biased/25", "at": "cat"}
    again = {"queries": 5000, "mae": 3.75, "residual reliability": 0.7}
    peer = [
        {"table": "peer", "method": "foolbox", "level": 5000, "metric": metric, "value": value, **where}
        for metric, value in again.items()
    ]
    start = {"table": "attack", "method": "boundary", "level": 1000, "metric": "noise starts", "value": 1.0, **where}
    rows = tidy.table([*peer, *attacks(), start])
    assert priced(rows).iloc[:, 1:].values.tolist() == [
        ["Boundary attack, 1,000 steps", "11,000", "2.5", "0.92", "too few images"],
        ["Boundary attack of foolbox 3, 5,000 steps", "5,000", "3.8", "0.70", "too few images"],
        ["HopSkipJump, 5 jumps", "1,500", "2.5", "0.80", "too few images"],
        ["HopSkipJump, 10 jumps", "2,750", "2.5", "0.93", "too few images"],
    ]
    assert priced(tidy.empty()).empty


@pytest.mark.whole
def test_jumps_are_cheaper_by_the_least_ratio_over_conditions():
    one = [*attacks()]
    assert fewest_jumps(tidy.table(one)) == ("10", "4.0")
    other = attacks((0.7, 0.6, 0.9), (9000, 1500, 3000), "gray/gray")
    assert fewest_jumps(tidy.table([*one, *other])) == ("10", "3.0")
    fewer = attacks((0.7, 0.75, 0.9), condition="gray/gray")
    assert fewest_jumps(tidy.table([*one, *fewer])) == ("10", "4.0")  # five are enough there, not everywhere
    assert fewest_jumps(tidy.table([*attacks((0.99, 0.6, 0.9))])) == ("none", "none")
    assert fewest_jumps(tidy.empty()) == ("not run", "not run")


def test_controls_of_other_images_stand_on_no_line():
    held = {"level": 50, "method": "random", "seed": 0}
    pools = [
        {"table": "searches", "metric": "p", "value": 0.2, "condition": condition, "at": at, "data": data, **held}
        for condition, at, data in (("biased/25", "cat", "a"), ("gray/gray", "animal", "b"))
    ]
    null = {"table": "controls", "condition": "control/null", "metric": "sdr", "at": "cat", "data": "a", **held}
    found = chance(tidy.table([*pools, {**null, "value": 1.01, "low": 0.9, "high": 1.1}]))
    assert found.iloc[:, -1].tolist() == ["1.01 (0.90 to 1.10)", "not run"]
