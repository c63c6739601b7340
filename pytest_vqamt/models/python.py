"""``python:module:factory``: a model from the user's own code."""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError, did_you_mean
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.text import error_text, shown
from pytest_vqamt.models.guarded import is_of_the_session, reading
from pytest_vqamt.models.protocol import METHODS, ModelOptions, accepts
from pytest_vqamt.models.time_limit import loaded_within


def load(argument: str, options: ModelOptions) -> object:
    """The object ``module:factory``: called if it is a class or takes no arguments, else as it is.

    Modules in the current directory are found, as by ``python -m``.

    Raises:
        OptionError: the module or the name in it does not exist.
        ModelError: the module or the factory raised, ended the process, or took too long.
    """
    spec = f"python:{argument}"
    given = f"model={spec!r}"
    if not _is_name(argument):
        raise OptionError(f"Expected python:module:factory, such as python:my_models:load, but got {given}")
    return loaded_within(options.timeout_s, lambda: _call_factory(imported(argument, given), spec), spec)


def tasks(argument: str, options: ModelOptions) -> tuple[Task, ...] | None:
    """The tasks that a class has methods for, or that a factory says it returns; None where only calling it tells.

    Raises:
        OptionError: the module or the name in it does not exist.
        ModelError: the module raised, ended the process, or took too long.
    """
    spec = f"python:{argument}"
    found = loaded_within(options.timeout_s, lambda: imported(argument, f"model={spec!r}"), spec)
    if not isinstance(found, type):
        with suppress(Exception):  # names in annotations may be of another module, or undefined
            found = get_type_hints(found).get("return")
    if not isinstance(found, type):
        return None
    with reading(f"model={spec!r}", spec):
        return tuple(task for task, name in METHODS.items() if callable(getattr(found, name, None))) or None


def imported(name: str, given: str) -> object:
    """The object ``module:name`` of the user's own code.

    Modules in the current directory are found, as by ``python -m``. ``given`` is what the user gave, for messages.

    Raises:
        OptionError: it is no such name, or the module or the name in it does not exist.
        ModelError: the module raised, or ended the process.
    """
    if not _is_name(name):
        raise OptionError(f"Expected MODULE:NAME, such as my_code:read, but got {given}")
    module_name, _, attribute = name.partition(":")
    module = _import_module(module_name, given)
    if not hasattr(module, attribute):
        hint = did_you_mean(attribute, (known for known in vars(module) if not known.startswith("_")))
        raise OptionError(
            f"Expected a name that module {module_name!r} ({_place(module)}) defines, but got {attribute!r} "
            f"in {given}; {hint}"
        )
    found: object = getattr(module, attribute)
    return found


def _is_name(name: str) -> bool:
    module_name, colon, attribute = name.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module_name.split("."), attribute))


def _import_module(name: str, given: str) -> ModuleType:
    # pytest itself need not have it in sys.path: only `python -m pytest` adds it.
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except VqamtError:
        raise
    except BaseException as error:
        if is_of_the_session(error):
            raise
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        # The module itself or a package of its name is missing, not something that it imports.
        if missing and f"{name}.".startswith(f"{missing}."):
            hint = f": leave '.py' off, as in {name.removesuffix('.py')!r}" if name.endswith(".py") else ""
            raise OptionError(
                f"Expected a module that can be imported from {here} or is installed, but there is none called "
                f"{missing!r}, in {given}{hint}"
            ) from error
        raised = ModelError(f"Importing module {name!r} for {given} raised {shown(error_text(error))}")
        raise raised.about(error, f"on importing module {name!r} for {given}") from error


def _call_factory(found: object, spec: str) -> object:
    with reading(f"model={spec!r}", spec):
        is_model = any(hasattr(found, method) for method in METHODS.values())
    # A class is always called, though it has the methods of a model.
    if not isinstance(found, type) and (is_model or not callable(found) or not accepts(found)):
        return found
    try:
        return found()
    except VqamtError:
        raise
    except BaseException as error:  # a script that is no module may end itself
        if is_of_the_session(error):
            raise
        raised = ModelError(f"The factory of model={spec!r} raised {shown(error_text(error))}")
        raise raised.about(error, f"in the factory of model={spec!r}") from error


def _place(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or "built in"
