"""AmbiguousMNIST (Mukhoti et al., 2021), the paper's rival in section VI-B: its test images from a local copy.

The release (BlackHC/ddu_dirty_mnist, data-v1.0.0, MIT) is two files in a folder `AmbiguousMNIST`, where the authors'
package puts them too: 12,000 decoded images in [0, 1], and ten labels of each, drawn from what an ensemble says. The
first half is for training, the second for testing. MNIST's mean and deviation and the noise of deviation 0.05 come in
when their class loads the files; here a classifier normalises by itself, and no noise is added.
"""

import hashlib
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import torch
from jaxtyping import Float32, Float64, Int64
from torch import Tensor
from torch.nn.functional import one_hot

from mistrust.data import SOURCES, ImageSet, checksums, places
from mistrust.errors import MistrustError

NAME = "ambiguous-mnist"
FOLDER = "AmbiguousMNIST"
SAMPLES, LABELS = "amnist_samples.pt", "amnist_labels.pt"
MD5 = {SAMPLES: "4f7865093b1d28e34019847fab917722", LABELS: "3bfc055a9f91a76d8d493e8b898c3c95"}
IMAGES, DRAWS = 12_000, 10
ADVICE = (
    f"Get {SAMPLES} and {LABELS} of release data-v1.0.0 of github.com/BlackHC/ddu_dirty_mnist again (older releases "
    f"have other images), or take the folder {FOLDER} away to go on without them."
)


@dataclass(frozen=True, eq=False)
class AmbiguousMnist:
    """The test part.

    Attributes
    ----------
    images : float32 images with hard labels; ids are positions in the release. The hard label is the first drawn one:
        the draws of an image are exchangeable, so that it is as good as one drawn from `soft`.
    soft : (n, 10) share of each class among the drawn labels of an image: any number of classes from one to ten.
    """

    images: ImageSet
    soft: Float64[Tensor, "n 10"]

    @cached_property
    def checksum(self) -> str:
        """sha256 (its first 20 hex digits) of images, hard labels and shares."""
        return hashlib.sha256(self.images.checksum.encode() + self.soft.numpy().tobytes()).hexdigest()[:20]


def find() -> AmbiguousMnist | None:
    """Read the copy in the first folder `AmbiguousMNIST` below those that image sets are looked for in.

    Returns
    -------
    The test part; None when there is no copy. Nothing is downloaded.

    Raises
    ------
    MistrustError
        One of the two files alone; a file with another md5 sum than the release's, that holds no tensor, or not what
        `second_half` expects.
    """
    half = ""
    for base in places.bases():
        folder = base.folder / FOLDER
        missing = [name for name in MD5 if not (folder / name).is_file()]
        if not missing:
            about = [(folder / name).stat() for name in MD5]
            return _read(folder, tuple((one.st_size, one.st_mtime_ns) for one in about))
        if len(missing) < len(MD5):
            half = half or f"{folder} lacks {missing[0]}. {ADVICE}"
    if half:
        raise MistrustError(half)
    return None


def second_half(
    samples: Float32[Tensor, "n 1 28 28"], drawn: Int64[Tensor, "n 10"], where: str = FOLDER
) -> AmbiguousMnist:
    """Take the second half of the release.

    Parameters
    ----------
    samples : all images, in [0, 1].
    drawn : the labels drawn for each, 0 to 9.
    where : names the copy in messages.

    Raises
    ------
    MistrustError
        Another shape, type or range.
    """
    _expect(f"{where}/{SAMPLES}", samples, torch.float32, (IMAGES, 1, 28, 28))
    _expect(f"{where}/{LABELS}", drawn, torch.int64, (IMAGES, DRAWS))
    classes = SOURCES["mnist"].classes
    for name, given, most in ((SAMPLES, samples, 1), (LABELS, drawn, len(classes) - 1)):
        low, high = given.min().item(), given.max().item()
        if not (low >= 0 and high <= most):  # NaN, which compares false, is refused too
            raise MistrustError(f"{where}/{name} holds {low:g} to {high:g}, expected 0 to {most}. {ADVICE}")
    first = IMAGES // 2
    drawn, ids = drawn[first:], torch.arange(first, IMAGES)
    images = ImageSet(NAME, samples[first:].clone(), drawn[:, 0].clone(), ids, classes)
    return AmbiguousMnist(images, one_hot(drawn, len(classes)).double().mean(1))


@lru_cache(maxsize=1)
def _read(folder: Path, stamps: tuple[tuple[int, int], ...]) -> AmbiguousMnist:
    """Read a copy once, until its files change: `stamps` are their sizes and times."""
    found = _tensors(folder)
    return second_half(found[SAMPLES], found[LABELS], str(folder))


def _tensors(folder: Path) -> Mapping[str, Tensor]:
    found = {}
    for name, md5 in MD5.items():
        path = folder / name
        checksums.verify(path, "md5", md5, ADVICE)
        try:
            given = torch.load(path, map_location="cpu", weights_only=True)
        except (pickle.UnpicklingError, RuntimeError, EOFError, OSError) as error:
            raise MistrustError(f"{path} cannot be read as a tensor of torch.save. {ADVICE}") from error
        if not isinstance(given, Tensor):
            raise MistrustError(f"{path} holds a {type(given).__name__}, expected one tensor. {ADVICE}")
        found[name] = given
    return found


def _expect(what: str, given: Tensor, kind: torch.dtype, shape: tuple[int, ...]) -> None:
    if given.dtype != kind or tuple(given.shape) != shape:
        raise MistrustError(
            f"{what} is {given.dtype} of shape {tuple(given.shape)}, expected {kind} of {shape}. {ADVICE}"
        )
