"""The known world: the same generator on images whose true P(c|x) can be computed."""

from mistrust.ambiguity.experiment.parameters import Parameters
from mistrust.ambiguity.experiment.wide import wide
from mistrust.ambiguity.glyphs import fours_and_nines
from mistrust.ambiguity.making import decoders
from mistrust.ambiguity.plain_vae import PlainRecipe, plain_vae
from mistrust.ambiguity.planning import Making, plan
from mistrust.ambiguity.tables import Row
from mistrust.ambiguity.tables.judged import calibration

# Pixels an edge: enough for a stroke to open and close, few enough to be quick; and good autoencoders, whose spread
# gives the interval.
SIZE, MODELS = 16, 3


def known_world(parameters: Parameters) -> list[Row]:
    """Rows of the table "calibration" whose judge is the exact posterior of a world of 4s and 9s."""
    p, world = parameters, fours_and_nines(SIZE)
    images, others = world.draw(p.world_images, p.seed), world.draw(p.world_images, p.seed + 1)
    making = Making(train=1, test=1, models=MODELS, epochs=p.epochs, z_bound=p.z_bound, seed=p.seed)
    _, good = decoders(plan(images, making, licence="not released"))
    vae = plain_vae(images, PlainRecipe(epochs=p.vae_epochs), p.seed)
    found: list[Row] = []
    for place, member in enumerate(good.members):
        for one in wide(good.take([place]), others, vae, p.test, p.z_bound, member.seed):
            truth = world.posterior(one.images.images)[:, 0].numpy()
            for method, stated in one.stated.items():
                rows = calibration("known world", method, stated, truth, one.clusters, 0, p.seed)
                found += [{**row, "seed": member.seed} for row in rows]
    return found
