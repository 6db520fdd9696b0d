"""`mistrust ambiguous make`: truly ambiguous images of any labelled set, released as a folder."""

from argparse import Namespace
from math import inf
from typing import Any

from mistrust.errors import MistrustError
from mistrust.publishing.commands.console import say, size, table


def make(options: Namespace) -> int:
    """Train, draw and write; or say what would be made."""
    from mistrust.ambiguity.making import make_set
    from mistrust.ambiguity.planning import Making, plan

    if options.z_bound is not None and not 0 < options.z_bound < inf:
        raise MistrustError(f"--z-bound is {options.z_bound:g}, expected a positive number of standard deviations: 3.")
    given = {
        "train": options.train, "test": options.test, "models": options.models, "tries": options.tries,
        "z_bound": options.z_bound, "epochs": options.epochs, "batch": options.batch, "label": options.label,
        "weight": options.weight, "pooled": options.pooled, "shared": options.shared,
        "gates_as_coded": options.gates_as_coded, "leave_out": options.leave_out, "cells": options.cells,
        "latent": options.latent, "seed": options.seed, **_deltas(options.delta_max),
    }  # fmt: skip
    making = Making.of({name: value for name, value in given.items() if value is not None})
    pairs = None if options.pairs is None else [one.strip() for one in options.pairs.split(",") if one.strip()]
    wanted: dict[str, Any] = {"pairs": pairs, "out": options.out, "licence": options.licence}
    if options.formats is not None:
        wanted["formats"] = tuple(one.strip() for one in options.formats.split(",") if one.strip())
    if options.dry_run:
        say(plan(options.set, making, **wanted).text)
        return 0
    made = make_set(options.set, making, **wanted, device=options.device)
    tried, passed = int(made.acceptance["members"].sum()), int(made.acceptance["survivors"].sum())
    left = made.train.made_by["left_out"]
    say(f"{passed} of {tried} autoencoders passed the gates; {len(made.acceptance) - len(left)} pairs of classes")
    if left:
        say(f"Left out, since too few autoencoders passed: {', '.join(left)}")
    if made.folder is not None:
        files = sorted(path for path in made.folder.rglob("*") if path.is_file())
        say(table([(path.relative_to(made.folder), size(path.stat().st_size)) for path in files]))
        say(f"{len(made.train):,} train and {len(made.test):,} test images in {made.folder}")
    return 0


def _deltas(given: str | None) -> dict[str, float]:
    """`0.4,0.25` for train and test, or one number for both."""
    if given is None:
        return {}
    try:
        numbers = [float(one) for one in given.split(",")]
    except ValueError:
        numbers = list[float]()
    if len(numbers) not in (1, 2) or not all(0 < one <= 1 for one in numbers):
        raise MistrustError(
            f"--delta-max is '{given}', expected one number in (0, 1], or two, for train and test: 0.4,0.25"
        )
    return {"delta_train": numbers[0], "delta_test": numbers[-1]}
