"""Would it help to train longer, or to draw points no farther out than training images lie? Measured, not in use."""

from collections.abc import Iterable
from dataclasses import replace

from mistrust.ambiguity.experiment.material import Material
from mistrust.ambiguity.members import Member
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.tables import Row
from mistrust.ambiguity.tables.made import acceptance, autoencoders
from mistrust.ambiguity.tables.performed import performed
from mistrust.ambiguity.training import trained
from mistrust.errors import MistrustError
from mistrust.networks import observe, one_hot


def longer(one: Material) -> Iterable[Row]:
    """Train the first autoencoders of each pair that is left out anew, and longer: what the gates read, how many pass.

    `level` counts passes.
    """
    p, before = one.parameters, one.training
    left = sorted(set(one.tried.pairs) - set(one.pairs))
    training = replace(before, epochs=p.longer * before.epochs)
    common = {"table": "longer", "level": training.epochs}
    yield {**common, "metric": "pairs", "value": len(left), "n": len(set(one.tried.pairs))}
    if not left:
        return
    members = [Member(*pair, p.seed + k) for k in range(p.models) for pair in left]
    design = Design(one.train.images[0].numel(), len(one.train.classes))
    tried = trained(one.train, members, design, training)
    yield from ({**row, **common} for row in autoencoders(tried))
    for row in acceptance(tried, p.models):
        if row["method"] == "default":
            yield {**row, **common, "method": ""}


def bounds(one: Material) -> Iterable[Row]:
    """Table I of one classifier of each kind, trained and tested on sets whose grid reaches less or more far.

    `level` is the bound; that in use is among them. A bound at which a decoder has no ambiguous point has one row that
    says so.
    """
    p = one.parameters
    for bound in sorted({*p.bounds, p.z_bound}):
        common = {"table": "bounds", "level": bound}
        try:
            train, test = one.reaching(bound)
        except MistrustError as error:
            yield {**common, "method": "mixed", "metric": "images", "value": 0, "n": p.test, "note": str(error)}
            continue
        parts = {"nominal": (one.test, one_hot(one.test).double()), "ambiguous": (test.image_set(), test.soft)}
        mixed = one.beside(train)
        for architecture in p.architectures:
            network = one.taught(mixed, train.soft, architecture, 0)
            for condition, (images, soft) in parts.items():
                for row in performed("mixed", condition, observe(network, images).logits, soft, images.labels):
                    yield {**row, **common, "network": architecture, "seed": p.seed}
