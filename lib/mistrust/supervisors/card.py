"""`Card`: what a supervisor is, in the words that listings, method pages and errors use."""

from dataclasses import dataclass

from mistrust.errors import MistrustError, check_known

# What a record may have to hold, and what to write so that it does. "layer" and "layers" are named by parameters.
NEEDS: dict[str, str] = {
    "logits": "observe(classifier, images)",
    "labels": "observe(classifier, images) of labelled images",
    "samples": "observe(classifier, images, samples=32)",
    "members": "observe(classifier, images, members=[second, third])",
    "layer": 'observe(classifier, images, layers=["NAME"])',
    "layers": 'observe(classifier, images, layers=["FIRST", "SECOND"])',
    "pixels": "observe(classifier, images)",
    "network": "wrap(a torch module, ...)",
}

# Families: how a supervisor sees an input. Chapters group by them.
FAMILIES: dict[str, str] = {
    "softmax": "Reads one softmax or logit vector",
    "sampling": "Reads many passes with dropout on",
    "ensemble": "Reads several networks",
    "layers": "Reads what classifiers of hidden layers say",
    "surprise": "Compares activations with those of training images",
    "reconstruction": "Reads how well an autoencoder rebuilds the image",
    "gradient": "Reads the softmax after a step along the network's gradient",
}


@dataclass(frozen=True)
class Card:
    """What one supervisor is.

    Attributes
    ----------
    title : what a reader calls it.
    family : an entry of `FAMILIES`.
    paper : authors, title, venue and year.
    section : where the paper defines it.
    link : where the paper is found.
    needs : entries of `NEEDS` that scoring reads, "logits" among them only where they are read.
    fits : entries of `NEEDS` that fitting reads beyond the layers among `needs` and the number of classes.
    cost : one sentence on time and memory, of fitting and of scoring.
    limits : one sentence on when it cannot tell, for the method page.

    Raises
    ------
    MistrustError
        A family or a need that is in no table; needs that are no tuple; an empty text.

    Examples
    --------
    >>> card = SUPERVISORS["mdsa"].card
    >>> card.title, card.family, card.needs
    ('Mahalanobis-Distance-based Surprise Adequacy', 'surprise', ('logits', 'layer'))
    >>> [name for name in ("deep_gini", "dsa", "odin") if SUPERVISORS[name].card.family == "softmax"]
    ['deep_gini']
    """

    title: str
    family: str
    paper: str
    section: str
    link: str
    needs: tuple[str, ...]
    cost: str
    fits: tuple[str, ...] = ()
    limits: str = ""

    def __post_init__(self) -> None:
        check_known("family of supervisors", self.family, FAMILIES)
        for name in ("needs", "fits"):
            if isinstance(getattr(self, name), str):  # of which each letter would be one
                raise MistrustError(
                    f"The card of supervisor '{self.title}' has {name}={getattr(self, name)!r}, expected a tuple: "
                    f"({getattr(self, name)!r},)."
                )
        for need in self.reads:
            check_known("need of a supervisor", need, NEEDS)
        for what in ("title", "paper", "section", "link", "cost"):
            if not getattr(self, what).strip():
                raise MistrustError(f"The card of supervisor '{self.title}' has no {what}.")

    @property
    def reads(self) -> tuple[str, ...]:
        """What scoring or fitting reads, each once."""
        return tuple(dict.fromkeys((*self.needs, *self.fits)))

    @property
    def learns(self) -> bool:
        """Whether fitting takes more from the images than the number of classes."""
        return bool(self.fits or {"layer", "layers"} & {*self.needs})
