"""What only the data can tell of parameters: refused before hours are spent."""

from mistrust.errors import MistrustError
from mistrust.networks import ARCHITECTURES
from mistrust.search.experiment.parameters import Parameters, authors_file, present
from mistrust.search.experiment.subjects import Subject
from mistrust.search.mechanisms import MECHANISMS
from mistrust.search.replicates import subset_size
from mistrust.search.residual import FIT, FITS


def check(parameters: Parameters) -> None:
    """Refuse what the image sets cannot give.

    Raises
    ------
    MistrustError
        Image sets that are not at hand, or too small for the parts; images that are too small for a network; more
        queries than a pool could ever answer; F on every subset of pools too small for it; a file of the authors' rows
        that is named and not there.

    Examples
    --------
    >>> check(Parameters())  # nothing is said
    >>> check(Parameters(test_images=5000))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: 'mnist5k' has 1,000 images of these classes, 5,250 are wanted ...
    >>> check(Parameters(pool_cap=60, refit=True))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: refit fits F on every subset, and of a pool of 60 (pool_cap) a subset is 26: ...
    >>> check(Parameters(budget=5000))
    Traceback (most recent call last):
    mistrust.errors.MistrustError: budget is 5,000, and of the 750 test images of 'few_digits' a search is given ...
    """
    p = parameters
    for mechanism in present(p):
        for dose in p.doses_of(mechanism):
            one = Subject(p, mechanism, dose, 0)
            parts = MECHANISMS[mechanism].parts(dose, one.seed, one.own["sizes"])
            channels, height, width = parts.test.images.shape[1:]
            ARCHITECTURES[one.network].build(channels, (height, width), len(parts.classes))
            _enough_to_ask(p, mechanism, len(parts.test))
    _enough_to_fit(p)
    path = authors_file(p)
    if path is not None and not path.is_file():
        raise MistrustError(
            f"authors names {p.authors}, which is no file. Correct it, or leave it empty: the rows are then read where "
            "MISTRUST_DATA has them, and left out elsewhere."
        )


def _enough_to_ask(p: Parameters, mechanism: str, images: int) -> None:
    """Were all test images in one pool, it could still be too small."""
    most = subset_size(images)
    if p.budget > most:
        raise MistrustError(
            f"budget is {p.budget:,}, and of the {images:,} test images of '{mechanism}' a search is given {most:,} at "
            "most (44% of its pool, which holds only those of one predicted class). Lower budget, or raise test_images."
        )


def _enough_to_fit(p: Parameters) -> None:
    """Were all pools as large as they may be, their subsets could still be too small for a window of F."""
    size, least = subset_size(p.pool_cap), FITS[FIT].least
    if p.refit and p.fraction * size < least:
        raise MistrustError(
            f"refit fits F on every subset, and of a pool of {p.pool_cap:,} (pool_cap) a subset is {size:,}: a window "
            f"of {p.fraction:g} of these (fraction) holds fewer than the {least} that a fit needs. Raise pool_cap or "
            "fraction, or leave refit out."
        )
