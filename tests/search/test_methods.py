import inspect
from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from mistrust.errors import MistrustError, UnknownName
from mistrust.search.adaptive import elbow_of
from mistrust.search.clusters import clustered
from mistrust.search.methods import SEARCHES, Search, begin, lakkaraju, orders
from mistrust.search.methods import chances as chances_module
from mistrust.search.methods.chances import Chances, logistic
from mistrust.search.methods.lakkaraju import bandit_indices
from mistrust.search.methods.table import CHOICES, first_best, shared, spelled
from mistrust.search.pool import Pool
from mistrust.search.residual import residual
from mistrust.search.searching import Searching, search

COVERAGE = ("bansal_weld_coded", "bansal_weld_gain", "lakkaraju_coded", "facility")
CONTRACT = {name: {"score": "surprise"} if name == "score" else {} for name in SEARCHES}


def ran(pool, errors, method, budget=30, **parameters):
    """Rows that a search asks about."""
    return Searching(pool, method, budget, **CONTRACT[method] | parameters).against(errors)


@pytest.mark.parametrize("method", SEARCHES)
def test_contract(method, pools):
    """Every entry asks each row once, repeats itself, and asks the same first whatever the answers are."""
    pool, errors = pools(90)
    entry = SEARCHES[method]
    assert entry.title
    assert entry.source
    assert all(value is not inspect.Parameter.empty for value in entry.parameters.values())
    assert not entry.shares or set(entry.parameters) <= shared()
    rows = ran(pool, errors, method, 90)
    assert sorted(rows.tolist()) == list(range(90))
    assert ran(pool, errors, method, 90).tolist() == rows.tolist()
    assert ran(pool, errors, method, 20).tolist() == rows[:20].tolist()
    others = ran(pool, ~errors, method, 90)
    assert others[0] == rows[0]
    assert (others.tolist() != rows.tolist()) == entry.adaptive


@pytest.mark.parametrize("method", SEARCHES)
def test_answers_not_asked_for_are_not_read(method, pools):
    pool, errors = pools(90)
    rows = ran(pool, errors, method)
    changed = errors.copy()
    changed[np.setdiff1d(np.arange(90), rows)] ^= True
    assert ran(pool, changed, method).tolist() == rows.tolist()


@pytest.mark.parametrize("method", SEARCHES)
def test_ids_decide_nothing_but_draws(method, pools):
    pool, errors = pools(60)
    again = ran(pool.with_(ids=np.arange(60)), errors, method)
    assert (again.tolist() == ran(pool, errors, method).tolist()) == (method not in ("random", "lakkaraju"))


@pytest.mark.parametrize("name", ["features", "distance", "clusters", "residual"])
@pytest.mark.parametrize("method", SEARCHES)
def test_a_search_names_what_it_can_do_without(method, name, pools):
    """Without a field that it `reads` it goes another way; without any other it goes the same way, or says so."""
    pool, errors = pools(60)
    pool = pool.with_(residual=np.random.default_rng(1).random(60))
    whole = ran(pool, errors, method, fraction=0.3, first=8)
    lacking, said = pool.with_(**{name: None}), ""
    try:
        less = ran(lacking, errors, method, fraction=0.3, first=8).tolist()
    except MistrustError as error:
        less, said = whole.tolist(), str(error)
    assert (less != whole.tolist()) == (name in SEARCHES[method].reads)
    assert not said or f"needs the pool's {name}" in said


@pytest.mark.whole
@pytest.mark.parametrize(
    ("method", "elbow"),
    [
        ("bansal_weld_coded", "published"), ("lakkaraju_coded", "published"), ("bansal_weld_gain", "sharpest"),
        ("lakkaraju_first", "sharpest"), ("lakkaraju", "sharpest"),
    ],
)  # fmt: skip
def test_what_is_called_as_coded_makes_the_clusters_of_the_code(method, elbow, pools):
    """Whoever names no elbow, and the chapter, run the same search under the same title."""
    pool = pools(200, clusters=None)[0]
    assert ("as coded" in SEARCHES[method].title) == (elbow == "published")
    found = {one: clustered(pool, 0, one).tolist() for one in ("published", "sharpest")}
    assert found["published"] != found["sharpest"]
    assert SEARCHES[method].begin(pool).clusters.tolist() == found[elbow]
    assert elbow_of(method) == elbow


def plainly(pool, errors, method, budget, variance=0.05):
    """The coverage searches as they are defined: everything summed up anew for every question."""
    n, c = len(pool), pool.confidence
    clusters = clustered(pool)
    distances = np.sqrt(((pool.features[:, None] - pool.features[None]) ** 2).sum(2))
    distances /= distances.max()
    kernel = np.exp(-(distances**2) / variance)
    order, rewards = [], [[] for _ in range(clusters.max() + 1)]
    for t in range(budget):
        found = [row for row in order if errors[row]]
        left = np.setdiff1d(np.arange(n), order)
        cover = kernel[:, found].max(1, initial=0)
        utility = c @ cover
        after = np.array([c @ np.maximum(cover, kernel[:, j]) for j in range(n)])
        asked = np.bincount(clusters[order], minlength=len(rewards)) if order else np.zeros(len(rewards))
        wrong = np.bincount(clusters[found], minlength=len(rewards)) if found else np.zeros(len(rewards))
        phi = (2 * (1 - c) + wrong[clusters]) / (2 + asked[clusters])
        if method == "facility":
            near = distances[:, found].min(1, initial=1)
            scores = (1 - c) * (
                np.log(1 / (1 - c))
                - np.array([np.minimum(near, distances[:, j]).mean() for j in range(n)])
                + near.mean()
            )
        elif method == "lakkaraju_coded":
            arms = {arm: bandit_index(rewards[arm], int((clusters == arm).sum()), t) for arm in set(clusters[left])}
            arm = min(arms, key=lambda one: (-round(arms[one], 10), one))
            scores = np.where(clusters == arm, after, -1)
        else:
            scores = phi * (after - (utility if method == "bansal_weld_gain" else 0))
        best = scores[left].max()
        row = int(left[scores[left] >= best - 1e-11 * max(1, utility)][0])
        rose = c @ np.maximum(cover, kernel[:, row] if errors[row] else 0) - utility
        rewards[clusters[row]].append(float(rose > 0.01))
        order.append(row)
    return order


def bandit_index(rewards, size, t):
    """As in facts 5, pulls strictly before."""
    if not rewards:
        return 1e9
    weights = [(size - len(rewards)) / (size - j) for j in range(len(rewards))]
    mean = sum(w * r for w, r in zip(weights, rewards, strict=True)) / sum(weights)
    return mean + (2 * np.log(t + 1) / sum(weights)) ** 0.5


@pytest.mark.parametrize("method", COVERAGE)
@pytest.mark.parametrize("seed", range(4))
def test_recomputed_on_change_equals_recomputed_always(method, seed, pools):
    """The same sequences, also where instances are twice there and sums are ties."""
    pool, errors = pools(70, seed)
    if seed % 2:
        lattice = np.round(pool.features / 3)
        pool = pool.with_(features=lattice, confidence=np.round(pool.confidence, 1).clip(0.7, 0.9))
    assert ran(pool, errors, method, 40, variance=0.05).tolist() == plainly(pool, errors, method, 40)


def test_bandit_indices_of_the_known_set():
    """Facts 11: set A after its first four pulls, which found errors in arms 0 and 1."""
    found = bandit_indices([4, 4, 5, 3], [[1], [1], [0], [0]], 4)
    assert [f"{one:.6f}" for one in found] == ["3.071674", "3.071674", "2.005890", "2.197342"]


def test_bandit_weights_by_hand():
    """Size 5, three pulls: weights 2/5, 2/4, 2/3 of pulls strictly before, 2/4, 2/3, 2/2 including."""
    before, including = (bandit_indices([5], [[1, 0, 1]], 3, including=one)[0] for one in (False, True))
    w = np.array([2 / 5, 2 / 4, 2 / 3])
    assert before == pytest.approx((w[0] + w[2]) / w.sum() + np.sqrt(2 * np.log(4) / w.sum()))
    w = np.array([2 / 4, 2 / 3, 1])
    assert including == pytest.approx((w[0] + w[2]) / w.sum() + np.sqrt(2 * np.log(4) / w.sum()))
    assert bandit_indices([1, 1], [[1], []], 1).tolist() == [-np.inf, np.inf]


def test_sorts(pools):
    pool, errors = pools(80)
    stable = lambda keys: np.argsort(keys, kind="stable").tolist()  # noqa: E731
    fit = {"fraction": 0.3, "iterations": 1}
    expected = residual(pool.distance, pool.confidence, **fit)
    assert ran(pool, errors, "adversarial_distance", 80, **fit).tolist() == stable(expected)
    assert ran(pool, errors, "low_confidence", 80).tolist() == stable(pool.confidence)
    assert ran(pool, errors, "lowest_distance", 80).tolist() == stable(pool.distance)
    surprise = pool.scores["surprise"]
    assert ran(pool, errors, "score", 80, detrended=False).tolist() == stable(-surprise)
    trend = residual(surprise, pool.confidence, fraction=0.3, form="raw")
    score = {"fraction": 0.3, "form": "raw"}
    assert ran(pool, errors, "score", 80, **score).tolist() == stable(-trend)
    assert ran(pool, errors, "score", 80, **score, suspicious="low").tolist() == stable(trend)


@pytest.mark.filterwarnings("ignore:The search has nothing to go by")
def test_ties_go_to_the_lowest_row():
    flat = Pool(np.arange(9)[::-1], np.full(9, 0.9), np.zeros((9, 2)), residual=np.zeros(9), clusters=np.zeros(9))
    for method in ("adversarial_distance", "low_confidence", *COVERAGE, "lakkaraju_first"):
        assert Searching(flat, method, 9).against(np.ones(9)).tolist() == list(range(9)), method
    left = np.array([False, True, True, True])
    assert first_best(np.array([9, 1, 1 + 1e-14, 1 - 1e-14]), left) == 1
    assert first_best(np.array([9, 1, 1 + 1e-9, 1]), left) == 2
    both = np.array([True, True])  # shares of the scores or of what they came from, however large or small
    assert first_best(np.array([1e6, 1e6 * (1 + 1e-13)]), both) == 0
    assert first_best(np.array([1e-9, 1e-9 * (1 + 1e-6)]), both) == 1
    assert first_best(np.array([1e-9, 1e-9 + 1e-11]), both, scale=100) == 0


def test_random_is_uniform_keyed_by_id_and_changed_by_the_seed(pools):
    pool, errors = pools(100)
    order = ran(pool, errors, "random", 100)
    part = pool.take(np.arange(0, 100, 2))
    kept = [row // 2 for row in order if row % 2 == 0]
    assert Searching(part, "random", 50).against(errors[::2]).tolist() == kept
    firsts = [ran(pool, errors, "random", 1, seed=seed)[0] for seed in range(400)]
    assert len(set(firsts)) > 90  # 98.2 expected of 100, standard deviation 1.3


def test_gain_looks_elsewhere_once_something_is_covered():
    """Two pairs of twins. After the first twin erred, its twin's gain is nothing, its total utility as high as ever."""
    features = np.array([[0.0], [0.0], [1.0], [1.0]])
    pool = Pool([0, 1, 2, 3], [0.7, 0.7, 0.8, 0.8], features, clusters=[0, 0, 1, 1])
    errors = np.ones(4, dtype=bool)
    assert Searching(pool, "bansal_weld_gain", 2).against(errors).tolist() == [0, 2]
    pool = pool.with_(confidence=[0.8, 0.8, 0.81, 0.81])
    assert Searching(pool, "bansal_weld_coded", 2).against(errors).tolist() == [0, 1]


def test_facility_weighs_confidence_and_survives_certainty():
    """phi log(1 / (1 - c)) = -(1 - c) log(1 - c) is largest at c = .632: of far points, .7 comes before .99."""
    pool = Pool([0, 1, 2], [0.99, 0.7, 1.0], np.array([[0.0], [1.0], [0.5]]))
    assert Searching(pool, "facility", 3).against(np.zeros(3)).tolist() == [1, 0, 2]


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_facility_weighs_its_two_terms_as_the_r_code_does(alpha, pools):
    """kmaurer/uuutils, `best_candidate`: alpha times the rewards, 1 - alpha times the mean smallest distance."""
    pool, errors = pools(50)
    c = pool.confidence
    d = np.sqrt(((pool.features[:, None] - pool.features[None]) ** 2).sum(2))
    d /= d.max()
    order = []
    for _ in range(25):
        found = [row for row in order if errors[row]]
        near = d[:, found].min(1, initial=1)
        now = alpha * np.log(1 / (1 - c[found])).sum() - (1 - alpha) * near.mean()
        then = np.array(
            [
                alpha * np.log(1 / (1 - c[[*found, j]])).sum() - (1 - alpha) * np.minimum(near, d[:, j]).mean()
                for j in range(50)
            ]
        )
        worth = (1 - c) * then + c * now
        worth[order] = -np.inf
        order.append(int(worth.argmax()))
    assert ran(pool, errors, "facility", 25, alpha=alpha).tolist() == order
    assert (ran(pool, errors, "facility", 25).tolist() == order) == (alpha == 0.5)
    learned = [ran(pool, errors, "facility_learned", 25, **one).tolist() for one in ({}, {"alpha": alpha})]
    assert (learned[0] == learned[1]) == (alpha == 0.5)


def test_learned_facility_follows_the_prior_until_it_can_learn(pools):
    pool, errors = pools(90)
    prior, learned = (ran(pool, errors, name, 60) for name in ("facility", "facility_learned"))
    told = errors[prior]
    both = max(int(np.argmax(told)), int(np.argmax(~told))) + 1  # answers after which either was seen
    start = max(both, pool.features.shape[1] + 1)
    assert learned[:start].tolist() == prior[:start].tolist()
    assert learned.tolist() != prior.tolist()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_learned_facility_learns_from_the_first_answer_beyond_its_features_on(seed, pools):
    """Facts 5: once both outcomes are seen and |Q| > number of features, which are three here."""
    pool, errors = pools(60, seed)
    prior, learned = (ran(pool, errors, name, 5) for name in ("facility", "facility_learned"))
    assert set(errors[prior[:3]]) == {True, False}
    assert learned[:4].tolist() == prior[:4].tolist()
    assert learned[4] != prior[4]


@pytest.mark.parametrize(("seed", "ridge", "alpha"), [(0, 1.0, 0.5), (1, 0.05, 0.3)])
def test_learned_facility_is_a_ridge_on_features_and_confidence(seed, ridge, alpha, pools):
    """Facts 5, with scikit-learn's solver: the largest phi (W(S + q) - W(S)), phi being learned."""
    pool, errors = pools(60, seed)
    c = pool.confidence
    columns = np.column_stack([pool.features, c])
    columns = (columns - columns.mean(0)) / columns.std(0)
    d = np.sqrt(((pool.features[:, None] - pool.features[None]) ** 2).sum(2))
    d /= d.max()
    order, learned = [], 0
    while len(order) < 30:
        phi = 1 - c
        if len(order) > pool.features.shape[1] and len(set(errors[order])) == 2:
            model = LogisticRegression(C=1 / ridge, tol=1e-12, max_iter=10000).fit(columns[order], errors[order])
            phi, learned = model.predict_proba(columns)[:, 1], learned + 1
        near = d[:, [row for row in order if errors[row]]].min(1, initial=1)
        gain = near.mean() - np.minimum(near[:, None], d).mean(0)
        worth = phi * (2 * alpha * np.log(1 / (1 - c)) + 2 * (1 - alpha) * gain)
        worth[order] = -np.inf
        order.append(int(worth.argmax()))
    assert learned > 20
    assert ran(pool, errors, "facility_learned", 30, ridge=ridge, alpha=alpha).tolist() == order


def test_primed_search_follows_distances_then_a_model_of_error():
    """Errors are all to the right: what the model learns from eight answers no residual says."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=(60, 1))
    pool = Pool(np.arange(60), np.full(60, 0.9) - np.arange(60) * 1e-6, x, residual=draw.normal(size=60))
    errors = x[:, 0] > 0.3
    rows = ran(pool, errors, "adversarial_distance_then_model", 24, first=8)
    assert rows[:8].tolist() == np.argsort(pool.residual)[:8].tolist()
    assert set(errors[rows[:8]]) == {True, False}
    assert errors[rows[8:]].mean() > 0.9
    assert errors.mean() < 0.5


@pytest.mark.parametrize("aim", ["sdr", "errors"])
@pytest.mark.parametrize(("seed", "first", "ridge"), [(0, 8, 1.0), (1, 5, 0.1), (2, 1, 5.0)])
def test_primed_search_is_a_ridge_on_residual_logit_and_features(seed, first, ridge, aim, pools):
    """Facts 5, with scikit-learn's solver: the largest phi / (1 - c), or the largest phi."""
    pool, errors = pools(60, seed)
    c, keys = pool.confidence, residual(pool.distance, pool.confidence, 0.3)
    columns = np.column_stack([keys, np.log(c / (1 - c)), pool.features])
    columns = (columns - columns.mean(0)) / columns.std(0)
    order, by_distance = [], np.argsort(keys, kind="stable").tolist()
    while len(order) < 20:
        if len(order) < first or len(set(errors[order])) < 2:
            order.append(next(row for row in by_distance if row not in order))
            continue
        model = LogisticRegression(C=1 / ridge, tol=1e-12, max_iter=10000).fit(columns[order], errors[order])
        worth = model.predict_proba(columns)[:, 1] / (1 - c if aim == "sdr" else 1)
        worth[order] = -np.inf
        order.append(int(worth.argmax()))
    given = {"first": first, "ridge": ridge, "aim": aim, "fraction": 0.3}
    assert ran(pool, errors, "adversarial_distance_then_model", 20, **given).tolist() == order


def test_primed_search_stays_with_distances_while_all_answers_are_alike(pools):
    pool, _ = pools(40)
    rows = ran(pool, np.zeros(40), "adversarial_distance_then_model", 40, first=5)
    assert rows.tolist() == ran(pool, np.zeros(40), "adversarial_distance", 40).tolist()


def test_primed_search_aims():
    """At nearly equal chances, what is expected to err least is worth most to SDR, and nothing more to the count."""
    pool = Pool(np.arange(6), [0.7, 0.7, 0.8, 0.95, 0.99, 0.9], residual=[-2, -1, 0, 0, 0, 0])
    errors = np.array([True, False, False, False, False, False])
    sdr = ran(pool, errors, "adversarial_distance_then_model", 3, first=2, ridge=1e9)
    count = ran(pool, errors, "adversarial_distance_then_model", 3, first=2, ridge=1e9, aim="errors")
    assert sdr[2] == 4
    assert pool.confidence[count[2]] < 0.99


def test_chances_are_those_of_the_penalised_likelihood(pools):
    """The gradient of sum(log loss) + ridge / 2 |w|^2 is zero there: another solver, run to the end, agrees."""
    pool, errors = pools(50)
    model = Chances(pool.features, ridge=2.0)
    assert model.of_error() is None
    for row in range(30):
        model.learn(row, bool(errors[row]))
    # Columns are standardised over the pool.
    z = (pool.features - pool.features.mean(0)) / pool.features.std(0)
    other = LogisticRegression(C=0.5, tol=1e-12, max_iter=10000).fit(z[:30], errors[:30])
    np.testing.assert_allclose(model.of_error(), other.predict_proba(z)[:, 1], atol=1e-6)


def test_chances_have_no_slope_left_and_a_constant_column_tells_nothing(pools, monkeypatch):
    """Newton's method ends where the penalised likelihood is flat to the last digits, in less than ten steps."""
    pool, errors = pools(50)
    rows, ridge, steps = np.arange(30), 0.01, []
    solve = chances_module._solved
    monkeypatch.setattr(chances_module, "_solved", lambda bend, slope: steps.append(1) or solve(bend, slope))
    design = np.column_stack([np.ones(30), pool.features[rows]])
    weights = logistic(pool.features[rows], errors[rows], ridge)
    slope = design.T @ (1 / (1 + np.exp(-design @ weights)) - errors[rows]) + ridge * weights * [0, 1, 1, 1]
    assert np.abs(slope).max() < 1e-11
    cold = len(steps)
    assert cold < 10
    logistic(pool.features[rows], errors[rows], ridge, weights)
    assert len(steps) <= cold + 2  # from there on, little is left to do
    chances = []
    for columns in (pool.features, np.column_stack([pool.features / 1000, np.full(50, 7.0)])):
        model = Chances(columns, ridge)
        for row in rows:
            model.learn(int(row), bool(errors[row]))
        chances.append(model.of_error())
    np.testing.assert_allclose(*chances, atol=1e-12)


@pytest.mark.parametrize("ridge", [1e-6, 0.01, 1.0])
@pytest.mark.parametrize(
    "start", [[30, -40, 40, -30], [5, 5, -5, 5], [-9, 3, 3, 3], [100, 100, 100, 100], [0, 0, 0, 9]]
)
def test_a_start_only_saves_steps(start, ridge, pools):
    """Also where all chances are 0 or 1 to the last digit, the wrong way round."""
    pool, errors = pools(50)
    known = pool.features[:30], errors[:30], ridge
    np.testing.assert_allclose(logistic(*known, np.array(start, dtype=float)), logistic(*known), atol=1e-9)


def test_lakkaraju_counts_errors_above_tau_and_costs(pools):
    """One arm pays below tau only, the other is dear: the bandit goes to the third."""
    clusters = np.repeat([0, 1, 2], 30)
    confidence = np.where(clusters == 0, 0.66, 0.9)
    cost = np.where(clusters == 1, 1.0, 0.0)
    pool = Pool(np.arange(90), confidence, clusters=clusters, scores={"cost": cost})
    errors = np.ones(90, dtype=bool)
    rows = ran(pool, errors, "lakkaraju", 40, tau=0.8, gamma=0.9, cost="cost")
    often = np.bincount(clusters[rows], minlength=3)
    assert often[2] > often[0]
    assert often[2] > often[1]
    alike = [ran(pool, errors, "lakkaraju", 40, gamma=gamma).tolist() for gamma in (0.0, 0.5)]
    assert alike[0] == alike[1]
    assert ran(pool, errors, "lakkaraju", 40, seed=1).tolist() != alike[0]


@pytest.mark.parametrize(
    ("method", "parameters", "message"),
    [
        ("bansal_weld", {}, r"no search 'bansal_weld'\. Did you mean 'bansal_weld_gain'\?"),
        ("low_confidence", {"varience": 1}, "no parameter 'varience' of the search 'low_confidence'.*'variance'"),
        ("bansal_weld_gain", {"var": 0.1, "variance": 0.1}, "'variance' is given twice, once as 'variance'"),
        ("bansal_weld_gain", {"variance": 0}, "variance is 0"),
        ("score", {}, "needs the name of what it goes by.*The pool has: surprise"),
        ("score", {"score": "suprise"}, "Did you mean 'surprise'"),
        ("score", {"score": "surprise", "suspicious": "hihg"}, "Did you mean 'high'"),
        ("lakkaraju", {"cost": "price"}, "no score in the pool 'price'"),
        ("lakkaraju", {"gamma": -1}, "gamma is -1"),
        ("lakkaraju", {"tau": 65}, "tau is 65"),
        ("adversarial_distance", {"fraction": 0.001}, "needs at least 3"),
        ("adversarial_distance_then_model", {"aim": "srd"}, "Did you mean 'sdr'"),
        ("adversarial_distance_then_model", {"first": 0}, "first is 0"),
        ("facility_learned", {"ridge": 0}, "ridge is 0"),
    ],
)
def test_bad_parameters_are_named(method, parameters, message, pools):
    pool, _ = pools(40)
    with pytest.raises(MistrustError, match=message):
        Searching(pool, method, 5, **parameters)


@pytest.mark.parametrize("method", ["facility_learned", "adversarial_distance_then_model"])
def test_the_least_ridge_is_a_millionth(method, pools):
    pool, errors = pools(40, residual=np.arange(40.0))
    assert len(ran(pool, errors, method, 20, ridge=1e-6, first=5)) == 20
    with pytest.raises(MistrustError, match="ridge is 9e-07, expected a number of at least 1e-06"):
        Searching(pool, method, 5, ridge=9e-7)


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("method", SEARCHES)
def test_a_value_that_is_no_name_is_told_by_the_table_and_by_the_search_itself(method, name, pools):
    """Residuals and clusters are given here: neither a fit nor K-means finds the mistake."""
    pool, given = pools(40, residual=np.zeros(40))[0], {**CONTRACT[method], name: "nonesuch"}
    with pytest.raises(UnknownName, match=f"no {CHOICES[name][0]} 'nonesuch'"):
        begin(method, pool, given)
    if name in SEARCHES[method].parameters:
        with pytest.raises(UnknownName, match=f"no {CHOICES[name][0]} 'nonesuch'"):
            SEARCHES[method].begin(pool, **given)


def test_a_new_entry_s_parameters_are_taken_by_all_searches_only_where_it_says_so(pools, monkeypatch):
    def patient(pool, *, patience=1):
        return orders.low_confidence(pool)

    pool = pools(40)[0]
    with pytest.raises(UnknownName, match="no parameter 'patience' of the search 'random'"):
        Searching(pool, "random", 5, patience=2)
    for shares in (False, True):
        entry = Search("Patient", "nowhere", patient, shares=shares)
        monkeypatch.setattr(SEARCHES, "_entries", {**SEARCHES._entries, "patient": entry})
        Searching(pool, "patient", 5, patience=2, variance=0.1)
        with nullcontext() if shares else pytest.raises(UnknownName, match=r"no parameter .* of the search 'random'"):
            Searching(pool, "random", 5, patience=2)


@pytest.mark.parametrize("name", ["score", "suspicious", "detrended"])
def test_what_says_by_which_score_to_search_is_a_mistake_beside_another_search(name, pools):
    with pytest.raises(UnknownName, match=f"no parameter '{name}' of the search 'facility'"):
        Searching(pools(40)[0], "facility", 5, **{name: "high"})


@pytest.mark.parametrize("method", [name for name in SEARCHES if name not in ("low_confidence", "random", "score")])
def test_what_a_pool_lacks_is_named(method):
    with pytest.raises(MistrustError, match=r"needs the pool's (features|distance): Pool\(ids, confidence, "):
        search(Pool([1, 2], [0.9, 0.8]), lambda id: True, 1, method)


def test_names_of_statsmodels_and_the_code_are_understood():
    assert spelled({"var": 1, "frac": 2, "it": 3, "m": 4}) == {
        "variance": 1, "fraction": 2, "iterations": 3, "first": 4,
    }  # fmt: skip


def test_coded_bandit_pays_for_new_coverage_alone():
    """K of the first two is exp(-.04^2 / .05) = .968, of the third to either .992: the second error raises the utility
    by more than .9 (1 - .968) = .028, the third by .9 (1 - .992) = .007, the twin of the first, or no error, by 0."""
    features = np.array([[0.0], [0.04], [0.02], [0.0], [1.0]])
    bandit = lakkaraju.coded(Pool(range(5), [0.9] * 5, features, clusters=[0] * 5), variance=0.05)
    for row, error in ((0, True), (1, True), (2, True), (3, True), (4, False)):
        bandit.learn(row, error)
    assert bandit.rewards == [[1, 1, 0, 0, 0]]


@pytest.mark.parametrize(("rise", "pays"), [(0.0101, 1), (0.0099, 0)])
def test_coded_bandit_is_paid_from_a_hundredth_on(rise, pays):
    """Facts 5: where the utility rose by more than 0.01. A second error, K from the first, adds .9 (1 - K)."""
    apart = np.sqrt(-0.05 * np.log(1 - rise / 0.9))
    bandit = lakkaraju.coded(Pool(range(3), [0.9] * 3, [[0.0], [apart], [1.0]], clusters=[0] * 3), variance=0.05)
    near = np.exp(-((1 - apart) ** 2) / 0.05) - np.exp(-1 / 0.05)  # what the far one is covered more, 1e-9
    assert near < 1e-7
    for row in (0, 1):
        bandit.learn(row, error=True)
    assert bandit.rewards == [[1, pays]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("variance", 0.001), ("fraction", 0.1), ("iterations", None), ("delta", 0), ("form", "log"), ("fit", "lowess"),
        ("alpha", 0.5), ("ridge", 1), ("tau", 0.65), ("gamma", 0), ("cost", ""), ("first", 15), ("aim", "sdr"),
        ("seed", 0), ("score", ""), ("suspicious", "high"), ("detrended", True),
    ],
)  # fmt: skip
def test_defaults_are_those_of_notebooks_and_papers_wherever_they_stand(name, value):
    """Facts 4 and 5: var 0.001, frac 0.1, 3 robust passes (None: as the fit has them), alpha .5, m 15."""
    assert {one.parameters[name] for one in SEARCHES.values() if name in one.parameters} == {value}


def test_bandits_weigh_pulls_as_they_say(pools):
    """Facts 5: the code counts pulls strictly before, the paper those up to and including."""
    pool = pools(40)[0]
    bandits = ("lakkaraju", "lakkaraju_first", "lakkaraju_coded")
    assert [SEARCHES[one].begin(pool).including for one in bandits] == [True, True, False]


def test_an_error_on_the_limit_is_no_error_above_it():
    bandit = SEARCHES["lakkaraju"].begin(Pool([1, 2, 3], [0.7, 0.8, 0.9], clusters=[0, 0, 0]), tau=0.8)
    assert bandit.prize.tolist() == [0, 0, 1]


def test_an_arm_whose_last_member_nobody_could_tell_is_empty():
    searching = Searching(Pool([5, 6, 7], [0.9, 0.8, 0.7], clusters=[0, 1, 1]), "lakkaraju_first")
    asked = []
    while not searching.done:
        asked.append(searching.next())
        searching.tell(None if asked[-1] == 5 else False)
    assert asked == [5, 6, 7]
