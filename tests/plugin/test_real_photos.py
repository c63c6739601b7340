"""A session on photos: what is drawn, edited and answered does not hang on how it is shared out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

pytestmark = pytest.mark.full

COCO = Path(__file__).parents[2] / "../shared/data/coco"

# It counts something else in a photo of which one pixel is another.
COUNTS_PIXELS = """
    from zlib import crc32

    def model(image, text):
        return str(crc32(image.tobytes()) % 4)
"""


def told(folder: Path) -> list[dict[str, Any]]:
    """What the report in the folder says of its relations."""
    relations: list[dict[str, Any]] = report_in(folder)["relations"]
    return relations


@pytest.mark.full
@pytest.mark.skipif(not COCO.is_dir(), reason="the photos of ../shared/data are not here")
def test_the_same_on_workers_as_without(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(pixels=COUNTS_PIXELS)
    for folder, shared in (("alone", ()), ("shared", ("-n", "2"))):
        run(
            "--vqamt-relations=metavqa.removal_plus,corruption[snow-object]",
            f"--vqamt-report={folder}",
            *shared,
            model="python:pixels:model",
            data=(f"coco:{COCO}",),
            max_cases=10,
        ).assert_outcomes(passed=2)
    assert told(pytester.path / "alone") == told(pytester.path / "shared")
    alone, shared_out = (pytester.path / folder / "cases.jsonl" for folder in ("alone", "shared"))
    assert alone.read_bytes() == shared_out.read_bytes()
    rows = [json.loads(line) for line in alone.read_text(encoding="utf-8").splitlines()]
    assert [row["relation"] for row in rows] == ["metavqa.removal_plus"] * 10 + ["corruption[snow-object]"] * 10
    assert {"holds", "violated"} <= {row["verdict"] for row in rows}
