"""``photos:DIR`` without annotations in a session: detectors write its scene graphs before the first test runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from tests.annotation.detectors import small_detectors
from tests.plugin.conftest import Run

pytestmark = pytest.mark.full

COCO = Path(__file__).parents[2] / "../shared/data/coco/images"
RELATIONS = "--vqamt-relations=metavqa.reversion[object],carets.negation*,control.repeat"


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DETR that sees a dog in every photo."""
    return small_detectors.detr(tmp_path_factory.mktemp("detr"), plant=(0.3, 0.7, 0.4, 0.5))


@pytest.fixture
def photos(pytester: pytest.Pytester) -> Path:
    """Three photos in the folder ``shop``, real ones where they are at hand."""
    folder = pytester.path / "shop"
    folder.mkdir()
    for file in sorted(COCO.glob("*.jpg"))[:3]:
        shutil.copy(file, folder)
    for number in range(3 - len(list(folder.iterdir()))):
        Image.new("RGB", (320, 240), (50 * number, 90, 120)).save(folder / f"{number}.png")
    return folder


def test_a_session_detects_and_the_oracle_holds(
    run: Run, photos: Path, detector: Path, workers: tuple[str, ...]
) -> None:
    result = run(RELATIONS, f"--vqamt-option=boxes={detector}", *workers, data=["photos:shop"])
    assert result.ret == pytest.ExitCode.OK
    assert result.parseoutcomes().get("passed", 0) >= 1
    rows = [json.loads(line) for line in (photos / "graphs.jsonl").read_text().splitlines()]
    assert sorted(row["photo"] for row in rows) == sorted(file.name for file in photos.glob("*.[jp][pn]g"))
    assert all([thing["name"] for thing in row["objects"]] == ["dog"] for row in rows)


def test_the_next_session_takes_what_a_person_has_made_of_it(run: Run, photos: Path, detector: Path) -> None:
    shutil.copytree(detector, "detr")
    run(RELATIONS, "--vqamt-option=boxes=detr", data=["photos:shop"])
    shutil.rmtree("detr")
    file = photos / "graphs.jsonl"
    corrected = file.read_text().replace('"dog"', '"cat"')
    file.write_text(corrected)
    result = run(RELATIONS, "--vqamt-option=boxes=detr", data=["photos:shop"])
    assert result.ret == pytest.ExitCode.OK
    assert file.read_text() == corrected
    assert run(RELATIONS, data=["photos:shop"]).ret == pytest.ExitCode.OK


def test_settings_that_have_not_made_the_lines_are_told_of(run: Run, photos: Path, detector: Path) -> None:
    run(RELATIONS, f"--vqamt-option=boxes={detector}", data=["photos:shop"])
    result = run(RELATIONS, f"--vqamt-option=boxes={detector}", "--vqamt-option=min-score=0.7", data=["photos:shop"])
    result.stderr.fnmatch_lines(["*other settings (boxes=*) wrote 3 of the 3 lines in 'shop/graphs.jsonl'*"])


def test_photos_alone_are_a_mistake_that_says_what_to_do(run: Run, photos: Path) -> None:
    result = run(RELATIONS, data=["photos:shop"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: Expected graphs.jsonl beside the photos, *--vqamt-option boxes=REPO-OR-PATH*"])


def test_a_setting_that_cannot_be_used(run: Run, photos: Path, detector: Path) -> None:
    result = run(f"--vqamt-option=boxes={detector}", "--vqamt-option=min-score=2", data=["photos:shop"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: Expected --vqamt-option min-score=SCORE to be from 0 to below 1*"])


def test_a_setting_of_detectors_without_photos(run: Run) -> None:
    result = run("--vqamt-option=boxes=DIR")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: Expected --vqamt-option to name a setting, but got 'boxes=DIR'*"])
