"""How much memory a process may still take: what the machine has free, or less where a container's limit is nearer."""

import os
from pathlib import Path

# Of a control group, by version: its limit, what it uses, and what of that is cached files, which are given up first.
FILES = {
    2: ("memory.max", "memory.current", "inactive_file"),
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def memory(root: Path = Path("/")) -> int:
    """Bytes that are free for this process.

    Parameters
    ----------
    root : where `proc` and `sys` are.
    """
    import psutil

    return max(0, min([psutil.virtual_memory().available, *_left_by_groups(root)]))


def _left_by_groups(root: Path) -> list[int]:
    """What every control group that this process is in leaves it; none where there are no groups or no limits.

    A limit holds for all groups below. Inside a container the files of its own group often lie at the very top,
    whatever the process is told of its path.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found: list[int] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            version = 1 if controllers else 2
            top = root / "sys/fs/cgroup" / ("memory" if controllers else "")
            below = Path(os.path.normpath(f"/{path.lstrip('/')}")[1:])  # no `..` leads out of the tree
            left = (_left(top / group, version) for group in (below, *below.parents))
            found += [one for one in left if one is not None]
    return found


def _left(group: Path, version: int) -> int | None:
    """What one group leaves; None where it has no limit, or none that can be read."""
    limit, used, cached = FILES[version]
    try:
        most = int((group / limit).read_text())  # "max" where there is none
        now = int((group / used).read_text())
        lines = (group / "memory.stat").read_text().splitlines()
    except (OSError, ValueError):
        return None
    given_up = next((int(line.split()[1]) for line in lines if line.split()[:1] == [cached]), 0)
    return most - now + given_up
