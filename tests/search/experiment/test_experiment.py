"""The chapter's experiment on a tiny run: its pieces, and what their rows say."""

import numpy as np
import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.pictures import unpack
from mistrust.search import experiment, measures
from mistrust.search.experiment import Parameters, check, missing, piece, pieces, preparing, subjects, together
from mistrust.search.experiment.parts import PARTS
from mistrust.search.experiment.scores import SCORES, residuals
from mistrust.search.experiment.subjects import Subject, images_of, pool_of
from mistrust.search.tables.orders import AD, FARTHEST, order
from mistrust.store import entries

pytestmark = pytest.mark.whole

METHODS = {AD, FARTHEST, "low_confidence", "lakkaraju_coded", "random"}


def of(rows, **where):
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows


def value(rows, **where):
    found = of(rows, **where)
    assert len(found) == 1, (where, len(found))
    return float(found["value"].iloc[0])


@pytest.fixture
def subject(parameters, run):
    return Subject(parameters, "few_digits", "20", 0)


def test_pieces_are_models_then_what_stands_alone(parameters, run):
    assert pieces(parameters) == [
        "digits/20 0", "digits/20 1", "attack: digits/20 0", "jumps: digits/20 0", "peer: digits/20 0",
        "controls: digits/20 0",
        "refit: digits/20 0", "refit: digits/20 1", "insight: digits/20 0",
    ]  # fmt: skip
    assert all(not missing(parameters, name) for name in pieces(parameters))


def test_by_an_attack_each_part_of_a_model_is_a_piece(parameters):
    attacked = pieces(Parameters.of({**vars(parameters), "distance": "hopskip-smooth", "distance_steps": 1}))
    parts = [
        "network",
        "first class's distances",
        "second class's distances",
        "pools",
        "searches",
        "chance",
        "scores",
        "rank",
        "steps",
        "shown",
    ]
    parts += ["further searches", "by query", "score curves", "explained elsewhere", "focus"]
    assert attacked[: len(parts)] == [f"{part}: digits/20 0" for part in parts]
    assert attacked[-7:] == pieces(parameters)[2:]  # what stands alone
    assert len({*attacked}) == len(attacked)


def test_by_an_attack_each_class_is_attacked_in_a_piece_of_its_own_and_others_look_that_up(parameters, monkeypatch):
    asked = Parameters.of({**vars(parameters), "models": 1, "distance": "boundary-quick", "distance_steps": 1})
    ahead = preparing(asked)
    assert ahead == [f"{which} class's distances: digits/20 0" for which in ("first", "second")]
    assert preparing(parameters) == []
    searched, nearest = [], subjects.nearest

    def counted(subject, images):
        searched.append(len(images))
        return nearest(subject, images)

    monkeypatch.setattr(subjects, "nearest", counted)
    found = pd.concat([piece(asked, name) for name in ahead])
    assert found["at"].tolist() == list(Subject(asked, "few_digits", "20", 0).panel.classes)
    assert found["n"].tolist() == searched
    subjects.pool_of.cache_clear()  # as in another process
    pools = piece(asked, "pools: digits/20 0")
    assert len(searched) == 2
    assert pools[pools["metric"] == "attacked"]["value"].tolist() == found["value"].tolist()


def test_scores_are_measured_once_for_both_parts_that_read_them(parameters, run, monkeypatch):
    subject, asked = Subject(parameters, "few_digits", "20", 0), []
    residuals.cache_clear()
    give = SCORES["knn"]
    monkeypatch.setitem(SCORES._entries, "knn", lambda *given: asked.append(given[1].at) or give(*given))
    for part in ("scores", "score curves"):
        assert list(PARTS[part].rows(subject))
    assert asked == list(subject.panel.classes)
    residuals.cache_clear()


def test_a_run_holds_every_row_of_each_part_so_that_files_can_bring_it_back(parameters, run, lost):
    assert lost(experiment, parameters, run) == []


def test_what_the_store_holds_is_read_without_a_network(parameters, run, monkeypatch):
    """A long run is gathered from hundreds of parts: each network asked about its images again took ten minutes."""

    def asked(*_, **__):
        raise AssertionError("a network is looked for")

    monkeypatch.setattr(subjects, "panel", asked)
    again = pd.concat([piece(parameters, name) for name in pieces(parameters)])
    assert set(again["data"]) == set(run["data"])


def test_a_piece_is_read_back_as_it_was_made(parameters, run):
    again = piece(parameters, "digits/20 1")
    columns = ["table", "method", "condition", "level", "at", "metric", "seed", "value", "made"]
    which = columns[:-2]
    both = again.merge(run, on=which, how="left", suffixes=("", "_of_all"))
    assert len(again) > 300
    assert np.array_equal(both["value"], both["value_of_all"])
    assert (both["made"] == both["made_of_all"]).all()


def test_more_replicates_make_searches_again_and_nothing_else(parameters, run):
    changed = Parameters.of({**vars(parameters), "replicates": 7})
    reasons = missing(changed, "digits/20 0")
    assert len(reasons) >= 2  # searches, and those by other scores
    assert not missing(Parameters.of({**vars(parameters), "models": 3, "scores": ()}), "digits/20 0")


def test_a_piece_is_a_model_of_one_dose():
    gray = Parameters.of({"mechanisms": ("shift_to_gray",), "doses": (), "models": 1, "authors": "none"})
    assert pieces(gray) == [
        "gray/rgb 0", "gray/gray 0", "gray/channel0 0", "attack: gray/gray 0", "jumps: gray/gray 0",
        "controls: gray/rgb 0", "refit: gray/gray 0", "insight: gray/gray 0",
    ]  # fmt: skip


def test_tables_and_the_metrics_of_the_contract(run):
    assert set(run["table"]) >= {
        "panel", "reliability", "searches", "curves", "rank", "steps", "controls", "attack", "jumps", "peer",
    }  # fmt: skip
    panel = of(run, table="panel")
    assert set(panel[panel["at"] == ""]["metric"]) >= {
        "accuracy", "validation accuracy", "temperature", "ece before", "ece",
    }  # fmt: skip
    assert set(panel[panel["at"] != ""]["metric"]) >= {
        "pool", "errors", "expected", "pool sdr", "residual auc", "gates",
    }  # fmt: skip
    searches = of(run, table="searches", level=20.0)
    for method in METHODS | {"lakkaraju", "facility_learned"}:
        assert set(of(searches, method=method)["metric"]) >= {
            "sdr", "mean of ratios", "errors", "sure errors", "utility", "spread", "misaligned spread", "confidence",
            "p", "lift", "matched lift",
        }, method  # fmt: skip
    scores = {name for name in searches["method"] if name.startswith("residual_")}
    assert scores == {"residual_knn", "residual_mahalanobis", "residual_ensemble"}  # this network has no dropout
    for method in ("random", "lakkaraju", "residual_knn"):
        assert set(of(run, table="curves", method=method, metric="sdr")["level"]) == {1, 2, 5, 10, 15, 20}
    for method in scores:
        assert {"whole sdr", "p"} <= set(of(searches, method=method)["metric"])


def test_what_is_drawn_by_query_is_what_the_tables_have(run):
    """Errors, utility and spread at the last query are those of the table; confidences have their mean within."""
    single = {"condition": "digits/20", "seed": 0.0, "at": "3"}
    for metric in ("errors", "utility", "spread"):
        drawn = value(run, table="curves", method=AD, metric=metric, level=20.0, **single)
        assert drawn == pytest.approx(value(run, table="searches", method=AD, metric=metric, level=20.0, **single))
    assert not len(of(run, table="curves", method=FARTHEST, metric="errors"))  # none of the paper's
    sure = of(run, table="confidences", **single)
    assert set(sure["method"]) >= {*METHODS, "lakkaraju", "residual_knn"}
    for method in ("low_confidence", "random"):
        own = of(sure, method=method).sort_values("level")
        assert own["level"].tolist() == [0.05, 0.25, 0.5, 0.75, 0.95]
        assert own["value"].is_monotonic_increasing
        mean = value(run, table="searches", method=method, metric="confidence", level=20.0, **single)
        assert own["value"].iloc[0] < mean < own["value"].iloc[-1]
    assert of(sure, method="low_confidence")["value"].max() < of(sure, method="random")["value"].max()


def test_further_models_and_searches_leave_what_is_made(parameters, run):
    more = Parameters.of({**vars(parameters), "further": ("digits/20:1",), "also": ("lakkaraju",)})
    assert [name for name in pieces(more) if name not in pieces(parameters)] == ["digits/20 2", "refit: digits/20 2"]
    assert len(missing(more, "digits/20 0")) == 1  # the part of the further searches alone
    assert not missing(Parameters.of({**vars(parameters), "further": ("digits/20:1",)}), "digits/20 0")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"further": ("digits/21:1",)}, "digits/20"),
        ({"further": ("digits/20:0",)}, "a number of models from 1 on"),
        ({"further": ("digits/20",)}, "condition that is run"),
        ({"further": ("digits/20:1", "digits/20:2")}, "once"),
        ({"also": ("lakkaraju_coded",)}, "lakkaraju_coded stands in methods and in also"),
        ({"also": ("random",)}, "Leave 'random'"),
    ],
)
def test_further_models_and_searches_that_cannot_be(parameters, change, message):
    with pytest.raises(MistrustError, match=message):
        Parameters.of({**vars(parameters), **change})


def test_further_models_of_one_dose_cost_the_others_no_lift(parameters):
    """Models 3 to 7 of one dose, 0 to 4 of the other: too few in common, so the stronger dose stands alone."""
    other = panels({"digits/30": 9.0})
    other["seed"] += 3
    single = pd.concat([other, panels({"digits/20": 1.5})], ignore_index=True)
    found = of(together(single, parameters), table="overall", metric="lift", level=50.0, condition="digits")
    assert found["value"].to_numpy() == pytest.approx(1.5, rel=0.01)
    assert found["note"].tolist() == ["digits/20"]


def test_a_network_with_dropout_has_a_score_of_its_own(parameters, run):
    other = Parameters.of({**vars(parameters), "architecture": "sdr-cnn-small"})
    subject = Subject(other, "few_digits", "20", 0)
    one = next(subject.pools())
    values = SCORES["dropout"](subject, one)
    assert values.shape == (len(one),)
    assert (values > 0).any()  # networks that drop units disagree
    assert (values >= -1e-9).all()


@pytest.mark.parametrize(
    ("mechanism", "dose", "asked", "penalty", "rate", "epochs"),
    [
        ("overfitting", "125", {}, 0.0, 1e-3, 10),
        ("overfitting", "125", {"architecture": "sdr-cnn"}, 0.01, 1e-4, 40),  # the paper's network, its authors' recipe
        ("overfitting", "125", {"architecture": "sdr-cnn", "epochs": 3}, 0.01, 1e-4, 3),
        ("biased_training", "25", {"architecture": "sdr-cnn-small"}, 0.0, 1e-3, 12),  # its own, named: nothing changes
        ("zappos", "75 epochs", {"architecture": "sdr-cnn"}, 0.01, 1e-4, 75),
    ],
)
def test_a_network_that_is_named_is_trained_by_its_own_recipe(mechanism, dose, asked, penalty, rate, epochs):
    given = Parameters(mechanisms=(mechanism,), doses=(), **asked)
    recipe = Subject(given, mechanism, dose, 0).own["recipe"]
    assert (recipe.penalty, recipe.rate, recipe.epochs) == (penalty, rate, epochs)


def test_pool_rows_are_the_pools(run, subject):
    for one in subject.pools():
        where = {"table": "panel", "condition": "digits/20", "seed": 0.0, "at": one.at}
        assert value(run, metric="pool", **where) == len(subject.panel.rows(one.at)) == len(one)
        assert value(run, metric="errors", **where) == one.errors.sum()
        assert value(run, metric="expected", **where) == pytest.approx((1 - one.pool.confidence).sum())
        labels = images_of(subject, one).labels.numpy()
        assert np.array_equal(labels != subject.panel.classes.index(one.at), one.errors)


def test_whole_sdr_is_that_of_the_first_queries(run, subject):
    one = pool_of(subject, "3")
    lowest = np.argsort(one.pool.residual, kind="stable")[:20]
    expected = measures.sdr(one.errors[lowest], one.pool.confidence[lowest])[-1]
    where = {"table": "searches", "condition": "digits/20", "seed": 0.0, "at": "3", "level": 20.0}
    assert value(run, method=AD, metric="whole sdr", **where) == pytest.approx(expected)
    farthest = order(one.pool, FARTHEST, len(one), subject.parameters.fraction, 0)
    nearest = order(one.pool, AD, len(one), subject.parameters.fraction, 0)
    assert farthest.tolist() == nearest[::-1].tolist()


def test_lift_is_sdr_over_the_pools(run):
    wide = of(run, table="searches", level=20.0)
    wide = wide[wide["seed"].notna()]
    looked = set()
    for where, group in wide.groupby(["condition", "at", "seed", "method"]):
        condition, at, seed, method = where
        pool = of(run, table="panel", metric="pool sdr", condition=condition, at=at, seed=seed)["value"]
        if len(pool) and float(pool.iloc[0]) > 0 and not str(method).startswith("residual_ens"):
            ratio = value(group, metric="sdr") / float(pool.iloc[0])
            assert value(group, metric="lift") == pytest.approx(ratio)
            looked.add((at, seed, method))
    assert {(at, seed, method) for at in ("3", "5") for seed in (0, 1) for method in METHODS} <= looked


def test_two_models_pass_no_gate_and_the_note_says_so(run):
    gates = of(run, table="panel", metric="gates")
    single = gates[gates["seed"].notna()]
    assert len(single) == 4
    assert (single["value"] == 0).all()
    assert single["note"].str.contains("trained models: 2, expected >= 5: missed").all()
    assert single["note"].str.contains("errors in the pool").any()
    assert not (run["table"] == "overall").any()


def test_cells_of_figure_1_hold_the_whole_pool(run, subject):
    one = pool_of(subject, "3")
    rank = of(run, table="rank", condition="digits/20", seed=0.0)
    cells = rank[rank["at"].str.startswith("3/")]
    assert cells[cells["metric"] == "errors"]["value"].sum() == one.errors.sum()
    assert cells["value"].sum() == len(one)
    assert (of(rank, at="3", metric="fitted")["level"] == np.arange(25)).all()


def test_steps_carry_pictures_and_running_numbers(run, subject):
    one = pool_of(subject, "3")
    shown = of(run, table="steps", at="3", method=AD, condition="digits/20", seed=0.0)
    answers = of(shown, metric="answer").sort_values("level")
    assert answers["level"].tolist() == [1, 2, 3]
    first = order(one.pool, AD, 3, subject.parameters.fraction, 0)
    images = images_of(subject, one)
    for note, row in zip(answers["note"], first, strict=True):
        assert np.array_equal(unpack(note), images.images[int(row), 0].numpy())
    assert answers["value"].tolist() == one.errors[first].tolist()


def test_reliability_bins_hold_all_test_images(run):
    bins = of(run, table="reliability", condition="digits/20", seed=0.0)
    for method in ("", "uncalibrated"):
        assert of(bins, method=method, metric="n")["value"].sum() == 300


def test_what_speaks_for_the_other_class_is_looked_at_in_every_model(run):
    """Of both models, not of the first alone; and their errors' brightness, though nothing was done to colours."""
    found = of(run, table="focus")
    assert set(found[found["seed"].notna()]["seed"]) == {0, 1}
    assert set(found["metric"]) == {"spoke before"}
    assert found["value"].between(0, 1).all()
    assert set(of(run, table="explained", metric="brightness")["condition"]) == {"digits/20"}


def test_the_attack_asks_more_with_more_steps_and_goes_no_further_off(run):
    attack = of(run, table="attack", seed=0.0, at="3")
    assert value(attack, level=2.0, metric="mae") >= value(attack, level=5.0, metric="mae") > 0
    assert value(attack, level=5.0, metric="queries") > value(attack, level=2.0, metric="queries")
    assert set(of(attack, level=5.0)["metric"]) >= {
        "changed", "success", "noise starts", "confidence correlation", "distance reliability",
        "residual reliability", "distance agreement", "residual agreement", "distance agreement with foolbox",
        "residual agreement with foolbox",
    }  # fmt: skip
    # Foolbox's attack stands beside the most steps of ours alone, and asks less.
    assert not attack[attack["level"] == 2]["metric"].str.contains("foolbox").any()
    assert value(attack, metric="mae of foolbox") > 0
    assert value(attack, metric="queries of foolbox") < value(attack, level=5.0, metric="queries")
    assert set(of(run, table="attack", seed=0.0, at="5")["metric"]) == {"noise starts"}


def test_jumps_ask_more_with_more_of_them_and_go_no_further_off(run):
    jumps = of(run, table="jumps", seed=0.0, method="hopskip")
    assert set(jumps["at"]) == {"3"}
    assert value(jumps, level=1.0, metric="mae") >= value(jumps, level=3.0, metric="mae") > 0
    assert value(jumps, level=3.0, metric="queries") > value(jumps, level=1.0, metric="queries")
    assert set(of(jumps, level=3.0)["metric"]) == {
        "success", "queries", "mae", "distance reliability", "residual reliability", "distance agreement",
        "residual agreement",
    }  # fmt: skip


def test_foolbox_is_held_against_its_own_second_run_and_the_fast_distance(run):
    peer = of(run, table="peer", seed=0.0, method="foolbox", level=25.0, at="3")
    assert len(peer) == len(of(run, table="peer", seed=0.0))
    assert set(peer["metric"]) == {
        "success", "queries", "mae", "distance reliability", "residual reliability", "distance agreement",
        "residual agreement",
    }  # fmt: skip
    assert value(peer, metric="queries") > 10
    assert value(peer, metric="distance reliability") < 1  # two runs, not one


def test_foolbox_runs_once_for_both_tables_that_show_it(run):
    """Table "attack" shows the second of the two runs, after five times its own most steps."""
    made = [one.spec for one in entries() if one.kind == "foolbox-distances"]
    assert sorted((one["steps"], one["seed"]) for one in made) == [(25, 0), (25, 1)]


def test_controls_stand_under_conditions_of_their_own(run):
    controls = of(run, table="controls")
    assert set(controls["condition"]) == {"control/null", "control/lowered"}
    assert set(of(controls, condition="control/null")["method"]) == METHODS
    lifts = of(controls, condition="control/lowered", metric="lift", seed=0.0).sort_values("level")
    assert lifts["level"].tolist() == [0.0, 0.5, 1.0, 2.0]
    assert lifts["value"].is_monotonic_increasing


def panels(lifts, models=5, errors=30):
    """Rows of single models that pass every gate, two classes each, with these lifts by condition."""
    records = []
    draw = np.random.default_rng(0)
    for condition in lifts:
        for seed in range(models):
            common = {"data": "d", "network": "n", "condition": condition, "seed": seed}
            for metric, number in (("accuracy", 0.9 + 0.01 * draw.random()), ("temperature", 1 + 0.1 * draw.random())):
                records.append({**common, "table": "panel", "metric": metric, "value": number})
            for at in "ab":
                here = {**common, "at": at}
                for metric, number in {
                    "pool": 400, "errors": errors, "attacked": 1, "start kind": 1, "certain": 0, "undefined": 0,
                    "temperature limit": 0, "retest": 1, "pool sdr": 2.0,
                }.items():  # fmt: skip
                    records.append({**here, "table": "panel", "metric": metric, "value": number})
                searched = {**here, "table": "searches", "method": AD, "level": 50}
                expected = 4 + seed + (at == "b")
                for metric, number in {
                    "errors": lifts[condition] * 2 * expected * (1 + 0.1 * (seed - 2) / 2), "expected": expected,
                    "expected alike": 2 * expected,
                }.items():  # fmt: skip
                    records.append({**searched, "metric": metric, "value": number})

    return tidy.table(records, chapter="search")


def test_lift_over_panels_of_models_that_pass(parameters):
    single = panels({"digits/30": 1.5, "digits/20": 1.5, "digits/100": 9.0})
    found = of(together(single, parameters), table="overall", metric="lift", level=50.0)
    assert set(found["condition"]) == {"all", "digits"}  # the control is none of them
    assert found["value"].to_numpy() == pytest.approx(1.5, rel=0.01)
    assert (found["over"] == "models").all()
    assert (found["low"] > 1).all()
    assert (found["seed"].isna() & (found["data"] == "") & (found["at"] == "")).all()


@pytest.mark.parametrize("lacking", [{"models": 4}, {"errors": 24}])
def test_no_lift_of_panels_that_miss_a_gate(parameters, lacking):
    whole = together(panels({"digits/20": 1.5}, **lacking), parameters)
    assert not (whole["table"] == "overall").any()
    gates = of(whole, table="panel", metric="gates")
    assert (gates[gates["seed"].notna()]["value"] == 0).all()


def test_a_model_that_stands_out_misses_its_gate(parameters):
    single = panels({"digits/20": 1.5})
    hot = (single["metric"] == "temperature") & (single["seed"] == 3)
    single.loc[hot, "value"] = 9.0
    gates = of(together(single, parameters), table="panel", metric="gates")
    assert of(gates, seed=3.0)["note"].str.contains("model that stands out").all()
    assert (gates[gates["seed"].notna() & (gates["seed"] != 3)]["value"] == 1).all()


def test_no_rows_at_all_give_none(parameters):

    assert together(tidy.empty(), parameters).empty


def test_what_the_data_cannot_give_is_refused(parameters):
    for change, message in (
        ({"test_images": 950}, "are wanted"),
        ({"authors": "/nowhere/rows.csv"}, "authors names /nowhere/rows.csv, which is no file"),
    ):
        with pytest.raises(MistrustError, match=message):
            check(Parameters.of({**vars(parameters), **change}))


def test_smoke_rows_are_those_of_a_pool():
    from mistrust.search.experiment.pieces import ROWS

    frame = ROWS.smoke()
    assert isinstance(frame, pd.DataFrame)
    assert set(frame["method"]) == {AD, FARTHEST, "low_confidence", "random"}


@pytest.mark.parametrize(
    "metric", ["p", "spread", "pool", "pool size", "n", "expected", "expected alike", "temperature"]
)
def test_what_cannot_be_below_0_has_no_interval_that_is(metric):
    values = {0: 1e-12, 1: 0.04, 2: 0.9}
    single = tidy.table(
        [{"seed": seed, "value": value} for seed, value in values.items()], table="searches", metric=metric, n=9
    )
    mean = together(single, Parameters()).iloc[-1]
    assert mean["over"] == "models"
    assert 0 <= mean["low"] < mean["value"] < mean["high"]
