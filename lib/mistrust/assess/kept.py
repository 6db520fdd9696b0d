"""Pieces of an assessment in the store: what is made stays made, whatever becomes of the run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from mistrust.errors import MistrustError, StoreError
from mistrust.store import Scratch, made, maker

Tensors = dict[str, Tensor]


class Failed(MistrustError):
    """A piece that cannot be made for this model and these images; the rest of the report can."""


def _smoke() -> Tensors:
    return {"logits": torch.arange(6, dtype=torch.float32).view(2, 3)}


PIECE = maker("assessment", version=1, content="tensors", smoke=_smoke)


@dataclass(frozen=True)
class Kept:
    """Gives pieces from the store, or makes them.

    Attributes
    ----------
    about : what every piece depends on: the model's key, the images' checksums, the seed.
    """

    about: Mapping[str, Any]

    def __call__(self, part: str, piece: str, make: Callable[[], Tensors], **more: Any) -> Tensors:
        """Give one piece.

        Parameters
        ----------
        part, piece : its names.
        make : makes it.
        more : what else it depends on.

        Raises
        ------
        Failed
            It cannot be made; the message says why.
        StoreError
            The store cannot be used: a full disk, a folder that is shut.
        """

        def making(_: Scratch) -> Tensors:
            try:
                return make()
            except StoreError:
                raise
            except MistrustError as error:
                raise Failed(str(error)) from error

        # What a piece adds stands apart: a count called "images" took the place of the images' checksum once.
        return made(PIECE, {**self.about, "part": part, "piece": piece, "more": more}, making)
