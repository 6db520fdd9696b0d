"""The generator on another kind of images, pictures and gates alone: does it work beyond digits and clothes?"""

from mistrust.ambiguity import gates
from mistrust.ambiguity.experiment.parameters import Parameters
from mistrust.ambiguity.members import Member
from mistrust.ambiguity.planning import plan
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.tables import Row
from mistrust.ambiguity.tables.made import acceptance, autoencoders
from mistrust.ambiguity.tables.shown import interpolation
from mistrust.ambiguity.training import trained
from mistrust.data import load


def trial(parameters: Parameters) -> list[Row]:
    """Rows of the tables "autoencoders", "acceptance" and "interpolation" of the trial's set.

    Nothing is tried again: what fails the gates is shown, too, and the table "acceptance" says so.
    """
    images = load(parameters.trial, "train")
    wanted = plan(images, parameters.making, pairs=parameters.trial_pairs or None, licence="not released")
    seeds = range(parameters.seed, parameters.seed + parameters.models)
    members = [Member(*pair, seed) for seed in seeds for pair in wanted.pairs]
    design = Design(images.images[0].numel(), len(images.classes))
    tried = trained(images, members, design, wanted.training)
    passed = gates.accepted(tried).tolist()
    # Of each pair one that passed, where one did.
    best = {pair: max((passed[i], -i) for i, own in enumerate(tried.pairs) if own == pair) for pair in wanted.pairs}
    shown = tried.take([-place for _, place in best.values()])
    return [*autoencoders(tried), *acceptance(tried, parameters.models), *interpolation(shown)]
