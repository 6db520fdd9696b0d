"""The links below a figure: to the rows that it was made from, and to the code that made it."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from mistrust import paths
from mistrust.publishing import rowfiles
from mistrust.publishing.offered import PACKED, accepted_file, run_file

# By what the page calls a run: where its row files lie, and under which name the book offers one.
PLACES = {"full run": (paths.results, accepted_file), "this run": (paths.run_rows, run_file)}


def below(
    chapter: str, runs: Mapping[str, pd.DataFrame], rows: Sequence[str], code: Callable[..., object] | None
) -> str:
    """Give the links as HTML, "" where there is nothing to link to.

    Parameters
    ----------
    chapter : its name.
    runs : rows of each run, by its name in `PLACES`.
    rows : the tables that are linked to.
    code : the function that drew the figure.
    """
    links = []
    for table in rows:
        for label, source in runs.items():
            if not (source["table"] == table).any():
                continue
            folder, offered = PLACES[label]
            profile = source["profile"].iloc[0]
            for part, name in enumerate(rowfiles.names(folder() / chapter, table, profile), 1):
                file = offered(chapter, name, profile)
                how = ", packed" if file.endswith(PACKED) else ""
                text = f"part {part}" if part > 1 else f"rows of {table}, {label}{how}"
                links.append(f'<a href="../rows/{chapter}/{file}">{text}</a>')
    if code is not None:
        module = code.__module__.replace(".", "/")
        links.append(f'<a href="../code/{module}.py.txt">code of the figure ({code.__name__})</a>')
    return " · ".join(links)
