"""Surprise adequacy: three measures of how far an input's activations lie from those of training inputs."""

from mistrust.supervisors.surprise.distance import DSA, dsa, part_of
from mistrust.supervisors.surprise.groups import members
from mistrust.supervisors.surprise.likelihood import LSA, Density, density, lsa
from mistrust.supervisors.surprise.mahalanobis import COVARIANCES, MDSA, Ellipsoid, ellipsoid, mdsa
from mistrust.supervisors.surprise.neighbours import Nearest, nearest

__all__ = [
    "COVARIANCES",
    "DSA",
    "LSA",
    "MDSA",
    "Density",
    "Ellipsoid",
    "Nearest",
    "density",
    "dsa",
    "ellipsoid",
    "lsa",
    "mdsa",
    "members",
    "nearest",
    "part_of",
]
