"""The pytest plugin: hooks and fixtures, which delegate.

Importing this module imports pytest and the table of options alone; all else waits until a model is named.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

import pytest


class _AsCompiled(MetaPathFinder):
    """Finds the modules of this package before pytest does, which would rewrite their assertions.

    pytest rewrites every module of a plugin's distribution, past the bytecode that pip wrote: where it cannot cache
    the result (a read-only container, ``PYTHONDONTWRITEBYTECODE``), a session would compile 160 modules anew, for
    assertions that no test makes.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("pytest_vqamt."):
            return None
        # All that would find it without us, but for pytest: type checkers rewrite modules on import too.
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            spec = None if type(finder).__module__.startswith("_pytest.") else finder.find_spec(fullname, path, target)
            if spec is not None:
                return spec
        return None


if not any(isinstance(each, _AsCompiled) for each in sys.meta_path):
    sys.meta_path.insert(0, _AsCompiled())

from pytest_vqamt.integration.options import add_options, hint_at_misspelt, models_named  # noqa: E402

if TYPE_CHECKING:
    from pytest_vqamt.data.scene_source import SceneSource
    from pytest_vqamt.integration.items import Consistency
    from pytest_vqamt.integration.session import VqamtSession
    from pytest_vqamt.models.wrapped import LoadedModel


_SESSION = "vqamt-session"
"""The name under which the session's plugin is registered."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our options, and their ini options."""
    add_options(parser)
    if "_ARGCOMPLETE" in os.environ:
        from pytest_vqamt.commands.completion import complete_options

        complete_options(parser)


def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> None:
    """Prepares for a misspelt option of ours."""
    hint_at_misspelt(parser, args)


def pytest_configure(config: pytest.Config) -> None:
    """Starts a session of ours where a model is named."""
    config.addinivalue_line(
        "markers",
        "vqamt(fail_under, grounded_under): the pass rate and the grounded rate that items of a test that takes "
        'vqamt_consistency must reach, each RATE, {"GLOB": RATE} or a list of these',
    )
    # Without a model the plugin costs a session nothing but its options.
    if models_named(config):
        from pytest_vqamt.integration.session import start

        config.pluginmanager.register(start(config), _SESSION)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One call of a test for each relation variant, model and data source."""
    if "vqamt_consistency" in metafunc.fixturenames:
        from pytest_vqamt.integration.session import parametrize

        parametrize(metafunc, metafunc.config.pluginmanager.get_plugin(_SESSION))


@pytest.fixture(scope="session")
def vqamt_models(request: pytest.FixtureRequest) -> Mapping[str, LoadedModel]:
    """The models that the options name, by their short names or specs."""
    from pytest_vqamt.core.identity import name_of
    from pytest_vqamt.integration.items import without_traceback

    session = _session(request)
    with without_traceback():
        return {name_of(spec): session.resources.held_model(spec) for spec in session.settings.models}


@pytest.fixture(scope="session")
def vqamt_scenes(request: pytest.FixtureRequest) -> Mapping[str, SceneSource]:
    """The scene sources that the options name, by their short names or specs."""
    from pytest_vqamt.core.identity import name_of
    from pytest_vqamt.integration.items import without_traceback

    session = _session(request)
    with without_traceback():
        return {name_of(spec): session.resources.source(spec) for spec in session.settings.data}


@pytest.fixture
def vqamt_consistency(request: pytest.FixtureRequest) -> Consistency:
    """One relation variant on one model and one data source: ``.check()`` runs and asserts it."""
    from pytest_vqamt.integration.items import Consistency

    return Consistency(_session(request), request.param, request.node)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Cuts the traceback of an error of this package to the user's code, as that of a test that calls ``vqamt.run``."""
    # Not imported: where it is not loaded, no error can be one of this package.
    errors = sys.modules.get("pytest_vqamt.core.errors")
    if errors and call.excinfo and isinstance(call.excinfo.value, errors.VqamtError):
        from pytest_vqamt.integration.items import user_excinfo

        call.excinfo = user_excinfo(call.excinfo.value, item.config)


def _session(request: pytest.FixtureRequest) -> VqamtSession:
    session: VqamtSession | None = request.config.pluginmanager.get_plugin(_SESSION)
    if session is None:
        pytest.skip("no model is named: give --vqamt-model=SPEC, or vqamt_model in the ini file")
    return session
