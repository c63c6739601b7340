"""What every test of the project runs under: pytester, two processes, and Hypothesis without a clock or chance."""

from __future__ import annotations

import gc
import os
import sys

import pytest
from hypothesis import settings

# A plugin, as the hooks of a conftest.py are not called where another one cannot be imported.
pytest_plugins = ["pytester", "tests.extras"]

PROCESSES = 2
"""On so many the whole suite runs where pytest-xdist is installed and no -n is given."""

# Tests start many processes. Without bytecode, which some containers switch off, each would compile the package.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples in every run, and no failure because a machine was busy.
settings.register_profile("project", deadline=None, derandomize=True, database=None, max_examples=25)
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
