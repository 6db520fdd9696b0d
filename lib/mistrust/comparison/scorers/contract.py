"""Every supervisor and every monitor of the two papers on supervision, as scorers: they share one contract already."""

from dataclasses import fields
from functools import partial
from typing import Any

import torch

from mistrust.comparison.scorers.scorer import SCORERS, Reading, Scored, Scorer, Watched
from mistrust.networks import DROPOUTS, Record
from mistrust.supervisors import SUPERVISORS, Supervisor, needed

SURPRISE = ("dsa", "lsa", "mdsa", "outside_the_box")  # read the layer that surprise adequacy reads
BACKWARD = {"odin": 2}  # one pass back, and one forward again
SAMPLES = 16


def reading(name: str, watched: Watched) -> Reading | None:
    """Fit a supervisor of the table; None where the classifier has no dropout or no layers for it."""
    card, settings = SUPERVISORS[name].card, dict(watched.settings.get(name, {}))
    needs = card.reads
    drops = any(isinstance(one, DROPOUTS) for one in watched.classifier.module.modules())
    if ("samples" in needs and not drops) or ("layers" in needs and not watched.layers):
        return None
    if "members" in needs and not watched.members:
        return None
    one = _made(name, watched, settings)
    samples = int(watched.settings.get("all", {}).get("samples", SAMPLES))
    asks = needed([one], samples=samples, members=watched.members)
    # What learns nothing but the classes may read samples or members, which nobody records of all images.
    small = watched.train if card.learns else _small(watched, asks)
    one.fit(small)
    more = BACKWARD.get(name, 0) + (samples if "samples" in needs else 0)
    more += len(watched.members) if "members" in needs else 0
    return Reading(partial(_score, one, more), asks, _bytes(one, watched if "members" in needs else None))


def _made(name: str, watched: Watched, settings: dict[str, Any]) -> Supervisor:
    known = {one.name for one in fields(SUPERVISORS[name])}  # pyrefly: ignore[bad-argument-type]
    given = {
        "layer": watched.hidden if name in SURPRISE else watched.features,
        "layers": watched.layers,
        "seed": watched.seed,
        **settings,
    }
    return SUPERVISORS[name](**{key: value for key, value in given.items() if key in known})


def _small(watched: Watched, asks: dict[str, Any]) -> Record:
    from mistrust.networks import observe

    return observe(watched.classifier, watched.train.images.take(slice(0, 2)), **asks, seed=watched.seed)


def _score(one: Supervisor, more: int, record: Record) -> Scored:
    values = one.score(record)
    return Scored(values, torch.full_like(values, float(more)))


def _bytes(one: Supervisor, ensemble: Watched | None) -> int:
    learnt = 0 if one.fitted is None else sum(v.numel() * v.element_size() for v in one.fitted.state.values())
    members = ensemble.members if ensemble is not None else ()
    return learnt + sum(v.numel() * v.element_size() for m in members for v in m.module.state_dict().values())


for _name, _entry in SUPERVISORS.items():
    SCORERS.add(
        _name, Scorer(_entry.card.title, _entry.card.family, _entry.card.paper, False, partial(reading, _name))
    )  # fmt: skip
