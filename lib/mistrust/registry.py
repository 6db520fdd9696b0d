"""Tables of named entries: data sets, architectures, perturbations, supervisors, claims' tests, chapters.

An entry is added where it is defined and found by name; everything that lists a table takes it up.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Generic, TypeVar, cast

from mistrust.errors import MistrustError, UnknownName

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A read-only mapping from names to entries that knows what its entries are called.

    Parameters
    ----------
    what : what one entry is, in the singular, for messages ("perturbation").
    listing : the command that lists the table, for messages ("mistrust list perturbations").

    Examples
    --------
    >>> SHAPES = Registry[int]("shape")
    >>> SHAPES.add("square", 4)
    4
    >>> SHAPES["sqare"]
    Traceback (most recent call last):
    mistrust.errors.UnknownName: There is no shape 'sqare'. Did you mean 'square'? Known: square.
    """

    def __init__(self, what: str, listing: str | None = None) -> None:
        self.what = what
        self.listing = listing
        self._entries: dict[str, T] = {}

    def add(self, name: str, entry: T) -> T:
        """Add one entry and give it back; a name taken by another entry is refused.

        A class takes the place of one of the same module and name: a notebook's cell may be run again.

        Examples
        --------
        >>> SHAPES = Registry[type]("shape")
        >>> for _ in range(2):
        ...     class Square: ...
        ...     shown = SHAPES.add("square", Square)
        >>> SHAPES["square"] is Square
        True
        """
        if name in self._entries and not _again(entry, self._entries[name]):
            raise MistrustError(f"There is a {self.what} '{name}' already: give the new one another name.")
        self._entries[name] = entry
        return entry

    def entry(self, name: str) -> Callable[[T], T]:
        """The same as a decorator."""

        def decorate(entry: T) -> T:
            return self.add(name, entry)

        return decorate

    def parameterised(self, name: str) -> Callable[[T], T]:
        """The same for a class whose parameters are its fields: it must be a dataclass, and has the name as `name`.

        Raises
        ------
        MistrustError
            No dataclass, or a name that is taken.
        """

        def decorate(entry: T) -> T:
            if not is_dataclass(entry):
                raise MistrustError(
                    f"{self.what.capitalize()} '{name}' is no dataclass: its fields are its parameters."
                )
            self.add(name, entry)
            cast(Any, entry).name = name
            return entry

        return decorate

    def made(self, name: str, parameters: Mapping[str, Any]) -> Any:
        """Make one of a class that `parameterised` put here, with parameters by name.

        Raises
        ------
        UnknownName
            A name or a parameter that is not there; the nearest is named.
        MistrustError
            No name, such as the class itself; a word or a number where a parameter is a switch: Python takes "no"
            for True.
        """
        if not isinstance(name, str):
            itself = f": {name.__name__}(...) makes one without it" if isinstance(name, type) else ""
            raise MistrustError(
                f"make_{self.what} takes the name of a {self.what}, such as '{next(iter(self))}', got "
                f"{_shown(name)}{itself}."
            )
        cls: Any = self[name]
        known = {field.name: field.default for field in fields(cls)}
        for given, value in parameters.items():
            if given not in known:
                raise UnknownName(f"parameter of {self.what} '{name}'", given, known)
            if isinstance(known[given], bool) and not isinstance(value, bool):
                raise MistrustError(f"{given} of {self.what} '{name}' is {value!r}, expected True or False.")
        return cls(**parameters)

    def check_made(self, given: Any, kind: type, besides: str) -> None:
        """Refuse what was not made yet: a name, a class, or a thing of another kind.

        Parameters
        ----------
        kind : what all of this table are, once made.
        besides : a further way to have one, for the message ("Fixed(value) one of a number").

        Raises
        ------
        MistrustError
            Anything else; says what makes one. A mistyped name is told the nearest.
        """
        if isinstance(given, kind):
            return
        if isinstance(given, str):
            _ = self[given]
            raise MistrustError(
                f"'{given}' is the name of a {self.what}, expected the {self.what} itself: "
                f'make_{self.what}("{given}", ...) makes it.'
            )
        raise MistrustError(
            f"Expected a {self.what}, got {_shown(given)}: make_{self.what}(name, ...) makes one of the table, and "
            f"{besides}."
        )

    def __getitem__(self, name: str) -> T:
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            raise UnknownName(self.what, name, self._entries, self.listing) from None

    def __contains__(self, name: Any) -> bool:
        # Mapping's own version catches KeyError only, and an unknown name raises UnknownName here.
        try:
            return name in self._entries
        except TypeError:  # a list, say, which no dict looks up
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _shown(given: Any) -> str:
    """What something is, for a message: a number itself, a class by its name, else its kind."""
    if isinstance(given, type):
        return f"the class {given.__name__}"
    return repr(given) if given is None or isinstance(given, (int, float)) else type(given).__name__


def _again(new: Any, old: Any) -> bool:
    """Whether a class is another's definition, run again."""
    named = [(one.__module__, one.__qualname__) for one in (new, old) if isinstance(one, type)]
    return len(named) == 2 and named[0] == named[1]
