"""The laws of the supervisors' contract, checked on a made-up classifier: what `checks` hands out one by one."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.networks import Record
from mistrust.supervisors.contract import NotFitted, Supervisor
from mistrust.supervisors.judging import (
    BROKEN,
    CheckFailed,
    asks,
    close,
    empty_store,
    kept,
    refused,
    same,
    shared_kept,
    shared_stays,
)
from mistrust.supervisors.made_up import MadeUp, made_up
from mistrust.supervisors.saving import load_supervisor, save_supervisor
from mistrust.supervisors.spoilt import ends, relabelled, with_nan, without
from mistrust.supervisors.unchanged import alike, copied, copies

Make = Callable[[], Supervisor]
# The made-up images that a family must find worse than nominal ones: where its answer is clear. Else the novel ones.
WORSE = {"sampling": "ambiguous", "ensemble": "ambiguous", "layers": "ambiguous"}
CLEAR = 0.9  # share of pairs (worse image, nominal image) that must be in order, ties half
PARTS = ("logits", "layer", "layers", "samples", "members")


class Laws:
    """The laws of one supervisor; records are made anew for each, what was fitted is shared by those that only read."""

    def __init__(self, make: Make) -> None:
        self.make = make

    @cached_property
    def usual(self) -> MadeUp:
        """The made-up material of most checks."""
        return made_up()

    @cached_property
    def fitted(self) -> Supervisor:
        """A supervisor fitted on the training images."""
        return self.make().fit(self.record())

    def record(self, part: str = "training", material: MadeUp | None = None) -> Record:
        """A new record of some made-up images."""
        found = material or self.usual
        return found.record(self.make(), getattr(found, part))

    def mixed(self, material: MadeUp | None = None) -> Record:
        """A new record of some images of every kind."""
        found = material or self.usual
        parts = (found.nominal, found.ambiguous, found.novel)
        images = replace(
            found.nominal,
            images=torch.cat([part.images[:12] for part in parts]),
            labels=torch.cat([part.labels[:12] for part in parts]),
            ids=torch.cat([part.ids[:12] for part in parts]),
        )
        return found.record(self.make(), images)

    def returns_self(self) -> None:
        """`fit` gives the supervisor."""
        one = self.make()
        given = one.fit(self.record())
        if given is not one:
            raise CheckFailed(f"fit gave {type(given).__name__}, not the supervisor that it was called on.")

    def refit(self) -> None:
        """Fitting again gives the same, whatever this one or another fitted between, without help of the store."""
        one, record, seen = self.make(), self.record(), self.mixed()
        few = record.take(torch.arange(0, len(record), 2))
        with empty_store():
            first = one.fit(record).score(seen)
            one.fit(few)
        with empty_store():  # the one before would give what it has kept
            same(one.fit(record).score(seen), first, "fitted again, after another record,")
        with empty_store():
            same(self.make().fit(record).score(seen), first, "made and fitted again,")
        with empty_store():
            fresh = self.make().fit(few).score(seen)
        close(one.score(seen), first, "asked for again, after another one was fitted on other images,")
        with empty_store():
            same(one.fit(few).score(seen), fresh, "that was fitted before, fitted on other images,")

    def unchanged(self) -> None:
        """What is given stays as it was."""
        material = made_up()  # a network that no other check can have changed before
        one, record, seen = self.make(), self.record("training", material), self.mixed(material)
        before = (copies(record), copies(seen), copied(one.parameters()))
        with shared_kept():
            one.fit(record)
        kept(record, before[0], "fit")
        one.score(seen)
        kept(seen, before[1], "score")
        kept(record, before[0], "score")
        if not alike(before[2], one.parameters()):
            raise CheckFailed(f"Parameters were {before[2]} before and {one.parameters()} after.")
        with empty_store(), shared_stays("fit"):  # not the first fit: what is imported for it may draw
            one.fit(record)

    def again(self) -> None:
        """Scoring is no learning, and draws no numbers of its own."""
        one, seen = self.make().fit(self.record()), self.mixed()
        few = seen.take(torch.arange(len(seen) // 3))
        with shared_stays("score"):
            first = one.score(few)
        close(one.score(few), first, "of the same record, asked for twice,")
        one.score(seen)
        close(one.score(few), first, "of the same record, asked for again after other images,")

    def true_labels(self) -> None:
        """Labels that the card does not name are not read: nobody has those of new images."""
        seen, card = self.mixed(), self.make().card
        if "labels" not in card.needs:
            what = "of images with other true labels, which its card does not name among its needs,"
            close(self.fitted.score(relabelled(seen)), self.fitted.score(seen), what)
        if "labels" not in card.reads:
            what = "after fitting on other true labels, which its card does not name in fits,"
            close(self.make().fit(relabelled(self.record())).score(seen), self.fitted.score(seen), what)

    def form(self) -> None:
        """float64 (n,), no NaN."""
        seen = self.mixed()
        scores: Any = self.fitted.score(seen)
        if not isinstance(scores, Tensor):
            raise CheckFailed(f"score gave {type(scores).__name__}, expected a tensor: leave `score` as it is.")
        if scores.dtype != torch.float64 or tuple(scores.shape) != (len(seen),) or scores.device.type != "cpu":
            raise CheckFailed(f"Scores are {scores.dtype} {tuple(scores.shape)} on {scores.device}.")
        if bool(scores.isnan().any()):
            raise CheckFailed(f"{int(scores.isnan().sum())} of {len(scores)} scores are NaN.")

    def ends(self) -> None:
        """What is 0 or large where it is read has a score, or is refused."""
        few = self.usual.nominal.take(torch.arange(2))
        plain = replace(few, images=torch.stack([torch.zeros_like(few.images[0]), torch.ones_like(few.images[0])]))
        seen = {"images all black and all white": self.usual.record(self.make(), plain), **ends(self.mixed())}
        for what, record in seen.items():
            self._scores_or_refuses(self.fitted, record, what)

    def subset(self) -> None:
        """Other rows, or another order, change no score."""
        one, seen = self.fitted, self.mixed()
        whole, n = one.score(seen), len(seen)
        for rows, what in (
            (torch.arange(n).flip(0), "in reversed order"),
            (torch.arange(0, n, 3), "every third alone"),
            (torch.arange(2 * n // 3, n), "the last third alone"),
            (torch.arange(0), "no row at all"),
        ):
            close(one.score(seen.take(rows)), whole[rows], what)

    def one_row(self) -> None:
        """Rows one by one have the scores that they have together."""
        one, seen = self.fitted, self.mixed()
        whole = one.score(seen)
        rows = range(0, len(seen), 4)
        alone = torch.cat([one.score(seen.take(torch.tensor([row]))) for row in rows])
        close(alone, whole[torch.tensor(list(rows))], "one by one")

    def one_training_row(self) -> None:
        """One training row is enough, or refused."""
        record = self.record()
        self._scores_or_refuses(record.take(torch.tensor([0])), self.mixed(), "one training row")

    def one_feature(self) -> None:
        """Layers of one unit are enough, or refused."""
        material = made_up(features=1)
        self._scores_or_refuses(
            self.record("training", material), self.record("nominal", material), "layers of one unit"
        )

    def refuses_nan(self) -> None:
        """NaN is refused wherever the card says that something is read."""
        card = self.make().card
        scoring = {"logits", *card.needs}
        fitting = {"logits", *card.fits, *({"layer", "layers"} & scoring)}  # layers that are scored are fitted on
        for part in PARTS:
            if part in scoring | fitting:
                broken = with_nan(self.record(), part)
                if part in fitting:
                    refused(lambda record=broken: self.make().fit(record), ("NaN",), f"fit on {part} with NaN")
                if part in scoring:
                    refused(lambda record=broken: self.fitted.score(record), ("NaN",), f"score of {part} with NaN")

    def not_fitted(self) -> None:
        """No score before fit."""
        record = self.record()
        refused(lambda: self.make().score(record), ("fit",), "score before fit", NotFitted)

    def other_classes(self) -> None:
        """No score for another classifier's classes."""
        material = made_up(4)
        record = self.record("nominal", material)
        refused(lambda: self.fitted.score(record), ("class",), "score of a record with four classes, fitted on 3,")

    def lacking(self) -> None:
        """What is lacking is asked for by the call that records it, or computed."""
        card, training, seen = self.make().card, self.record(), self.mixed()
        usual = self.fitted.score(seen)
        for part in ("layer", "layers", "samples", "members", "network"):
            words = ("observe(", "layers=" if part.startswith("layer") else f"{part}=")
            words = ("torch.nn.Module",) if part == "network" else words
            if part in card.reads:
                less = without(training, part)
                asks(lambda less=less: self.make().fit(less).score(seen), words, f"fit without {part}", usual)
            if part in card.needs:
                less = without(seen, part)
                asks(lambda less=less: self.fitted.score(less), words, f"score without {part}", usual)

    def round_trip(self) -> None:
        """Written and read, it is the same."""
        one, seen = self.fitted, self.mixed()
        with tempfile.TemporaryDirectory() as folder:
            save_supervisor(one, folder)
            again = load_supervisor(folder)
        if type(again) is not type(one) or again.parameters() != one.parameters():
            raise CheckFailed(f"Saved {type(one).__name__} {one.parameters()}, loaded {again.parameters()}.")
        same(again.score(seen), one.score(seen), "saved and loaded,")

    def higher_is_worse(self) -> None:
        """Clearly worse images have higher scores."""
        worse = WORSE.get(self.make().card.family, "novel")
        one = self.fitted
        high, low = one.score(self.record(worse)), one.score(self.record("nominal"))
        pairs = (high[:, None] > low).double() + (high[:, None] == low).double() / 2
        share, medians = float(pairs.mean()), (float(high.median()), float(low.median()))
        if share < CLEAR:
            raise CheckFailed(
                f"Of all pairs of {worse} and nominal images, {share:.0%} are in order (medians {medians[0]:.4g} and "
                f"{medians[1]:.4g}), expected at least {CLEAR:.0%}."
            )

    def _scores_or_refuses(self, training: Record | Supervisor, seen: Record, what: str) -> None:
        try:
            one = training if isinstance(training, Supervisor) else self.make().fit(training)
            scores = one.score(seen)
        except MistrustError as error:
            if BROKEN not in str(error):
                return
            raise CheckFailed(f"With {what}: {error}") from error
        except Exception as error:
            raise CheckFailed(f"With {what}: {type(error).__name__}: {error}") from error
        if bool(scores.isnan().any()) or tuple(scores.shape) != (len(seen),):
            raise CheckFailed(f"With {what}: scores {scores[:5].tolist()} of shape {tuple(scores.shape)}.")
