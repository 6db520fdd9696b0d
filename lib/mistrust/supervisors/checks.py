"""The contract of a supervisor as checks that run: on those of the table, and on your own.

In a test of yours, with every check a case that names supervisor and law ("dsa: score of a subset"):

    @pytest.mark.parametrize("check", list(checks(MySupervisor)), ids=str)
    def test_my_supervisor(check):
        check()
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from mistrust.errors import MistrustError
from mistrust.supervisors.contract import SUPERVISORS, Supervisor, check_supervisor
from mistrust.supervisors.judging import CheckFailed
from mistrust.supervisors.laws import Laws, Make

__all__ = ["Check", "CheckFailed", "Make", "all_checks", "checks"]


@dataclass(frozen=True)
class Check:
    """One law, on one supervisor. Calling it checks; a broken law raises `CheckFailed`.

    Attributes
    ----------
    supervisor, name : whose check it is, and which.
    law : what must hold, in one sentence.
    run : the check itself.

    Examples
    --------
    >>> from mistrust.supervisors import make_supervisor
    >>> one = next(one for one in checks(lambda: make_supervisor("max_softmax")) if one.name == "one row scored")
    >>> one.law
    'One image alone gets the score that it has among others.'
    >>> one()  # the law holds: nothing is said
    """

    supervisor: str
    name: str
    law: str
    run: Callable[[], None]

    def __call__(self) -> None:
        """Check."""
        try:
            self.run()
        except CheckFailed as error:
            raise CheckFailed(f"{self}: {error} The law: {self.law}") from None
        except Exception as error:
            of_its_own = isinstance(error, AttributeError) and isinstance(error.obj, Supervisor)
            more = " What `_fit` learns it has to return: nothing else is kept." * of_its_own
            raise CheckFailed(f"{self}: {type(error).__name__}: {error}{more} The law: {self.law}") from error

    def __str__(self) -> str:
        return f"{self.supervisor}: {self.name}"


def checks(make: Make) -> Iterator[Check]:
    """Give the checks of a supervisor, each independent of the others and quick where fitting is.

    Parameters
    ----------
    make : makes a new one, with parameters that need little time (`lambda: Autoencoder(epochs=20)`) and without the
        names of layers: the made-up network has its own. The card decides what is recorded and which checks there are.
        A class that stands in no table (`@supervisor("NAME")` puts it there) fails one of them, "save and load": what
        is saved is found again by its name.

    Raises
    ------
    MistrustError
        It cannot be called, being a name, say, or a supervisor already; what it makes is no `Supervisor`.

    Examples
    --------
    >>> from mistrust.supervisors.softmax import MaxSoftmax
    >>> [str(one) for one in checks(MaxSoftmax)][:2]
    ['max_softmax: fit returns self', 'max_softmax: fitting again']
    """
    if not callable(make):
        given: Any = make
        shown, known = (f"'{given}'", given) if isinstance(given, str) else (f"a {type(given).__name__}", "NAME")
        raise MistrustError(
            f"Checks make supervisors, one after another, and were given {shown}: give a class of supervisors, or a "
            f'function that makes one, checks(lambda: make_supervisor("{known}", ...)).'
        )
    one = make()
    check_supervisor(one)
    name = one.name if one.name in SUPERVISORS and SUPERVISORS[one.name] is type(one) else type(one).__name__
    reads_layers = bool({"layer", "layers"} & {*one.card.reads})
    laws = Laws(make)
    for title, law, run in (
        ("fit returns self", "fit gives the supervisor itself.", laws.returns_self),
        (
            "fitting again",
            "What is learnt comes of the record alone, whatever was fitted or stored before.",
            laws.refit,
        ),
        ("nothing else changes", "No record, network, parameter or shared random numbers change.", laws.unchanged),
        ("form of the scores", "Scores are float64 (n,) on the CPU, never NaN.", laws.form),
        ("score of a subset", "An image's score does not depend on the images beside it.", laws.subset),
        ("scored again", "A record keeps its scores, and scoring draws no shared random numbers.", laws.again),
        ("true labels", "Neither fitting nor scores depend on true labels, unless its card says so.", laws.true_labels),
        ("one row scored", "One image alone gets the score that it has among others.", laws.one_row),
        ("one training row", "One training row gives scores or a MistrustError.", laws.one_training_row),
        ("one feature", "A layer of one unit gives scores or a MistrustError.", laws.one_feature),
        ("NaN is refused", "NaN in what is read is a MistrustError that names it.", laws.refuses_nan),
        ("ends of what is read", "No image and no numbers of any size score NaN.", laws.ends),
        ("not fitted", "score before fit raises NotFitted.", laws.not_fitted),
        ("other classes", "A record of other classes than fitted is a MistrustError.", laws.other_classes),
        ("what is lacking", "A lacking part is computed, or the error names the call that records it.", laws.lacking),
        ("save and load", "A saved one scores the same, bit for bit.", laws.round_trip),
        ("higher is worse", "Images that are clearly worse have higher scores.", laws.higher_is_worse),
    ):
        if title != "one feature" or reads_layers:
            yield Check(name, title, law, run)


def all_checks(makes: Iterable[Make]) -> list[Check]:
    """Give the checks of several supervisors, for `pytest.mark.parametrize("check", ..., ids=str)`.

    Examples
    --------
    >>> from mistrust.supervisors.softmax import DeepGini, MaxSoftmax
    >>> found = all_checks([MaxSoftmax, DeepGini])
    >>> sorted({one.supervisor for one in found})
    ['deep_gini', 'max_softmax']
    >>> found[0].name
    'fit returns self'
    """
    return [check for make in makes for check in checks(make)]
