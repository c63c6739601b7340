"""A session of pytest on LXMERT: from pictures through the detector to answers, each picture looked at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pytest_vqamt.models.region_models.frcnn.detector  # noqa: F401  # pytester unloads what is loaded first in a session of it
from tests.models.region_models.small_detector import write_small_detector
from tests.models.small import region_models
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

pytestmark = pytest.mark.full

TEXTS = "metavqa.reorder[object],metavqa.partition[object],metavqa.reversion[object],carets.negation"
"""Relations that change nothing but texts."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """LXMERT with its detector beside it, both small."""
    folder = region_models.lxmert(tmp_path_factory.mktemp("lxmert"))
    write_small_detector(folder / "detector")
    return folder


def told(pytester: pytest.Pytester, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the report of this name says of the model, and its cases."""
    report = report_in(pytester.path / name)
    lines = (pytester.path / name / "cases.jsonl").read_text().splitlines()
    return report["models"][0], [json.loads(line) for line in lines]


def pictures_of(rows: list[dict[str, Any]]) -> set[str]:
    return {query["picture"]["digest"] for row in rows for query in row["queries"]}


def test_relations_of_texts_take_each_picture_through_the_detector_once(
    pytester: pytest.Pytester, run: Run, folder: Path
) -> None:
    """The second run asks anew, since its list of answers is another, and finds all regions on the disk."""
    answers = [answer or "nothing" for answer in region_models.ANSWERS]
    (pytester.path / "answers.json").write_text(json.dumps(answers))
    arguments = (f"--vqamt-relations={TEXTS}", "--vqamt-cache=kept", "--vqamt-device=cpu")
    for name, other in (("first", ()), ("second", ("--vqamt-option=answers=answers.json",))):
        result = run(*arguments, *other, f"--vqamt-report={name}", model=f"lxmert:{folder}", data=("pictures:4",))
        result.assert_outcomes(passed=4)
    first, rows = told(pytester, "first")
    second, _ = told(pytester, "second")
    count = len(pictures_of(rows))
    assert 2 <= count <= 4
    assert first["queries_asked"] == second["queries_asked"] > 3 * count
    assert first["usage"] == {"pictures through the detector": count, "features from disk": 0}
    assert second["usage"] == {"pictures through the detector": 0, "features from disk": count}
    assert {answer for row in rows for answer in row["answers"]} <= set(region_models.ANSWERS) - {""}
    assert all(len(scores) == 5 for row in rows for scores in row["scores"])


@pytest.mark.slow
def test_two_workers_share_the_pictures(pytester: pytest.Pytester, run: Run, folder: Path) -> None:
    """Every item is about the same four pictures, and each of these is looked at by one worker."""
    arguments = (f"--vqamt-relations={TEXTS}", "--vqamt-device=cpu", "--vqamt-report=out", "--vqamt-cache=kept")
    run(*arguments, "-n", "2", model=f"lxmert:{folder}", data=("pictures:4",)).assert_outcomes(passed=4)
    model, rows = told(pytester, "out")
    assert model["usage"]["pictures through the detector"] == len(pictures_of(rows))


def test_pictures_that_are_edited_are_looked_at_too(pytester: pytest.Pytester, run: Run, folder: Path) -> None:
    run(
        "--vqamt-relations=metavqa.removal[count],control.reencode[spaces]",
        "--vqamt-device=cpu",
        "--vqamt-report=out",
        model=f"lxmert:{folder}",
        data=("pictures:4",),
        max_cases=2,
    ).assert_outcomes(passed=2)
    model, rows = told(pytester, "out")
    assert any(query["picture"]["edits"] for row in rows for query in row["queries"])
    assert model["usage"]["pictures through the detector"] == len(pictures_of(rows))
    assert all(row["verdict"] in ("holds", "violated", "unparsed") for row in rows)


def test_without_a_detector_the_session_says_what_to_do(
    pytester: pytest.Pytester, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("VQAMT_DETECTOR", raising=False)
    alone = region_models.lxmert(tmp_path / "alone")
    result = run("--vqamt-relations=control.repeat", "--vqamt-device=cpu", model=f"lxmert:{alone}")
    (line,) = [line for line in result.errlines if "Expected" in line]
    assert line.startswith("ERROR: Expected a region detector")
    assert "--vqamt-option detector=PATH" in line
    assert "Traceback" not in result.stderr.str()
