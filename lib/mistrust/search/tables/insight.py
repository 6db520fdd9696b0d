"""Table "insight": an error, the nearest image that is called otherwise, and a prototype (Figure 9)."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from mistrust.data import ImageSet
from mistrust.inputs import to_uint8
from mistrust.pictures import pack
from mistrust.search import calibration
from mistrust.search.attack.found import Distances
from mistrust.search.mechanisms import Panel
from mistrust.search.tables import Row
from mistrust.search.tables.hunted import Hunted
from mistrust.search.tables.orders import AD
from mistrust.search.tables.superpixels import alone, speaking

ERROR, NEAREST, PROTOTYPE = 1, 2, 3


def insight(panel: Panel, one: Hunted, order: Sequence[int], nearest: Callable[[ImageSet], Distances]) -> Iterator[Row]:
    """Pictures of the first error that a search finds, of the nearest image of the other class, and of a prototype.

    The prototype is the image, correctly called the critical class, whose Adversarial Distance (the residual) is
    largest. The paper shows the same three, and LIME's superpixels, for one error of each of its data sets.

    Parameters
    ----------
    order : rows of the pool as the search asks about them.
    nearest : finds images of another class, by the distance that the pool's own are.

    Yields
    ------
    Row
        `level` tells which: 1 the error, 2 the nearest, 3 the prototype. Metric "shown" is the confidence in the class
        that the network calls the image; "speaking" by how many logits that class's lead falls without the superpixels
        that speak most for it, which are all that its picture has; "mae" how far the image is from the other class, in
        grey levels. Nothing where no error is found, no image is right, or the error has no other class near.
    """
    errors = [row for row in order if one.errors[row]]
    right = np.flatnonzero(~one.errors)
    if not errors or not len(right) or one.pool.residual is None or one.pool.distance is None:
        return
    prototype = int(right[one.pool.residual[right].argmax()])
    both = one.images(panel.parts.test, [errors[0], prototype])
    found = nearest(both.take([0]))
    if not found.success[0]:
        return
    critical = panel.classes.index(one.at)
    three = {
        ERROR: (both.take([0]), critical),
        NEAREST: (both.take([0]).with_images(found.images.cpu()), 1 - critical),
        PROTOTYPE: (both.take([1]), critical),
    }
    common = {"table": "insight", "method": AD, "at": one.at}
    for level, (image, label) in three.items():
        pixels = image.images[0]
        whole = to_uint8(pixels) if pixels.is_floating_point() else pixels
        spoken = speaking(panel.classifier, image, label)
        logits = panel.classifier(image.floats()).detach().cpu().double().numpy()
        share = calibration.softmax(logits, panel.temperature.value)[0, label]
        here = {**common, "level": level}
        yield {**here, "metric": "shown", "value": float(share), "note": pack(whole)}
        rest = alone(whole, spoken.masks[0])
        yield {**here, "metric": "speaking", "value": float(spoken.falls[0]), "note": pack(rest)}
    for level, row in ((ERROR, errors[0]), (PROTOTYPE, prototype)):
        yield {**common, "level": level, "metric": "mae", "value": 255 * float(one.pool.distance[row])}
