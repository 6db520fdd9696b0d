"""`KINDS`: what a model can be; which one a file is, is told by its content, not by its name.

ONNX files have no mark of their own: these are told by their suffix.
"""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mistrust.assess.models import torch_files
from mistrust.assess.models.callables import from_module
from mistrust.assess.models.loaded import Loaded, checksum
from mistrust.assess.models.onnx_file import from_onnx
from mistrust.errors import MistrustError
from mistrust.registry import Registry


@dataclass(frozen=True)
class Kind:
    """One kind of model file.

    Attributes
    ----------
    title : what messages call it.
    fits : whether a file is one, from its first bytes and, for an archive, the names in it.
    read : (path, trust) -> `Loaded`.

    Examples
    --------
    >>> from pathlib import Path
    >>> kind = KINDS["onnx"]
    >>> kind.title, kind.fits(Path("model.onnx"), b"", ()), kind.fits(Path("model.pt"), b"", ())
    ('ONNX', True, False)
    """

    title: str
    fits: Callable[[Path, bytes, tuple[str, ...]], bool]
    read: Callable[[Path, bool], Loaded]


KINDS = Registry[Kind]("kind of model file")
KINDS.add("torchscript", Kind("TorchScript", lambda _, head, names: _below(names, "code/"), torch_files.from_script))
KINDS.add("export", Kind("torch.export", lambda _, head, names: _below(names, "models/"), torch_files.from_export))
KINDS.add(
    "pickle",
    Kind(
        "pickled torch module",
        lambda _, head, names: _below(names, "data.pkl") or head.startswith(torch_files.OLD_MAGIC),
        torch_files.from_pickle,
    ),
)
KINDS.add(
    "other pickle",
    Kind(
        "pickle",
        lambda path, head, _: head[:1] == b"\x80" or bool({".pkl", ".pickle", ".joblib"} & set(path.suffixes)),
        torch_files.from_other_pickle,
    ),
)
KINDS.add("onnx", Kind("ONNX", lambda path, head, names: path.suffix.lower() == ".onnx", from_onnx))

EXPECTED = (
    "expected a TorchScript file (torch.jit.save), an ONNX file (.onnx), a torch.export file (.pt2) or a pickled torch "
    "module (both with --trust), or FILE.py:NAME or MODULE:NAME of a torch module or a function"
)


def read_model(named: str, *, trust: bool = False) -> Loaded:
    """Read a model.

    Parameters
    ----------
    named : a file, or MODULE:NAME or FILE.py:NAME, whose code is imported and so run.
    trust : read torch.export files and pickled modules, too: code in them runs when they are read.

    Raises
    ------
    MistrustError
        No such file, a file of another kind or a broken one, weights without a network, one that is not trusted and
        would run code, no such module or name, a package that is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("mine.py").write_text("import torch; network = torch.nn.Flatten()")
    >>> read_model("mine.py:network").network(torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 4])
    >>> read_model("mine.onxx")
    Traceback (most recent call last):
    mistrust.errors.MistrustError: --model is 'mine.onxx', ... There is no file mine.onxx.
    """
    path = Path(named).expanduser()
    if path.is_dir():
        raise MistrustError(f"--model {named} is a folder, {EXPECTED}.")
    if not path.is_file():
        module, colon, name = named.rpartition(":")
        if not colon or not module or not name:
            near = f" There is no file {named}." if "/" in named or "." in named else ""
            raise MistrustError(f"--model is '{named}', {EXPECTED}.{near}")
        return from_module(module, name)
    with path.open("rb") as file:
        head = file.read(16)
    names: tuple[str, ...] = ()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = tuple(archive.namelist())
    for kind in KINDS.values():
        if kind.fits(path, head, names):
            try:
                return kind.read(path, trust)
            except MistrustError:
                raise
            except Exception as error:  # readers of other libraries raise what they like
                first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
                raise MistrustError(f"{path} cannot be read as {kind.title} ({first}): write it again.") from error
    raise MistrustError(f"{path} (sha256 {checksum(path)}) is of no kind that is known, {EXPECTED}.")


def _below(names: tuple[str, ...], what: str) -> bool:
    """Whether an archive holds this file or folder below its one top folder."""
    return any(name.partition("/")[2].startswith(what) for name in names)
