"""What a picture shows, told twice: in one breath for who comes past it, and in full for who stays.

A figure's text names every number that it draws. Read out whole, where one only wants to pass, it is a minute of
digits: so the page gives the head of it as the alternative text, and all of it in a fold beneath, as a list that a
screen reader steps through and that everyone may open.
"""

from collections.abc import Mapping
from html import escape

from mistrust.figures.written import Write

MOST = 300  # characters that an alternative text has, at most
MORE = "All of it in words below."


def sentences(text: str) -> list[str]:
    """Split a text where a full stop is followed by a space; numbers keep their points.

    Examples
    --------
    >>> sentences("Dot plot of AUROC. MNIST: 0.93 (.91–.94). By chance, 0.5.")
    ['Dot plot of AUROC.', 'MNIST: 0.93 (.91–.94).', 'By chance, 0.5.']
    """
    return [one if one.endswith((".", "?", "!")) else f"{one}." for one in text.strip().split(". ")]


def brief(text: str, most: int = MOST, more: str = MORE) -> str:
    """Give as many whole sentences as fit, and say that there is more; a first one too long ends at a comma.

    Parameters
    ----------
    most : characters.
    more : what is said of the rest; "" where it stands nowhere.

    Examples
    --------
    >>> brief("Dot plot of AUROC. MNIST: 0.93.")
    'Dot plot of AUROC. MNIST: 0.93.'
    >>> brief("Dot plot of AUROC. MNIST: 0.93, Fashion-MNIST: 0.88, CIFAR-10: 0.61.", most=50)
    'Dot plot of AUROC. All of it in words below.'
    >>> brief("Images of an airplane, a bird, a cat, a deer, a dog and a frog.", most=60)
    'Images of an airplane, a bird … All of it in words below.'
    """
    if len(text) <= most:
        return text
    room = most - len(more) - 1
    head, *rest = sentences(text)
    if len(head) > room:
        return f"{_cut(head, room - 2)} … {more}".strip()
    for one in rest:
        if len(head) + 1 + len(one) > room:
            break
        head = f"{head} {one}"
    return f"{head} {more}".strip()


def _cut(text: str, room: int) -> str:
    """The text up to the last break that fits: a semicolon or comma, else a space."""
    at = max(text.rfind(mark, 0, room + 1) for mark in ("; ", ", ", ": "))
    return text[: at if at > 0 else max(text.rfind(" ", 0, room + 1), 1)]


def in_full(text: str, name: str, most: int = MOST) -> str:
    """Give HTML of a fold with the whole text, a line for each sentence and each part of it; "" where `brief` says all.

    Parameters
    ----------
    name : what the picture is called: folds of one page are told apart by it.

    Examples
    --------
    >>> fold = in_full("Dot plot of AUROC. MNIST: 0.93; CIFAR-10: 0.61.", "AUROC", most=30)
    >>> fold.partition("</summary>")[2]
    '<p>Dot plot of AUROC.</p><ul><li>MNIST:<ul><li>0.93</li><li>CIFAR-10: 0.61.</li></ul></li></ul></details>'
    >>> in_full("Dot plot of AUROC. MNIST: 0.93.", "AUROC")
    ''
    """
    if len(text) <= most:
        return ""
    head, *rest = sentences(text)
    listed = f"<ul>{''.join(map(_item, rest))}</ul>" if rest else ""
    return (
        f'<details class="mt-words"><summary>In words<span class="visually-hidden">: {escape(name)}</span></summary>'
        f"<p>{escape(head)}</p>{listed}</details>"
    )


def _item(sentence: str) -> str:
    """A line of the list; what stands between semicolons after a colon has lines of its own beneath it."""
    parts = sentence.split("; ")
    of, colon, first = parts[0].partition(": ")
    if len(parts) == 1 or not colon:
        return f"<li>{escape(sentence)}</li>"
    beneath = "".join(f"<li>{escape(one)}</li>" for one in (first, *parts[1:]))
    return f"<li>{escape(of)}:<ul>{beneath}</ul></li>"


def extremes(values: Mapping[str, float], write: Write, what: str = "") -> str:
    """Say which is highest and which is lowest, as a sentence that a number-laden text can begin with.

    Parameters
    ----------
    values : by name; those that are no number are left out.
    what : of what it is.

    Returns
    -------
    A sentence that ends with a space; "" where fewer than two names have a number.

    Examples
    --------
    >>> from mistrust.figures.written import two
    >>> extremes({"DSA": 0.91, "LSA": 0.8, "MDSA": 0.7}, two, "AUROC")
    'AUROC is highest for DSA (0.91), lowest for MDSA (0.70). '
    >>> extremes({"DSA": 0.91}, two)
    ''
    """
    known = {name: value for name, value in sorted(values.items()) if value == value}  # NaN equals nothing
    if len(known) < 2:
        return ""
    most, least = max(known, key=known.__getitem__), min(known, key=known.__getitem__)
    said = f"highest for {most} ({write(known[most])}), lowest for {least} ({write(known[least])})."
    return f"{what} is {said} " if what else f"{said[0].upper()}{said[1:]} "
