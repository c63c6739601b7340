"""A data set with some bad records is told of in one line, and run on the rest where that is allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

Rows = list[dict[str, Any]]

RECORDS = 100
REVERSION = "--vqamt-relations=metavqa.reversion[object]"
ALLOW = "--vqamt-allow-bad-records"


def encoded(image: Image.Image, kind: str = "PNG") -> bytes:
    stream = BytesIO()
    image.save(stream, kind)
    return stream.getvalue()


def hundred_graphs(folder: Path) -> str:
    """Lines 17, 40 and 99 are bad: one is torn, one has a box outside, of one the photo is not there."""
    box = [2, 3, 10, 8]
    rows: Rows = [
        {"id": f"s{number}", "photo": f"{number}.png", "width": 24, "height": 16, "exhaustive": ["dog", "cat"],
         "objects": [{"id": "d", "name": "dog", "box": box}]}
        for number in range(1, RECORDS + 1)
    ]  # fmt: skip
    rows[40 - 1]["objects"][0]["box"] = [99, 0, 5, 5]
    rows[99 - 1]["photo"] = "gone.png"
    lines = [json.dumps(row) for row in rows]
    lines[17 - 1] = lines[17 - 1][:30]
    (folder / "graphs.jsonl").write_text("\n".join(lines))
    for number in range(1, RECORDS + 1):
        (folder / f"{number}.png").write_bytes(encoded(Image.new("RGB", (24, 16), (number, 99, 0))))
    return "graphs:graphs.jsonl"


def hundred_coco(folder: Path) -> str:
    """Images 17, 40 and 99 are bad: one has no width, one a dog of no class, of one the photo is not there."""
    numbers = range(1, RECORDS + 1)
    images: Rows = [{"id": n, "file_name": f"{n}.jpg", "width": 24, "height": 16} for n in numbers]
    dogs: Rows = [{"id": 5000 + n, "image_id": n, "category_id": 18, "bbox": [2, 3, 10, 8]} for n in numbers]
    del images[17 - 1]["width"]
    dogs[40 - 1]["category_id"] = 99
    classes = [{"id": 17, "name": "cat"}, {"id": 18, "name": "dog"}]
    (folder / "instances.json").write_text(json.dumps({"images": images, "annotations": dogs, "categories": classes}))
    (folder / "images").mkdir()
    for number in numbers:
        if number != 99:
            photo = encoded(Image.new("RGB", (24, 16), (2 * number, 255 - 2 * number, 0)), "JPEG")
            (folder / "images" / f"{number}.jpg").write_bytes(photo)
    return "coco:."


HUNDRED: dict[str, tuple[Callable[[Path], str], Sequence[str]]] = {
    "graphs": (
        hundred_graphs,
        (
            "graphs.jsonl:17: Expected JSON, but it breaks off at column ",
            "graphs.jsonl:40: objects[0].box: Expected a box within the picture of 24 x 16 px, but got box=[99, 0,",
            "graphs.jsonl:99: photo: Expected a photo, but there is no file 'gone.png': add it",
        ),
    ),
    "coco": (
        hundred_coco,
        (
            "instances.json: image 17: width: Expected a whole number from 1 to 100000, but got no 'width'",
            "instances.json: annotation 5040: category_id: Expected the id of a category of instances.json",
            "instances.json: image 99: file_name: Expected a photo in images, but there is no '99.jpg': add it",
        ),
    ),
}


@pytest.fixture(params=HUNDRED)
def hundred(request: pytest.FixtureRequest, pytester: pytest.Pytester) -> tuple[str, Sequence[str]]:
    """The spec of a data set with three bad records of a hundred, and how the line on each of them begins."""
    write, lines = HUNDRED[request.param]
    return write(pytester.path), lines


def test_without_the_option_nothing_runs(
    pytester: pytest.Pytester, run: Run, hundred: tuple[str, Sequence[str]]
) -> None:
    spec, lines = hundred
    pytester.makepyfile(later="from pathlib import Path\n\ndef load(): Path('loaded').touch()\n")
    result = run(REVERSION, "--vqamt-report=out", data=[spec], model="python:later:load")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = result.stderr.str().strip().splitlines()
    assert re.match(rf"ERROR: Expected every record of {re.escape(spec)} to be usable, but 3 are bad, beside 97 ", line)
    assert lines[0] in line
    assert ALLOW in line
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert not (pytester.path / "loaded").exists(), "it is told before any model is loaded"
    assert not (pytester.path / "out" / "report.json").exists()


@pytest.mark.full
def test_without_the_option_workers_tell_it_too(run: Run, hundred: tuple[str, Sequence[str]]) -> None:
    spec, lines = hundred
    result = run(REVERSION, "-n", "2", data=[spec])
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (line,) = {line for line in result.stdout.str().splitlines() if line.startswith("Expected every record of")}
    assert "but 3 are bad, beside 97 " in line
    assert lines[0] in line
    assert ALLOW in line


def test_with_the_option_the_rest_runs(
    pytester: pytest.Pytester, run: Run, hundred: tuple[str, Sequence[str]], workers: tuple[str, ...]
) -> None:
    spec, lines = hundred
    result = run(REVERSION, ALLOW, "--vqamt-report=out", *workers, data=[spec])
    result.assert_outcomes(passed=1)
    report = report_in(pytester.path / "out")
    (data,) = report["data"]
    assert data["scenes"] == 97
    assert len(data["bad_records"]) == 3
    for line in lines:
        assert [bad for bad in data["bad_records"] if bad.startswith(line)] != []
    assert report["relations"][0]["cases"] == 4
    shown = result.stdout.str()
    assert f"oracle on {spec} (97 scenes)\n3 bad records were left out:\n" in shown
    for line in lines:
        assert f"\n  {line}" in shown


def test_the_ini_option_does_the_same(pytester: pytest.Pytester, run: Run, hundred: tuple[str, Sequence[str]]) -> None:
    spec, lines = hundred
    pytester.makeini("[pytest]\nvqamt_allow_bad_records = true\n")
    result = run(REVERSION, data=[spec])
    result.assert_outcomes(passed=1)
    assert f"\n  {lines[2]}" in result.stdout.str()
    pytester.makeini("[pytest]\nvqamt_allow_bad_records = false\n")
    assert run(REVERSION, data=[spec]).ret == pytest.ExitCode.USAGE_ERROR
    run(REVERSION, ALLOW, data=[spec]).assert_outcomes(passed=1)
