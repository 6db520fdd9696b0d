"""The forms in which a labelled ambiguous set is written: npz, idx, and parquet as Hugging Face's `datasets` reads it.

Each writes both parts into one folder, under names that do not meet those of the others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mistrust.ambiguity import hugging_face
from mistrust.ambiguity.ambiguous_set import AmbiguousSet
from mistrust.ambiguity.hugging_face import channels_last
from mistrust.data import idx, parquet
from mistrust.errors import MistrustError
from mistrust.registry import Registry

NPZ = "ambiguous.npz"
RAW = Path("MNIST", "raw")

Parts = Mapping[str, AmbiguousSet]


@dataclass(frozen=True)
class Format:
    """One form.

    Attributes
    ----------
    title : what a reader calls it.
    write : ({"train": ..., "test": ...}, folder) writes its files there.
    files : of a set's parts, each file's path below the folder with what it holds.
    use : lines of Python that read it, for the data card; `FOLDER` stands for the folder.
    """

    title: str
    write: Callable[[Parts, Path], None]
    files: Callable[[Parts], dict[str, str]]
    use: Callable[[Parts], str]


FORMATS = Registry[Format]("format of released sets")


def checked(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The formats asked for, in the table's order; an unknown one, or none at all, is refused."""
    if not wanted:
        raise MistrustError(f"No format was named, expected at least one of {', '.join(FORMATS)}.")
    for name in wanted:
        FORMATS[name]
    return tuple(name for name in FORMATS if name in wanted)


# npz: numpy's own, one file.


def _write_npz(parts: Parts, folder: Path) -> None:
    arrays: dict[str, np.ndarray] = {}
    for split, one in parts.items():
        arrays[f"x_{split}"] = channels_last(one)
        arrays[f"y_{split}"] = one.labels.numpy()
        arrays[f"soft_{split}"] = one.soft.numpy()
        arrays[f"pairs_{split}"] = one.pairs.numpy()
        arrays[f"probabilities_{split}"] = one.probabilities.numpy()
        arrays[f"decoder_{split}"] = one.decoder.numpy()
        arrays[f"latent_{split}"] = one.latent.numpy()
        arrays[f"ids_{split}"] = one.ids.numpy()
        arrays[f"seed_{split}"] = np.array(one.seed)
        arrays["classes"] = np.array(one.classes)  # text of one width: no pickle is needed to read it
    np.savez_compressed(folder / NPZ, **arrays)  # pyrefly: ignore


FORMATS.add(
    "npz",
    Format(
        "numpy",
        _write_npz,
        lambda parts: {
            NPZ: "`x_train`, `y_train` (drawn label), `soft_train` (a probability for every class), `pairs_train`, "
            "`probabilities_train` (of the two classes), `decoder_train`, `latent_train`, `ids_train`, `seed_train`, "
            "the same for `test`, and `classes`"
        },
        lambda parts: (
            f'import numpy\nimages, soft = (numpy.load("FOLDER/{NPZ}")[name] for name in ("x_train", "soft_train"))'
        ),
    ),
)


# idx: the files of MNIST.


def _idx_files(parts: Parts) -> dict[str, str]:
    colour = any(one.images.shape[1] > 1 for one in parts.values())
    images = ("images-idx4-ubyte", "height, width, channels last") if colour else ("images-idx3-ubyte", "pixels")
    kinds = {
        images[0]: images[1],
        "labels-idx1-ubyte": "the drawn label",
        "soft-idx2-double": "a probability for every class",
        "pairs-idx2-ubyte": "the two classes",
        "probabilities-idx2-double": "of the two classes",
        "decoder-idx1-int": "which decoder made it",
        "latent-idx2-double": "from which latent point",
        "ids-idx1-int": "its number, in no other part",
        "seed-idx1-int": "of all draws, one number",
    }
    return {
        str(RAW / f"{idx.PARTS[split]}-{name}"): f"{what} ({split})" for split in parts for name, what in kinds.items()
    }


def _write_idx(parts: Parts, folder: Path) -> None:
    for one in parts.values():
        if len(one.classes) > 256:
            raise MistrustError(
                f"{one.name} has {len(one.classes)} classes; a label in idx files is a byte, so 256 is the most. "
                "Leave idx out: formats npz and parquet hold any number."
            )
    (folder / RAW).mkdir(parents=True)
    for split, one in parts.items():
        arrays = (
            channels_last(one), one.labels.numpy().astype(np.uint8), one.soft.numpy(),
            one.pairs.numpy().astype(np.uint8), one.probabilities.numpy(), one.decoder.numpy().astype(np.int32),
            one.latent.numpy(), one.ids.numpy().astype(np.int32), np.array([one.seed], dtype=np.int32),
        )  # fmt: skip
        for path, values in zip(_idx_files({split: one}), arrays, strict=True):
            idx.write(folder / path, values)


def _use_idx(parts: Parts) -> str:
    first = next(iter(parts.values()))
    if first.images.shape[1] > 1:
        path = f"FOLDER/{RAW}/train-images-idx4-ubyte"
        return f'from pathlib import Path\nfrom mistrust.data import idx\nimages = idx.read(Path("{path}"))'
    return 'from torchvision.datasets import MNIST\nimage, label = MNIST("FOLDER", train=True)[0]'


FORMATS.add("idx", Format("idx, the files of MNIST", _write_idx, _idx_files, _use_idx))

# parquet: encoded images and every column beside them. The layout is the one of users' own images, too.

FORMATS.add(
    "parquet",
    Format(
        "parquet, for Hugging Face's datasets",
        hugging_face.write,
        lambda parts: {
            **{
                parquet.PARTS[split]: "`image`, `label` (drawn), `first` and `second` (the two classes), `p_first`, "
                "`p_second`, `probabilities` (of every class), `decoder`, `latent`, `id`, `seed`"
                for split in parts
            },
            parquet.CLASSES: "the class names, one per line, by label",
        },
        lambda parts: 'from datasets import load_dataset\nparts = load_dataset("FOLDER")',
    ),
)
