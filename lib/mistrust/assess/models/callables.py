"""Models that Python makes: MODULE:NAME or FILE.py:NAME, a torch module, a function of images, or a maker of either."""

import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import nn

from mistrust.assess.models.loaded import Loaded, beside, callable_of, checksum
from mistrust.assess.models.torch_files import predicting
from mistrust.assess.models.training_mode import evaluated
from mistrust.errors import MistrustError, UnknownName

_ENDED = (
    "ended Python (sys.exit) in place of making a model: put what it does as a program behind `if __name__ == "
    '"__main__":`.'
)


def from_module(module: str, name: str) -> Loaded:
    """Import a module, from where the command is called or from a file, and take what it calls by this name.

    A function without parameters that must be given (and a class of torch modules) is called: it makes the model. Any
    other function is the model: it takes float32 images (n, c, h, w) and gives (n, k).

    Raises
    ------
    MistrustError
        No such module or name, code that fails, something that is neither a torch module nor callable.
    """
    code = _imported(module)
    if not hasattr(code, name):
        raise UnknownName(f"name in {module}", name, [one for one in vars(code) if not one.startswith("_")])
    found: Any = getattr(code, name)
    if not isinstance(found, nn.Module) and callable(found) and _maker(found):
        try:
            with beside(_home(module)):
                found = found()
        except SystemExit as error:
            raise MistrustError(f"{module}:{name}() {_ENDED}") from error
        except Exception as error:
            raise MistrustError(f"{module}:{name}() failed: {type(error).__name__}: {error}.") from error
    if not callable(found):
        if hasattr(found, "predict_proba"):
            raise MistrustError(f"{module}:{name} is a {type(found).__name__}. {predicting(name)}")
        raise MistrustError(
            f"{module}:{name} is of type {type(found).__name__}, expected a torch module, a function of images, or a "
            "function without parameters that makes one of these."
        )
    source = Path(str(getattr(code, "__file__", "") or ""))
    known = checksum(source) if source.is_file() else ""
    if isinstance(found, nn.Module):
        return Loaded(found, "torch module", name, known, training=evaluated(found))
    return Loaded(callable_of(found, _home(module)), "Python callable", name, known)


def _maker(found: Any) -> bool:
    """Whether it can be called with nothing: a class of modules, or a function whose parameters have defaults."""
    if inspect.isclass(found):
        return True
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    takes = [one for one in parameters if one.kind in needed]
    return all(one.default is not inspect.Parameter.empty for one in takes) and not any(
        one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters
    )


def _home(module: str) -> Path:
    """The folder whose code a file finds, or a module that is named as one."""
    return Path(module).expanduser().resolve().parent if module.endswith(".py") else Path.cwd()


def _imported(module: str) -> ModuleType:
    path = Path(module).expanduser()
    try:
        if module.endswith(".py"):
            if not path.is_file():
                raise MistrustError(f"There is no file {module}: name the file that makes the model, FILE.py:NAME.")
            spec = importlib.util.spec_from_file_location(path.stem, path)
            if spec is None or spec.loader is None:
                raise MistrustError(f"{module} cannot be imported.")
            code = importlib.util.module_from_spec(spec)
            sys.modules.setdefault(path.stem, code)  # what is pickled in it finds its classes by this name
            with beside(_home(module)):
                spec.loader.exec_module(code)
            return code
        with beside(_home(module)):
            return importlib.import_module(module)
    except MistrustError:
        raise
    except ModuleNotFoundError as error:
        raise MistrustError(
            f"{module} cannot be imported ({error}): expected a module that Python finds from here, or FILE.py:NAME."
        ) from error
    except SystemExit as error:
        raise MistrustError(f"{module} {_ENDED}") from error
    except Exception as error:  # whatever the code raises
        raise MistrustError(f"{module} failed when it was imported: {type(error).__name__}: {error}.") from error
