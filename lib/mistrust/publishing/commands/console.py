"""Text for a terminal."""

import io
import sys
from collections.abc import Iterable, Sequence


def bearing(stream: object) -> None:
    r"""Let a stream write what its encoding lacks, as `\u221a`: a pipe or a file on Windows has no roots and arrows."""
    if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
        stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Write a line to stdout at once, above the progress bars where there are any."""
    if "tqdm" in sys.modules:
        sys.modules["tqdm"].tqdm.write(text, file=sys.stdout)
    else:
        sys.stdout.write(text + "\n")
    sys.stdout.flush()


def table(rows: Iterable[Sequence[object]], heads: Sequence[str] = ()) -> str:
    """Rows in aligned columns; the last column is not padded."""
    lines = [[str(cell) for cell in row] for row in ([heads, *rows] if heads else rows)]
    if not lines:
        return ""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def size(bytes: float) -> str:
    """A number of bytes as one would say it: "340 kB"."""
    for unit in ("bytes", "kB", "MB"):
        if bytes < 1000:
            return f"{bytes:.0f} {unit}"
        bytes /= 1000
    return f"{bytes:.1f} GB"
