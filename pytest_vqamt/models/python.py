"""``python:module:factory``: a model from the user's own code."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError, did_you_mean
from pytest_vqamt.core.plain_text import error_text, shown
from pytest_vqamt.models.base import METHODS, ModelOptions, accepts
from pytest_vqamt.models.time_limit import loaded_within


def load(argument: str, options: ModelOptions) -> object:
    """The object ``module:factory``: called if it is a class or takes no arguments, else as it is.

    Modules in the current directory are found, as by ``python -m``.

    Raises:
        OptionError: the module or the name in it does not exist.
        ModelError: the module or the factory raised, ended the process, or took too long.
    """
    spec = f"python:{argument}"
    module_name, colon, name = argument.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module_name.split("."), name)):
        raise OptionError(f"Expected python:module:factory, such as python:my_models:load, but got model={spec!r}")
    return loaded_within(options.timeout_s, lambda: _loaded(module_name, name, spec), spec)


def _loaded(module_name: str, name: str, spec: str) -> object:
    module = _import_module(module_name, spec)
    if not hasattr(module, name):
        hint = did_you_mean(name, (known for known in vars(module) if not known.startswith("_")))
        raise OptionError(
            f"Expected a name that module {module_name!r} ({_place(module)}) defines, but got {name!r} "
            f"in model={spec!r}; {hint}"
        )
    return _call_factory(getattr(module, name), spec)


def _import_module(name: str, spec: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except VqamtError:
        raise
    except (Exception, SystemExit) as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{name}.".startswith(f"{missing}."):
            raise OptionError(
                f"Expected a module that can be imported from {here} or is installed, but there is none called "
                f"{missing!r}, in model={spec!r}"
            ) from error
        raise ModelError(f"Importing module {name!r} for model={spec!r} raised {shown(error_text(error))}") from error


def _call_factory(found: object, spec: str) -> object:
    is_model = any(hasattr(found, method) for method in METHODS.values())
    if not isinstance(found, type) and (is_model or not callable(found) or not accepts(found)):
        return found
    try:
        return found()
    except VqamtError:
        raise
    except (Exception, SystemExit) as error:  # a script that is no module may end itself
        raise ModelError(f"The factory of model={spec!r} raised {shown(error_text(error))}") from error


def _place(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or "built in"
