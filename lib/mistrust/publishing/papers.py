"""The papers whose claims the book checks: one entry each, with what the book calls it."""

from dataclasses import dataclass

from mistrust.registry import Registry


@dataclass(frozen=True)
class Paper:
    """One paper.

    Parameters
    ----------
    name : what `data/published/claims.csv` calls it ("mlm").
    title : what it is about, in a few words, for heads of tables and lists.
    cite : its key in `book/references.bib`.
    """

    name: str
    title: str
    cite: str


PAPERS: Registry[Paper] = Registry("paper", "mistrust claims")

for _paper in (
    Paper("mlm", "Misclassification likelihood", "sikar2024mlm"),
    Paper("ambiguess", "True ambiguity", "weiss2022ambiguess"),
    Paper("farm", "Safety monitors", "ferreira2021monitors"),
    Paper("urem", "Noise, regions and depth", "urem"),
    Paper("adversarial-distance", "High-confidence errors", "bennette2020distances"),
):
    PAPERS.add(_paper.name, _paper)
