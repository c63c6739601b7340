"""pytest inside pytest: small sessions of the plugin."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, distributions
from inspect import getattr_static
from pathlib import Path
from types import ModuleType
from typing import Protocol

import _pytest.config
import pytest
from _pytest.config import PytestPluginManager
from _pytest.fixtures import FixtureManager

import pytest_vqamt as vqamt
from pytest_vqamt.core import entry_points as ours
from pytest_vqamt.core.query import Task
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import PublishedRelation

# A model that says yes to all, declares what it is, and writes down each query that it is asked.
COUNTED = """
    from pathlib import Path

    class Model:
        fingerprint = "says yes"
        batch_size = 8

        def answer(self, batch):
            with Path("asked.txt").open("a") as log:
                log.write("".join(f"{each.query.id}\\n" for each in batch))
            return ["yes" for each in batch]

    class Undeclared(Model):
        fingerprint = None
"""


EIGHT = "--vqamt-relations=metavqa.partition,metavqa.reorder,metavqa.reversion,control.repeat,control.reencode[spaces]"
"""Relations of eight items, for tests of a whole run that are not about which relations there are."""


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """A shell has what it runs in the background ignore Ctrl-C, and the sessions that tests interrupt would, too."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, before)


LIBRARIES = ("_pytest", "xdist", "pytest_vqamt")


@cache
def has_fixtures(plugin: ModuleType | type) -> bool:
    """False of a plugin of a library, or the class of one, that defines no fixture."""
    name = plugin.__name__ if isinstance(plugin, ModuleType) else plugin.__module__
    values = (
        vars(plugin).values() if isinstance(plugin, ModuleType) else map(partial(getattr_static, plugin), dir(plugin))
    )
    return not name.startswith(LIBRARIES) or any(
        type(value).__name__.startswith("FixtureFunction") or "_pytestfixturefunction" in getattr(value, "__dict__", ())
        for value in values
    )


UNUSED = {
    "doctest", "faulthandler", "legacypath", "logging", "pastebin", "setuponly", "setupplan", "stepwise", "subtests",
    "unittest",
}  # fmt: skip
PLUGINS = tuple(name for name in _pytest.config.default_plugins if name not in UNUSED)
"""The plugins of pytest without those of which these sessions use nothing."""

INSTALLED = tuple(sys.path)


@lru_cache(maxsize=4)
def entry_points(
    path: tuple[str, ...], every: Callable[[tuple[str, ...]], tuple[EntryPoint, ...]] = ours._every
) -> tuple[EntryPoint, ...]:
    """Those of what is installed, which is read once, and of the folders that a test adds."""
    added = [each for each in path if each not in INSTALLED]
    return (*every(INSTALLED), *(point for found in distributions(path=added) for point in found.entry_points))


class Run(Protocol):
    """Runs a small session; arguments that a test does not care about are there already.

    ``shrink`` as in ``--vqamt-shrink``: no violation is made simpler where a test does not ask for it. ``contrast`` as
    in ``--vqamt-contrast``: no case has one where a test does not ask for it; None is the default of users. ``summary``
    as in ``--vqamt-summary``: full where a test does not ask for another; None is the default of users.
    """

    def __call__(
        self,
        *arguments: str,
        model: str | None = ...,
        data: Sequence[str] = ...,
        max_cases: int | None = ...,
        shrink: int = ...,
        contrast: float | None = ...,
        summary: str | None = ...,
    ) -> pytest.RunResult: ...


@pytest.fixture(scope="session", autouse=True)
def _loaded() -> Iterator[None]:
    """Loads libraries once for all sessions inside this process: pytester unloads what the first one has loaded."""
    own = str(Path(vqamt.__file__).parent)

    def is_library(name: str) -> bool:
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        return file.startswith(own) or "site-packages" in file or name == "readline"  # bugs.python.org/issue41033

    def model(image: object, text: str) -> str:
        return f"{text} yes"

    class Snapshot:
        """As pytester's own, which looks at every module there is instead of those that have been loaded since."""

        def __init__(self) -> None:
            self.modules = dict(sys.modules)

        def restore(self) -> None:
            since = [name for name, module in sys.modules.items() if self.modules.get(name) is not module]
            self.modules.update((name, sys.modules[name]) for name in since if is_library(name))
            sys.modules.clear()
            sys.modules.update(self.modules)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pytest.Pytester, "_Pytester__take_sys_modules_snapshot", lambda _self: Snapshot())
        # These cannot be loaded twice: httpx2 would know errors of an httpcore2 that is not the next one's.
        for module in ("numpy", "cv2", "httpcore2"):
            import_module(module)
        vqamt.run(model=model, data="pictures:2", relations="metavqa.reorder*", max_cases=2)
        ours._every(INSTALLED)
        yield


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the relations of a session inside this process to it, and what surrounds these tests out of it."""
    monkeypatch.setattr(catalogue, "_registered", {})
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    # Plugins that have no part in this take most of the time in which a worker of xdist starts.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin,pytest_vqamt.plugin")
    # No plugin of these sessions is named by its entry point, and the look-up reads the metadata of all packages.
    monkeypatch.setattr(PytestPluginManager, "load_setuptools_entrypoints", lambda *_arguments, **_names: 0)
    monkeypatch.setattr(ours, "_every", entry_points)
    # To register a plugin takes a millisecond, in each session.
    monkeypatch.setattr(_pytest.config, "default_plugins", PLUGINS)
    # In each session pytest looks at every name of every plugin, most of which have no fixture.
    register = FixtureManager.pytest_plugin_registered

    def registered(self: FixtureManager, plugin: object, plugin_name: str) -> None:
        if has_fixtures(plugin if isinstance(plugin, ModuleType | type) else type(plugin)):
            register(self, plugin, plugin_name)

    monkeypatch.setattr(FixtureManager, "pytest_plugin_registered", registered)


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    def go(
        *arguments: str,
        model: str | None = "oracle",
        data: Sequence[str] = ("pictures:20",),
        max_cases: int | None = 4,
        shrink: int = 0,
        contrast: float | None = 0,
        summary: str | None = "full",
    ) -> pytest.RunResult:
        named = [f"--vqamt-model={model}"] if model else []
        sources = [f"--vqamt-data={spec}" for spec in data]
        cases = [f"--vqamt-max-cases={max_cases}"] if max_cases else []
        drawn = ("--vqamt-sampler=random", f"--vqamt-shrink={shrink}")
        contrasts = [] if contrast is None else [f"--vqamt-contrast={contrast:g}"]
        length = [] if summary is None else [f"--vqamt-summary={summary}"]
        return pytester.runpytest_inprocess(*named, *sources, *cases, *drawn, *contrasts, *length, *arguments)

    return go


WORKERS = (
    pytest.param((), id="alone"),
    pytest.param(("-n", "0"), id="-n 0", marks=pytest.mark.full),
    pytest.param(("-n", "2"), id="-n 2", marks=pytest.mark.full),
)
"""The ways to share out a session; test_sameness has workers in the default tier."""


@pytest.fixture(params=WORKERS)
def workers(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """How the session is shared out."""
    shared: tuple[str, ...] = request.param
    return shared


@pytest.fixture
def counted(pytester: pytest.Pytester) -> str:
    """The spec of a model that is there to be counted; ``asked`` reads what it was asked."""
    pytester.makepyfile(counted=COUNTED)
    return "python:counted:Model"


def every_item(tasks: Sequence[Task] = tuple(Task)) -> list[str]:
    """Each relation variant that is run where none is named of a model of ``tasks``, in the catalogue's order.

    Those of published cases are not among them: the data of these tests has none.
    """
    relations = [catalogue.get(name) for name in catalogue.TABLE]
    infos = [each.info for each in relations if not isinstance(each, PublishedRelation)]
    return [info.item(variant) for info in infos if info.task in tasks for variant in info.variants]


def asked(pytester: pytest.Pytester) -> list[str]:
    """The ids of the queries that the counted model was asked since the last time, in order."""
    log = pytester.path / "asked.txt"
    if not log.exists():
        return []
    ids = log.read_text().split()
    log.unlink()
    return ids
