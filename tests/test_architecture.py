"""The parts depend on each other in one direction, and what is light stays light."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_vqamt

ROOT = Path(__file__).parents[1]
PACKAGE = Path(pytest_vqamt.__file__).parent
HEAVY = frozenset({"PIL", "hypothesis", "nltk", "numpy", "torch", "transformers"})

PACKAGES = (
    "plugin",
    "cli",
    "strategies",
    "commands.audit",
    "integration.session",
    "annotation.photos",
    "execution.run_item",
    "reporting.files",
    "export.export",
    "relations.catalogue",
    "models.catalogue",
    "picture_world.source",
    "data.catalogue",
    "stats.power",
    "language.questions.templates",
    "imaging.render",
    "sampling.chooser",
    "core.results",
)
"""A module of each layer."""

# Reports what an interpreter has loaded once the code before it has run.
REPORT_LOADED = "import json, sys; print('\\n' + json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"

# Third-party modules stay loaded, so that each import costs only the package's own.
IMPORT_EACH_ALONE = """
import importlib, json, sys, traceback
failures = {}
for name in json.loads(sys.argv[1]):
    for loaded in [module for module in sys.modules if module.partition(".")[0] == "pytest_vqamt"]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except Exception:
        failures[name] = traceback.format_exc(limit=-3)
print("\\n" + json.dumps(failures))
"""


def test_imports_go_towards_the_core_only() -> None:
    # In a process of its own: the linter disables every logger there is.
    check = "import sys; from importlinter.cli import lint_imports; print(lint_imports(sys.argv[1], no_cache=True))"
    assert last_line_of(check, str(ROOT / "pyproject.toml")) == "0"


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


@pytest.mark.parametrize("what", ["packages", pytest.param("modules", marks=pytest.mark.full)])
def test_each_imports_on_its_own(what: str) -> None:
    names = [f"pytest_vqamt.{name}" for name in PACKAGES] if what == "packages" else modules()
    failures = json.loads(last_line_of(IMPORT_EACH_ALONE, json.dumps(names)))
    assert failures == {}, "\n".join(failures.values())


def test_importing_the_plugin_and_the_catalogues_loads_nothing_heavy() -> None:
    names = ("plugin", "cli", "data.catalogue", "models.catalogue", "relations.catalogue")
    assert loaded_after(f"import {', '.join(f'pytest_vqamt.{name}' for name in names)}") & HEAVY == set()


def test_a_session_without_a_model_loads_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "test_of_a_user.py").write_text("def test_unrelated(): pass\n")
    command = ["-p", "pytest_vqamt.plugin", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    sessions = [[*command, what] for what in ("--version", "-VV", "--help", "--collect-only", "-q")]
    run_sessions = f"import pytest\nfor each in {sessions!r}: assert pytest.main(each) == 0, each"
    # Without autoload what is loaded is pytest's doing or the plugin's, no other plugin's.
    loaded = loaded_after(run_sessions, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTEST_ADDOPTS="")
    assert "pytest_vqamt" in loaded
    assert loaded & HEAVY == set()


def test_pytest_leaves_the_modules_of_this_package_as_they_are_compiled(tmp_path: Path) -> None:
    (tmp_path / "test_of_a_user.py").write_text("def test_unrelated(): pass\n")
    run_session = f"import pytest; assert pytest.main(['-p', 'no:cacheprovider', {str(tmp_path)!r}]) == 0"
    report = "import sys; print('\\n' + type(sys.modules['pytest_vqamt.integration.options'].__loader__).__name__)"
    assert last_line_of(f"{run_session}\n{report}") == "SourceFileLoader"


def test_a_run_of_one_relation_imports_only_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own(vqamt_consistency): vqamt_consistency.check()\n")
    (tmp_path / "own.py").write_text("def model(image, text): return '2'\n")
    options = ["--vqamt-model=python:own:model", "--vqamt-relations=metavqa.partition[object]", "--vqamt-max-cases=3"]
    command = ["-p", "pytest_vqamt.plugin", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", f"{tmp_path}", *options]
    run_session = f"import sys, pytest; sys.path.insert(0, {str(tmp_path)!r}); assert pytest.main({command!r}) == 0"
    report = "import json, sys; print('\\n' + json.dumps(sorted(sys.modules)))"
    loaded = set(
        json.loads(last_line_of(f"{run_session}\n{report}", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTEST_ADDOPTS=""))
    )
    ours = {name.removeprefix("pytest_vqamt.") for name in loaded if name.startswith("pytest_vqamt.")}
    assert {name for name in ours if name.startswith(("relations.metavqa", "relations.groups"))} == {
        "relations.groups",
        "relations.metavqa",
    }
    unneeded = (
        "annotation",
        "commands",
        "export",
        "serving",
        "relations.carets",
        "relations.veglue",
        "reporting.html.page",
    )
    assert [name for name in ours if name.startswith(unneeded)] == []
    assert loaded & {"cv2", "httpx2", "jinja2", "nltk", "torch", "transformers"} == set()


def modules() -> list[str]:
    """Every module of the package by its dotted name, found without importing one."""
    return sorted(dotted(path) for path in PACKAGE.rglob("*.py"))


def dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def loaded_after(code: str, **environment: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after running the code."""
    return set(json.loads(last_line_of(f"{code}\n{REPORT_LOADED}", **environment)))


def last_line_of(code: str, *arguments: str, **environment: str) -> str:
    """The last line that a fresh interpreter prints."""
    finished = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout.splitlines()[-1]
