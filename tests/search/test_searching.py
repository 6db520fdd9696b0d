import pickle
import sys
from contextlib import contextmanager
from copy import copy
from itertools import count

import numpy as np
import pytest
import torch

from mistrust.errors import MistrustError, MistrustWarning
from mistrust.search import searching as module
from mistrust.search.measures import simulated_null
from mistrust.search.methods import SEARCHES
from mistrust.search.methods.bansal_weld import BansalWeld
from mistrust.search.pool import Pool
from mistrust.search.searching import OracleFailed, Searching, search
from mistrust.search.simulated import oracles

GIVEN = {"score": {"score": "surprise"}}


class Oracle:
    """Knows the answers, counts the questions, and fails where and as it is told to."""

    def __init__(self, pool, errors, fails_at=None, failure=RuntimeError):
        self.answers = dict(zip(pool.ids.tolist(), errors.tolist(), strict=True))
        self.asked, self.fails_at, self.failure = [], fails_at, failure

    def __call__(self, id):
        if len(self.asked) == self.fails_at:
            self.fails_at = None
            raise self.failure("the labeller went to lunch")
        self.asked.append(id)
        return self.answers[id]


@pytest.mark.parametrize("method", SEARCHES)
def test_an_oracle_that_fails_loses_nothing(method, pools):
    """Stopped at the start, in the middle and at the end: the answers are kept, no question is asked twice."""
    pool, errors = pools(80)
    whole = search(pool, Oracle(pool, errors), 20, method, **GIVEN.get(method, {}))
    for at in (0, 7, 19):
        oracle = Oracle(pool, errors, fails_at=at)
        with pytest.raises(OracleFailed, match="the labeller went to lunch") as stopped:
            search(pool, oracle, 20, method, **GIVEN.get(method, {}))
        kept = stopped.value.found
        assert kept.order.tolist() == whole.order[:at].tolist()
        assert kept.wrong.tolist() == whole.wrong[:at].tolist()
        assert not kept.complete
        again = search(pool, oracle, 20, method, answered=kept, **GIVEN.get(method, {}))
        assert again.order.tolist() == whole.order.tolist()
        assert again.wrong.tolist() == whole.wrong.tolist()
        assert again.complete
        assert oracle.asked == whole.order.tolist()


def test_failure_says_where_and_how_to_go_on(pools):
    pool, errors = pools(80)
    with pytest.raises(
        OracleFailed, match=r"id \d+, question 4 of 20: RuntimeError: the labeller.*The 3 answers.*answered="
    ) as stopped:
        search(pool, Oracle(pool, errors, fails_at=3), 20, "low_confidence")
    assert isinstance(stopped.value.__cause__, RuntimeError)
    assert isinstance(stopped.value, MistrustError)
    there = pickle.loads(pickle.dumps(stopped.value))
    assert there.found.answers == stopped.value.found.answers


@pytest.mark.parametrize("answer", ["yes", 2, float("nan"), [True, False], object(), torch.ones(2)])
def test_an_answer_that_is_none_is_a_failure_with_the_rest_kept(answer, pools):
    pool, errors = pools(80)
    oracle = Oracle(pool, errors)
    with pytest.raises(OracleFailed, match=r"expected True \(wrong\), False \(right\) or None") as stopped:
        search(pool, lambda id: answer if len(oracle.asked) == 5 else oracle(id), 20, "low_confidence")
    assert len(stopped.value.found) == 5


@pytest.mark.parametrize("oracle", [np.zeros(80, dtype=bool), {3: True}, None, "yes"])
def test_what_cannot_be_asked_is_told_before_anything_is(oracle, pools):
    pool, _ = pools(80)
    for ask in (lambda given: search(pool, given, 20), Searching(pool, "low_confidence", 20).run):
        with pytest.raises(MistrustError, match=r"expected a function that is given an id.*__getitem__") as told:
            ask(oracle)
        assert not isinstance(told.value, OracleFailed)


@pytest.mark.parametrize("confidence", [0.5, 0.65])
def test_answers_that_a_search_cannot_use_are_told(confidence):
    pool, asked = Pool([1, 2, 3], [confidence, 0.9, 0.8]), []
    with pytest.warns(
        MistrustWarning, match=r"1 of 2 answers are not used.*id 1 is not above the threshold 0\.65"
    ) as told:
        found = search(pool, lambda id: asked.append(id), 1, "low_confidence", answered={1: True, 3: True})
    assert told[0].filename == __file__
    assert found.answers == {3: True}
    assert asked == []


@pytest.mark.parametrize("method", ["low_confidence", "adversarial_distance", "lowest_distance", "score"])
def test_a_search_with_nothing_to_go_by_says_so(method):
    n = 60
    confidence = np.full(n, 0.9) if method == "low_confidence" else np.linspace(0.7, 0.99, n)
    pool = Pool(np.arange(n), confidence, distance=np.ones(n), scores={"surprise": np.full(n, 2.0)})
    with pytest.warns(MistrustWarning, match="all 60 instances have the same value") as told:
        found = search(pool, lambda id: False, 3, method, **GIVEN.get(method, {}))
    assert told[0].filename == __file__
    assert found.order.tolist() == [0, 1, 2]


def test_what_was_found_says_how_sure_that_is(pools):
    """An interval that is exact: at its ends, the chance of as many errors or more, or as few or less, is 2.5 %."""
    pool, errors = pools(200)
    found = search(pool, Oracle(pool, errors), 30, "low_confidence")
    times = {"low": found.low, "high": found.high}
    draws = np.random.default_rng(0).random((200_000, 30))
    count = {end: (draws < np.minimum(1, rate * (1 - found.confidence))).sum(1) for end, rate in times.items()}
    assert (count["low"] >= found.errors[-1]).mean() == pytest.approx(0.025, abs=0.002)
    assert (count["high"] <= found.errors[-1]).mean() == pytest.approx(0.025, abs=0.002)
    assert found.low < found.sdr[-1] < found.high
    assert found.p == pytest.approx(((draws < 1 - found.confidence).sum(1) >= found.errors[-1]).mean(), abs=0.005)
    assert np.isnan([Searching(pool, "random", 3).found.low, Searching(pool, "random", 3).found.p]).all()


@pytest.mark.parametrize("kind", [bool, int, float, np.bool_, np.int64, np.array, torch.tensor])
def test_answers_of_many_types(kind):
    pool = Pool([1, 2], [0.9, 0.8])
    assert search(pool, lambda id: kind(id == 1), 2, "low_confidence").wrong.tolist() == [False, True]


def test_an_interrupt_passes_and_the_stepwise_form_goes_on(pools):
    pool, errors = pools(80)
    known, searching = Oracle(pool, errors), Searching(pool, "bansal_weld_gain", 10)

    def interrupted(id):
        if len(known.asked) == 4:
            raise KeyboardInterrupt
        return known(id)

    with pytest.raises(KeyboardInterrupt):
        searching.run(interrupted)
    assert len(searching.found) == 4
    assert searching.run(known).order.tolist() == known.asked
    assert known.asked == search(pool, Oracle(pool, errors), 10, "bansal_weld_gain").order.tolist()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("method", ["adversarial_distance", "bansal_weld_gain"])
def test_an_interrupt_loses_no_answer_and_the_search_goes_on_from_there(method, stop, pools):
    """As of a failure: stopped at the start, in the middle and at the end, no question is asked twice."""
    pool, errors = pools(80)
    whole = search(pool, Oracle(pool, errors), 10, method)
    for at in (0, 3, 9):
        oracle = Oracle(pool, errors, fails_at=at, failure=stop)
        with pytest.raises(stop, match="the labeller went to lunch") as stopped:
            search(pool, oracle, 10, method)
        kept = stopped.value.found
        assert kept.order.tolist() == whole.order[:at].tolist()
        assert kept.wrong.tolist() == whole.wrong[:at].tolist()
        (note,) = stopped.value.__notes__
        assert f"stopped at question {at + 1} of 10. The answers before it ({at}) are kept in `found`" in note
        assert f"of this {stop.__name__}: `search(..., answered=error.found)` goes on there" in note
        again = search(pool, oracle, 10, method, answered=kept)
        assert again.order.tolist() == whole.order.tolist()
        assert again.wrong.tolist() == whole.wrong.tolist()
        assert oracle.asked == whole.order.tolist()


@pytest.mark.parametrize(("step", "kept"), [("choose", 4), ("learn", 5)])
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_an_interrupt_between_two_questions_loses_no_answer(step, kept, done, pools, monkeypatch):
    """While the search chooses its fifth question, or learns its fifth answer: that one was given, and stays."""
    pool, errors = pools(80)
    whole = search(pool, Oracle(pool, errors), 10, "bansal_weld_gain")
    own, calls = getattr(BansalWeld, step), []

    def interrupted(self, *given):
        calls.append(given)
        if len(calls) == 5 and not done:
            raise KeyboardInterrupt
        found = own(self, *given)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(BansalWeld, step, interrupted)
    oracle, searching = Oracle(pool, errors), Searching(pool, "bansal_weld_gain", 10)
    with pytest.raises(KeyboardInterrupt) as stopped:
        searching.run(oracle)
    assert stopped.value.found.order.tolist() == whole.order[:kept].tolist()
    again = search(pool, Oracle(pool, errors), 10, "bansal_weld_gain", answered=stopped.value.found)
    assert again.order.tolist() == whole.order.tolist()
    assert searching.run(oracle).order.tolist() == whole.order.tolist()
    assert oracle.asked == whole.order.tolist()


@contextmanager
def interrupted(line):
    """A keyboard interrupt at that line of searching.py, counted from 0 as they run.

    To read an answer belongs to asking for it: there an interrupt is one of the oracle.
    """
    passed, before = count(), sys.gettrace()

    def at(frame, event, _):
        if event == "line" and next(passed) == line:
            raise KeyboardInterrupt
        return at

    def entered(frame, event, _):
        return at if frame.f_code.co_filename == module.__file__ and frame.f_code.co_name != "_answer" else None

    sys.settrace(entered)
    try:
        yield
    finally:
        sys.settrace(before)


@pytest.mark.whole
@pytest.mark.parametrize("unsure", [False, True], ids=["sure", "unsure"])
@pytest.mark.parametrize("method", ["adversarial_distance", "bansal_weld_gain"])
def test_an_interrupt_at_any_line_asks_nothing_twice_and_keeps_to_the_budget(method, unsure, pools):
    """The object goes on, and so does a search with what the interrupt brought: all that was asked is in it."""
    pool, errors = pools(40)
    first = search(pool, Oracle(pool, errors), 3, method)

    def new():
        oracle = Oracle(pool, errors)
        if unsure:
            oracle.answers[int(first.order[1])] = None
        return oracle

    whole, uncut = search(pool, new(), 3, method), new()
    Searching(pool, method, 3).run(uncut)
    for line in count():
        oracle, searching = new(), Searching(pool, method, 3)
        try:
            with interrupted(line):
                searching.run(oracle)
        except KeyboardInterrupt as stop:
            stopped = stop
        else:
            break
        assert hasattr(stopped, "found") or not oracle.asked, line
        for kept in (searching.found, getattr(stopped, "found", searching.found)):
            assert kept.answers == {id: oracle.answers[id] for id in oracle.asked}, line
            rest = new()
            again = search(pool, rest, 3, method, answered=kept)
            assert oracle.asked + rest.asked == uncut.asked, line
            assert again.answers == whole.answers, line
        found = searching.run(oracle)
        assert oracle.asked == uncut.asked, line
        assert (found.order.tolist(), found.answers) == (whole.order.tolist(), whole.answers), line
    assert line > 30  # the lines of three questions


@pytest.mark.parametrize(("step", "after"), [("tell", 3), ("back", 1)])
def test_an_interrupt_at_any_line_of_a_step_leaves_it_done_or_not_done(step, after, pools):
    pool, errors = pools(40)
    oracle = Oracle(pool, errors)
    whole = search(pool, oracle, 3, "bansal_weld_gain")
    seen = set()
    for line in count():
        searching = Searching(pool, "bansal_weld_gain", 3)
        for _ in range(2):
            searching.tell(oracle(searching.next()))
        given = (oracle(searching.next()),) if step == "tell" else ()
        try:
            with interrupted(line):
                getattr(searching, step)(*given)
        except KeyboardInterrupt:
            told = len(searching.found)
        else:
            break
        seen.add(told)
        # Each on a copy: the first to look sets it right for all.
        assert copy(searching).done == (told == 3), line
        assert copy(searching).left == 3 - told, line
        if told != 2:
            with pytest.raises(MistrustError, match="No question is open"):
                copy(searching).tell(True)
        if told < 3:
            assert copy(searching).next() == whole.order[told], line
        assert searching.run(oracle).order.tolist() == whole.order.tolist(), line
    assert seen == {2, after}


def test_what_the_search_itself_gets_wrong_is_not_put_on_the_oracle(pools, monkeypatch):
    pool, errors = pools(80)
    monkeypatch.setattr(BansalWeld, "learn", lambda self, row, error: 1 / 0)
    with pytest.raises(ZeroDivisionError) as stopped:
        search(pool, Oracle(pool, errors), 10, "bansal_weld_gain")
    assert len(stopped.value.found) == 1


@pytest.mark.parametrize("method", SEARCHES)
def test_question_by_question_equals_all_at_once(method, pools):
    pool, errors = pools(80)
    whole = search(pool, Oracle(pool, errors), 15, method, **GIVEN.get(method, {}))
    oracle, searching = Oracle(pool, errors), Searching(pool, method, 15, **GIVEN.get(method, {}))
    while not searching.done:
        assert searching.left == 15 - len(searching.found)
        id = searching.next()
        assert searching.next() == id
        searching.tell(oracle(id))
    assert searching.found.order.tolist() == whole.order.tolist()
    for _ in range(2):  # a run leaves nothing behind
        assert searching.against(errors).tolist() == whole.rows.tolist()
    with pytest.raises(MistrustError, match="15 of 15 questions"):
        searching.next()


@pytest.mark.parametrize("method", ["adversarial_distance", "lakkaraju_coded", "bansal_weld_gain", "facility_learned"])
def test_taking_an_answer_back_leaves_no_trace(method, pools):
    pool, errors = pools(80)
    oracle, searching = Oracle(pool, errors), Searching(pool, method, 12)
    for step in range(12):
        id = searching.next()
        if step % 3 == 0:
            searching.tell(not oracle.answers[id])
            searching.back()
            assert searching.next() == id
        searching.tell(oracle.answers[id])
    assert searching.found.order.tolist() == search(pool, oracle, 12, method).order.tolist()
    with pytest.raises(MistrustError, match="no answer to take back"):
        Searching(pool, method, 12).back()


def test_unsure_costs_nothing_and_is_not_asked_again():
    pool = Pool([5, 6, 7, 8], [0.7, 0.75, 0.8, 0.85])
    found = search(pool, lambda id: None if id == 6 else id == 7, 3, "low_confidence")
    assert found.order.tolist() == [5, 7, 8]
    assert found.unsure == (6,)
    assert found.answers == {5: False, 7: True, 8: False, 6: None}
    again = search(pool, lambda id: 1 / 0, 3, "low_confidence", answered=found)
    assert again.order.tolist() == [5, 7, 8]
    nothing = search(pool, lambda id: None, 3, "low_confidence")
    assert (len(nothing), nothing.complete) == (0, False)
    assert nothing.sdr.shape == (0,)


@pytest.mark.parametrize("method", ["lakkaraju_coded", "bansal_weld_coded", "facility_learned"])
def test_unsure_about_a_whole_cluster(method, pools):
    pool, errors = pools(60)
    oracle, lost = Oracle(pool, errors), set(pool.ids[pool.clusters == 1].tolist())
    found = search(pool, lambda id: None if id in lost else oracle(id), 60 - len(lost), method)
    assert found.complete
    assert not set(found.order.tolist()) & lost


def test_answers_known_already_are_not_asked_for(pools):
    pool, errors = pools(80)
    oracle = Oracle(pool, errors)
    whole = search(pool, oracle, 20, "bansal_weld_gain")
    rest = Oracle(pool, errors)
    known = {id: whole.answers[id] for id in whole.order[::2].tolist()}
    assert search(pool, rest, 20, "bansal_weld_gain", answered=known).order.tolist() == whole.order.tolist()
    assert rest.asked == whole.order[1::2].tolist()
    with pytest.raises(MistrustError, match="1 of 2 answers are to ids that the pool does not have, such as -3"):
        search(pool, oracle, 20, "random", answered={-3: True, int(pool.ids[0]): False})


def test_found_counts(pools):
    pool, errors = pools(80)
    found = search(pool, Oracle(pool, errors), 20, "low_confidence")
    assert found.errors[-1] == found.wrong.sum() == errors[found.rows].sum()
    np.testing.assert_allclose(found.sdr, found.errors / np.cumsum(1 - pool.confidence[found.rows]))


def test_only_above_the_threshold_is_searched(pools):
    pool, errors = pools(80)
    found = search(pool, Oracle(pool, errors), 5, "low_confidence", threshold=0.8)
    assert (found.confidence > 0.8).all()
    assert len(found.pool) == (pool.confidence > 0.8).sum()
    np.testing.assert_array_equal(found.order, found.pool.ids[found.rows])


@pytest.mark.parametrize(
    ("budget", "threshold", "message"),
    [
        (81, 0.65, "has 80 instances above confidence 0.65, fewer than the budget of 81.*smaller budget"),
        (60, 0.9, r"has \d+ of 80 instances above confidence 0.9, fewer than the budget of 60"),
        (5, 0.9999, "None of the pool's 80 instances"),
        (0, 0.65, "budget is 0"),
        (2.5, 0.65, "budget is 2.5, expected a whole number"),
        ("ten", 0.65, "budget is 'ten', expected a number"),
    ],
)
def test_bad_budgets_and_thresholds(budget, threshold, message, pools):
    pool, errors = pools(80)
    with pytest.raises(MistrustError, match=message):
        search(pool, Oracle(pool, errors), budget, "low_confidence", threshold=threshold)


def test_telling_without_a_question():
    searching = Searching(Pool([1], [0.9]), "low_confidence")
    with pytest.raises(MistrustError, match="No question is open"):
        searching.tell(True)
    searching.next()
    with pytest.raises(MistrustError, match="The answer is 'maybe'"):
        searching.tell("maybe")
    assert not searching.found.answers
    searching.tell(True)
    assert searching.done


def test_simulated_null_of_the_known_set(known_set):
    """Facts 8: on oracles that err with 1 - c, SDR at 8 has mean 1.047 (coded) and .974 (low confidence) +- .017."""
    pool = Pool.of_frame(known_set)
    for method, mean in (("bansal_weld_coded", 1.047), ("bansal_weld_gain", 1.056), ("low_confidence", 0.974)):
        searching = Searching(pool, method, 8, variance=0.05)
        null = simulated_null(searching.against, searching.pool.confidence, 500, together=True)
        spread = null.sdr[:, -1].std() / 500**0.5
        assert abs(null.sdr[:, -1].mean() - mean) < 4 * (spread**2 + 0.018**2) ** 0.5
    with pytest.raises(MistrustError, match=r"16 instances and errors of shape \(3,\)"):
        searching.against(np.zeros(3))


@pytest.mark.parametrize("method", [name for name, entry in SEARCHES.items() if entry.adaptive])
def test_many_oracles_at_once_are_asked_what_each_would_be(method):
    drawn = np.random.default_rng(0)
    pool = Pool(
        np.arange(80), drawn.uniform(0.7, 0.99, 80), distance=drawn.uniform(0.01, 1, 80),
        features=drawn.normal(size=(80, 3)),
    )  # fmt: skip
    searching = Searching(pool, method, 25, variance=0.05, fraction=0.5)
    answers = oracles(searching.pool.confidence, range(20), multiplier=2)
    together = searching.against(answers)
    assert together.shape == (20, 25)
    assert np.array_equal(together, [searching.against(one) for one in answers])
    assert len(np.unique(together, axis=0)) > 5  # answers matter
    assert searching.against(answers[:0]).shape == (0, 25)
    alone = simulated_null(searching.against, searching.pool.confidence, 8)
    both = simulated_null(searching.against, searching.pool.confidence, 8, together=True)
    assert np.array_equal(alone.errors, both.errors)
    assert np.array_equal(alone.confidence, both.confidence)


def test_oracles_that_agree_are_one_search(known_set, monkeypatch):
    pool = Pool.of_frame(known_set)
    searching = Searching(pool, "bansal_weld_gain", 6, variance=0.05)
    chosen = []
    choose = BansalWeld.choose
    monkeypatch.setattr(BansalWeld, "choose", lambda self, left: chosen.append(1) or choose(self, left))
    same = np.zeros((50, len(searching.pool)), dtype=bool)
    searching.against(same)
    assert len(chosen) == 6
    last = searching.against(same)[0, -1]
    same[0, last] = True  # the last answer changes no question
    chosen.clear()
    searching.against(same)
    assert len(chosen) == 6
