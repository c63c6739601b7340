"""What is installed is what is in the repository, and nothing beside it."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import entry_points, requires
from pathlib import Path

import pytest

import pytest_vqamt

ROOT = Path(__file__).parents[1]
PACKAGE = Path(pytest_vqamt.__file__).parent
REPOSITORY_ONLY = {"runs", "out", "dist", ".git", ".venv"}


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True)
    return folder


def test_the_wheel_holds_every_file_of_the_package(distributions: Path) -> None:
    with zipfile.ZipFile(next(distributions.glob("*.whl"))) as wheel:
        packed = {name for name in wheel.namelist() if name.startswith("pytest_vqamt/")}
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert packed == {path.relative_to(ROOT).as_posix() for path in files}


def test_the_source_distribution_holds_no_runs(distributions: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        top_level = {name.split("/")[1] for name in archive.getnames()}
    assert {"pytest_vqamt", "tests", "pyproject.toml", "LICENSE"} <= top_level
    assert top_level & REPOSITORY_ONLY == set()


def test_pytest_finds_the_plugin() -> None:
    [plugin] = entry_points(group="pytest11", name="vqamt")
    assert plugin.value == "pytest_vqamt.plugin"


def test_the_core_brings_nothing_heavy() -> None:
    core = [requirement for requirement in requires("pytest-vqamt") or () if "extra ==" not in requirement]
    assert {name_in(requirement) for requirement in core} == {
        "hypothesis",
        "ijson",
        "inflect",
        "jinja2",
        "nltk",
        "numpy",
        "pillow",
        "platformdirs",
        "pycocotools",
        "pytest",
        "pyyaml",
        "scipy",
        "tqdm",
    }


def test_constraints_lie_within_what_the_project_asks_for() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = settings["optional-dependencies"].values()
    wanted = {name_in(line) for line in [*settings["dependencies"], *(line for extra in extras for line in extra)]}
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert wanted - {"pytest-vqamt"} <= {name_in(line) for line in lines}
    assert [line for line in lines if line.count("==") != 1 or "+" in line] == []


def name_in(requirement: str) -> str:
    """The distribution that a requirement names, in the spelling that PyPI compares."""
    name = requirement
    for delimiter in "[<>=!~; ":
        name = name.partition(delimiter)[0]
    return name.lower().replace("_", "-").replace(".", "-")
