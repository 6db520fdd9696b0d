"""What the laws of supervisors judge by: the error of a broken one, scores that are equal, calls that are refused."""

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mistrust.errors import MistrustError
from mistrust.networks import Record
from mistrust.supervisors.unchanged import changes
from mistrust.variables import variables

ODD = 20_231_127  # a seed that nobody takes
BROKEN = "gave NaN"  # what `score` says of any broken supervisor is no clear refusal


class CheckFailed(MistrustError, AssertionError):
    """A supervisor breaks a law of the contract; the message says what was seen.

    Examples
    --------
    A supervisor that compares images with each other breaks a law, and is told which:

    >>> from mistrust.supervisors.softmax import MaxSoftmax
    >>> class Ranked(MaxSoftmax):
    ...     def _score(self, record, learnt):
    ...         return super()._score(record, learnt).argsort().argsort()
    >>> [str(one) for one in checks(Ranked) if one.name == "one row scored"]
    ['Ranked: one row scored']
    >>> [one() for one in checks(Ranked) if one.name == "one row scored"]
    Traceback (most recent call last):
    mistrust.supervisors.judging.CheckFailed: ...
    """


def drawn() -> dict[str, object]:
    """What all code of a process shares: where its random numbers stand, its threads and its switches."""
    numpy = np.random.get_state()  # noqa: NPY002 - what it is that old code draws from
    return {
        "torch's random numbers": torch.get_rng_state().numpy().tobytes(),
        "numpy's random numbers": (numpy[1].tobytes(), *numpy[2:]),  # type: ignore[index, union-attr]
        "Python's random numbers": random.getstate(),
        "torch's threads": torch.get_num_threads(),
        "whether torch keeps gradients": torch.is_grad_enabled(),
        "torch's default type": torch.get_default_dtype(),
    }


@contextmanager
def shared_kept() -> Iterator[None]:
    """What all share is afterwards as it was before."""
    python, numpy, gradients = random.getstate(), np.random.get_state(), torch.is_grad_enabled()  # noqa: NPY002
    kind, threads = torch.get_default_dtype(), torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(numpy)  # noqa: NPY002
            torch.set_grad_enabled(gradients)
            torch.set_default_dtype(kind)
            torch.set_num_threads(threads)


@contextmanager
def shared_stays(call: str) -> Iterator[None]:
    """Refuse a call that moves what all share, which stands meanwhile where no call would put it by itself."""
    with shared_kept():
        for seed in (torch.manual_seed, np.random.seed, random.seed):
            seed(ODD)
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        before = drawn()
        yield
        if changed := [name for name, was in drawn().items() if was != before[name]]:
            raise CheckFailed(
                f"{call} changed {' and '.join(changed)}, which is everyone's: let a generator of its own draw, "
                "torch.Generator().manual_seed(seed), and leave threads and switches alone."
            )


@contextmanager
def empty_store() -> Iterator[None]:
    """Nothing has been made yet, and what is made in here is forgotten."""
    with tempfile.TemporaryDirectory() as folder, variables({"MISTRUST_STORE": folder}):
        yield


def kept(record: Record, before: dict[str, Any], call: str) -> None:
    """A record is as it was before a call; `before` is what `copies` gave."""
    if changed := changes(record, before):
        raise CheckFailed(f"{call} changed {', '.join(changed)}.")


def same(found: Tensor, wanted: Tensor, what: str) -> None:
    """Scores (n,) are equal to the last bit."""
    if not torch.equal(found, wanted):
        raise CheckFailed(f"A supervisor {what} scores differently: {_first(found, wanted)}.")


def close(found: Tensor, wanted: Tensor, what: str) -> None:
    """Equal to what rounding does: products of other sizes are summed in another order."""
    finite = wanted[torch.isfinite(wanted)].abs()
    scale = float(finite.max()) if len(finite) else 0.0
    if not torch.allclose(found, wanted, rtol=1e-5, atol=1e-6 * scale):
        raise CheckFailed(f"Scores {what} are not the usual ones: {_first(found, wanted)}.")


def _first(found: Tensor, wanted: Tensor) -> str:
    if found.shape != wanted.shape:
        return f"shape {tuple(found.shape)}, expected {tuple(wanted.shape)}"
    row = int((found - wanted).abs().nan_to_num(torch.inf, torch.inf).argmax())
    return f"row {row} has {float(found[row]):.8g}, expected {float(wanted[row]):.8g}"


def refused(
    call: Callable[[], object], words: Sequence[str], what: str, kind: type[MistrustError] = MistrustError
) -> None:
    """A call is refused by an error of this kind, whose message has these words."""
    try:
        call()
    except kind as error:
        if BROKEN in str(error):
            raise CheckFailed(
                f"{what}: nothing looked at it before it was scored: {error} mistrust.supervisors.features looks at "
                "every number of a layer."
            ) from error
        if lacking := [word for word in words if word not in str(error)]:
            raise CheckFailed(f"{what}: the message does not say {' nor '.join(lacking)}: {error}") from error
    except Exception as error:
        raise CheckFailed(f"{what}: {type(error).__name__}: {error} Expected a {kind.__name__}.") from error
    else:
        raise CheckFailed(f"{what} raised nothing, expected a {kind.__name__}.")


def asks(call: Callable[[], Tensor], words: Sequence[str], what: str, wanted: Tensor) -> None:
    """Refused by a message with these words, or the same scores as if nothing were lacking."""
    try:
        scores = call()
    except MistrustError as error:
        if lacking := [word for word in words if word not in str(error)]:
            raise CheckFailed(f"{what}: the message does not say {' nor '.join(lacking)}: {error}") from error
    except Exception as error:
        raise CheckFailed(f"{what}: {type(error).__name__}: {error} Expected a MistrustError.") from error
    else:
        close(scores, wanted, what)
