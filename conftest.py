"""What every test of the project runs under: pytester, two processes, and Hypothesis without a clock or chance."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import compress
from types import FunctionType
from typing import Any

import pytest
from hypothesis import settings

# A plugin, as the hooks of a conftest.py are not called where another one cannot be imported.
pytest_plugins = ["pytester", "tests.extras"]

DEFAULT = "not full and not slow"
"""The -m of the default tier."""
PROCESSES = 2
"""On so many the whole suite runs where pytest-xdist is installed and no -n is given."""

# Tests start many processes. Without bytecode, which some containers switch off, each would compile the package.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples in every run, and no failure because a machine was busy.
settings.register_profile("project", deadline=None, derandomize=True, database=None, max_examples=15)
settings.register_profile("full", settings.get_profile("project"), max_examples=300)
settings.load_profile("project")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Sets the number of processes before pytest-xdist reads it; a run of named files, or with a debugger, has one."""
    option = config.option
    is_whole = config.args_source is not pytest.Config.ArgsSource.ARGS and not hasattr(config, "workerinput")
    if not is_whole or not hasattr(option, "numprocesses"):
        return
    if option.numprocesses is None and not (option.usepdb or option.collectonly):
        option.numprocesses = PROCESSES
    if option.numprocesses and option.dist == "no":
        # Tests that stand together run together, so that what they share is made once, and torch is mostly loaded once.
        option.dist = "worksteal"


def is_default(config: pytest.Config) -> bool:
    """True where the default tier is asked for; of a test that is named, pytest is to say that it is deselected."""
    return config.option.markexpr == DEFAULT and not any("::" in arg for arg in config.args)


def is_of_default(marks: Iterable[object]) -> bool:
    return all(getattr(mark, "name", "") not in ("full", "slow") for mark in marks)


def has_default_variant(mark: pytest.Mark) -> bool:
    """False of a parametrization of which every variant is in another tier."""
    variants = mark.args[1] if mark.name == "parametrize" and len(mark.args) > 1 else ()
    if not isinstance(variants, list | tuple) or not variants:
        return True
    return any(is_of_default(getattr(each, "marks", ())) for each in variants)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, obj: object) -> list[pytest.Item] | None:
    """Makes no items of a test that the default tier does not run: with the variants below, almost half of all."""
    if not isinstance(obj, FunctionType) or not is_default(collector.config):
        return None
    marks = [*collector.iter_markers(), *getattr(obj, "pytestmark", ())]
    return None if is_of_default(marks) and all(map(has_default_variant, marks)) else []


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes no items of the variants of a test that the default tier does not run."""
    if not is_default(metafunc.config):
        return
    parametrize = metafunc.parametrize

    def with_default_variants(argnames: str | Sequence[str], argvalues: Sequence[Any], **given: Any) -> None:
        argvalues = list(argvalues)  # an iterator would be used up by the next line
        of_default = [is_of_default(getattr(each, "marks", ())) for each in argvalues]
        if any(of_default):
            argvalues = list(compress(argvalues, of_default))
            if given.get("ids") is not None and not callable(given["ids"]):
                given["ids"] = list(compress(given["ids"], of_default))
        parametrize(argnames, argvalues, **given)

    metafunc.parametrize = with_default_variants  # type: ignore[method-assign, assignment]  # there is no hook for a variant


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves slow tests out, also those of a file that is in the full tier, unless -m names them."""
    if "slow" not in config.option.markexpr:
        slow = [item for item in items if item.get_closest_marker("slow")]
        if slow:
            config.hook.pytest_deselected(items=slow)
            items[:] = [item for item in items if not item.get_closest_marker("slow")]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leaves what was collected out of garbage collections, of which some tests start many."""
    gc.collect()
    gc.freeze()
    # Of what tests make little is in circles, and collections as often as by default take a twentieth of the time.
    gc.set_threshold(50_000, 20, 20)
