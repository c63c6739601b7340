"""The photos that give the largest request are found wherever they stand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution.resources import largest_scenes


def test_the_largest_scenes_are_found_at_any_place(tmp_path: Path) -> None:
    for number in range(230):
        Image.new("RGB", (24, 16), (number, 99, 99)).save(tmp_path / f"{number:03d}.png")
    noise = np.random.default_rng(1).integers(0, 255, (100, 100, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "221.png")
    Image.new("RGB", (300, 200), "gray").save(tmp_path / "228.png")
    (tmp_path / "000.png").write_bytes((tmp_path / "000.png").read_bytes()[:60])  # a broken one
    rows = [{"image": f"{number:03d}.png", "question": "Is it red?"} for number in range(230)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    source = load(f"questions:{tmp_path}", allow_bad_records=True)
    assert [scene.photo.id for scene in largest_scenes(source)] == ["221.png", "228.png"]


def test_pictures_that_are_no_files_are_compared_by_their_pixels() -> None:
    assert [scene.photo.id for scene in largest_scenes(load("pictures:3"))] == ["pictures-0-0"]
