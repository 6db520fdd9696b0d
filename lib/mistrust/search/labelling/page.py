"""The labelling page: one HTML file that holds everything it needs, images and script included.

It asks for nothing from outside (its content security policy forbids it), works from `file://`, and keeps each answer
in the browser's local storage under a key of the list's content, so that two lists never share answers and the same
list written again finds them. A list that begins as a shorter one did, since only the budget grew, takes its answers.
"""

import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from string import Template

from mistrust.search.labelling.pictures import LONGEST, Shown, below
from mistrust.search.labelling.ranking import Ranked

SCRIPTS = ("file.js", "keeping.js", "page.js")  # each reads what stands before it


def digests(ranked: Ranked) -> list[str]:
    """Give short names of all lists that this one begins with, from its first image alone to all of it.

    A name is of the content: ids in their order, predicted classes, confidences and method.

    Examples
    --------
    >>> pd.DataFrame({"id": ["a", "b"], "predicted": "cat", "confidence": [0.9, 0.7]}).to_csv("s.csv", index=False)
    >>> whole, short = (rank(read_scores("s.csv"), budget=n) for n in (2, 1))
    >>> digests(whole)[0] == digests(short)[0], len(digests(whole))
    (True, 2)
    """
    said = hashlib.sha256(f"[{json.dumps(ranked.method)}, [".encode())
    found: list[str] = []
    for place, one in enumerate(ranked.queries):
        said.update(f"{', ' * bool(place)}{json.dumps([one.name, one.predicted, one.confidence])}".encode())
        whole = said.copy()
        whole.update(b"]]")
        found.append(whole.hexdigest()[:16])
    return found


def exported(ranked: Ranked) -> str:
    """Name the file that the page exports: by the method and by the list, so that answers to two lists differ in it.

    Examples
    --------
    >>> pd.DataFrame({"id": ["a", "b"], "predicted": "cat", "confidence": [0.9, 0.7]}).to_csv("s.csv", index=False)
    >>> exported(rank(read_scores("s.csv"), budget=2))
    'answers-low_confidence-bb12fb.csv'
    """
    return f"answers-{ranked.method}-{digests(ranked)[-1][:6]}.csv"


def labelling_page(
    ranked: Ranked, images: Sequence[Shown], files: Sequence[Path], longest: int = LONGEST, *,
    folder: str | Path | None = None,
) -> str:  # fmt: skip
    """Give the page's HTML.

    Parameters
    ----------
    ranked : the list, best first.
    images : its images as `shown` made them, in the same order.
    files : their files; the page shows the names.
    longest : the limit that `shown` was given; the page states it where an image was scaled down.
    folder : the page shows the files' paths below it instead, which tell two images of one name apart.

    Examples
    --------
    >>> from PIL import Image
    >>> for name in "ab":
    ...     Image.new("L", (4, 4)).save(f"{name}.png")
    >>> frame = pd.DataFrame({"id": ["a", "b"], "predicted": "cat", "confidence": [0.9, 0.7]})
    >>> frame.to_csv("scores.csv", index=False)
    >>> ranked = rank(read_scores("scores.csv"), budget=2)
    >>> files = find(".", [query.name for query in ranked.queries])
    >>> page = labelling_page(ranked, shown(files), files)
    >>> page.index("b.png") < page.index("a.png"), page.count("data:image/png")  # the unsure one first
    (True, 2)
    """
    items = [
        {
            "rank": query.rank, "id": query.name, "file": called, "predicted": query.predicted,
            "confidence": query.confidence, "image": image.uri, "width": image.size[0], "height": image.size[1],
        }
        for query, image, called in zip(ranked.queries, images, below(files, folder), strict=True)
    ]  # fmt: skip
    scaled = sum(image.size != image.original for image in images)
    limit = (
        f"Scaled down to {longest} pixels on the longer side: {scaled} of {len(images)} images."
        if scaled
        else "Each image stands here in its full size."
    )
    # `<` is written as an escape, so that no file name can end the script element that holds the data.
    *earlier, whole = digests(ranked)
    about = {
        "list": whole,
        "earlier": earlier[::-1],
        "method": ranked.method,
        "export": exported(ranked),
        "items": items,
    }
    data = json.dumps(about, ensure_ascii=False)
    return Template(_part("page.html")).substitute(
        count=len(items), export=exported(ranked), style=_part("page.css").strip(), limit=limit,
        script="\n".join(_part(name).strip() for name in SCRIPTS), data=data.replace("<", "\\u003c"),
    )  # fmt: skip


def _part(name: str) -> str:
    return resources.files("mistrust.search.labelling").joinpath(name).read_text(encoding="utf-8")
