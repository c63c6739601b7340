"""``vqamt new relation``: the files pass as they are, and fail once the relation is wrong or finds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.commands.describe import run as _describe  # noqa: F401 - loaded once, before the folder changes
from pytest_vqamt.relations import catalogue


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "_registered", {})
    assert main(["new", "relation", "ours.zoom"]) == 0
    return pytester.path


def test_its_files_pass_as_they_are(
    folder: Path, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {each.name for each in folder.glob("*.py")} == {"ours_zoom.py", "test_ours_zoom.py", "conftest.py"}
    pytester.runpytest("-p", "no:cacheprovider").assert_outcomes(passed=2)
    capsys.readouterr()
    assert main(["describe", "ours_zoom:zoom", "--max-cases=1"]) == 0
    assert "TODO: the claim of ours.zoom in one sentence, which reports show." in capsys.readouterr().out


@pytest.mark.full
def test_its_files_are_typed_strictly_and_an_editor_completes_them(folder: Path) -> None:
    api = pytest.importorskip("mypy.api")
    files = [str(folder / name) for name in ("ours_zoom.py", "test_ours_zoom.py", "conftest.py")]
    out, errors, status = api.run(["--strict", "--cache-dir=/dev/null", *files])
    assert (errors, status) == ("", 0), out
    asked = folder / "asked.py"
    text = (
        (folder / "ours_zoom.py")
        .read_text()
        .replace("    thing = ", "    reveal_type(scene.picture.mirror())\n    thing = ")
    )
    asked.write_text(text.replace("    # Change", "    reveal_type(thing.box)\n    # Change"))
    out, _, _ = api.run(["--strict", "--cache-dir=/dev/null", str(asked)])
    assert [line.rpartition("Revealed type is ")[2] for line in out.splitlines() if "Revealed" in line] == [
        '"pytest_vqamt.core.picture.Picture"',
        '"pytest_vqamt.core.box.Box"',
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "fails"),
    [
        ("vqamt.same_answer", "vqamt.opposite_answer", "test_a_perfect_perceiver_never_violates_it"),
        pytest.param(
            "scene.picture.mirror()", "scene.picture", "test_it_finds_the_planted_fault", marks=pytest.mark.full
        ),
    ],
)
def test_its_test_finds_a_wrong_relation(
    folder: Path, pytester: pytest.Pytester, right: str, wrong: str, fails: str
) -> None:
    file = folder / "ours_zoom.py"
    file.write_text(file.read_text().replace(right, wrong))
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-rf")
    result.stdout.fnmatch_lines([f"FAILED test_ours_zoom.py::{fails} *"])


def test_a_conftest_that_is_there_stays(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    conftest = pytester.makeconftest("x = 1")
    (pytester.path / "__init__.py").touch()
    assert main(["new", "relation", "ours.zoom"]) == 0
    assert conftest.read_text() == "x = 1"
    printed = capsys.readouterr().out
    assert "add to conftest.py:\n    from . import ours_zoom  # noqa: F401" in printed


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("zoom", "Expected the name of a relation to look like 'ours.mirror', but got name='zoom'"),
        ("metavqa.partition", "Expected a name that no built-in relation has, but got name='metavqa.partition'"),
        ("ours.3d", "Expected a prefix and a name that Python functions can have, but got NAME='ours.3d'"),
        ("ours.zoom", "Expected a name without files yet, but got NAME='ours.zoom', which has ours_zoom.py"),
    ],
)
def test_a_name_that_cannot_be_used_writes_nothing(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], name: str, line: str
) -> None:
    (pytester.path / "ours_zoom.py").write_text("")
    assert main(["new", "relation", name]) == 2
    assert line in capsys.readouterr().err
    assert [each.name for each in pytester.path.glob("*.py")] == ["ours_zoom.py"]
