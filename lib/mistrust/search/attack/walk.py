"""Where the searches of a boundary attack are, and what the next question and the end of a step do to them."""

from dataclasses import dataclass, fields

import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor

from mistrust.search.attack.asking import Asked
from mistrust.search.attack.found import measured
from mistrust.search.attack.proposals import proposals
from mistrust.search.attack.queues import LENGTHS, Queues
from mistrust.search.attack.smooth import directions

CONVERGED, STILL = 1e-7, 2e-7  # source steps below which a search has converged, and still has
CONFIRMED = 100  # steps for which it must have


@dataclass(frozen=True)
class Rules:
    """The algorithm's numbers, as published.

    Attributes
    ----------
    steps, directions : at most.
    spherical, source, adaptation : first step sizes, and the factor by which they change.
    check_every : the steps that ask for the image on the sphere, too, and so tell how good the sizes are.
    queues : how many of the last answers about the image on the sphere, and about the one inwards, tell that.
    frequencies : the share of height's and width's that directions are drawn of.
    """

    steps: int = 1000
    directions: int = 25
    spherical: float = 0.01
    source: float = 0.01
    adaptation: float = 1.5
    check_every: int = 10
    queues: tuple[int, int] = LENGTHS
    frequencies: float = 1.0


@dataclass(eq=False)
class Places:
    """Where m searches are: row i of each tensor belongs to search i.

    Attributes
    ----------
    row : which of all images it is.
    original, label, key : (m, d) the image, the network's label of it, and where its random numbers start.
    current, distance : (m, d) the image that the next proposals start from, and its MAE: the smallest of all images
        that were taken over, so of all of another class that went inwards.
    aside, nearest : (m, d) the nearest image on the sphere that was of another class, from which no search goes on,
        and its MAE; infinite before there is one.
    queries : images asked for so far.
    spherical, source : step sizes.
    step, direction : from 1, and from 0: the question to be asked next.
    checked : whether this step asks for the image on the sphere first.
    passed : whether that image was of another class, so that the one inwards is next.
    confirming : whether the search has converged once and now checks every step.
    left : steps for which it must still stay converged.
    """

    row: Int64[Tensor, " m"]
    original: Float64[Tensor, "m d"]
    label: Int64[Tensor, " m"]
    key: Int64[Tensor, " m"]
    current: Float64[Tensor, "m d"]
    distance: Float64[Tensor, " m"]
    aside: Float64[Tensor, "m d"]
    nearest: Float64[Tensor, " m"]
    queries: Int64[Tensor, " m"]
    spherical: Float64[Tensor, " m"]
    source: Float64[Tensor, " m"]
    step: Int64[Tensor, " m"]
    direction: Int64[Tensor, " m"]
    checked: Bool[Tensor, " m"]
    passed: Bool[Tensor, " m"]
    confirming: Bool[Tensor, " m"]
    left: Int64[Tensor, " m"]


class Walk:
    """Searches on their way, each at its own place of the algorithm.

    Parameters
    ----------
    asked : the network.
    rules : the algorithm's numbers.
    rows, original, label, key, current, queries : of the searches, see `Places`; `current` is where each starts.
    """

    def __init__(
        self,
        asked: Asked,
        rules: Rules,
        *,
        rows: Int64[Tensor, " m"],
        original: Float64[Tensor, "m d"],
        label: Int64[Tensor, " m"],
        key: Int64[Tensor, " m"],
        current: Float64[Tensor, "m d"],
        queries: Int64[Tensor, " m"],
    ) -> None:
        self.asked, self.rules = asked, rules
        distance = measured(original, current.to(asked.dtype))[0]
        one, no = torch.ones_like(rows), torch.zeros_like(rows, dtype=torch.bool)
        self.at = Places(
            rows, original, label, key, current.clone(), distance, current.clone(),
            torch.full_like(distance, torch.inf), queries.clone(),
            torch.full_like(distance, rules.spherical), torch.full_like(distance, rules.source), one,
            torch.zeros_like(rows), no | (rules.check_every == 1), no.clone(), no.clone(), CONFIRMED * one,
        )  # fmt: skip
        self.queues = Queues(len(rows), rules.queues, rows.device)

    def __len__(self) -> int:
        return len(self.at.row)

    def ask(self) -> Int64[Tensor, " e"]:
        """Ask the next question of every search; gives the positions of those whose step is at its end."""
        at = self.at
        turn = at.step * self.rules.directions + at.direction
        drawn = directions(at.key, turn, self.asked.shape, self.rules.frequencies)
        q, r = proposals(at.original, at.current, drawn, at.spherical, at.source)
        sphere = at.checked & ~at.passed
        proposed = torch.where(sphere[:, None], q, r)
        shown = proposed.to(self.asked.dtype)
        hit = self.asked(shown) != at.label
        at.queries += 1
        watched = at.checked.nonzero()[:, 0]
        if len(watched):
            self.queues.append(watched, (~sphere[watched]).long(), hit[watched])
        at.passed = sphere & hit
        inward = hit & ~sphere
        self._nearer(inward, at.distance, at.current, proposed, shown)
        if len(watched):
            self._nearer(at.passed, at.nearest, at.aside, proposed, shown)
        at.direction += ~hit
        return (inward | (at.direction == self.rules.directions)).nonzero()[:, 0]

    def _nearer(self, hit: Tensor, distance: Tensor, images: Tensor, proposed: Tensor, shown: Tensor) -> None:
        """Take those of another class over that are nearer than what there was."""
        rows = hit.nonzero()[:, 0]
        if not len(rows):
            return
        mae = (shown[rows] - self.at.original[rows]).abs().mean(1)
        nearer = mae < distance[rows]
        rows = rows[nearer]
        distance[rows], images[rows] = mae[nearer], proposed[rows]

    def best(self, rows: Int64[Tensor, " r"]) -> tuple[Float[Tensor, "r d"], Float64[Tensor, " r"]]:
        """The nearest image of another class that these searches have seen, as the network saw it, and its MAE."""
        at = self.at
        beside = at.nearest[rows] < at.distance[rows]
        images = torch.where(beside[:, None], at.aside[rows], at.current[rows])
        return images.to(self.asked.dtype), at.nearest[rows].minimum(at.distance[rows])

    def end(self, ended: Int64[Tensor, " e"]) -> Int64[Tensor, " s"]:
        """Adapt these searches' step sizes and begin their next step; gives those that stop instead."""
        at = self.at
        at.step[ended] += 1
        at.direction[ended] = 0
        at.passed[ended] = False
        stopped = at.step[ended] > self.rules.steps
        # Queues, and with them sizes and convergence, change in steps that were checked alone.
        watched = at.checked[ended]
        rows = ended[watched]
        if len(rows):
            self._adapt(rows)
            stopped[watched] |= self._converged(rows)
        at.checked[ended] = (at.step[ended] % self.rules.check_every == 0) | at.confirming[ended]
        return ended[stopped]

    def _adapt(self, rows: Tensor) -> None:
        """Larger steps where more than half of a full queue is yes, smaller ones below a fifth; then it is emptied."""
        at, factor = self.at, self.rules.adaptation
        for which, (often, seldom) in enumerate(zip(*(each.T for each in self.queues.judged(rows)), strict=True)):
            for some, change in ((rows[often], factor), (rows[seldom], 1 / factor)):
                if len(some):
                    at.source[some] *= change
                    if which == 0:
                        at.spherical[some] *= change
                    self.queues.clear(some, which)

    def _converged(self, rows: Tensor) -> Tensor:
        """Whether a search has stayed converged for `CONFIRMED` steps, its step sizes set back once before."""
        at = self.at
        left, confirming = at.left[rows], at.confirming[rows]
        low = at.source[rows] < torch.where(left == CONFIRMED, CONVERGED, STILL)
        again = rows[low & ~confirming]
        at.spherical[again], at.source[again] = self.rules.spherical, self.rules.source
        # A search that was being counted and has left convergence begins anew.
        lapsed = ~low & (left < CONFIRMED)
        left = torch.where(lapsed, CONFIRMED, left - (low & confirming).long())
        at.confirming[rows] = (confirming | low) & ~lapsed
        at.left[rows] = left
        return left == 0

    def take(self, rows: Int64[Tensor, " r"]) -> None:
        """Go on with these searches alone."""
        for each in fields(Places):
            setattr(self.at, each.name, getattr(self.at, each.name)[rows])
        self.queues.take(rows)

    def join(self, other: "Walk") -> None:
        """Go on with those of another walk, too."""
        for each in fields(Places):
            setattr(self.at, each.name, torch.cat([getattr(self.at, each.name), getattr(other.at, each.name)]))
        for name in ("entries", "put", "total"):
            setattr(self.queues, name, torch.cat([getattr(self.queues, name), getattr(other.queues, name)]))
