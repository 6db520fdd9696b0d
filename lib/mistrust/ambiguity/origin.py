"""Where the images come from that a set is made of, and under which licence what is made of them may be passed on."""

from dataclasses import dataclass

from mistrust.data import loading
from mistrust.data.imageset import ImageSet
from mistrust.errors import MistrustError

# What a user's own folder says in the table of sets: nobody but the user knows its licence.
YOURS = "yours"
# Licences by Hugging Face's identifiers; other texts are passed on as they are.
KNOWN = {
    "mit": "mit", "apache 2.0": "apache-2.0", "apache-2.0": "apache-2.0", "bsd-3-clause": "bsd-3-clause",
    "cc0": "cc0-1.0", "cc0 1.0": "cc0-1.0", "cc by 2.0": "cc-by-2.0", "cc by 3.0": "cc-by-3.0",
    "cc by 4.0": "cc-by-4.0", "cc by-sa 3.0": "cc-by-sa-3.0", "cc by-sa 4.0": "cc-by-sa-4.0",
    "cc by-nc 4.0": "cc-by-nc-4.0", "cc by-nc-sa 4.0": "cc-by-nc-sa-4.0", "odbl": "odbl", "gpl-3.0": "gpl-3.0",
}  # fmt: skip


@dataclass(frozen=True)
class Origin:
    """The image set that an ambiguous one is made of.

    Attributes
    ----------
    name, title : what it is called and what it is.
    terms : its licence or terms, which hold for what is made of it.
    cite : whom to cite; empty where nobody says.
    """

    name: str
    title: str
    terms: str
    cite: str

    @property
    def identifier(self) -> str:
        """The licence as Hugging Face names it; "unknown" where none is stated, "other" for one it has no name of."""
        if self.terms.lower().startswith("none stated"):
            return "unknown"
        said = self.terms.strip().lower()
        names = {**KNOWN, **{one: one for one in KNOWN.values()}}
        # "CC BY 2.0, photographs by ...": the name, then the end or something that does not go on with it.
        found = [one for one in names if said == one or (said.startswith(one) and said[len(one)] in " ,;(")]
        return names[max(found, key=len)] if found else "other"


def origin(data: str | ImageSet, licence: str | None = None) -> Origin:
    """Give what is known of an image set.

    Parameters
    ----------
    data : a set's name (`mistrust data list`), or images of your own.
    licence : of your own images, in words or as an identifier: "CC BY 4.0", "MIT". For a set of the table it must be
        left out: its entry says it.

    Raises
    ------
    MistrustError
        Images of your own without a licence, or a licence where the set has one; an unknown name.
    """
    named = loading.entry(data) if isinstance(data, str) else None
    own = named is None or named.terms == YOURS
    name = named.name if named else str(getattr(data, "name", data))
    given = (licence or "").strip()
    if own and not given:
        raise MistrustError(
            f"Under which licence may images made of '{name}' be passed on? They are your own, so nothing here says. "
            'Name it: --licence "CC BY 4.0" (licence="CC BY 4.0" in Python), or "none, not for release".'
        )
    if "\n" in given:
        raise MistrustError(f"The licence {given!r} has several lines, expected its name: 'CC BY 4.0'.")
    if named is None or named.terms == YOURS:
        return Origin(name, "images of its maker's own", given, "")
    if given and given != named.terms:
        raise MistrustError(
            f"'{name}' has its own terms ({named.terms}); {given!r} cannot stand in their place. Leave "
            "--licence out: it is for images of your own."
        )
    return Origin(name, named.title, named.terms, named.cite)
