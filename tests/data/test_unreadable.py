"""What cannot be read is told in one line, and spoils nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.catalogue import load
from tests.rows import each_row


@each_row("kind", ["coco", "gqa", "visual-genome", "vqa-v2"])
def test_a_path_that_no_system_takes_is_no_traceback(kind: str) -> None:
    with pytest.raises(DataError) as told:
        load(f"{kind}:{'x' * 5000}")
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 500


def test_a_broken_photo_leaves_the_mean_colour_to_the_others(tmp_path: Path) -> None:
    for name, colour in (("red.png", (200, 0, 0)), ("blue.png", (0, 0, 100)), ("torn.png", (0, 250, 0))):
        Image.new("RGB", (20, 10), colour).save(tmp_path / name)
    rows: list[dict[str, object]] = [
        {"id": name, "photo": f"{name}.png", "width": 20, "height": 10, "objects": []}
        for name in ("red", "blue", "torn")
    ]
    (tmp_path / "scenes.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    source = load(f"graphs:{tmp_path / 'scenes.jsonl'}")
    whole = (tmp_path / "torn.png").read_bytes()
    (tmp_path / "torn.png").write_bytes(whole[: len(whole) // 2])
    assert source.corpus.mean_colour == (100, 0, 50)
