"""`Distances`: what a search for the nearest image of another class found, the same for every method."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor

from mistrust.errors import MistrustError, warn
from mistrust.inputs.limits import whole

NOISE, DONOR, GRADIENT, NONE = "noise", "donor", "gradient", "none"
STARTS = (NOISE, DONOR, GRADIENT, NONE)  # how a search began, by number
KEPT = ("ids", "label", "mae", "l2", "queries", "success", "images")  # tensors that the store keeps as they are


@dataclass(frozen=True, eq=False)
class Trace:
    """What a search had found after some of its steps.

    Attributes
    ----------
    steps : (s,) the steps, ascending.
    mae : (n, s) the smallest MAE by then; where a search had stopped before, its last.
    queries : (n, s) how often the network had been asked by then, for this image.

    Examples
    --------
    >>> bright = lambda images: (images.flatten(1).mean(1) > 0.5).long()
    >>> trace = boundary(bright, torch.full((1, 1, 4, 4), 0.3), steps=10, trace=(0, 5, 10)).trace
    >>> trace.steps
    tensor([ 0,  5, 10])
    >>> bool((trace.mae.diff() <= 0).all()), bool((trace.queries.diff() > 0).all())  # nearer and nearer, at a price
    (True, True)
    """

    steps: Int64[Tensor, " s"]
    mae: Float64[Tensor, "n s"]
    queries: Int64[Tensor, "n s"]


@dataclass(frozen=True, eq=False)
class Distances:
    """How far n images are from another class, in the order in which they were given; on the CPU.

    Attributes
    ----------
    method : name in `DISTANCES`.
    ids : (n,) of the images.
    label : (n,) the class that the network gives to the image as it is: any other counts as found.
    mae : (n,) mean absolute difference between the image and the nearest one found, over all channels and pixels of
        [0, 1], which is foolbox's mean over channels / 255; infinite where none was found.
    l2 : (n,) Euclidean distance of that same image in [0, 1]; infinite where none was found.
    start : how each search began: "noise" (uniform noise, blended with the image), "donor" (another image, blended
        with it), "gradient" (no start needed), "none" (nothing of another class to begin with).
    queries : (n,) images that the network was shown for each, its own label included.
    shared : images that it was shown once for all (noise probes, donors).
    success : (n,) whether an image of another class was found.
    images : (n, c, h, w) the nearest one found, just as the network was shown it; the image itself where none was.
    trace : what had been found by certain steps, where asked.

    Examples
    --------
    >>> bright = lambda images: (images.flatten(1).mean(1) > 0.5).long()
    >>> found = boundary(bright, torch.tensor([0.3, 0.7]).view(2, 1, 1, 1).expand(2, 1, 4, 4), steps=5)
    >>> found.label, found.success
    (tensor([0, 1]), tensor([True, True]))
    >>> bright(found.images)  # each is named otherwise now
    tensor([1, 0])
    >>> bool((found.mae >= 0.2).all())  # no nearer one exists
    True
    """

    method: str
    ids: Int64[Tensor, " n"]
    label: Int64[Tensor, " n"]
    mae: Float64[Tensor, " n"]
    l2: Float64[Tensor, " n"]
    start: tuple[str, ...]
    queries: Int64[Tensor, " n"]
    shared: int
    success: Bool[Tensor, " n"]
    images: Float[Tensor, "n c h w"]
    trace: Trace | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def kinds(self) -> dict[str, int]:
        """How many searches began in which way."""
        return {kind: self.start.count(kind) for kind in dict.fromkeys(self.start)}

    def tensors(self) -> dict[str, Tensor]:
        """Give all but method and trace, as the store keeps it."""
        found: dict[str, Tensor] = {name: getattr(self, name) for name in KEPT}
        return {**found, "start": numbered(self.start), "shared": torch.tensor(self.shared)}

    @classmethod
    def of(cls, tensors: Mapping[str, Tensor], method: str) -> "Distances":
        """Read what `tensors` gave."""
        ids, label, mae, l2, queries, success, images = (tensors[name] for name in KEPT)
        return cls(
            method, ids, label, mae, l2, named(tensors["start"]), queries, int(tensors["shared"]), success, images
        )

    @property
    def told(self) -> str:
        """One sentence on success, starts and failures."""
        lost = self.ids[~self.success].tolist()
        begun = ", ".join(f"{count} from {kind}" for kind, count in self.kinds.items()) or "none"
        which = ", ".join(map(str, lost[:5])) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        failed = f" Without any image of another class, distance infinite: ids {which}." if lost else ""
        return f"{self.method}: {len(self) - len(lost)} of {len(self)} images found one ({begun}).{failed}"


def numbered(start: Iterable[str]) -> Int64[Tensor, " n"]:
    """How searches began, by number."""
    return torch.tensor([STARTS.index(kind) for kind in start], dtype=torch.int64)


def named(start: Int64[Tensor, " n"]) -> tuple[str, ...]:
    """How searches began, by name."""
    return tuple(STARTS[kind] for kind in start.tolist())


def collected(
    method: str,
    originals: Float[Tensor, "n c h w"],
    found: Float[Tensor, "n c h w"],
    success: Bool[Tensor, " n"],
    *,
    ids: Int64[Tensor, " n"],
    label: Int64[Tensor, " n"],
    start: tuple[str, ...],
    queries: Int64[Tensor, " n"],
    shared: int = 0,
    trace: Trace | None = None,
) -> Distances:
    """Measure what was found and put it together; a `MistrustWarning` says where nothing was."""
    mae, l2 = measured(originals.flatten(1), found.flatten(1))
    done = Distances(
        method, ids.cpu(), label.cpu(), mae.where(success, torch.inf).cpu(), l2.where(success, torch.inf).cpu(), start,
        queries.cpu(), shared, success.cpu(), found.where(success[:, None, None, None], originals.to(found)).cpu(),
        trace,
    )  # fmt: skip
    if not bool(done.success.all()):
        warn(done.told, "mistrust.search.attack")
    return done


def measured(
    originals: Float[Tensor, "n d"], found: Float[Tensor, "n d"]
) -> tuple[Float64[Tensor, " n"], Float64[Tensor, " n"]]:
    """MAE and Euclidean distance of each row, in float64."""
    apart = found.double() - originals.double()
    return apart.abs().mean(1), apart.norm(dim=1)


class Kept:
    """What is kept for the trace. A search that stops keeps its last distance: an end fills all later columns, too.

    Parameters
    ----------
    at : (s,) steps, ascending; none, and there is no trace.
    mae, queries : (n,) of the starts.
    """

    def __init__(self, at: Int64[Tensor, " s"], mae: Float64[Tensor, " n"], queries: Int64[Tensor, " n"]) -> None:
        self.at, self.columns = at, at.to(mae.device)
        self.mae, self.queries = (each[:, None].repeat(1, len(at)) for each in (mae, queries))

    def __bool__(self) -> bool:
        return len(self.at) > 0

    def keep(
        self,
        rows: Int64[Tensor, " r"],
        step: Int64[Tensor, " r"],
        mae: Float64[Tensor, " r"],
        queries: Int64[Tensor, " r"],
    ) -> None:
        """Take what some searches have found that have ended a step: which searches, and which step of each."""
        later = self.columns >= step[:, None]
        self.mae[rows] = torch.where(later, mae[:, None], self.mae[rows])
        self.queries[rows] = torch.where(later, queries[:, None], self.queries[rows])

    def trace(self) -> Trace | None:
        """Give what was kept; None where no step was asked for."""
        return Trace(self.at, self.mae.cpu(), self.queries.cpu()) if self else None


def traced(trace: Iterable[int], limit: int) -> Int64[Tensor, " s"]:
    """Steps after which a trace is kept, checked, ascending, each once."""
    at = sorted({whole("trace", step, 0) for step in trace})
    if at and at[-1] > limit:
        raise MistrustError(f"The trace is asked for at step {at[-1]}, expected at most the number of steps, {limit}.")
    return torch.tensor(at, dtype=torch.int64)
