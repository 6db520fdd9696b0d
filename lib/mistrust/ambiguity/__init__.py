"""Truly ambiguous images: made, labelled, released and measured (AmbiGuess)."""

from mistrust.ambiguity.adversarial import Training
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.autoencoder import Autoencoders
from mistrust.ambiguity.composition import AS_PUBLISHED, Composition, compose, to_bytes
from mistrust.ambiguity.decoders import Decoders
from mistrust.ambiguity.formats import FORMATS
from mistrust.ambiguity.gates import accepted, by_pair, require
from mistrust.ambiguity.glyphs import fours_and_nines
from mistrust.ambiguity.grid import Grid
from mistrust.ambiguity.jacobian import WEIGHTS, weights
from mistrust.ambiguity.known_world import World
from mistrust.ambiguity.labels import LABELS, gap, probabilities
from mistrust.ambiguity.making import Made, make_set
from mistrust.ambiguity.members import Member, members_of
from mistrust.ambiguity.plain_vae import PLAIN_VAE, PlainRecipe, PlainVae
from mistrust.ambiguity.planning import Making, Plan, plan
from mistrust.ambiguity.rivals import midpoints, mixed
from mistrust.ambiguity.sampling import PUBLISHED, Points, Scheme, draw
from mistrust.ambiguity.stacked import Design
from mistrust.ambiguity.training import AUTOENCODERS, trained

__all__ = [
    "AS_PUBLISHED",
    "AUTOENCODERS",
    "FORMATS",
    "LABELS",
    "PLAIN_VAE",
    "PUBLISHED",
    "WEIGHTS",
    "AmbiguousSet",
    "Autoencoders",
    "Composition",
    "Decoders",
    "Design",
    "Grid",
    "Made",
    "Making",
    "Member",
    "PlainRecipe",
    "PlainVae",
    "Plan",
    "Points",
    "Scheme",
    "Training",
    "World",
    "accepted",
    "by_pair",
    "compose",
    "draw",
    "fours_and_nines",
    "gap",
    "make_set",
    "members_of",
    "midpoints",
    "mixed",
    "plan",
    "probabilities",
    "require",
    "to_bytes",
    "trained",
    "weights",
]
