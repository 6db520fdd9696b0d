"""Who did the work that a benchmark timed: how many threads, or a graphics processor.

Rows say it in `at`, as its last part ("batch=32, 1 threads").
"""

import re

import pandas as pd

_WORKER = re.compile(r"(?:^|, )(?P<worker>\d+ threads|cuda)(?=,|$)")
_COUNTS = {"1": "one thread", "2": "two threads"}


def by_worker(rows: pd.DataFrame) -> pd.DataFrame:
    """Give the rows with who did the work in a column "worker", "" where nothing says it, and `at` without it.

    Parameters
    ----------
    rows : of one benchmark and of metrics that depend on threads.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = rows.table([{"at": "all, 2 threads", "value": 14.0}], table="corruptions", metric="ratio")
    >>> by_worker(found)[["at", "worker", "value"]].values.tolist()
    [['all', '2 threads', 14.0]]
    """
    said = [_WORKER.search(at) for at in rows["at"].astype(str)]
    return rows.assign(
        at=[at[: one.start()] if one else at for at, one in zip(rows["at"].astype(str), said, strict=True)],
        worker=[one["worker"] if one else "" for one in said],
    )


def in_threads(workers: pd.Series) -> list[str]:
    """Give the different workers, the fewest threads first, what has none last.

    Examples
    --------
    >>> in_threads(pd.Series(["cuda", "16 threads", "2 threads", "16 threads"]))
    ['2 threads', '16 threads', 'cuda']
    """
    counted = {name: int(name.partition(" ")[0]) for name in set(workers) if name.endswith(" threads")}
    return sorted(set(workers), key=lambda name: (name not in counted, counted.get(name, 0), name))


def fewest(rows: pd.DataFrame) -> pd.DataFrame:
    """Give the rows of one thread where there is one, else those of the fewest threads that there are.

    Examples
    --------
    >>> from mistrust import rows
    >>> found = [{"at": f"{count} threads", "value": value} for count, value in ((2, 5.0), (1, 8.0))]
    >>> fewest(rows.table(found, table="supervisors", metric="microseconds an image"))["value"].tolist()
    [8.0]
    """
    found = by_worker(rows)
    return found[found["worker"] == in_threads(found["worker"])[0]] if len(found) else found


def thread_words(worker: str) -> str:
    """Give what a reader calls a worker; "" where nothing says who it was.

    Examples
    --------
    >>> [thread_words(worker) for worker in ("1 threads", "2 threads", "16 threads", "cuda", "")]
    ['one thread', 'two threads', '16 threads', 'a GPU', '']
    """
    return {"cuda": "a GPU"}.get(worker) or _COUNTS.get(worker.partition(" ")[0], worker)
