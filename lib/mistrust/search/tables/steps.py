"""Table "steps": one search of a whole pool query by query, with its pictures, for whoever steps through it."""

from collections.abc import Iterator, Sequence

from mistrust.data import ImageSet
from mistrust.inputs import to_uint8
from mistrust.pictures import pack
from mistrust.search import measures
from mistrust.search.tables import Row
from mistrust.search.tables.hunted import Hunted


def steps(one: Hunted, images: ImageSet, order: Sequence[int], method: str) -> Iterator[Row]:
    """Rows of each query: `level` counts from 1; the row "answer" (1: the prediction is wrong) carries the picture.

    Parameters
    ----------
    images : the test images, by whose ids those of the pool are found.
    order : rows of the pool as they are asked about.
    """
    place = {id: row for row, id in enumerate(images.ids.tolist())}
    rows = list(order)
    running = measures.sdr(one.errors[rows], one.pool.confidence[rows])
    for number, row in enumerate(rows, 1):
        common = {"table": "steps", "method": method, "at": one.at, "level": number}
        pixels = images.images[place[int(one.pool.ids[row])]]
        shown = to_uint8(pixels) if pixels.is_floating_point() else pixels
        yield {**common, "metric": "answer", "value": float(one.errors[row]), "note": pack(shown)}
        yield {**common, "metric": "confidence", "value": float(one.pool.confidence[row])}
        yield {**common, "metric": "sdr", "value": float(running[number - 1])}
