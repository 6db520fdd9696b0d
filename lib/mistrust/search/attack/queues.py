"""The last outcomes of many searches, in two queues for each, as tensors."""

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

LENGTHS = (100, 30)  # of the two queues: images on the sphere, images from there inwards


class Queues:
    """Two queues of yes and no for each of n searches that keep their last entries: a full queue slides.

    Parameters
    ----------
    n, lengths : searches, and entries that their two queues hold.

    Attributes
    ----------
    entries : (n, sum of lengths) the outcomes of both, one after the other; 0 where nothing was put.
    put, total : (n, 2) how many were put since the queue was empty, and how many of those it holds are yes.
    """

    def __init__(
        self, n: int, lengths: tuple[int, int] = LENGTHS, device: torch.device | str = "cpu"
    ) -> None:  # fmt: skip
        self.entries = torch.zeros(n, sum(lengths), dtype=torch.int64, device=device)
        self.put, self.total = (torch.zeros(n, 2, dtype=torch.int64, device=device) for _ in range(2))
        self.lengths, self.first = (torch.tensor(each, device=device) for each in (lengths, (0, lengths[0])))
        self.parts = (slice(0, lengths[0]), slice(lengths[0], None))

    def append(self, rows: Int64[Tensor, " r"], which: Int64[Tensor, " r"], outcome: Bool[Tensor, " r"]) -> None:
        """Put one outcome into queue 0 or 1 of each of these searches, which are all different."""
        place = self.first[which] + self.put[rows, which] % self.lengths[which]
        value = outcome.long()
        # What was never filled is 0, so that nothing is taken away for it.
        self.total[rows, which] += value - self.entries[rows, place]
        self.entries[rows, place] = value
        self.put[rows, which] += 1

    def judged(self, rows: Int64[Tensor, " r"]) -> tuple[Bool[Tensor, "r 2"], Bool[Tensor, "r 2"]]:
        """Which are full with more than half, and which full with less than a fifth of yes; exactly that is neither."""
        full, total = self.put[rows] >= self.lengths, self.total[rows]
        return full & (2 * total > self.lengths), full & (5 * total < self.lengths)

    def clear(self, rows: Int64[Tensor, " r"], which: int) -> None:
        """Empty queue 0 or 1 of these searches."""
        self.entries[rows, self.parts[which]] = 0
        self.put[rows, which], self.total[rows, which] = 0, 0

    def take(self, rows: Int64[Tensor, " r"]) -> None:
        """Keep these searches alone, in this order."""
        self.entries, self.put, self.total = self.entries[rows], self.put[rows], self.total[rows]
