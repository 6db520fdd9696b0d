"""Contract: every supervisor of the table passes the exported checks, and a broken one fails the check of its fault."""

import os
from dataclasses import dataclass, field, fields
from functools import partial
from random import SystemRandom
from threading import Lock

import numpy as np
import pytest
import torch

from mistrust.errors import MistrustError, UnknownName
from mistrust.networks import observe
from mistrust.store import made, maker
from mistrust.supervisors import SUPERVISORS, Card, Quantile, Supervisor, features, make_supervisor, supervisor
from mistrust.supervisors.checks import CheckFailed, all_checks, checks
from mistrust.supervisors.judging import drawn
from mistrust.supervisors.made_up import made_up
from mistrust.supervisors.softmax import MaxSoftmax
from mistrust.supervisors.unchanged import alike, copied

# Parameters that make fitting quick, for whichever supervisor has them.
QUICK = {"epochs": 12, "rate": 0.02}
OTHER = {"alooc": {"epochs": 2, "rate": 0.02, "weight": 1.0}}  # two networks a class


def quick(cls):
    given = QUICK | OTHER.get(cls.name, {})
    return partial(cls, **{one.name: given[one.name] for one in fields(cls) if one.name in given})


@pytest.mark.parametrize("check", all_checks(map(quick, SUPERVISORS.values())), ids=str)
def test_every_supervisor_keeps_the_contract(check):
    check()


@pytest.mark.parametrize("name", SUPERVISORS)
def test_what_learns_nothing_scores_alike_whatever_it_was_fitted_on(name):
    make, shared = quick(SUPERVISORS[name]), made_up()
    seen, one, other = (shared.record(make(), s) for s in (shared.nominal, shared.training, shared.ambiguous))
    same = torch.equal(make().fit(one).score(seen), make().fit(other).score(seen))
    # ASH takes the last layer's weights of the record, which are the network's.
    assert same == (not make().card.learns or name == "ash")


def test_checks_say_whose_they_are_and_what_they_hold():
    found = list(checks(MaxSoftmax))
    assert str(found[4]) == "max_softmax: score of a subset"
    assert found[4].law == "An image's score does not depend on the images beside it."
    assert len({one.name for one in found}) == len(found) == 16
    assert "one feature" not in [one.name for one in found]


# Parameters that count something, and parameters that measure something, in every supervisor of the table.
COUNTS = {
    ("knn", "neighbours"), ("lsa", "features"), ("vim", "dimension"), ("outside_the_box", "clusters"),
    ("outside_the_box", "components"), ("outside_the_box", "neighbours"), ("dissector", "epochs"),
    ("dissector", "batch"), ("dissector", "patience"), ("dissector", "first"), ("autoencoder", "latent"),
    ("autoencoder", "epochs"), ("autoencoder", "batch"), ("alooc", "epochs"), ("alooc", "batch"), ("alooc", "group"),
}  # fmt: skip
MEASURES = {
    ("lsa", "ridge"), ("mdsa", "ridge"), ("relative_mahalanobis", "ridge"), ("dsa", "fraction"), ("react", "quantile"),
    ("react", "temperature"), ("ash", "quantile"), ("ash", "temperature"), ("energy", "temperature"),
    ("odin", "temperature"), ("odin", "epsilon"), ("odin", "scale"), ("dissector", "rate"), ("dissector", "held_out"),
    ("dissector", "memory"), ("autoencoder", "rate"), ("autoencoder", "clip"), ("alooc", "rate"), ("alooc", "noise"),
    ("alooc", "weight"),
}  # fmt: skip


# What some are called where they are out of range.
CALLED = {("dissector", "first"): "first is|layers numbered from", ("dissector", "held_out"): "images held out is"}


@pytest.mark.parametrize(("name", "parameter"), sorted(COUNTS | MEASURES))
def test_numbers_are_looked_at_when_a_supervisor_is_made(name, parameter):
    for wrong in ("2", b"2", None, [1, 2]):
        if (parameter, wrong) != ("dimension", None) and (parameter, wrong) != ("scale", [1, 2]):
            with pytest.raises(MistrustError, match=f"{parameter}.* is .*, expected|share of images held out is"):
                make_supervisor(name, **{parameter: wrong})
    below = (-1,) if parameter != "memory" else ()
    for wrong in (*below, float("nan"), *((1.5,) if (name, parameter) in COUNTS else ())):
        if (parameter, str(wrong)) != ("memory", "nan"):
            with pytest.raises(MistrustError, match=rf"({CALLED.get((name, parameter), parameter)}).*{wrong}\b"):
                make_supervisor(name, **{parameter: wrong})


def test_whole_numbers_may_be_floats():
    found = make_supervisor("knn", neighbours=3.0)
    assert (found.neighbours, type(found.neighbours)) == (3, int)
    assert make_supervisor("dissector", epochs=3.0).recipe == make_supervisor("dissector", epochs=3).recipe


def test_a_mistyped_parameter_is_told_the_nearest():
    with pytest.raises(UnknownName, match=r"parameter 'neighbors' of supervisor 'knn'\. Did you mean 'neighbours'"):
        make_supervisor("knn", neighbors=5)
    with pytest.raises(UnknownName, match=r"'layer' of supervisor 'max_softmax'\. Known: none"):
        make_supervisor("max_softmax", layer="hidden")
    with pytest.raises(MistrustError, match=r"name of a supervisor, such as '\w+', got None\.$"):
        make_supervisor(None)
    own = type(make_supervisor("mdsa"))
    with pytest.raises(MistrustError, match=r"got the class MDSA: MDSA\(\.\.\.\) makes one without it"):
        make_supervisor(own)


@pytest.mark.parametrize("value", ["no", 1, None])
def test_a_switch_is_true_or_false(value):
    with pytest.raises(MistrustError, match=rf"as_published of supervisor 'dsa' is {value!r}, expected True or False"):
        make_supervisor("dsa", layer="hidden", as_published=value)


@pytest.mark.parametrize("name", ["max_softmax", "dissector"])
def test_what_is_no_record_is_refused(name):
    it, one = made_up(), make_supervisor(name)
    message = rf"{one.card.title} reads a record .*, got {{}}\. Make one: observe\(classifier, images\)"
    for wrong in (it.training, it.training.images, None):
        with pytest.raises(MistrustError, match=message.format(type(wrong).__name__)):
            one.fit(wrong)
    fitted = make_supervisor("max_softmax").fit(observe(it.classifier, it.training))
    with pytest.raises(MistrustError, match="reads a record of what a classifier did with images, got ImageSet"):
        fitted.score(it.nominal)


# Broken ones: each fails the check that its fault belongs to, and says what was seen


DRAWN = maker("test-drawn", 1, "tensors")
AGAIN = "scored again"
CARD = Card("Broken", "softmax", "none", "none", "none", ("logits",), "none")


@dataclass(eq=False)
class Doubt(MaxSoftmax):
    card = CARD

    def _fit(self, record, layers):
        return {"mean": record.logits.mean(0)}


class WrongSign(Doubt):
    def _score(self, record, learnt):
        return -super()._score(record, learnt)


class OfTheBatch(Doubt):
    def _score(self, record, learnt):
        scores = super()._score(record, learnt)
        return scores - scores.mean()


class Spoiling(Doubt):
    def _score(self, record, learnt):
        record.logits.sub_(record.logits.mean())
        return super()._score(record, learnt)


class Training(Doubt):
    def _fit(self, record, layers):
        record.classifier.module.train()
        return {}


class Learning(Doubt):
    seen: int = 0

    def _fit(self, record, layers):
        type(self).seen += 1
        return {"seen": torch.tensor(self.seen)}

    def _score(self, record, learnt):
        return super()._score(record, learnt) + learnt.state["seen"]


class Unseeded(Doubt):
    """Like those that are trained, it keeps in the store what it drew; and it draws what it likes."""

    def _fit(self, record, layers):
        spec = {"data": record.images.checksum}
        return made(DRAWN, spec, lambda _: {"shift": torch.tensor(SystemRandom().random())})

    def _score(self, record, learnt):
        return super()._score(record, learnt) + learnt.state["shift"]


class Stuck(Doubt):
    """What it learns first it keeps, and every later fit gives that."""

    def _fit(self, record, layers):
        self.first = getattr(self, "first", record.logits.std())
        return {"first": self.first}

    def _score(self, record, learnt):
        return super()._score(record, learnt) * (1 + learnt.state["first"])


class Shared(Doubt):
    """All of its kind have one memory."""

    kept = torch.zeros(())

    def _fit(self, record, layers):
        type(self).kept = record.logits.std()
        return {}

    def _score(self, record, learnt):
        return super()._score(record, learnt) * (1 + self.kept)


class Seeding(Doubt):
    def _score(self, record, learnt):
        torch.manual_seed(0)
        return super()._score(record, learnt)


class Drawing(Doubt):
    def _score(self, record, learnt):
        np.random.rand()  # noqa: NPY002 - the fault
        return super()._score(record, learnt)


class Reseeding(Doubt):
    """As seeds are set in scripts; every fit leaves everyone's numbers in one place."""

    def _fit(self, record, layers):
        torch.manual_seed(0)
        return {"first": record.logits[torch.randperm(len(record))[0]]}


class Switching(Doubt):
    def _fit(self, record, layers):
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)
        return super()._fit(record, layers)


class Coarse(Doubt):
    def _score(self, record, learnt):
        return super()._score(record, learnt).half()


class ByHand(Doubt):
    """0 log 0, which no made-up image has."""

    def _score(self, record, learnt):
        p = record.probabilities
        return -(p * p.log()).sum(1)


class Crowded(Doubt):
    def _score(self, record, learnt):
        found = super()._score(record, learnt)
        return found + 0 * found.max()


class Given(Doubt):
    def fit(self, record):
        super().fit(record)


class OddAlone(Doubt):
    def _score(self, record, learnt):
        return super()._score(record, learnt) + (len(record) == 1)


class Greedy(Doubt):
    def _fit(self, record, layers):
        return {"mean": record.logits.mean(0), "spread": record.logits.std(0, correction=0)}

    def _score(self, record, learnt):
        return ((record.logits - learnt.state["mean"]) / learnt.state["spread"]).sum(1)


class Undeclared(Doubt):
    def _score(self, record, learnt):
        return record.need("samples").std(0).sum(1)


class Forgetful(Doubt):
    def _fit(self, record, layers):
        self.mean = record.probabilities.amax(1).mean()
        return {}

    def _score(self, record, learnt):
        return super()._score(record, learnt) + getattr(self, "mean", 0)


@dataclass(eq=False)
class Restless(Doubt):
    weight: float = 1.0

    def _score(self, record, learnt):
        self.weight *= 2
        return super()._score(record, learnt)


@dataclass(eq=False)
class Growing(Doubt):
    """A parameter changed in place: it is the same object, before and after."""

    weights: list = field(default_factory=list)

    def _score(self, record, learnt):
        self.weights.append(len(self.weights))
        return super()._score(record, learnt)


@dataclass(eq=False)
class Weighing(Doubt):
    """A parameter of which `==` is no truth value; it stays as it is."""

    weights: torch.Tensor = field(default_factory=lambda: torch.tensor([1.0, torch.nan]))


class Scaling(Weighing):
    def _fit(self, record, layers):
        self.weights.mul_(2)
        return {}


class Hooking(Doubt):
    """A changed network: its weights are what they were, its answers are not."""

    def _score(self, record, learnt):
        record.classifier.module.register_forward_hook(lambda module, given, answers: answers * 0)
        return super()._score(record, learnt)


class Lenient(Doubt):
    def _check(self, record, needs):
        pass

    def _score(self, record, learnt):
        return super()._score(record, learnt).nan_to_num()


class Ready(Doubt):
    def score(self, record):
        return self._score(record, self.fitted)


class Layered(Doubt):
    card = Card("Broken", "surprise", "none", "none", "none", ("layer",), "none")

    def _layers(self, record):
        return tuple(record.activations)

    def _score(self, record, learnt):
        if not record.activations:
            raise KeyError("dropped")
        return record.activations["dropped"].norm(dim=1)


class Trusting(Doubt):
    """It looks for NaN nowhere, and learns a mean of NaN."""

    card = Card("Trusting", "surprise", "none", "none", "none", ("logits", "layer"), "none")

    def _fit(self, record, layers):
        return {"mean": torch.stack([record.layer(layer).mean(0) for layer in layers])}

    def _score(self, record, learnt):
        pairs = zip(learnt.layers, learnt.state["mean"], strict=True)
        return sum((record.layer(layer) - mean).norm(dim=1) for layer, mean in pairs)


class TrustingSeveral(Trusting):
    card = Card("Trusting", "surprise", "none", "none", "none", ("logits", "layers"), "none")


class LookingOnce(Trusting):
    """It looks when it is fitted; of its scores the base class says that they are NaN, which is too late."""

    def _fit(self, record, layers):
        features(record, layers[0], "Trusting")
        return super()._fit(record, layers)


class Looking(LookingOnce):
    def _score(self, record, learnt):
        features(record, learnt.layers[0], "Trusting")
        return super()._score(record, learnt)


class Turned(Trusting):
    """A direction, which zeros do not have."""

    def _score(self, record, learnt):
        x, mean = record.layer(learnt.layers[0]), learnt.state["mean"][0]
        return -(x @ mean) / x.norm(dim=1) / mean.norm()


class Learned(Doubt):
    """A factor that is trained: what it scores hangs on a gradient."""

    def _score(self, record, learnt):
        return super()._score(record, learnt) * torch.nn.Parameter(torch.ones(()))


class Numpy(Doubt):
    def score(self, record):
        return super().score(record).numpy()


class Short(Doubt):
    def score(self, record):
        return super().score(record).float()


class AsArray(Doubt):
    def _score(self, record, learnt):
        return super()._score(record, learnt).numpy()


class Bare(Supervisor):
    """No dataclass."""

    card = CARD

    def _fit(self, record, layers):
        return {}

    def _score(self, record, learnt):
        return -record.probabilities.amax(1)


class LargestSoFar(MaxSoftmax):
    """Divides by the largest score seen so far, which it keeps with what it has learnt."""

    def _score(self, record, learnt):
        found = 1 + super()._score(record, learnt)
        learnt.state["top"] = max(learnt.state.get("top", torch.tensor(0.0)), found.max())
        return found / learnt.state["top"]


class AnyNumber(MaxSoftmax):
    """Draws its scores."""

    def _score(self, record, learnt):
        return super()._score(record, learnt) + torch.tensor([SystemRandom().random() for _ in range(len(record))])


class Oracle(MaxSoftmax):
    """Knows the right answer, and does not say so."""

    def _score(self, record, learnt):
        return 1 - record.probabilities[torch.arange(len(record)), record.labels].double()


class Duck:
    """No supervisor, but it has the methods of one."""

    card = CARD

    def fit(self, record):
        return self

    def score(self, record):
        return torch.zeros(len(record), dtype=torch.float64)


@pytest.mark.parametrize(
    ("broken", "name", "message"),
    [
        (WrongSign, "higher is worse", "0% are in order (medians 0.3"),
        (OfTheBatch, "score of a subset", "every third alone are not the usual ones: row "),
        (OfTheBatch, "one row scored", "one by one are not the usual ones"),
        (OddAlone, "one row scored", "one by one are not the usual ones"),
        (Spoiling, "nothing else changes", "score changed logits."),
        (Training, "nothing else changes", "fit changed network's mode, network's answers."),
        (Hooking, "nothing else changes", "score changed network's answers."),
        (Growing, "nothing else changes", "Parameters were {'weights': []} before and {'weights': [0]} after."),
        (Scaling, "nothing else changes", "Parameters were {'weights': tensor([1., nan])} before and {'weights': ten"),
        (LargestSoFar, "scored again", "asked for again after other images, are not the usual ones: row "),
        (AnyNumber, "scored again", "of the same record, asked for twice, are not the usual ones: row "),
        (Oracle, "true labels", "of images with other true labels, which its card does not name among its needs,"),
        (Learning, "fitting again", "fitted again, after another record, scores differently: row "),
        (Unseeded, "fitting again", "fitted again, after another record, scores differently: row "),
        (Stuck, "fitting again", "that was fitted before, fitted on other images, scores differently: row "),
        (Shared, "fitting again", "after another one was fitted on other images, are not the usual ones: row "),
        (Seeding, "scored again", "score changed torch's random numbers, which is everyone's"),
        (Drawing, "scored again", "score changed numpy's random numbers, which is everyone's"),
        (Reseeding, "nothing else changes", "fit changed torch's random numbers, which is everyone's"),
        (
            Switching,
            "nothing else changes",
            "fit changed whether torch keeps gradients and torch's default type,",
        ),
        (Given, "fit returns self", "fit gave NoneType"),
        (Restless, "nothing else changes", "Parameters were {'weight': 1.0} before and {'weight': 2.0} after."),
        (Undeclared, "form of the scores", "This record holds no samples."),
        (Greedy, "one training row", "gave NaN for"),
        (Lenient, "NaN is refused", "fit on logits with NaN raised nothing, expected a MistrustError."),
        (Trusting, "NaN is refused", "fit on layer with NaN raised nothing, expected a MistrustError."),
        (TrustingSeveral, "NaN is refused", "fit on layers with NaN raised nothing, expected a MistrustError."),
        (LookingOnce, "NaN is refused", "nothing looked at it before it was scored: Trusting gave NaN for 1 of 180"),
        (Ready, "not fitted", "score before fit raised nothing, expected a NotFitted."),
        (Ready, "other classes", "a record with four classes, fitted on 3, raised nothing"),
        (Layered, "what is lacking", "score without layer: KeyError: 'dropped' Expected a MistrustError."),
        (ByHand, "ends of what is read", "With logits of 0, 1000 and -1000: Broken gave NaN for 1 of 4 images."),
        (Turned, "ends of what is read", "With layers of zeros: Trusting gave NaN for 4 of 4 images."),
        (Crowded, "score of a subset", "RuntimeError: max(): Expected reduction dim"),
        (Coarse, "form of the scores", "Broken gave its scores as torch.float16, in which images tie that differ."),
        (Numpy, "form of the scores", "score gave ndarray, expected a tensor: leave `score` as it is."),
        (Numpy, "one training row", "'numpy.ndarray' object has no attribute 'isnan' The law: One training row gives"),
        (AsArray, "form of the scores", "Broken gave its scores as ndarray, expected a tensor of shape (36,): end"),
        (Bare, "nothing else changes", "Bare is no dataclass, and a supervisor's fields are its parameters: write @"),
        (Short, "form of the scores", "Scores are torch.float32 (36,) on cpu."),
        (Doubt, "save and load", "Doubt stands in no table of supervisors"),
    ],
)
def test_a_broken_supervisor_fails_the_check_of_its_fault(broken, name, message):
    [check] = [one for one in checks(broken) if one.name == name]
    with pytest.raises(MistrustError) as failed:
        check()
    assert message in str(failed.value)


def test_scores_hang_on_no_gradient():
    it = made_up()
    record = observe(it.classifier, it.nominal)
    assert not Learned().fit(record).score(record).requires_grad


def test_a_check_leaves_what_all_share_where_it_was():
    before = drawn()
    for broken, name in ((Reseeding, "nothing else changes"), (Switching, "nothing else changes"), (Drawing, AGAIN)):
        [check] = [one for one in checks(broken) if one.name == name]
        with pytest.raises(CheckFailed, match="which is everyone's"):
            check()
        assert drawn() == before


@pytest.mark.parametrize(("sound", "name"), [(Looking, "NaN is refused"), (Weighing, "nothing else changes")])
def test_a_sound_one_beside_broken_ones_passes(sound, name):
    [check] = [one for one in checks(sound) if one.name == name]
    check()


def test_a_network_that_an_earlier_check_let_be_changed_is_found_changed():
    found = {one.name: one for one in checks(Hooking)}
    found["fitting again"]()
    with pytest.raises(CheckFailed, match="score changed network's answers"):
        found["nothing else changes"]()


def one_of_each():
    """What parameters may be, none of which equals a copy of itself by `==` alone or has to."""
    return {
        "number": float("nan"), "text": "a", "none": None, "array": np.array([1.0, np.nan]), "words": np.array(["a"]),
        "tensor": torch.arange(3), "sparse": torch.eye(2).to_sparse(), "leaf": torch.nn.Parameter(torch.ones(1)),
        "within": [(1, {"a": torch.ones(2)})], "rule": Quantile(0.1), "network": torch.nn.Linear(2, 1),
        "function": len, "own": one_of_each, "class": MaxSoftmax, "plain": object(), "method": Quantile(0.1).fit,
        "objects": np.array([[], [1]], dtype=object), "scalar": np.float32("nan"),
    }  # fmt: skip


def test_parameters_equal_their_copies_until_they_are_changed():
    now = one_of_each()
    before = copied(now)
    assert alike(before, now)
    assert alike(before["scalar"], np.float32("nan"))  # equal, and not the same
    for name, value in {
        "number": 1.0, "text": "b", "none": 0, "array": np.array([1.0, 2.0]), "words": np.array(["b"]),
        "tensor": torch.arange(3.0), "sparse": torch.eye(2), "leaf": torch.zeros(1),
        "within": [(1, {"a": torch.zeros(2)})], "rule": Quantile(0.1), "network": torch.nn.Linear(2, 1),
        "function": max, "own": alike, "class": Quantile, "plain": 1, "method": Quantile(0.1).fit,
        "objects": np.array([[], [1]], dtype=object), "scalar": "nan",
    }.items():  # fmt: skip
        assert not alike(before, now | {name: value}), name
    for one, other in (([1], (1,)), ([1], [1, 2]), ({"a": 1}, {"b": 1}), (1.0, torch.ones(2)), (np.ones(1), [1.0])):
        assert not alike(one, other)


def test_a_copy_stays_when_what_was_copied_is_changed_in_place():
    for name, change in {
        "array": lambda v: v.fill(0), "tensor": lambda v: v.zero_(), "sparse": lambda v: v.mul_(2),
        "leaf": lambda v: v.data.zero_(), "within": lambda v: v[0][1]["a"].zero_(),
    }.items():  # fmt: skip
        now = one_of_each()
        before = copied(now)
        change(now[name])
        assert not alike(before, now), name


@pytest.mark.parametrize(
    "value",
    [Quantile(0.1).fit, Lock(), torch.eye(2).to_sparse(), torch.ones(2, requires_grad=True) * 2, torch.nn.Linear(2, 1)],
    ids=["bound method", "lock", "sparse", "not a leaf", "network"],
)
def test_parameters_of_any_kind_that_stay_keep_the_law(value):
    [check] = [one for one in checks(lambda: Weighing(value)) if one.name == "nothing else changes"]
    check()


def test_what_is_no_supervisor_is_told_how_to_be_one():
    message = "Expected a supervisor, got Duck: .* a class of your own derives from mistrust.supervisors.Supervisor"
    with pytest.raises(MistrustError, match=message):
        list(checks(Duck))
    with pytest.raises(MistrustError, match=r"'knn' is the name of a supervisor.*: make_supervisor\(\"knn\", \.\.\.\)"):
        list(checks(lambda: "knn"))


@pytest.mark.parametrize(
    ("given", "shown", "name"),
    [("mdsa", "'mdsa'", "mdsa"), (MaxSoftmax(), "a MaxSoftmax", "NAME"), (None, "a NoneType", "NAME")],
)
def test_checks_are_given_what_makes_supervisors(given, shown, name):
    with pytest.raises(MistrustError) as failed:
        list(checks(given))
    assert f"were given {shown}: give a class" in str(failed.value)
    assert f'checks(lambda: make_supervisor("{name}", ...))' in str(failed.value)


@pytest.mark.parametrize(
    ("learnt", "shown"),
    [
        (None, "NoneType"),
        ({"a": torch.ones(1), "mean": np.ones(2)}, "ndarray"),
        (torch.ones(2), "Tensor"),
        ([], "list"),
    ],
)
def test_what_is_learnt_is_tensors_by_name(learnt, shown):
    class Learnt(Doubt):
        def _fit(self, record, layers):
            return learnt

    it, one = made_up(), Learnt()
    with pytest.raises(MistrustError, match=rf"Broken gave what it has learnt as {shown}, expected tensors by name: "):
        one.fit(observe(it.classifier, it.training))
    assert one.fitted is None


def test_what_the_store_answers_is_not_fitted_again():
    """Why the law of fitting again looks away from the store: in one store, no fit differs from another."""
    it = made_up()
    record, seen = observe(it.classifier, it.training), observe(it.classifier, it.novel)
    assert torch.equal(Unseeded().fit(record).score(seen), Unseeded().fit(record).score(seen))


def test_the_law_of_fitting_again_leaves_the_store_as_it_was(monkeypatch, tmp_path):
    [check] = [one for one in checks(Unseeded) if one.name == "fitting again"]
    for before in (str(tmp_path / "mine"), None):
        if before is None:
            monkeypatch.delenv("MISTRUST_STORE")
        else:
            monkeypatch.setenv("MISTRUST_STORE", before)
        with pytest.raises(CheckFailed):
            check()
        assert os.environ.get("MISTRUST_STORE") == before
    assert not (tmp_path / "mine").exists()


def test_what_is_learnt_beside_the_state_is_found_missing_after_loading():
    SUPERVISORS.add("forgetful", Forgetful)
    Forgetful.name = "forgetful"
    try:
        [check] = [one for one in checks(Forgetful) if one.name == "save and load"]
        with pytest.raises(CheckFailed, match="forgetful: save and load: A supervisor saved and loaded, scores diff"):
            check()
    finally:
        del SUPERVISORS._entries["forgetful"]


class KeepsOnItself(Doubt):
    """As scikit-learn's estimators do: a supervisor of the store is another object."""

    def _fit(self, record, layers):
        self.kept = record.logits.mean(0)
        return {}

    def _score(self, record, learnt):
        return (record.logits - self.kept).norm(dim=1).double()


class Divides(Doubt):
    def _score(self, record, learnt):
        return record.logits.sum(1) / (1 // 0)


class Cardless(Supervisor):
    card = None

    def _fit(self, record, layers):
        return {}

    def _score(self, record, learnt):
        return record.logits[:, 0]


@pytest.mark.parametrize(
    ("own", "law", "said"),
    [
        (
            KeepsOnItself,
            "save and load",
            r"mine: save and load: AttributeError: .*'kept' What `_fit` learns it has to return: nothing else is "
            r"kept\. The law: A saved one",
        ),
        (Divides, "form of the scores", "mine: form of the scores: ZeroDivisionError: .* The law: Scores are float64"),
    ],
)
def test_an_error_in_the_middle_of_a_check_names_the_supervisor_and_the_law(own, law, said, monkeypatch):
    monkeypatch.setitem(SUPERVISORS._entries, "mine", own)
    monkeypatch.setattr(own, "name", "mine", raising=False)
    [check] = [one for one in checks(own) if one.name == law]
    with pytest.raises(CheckFailed, match=said):
        check()


def test_a_supervisor_without_a_card_is_told_what_it_lacks():
    with pytest.raises(MistrustError, match=r"Cardless has no card: .* card = Card\(title, family,"):
        next(checks(Cardless))


def defined():
    """What a notebook's cell does each time that it is run."""

    @supervisor("own")
    @dataclass(eq=False)
    class Own(Doubt):
        pass

    return Own


def test_a_cell_that_defines_a_supervisor_can_be_run_again(monkeypatch):
    monkeypatch.setattr(SUPERVISORS, "_entries", dict(SUPERVISORS._entries))
    first, again = defined(), defined()
    assert again is not first
    assert type(make_supervisor("own")) is again
    with pytest.raises(MistrustError, match="There is a supervisor 'own' already: give the new one another name"):
        supervisor("own")(WrongSign)


def test_a_failed_check_is_an_assertion_and_one_of_our_errors():
    [check] = [one for one in checks(WrongSign) if one.name == "higher is worse"]
    with pytest.raises(AssertionError, match=r"WrongSign: higher is worse: .* The law: Images that are clearly worse"):
        check()
    with pytest.raises(MistrustError):
        check()


def test_a_supervisor_without_a_card_is_refused_before_listings_read_it():
    with pytest.raises(MistrustError, match="Supervisor 'nocard' has no card: give its class one"):

        @supervisor("nocard")
        @dataclass(eq=False)
        class Without(Supervisor):
            pass

    assert "nocard" not in SUPERVISORS


def test_a_supervisor_that_compares_by_its_parameters_is_refused():
    with pytest.raises(MistrustError, match=r"'alike' cannot be told from another .* write @dataclass\(eq=False\)"):

        @supervisor("alike")
        @dataclass
        class Alike(WrongSign):
            pass


def test_a_parameter_without_a_default_is_refused_before_it_is_asked_for():
    with pytest.raises(MistrustError, match=r"Parameter 'share' of supervisor 'asking' has no default: give it one"):

        @supervisor("asking")
        @dataclass(eq=False)
        class Asking(WrongSign):
            share: float

    assert not {"alike", "asking"} & set(SUPERVISORS)


@pytest.mark.parametrize("name", ["needs", "fits"])
def test_needs_that_are_a_text_are_refused(name):
    with pytest.raises(MistrustError, match=rf"'Text' has {name}='layer', expected a tuple: \('layer',\)"):
        Card("Text", "softmax", "p", "s", "l", **{"needs": ("logits",), "cost": "none", name: "layer"})


def test_a_fit_that_reads_true_labels_says_so():
    class Graded(WrongSign):
        def _fit(self, record, layers):
            return {"right": (record.labels == record.predicted).double().mean()}

        def _score(self, record, learnt):
            return super()._score(record, learnt) * learnt.state["right"]

    [check] = [one for one in checks(Graded) if one.name == "true labels"]
    with pytest.raises(CheckFailed, match="after fitting on other true labels, which its card does not name in fits"):
        check()
