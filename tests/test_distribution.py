"""What is installed is what is in the repository, and nothing beside it."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import yaml

import pytest_vqamt
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.relations import catalogue as relations
from tests import extras as extras_plugin
from tests.extras import CORE, EXTRAS, LOOKED_FOR, NOT_OF_TEST, USED_BY

ROOT = Path(__file__).parents[1]
PACKAGE = Path(pytest_vqamt.__file__).parent
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
NOT_DISTRIBUTED = {*sys.stdlib_module_names, "pytest_vqamt", "_typeshed", "annotationlib"}
"""The last two are of type checkers and of Python 3.14."""

WHEEL_BYTES_AT_MOST = 10_000_000
"""Six of its nine million are the weights of tiny."""
STARTED = {"pytest_vqamt/serving/server.py", "pytest_vqamt/serving/supervisor.py"}
"""The processes that `vqamt serve` starts. Scripts that make a committed file stand in tools/, not in the package."""

REPOSITORY_ONLY = {"runs", "out", "dist", ".git", ".venv"}


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True)
    return folder


@pytest.mark.full
def test_the_wheel_holds_every_file_of_the_package(distributions: Path) -> None:
    with zipfile.ZipFile(next(distributions.glob("*.whl"))) as wheel:
        packed = {name for name in wheel.namelist() if name.startswith("pytest_vqamt/")}
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert packed == {path.relative_to(ROOT).as_posix() for path in files}


@pytest.mark.full
def test_the_wheel_is_small_typed_and_licensed_and_holds_no_maker(distributions: Path) -> None:
    (file,) = distributions.glob("*.whl")
    assert file.stat().st_size < WHEEL_BYTES_AT_MOST
    with zipfile.ZipFile(file) as wheel:
        names = set(wheel.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        described = wheel.read(metadata).decode()
        scripts = {name for name in names if name.endswith(".py") and b'__name__ == "__main__"' in wheel.read(name)}
    meta = metadata.rpartition("/")[0]
    assert {name.partition("/")[0] for name in names} == {"pytest_vqamt", meta}
    assert "pytest_vqamt/py.typed" in names
    assert {name for name in names if name.startswith(f"{meta}/licenses/")} == {
        f"{meta}/licenses/{name}" for name in settings()["license-files"]
    }
    assert f"\nVersion: {settings()['version']}\n" in described
    assert "\nLicense-Expression: Apache-2.0\n" in described
    assert scripts == STARTED


@pytest.mark.full
def test_the_source_distribution_holds_no_runs(distributions: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        top_level = {name.split("/")[1] for name in archive.getnames()}
    assert {"pytest_vqamt", "tests", "pyproject.toml", "LICENSE"} <= top_level
    assert top_level & REPOSITORY_ONLY == set()


def test_installed_packages_are_looked_through_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looked = Mock(wraps=importlib.metadata.entry_points)
    monkeypatch.setattr(importlib.metadata, "entry_points", looked)
    monkeypatch.syspath_prepend(tmp_path)  # to be looked through again
    for _ in range(2):
        assert "pictures" in sources.names()
        assert "control.repeat" in relations.names()
        assert "oracle" in [kind.name for kind in ModelCatalogue().kinds]
    assert looked.call_count == 1


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    version = settings()["version"]
    assert (cited["version"], cited["license"], cited["title"]) == (version, settings()["license"], settings()["name"])
    assert [each["name"] for each in cited["authors"]] == [each["name"] for each in settings()["authors"]]


def test_the_changelog_has_the_unreleased_changes_first_and_then_what_was_published() -> None:
    first, *published = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
    assert first == "[Unreleased]"
    assert [each for each in published if not re.fullmatch(r"\[\d+\.\d+\.\d+] - \d{4}-\d\d-\d\d", each)] == []
    assert len(CHANGELOG.partition("\n## [Unreleased]\n")[2].partition("\n## ")[0].split()) <= 3000


def test_the_changelog_names_the_version_of_each_relation_that_has_changed() -> None:
    versions = {name: relations.get(name).info.version for name in relations.BUILT_IN}
    section = CHANGELOG.partition("\n### Relation versions\n")[2].partition("\n### ")[0]
    told = {name: int(version) for name, version in re.findall(r"`([\w.]+)` \((\d+)\)", section)}
    assert told == {name: version for name, version in versions.items() if version > 1}


def test_pytest_finds_the_plugin() -> None:
    [plugin] = importlib.metadata.entry_points(group="pytest11", name="vqamt")
    assert plugin.value == "pytest_vqamt.plugin"


def test_the_core_brings_what_it_imports_and_nothing_else() -> None:
    assert {name_in(line) for line in settings()["dependencies"]} == set(CORE.values())


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_names_the_distributions_of_its_imports(extra: str) -> None:
    assert set(EXTRAS[extra].values()) <= distributions_of(extra)


def test_the_extra_of_tests_brings_all_that_ci_requires() -> None:
    brought = distributions_of("test")
    assert all(set(EXTRAS[extra].values()) <= brought for extra in EXTRAS if extra not in NOT_OF_TEST)


def test_a_file_is_skipped_where_an_extra_is_missing_and_fails_where_a_part_of_it_is(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXTRAS, "made_up", {"made_up_module": "made-up", "pytest_vqamt": "itself"})
    monkeypatch.delenv("VQAMT_EXTRAS", raising=False)
    pytester.makepyfile(test_missing="import made_up_module.part", test_part="import pytest_vqamt.no_such_part")
    run = pytester.inline_run("-p", "no:cacheprovider", plugins=[extras_plugin])
    passed, skipped, failed = run.listoutcomes()
    assert [len(passed), len(skipped), len(failed)] == [0, 1, 1]
    assert "needs made_up_module: pip install 'pytest-vqamt[made_up]'" in str(skipped[0].longrepr)
    monkeypatch.setenv("VQAMT_EXTRAS", "required")
    with pytest.raises(pytest.UsageError, match="VQAMT_EXTRAS=required, but not installed: made_up_module"):
        extras_plugin.pytest_configure()


def test_every_extra_is_looked_at() -> None:
    assert set(settings()["optional-dependencies"]) - set(EXTRAS) == {"demo", "dev", "docs"}


def test_a_file_imports_the_core_and_what_its_extras_bring() -> None:
    imported, beyond = set(), {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name, found = path.relative_to(ROOT), set(imports(path))
        extras = [extra for used_by, each in USED_BY.items() if name.is_relative_to(used_by) for extra in each]
        beyond[name] = found - {*CORE, *LOOKED_FOR, *(module for extra in extras for module in EXTRAS[extra])}
        imported |= found
    assert {name: modules for name, modules in beyond.items() if modules} == {}
    # Other libraries import these.
    not_ours = ("gpu", "test", "xdist")
    by_files = {module for extra, brought in EXTRAS.items() if extra not in not_ours for module in brought}
    assert imported == {*CORE, *LOOKED_FOR, *by_files}


def test_constraints_lie_within_what_the_project_asks_for() -> None:
    extras = settings()["optional-dependencies"].values()
    wanted = {name_in(line) for line in [*settings()["dependencies"], *(line for extra in extras for line in extra)]}
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert wanted - {"pytest-vqamt"} <= {name_in(line) for line in lines}
    assert [line for line in lines if line.count("==") != 1 or "+" in line] == []


def settings() -> dict[str, Any]:
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return settings


def distributions_of(extra: str) -> set[str]:
    """Returns the distributions that an extra names, by itself or by other extras of this project."""
    found = set()
    for line in settings()["optional-dependencies"][extra]:
        if name_in(line) == "pytest-vqamt":
            others = line.partition("[")[2].rstrip("]").split(",")
            found |= {name for other in others for name in distributions_of(other)}
        else:
            found.add(name_in(line))
    return found


def imports(path: Path) -> Iterator[str]:
    """Yields the top-level modules of other distributions that a file imports, by statement or by name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                modules = [each.name for each in names]
            case ast.ImportFrom(module=str(module), level=0):
                modules = [module]
            case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(module)), *_]):
                modules = [module]
            case _:
                continue
        yield from {module.partition(".")[0] for module in modules} - NOT_DISTRIBUTED


def name_in(requirement: str) -> str:
    """The distribution that a requirement names, in the spelling that PyPI compares."""
    name = requirement
    for delimiter in "[<>=!~; ":
        name = name.partition(delimiter)[0]
    return name.lower().replace("_", "-").replace(".", "-")
