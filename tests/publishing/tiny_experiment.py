"""An experiment of two pieces that takes no time; what the runner's tests run."""

import os
import time
from dataclasses import dataclass
from functools import partial

import pandas as pd

from mistrust import engine
from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.parameters import Checked, parameter
from mistrust.store import made, maker


@dataclass(frozen=True)
class Parameters(Checked):
    networks: int = parameter(2, "how many", low=1, high=8, source="section 1")
    rate: float = parameter(0.5, "how fast", low=0.0, high=1.0)
    data: str = parameter("digits", "which images")
    flag: bool = parameter(True, "whether to")
    levels: tuple[int, ...] = parameter((1, 2), "how much", low=1, high=9)
    limit: float | None = parameter(None, "where to stop")


PIECE = maker("tiny-piece", version=1, content="table")
MAKERS = (PIECE,)


def inputs(parameters):
    return {f"{parameters.data}/test": "0123456789abcdef0123"}


def pieces(parameters):
    return [f"network {i}" for i in range(parameters.networks)]


def missing(parameters, name):
    from mistrust.store import why

    return why(PIECE, _spec(parameters, name))


def _spec(parameters, name):
    return {"rate": parameters.rate, "flag": parameters.flag, "piece": name}


def piece(parameters, name):
    if os.environ.get("TINY_BAD") == name:
        raise MistrustError(f"{name} is bad")

    def make(_):
        time.sleep(float(os.environ.get("TINY_SECONDS", "0")))
        value = parameters.rate * (1 + pieces(parameters).index(name))
        return tidy.table([{"table": "values", "metric": "value", "seed": int(name[-1]), "value": value, "n": 3}])

    return made(PIECE, _spec(parameters, name), make).assign(data=parameters.data)


def rows(parameters):
    names = pieces(parameters)
    frames = engine.map(partial(piece, parameters), names, names=names, label="networks")
    return tidy.check(pd.concat(frames, ignore_index=True))
