"""Asking an oracle: `search` from start to end, `Searching` question by question.

What was answered is never lost. `Searching` keeps it whatever happens; `search` gives it in the error that an oracle's
failure raises, and in an interrupt from the keyboard, and goes on from there:

    try:
        found = search(pool, oracle, 50, "adversarial_distance")
    except (OracleFailed, KeyboardInterrupt) as stopped:
        found = search(pool, oracle, 50, "adversarial_distance", answered=stopped.found)
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from reprlib import repr as shortened
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Bool, Int64

from mistrust.errors import MistrustError
from mistrust.inputs.limits import whole
from mistrust.search.found import Found, OracleFailed, leave
from mistrust.search.many_oracles import asked
from mistrust.search.methods import SEARCHES, Asking, begin
from mistrust.search.pool import THRESHOLD, Pool
from mistrust.search.told import Oracle, answer_of, asks, known_answers

Told = tuple[int, bool | None]  # a row and its answer, None for unsure


class Searching:
    """A search under way, question by question: `next` gives an id, `tell` takes its answer.

    Parameters
    ----------
    pool : the instances; those above `threshold` are searched.
    method : name in `SEARCHES` (`mistrust list searches`).
    budget : how many questions may be answered; as many as there are instances when not given.
    threshold : confidences must be strictly above (0.65 in the paper); 0 keeps all.
    parameters : of the method (`SEARCHES[method].parameters`), and those that every search takes, with a use for them
        or without (`methods.table.shared`); `var`, `frac`, `it` and `m` are read as variance, fraction, iterations and
        first.

    Raises
    ------
    MistrustError
        No instance above the threshold, fewer of them than the budget, an unknown method or parameter, a pool that
        lacks what the method reads.

    Examples
    --------
    >>> pool = Pool(ids=[3, 4, 5], confidence=[0.9, 0.7, 0.8])
    >>> searching = Searching(pool, "low_confidence", budget=2)
    >>> searching.next()
    4
    >>> searching.tell(True)
    >>> searching.next()
    5
    >>> searching.found.answers
    {4: True}
    """

    def __init__(
        self, pool: Pool, method: str, budget: int | None = None, *, threshold: float = THRESHOLD, **parameters: Any
    ) -> None:
        entry = SEARCHES[method]  # an unknown name is the first thing to say
        if not isinstance(pool, Pool):
            raise MistrustError(f"The pool is {shortened(pool)}, expected a Pool: Pool(ids=..., confidence=...).")
        self.pool = pool.above(threshold)
        self.budget = len(self.pool) if budget is None else whole("The budget", budget, 1)
        if len(self.pool) < self.budget:
            of = f" of {len(pool)}" if len(self.pool) < len(pool) else ""
            raise MistrustError(
                f"The pool has {len(self.pool)}{of} instances above confidence {threshold:g}, fewer than the budget of "
                f"{self.budget}: give a smaller budget, a larger pool or a lower threshold (0 keeps all)."
            )
        self.method = method
        self.title = entry.title
        self.parameters = MappingProxyType(dict(parameters))
        self._pristine = begin(method, self.pool, parameters)
        self._stand([])

    def _stand(self, told: Sequence[Told], row: int | None = None) -> None:
        """Come to where these answers lead, that row asked about; until all is learned, what was before stays."""
        asking, left, spent = deepcopy(self._pristine), np.ones(len(self.pool), dtype=bool), 0
        for before, answer in told:
            left[before] = False
            if answer is not None:
                spent += 1
                asking.learn(before, answer)
        self._learned = -1  # so that an interrupt between the next lines is noticed
        self._asking: Asking = asking
        self._left: Bool[np.ndarray, " n"] = left
        self._spent = spent
        self._row: int | None = row
        self._told: list[Told] = list(told)
        self._learned = len(told)

    def _mend(self) -> None:
        """Set right what an interrupt left half done: the answers told are what counts, all else follows from them.

        Whatever reads more than these answers calls this first.
        """
        if self._learned != len(self._told):
            self._stand(self._told)

    @property
    def done(self) -> bool:
        """Whether there is no further question: the budget is spent, or no instance is left."""
        self._mend()
        return self._spent >= self.budget or not self._left.any()

    @property
    def left(self) -> int:
        """How many questions may still be answered."""
        self._mend()
        return min(self.budget - self._spent, int(self._left.sum()))

    @property
    def found(self) -> Found:
        """What has been answered so far."""
        answered = [(row, error) for row, error in self._told if error is not None]
        return Found(
            self.method,
            self.pool,
            np.array([row for row, _ in answered], dtype=np.int64),
            np.array([error for _, error in answered], dtype=bool),
            self.budget,
            tuple(int(self.pool.ids[row]) for row, error in self._told if error is None),
            dict(self.parameters),
        )

    def next(self) -> int:
        """Give the id to ask about; the same until it is told.

        Raises
        ------
        MistrustError
            The search is done.
        """
        return int(self.pool.ids[self._open()])

    def _open(self) -> int:
        """The row of the open question."""
        self._mend()
        if self._row is None:
            if self.done:
                raise MistrustError(f"The search has asked all it may: {self._spent} of {self.budget} questions.")
            self._row = self._asking.choose(self._left)
        return self._row

    def tell(self, error: Any) -> None:
        """Answer the question that `next` gave: True where the prediction is wrong, None for unsure.

        An instance that a person is unsure of is not asked about again, and costs nothing.

        Raises
        ------
        MistrustError
            No question is open, or the answer is none of True, False, 1, 0 and None.
        """
        self._mend()
        if self._row is None:
            raise MistrustError("No question is open: call next() first, then tell(error).")
        self._told.append((self._row, answer_of(error)))  # before it is learned: an interrupt then loses no answer
        self._learn()

    def _learn(self) -> None:
        """Learn the answer that was told last; where an interrupt comes first, `_mend` does."""
        row, answer = self._told[-1]
        self._left[row] = False
        self._row = None
        if answer is not None:
            self._spent += 1
            self._asking.learn(row, answer)
        self._learned = len(self._told)

    def back(self) -> None:
        """Take the last answer back; its question is open again.

        Raises
        ------
        MistrustError
            Nothing was answered yet.
        """
        if not self._told:
            raise MistrustError("There is no answer to take back.")
        *kept, (row, _) = self._told
        self._stand(kept, row)

    def run(self, oracle: Oracle) -> Found:
        """Ask the oracle until the search is done. Called again after a failure, it goes on where it was.

        Parameters
        ----------
        oracle : from an id to whether its prediction is wrong: True, False, 1 or 0; None for unsure.

        Raises
        ------
        OracleFailed
            The oracle raised, or gave something else. Its `found` holds the answers, and so does `self`.
        KeyboardInterrupt
            And whatever else stops the search and is no failure of the oracle: it passes as it is, with the answers as
            its `found`.
        MistrustError
            The oracle is no function.
        """
        asks(oracle)
        try:
            while not self.done:
                self._ask(oracle)
            return self.found  # here, lest an interrupt of the last line leaves with nothing
        except OracleFailed:
            raise
        except BaseException as stop:
            leave(stop, self.found)
            raise

    def _ask(self, oracle: Oracle) -> None:
        """Ask one question; only what the oracle does is its failure."""
        row = self._open()
        id = int(self.pool.ids[row])
        try:
            # On the line that asks: an interrupt after it loses nothing.
            self._told.append((row, answer_of(oracle(id))))
        except Exception as error:
            raise OracleFailed(id, self.found, f"{type(error).__name__}: {error}".rstrip(".")) from error
        self._learn()

    def against(self, errors: Bool[np.ndarray, "*S n"]) -> Int64[np.ndarray, "*S b"]:
        """Give the rows that the search asks about, from its start on, if these are the answers of its pool.

        What has been told is neither read nor changed: `simulated_null(searching.against, searching.pool.confidence,
        together=True)` gives what the search finds by chance.

        Parameters
        ----------
        errors : (n,) the answers, or (S, n) those of many oracles. While these have given the same answers, the search
            runs once for all of them.

        Raises
        ------
        MistrustError
            Errors of another shape.
        """
        wrong = np.asarray(errors, dtype=bool)
        if wrong.shape[-1:] != (len(self.pool),) or wrong.ndim > 2:
            raise MistrustError(
                f"There are {len(self.pool)} instances and errors of shape {wrong.shape}: one per instance."
            )
        rows = asked(self._pristine, np.atleast_2d(wrong), self.budget)
        return rows.reshape(*wrong.shape[:-1], self.budget)


def search(
    pool: Pool,
    oracle: Oracle,
    budget: int,
    method: str = "adversarial_distance",
    *,
    threshold: float = THRESHOLD,
    answered: Found | Mapping[int, Any] | None = None,
    **parameters: Any,
) -> Found:
    """Search a pool for errors.

    Parameters
    ----------
    pool, budget, method, threshold, parameters : see `Searching`.
    oracle : from an id to whether its prediction is wrong: True, False, 1 or 0; None for unsure.
    answered : answers by id that are known already, or what an earlier run found: the oracle is not asked about these.
        The order is that of a search which was never stopped. Of instances at or below the threshold they are of no
        use, which a `MistrustWarning` says.

    Returns
    -------
    Questions and answers.

    Raises
    ------
    OracleFailed
        The oracle raised, or gave something else than an answer; `found` holds all answers before.
    KeyboardInterrupt
        And whatever else stops the search: its `found` holds all answers before, too. What was given as `answered` and
        not yet come to is not among them.
    MistrustError
        What `Searching` refuses; an oracle that is no function; answers to ids that the pool does not have, or that are
        none.

    Examples
    --------
    >>> pool = Pool(ids=[3, 4, 5], confidence=[0.9, 0.7, 0.8])
    >>> search(pool, lambda id: id == 4, 2, "low_confidence").errors
    array([1, 1])
    """
    searching = Searching(pool, method, budget, threshold=threshold, **parameters)
    asks(oracle)
    known = known_answers(pool, answered, threshold)
    return searching.run(lambda id: known[id] if id in known else oracle(id))
