"""``snli-ve:DIR`` without boxes in a session: a grounding model writes them before the first test runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.annotation.detectors import small_detectors
from tests.execution.park import write_park
from tests.plugin.conftest import Run

pytestmark = pytest.mark.full

RELATIONS = "--vqamt-relations=metavqa.reversion[object],control.repeat"


@pytest.fixture(scope="module")
def owl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An OWLv2 that is sure of a box for every phrase."""
    return small_detectors.owlv2(tmp_path_factory.mktemp("owl"), plant=(0.3, 0.2, 0.2, 0.2))


@pytest.fixture
def park(pytester: pytest.Pytester) -> Path:
    return write_park(pytester.path / "park")


def test_a_session_grounds_and_the_oracle_holds(run: Run, park: Path, owl: Path, workers: tuple[str, ...]) -> None:
    result = run(RELATIONS, f"--vqamt-option=grounder={owl}", *workers, data=["snli-ve:park"])
    assert result.ret == pytest.ExitCode.OK
    assert result.parseoutcomes().get("passed", 0) >= 1
    rows = [json.loads(line) for line in (park / "units.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["1.jpg#0r1e", "1.jpg#1r1e", "2.jpg#0r1e", "3.jpg#0r1e"]


def test_a_setting_that_cannot_be_used(run: Run, park: Path) -> None:
    result = run("--vqamt-option=grounder=", data=["snli-ve:park"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: Expected --vqamt-option *grounder*"])
    result = run("--vqamt-option=grounder=MODEL", data=["pictures:5"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: Expected --vqamt-option to name a setting, but got 'grounder=MODEL'*"])
