"""Tables of made-up panels: what they must say is known."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy import stats
from torch import nn

from mistrust.data import ImageSet
from mistrust.evaluation import auroc
from mistrust.inputs import to_uint8
from mistrust.networks import wrap
from mistrust.pictures import unpack
from mistrust.search import measures
from mistrust.search.attack import distances
from mistrust.search.attack.found import DONOR, NOISE
from mistrust.search.gates import Panel, judged
from mistrust.search.methods import SEARCHES, Search
from mistrust.search.methods.orders import low_confidence
from mistrust.search.pool import Pool
from mistrust.search.residual import fitted
from mistrust.search.searching import Searching
from mistrust.search.simulated import oracles
from mistrust.search.tables.by_query import by_query
from mistrust.search.tables.explained import explained, shown
from mistrust.search.tables.focus import focus
from mistrust.search.tables.hunted import Hunted, hunted
from mistrust.search.tables.insight import ERROR, NEAREST, PROTOTYPE, insight
from mistrust.search.tables.panels import pool, stratified_auc
from mistrust.search.tables.searches import Setting, by_chance, exact, searches
from mistrust.search.tables.superpixels import speaking, superpixels


def made_up(n=200, seed=0):
    draw = np.random.default_rng(seed)
    c = 0.66 + 0.33 * draw.random(n)
    distance = np.exp(3 * c + 0.3 * draw.normal(size=n))
    trend = fitted(distance, c)
    pool = Pool(np.arange(n), c, draw.normal(size=(n, 3)), distance, residual=trend.residual(distance, c))
    return Hunted("a", pool, draw.random(n) < 1.5 * (1 - c), pool.features, trend, n, 1.0)


class TestStratifiedAuc:
    def test_in_one_stratum_it_is_the_auroc(self):
        one = made_up()
        found = stratified_auc(one.pool.residual, one.errors, one.pool.confidence, 20, 0, strata=1)
        assert found.value == pytest.approx(auroc(one.pool.residual, one.errors))
        assert found.low <= found.value <= found.high

    def test_a_score_that_is_the_confidence_tells_nothing_within_strata_of_ties(self):
        c = np.repeat([0.7, 0.8, 0.9], 20)
        errors = np.tile([True, False], 30)
        assert stratified_auc(-c, errors, c, 20, 0, strata=3).value == 0.5

    def test_by_hand(self):
        """Two strata of two: in one the error scores higher, in the other lower."""
        c, errors = np.array([0.7, 0.71, 0.9, 0.91]), np.array([True, False, True, False])
        assert stratified_auc(np.array([2.0, 1, 1, 2]), errors, c, 20, 0, strata=2, least=2).value == 0.5
        assert stratified_auc(np.array([2.0, 1, 9, 2]), errors, c, 20, 0, strata=2, least=2).value == 1.0

    def test_without_errors_it_is_not_there(self):
        c = np.linspace(0.7, 0.9, 10)
        assert np.isnan(stratified_auc(c, np.zeros(10, dtype=bool), c, 20, 0).value)


def test_ratios_of_a_pool_where_all_is_an_error():
    """SDR is then the mean of nothing but 1 over the mean doubt, and every lift by equal confidence is 1."""
    one = made_up()
    one = Hunted(one.at, one.pool, np.ones(len(one), dtype=bool), one.whole, one.trend, one.size, 1.0)
    setting = Setting(("low_confidence",), 5, 2, 20, 0.001, 0.1, False, False, 0)
    rows = {(r["method"], r["metric"]): r["value"] for r in searches(one, setting) if r["table"] == "searches"}
    for method in ("low_confidence", "random"):
        assert rows[method, "errors"] == 20
        assert rows[method, "matched lift"] == pytest.approx(1)
        assert rows[method, "sdr"] == pytest.approx(20 / rows[method, "expected"])
        assert rows[method, "sdr"] == pytest.approx(1 / (1 - rows[method, "confidence"]))
    assert rows["low_confidence", "sure errors"] == 0


def test_what_chance_gives_a_sort_is_exact():
    """Of twenty with confidences from .5 to .9 sixteen are wrong: the upper factor takes some chances beyond 1."""
    c, wrong = np.linspace(0.5, 0.9, 20), np.arange(20) % 5 > 0
    one = Hunted("a", Pool(np.arange(20), c, c[:, None], c), wrong, c[:, None], None, 20, 1.0)
    rows = {row["metric"]: row for row in exact(one, "low_confidence", np.arange(20))}
    assert rows["p"]["value"] == pytest.approx(stats.poisson_binom.sf(15, 1 - c))
    found = rows["whole sdr"]
    assert found["value"] == pytest.approx(16 / (1 - c).sum())
    assert [found["low"], found["high"]] == pytest.approx([float(end) for end in measures.rate_interval(16, 1 - c)])
    low, high = (np.minimum(found[end] * (1 - c), 1) for end in ("low", "high"))
    assert stats.poisson_binom.sf(15, low) == pytest.approx(0.025, abs=1e-6)
    assert stats.poisson_binom.cdf(16, high) == pytest.approx(0.025, abs=1e-6)
    assert found["high"] > float(measures.sdr_interval(16, 1 - c)[1])


def test_what_chance_gives_a_search_that_reads_answers_is_counted_over_oracles():
    one, seed = made_up(60), 3
    setting = Setting(("facility",), 1, 1, 20, 0.001, 0.1, False, False, seed)
    rows = {row["metric"]: row["value"] for row in by_chance(one, setting, ("facility",), 200)
            if row["method"] == "facility"}  # fmt: skip
    search, c = Searching(one.pool, "facility", 20, threshold=0), one.pool.confidence

    def reached(errors):
        asked = search.against(errors)
        return errors[asked].sum() / (1 - c[asked]).sum()

    seen = reached(one.errors)
    above = sum(reached(answers) >= seen * (1 - 1e-12) for answers in oracles(c, range(200), seed))
    assert rows["whole sdr"] == pytest.approx(seen)
    assert rows["p"] == pytest.approx((1 + above) / 201)


def test_a_subset_smaller_than_the_budget_shortens_the_search():
    small = made_up(60)
    setting = Setting(("low_confidence",), 3, 1, 50, 0.001, 0.1, False, False, 0)
    rows = list(searches(small, setting))
    assert max(r["level"] for r in rows if r["table"] == "curves") == 20  # 44 % of 60 are 26
    assert {r["level"] for r in rows if r["table"] == "searches"} == {20}


def test_a_larger_budget_lengthens_the_curves_and_nothing_else():
    one, methods = made_up(400), ("low_confidence",)
    few, many = (Setting(methods, 3, 2, budget, 0.001, 0.1, False, False, 0) for budget in (50, 80))
    rows = [*searches(one, many), *by_query(one, many)]
    places = [(r["table"], r["method"], r["metric"], r["level"]) for r in rows]
    assert len(set(places)) == len(places)
    for metric in ("sdr", "errors", "spread", "utility", "mean of ratios"):
        levels = {r["level"] for r in rows if r["table"] == "curves" and r["metric"] == metric}
        assert {50, 60, 80} <= levels, metric
    assert max(r["level"] for r in rows if r["table"] == "searches") == 50
    shorter = [r for r in rows if r["table"] != "searches" and r["level"] <= 50]
    assert shorter == [r for r in (*searches(one, few), *by_query(one, few)) if r["table"] != "searches"]


def test_a_search_that_has_no_sort_is_run_query_by_query(monkeypatch):
    """In few subsets, whether or not it reads answers: before, one that reads none was left out without a word."""
    entry = Search("Slowly", "this test", low_confidence, adaptive=False)
    monkeypatch.setattr(SEARCHES, "_entries", {**SEARCHES._entries, "slowly": entry})
    setting = Setting(("low_confidence", "slowly"), 6, 6, 20, 0.001, 0.1, False, False, 0)
    rows = list(searches(made_up(), setting))
    slow, fast = ([(r["metric"], r["level"], r["value"]) for r in rows if r["method"] == name]
                  for name in ("slowly", "low_confidence"))  # fmt: skip
    assert slow
    assert slow == fast


def left_and_right():
    """Images whose left half or right half is white, and a network that says 1 by the left half alone."""
    images = torch.zeros(2, 1, 8, 8, dtype=torch.uint8)
    images[0, :, :, :4] = 255
    images[1, :, :, 4:] = 255
    network = nn.Sequential(nn.Flatten(), nn.Linear(64, 2, bias=False))
    with torch.no_grad():
        network[1].weight.zero_()
        network[1].weight[1].view(8, 8)[:, :4] = 1.0
    sets = ImageSet("halves", images, torch.tensor([1, 0]), torch.tensor([5, 9]), ("a", "b"))
    return sets, wrap(network.eval(), ("a", "b"), name="halves", device="cpu")


class TestSuperpixels:
    def test_they_do_not_cross_an_edge(self):
        sets, _ = left_and_right()
        parts = superpixels(sets.floats()[0].double(), 4)
        assert not set(parts[:, :4].ravel()) & set(parts[:, 4:].ravel())

    def test_what_speaks_for_a_class_is_what_the_network_looks_at(self):
        sets, classifier = left_and_right()
        one = speaking(classifier, sets, 1)
        found = one.brightness
        assert one.masks[0, :, :4].any()
        assert not one.masks[0, :, 4:].any()  # grey there, as its blot
        assert one.falls[0] > 0  # without the white of the left half
        assert found[0] == pytest.approx(0.5)  # white parts of an image half white
        assert found[1] == pytest.approx(0.5)  # blotting out the dark left would help the class: the right does no harm
        dark = sets.with_images(255 - sets.images)
        assert speaking(classifier, dark, 0).brightness[0] == pytest.approx(-0.5)  # black speaks for the other class


def test_bright_errors_are_told_from_their_class():
    """Twenty images of b, the last five bright; those are called a, and the search asks about them first."""
    images = torch.full((40, 1, 8, 8), 50, dtype=torch.uint8)
    images[10:20] += torch.arange(10, dtype=torch.uint8)[:, None, None, None]
    images[35:] = 200
    labels = torch.tensor([0] * 20 + [1] * 20)
    test = ImageSet("made", images, labels, torch.arange(40), ("a", "b"))
    _, classifier = left_and_right()
    panel = SimpleNamespace(parts=SimpleNamespace(test=test), classes=("a", "b"), classifier=classifier)
    pool = Pool(np.arange(28, 40), np.linspace(0.7, 0.95, 12), np.eye(12), np.ones(12))
    one = Hunted("a", pool, np.arange(12) >= 5, np.eye(12), None, 12, 1.0)
    order = [0, 1, *range(11, 6, -1), 6, 5, 2, 3, 4]
    rows = {(r["metric"], r.get("level")): r["value"] for r in explained(panel, one, order, 20, 0)}
    values = np.array([50.0] * 15 + [200.0] * 5)
    six = np.array([200.0] * 5 + [50.0])
    assert rows["brightness", 6] == pytest.approx((six.mean() - values.mean()) / values.std(ddof=1))
    assert rows["brightness", None] == pytest.approx((6 / 7 * six.mean() + 50 / 7 - values.mean()) / values.std(ddof=1))
    assert ("superpixel brightness", 6) in rows
    assert ("superpixel brightness", None) not in rows
    pictures = list(shown(panel, one, order))
    assert [r["level"] for r in pictures] == [number for number in range(1, 7) for _ in range(2)]
    first = {r["metric"]: r for r in pictures[:2]}
    assert first["shown"]["value"] == pytest.approx(one.pool.confidence[11])
    assert (unpack(first["shown"]["note"]) == 200).all()
    assert set(np.unique(unpack(first["speaking"]["note"]))) <= {200, 128}


class TestInsight:
    """Eight images that are bright on the left, which the network calls a; the last of them is b."""

    @pytest.fixture
    def panel(self):
        _, classifier = left_and_right()
        with torch.no_grad():
            weight = classifier.network[1].weight.zero_()[0].view(8, 8)
            weight[:, :4], weight[:, 4:] = 1.0, -1.0
        pixels = torch.zeros(8, 1, 8, 8)
        pixels[:, :, :, :4] = torch.linspace(0.2, 0.9, 8)[:, None, None, None]
        labels = torch.tensor([0] * 7 + [1])
        test = ImageSet("made", pixels, labels, torch.arange(8), ("a", "b"))
        temperature = SimpleNamespace(value=2.0)
        return SimpleNamespace(
            parts=SimpleNamespace(test=test), classes=("a", "b"), classifier=classifier, temperature=temperature
        )

    @pytest.fixture
    def one(self, panel):
        draw = np.random.default_rng(0)
        pool = Pool(np.arange(8), np.linspace(0.7, 0.95, 8), draw.normal(size=(8, 3)), np.arange(1.0, 9.0) / 255)
        pool = pool.with_(residual=np.array([0.1, 0.9, 0.2, 0.3, 0.0, -0.1, -0.2, 2.0]))
        return Hunted("a", pool, np.arange(8) == 7, np.eye(8), None, 8, 1.0)

    def test_the_error_the_nearest_and_the_right_image_farthest_away(self, panel, one):
        def nearest(images):
            assert images.ids.tolist() == [7]
            return distances(panel.classifier, images, "boundary-quick", donors=panel.parts.test, steps=5, seed=0)

        rows = {(r["level"], r["metric"]): r for r in insight(panel, one, [3, 7, 1], nearest)}
        assert len(rows) == 3 * 2 + 2
        whole = to_uint8(panel.parts.test.images)
        assert (unpack(rows[ERROR, "shown"]["note"]) == whole[7, 0].numpy()).all()
        assert (unpack(rows[PROTOTYPE, "shown"]["note"]) == whole[1, 0].numpy()).all()  # 7 is farther, and wrong
        assert rows[ERROR, "mae"]["value"] == pytest.approx(8)
        assert rows[PROTOTYPE, "mae"]["value"] == pytest.approx(2)
        logits = panel.classifier(panel.parts.test.floats()).detach().double() / 2
        assert rows[ERROR, "shown"]["value"] == pytest.approx(logits.softmax(1)[7, 0].item())
        other = torch.from_numpy(unpack(rows[NEAREST, "shown"]["note"]).copy())[None, None].float() / 255
        assert panel.classifier(other).argmax(1).item() == 1
        assert rows[NEAREST, "shown"]["value"] >= 0.5
        assert not (unpack(rows[NEAREST, "shown"]["note"]) == whole[7, 0].numpy()).all()

    def test_without_an_error_a_right_image_or_an_image_near_there_is_nothing(self, panel, one):
        def none(images):
            return SimpleNamespace(success=torch.tensor([False]))

        assert not list(insight(panel, one, [0, 1], none))  # no error is asked about
        assert not list(insight(panel, one, [7], none))
        assert not list(insight(panel, one.take([7]), [0], none))

    def test_an_image_that_stays_as_it_is_is_looked_at_as_before(self, panel, one):
        def same(images):
            return SimpleNamespace(success=torch.tensor([True]), images=images.floats())

        (row,) = focus(panel, one, [3, 7, 1], same)
        assert (row["table"], row["metric"], row["at"], row["n"]) == ("focus", "spoke before", "a", 1)
        assert row["value"] == 1

    def test_what_speaks_in_another_place_did_not_speak_before(self, panel, one):
        """Light on the right speaks for b: none of it is there before, all of it is on the other side after."""

        def mirrored(images):
            return SimpleNamespace(success=torch.tensor([True]), images=images.floats().flip(3))

        (row,) = focus(panel, one, [7], mirrored)
        assert row["value"] < 0.5

    def test_no_errors_or_none_with_an_image_near_give_no_focus(self, panel, one):
        def none(images):
            return SimpleNamespace(success=torch.tensor([False]), images=images.floats())

        assert not list(focus(panel, one, [0, 1], none))
        assert not list(focus(panel, one, [7], none))


class TestStarts:
    """Searches that began in two ways: does the residual hang on which?"""

    @pytest.fixture
    def built(self):
        one, draw = made_up(), np.random.default_rng(1)
        kinds = np.where(draw.random(len(one)) < 0.6, NOISE, DONOR)

        def build(starts, moved=0.0):
            mae = one.pool.distance * np.exp(moved * (np.array(starts) == DONOR))
            return hunted("a", one.pool, one.errors, one.whole, mae, list(starts), size=len(one), fraction=0.1)

        return build, kinds

    def test_kinds_that_move_it_are_told_from_kinds_that_do_not(self, built):
        build, kinds = built
        same, other = build(kinds), build(kinds, moved=0.5)
        assert same.start_p > 0.05
        assert other.start_p < 1e-6
        residual = other.pool.residual
        by_scipy = stats.mannwhitneyu(residual[kinds == NOISE], residual[kinds == DONOR], method="asymptotic")
        assert other.start_p == pytest.approx(by_scipy.pvalue, rel=0.1)  # of two kinds the tests agree
        assert other.take([0, 1]).start_p == other.start_p

    def test_of_one_kind_or_a_rare_second_there_is_no_test(self, built):
        build, kinds = built
        assert build([NOISE] * len(kinds)).start_p is None
        assert build([DONOR] * 4 + [NOISE] * (len(kinds) - 4)).start_p is None
        assert build([DONOR] * 5 + [NOISE] * (len(kinds) - 5)).start_p is not None

    def test_a_panel_of_mixed_kinds_passes_where_they_move_nothing(self, built):
        build, kinds = built
        temperature = SimpleNamespace(limit="")
        panel = SimpleNamespace(temperature=temperature)
        for moved in (0.0, 0.5):
            found = {r["metric"]: r["value"] for r in pool(panel, build(kinds, moved), True, 20, 0)}
            starts = Panel(start_kind=found["start kind"], start_p=found["start p"])
            verdict = {one.gate: one.verdict for one in judged(starts)}["starts"]
            assert verdict == ("missed" if moved else "met")
