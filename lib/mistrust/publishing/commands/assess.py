"""`mistrust assess`: a report on somebody's own classifier."""

import time
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from mistrust.errors import MistrustError
from mistrust.publishing.commands.console import say, size, table

if TYPE_CHECKING:
    from mistrust.assess import Scaling


def assess(options: Namespace) -> int:
    """Read, compute, write, and say what was found."""
    if not options.out:
        raise MistrustError("Where to? Name a folder for the report: --out FOLDER.")
    from mistrust.assess import Asked, check_folder, write
    from mistrust.assess import assess as run

    named = ("model", "images", "train", "outputs", "train_outputs", "classes", "layer")
    asked = Asked(
        **{name: getattr(options, name) or "" for name in named}, scaling=_scaling(options), size=_size(options.size),
        channels=options.channels, limit=options.limit, budget=options.budget, minutes=options.minutes,
        seed=options.seed, trust=options.trust, force=options.force,
    )  # fmt: skip
    check_folder(options.out, asked.model or asked.outputs, [one for one in (asked.images, asked.train) if one])
    begun = time.perf_counter()
    report = run(asked)
    written = write(report, options.out)
    for notice in report.prepared.notices:
        say(f"Note: {notice}")
    for told in report.told.values():
        say(told.headline)
    for reason, names in report.reasons.items():
        say(f"Left out: {', '.join(names)} ({reason})")
    say(table([(path, size(path.stat().st_size)) for path in written]))
    say(f"{time.perf_counter() - begun:.0f} seconds. Open {Path(options.out) / 'index.html'} in a browser.")
    return 0


def _scaling(options: Namespace) -> "Scaling | None":
    from mistrust.assess import Scaling

    if options.mean is None and options.std is None:
        return None
    mean, std = _numbers("--mean", options.mean or "0"), _numbers("--std", options.std or "1")
    if any(one == 0 for one in std):
        raise MistrustError(
            f"--std is {options.std}, expected numbers other than 0: the model sees (image - mean) / std."
        )
    return Scaling("as told", mean, std)


def _numbers(name: str, text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(one) for one in text.split(","))
    except ValueError:
        found = ()
    if len(found) not in (1, 3):
        raise MistrustError(f"{name} is '{text}', expected one number, or three, one per channel: 0.485,0.456,0.406.")
    return found


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    sides = text.lower().split("x")
    if len(sides) not in (1, 2) or not all(one.isdigit() and 1 <= int(one) <= 4096 for one in sides):
        raise MistrustError(f"--size is '{text}', expected HEIGHTxWIDTH in pixels, such as 224x224.")
    return int(sides[0]), int(sides[-1])
