"""Table "cost": passes of the network beyond the one that answers, and what a scorer must keep."""

from collections.abc import Iterator, Mapping

from torch import Tensor

from mistrust.comparison.tables import BYTES, PASSES, Row, Said


def cost(tensors: Mapping[str, Tensor], nominal: Said) -> Iterator[Row]:
    """Rows of every scorer: mean passes on nominal images, forward or backward, and bytes learnt.

    Seconds are not here: they depend on the machine, and `benchmarks/comparison.py` measures them.
    """
    for name in nominal.by:
        row = {"table": "cost", "method": name, "n": len(nominal.by[name])}
        passes = float(tensors[f"{nominal.name}|{PASSES}|{name}"])
        yield {**row, "condition": nominal.name, "metric": "passes", "value": passes}
        yield {**row, "metric": "bytes", "value": float(tensors[f"{BYTES}|{name}"])}
